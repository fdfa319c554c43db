/* saturating.h - adds two numbers; a sum that would overflow is the maximum, which then says "at least". */
#ifndef HEATSCOPE_SATURATING_H
#define HEATSCOPE_SATURATING_H

#include <linux/types.h>
#include <stdbool.h>

static inline __u64 saturating_add(__u64 a, __u64 b)
{
	return a + b < a ? ~(__u64)0 : a + b;
}

/* Is this sum, or the real number that was made of it, a lower bound only?  It has no mean then. */
static inline bool saturated(double sum)
{
	return sum >= 0x1p64;
}

/* Returns a number of JSON as a whole one: 2^63 and more are real there, as whole numbers of JSON are signed. */
static inline __u64 saturating_from(double x)
{
	return saturated(x) ? ~(__u64)0 : x > 0 ? (__u64)x : 0;
}

/* Returns n, at most 2^63 - 1: a larger number would become negative in JSON, whose whole numbers are signed. */
static inline __u64 clamp_json(__u64 n)
{
	const __u64 max = ~(__u64)0 >> 1;

	return n < max ? n : max;
}

#endif
