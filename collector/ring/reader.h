/* reader.h - takes ended slots out of a ring and makes batches of them.
 *
 *      for (;;) { reader_swap() of every ring; none: stop; one grace period; reader_take() }
 *      reader_file() events that came late; reader_finish()
 *
 * What it promises: every slot from plan.first on is handed over once as a batch, slots without
 * events too (runs of them as one batch); what is found for such a slot afterwards follows as an
 * amendment; losses travel with the next batch.  Why nothing is lost or misfiled: ring.h.
 *
 * Memory  works on the ring's memory where it lies (mapped from the kernel, or a test's own).
 * Errors  0 or -errno (-ENOMEM); events that could not be handed over for want of memory are losses.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_READER_H
#define HEATSCOPE_READER_H

#include "collector/core/batch.h"
#include "collector/core/instrumentation.h"
#include "collector/ring/ring_plan.h"

/* A ring as its reader sees it. */
struct reader_ring {
	struct ring_plan plan;
	struct ring_state *state;
	__u64 *entry;
	__u32 *cells;
	size_t cells_stride;		/* u32 from one index to the next */
	struct ring_total *totals;
	struct exemplar_box *boxes;	/* NULL: none are kept */
	struct exemplar *exemplars;
	struct verbatim *texts;		/* of each; NULL: they have none */
	__u64 *weighed;			/* NULL without weights */

	/* Its keys and classes, and the queue of late events. */
	const struct reader_keys *keys;
	void *keys_arg;
};

struct reader_keys {
	/* The key after prev (NULL: the first) and its class; 0, or -ENOENT at the end. */
	int (*next)(void *arg, const struct key *prev, struct key *ret_key, __u32 *ret_class);
	void (*forget)(void *arg, const struct key *key);
	void (*give)(void *arg, __u32 class_);			/* a class is free (again) */
	int (*late)(void *arg, struct ring_late *ret_late);	/* 1: the next late event, 0: none */
};

/* The label of a code of the key's field; out is LABEL_MAX + 1 bytes. */
struct reader_labels {
	void (*text)(void *arg, unsigned event_field, __u64 code, char *out);
	void *arg;
	const struct metric *metric;	/* for the names of what exemplars tell */
};

struct reader;

/* Puts a fresh ring in order: rows to entries, all classes free, first slot. */
void reader_ring_init(const struct reader_ring *ring, __u64 first_slot);

/* Of instrumentation `inst` of the source, in the incarnation that its batches name. */
int reader_new(const struct reader_ring *ring, const char *source, __u64 incarnation, __u64 inst,
	       const struct reader_labels *labels, struct reader **ret_reader);
void reader_free(struct reader *r);

/* Takes the rows of the oldest slots that have ended, as many as there are spares.  Returns how many:
 * wait a grace period, then reader_take(); 0: there is none. */
int reader_swap(struct reader *r, __s64 now_ns);
int reader_take(struct reader *r, const struct batch_sink *sink);

/* Files one event that is counted here and not in the kernel, if the plan's filter accepts it. */
int reader_file(struct reader *r, const struct event *e);

/* Measures of scope point, of what was under way at the end of a slot.  The end of the first slot of which that was not
 * told yet, 0: all are, or nobody asks for such a measure. */
__u64 reader_untold(const struct reader *r, __s64 now_ns);

/* The end of the slot that is under way, if what runs then is to be told; else 0. */
__u64 reader_slot_end(const struct reader *r, __s64 now_ns);

/* Something began, and goes on or went on until then: it was under way at the end of every untold slot in between.
 * Its age is the event's first measure so far and those of scope point; the others are not known, and 0 here.  What there is no
 * room for is a loss. */
int reader_run(struct reader *r, const struct event *e, __u64 begin_ns, __u64 until_ns);

/* That was all: now the slots that are over are told. */
void reader_told(struct reader *r, __s64 now_ns);

/* Hands over what is left of this drain: late events, empty slots up to now, losses. */
int reader_finish(struct reader *r, __s64 now_ns, const struct batch_sink *sink);

/* Another filter from here on. */
void reader_filter(struct reader *r, const struct filter *f);

/* n events were lost before they came to the ring, between these times; their sum is not known, nor
 * whether the filter would have accepted them. */
void reader_lose(struct reader *r, __u64 n, __s64 from_ns, __s64 to_ns);

/* The wall clock stepped by step_ns, now. */
void reader_clock_stepped(struct reader *r, __s64 now_ns, __s64 step_ns);

/* From slot `first` on nobody looks, or not all the time; from another `first` on somebody does again.  Nothing
 * is handed over for the slots between, not even that they were empty. */
void reader_unobserved(struct reader *r, __u64 first);
void reader_observed(struct reader *r, __u64 first);

/* From now on one event in `every` is looked at, and counted that many times; 1: all. */
void reader_sampled(struct reader *r, __s64 now_ns, __u32 every);

__u64 reader_lost(const struct reader *r);	/* events lost so far */

#endif
