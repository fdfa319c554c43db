/* chunk_cache.h - caches the sums of chunks: each `grain` slots of a key as one histogram.
 *
 *      chunk --chunk_cache_make()--> sums of each `grain` slots --chunk_cache_find()--> no need to unpack it
 *                                      `--chunk_cache_coarser()--> sums of a multiple, for another zoom
 *
 * Grain   1: the slots as they are (unpacking is most of the cost of reading them).  0: only the number of events of
 *         each slot (chunk_cache_count()), a hundredth of the bytes.
 * Law     an entry equals its chunk: the code that writes a chunk calls chunk_cache_forget().  No query asks for a
 *         dropped chunk, so its entry ages out.
 * Bound   CHUNK_CACHE_SUMS for sums and counts, CHUNK_CACHE_SLOTS for slots.  Beyond it, the cache drops the least
 *         recently used entry of the same kind.  There are two bounds because a byte of sums took ten times longer to
 *         make.
 * Errors  chunk_cache_make(), chunk_cache_count() and chunk_cache_coarser() return NULL if they cannot keep the result
 *         (no memory, damaged).  Then the caller reads slot by slot.
 * Memory  a zeroed one is empty.  An entry is borrowed until the next call of a function other than chunk_cache_find().
 * Thread  any, one at a time.
 */
#ifndef HEATSCOPE_CHUNK_CACHE_H
#define HEATSCOPE_CHUNK_CACHE_H

#include "aggregator/store/chunk.h"
#include "aggregator/store/sum.h"

#define CHUNK_CACHE_SUMS (16u << 20)		/* a day of seconds by 12 and by 4, of all keys together */
#define CHUNK_CACHE_SLOTS (8u << 20)		/* most of a year of hours, of all keys together */

struct chunk_cache_name {			/* names a chunk as it is filed; all members are compared */
	__u64 inst, ruler;
	__s64 slot, key;
	__u32 tier, axis, weight, grain;
};

struct chunk_cache_entry {
	struct chunk_cache_name name;
	struct slice slice;		/* ruler, axis, weight and key of all its sums */
	unsigned n;			/* CHUNK_SLOTS / grain */
	struct chunk_part *sum;		/* hist_len 0: these slots are empty */
	__u64 *count;			/* with grain 0, instead of sum: CHUNK_SLOTS counts */
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

/* NULL: not in the cache. */
const struct chunk_cache_entry *chunk_cache_find(struct chunk_cache *m, const struct chunk_cache_name *name);

/* Adds up a decoded chunk; grain divides CHUNK_SLOTS. */
const struct chunk_cache_entry *chunk_cache_make(struct chunk_cache *m, const struct chunk_cache_name *name, const struct chunk *c);

/* name->grain is 0. */
const struct chunk_cache_entry *chunk_cache_count(struct chunk_cache *m, const struct chunk_cache_name *name, const struct chunk *c);

/* Adds up the cached sums of the same chunk with a grain that divides name->grain.  NULL: there are none, or the result
 * does not fit. */
const struct chunk_cache_entry *chunk_cache_coarser(struct chunk_cache *m, const struct chunk_cache_name *name);

/* Drops all entries of this chunk, which has changed; name->grain does not matter. */
void chunk_cache_forget(struct chunk_cache *m, const struct chunk_cache_name *name);

#endif
