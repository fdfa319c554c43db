/* reader.h - takes ended slots out of a ring and makes batches of them.
 *
 *      repeat: reader_swap() of every ring, one grace period, reader_take() - until no ring has a slot to swap
 *      reader_file() late events; reader_finish()
 *
 * Promise The reader sends every slot from the ring's first_slot on once, as a batch.  One batch stands for a run of
 *         slots without events.  Late events follow as an amendment of their slot.  Losses travel with the next batch.
 *         ring.h says why no event is lost or misfiled.
 * Memory  the reader works on the ring's memory where it lies (mapped from the kernel, or a test's own).
 * Errors  0 or -errno (-ENOMEM).  Events that cannot be sent for lack of memory are losses.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_READER_H
#define HEATSCOPE_READER_H

#include "collector/core/batch.h"
#include "collector/core/instrumentation.h"
#include "collector/ring/ring_plan.h"

/* A ring as the reader sees it. */
struct reader_ring {
	struct ring_plan plan;
	struct ring_state *state;
	__u64 *entry;
	__u32 *cells;
	size_t cells_stride;		/* u32 from one index to the next */
	struct ring_total *totals;
	struct exemplar_box *boxes;	/* NULL: no exemplars are kept */
	struct exemplar *exemplars;
	struct statement_text *texts;	/* text of each exemplar; NULL: there are no texts */
	__u64 *weighed;			/* NULL without weights */

	/* The ring's keys and classes, and its queue of late events. */
	const struct reader_keys *keys;
	void *keys_arg;
};

struct reader_keys {
	/* Returns the key after prev (NULL: the first) and its class; 0, or -ENOENT at the end. */
	int (*next)(void *arg, const struct key *prev, struct key *ret_key, __u32 *ret_class);
	void (*forget)(void *arg, const struct key *key);
	void (*give)(void *arg, __u32 class_);			/* makes a class free (again) */
	int (*late)(void *arg, struct ring_late *ret_late);	/* 1: the next late event, 0: none */
};

/* Writes the label of a code of the key's field into out, LABEL_MAX + 1 bytes. */
struct reader_labels {
	void (*text)(void *arg, unsigned event_field, __u64 code, char *out);
	void *arg;
	const struct metric *metric;	/* for the names of fields and measures in exemplars */
};

struct reader;

/* Prepares a fresh ring: gives rows to entries, makes all classes free.  It records no event until reader_begin(). */
void reader_ring_init(const struct reader_ring *ring);

/* Makes the reader of instrumentation `inst` of the source; its batches carry that incarnation. */
int reader_new(const struct reader_ring *ring, const char *source, __u64 incarnation, __u64 inst,
	       const struct reader_labels *labels, struct reader **ret_reader);
void reader_free(struct reader *r);

/* Records the events from this slot on; to be called once, before any other function. */
void reader_begin(struct reader *r, __u64 first_slot);

/* Takes the rows of the oldest slots that have ended, as many as there are spares.  Returns how many: then
 * wait for a grace period and call reader_take().  0: no slot has ended. */
int reader_swap(struct reader *r, __s64 now_ns);
int reader_take(struct reader *r, const struct batch_sink *sink);

/* Files one event that is counted here and not in the kernel, if the plan's filter accepts it. */
int reader_file(struct reader *r, const struct event *e);

/* Measures of scope point describe exchanges that are running at the end of a slot.  Returns the end (wall clock, ns)
 * of the first slot whose running exchanges are not reported yet; 0: all are, or no such measure is wanted. */
__u64 reader_unreported_end(const struct reader *r, __s64 now_ns);

/* Returns the end of the current slot, if exchanges that run then are to be reported; else 0. */
__u64 reader_slot_end(const struct reader *r, __s64 now_ns);

/* Files an exchange that began at begin_ns and still ran at until_ns, in each unreported slot at whose end it ran.  Its
 * age there is the value of its first measure and of the measures of scope point; the others are 0, as they are not
 * known.  Without space for it, the reader counts a loss. */
int reader_run(struct reader *r, const struct event *e, __u64 begin_ns, __u64 until_ns);

/* Marks the slots that are over as reported: no further reader_run() comes for them. */
void reader_mark_reported(struct reader *r, __s64 now_ns);

/* Sends the rest of this drain: late events, empty slots up to now, losses. */
int reader_finish(struct reader *r, __s64 now_ns, const struct batch_sink *sink);

/* Counts n events that were lost before they came to the ring, between these times.  Their sum is not known, nor
 * whether the filter would have accepted them. */
void reader_lose(struct reader *r, __u64 n, __s64 from_ns, __s64 to_ns);

/* Marks that the wall clock stepped by step_ns, now. */
void reader_clock_stepped(struct reader *r, __s64 now_ns, __s64 step_ns);

/* From slot `first` on events are not observed, or not all the time; the next call, with another `first`, ends that.
 * The reader sends no batch for the slots in between, not even that they were empty. */
void reader_unobserved(struct reader *r, __u64 first);
void reader_observed(struct reader *r, __u64 first);

/* From now on the event programs take one event in `every` and count it that many times; 1: all events. */
void reader_sampled(struct reader *r, __s64 now_ns, __u32 every);

__u64 reader_lost(const struct reader *r);	/* events lost so far */

#endif
