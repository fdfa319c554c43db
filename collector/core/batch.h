/* batch.h - encodes and decodes a batch: the data of one source for one slot of one instrumentation.
 *
 *      (source, incarnation, inst, slot, seq) is the name of a batch; a batch whose name is known is not added again
 *
 * Slot    slots are slot_ns long and numbered from the Unix epoch.  An event belongs to the slot in which it ends.
 * seq     numbers an instrumentation's batches within an incarnation.  A second batch for a slot is an amendment:
 *         the aggregator adds its counts to those of the first.
 * run     one empty batch may stand for `run` slots, from `slot` on.  So zero events differ from missing data.
 * Loss    n events of the slots first..last (inclusive) were lost, so those columns are incomplete.  n = 0: none.
 * Alone   a batch contains the labels of its keys, so it needs no dictionary when it is stored or sent again.
 * Memory  batch_decode() allocates `slice`, and batch_fini() frees it.  The slices borrow from `data`.
 */
#ifndef HEATSCOPE_BATCH_H
#define HEATSCOPE_BATCH_H

#include "collector/core/exemplars.h"
#include "collector/core/slice.h"

#define SOURCE_MAX 64			/* bytes of a source's name, including NUL */

struct loss {
	__u64 n, sum;			/* number of events, and the sum of their first measure */
	__s64 first, last;		/* slots */
};

enum mark_kind {
	MARK_CLOCK_STEP = 1,		/* the wall clock stepped by `value` ns */
	MARK_SAMPLED = 2,		/* one event in `value` was measured, and counted that many times */
};

struct mark {				/* a fact about a slot, in addition to its counts */
	__u64 kind;			/* enum mark_kind */
	__s64 slot, value;
};

#define BATCH_MARKS_MAX 2

struct batch {
	char source[SOURCE_MAX];
	__u64 incarnation;		/* identifies one start of a collector */
	__u64 inst;
	__u64 slot_ns;
	__s64 slot;
	__u32 seq, run;
	__s64 clock_step_ns;		/* the wall clock stepped by so much in this slot; 0: no step */
	struct loss loss;
	__u32 every;			/* one event in so many was measured, and counted that many times; 0: all */
	size_t n_slices;
	struct slice *slice;
	const __u8 *exemplars;		/* exemplars.h; borrowed */
	size_t exemplars_len;		/* 0: no exemplars */
};

struct batch_sink {			/* receives each batch, which is valid during the call only */
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
 *      | varint every, 2 or more; absent if it is 0
 *      | exemplars, up to the end; absent if there are none; before them `every` is present, even as 0
 *
 * A key is written once, however many slices have it. */
void batch_encode(const struct batch *b, struct bytes *out);

/* Decodes a batch.  -EBADMSG: it is not one; -ENOMEM.  It checks every byte (lengths, labels, rulers, histograms), so
 * that later code need not. */
int batch_decode(const __u8 *data, size_t len, struct batch *ret_batch);

/* Decodes what comes before the keys.  The batch has no slices, and needs no batch_fini().  -EBADMSG. */
int batch_decode_head(const __u8 *data, size_t len, struct batch *ret_batch);

/* Lists the marks of the batch; returns how many. */
size_t batch_marks(const struct batch *b, struct mark ret_mark[BATCH_MARKS_MAX]);

#endif
