#include "aggregator/export/buckets.h"

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

/* The bucket that ends at a value, or contains it; that of values just above it. */
static int index_at(double value, int schema) { return (int)ceil(ldexp(log2(value), schema)); }
static int index_above(double value, int schema) { return (int)floor(ldexp(log2(value), schema)) + 1; }

static double upper_edge(int index, int schema) { return exp2(ldexp(index, -schema)); }

/* The parts of a cell: buckets first to last. */
static void parts_of(__u64 ruler, __u32 cell, double divisor, int schema, int *ret_first, int *ret_last)
{
	double low = (double)ruler_first(ruler, cell) / divisor;

	if (cell + 1 == ruler_cells(ruler))
		*ret_first = *ret_last = index_above(low, schema);
	else if (!cell)
		*ret_first = *ret_last = index_at((double)ruler_first(ruler, 1) / divisor, schema);
	else {
		*ret_first = index_above(low, schema);
		*ret_last = index_at((double)ruler_first(ruler, cell + 1) / divisor, schema);
	}
}

void buckets_range(__u64 ruler, double divisor, int schema, int *ret_first, int *ret_last)
{
	int unused;

	parts_of(ruler, 0, divisor, schema, ret_first, &unused);
	parts_of(ruler, ruler_cells(ruler) - 1, divisor, schema, &unused, ret_last);
}

void buckets_spread(__u64 ruler, __u32 cell, double divisor, int schema, __u64 n, __u64 *count, int first)
{
	double low = (double)ruler_first(ruler, cell) / divisor, high, rest[BUCKETS_OF_A_CELL_MAX];
	__u64 left = n;
	int from, to;

	parts_of(ruler, cell, divisor, schema, &from, &to);
	if (from >= to) {
		count[from - first] += n;
		return;
	}
	high = (double)ruler_first(ruler, cell + 1) / divisor;
	for (int i = from; i <= to; i++) {
		double begin = i == from ? low : upper_edge(i - 1, schema), end = i == to ? high : upper_edge(i, schema);
		double share = (double)n * (end - begin) / (high - low);
		__u64 whole = share < (double)left ? (__u64)share : left;

		count[i - first] += whole;
		left -= whole;
		rest[i - from] = share - (double)whole;
	}
	while (left) {
		int most = 0;

		for (int i = 1; i <= to - from; i++)
			if (rest[i] > rest[most])
				most = i;
		count[from + most - first]++;
		rest[most] -= 1;
		left--;
	}
}
