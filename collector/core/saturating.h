/* saturating.h - sums of what sources report, which may be anything: they stop at the most, and do not begin anew at 0. */
#ifndef HEATSCOPE_SATURATING_H
#define HEATSCOPE_SATURATING_H

#include <linux/types.h>

static inline __u64 saturating_add(__u64 a, __u64 b)
{
	return a + b < a ? ~(__u64)0 : a + b;
}

/* JSON's whole numbers are signed: whatever a source says, none is negative. */
static inline __u64 clamp_json(__u64 n)
{
	const __u64 max = ~(__u64)0 >> 1;

	return n < max ? n : max;
}

#endif
