/* roll_sums.h - adds up rows of a tier to rows of the next one.
 *
 *      rows of slots   --roll_sums_add()-->  rows of steps and minutes, and of the whole: of slots, steps and minutes
 *      rows of minutes --roll_sums_add()-->  rows of hours, and of the whole of hours
 *
 * Whole   sums of all keys, see clickhouse.h.
 * Late    A row that add() also filed in the tier adds nothing.  If all rows of a sum are late, the sum is empty, and its row
 *         replaces one that an earlier roll-up made.
 * Law     the rows do not depend on the order in which others are added (slot_slices.h).
 * Errors  0 or -errno.
 * Memory  copies.  A zeroed one is empty; roll_sums_fini() frees.
 * Thread  any, one at a time.
 */
#ifndef HEATSCOPE_ROLL_SUMS_H
#define HEATSCOPE_ROLL_SUMS_H

#include "aggregator/store/clickhouse/row.h"
#include "aggregator/store/slot_slices.h"

#define ROLL_SETS_MAX 5

struct roll_set {			/* rows of one kind */
	enum row_kind kind;
	bool whole;
	__s64 per;			/* slots of tier 0 in one of its slots */
	struct slot_slices *slot;
};

struct roll_sums {
	__u64 slot_ns;
	__s64 first, end;		/* slots of tier 0 */
	struct roll_set set[ROLL_SETS_MAX];
	size_t n_sets;
	struct keys keys;
	struct sum scratch;
	struct roll_row *row;		/* that wait to be added */
	size_t n_rows, rows_room;
	struct bytes bytes;		/* their keys and histograms */
};

/* Begins rows of a tier, 1 or 2, for the slots first..end-1, which are whole slots of the tier. */
int roll_sums_begin(struct roll_sums *r, __u64 slot_ns, int tier, __s64 first, __s64 end);
void roll_sums_fini(struct roll_sums *r);

int roll_sums_add(struct roll_sums *r, __s64 slot, const struct slice *s, bool late);

/* Appends all rows.  `like` has what they have in common: inst, life, version. */
int roll_sums_put(struct roll_sums *r, const struct row *like, struct bytes *out);

#endif
