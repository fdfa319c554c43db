/* coverage_compact.h - compacts old coverage: it keeps how many slots of each minute were reported, not which.
 *
 *      runs of slots  --coverage_compact()-->  runs; within the window at most one piece per `per` slots
 *
 * Why     A source that reports every other slot (it sheds load, or its link flaps) makes 43,200 runs a day.  Before
 *         tier 0, pictures show minutes at best, so a count per minute is as good; later, a count per hour.  A source
 *         that reports every slot is one run, even for a year.
 * Shape   runs ascend and do not overlap.  A run that reported n of more slots counts as n, spread evenly.  Successive
 *         whole minutes with one count are one run.
 * Law     every `per` slots within the window keep their count, and so does the whole.
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

/* Returns the part of a run within first..last (which touch it).  The parts of a run add up to its n. */
struct run run_cut(const struct run *r, __s64 first, __s64 last);

/* Compacts the runs within from..to-1, both multiples of `per`.  Runs outside stay; neighbours are joined
 * where they match.  ret_run: the caller frees.  -ENOMEM. */
int coverage_compact(const struct run *run, size_t n, __s64 from, __s64 to, __s64 per, struct run **ret_run, size_t *ret_n);

#endif
