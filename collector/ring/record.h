/* record.h - loads the record program of one instrumentation into the kernel.
 *
 *      ring_plan -> record_load() -> maps mapped into our memory, program in the chain at `index`
 *
 * Memory  record_memory() computes in advance how much memory the kernel will use.
 * Errors  0 or -errno; `reason` (REASON_MAX bytes) says what the kernel refused.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_RECORD_H
#define HEATSCOPE_RECORD_H

#include "collector/ring/ring.h"

/* record.bpf.c and record.c share ring.h; the rest here is for user space. */
#ifndef __bpf__
#include <stddef.h>

struct record_target {		/* the event programs that call it */
	int events_fd, chain_fd;
	int verbatims_fd;	/* 0: events have no texts */
	const char *attach;	/* the tracepoint they are attached to; NULL: a perf event */
};

struct record_bpf;

#define RECORD_MAPS 7			/* number of mapped maps */

struct record {
	struct record_bpf *bpf;
	__u32 index;
	int chain_fd;
	struct ring_state *state;
	__u64 *entry;
	__u32 *cells;
	size_t cells_stride;		/* u32 from one index to the next */
	struct ring_total *totals;
	struct exemplar_box *boxes;	/* NULL: no exemplars are kept */
	struct exemplar *exemplars;
	struct statement_text *texts;	/* NULL: exemplars have no texts */
	__u64 *weighed;
	int classes_fd, free_fd, late_fd;
	struct { void *at; size_t len; } map[RECORD_MAPS];
};

/* Returns how many bytes of kernel memory this plan takes. */
__u64 record_memory(const struct ring_plan *plan);

/* Returns how many of these are for exemplars. */
__u64 record_exemplars_memory(const struct ring_plan *plan);

int record_load(const struct ring_plan *plan, const struct record_target *target, __u32 index,
		struct record *ret_record, char *reason);
void record_unload(struct record *r);

/* The functions by which the reader sees its keys and classes; their argument is the record. */
extern const struct reader_keys record_keys;

/* Takes the program out of the chain.  Before, the caller clears its `active` bit and waits. */
void record_unchain(struct record *r);

#endif
#endif
