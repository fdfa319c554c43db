#include "collector/d/check/buckets.h"
#include "collector/core/quantize.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define QUANTIZE_RULER RULER(UNIT_NONE, 0, 0, 63)

/* ---- parameters ---- */

/* factor^n; 0: it does not fit into 63 bits. */
static __s64 power(__s64 factor, __s64 n)
{
	__s64 p = 1;

	for (; n > 0; n--)
		if (__builtin_mul_overflow(p, factor, &p))
			return 0;
	return p;
}

static const char *check_log_linear(const struct d_buckets *b)
{
	if (b->factor < 2 || b->factor > 65535)
		return "the factor must be in 2 ... 65535";
	if (b->low < 0 || b->low > 65535 || b->high > 65535 || b->low > b->high)
		return "the magnitudes must be in 0 ... 65535, the low one first";
	if (b->steps < b->factor || b->steps > 65535 || b->steps % b->factor)
		return "the steps must be a multiple of the factor, at most 65535";
	if (!power(b->factor, b->high + 1))
		return "the factor to the power of the high magnitude must fit into 63 bits";
	for (__s64 order = b->low; order <= b->high; order++)
		if (power(b->factor, order + 1) > b->steps && power(b->factor, order + 1) % b->steps)
			return "the steps must divide each power of the factor evenly";
	return NULL;
}

const char *d_buckets_check(const struct d_buckets *b)
{
	if (b->kind == BUCKETS_LOG_LINEAR)
		return check_log_linear(b);
	if (b->kind != BUCKETS_LINEAR)
		return NULL;
	if (b->base < INT_MIN || b->base > INT_MAX || b->limit < INT_MIN || b->limit > INT_MAX)
		return "base and limit must fit into 32 bits";
	if (b->base >= b->limit)
		return "the base must be below the limit";
	if (b->step < 1 || b->step > 65535)
		return "the step must be in 1 ... 65535";
	if (d_buckets_levels(b) < 1 || d_buckets_levels(b) > 65535)
		return "there must be 1 to 65535 steps between base and limit";
	return NULL;
}

__s64 d_buckets_levels(const struct d_buckets *b) { return (b->limit - b->base) / b->step; }

/* ---- edges ---- */

static void quantize_edges(__u64 *edges, size_t n)
{
	for (size_t i = 0; i < n; i++)
		edges[i] = i ? ruler_first(QUANTIZE_RULER, i) : 0;
}

/* Returns how many; edges NULL: only counts. */
static size_t log_linear_edges(const struct d_buckets *b, __u64 *edges)
{
	__s64 from = power(b->factor, b->low);
	size_t n = 0;

	if (edges)
		edges[n] = 0;
	n++;
	for (__s64 order = b->low; order <= b->high; order++) {
		__s64 to = power(b->factor, order + 1), step = to > b->steps ? to / b->steps : 1;

		for (__s64 value = from; value < to && n <= D_EDGES_MAX; value += step, n++)
			if (edges)
				edges[n] = value;
		from = to;
	}
	if (edges)
		edges[n] = from;
	return n + 1;
}

int d_buckets_edges(const struct d_buckets *b, __u64 **ret_edges, size_t *ret_n)
{
	size_t n = 0;
	__u64 *edges;

	if (b->kind == BUCKETS_QUANTIZE)
		n = ruler_cells(QUANTIZE_RULER) - 1;
	else if (b->kind == BUCKETS_LOG_LINEAR)
		n = log_linear_edges(b, NULL);
	if (n > D_EDGES_MAX)
		return -E2BIG;
	edges = calloc(n + 1, sizeof(*edges));
	if (!edges)
		return -ENOMEM;
	if (b->kind == BUCKETS_QUANTIZE)
		quantize_edges(edges, n);
	else if (n)
		log_linear_edges(b, edges);
	*ret_edges = edges;
	*ret_n = n;
	return 0;
}

void d_buckets_range(const struct d_buckets *b, __s64 *ret_first, __s64 *ret_last)
{
	*ret_first = 0;
	*ret_last = 0;
	if (b->kind == BUCKETS_LINEAR) {
		*ret_last = d_buckets_levels(b) + 1;
	} else if (b->kind == BUCKETS_QUANTIZE) {
		*ret_last = ruler_cells(QUANTIZE_RULER) - 2;		/* 2^63 is beyond the values */
		*ret_first = -*ret_last;
	} else if (b->kind == BUCKETS_LOG_LINEAR) {
		*ret_last = (__s64)log_linear_edges(b, NULL) - 1;
		*ret_first = -*ret_last;
	}
}

/* ---- cells ---- */

static __s64 linear_cell(const struct d_buckets *b, __s64 value)
{
	__u64 steps;

	if (value < b->base)
		return 0;
	steps = ((__u64)value - (__u64)b->base) / (__u64)b->step;
	return steps < (__u64)d_buckets_levels(b) ? (__s64)steps + 1 : d_buckets_levels(b) + 1;
}

static __s64 log_linear_cell(const struct d_buckets *b, __s64 value)
{
	__s64 from = power(b->factor, b->low), n = 1;

	if (value < from)
		return 0;
	for (__s64 order = b->low; order <= b->high; order++) {
		__s64 to = power(b->factor, order + 1), step = to > b->steps ? to / b->steps : 1;

		if (value < to)
			return n + (value - from) / step;
		n += (to - from + step - 1) / step;
		from = to;
	}
	return n;
}

__s64 d_buckets_cell(const struct d_buckets *b, __s64 value)
{
	__s64 size = value >= 0 ? value : value == LLONG_MIN ? LLONG_MAX : -value, cell;

	if (b->kind == BUCKETS_LINEAR)
		return linear_cell(b, value);
	cell = b->kind == BUCKETS_QUANTIZE ? (__s64)ruler_cell(QUANTIZE_RULER, (__u64)size) : log_linear_cell(b, size);
	return value < 0 ? -cell : cell;
}

/* ---- labels ---- */

__s64 d_buckets_value(const struct d_buckets *b, const __u64 *edges, size_t n_edges, __s64 cell)
{
	__s64 at = cell < 0 ? -cell : cell;

	if (b->kind == BUCKETS_LINEAR)
		return cell ? b->base + (cell - 1) * b->step : b->base - 1;
	if (at >= (__s64)n_edges)
		at = (__s64)n_edges - 1;
	return cell < 0 ? -(__s64)edges[at] : (__s64)edges[at];
}

static void log_linear_label(const struct d_buckets *b, __s64 value, __s64 cell, __s64 last, bool has_negative, char *out)
{
	if (!cell && !b->low)
		snprintf(out, 32, "0");
	else if (!cell)
		snprintf(out, 32, "%s< %lld", has_negative ? "abs() " : "", (long long)power(b->factor, b->low));
	else
		snprintf(out, 32, "%s%lld", cell == last ? ">= " : cell == -last ? "<= " : "", (long long)value);
}

void d_buckets_label(const struct d_buckets *b, const __u64 *edges, size_t n_edges, __s64 cell, bool has_negative, char *out)
{
	__s64 value = d_buckets_value(b, edges, n_edges, cell), first, last;

	d_buckets_range(b, &first, &last);
	if (b->kind == BUCKETS_LOG_LINEAR)
		log_linear_label(b, value, cell, last, has_negative, out);
	else if (b->kind == BUCKETS_LINEAR && !cell)
		snprintf(out, 32, "< %lld", (long long)b->base);
	else if (b->kind == BUCKETS_LINEAR && cell == last)
		snprintf(out, 32, ">= %lld", (long long)value);
	else
		snprintf(out, 32, "%lld", (long long)value);
}
