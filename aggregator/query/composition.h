/* composition.h - sums up how events spent their time: the sum of each weight, over the events in a range of values.
 *
 *      counts, the first measure, its parts, each by value --composition_make()--> sums inside, and the rest
 *
 * Range   values min..max-1, max 0: no upper limit.  A bucket that the range cuts is inside as a whole.  If the buckets
 *         of sources differ, all use the coarsest ones.
 * Laws    parts and rest add up to the sum.  Ranges that touch at edges of buckets add up to the range of both.
 * Pure    no loop, file or clock.
 */
#ifndef HEATSCOPE_COMPOSITION_H
#define HEATSCOPE_COMPOSITION_H

#include "collector/core/slice.h"

struct composition {
	__u64 count, sum;		/* events inside; their sum of the first measure */
	__u64 part[MEASURES_MAX];	/* of the other weights, in their order */
	__u64 rest;			/* the part of `sum` that belongs to no part */
	__u64 first, last;		/* values inside, inclusive; last ~0: no upper limit */
	__u64 unweighed;		/* events of any value whose source sent no weights */
};

/* Sums up the events in a range.  by[0]: counts; by[1]: the first measure; by[2] on: its parts.  NULL: empty.  -EINVAL:
 * rulers without a common one, a range without a value (max is not 0 and <= min), fewer than two or more than
 * MEASURES_MAX + 2 histograms. */
int composition_make(const struct hist *const *by, size_t n_by, __u64 ruler, __u64 min, __u64 max,
		     struct composition *ret_composition);

#endif
