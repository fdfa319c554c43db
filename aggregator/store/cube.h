/* cube.h - keeps the recent past in memory: merged slices by (instrumentation, slot, key, axis, weight).
 *
 *      batches of every shard and source, in any order  ->  cube  ->  one merged slice each
 *
 * Laws    adding commutes; a late batch amends its slot.  The cube equals the store for the slots it holds: it gets a
 *         batch only after the store has committed the batch as new; of what other heatscoped have committed, the sums.
 * Range   the newest n_slots slots of an instrumentation; newer slots push older ones out.
 * Errors  0 or -errno; after an error nothing has changed.  -ENOENT: no such instrumentation.
 *         -ESTALE: the whole batch is older than the range; the store has it.  If a batch (a run, a loss)
 *         lies partly in the range, cube_add() adds that part.
 * Memory  cube_add() copies.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_CUBE_H
#define HEATSCOPE_CUBE_H

#include "aggregator/store/store.h"

struct cube;				/* its fields are in cube.c */

int cube_new(struct cube **ret_cube);
void cube_free(struct cube *c);

int cube_open(struct cube *c, __u64 inst, size_t n_slots);	/* -EEXIST; -EINVAL: n_slots is 0, or over 2^25 */
void cube_drop(struct cube *c, __u64 inst);

/* Changes the number of slots; the newest that fit stay.  The cube does not answer for older slots
 * that it did not hold.  -ENOENT, -EINVAL, -ENOMEM. */
int cube_resize(struct cube *c, __u64 inst, size_t n_slots);

int cube_add(struct cube *c, const struct batch *b);

/* Adds slices of several sources that were added up (feed.h); what the sources report besides comes by cube_add(), as batches
 * without slices.  Only inst, slot and slices of b are read.  -ESTALE, -ENOENT as cube_add(). */
int cube_fold(struct cube *c, const struct batch *b);

/* Called when the clock was set back, to slot `now`.  If all slots that the cube holds are later, it forgets them and
 * takes slots from `now` on.  It never answers for the forgotten slots; the store has them.  Returns true if it forgot
 * slots. */
bool cube_set_back(struct cube *c, __u64 inst, __s64 now);

/* Fills a ring that was just opened with what store_ops.read() returns; at most its newest n_slots.
 * From then on the cube answers for `first` and newer.  -EEXIST: it already holds data. */
int cube_load(struct cube *c, __u64 inst, struct store *s, __s64 first, __s64 last);

/* From now on the cube never answers for slots first..last (nor for slots between these and others left out before):
 * the store has them. */
void cube_leave(struct cube *c, __u64 inst, __s64 first, __s64 last);

/* Reads all slices of slots first..last (inclusive); see store.h.  axis, weight < 0: all.  -ENOENT: no such
 * instrumentation. */
int cube_read(const struct cube *c, __u64 inst, __s64 first, __s64 last, int axis, int weight,
	      const struct store_reader *reader);

/* Does it hold all that the store has of this slot and of those after it?  Also if that is nothing. */
bool cube_answers(const struct cube *c, __u64 inst, __s64 slot);

/* Returns the oldest slot it can answer for, and the newest with data or coverage.  -ENOENT: no such instrumentation,
 * or it is empty. */
int cube_range(const struct cube *c, __u64 inst, __s64 *ret_first, __s64 *ret_last);

#endif
