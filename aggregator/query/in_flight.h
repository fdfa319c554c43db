/* in_flight.h - lists the keys that run at the end of a slot: how many exchanges of each, and the age of the oldest.
 *
 *      slices of a measure of scope point, and coverage --in_flight_reader()--> in_flight_totals(slot)
 *         -> per key: count, oldest
 *
 * Range   Only ages of min..max count (half-open, max 0: no upper limit).  A bucket that the range cuts counts as a
 *         whole.
 * Slots   An exchange that runs for 20 s runs at the ends of 20 slots of a second.  So the caller chooses one slot, and
 *         no slots are added.  Each slice must be of a single slot: a sum of several counts an exchange several times.
 * Pure    no loop, file or clock.  Thread: any, one at a time.
 */
#ifndef HEATSCOPE_IN_FLIGHT_H
#define HEATSCOPE_IN_FLIGHT_H

#include "aggregator/query/query.h"

#define IN_FLIGHT_SLOTS_MAX 3600	/* reads at most so many slots, the last ones */

struct in_flight_total {
	char text[KEY_TEXT_MAX];
	bool other;			/* one of its labels is `other`: the keys beyond a cap */
	__u64 count;
	__u64 oldest;			/* its age, within the range */
};

struct in_flight;			/* its fields are in in_flight.c */

/* q: of the age; its arrays and instrumentation are borrowed until in_flight_free().  n_slots: reads so many slots, the
 * last of its time.  -EINVAL, -ENOMEM. */
int in_flight_new(const struct query *q, __s64 n_slots, __u64 min, __u64 max, struct in_flight **ret_in_flight);
void in_flight_free(struct in_flight *r);	/* NULL is fine */

/* Finds the slots to read, inclusive. */
void in_flight_slots(const struct in_flight *r, __s64 *ret_first, __s64 *ret_last);
const struct store_reader *in_flight_reader(struct in_flight *r);
int in_flight_error(const struct in_flight *r);	/* the first error while slices came in */

__s64 in_flight_last(const struct in_flight *r);	/* the last slot that any source reported; -1: none */
__s64 in_flight_most(const struct in_flight *r);	/* the last slot with the largest sum of ages; -1: nothing runs
							 * in any slot */

/* Returns the keys of one slot, without the fields that `drop` folds away: highest count first, then by text; the
 * caller frees the array.  -ENOMEM. */
int in_flight_totals(const struct in_flight *r, __s64 slot, __u32 drop, struct in_flight_total **ret_total, size_t *ret_n);

#endif
