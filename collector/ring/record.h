/* record.h - the record program of one instrumentation, loaded into the kernel.
 *
 *      ring_plan -> record_load() -> maps mapped into our memory, program in the chain at `index`
 *
 * Memory  record_memory() says before anything is loaded how much the kernel will hold.
 * Errors  0 or -errno, `reason` (REASON_MAX) says what the kernel refused.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_RECORD_H
#define HEATSCOPE_RECORD_H

#include "collector/ring/ring.h"

/* What record.bpf.c shares with record.c is ring.h; the rest is for user space. */
#ifndef __bpf__
#include <stddef.h>

struct record_target {		/* the event programs that call it */
	int events_fd, chain_fd;
	int verbatims_fd;	/* 0: they have no texts */
	const char *attach;	/* a tracepoint they are attached to; NULL: a perf event */
};

struct record_bpf;

#define RECORD_MAPS 7			/* that are mapped */

struct record {
	struct record_bpf *bpf;
	__u32 index;
	int chain_fd;
	struct ring_state *state;
	__u64 *entry;
	__u32 *cells;
	size_t cells_stride;		/* u32 from one index to the next */
	struct ring_total *totals;
	struct exemplar_box *boxes;	/* NULL: none are kept */
	struct exemplar *exemplars;
	struct verbatim *texts;		/* NULL: they have none */
	__u64 *weighed;
	int classes_fd, free_fd, late_fd;
	struct { void *at; size_t len; } map[RECORD_MAPS];
};

/* Bytes of kernel memory that this plan takes. */
__u64 record_memory(const struct ring_plan *plan);

/* Of these, the exemplars'. */
__u64 record_exemplars_memory(const struct ring_plan *plan);

int record_load(const struct ring_plan *plan, const struct record_target *target, __u32 index,
		struct record *ret_record, char *reason);
void record_unload(struct record *r);

/* Its keys and classes, for the reader; the argument is the record. */
extern const struct reader_keys record_keys;

/* Takes it out of the chain; the caller has cleared its `active` bit and waited. */
void record_unchain(struct record *r);

#endif
#endif
