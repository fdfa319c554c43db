/* coverage_compact.h - coverage that is old enough: how many slots of each minute were reported, not which.
 *
 *      runs of slots  --thin()-->  runs; within the window at most one piece per `per` slots
 *
 * Why     A source that reports every other slot (it sheds load, or its link flaps) makes 43,200 runs
 *         a day.  Older than what tier 0 keeps, pictures show minutes at best, so a count per minute
 *         says the same; later, per hour.  A source that reports all is one run, for a year as well.
 * Shape   runs ascend and do not overlap.  A run of n slots out of more has them spread evenly: whole
 *         minutes that have the same count are one run.
 * Law     every `per` slots within the window have the count they had; so has the whole.
 * Pure    Thread: any.
 */
#ifndef HEATSCOPE_COVERAGE_COMPACT_H
#define HEATSCOPE_COVERAGE_COMPACT_H

#include <linux/types.h>
#include <stddef.h>

struct run {
	__s64 first, last;		/* slots, inclusive */
	__u64 n;			/* of them reported */
};

static inline __u64 run_slots(const struct run *r)
{
	return (__u64)(r->last - r->first) + 1;
}

/* Of a run, the part in first..last (which touch it).  Parts that make up a run have n in all. */
struct run run_cut(const struct run *r, __s64 first, __s64 last);

/* Thins what lies in from..to-1, both multiples of `per`; what lies outside stays, and is joined
 * where it fits.  ret_run: the caller frees.  -ENOMEM. */
int coverage_compact(const struct run *run, size_t n, __s64 from, __s64 to, __s64 per, struct run **ret_run, size_t *ret_n);

#endif
