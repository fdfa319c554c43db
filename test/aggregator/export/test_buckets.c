#include "aggregator/export/buckets.h"
#include "test/kit/check.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define N_BUCKETS 1300

static __u64 random_ruler(void)
{
	__u32 bits = (__u32)check_below(8), low = bits + (__u32)check_below(20), high = low + 1 + (__u32)check_below(63 - low);

	return RULER_OF(check_below(2) ? RULER_LOG_LINEAR : RULER_LINEAR_START, UNIT_NS, bits, low, high);
}

/* How many whole numbers from `first` to `last` are in a bucket. */
static double values_in(int index, int schema, double divisor, double first, double last)
{
	double from = floor(exp2(ldexp(index - 1, -schema)) * divisor), to = floor(exp2(ldexp(index, -schema)) * divisor);

	return fmax(0, fmin(to, last) - fmax(from, first - 1));
}

/* Every event is in a bucket that has values of its cell, in proportion to how many. */
TEST(a_cell_is_divided_by_its_values)
{
	static const double divisors[] = { 1e9, 100, 1 };

	for (unsigned round = 0; round < 20000; round++) {
		__u64 ruler = random_ruler(), n = check_value(), count[N_BUCKETS] = { 0 }, sum = 0;
		int schema = (int)check_below(BUCKETS_SCHEMA_MAX + 1), first, last;
		__u32 cell = (__u32)check_below(ruler_cells(ruler));
		double low = (double)ruler_first(ruler, cell), high = (double)ruler_last(ruler, cell), divisor = divisors[check_below(3)];

		buckets_range(ruler, divisor, schema, &first, &last);
		assert_true(last - first < N_BUCKETS);
		buckets_spread(ruler, cell, divisor, schema, n, count, first, last);
		for (int i = first; i <= last; i++) {
			double share = (double)n * values_in(i, schema, divisor, low, high) / (high - low + 1);

			sum += count[i - first];
			if (cell && cell + 1 < ruler_cells(ruler) && high < 1e15)
				assert_true(fabs((double)count[i - first] - share) <= 1 + share * 1e-9);
		}
		assert_int_equal(sum, n);
	}
}

static int bucket_with_all(__u64 ruler, __u64 value, double divisor, __u64 n)
{
	__u64 count[N_BUCKETS] = { 0 };
	int first, last, at = 0;

	buckets_range(ruler, divisor, 3, &first, &last);
	buckets_spread(ruler, ruler_cell(ruler, value), divisor, 3, n, count, first, last);
	while (!count[at])
		at++;
	assert_int_equal(count[at], n);
	return first + at;
}

TEST(a_cell_of_one_value_is_whole)
{
	__u64 ruler = RULER_OF(RULER_LINEAR_START, UNIT_NONE, 5, 5, 40);

	assert_int_equal(bucket_with_all(ruler, 1, 1, 9), 0);		/* (0.92, 1] */
	assert_int_equal(bucket_with_all(ruler, 2, 1, 9), 8);
	assert_int_equal(bucket_with_all(ruler, 4, 1, 9), 16);
	assert_int_equal(bucket_with_all(ruler, 0, 1, 9), -8);		/* that of one half */
	assert_int_equal(bucket_with_all(ruler, 31, 1, 9), 40);
}

TEST(the_first_and_the_last_cell_are_whole)
{
	__u64 ruler = RULER(UNIT_NS, 5, 10, 30);
	int first = bucket_with_all(ruler, 0, 1e9, 7), last = bucket_with_all(ruler, 1ull << 62, 1e9, 7);

	assert_true(exp2((first - 1) / 8.0) < 1023e-9 && exp2(first / 8.0) >= 1023e-9);
	assert_true(exp2((last - 1) / 8.0) < 1.073741824 && exp2(last / 8.0) >= 1.073741824);
}

TEST(a_wider_ruler_is_kept_in_the_outer_buckets)
{
	__u64 narrow = RULER(UNIT_NS, 5, 10, 30), wide = RULER(UNIT_NS, 5, 7, 42), count[N_BUCKETS] = { 0 }, sum = 0;
	int first, last;

	buckets_range(narrow, 1e9, 3, &first, &last);
	for (__u32 cell = 0; cell < ruler_cells(wide); cell++)
		buckets_spread(wide, cell, 1e9, 3, 3, count, first, last);
	for (int i = 0; i < N_BUCKETS; i++) {
		sum += count[i];
		assert_true(i <= last - first || !count[i]);
	}
	assert_int_equal(sum, 3 * ruler_cells(wide));
}

/* Each of its edges is one of the ruler. */
TEST(classic_buckets_are_doublings)
{
	for (unsigned round = 0; round < 1000; round++) {
		__u64 ruler = random_ruler(), classic = buckets_classic(ruler);

		assert_true(ruler_valid(classic));
		for (__u32 cell = 1; cell < ruler_cells(classic); cell++) {
			__u64 edge = ruler_first(classic, cell);

			assert_int_equal(ruler_first(ruler, ruler_cell(ruler, edge)), edge);
			assert_true(cell == 1 || edge == 2 * ruler_first(classic, cell - 1));
		}
	}
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

TEST(a_kept_cell_is_divided_alike)
{
	unsigned n_kept = 0;

	for (unsigned round = 0; round < 20000; round++) {
		__u64 ruler = random_ruler(), n = check_value(), plain[4] = { 0 }, kept[4] = { 0 };
		__u32 cell = (__u32)check_below(ruler_cells(ruler));
		int schema = (int)check_below(BUCKETS_SCHEMA_MAX + 1);
		struct buckets_cell c;

		buckets_cell_make(ruler, cell, 1e9, schema, &c);
		assert_true(c.first <= c.last);
		if (!buckets_cell_spread(&c, n, kept, c.first)) {
			assert_true(c.last > c.first + 1);
			continue;
		}
		n_kept++;
		buckets_spread(ruler, cell, 1e9, schema, n, plain, c.first, c.first + 3);
		assert_memory_equal(plain, kept, sizeof(plain));
	}
	assert_true(n_kept > 5000);
}

TEST_MAIN()
