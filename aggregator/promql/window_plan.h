/* window_plan.h - divides the time of a query into units, and says which of them each point adds up.
 *
 *      point        t0          t1          t2
 *      windows  (----range----]
 *                          (----range----]
 *      units    |..|..|..|..|..|..|..|..|..|        as long as windows and steps allow: few slices are read
 *
 * Exact   A window has the slots that end in (t - range, t].  If start, step and range are multiples of a unit, it is a whole
 *         number of units.
 * Coarse  If only a coarser tier still has the time, or too many slices would be read, units are slots of that tier: windows
 *         end at the last unit that ends before t, and last at least a unit.  is_exact says so.
 * Now     Slots of the last seconds may not have been reported.  A point of the last WINDOW_LATE_NS after reported_ns has the
 *         window that ends at reported_ns: of the same length, a little earlier.
 * Pure    no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_WINDOW_PLAN_H
#define HEATSCOPE_WINDOW_PLAN_H

#include "collector/core/instrumentation.h"
#include "aggregator/store/tier.h"

#include <stdbool.h>

#define WINDOW_SLICES_MAX 200000	/* takes some 200 ms to read */
#define WINDOW_ONCE_MAX 400000		/* slices that are added up, once, for sums of several slots */
#define WINDOW_LATE_NS 15000000000ll

struct window_wish {
	const struct instrumentation *in;
	const __s64 *kept_from;		/* TIERS values: slots before were dropped; INT64_MIN: none */
	__s64 start_ns, step_ns, range_ns;	/* step_ns, range_ns > 0 */
	size_t n_points;
	size_t n_series;		/* slices in each slot, about */
	__s64 reported_ns;		/* all slots that end until then were reported */
};

struct window_plan {
	int tier, grain;		/* as in struct store_range */
	__s64 unit_ns;
	__s64 first_unit;		/* since the epoch */
	size_t n_units, window_units;	/* of all windows; of one */
	__s64 first_slot, last_slot;	/* of tier 0, inclusive */
	bool is_exact;
	__s64 range_ns, asked_ns;	/* the length of a window; as it was asked for */
	__s64 start_ns, step_ns, reported_ns, slot_ns;
};

void window_plan_make(const struct window_wish *w, struct window_plan *ret_plan);

/* Returns the first unit of a point's window, from 0 on; it has window_units of them. */
size_t window_first(const struct window_plan *p, size_t point);

#endif
