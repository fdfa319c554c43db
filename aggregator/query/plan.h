/* plan.h - chooses the tiers from which a value is read.
 *
 *      interval, columns, what each tier still has  --plan_make()-->  parts (tier, slots)
 *
 * Columns    One tier serves all columns: the coarsest that leaves at least three quarters of the requested columns and
 *            shows at most a third more time.  It is never finer than the tier that still has the begin of the
 *            interval.  If it would read more than PLAN_SLICES, a coarser tier is taken.  The interval is widened to
 *            the tier's slots, and columns are whole slots of it.
 * Grain      From PLAN_WORTH slices on, slots are read as sums of several, and columns are whole multiples of these.
 *            This must add at most a hundredth of the time and leave three quarters of the columns.  A larger grain is
 *            taken if it costs no column, or while more than PLAN_FEW slices would be read.
 * Totals     have no columns: whole hours are read as hours, whole minutes of the rest as minutes, and the rest of
 *            those as slots.  The interval does not change, unless only a coarser tier still has its begin.
 * Kept       A coarser tier counts as longer than the finer one only if it begins more than one of its slots earlier.
 *            So less than that may be missing at the begin of the interval.
 * Pure       no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_PLAN_H
#define HEATSCOPE_PLAN_H

#include "collector/core/instrumentation.h"
#include "aggregator/store/tier.h"
#include <stdbool.h>

#define PLAN_SLICES 25000		/* takes about 20 ms to read; a sum counts as one slice */
#define PLAN_FEW 7500			/* for so few slices, no columns are given up */
#define PLAN_WORTH 2500			/* more slices than this are worth a grain */
#define PLAN_TOTAL_GRAIN 60		/* hours of a total */
#define PLAN_ONCE 150000		/* how many slices may have to be added up, once, for the sums */

struct plan_wish {
	const struct instrumentation *in;
	const __s64 *kept_from;		/* TIERS values: slots before were dropped; INT64_MIN: none */
	__s64 from_ns, to_ns;		/* multiples of the granularity */
	size_t n_cols;			/* 0: totals */
	size_t n_series;		/* slices in each slot, about */
	bool fixed;			/* do not widen it if that can be avoided: it has neighbours */
};

struct plan_part {
	int tier;
	__s64 first, last;		/* slots of tier 0, inclusive */
};

struct plan {
	__s64 from_ns, to_ns;
	__u64 unit_ns;			/* both times and the columns are multiples of it */
	int tier;			/* the coarsest tier that is read */
	int grain;			/* so many slots of that tier may be read as one (of totals: only of the
					 * coarsest) */
	int kept;			/* the finest tier that still has the beginning */
	size_t n_parts;
	struct plan_part part[2 * TIERS - 1];	/* ascending, without gaps */
};

void plan_make(const struct plan_wish *w, struct plan *ret_plan);

/* Returns the shortest unit that is a multiple of both. */
__u64 plan_common_unit(__u64 a, __u64 b);

/* Returns the length of a tier's slots. */
__u64 plan_slot_ns(const struct instrumentation *in, int tier);

#endif
