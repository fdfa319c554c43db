/* active.h - computes how much was under way at once: it puts the time of events where it was spent, not where they
 * ended.
 *
 *      slices (events by the slot of their end, along the latency) --active_reader()--> per slot and bucket:
 *      slices (what still runs at the end of a slot, by age)       --/                  n, time, parts
 *                                                                                             |
 *                                         active_grid() --> rows: parts, rest, running; cells: ns
 *
 *      slot of the ends            |##|        a bucket of n events that took 3 slots each:
 *      time that they ran    /-----------\     spread evenly over [end - latency, end], the end anywhere in its slot
 *
 * Cells   ns of time spent in a column.  Divided by the column's length, this is the average number of events in that
 *         part at once.
 * Laws    No time of a bucket is lost: if the columns reach far enough, they add up to the exact sum of the latencies.
 *         Sums up to each moment are rounded to 1 ns.  So a long column is exactly the sum of shorter ones of the same
 *         slots (test_active.c).  Times over INT64_MAX ns saturate, and the laws do not hold for them.
 * Error   The store knows only the slot and the bucket of an event.  Each event gets the mean latency of its bucket in
 *         that slot, which is exact if the latency is kept as a weight.  Its end lies anywhere in the slot.  Buckets
 *         below a 16th of a slot are one bucket.
 * Running Events that run at the end of the last known slot count from their start.  Events that ended in later slots
 *         are then left out: they are among the running ones.
 * Bounds  Time before the query's range and after the last known slot is left out; see known_to_ns in grid.h.
 * Slots   Give each slot once.  It may be longer than the instrumentation's slots (active_width()).  Before you give a
 *         slot again, call active_forget(); before you give the running events again, active_forget_running().
 * Pure    no loop, file or clock.  Thread: any, one at a time.
 */
#ifndef HEATSCOPE_ACTIVE_H
#define HEATSCOPE_ACTIVE_H

#include "aggregator/query/query.h"

#define ACTIVE_AFTER_S 600		/* also reads events that ended up to so long after the range */
#define ACTIVE_LAGGING_SLOTS 5		/* a source may report so much later than others */

struct active;				/* its fields are in active.c */

/* q: of the first measure; its arrays and instrumentation are borrowed until active_free().  last: the last slot to
 * read, not before the query's last.  running_axis: the measure of running events; -1: none.  -EINVAL, -ENOMEM. */
int active_new(const struct query *q, __s64 last, int running_axis, struct active **ret_active);
void active_free(struct active *a);	/* NULL is fine */

/* From now on each slice of events is the sum of so many slots; 1 at first. */
void active_width(struct active *a, __s64 n_slots);
const struct store_reader *active_reader(struct active *a);	/* slice: of any measure and weight; cover */
size_t active_bytes(const struct active *a);	/* memory for what it was given */
int active_error(const struct active *a);	/* the first error while slices came in */

/* Sets the slots whose running events are to be read.  Returns false if there are none.  Call it when all coverage has
 * come in. */
bool active_running_slots(struct active *a, __s64 *ret_first, __s64 *ret_last);

__s64 active_last(const struct active *a);	/* the last slot that it takes */

/* Changes the range, with columns of the same length, and drops what was read before it.  Slots after the old last one
 * were never taken: if the last slot moves on, read them. */
void active_move(struct active *a, __s64 from_ns, __s64 to_ns, __s64 last);

/* Forgets these slots, so that they can be read again.  ret_: the slots to read; more than first..last if
 * some came as sums. */
void active_forget(struct active *a, __s64 first, __s64 last, __s64 *ret_first, __s64 *ret_last);
void active_forget_running(struct active *a);	/* of all slots */

/* Makes a grid.  cover: a grid of the same range, whose columns have the coverage.  A column's count is the number of
 * events that ended in it, its sum the exact ns of all rows.  -ENOMEM. */
int active_grid(struct active *a, const struct grid *cover, struct grid **ret_grid);

#endif
