/* batch.h - what one source has to say about one slot of one instrumentation.
 *
 *      (source, incarnation, inst, slot, seq) names a batch; adding it twice is prevented by name
 *
 * Slot    number of slot_ns from the Unix epoch, of the events' own end.
 * seq     counts an instrumentation's batches within an incarnation.  A second batch for a slot is
 *         an amendment: it adds to the first.
 * run     an empty batch may speak for `run` slots from `slot` on: zero differs from silence.
 * Loss    events that could not be filed, somewhere in slots first..last (inclusive): those
 *         columns are partly lost.  n = 0: none.
 * Alone   a batch stands alone: its keys' labels are in it, so it can be spooled, recorded,
 *         resent and reordered without a dictionary.
 * Memory  batch_decode() fills `slice` with its own memory, which borrows from `data`;
 *         batch_fini() frees it.
 */
#ifndef HEATSCOPE_BATCH_H
#define HEATSCOPE_BATCH_H

#include "collector/core/exemplars.h"
#include "collector/core/slice.h"

#define SOURCE_MAX 64			/* bytes of a source's name, NUL included */

struct loss {
	__u64 n, sum;			/* events, and the sum of their first measure */
	__s64 first, last;		/* slots */
};

enum mark_kind {
	MARK_CLOCK_STEP = 1,		/* the wall clock stepped by `value` ns */
	MARK_SAMPLED = 2,		/* one event in `value` was looked at, and counted that many times */
};

struct mark {				/* what is to be known of a slot beside its counts */
	__u64 kind;			/* enum mark_kind */
	__s64 slot, value;
};

#define BATCH_MARKS_MAX 2

struct batch {
	char source[SOURCE_MAX];
	__u64 incarnation;		/* one start of a collector */
	__u64 inst;
	__u64 slot_ns;
	__s64 slot;
	__u32 seq, run;
	__s64 clock_step_ns;		/* the wall clock stepped by this much in this slot; 0: it did not */
	struct loss loss;
	__u32 every;			/* one event in so many was looked at, and counted that many times; 0: all */
	size_t n_slices;
	struct slice *slice;
	const __u8 *exemplars;		/* exemplars.h; borrowed */
	size_t exemplars_len;		/* 0: none */
};

struct batch_sink {			/* gets each batch; it is valid during the call only */
	void (*batch)(void *arg, const struct batch *b);
	void *arg;
};

void batch_fini(struct batch *b);

/* Byte format (version 1):
 *
 *      text source | u64 incarnation | u64 inst | varint slot_ns | u64 slot | varint seq run
 *      | varint zigzag(clock_step_ns) | varint loss.n [ loss.sum u64 first u64 last ]
 *      | varint n_keys { varint len, label bytes }
 *      | varint n_slices { varint key, u64 ruler, varint axis weight hist_len, hist bytes }
 *      | varint every, 2 or more; left out where it is 0
 *      | exemplars, up to the end; left out where there are none, else `every` is there, even as 0
 *
 * A key is written once, however many slices have it. */
void batch_encode(const struct batch *b, struct bytes *out);

/* -EBADMSG: not a batch (wrong lengths, labels, ruler, histogram: every byte is checked here, so
 * that nothing behind needs to); -ENOMEM. */
int batch_decode(const __u8 *data, size_t len, struct batch *ret_batch);

/* What it marks; returns how many. */
size_t batch_marks(const struct batch *b, struct mark ret_mark[BATCH_MARKS_MAX]);

/* Do two batches have the same name? */
int batch_same(const struct batch *a, const struct batch *b);

#endif
