/* chunk_cache.h - chunks added up, remembered: so many slots of a key as one histogram, ready to be given again.
 *
 *      chunk --memo_make()--> sums of each `grain` slots --memo_find()--> given without unpacking the chunk
 *                                      `--memo_coarser()--> sums of a multiple, for another zoom
 *
 * Grain   1 is the slots as they are: what unpacking costs is most of what reading them does.  0: of each slot only how many
 *         events it has (memo_count()), a hundredth of the bytes.
 * Law     what is found is what the chunk holds: whoever writes a chunk says so, memo_forget().  One that was dropped is not
 *         asked for, and ages out.
 * Bound   MEMO_SUMS for sums and counts, MEMO_SLOTS for slots as they are; beyond it what was not asked for longest goes,
 *         of its own kind: a byte of sums has taken ten times longer to make.
 * Errors  memo_make(), memo_count() and memo_coarser() give NULL where it can not be remembered (no memory, damaged): read it slot by slot.
 * Memory  a zeroed one is empty.  What is found is borrowed until the next call but memo_find().
 * Thread  any, one at a time.
 */
#ifndef HEATSCOPE_MEMO_H
#define HEATSCOPE_MEMO_H

#include "aggregator/store/chunk.h"
#include "aggregator/store/sum.h"

#define MEMO_SUMS (16u << 20)		/* a day of seconds by 12 and by 4, all keys together */
#define MEMO_SLOTS (8u << 20)		/* most of a year of hours, all keys together */

struct memo_name {			/* a chunk, as it is filed; all of it is compared */
	__u64 inst, ruler;
	__s64 slot, key;
	__u32 tier, axis, weight, grain;
};

struct memo_entry {
	struct memo_name name;
	struct slice slice;		/* ruler, axis, weight and key of all its sums */
	unsigned n;			/* CHUNK_SLOTS / grain */
	struct chunk_part *sum;		/* hist_len 0: nothing in these slots */
	__u64 *count;			/* grain 0, instead of them: CHUNK_SLOTS */
	size_t bytes;
	struct memo_entry *older, *newer;
};

struct memo_kind {
	struct memo_entry *oldest, *newest;
	size_t bytes;
};

struct memo {
	void *tree;			/* by name */
	struct memo_kind sums, slots;
	struct sum sum;			/* scratch */
	struct bytes made;
};

void memo_fini(struct memo *m);

size_t memo_bytes(const struct memo *m);

/* NULL: it is not remembered. */
const struct memo_entry *memo_find(struct memo *m, const struct memo_name *name);

/* Adds up a decoded chunk; grain divides CHUNK_SLOTS. */
const struct memo_entry *memo_make(struct memo *m, const struct memo_name *name, const struct chunk *c);

/* name->grain is 0. */
const struct memo_entry *memo_count(struct memo *m, const struct memo_name *name, const struct chunk *c);

/* Adds up what is remembered of the same chunk by a grain that divides name->grain.  NULL: nothing is, or it has no room. */
const struct memo_entry *memo_coarser(struct memo *m, const struct memo_name *name);

/* This chunk is no more as it was; name->grain does not matter. */
void memo_forget(struct memo *m, const struct memo_name *name);

#endif
