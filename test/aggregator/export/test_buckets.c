#include "aggregator/export/buckets.h"
#include "test/kit/check.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static __u64 random_ruler(void)
{
	__u32 bits = (__u32)check_below(8), low = bits + (__u32)check_below(20), high = low + 1 + (__u32)check_below(63 - low);

	return RULER_OF(check_below(2) ? RULER_LOG_LINEAR : RULER_LINEAR_START, UNIT_NS, bits, low, high);
}

/* Every event is in a bucket that its cell touches, in proportion to the width of their common part. */
TEST(a_cell_is_divided_by_widths)
{
	for (unsigned round = 0; round < 20000; round++) {
		__u64 ruler = random_ruler(), n = check_value() >> 12, count[1200] = { 0 }, sum = 0;
		int schema = (int)check_below(BUCKETS_SCHEMA_MAX + 1), first, last;
		__u32 cell = (__u32)check_below(ruler_cells(ruler));
		double low = (double)ruler_first(ruler, cell) / 1e9, high = ((double)ruler_last(ruler, cell) + 1) / 1e9;
		bool is_inner = cell && cell + 1 < ruler_cells(ruler);

		buckets_range(ruler, 1e9, schema, &first, &last);
		assert_true(last - first < 1200);
		buckets_spread(ruler, cell, 1e9, schema, n, count, first);
		for (int i = first; i <= last; i++) {
			double from = exp2(ldexp(i - 1, -schema)), to = exp2(ldexp(i, -schema));
			double common = fmin(to, high) - fmax(from, low), share = (double)n * common / (high - low);

			sum += count[i - first];
			if (is_inner && share > 0)
				assert_true(fabs((double)count[i - first] - share) <= 1 + share * 1e-6);
			else if (is_inner)
				assert_true(count[i - first] <= 1);		/* an edge of both, but for rounding */
		}
		assert_int_equal(sum, n);
	}
}

TEST(the_first_and_the_last_cell_are_whole)
{
	__u64 ruler = RULER(UNIT_NS, 5, 10, 30), count[400] = { 0 };
	int first, last;

	buckets_range(ruler, 1e9, 3, &first, &last);
	buckets_spread(ruler, 0, 1e9, 3, 7, count, first);
	assert_int_equal(count[0], 7);					/* of the cell's upper edge, 1024 ns */
	assert_true(exp2((first - 1) / 8.0) < 1024e-9 && exp2(first / 8.0) >= 1024e-9);
	buckets_spread(ruler, ruler_cells(ruler) - 1, 1e9, 3, 9, count, first);
	assert_int_equal(count[last - first], 9);			/* of its lower edge, 2^30 ns */
	assert_true(exp2((last - 1) / 8.0) <= 1.073741824 && exp2(last / 8.0) > 1.073741824);
}

TEST(units_are_those_of_prometheus)
{
	double divisor;

	assert_string_equal(buckets_unit(UNIT_NS, &divisor), "seconds");
	assert_true(divisor == 1e9);
	assert_string_equal(buckets_unit(UNIT_BYTES, &divisor), "bytes");
	assert_true(divisor == 1);
	assert_string_equal(buckets_unit(UNIT_PERCENT, &divisor), "ratio");
	assert_true(divisor == 100);
	assert_string_equal(buckets_unit(UNIT_NONE, &divisor), "");
}

TEST_MAIN()
