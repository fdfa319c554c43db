/* chunk_cache.h - chunks added up, remembered: so many slots of a key as one histogram, ready to be given again.
 *
 *      chunk --chunk_cache_make()--> sums of each `grain` slots --chunk_cache_find()--> given without unpacking the chunk
 *                                      `--chunk_cache_coarser()--> sums of a multiple, for another zoom
 *
 * Grain   1 is the slots as they are: what unpacking costs is most of what reading them does.  0: of each slot only how many
 *         events it has (chunk_cache_count()), a hundredth of the bytes.
 * Law     what is found is what the chunk holds: whoever writes a chunk says so, chunk_cache_forget().  One that was dropped is not
 *         asked for, and ages out.
 * Bound   CHUNK_CACHE_SUMS for sums and counts, CHUNK_CACHE_SLOTS for slots as they are; beyond it what was not asked for longest goes,
 *         of its own kind: a byte of sums has taken ten times longer to make.
 * Errors  chunk_cache_make(), chunk_cache_count() and chunk_cache_coarser() give NULL where it can not be remembered (no memory, damaged): read it slot by slot.
 * Memory  a zeroed one is empty.  What is found is borrowed until the next call but chunk_cache_find().
 * Thread  any, one at a time.
 */
#ifndef HEATSCOPE_CHUNK_CACHE_H
#define HEATSCOPE_CHUNK_CACHE_H

#include "aggregator/store/chunk.h"
#include "aggregator/store/sum.h"

#define CHUNK_CACHE_SUMS (16u << 20)		/* a day of seconds by 12 and by 4, all keys together */
#define CHUNK_CACHE_SLOTS (8u << 20)		/* most of a year of hours, all keys together */

struct chunk_cache_name {			/* a chunk, as it is filed; all of it is compared */
	__u64 inst, ruler;
	__s64 slot, key;
	__u32 tier, axis, weight, grain;
};

struct chunk_cache_entry {
	struct chunk_cache_name name;
	struct slice slice;		/* ruler, axis, weight and key of all its sums */
	unsigned n;			/* CHUNK_SLOTS / grain */
	struct chunk_part *sum;		/* hist_len 0: nothing in these slots */
	__u64 *count;			/* grain 0, instead of them: CHUNK_SLOTS */
	size_t bytes;
	struct chunk_cache_entry *older, *newer;
};

struct chunk_cache_kind {
	struct chunk_cache_entry *oldest, *newest;
	size_t bytes;
};

struct chunk_cache {
	void *tree;			/* by name */
	struct chunk_cache_kind sums, slots;
	struct sum sum;			/* scratch */
	struct bytes made;
};

void chunk_cache_fini(struct chunk_cache *m);

size_t chunk_cache_bytes(const struct chunk_cache *m);

/* NULL: it is not remembered. */
const struct chunk_cache_entry *chunk_cache_find(struct chunk_cache *m, const struct chunk_cache_name *name);

/* Adds up a decoded chunk; grain divides CHUNK_SLOTS. */
const struct chunk_cache_entry *chunk_cache_make(struct chunk_cache *m, const struct chunk_cache_name *name, const struct chunk *c);

/* name->grain is 0. */
const struct chunk_cache_entry *chunk_cache_count(struct chunk_cache *m, const struct chunk_cache_name *name, const struct chunk *c);

/* Adds up what is remembered of the same chunk by a grain that divides name->grain.  NULL: nothing is, or it has no room. */
const struct chunk_cache_entry *chunk_cache_coarser(struct chunk_cache *m, const struct chunk_cache_name *name);

/* This chunk is no more as it was; name->grain does not matter. */
void chunk_cache_forget(struct chunk_cache *m, const struct chunk_cache_name *name);

#endif
