/* saturating.h - adds two numbers; a sum that would overflow is the maximum. */
#ifndef HEATSCOPE_SATURATING_H
#define HEATSCOPE_SATURATING_H

#include <linux/types.h>

static inline __u64 saturating_add(__u64 a, __u64 b)
{
	return a + b < a ? ~(__u64)0 : a + b;
}

/* Returns n, at most 2^63 - 1: a larger number would become negative in JSON, whose whole numbers are signed. */
static inline __u64 clamp_json(__u64 n)
{
	const __u64 max = ~(__u64)0 >> 1;

	return n < max ? n : max;
}

#endif
