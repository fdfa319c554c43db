/* cube.h - the recent past in memory: merged slices by (instrumentation, slot, key, axis, weight).
 *
 *      batches of every shard and source, in any order  ->  cube  ->  one merged slice each
 *
 * Laws    adding commutes; a late batch amends its slot; the cube equals the store for the slots
 *         it holds (a batch is added to it only once the store has committed it as new).
 * Range   the newest n_slots slots of an instrumentation; older ones are dropped as newer ones come.
 * Errors  0 or -errno; after an error nothing has changed.  -ENOENT: no such instrumentation.
 *         -ESTALE: all of it is older than the range; the store has it.  Of a batch that lies
 *         partly in the range (a run, a loss), that part is added.
 * Memory  cube_add() copies.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_CUBE_H
#define HEATSCOPE_CUBE_H

#include "aggregator/store/store.h"

struct cube;				/* its fields are in cube.c */

int cube_new(struct cube **ret_cube);
void cube_free(struct cube *c);

int cube_open(struct cube *c, __u64 inst, size_t n_slots);	/* -EEXIST; -EINVAL: none, or over 2^25 */
void cube_drop(struct cube *c, __u64 inst);

/* Room for another number of slots; the newest that fit stay.  It does not answer for older ones
 * that it did not hold.  -ENOENT, -EINVAL, -ENOMEM. */
int cube_resize(struct cube *c, __u64 inst, size_t n_slots);

int cube_add(struct cube *c, const struct batch *b);

/* The clock was set back, to slot `now`: where all that it holds is later, it holds nothing from now on and takes what comes from
 * `now` on.  It never answers for the slots that it forgot so; the store has them.  True: that was so. */
bool cube_set_back(struct cube *c, __u64 inst, __s64 now);

/* Fills what was just opened from what store_ops.read() gives; the newest n_slots of it at most.
 * From then on the cube answers for `first` and newer.  -EEXIST: it holds something already. */
int cube_load(struct cube *c, __u64 inst, struct store *s, __s64 first, __s64 last);

/* It never answers for slots first..last (nor for those between these and others that it was told so): the store has them. */
void cube_leave(struct cube *c, __u64 inst, __s64 first, __s64 last);

/* Everything filed under slots first..last (inclusive); see store.h.  axis, weight < 0: every one.  -ENOENT: no such one. */
int cube_read(const struct cube *c, __u64 inst, __s64 first, __s64 last, int axis, int weight,
	      const struct store_reader *reader);

/* The oldest slot it can answer for, and the newest with data or coverage.  -ENOENT: no such one,
 * or nothing in it. */
int cube_range(const struct cube *c, __u64 inst, __s64 *ret_first, __s64 *ret_last);

#endif
