#include "aggregator/export/buckets.h"

#include "collector/core/saturating.h"

#include <math.h>

const char *buckets_unit(enum ruler_unit unit, double *ret_divisor)
{
	*ret_divisor = unit == UNIT_NS ? 1e9 : unit == UNIT_PERCENT ? 100 : 1;
	switch (unit) {
	case UNIT_NS: return "seconds";
	case UNIT_BYTES: return "bytes";
	case UNIT_PERCENT: return "ratio";
	case UNIT_PER_S: return "per_second";
	case UNIT_BYTES_PER_S: return "bytes_per_second";
	default: return "";
	}
}

double buckets_edge(int index, int schema) { return exp2(ldexp(index, -schema)); }

static double edge_of(int index, int schema, double divisor) { return buckets_edge(index, schema) * divisor; }

/* The bucket of a value.  The logarithm may be off at an edge. */
static int index_of(double value, double divisor, int schema)
{
	int i = (int)ceil(ldexp(log2(value / divisor), schema));

	if (value > edge_of(i, schema, divisor))
		return i + 1;
	return value <= edge_of(i - 1, schema, divisor) ? i - 1 : i;
}

/* The last value of a bucket. */
static __u64 last_of(int index, int schema, double divisor)
{
	double edge = floor(edge_of(index, schema, divisor));

	return edge < 18446744073709551615.0 ? (__u64)edge : ~(__u64)0;
}

void buckets_of_cell(__u64 ruler, __u32 cell, double divisor, int schema, int *ret_first, int *ret_last)
{
	double begin = (double)ruler_first(ruler, cell), end = (double)ruler_last(ruler, cell);

	if (cell + 1 == ruler_cells(ruler))
		end = begin;
	else if (!cell)
		begin = end = end > 0 ? end : 0.5;
	*ret_first = index_of(begin, divisor, schema);
	*ret_last = index_of(end, divisor, schema);
}

void buckets_range(__u64 ruler, double divisor, int schema, int *ret_first, int *ret_last)
{
	int unused;

	buckets_of_cell(ruler, 0, divisor, schema, ret_first, &unused);
	buckets_of_cell(ruler, ruler_cells(ruler) - 1, divisor, schema, &unused, ret_last);
}

static void add(__u64 *count, int at, __u64 n, int first, int last)
{
	__u64 *bucket = &count[(at < first ? first : at > last ? last : at) - first];

	*bucket = saturating_add(*bucket, n);
}

void buckets_spread(__u64 ruler, __u32 cell, double divisor, int schema, __u64 n, __u64 *count, int first, int last)
{
	__u64 begin = ruler_first(ruler, cell), values = ruler_last(ruler, cell) - begin + 1, left = n;
	__u64 rest[2 + (1 << BUCKETS_SCHEMA_MAX)];
	int from, to, n_parts;

	buckets_of_cell(ruler, cell, divisor, schema, &from, &to);
	n_parts = to - from + 1;
	if (n_parts == 1) {
		add(count, from, n, first, last);
		return;
	}
	for (int i = 0; i < n_parts; i++) {
		__u64 end = i + 1 < n_parts ? last_of(from + i, schema, divisor) : ruler_last(ruler, cell);
		unsigned __int128 share = (unsigned __int128)n * (end - begin + 1);

		add(count, from + i, (__u64)(share / values), first, last);
		left -= (__u64)(share / values);
		rest[i] = (__u64)(share % values);
		begin = end + 1;
	}
	for (; left; left--) {
		int most = 0;

		for (int i = 1; i < n_parts; i++)
			if (rest[i] > rest[most])
				most = i;
		add(count, from + most, 1, first, last);
		rest[most] = 0;
	}
}

void buckets_cell_make(__u64 ruler, __u32 cell, double divisor, int schema, struct buckets_cell *ret_cell)
{
	struct buckets_cell c = { .values = ruler_last(ruler, cell) - ruler_first(ruler, cell) + 1 };

	buckets_of_cell(ruler, cell, divisor, schema, &c.first, &c.last);
	if (c.last == c.first + 1)
		c.head = last_of(c.first, schema, divisor) - ruler_first(ruler, cell) + 1;
	*ret_cell = c;
}

bool buckets_cell_spread(const struct buckets_cell *c, __u64 n, __u64 *count, int first)
{
	__u64 *at = count + (c->first - first), head, tail;
	unsigned __int128 share;

	if (c->last > c->first + 1)
		return false;
	if (c->last == c->first) {
		at[0] = saturating_add(at[0], n);
		return true;
	}
	share = (unsigned __int128)n * c->head;
	head = (__u64)(share / c->values);
	tail = (__u64)((unsigned __int128)n * (c->values - c->head) / c->values);
	if (head + tail < n)		/* one is left: the larger remainder has it */
		head += 2 * (share % c->values) >= c->values;
	at[0] = saturating_add(at[0], head);
	at[1] = saturating_add(at[1], n - head);
	return true;
}

__u64 buckets_classic(__u64 ruler)
{
	__u32 low = ruler_low(ruler) - (ruler_family(ruler) == RULER_LINEAR_START ? ruler_bits(ruler) : 0);

	return RULER(ruler_unit(ruler), 0, low, ruler_high(ruler));
}
