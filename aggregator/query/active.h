/* active.h - how much was under way at once: it puts the time of events where it was spent, not where they ended.
 *
 *      slices (events by the slot of their end, along the latency) --active_reader()--> per slot and bucket: n, time, parts
 *      slices (what still runs at the end of a slot, by age)       --/                             |
 *                                                       active_grid() --> rows: parts, rest, running; cells: ns
 *
 *      slot of the ends            |##|        a bucket of n events that took 3 slots each:
 *      time that they ran    /-----------\     spread evenly over [end - latency, end], the end anywhere in its slot
 *
 * Cells   ns of time spent in a column: over the column's length, how many events were in that part at once, on average.
 * Laws    No time of a bucket is lost: all columns, if they reach far enough, add up to the exact sum of the latencies.
 *         Sums up to each moment are rounded to 1 ns, so the cells of long columns are exactly the sums of shorter ones
 *         that are made of the same slots (test_active.c).
 *         What is longer than INT64_MAX ns saturates there, and the laws end.
 * Error   The store knows the slot and the bucket of an event: each event gets the mean latency of its slot's bucket
 *         (exact where the latency is kept as a weight), and its end lies anywhere in the slot.  Buckets below a 16th of
 *         a slot are one bucket.
 * Running What runs at the end of the last known slot counts from its start.  Events that ended in later slots are then
 *         left out, because they are among those that run.
 * Bounds  Time before the query's range and after the last known slot is left out; see known_to_ns in grid.h.
 * Slots   Give each slot once.  It may be longer than the instrumentation's slots, see active_width().  Call
 *         active_forget() before a slot is given again, and active_forget_running() before what runs is.
 * Pure    no loop, file or clock.  Thread: any, one at a time.
 */
#ifndef HEATSCOPE_ACTIVE_H
#define HEATSCOPE_ACTIVE_H

#include "aggregator/query/query.h"

#define ACTIVE_AFTER_S 600		/* events that ended so long after the range are looked at, too */
#define ACTIVE_LAGGING_SLOTS 5		/* sources may report so much later than others */

struct active;				/* its fields are in active.c */

/* q: of the first measure; its arrays and instrumentation are borrowed until active_free().  last: the last slot that is
 * read, not before the query's last.  running_axis: the measure of what runs; -1: none.  -EINVAL, -ENOMEM. */
int active_new(const struct query *q, __s64 last, int running_axis, struct active **ret_active);
void active_free(struct active *a);	/* NULL is fine */

/* Slices of events that come from now on are sums over so many slots.  At first 1. */
void active_width(struct active *a, __s64 n_slots);
const struct store_reader *active_reader(struct active *a);	/* slice: of any measure and weight; cover */
size_t active_bytes(const struct active *a);	/* of memory, for what was given */
int active_error(const struct active *a);	/* the first while slices came in */

/* After all coverage has come: which slots of what runs to read; false: none. */
bool active_running_slots(struct active *a, __s64 *ret_first, __s64 *ret_last);

__s64 active_last(const struct active *a);	/* the last slot that it takes */

/* Another range of the same columns' length, and what was read before it is dropped.  Slots after the last one were not
 * taken, whenever they came: if it moves on, read them. */
void active_move(struct active *a, __s64 from_ns, __s64 to_ns, __s64 last);

/* Forgets what was given of these slots, for another reading.  ret_: the slots to read; they are more than first..last if
 * some came as sums. */
void active_forget(struct active *a, __s64 first, __s64 last, __s64 *ret_first, __s64 *ret_last);
void active_forget_running(struct active *a);	/* of all slots */

/* Makes a grid.  cover: one of the same range, whose columns have the coverage.  A column's count is how many events ended
 * in it, its sum the exact ns of all rows.  -ENOMEM. */
int active_grid(struct active *a, const struct grid *cover, struct grid **ret_grid);

#endif
