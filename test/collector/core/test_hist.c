#include "collector/core/hist.h"
#include "test/kit/check.h"

#include <errno.h>
#include <math.h>

static const __u64 ruler = RULER(UNIT_NS, 5, 10, 39);

static void assert_same(const struct hist *a, const struct hist *b)
{
	assert_int_equal(a->ruler, b->ruler);
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->sum, b->sum);
	assert_int_equal(a->min, b->min);
	assert_int_equal(a->max, b->max);
	assert_memory_equal(a->cell, b->cell, ruler_cells(a->ruler) * sizeof(*a->cell));
	assert_int_equal(hist_stddev(a), hist_stddev(b));
	assert_int_equal(hist_mean(a), hist_mean(b));
	for (__u32 p = 0; p <= 1000000; p += 50000)
		assert_int_equal(hist_percentile(a, p), hist_percentile(b, p));
}

/* The example of an associative sum from the talks that started this project: ten partial sums of ten numbers each. */
static void sum_of_1_to_100_from_ten_partial_sums_is_5050(void **state)
{
	struct hist total, part;

	hist_init(&total, ruler);
	for (int i = 0; i < 10; i++) {
		hist_init(&part, ruler);
		for (__u64 n = 1; n <= 10; n++)
			hist_record(&part, (__u64)i * 10 + n, 1);
		assert_int_equal(hist_add(&total, &part), 0);
		hist_fini(&part);
	}
	assert_int_equal(total.sum, 5050);
	assert_int_equal(total.count, 100);
	assert_int_equal(hist_mean(&total), 50);
	hist_fini(&total);
}

#define N_PARTS 12

/* Merges the parts along a random tree: joins any two of them until one is left. */
static void merge_randomly(struct hist *part, int n, struct hist *ret)
{
	int left[N_PARTS];

	for (int i = 0; i < n; i++)
		left[i] = i;
	while (n > 1) {
		int a = (int)check_below((uint64_t)n), b = (int)check_below((uint64_t)n - 1);

		b += b >= a;
		assert_int_equal(hist_add(&part[left[a]], &part[left[b]]), 0);
		left[b] = left[--n];
	}
	*ret = part[left[0]];
	part[left[0]].cell = NULL;
}

static void any_partition_order_and_tree_gives_the_same_bits(void **state)
{
	for (int round = 0; round < 200; round++) {
		struct hist whole, part[N_PARTS], merged;
		int n_values = (int)check_below(500);

		hist_init(&whole, ruler);
		for (int i = 0; i < N_PARTS; i++)
			hist_init(&part[i], ruler);
		for (int i = 0; i < n_values; i++) {
			__u64 value = check_value(), weight = check_below(3) ? 1 : check_value();

			hist_record(&whole, value, weight);
			hist_record(&part[check_below(N_PARTS)], value, weight);
		}
		merge_randomly(part, N_PARTS, &merged);
		assert_same(&merged, &whole);
		hist_fini(&merged);
		hist_fini(&whole);
		for (int i = 0; i < N_PARTS; i++)
			hist_fini(&part[i]);
	}
}

/* Folding before or after adding, in one step or two, gives the same result. */
static void folding_commutes_with_adding(void **state)
{
	const __u64 middle = RULER(UNIT_NS, 3, 12, 38), coarse = RULER(UNIT_NS, 1, 14, 30);

	for (int round = 0; round < 100; round++) {
		struct hist a, b, c, d;

		hist_init(&a, ruler);
		hist_init(&b, ruler);
		hist_init(&c, ruler);
		hist_init(&d, coarse);
		for (int i = 0; i < 300; i++) {
			__u64 value = check_value();

			hist_record(check_below(2) ? &a : &b, value, 1);
			hist_record(&c, value, 1);
			hist_record(&d, value, 1);
		}
		hist_fold(&a, coarse);
		hist_fold(&b, middle);
		assert_int_equal(hist_add(&b, &a), 0);
		hist_fold(&c, middle);
		hist_fold(&c, coarse);
		assert_same(&b, &c);
		assert_same(&b, &d);
		assert_int_equal(hist_total(&b), 300);
		hist_fini(&a);
		hist_fini(&b);
		hist_fini(&c);
		hist_fini(&d);
	}
}

static void bytes_give_the_same_histogram(void **state)
{
	for (int round = 0; round < 200; round++) {
		struct bytes bytes = { 0 };
		struct hist h, back;

		hist_init(&h, ruler);
		hist_init(&back, ruler);
		for (uint64_t i = check_below(200); i; i--)
			hist_record(&h, check_value(), 1);
		hist_encode(&h, &bytes);
		assert_int_equal(bytes.err, 0);
		assert_int_equal(hist_decode_add(&back, ruler, bytes.data, bytes.len), 0);
		assert_same(&back, &h);
		bytes_fini(&bytes);
		hist_fini(&h);
		hist_fini(&back);
	}
}

/* Counts have one to ten bytes, skips one and two.  Bytes cut off at any place give an error and no crash. */
static void one_pass_adds_as_two_do(void **state)
{
	for (int round = 0; round < 500; round++) {
		struct hist one, two;
		struct bytes bytes = { 0 };
		__u8 *part;
		size_t len;

		assert_int_equal(hist_init(&one, ruler), 0);
		assert_int_equal(hist_init(&two, ruler), 0);
		for (int i = (int)check_below(40); i > 0; i--)
			hist_record(&one, check_value(), check_random() >> check_below(64));
		hist_encode(&one, &bytes);
		hist_clear(&one);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(hist_decode_once(&one, ruler, bytes.data, bytes.len), 0);
			assert_int_equal(hist_decode_add(&two, ruler, bytes.data, bytes.len), 0);
		}
		assert_memory_equal(one.cell, two.cell, ruler_cells(ruler) * sizeof(*one.cell));
		assert_true(one.count == two.count && one.sum == two.sum && one.min == two.min && one.max == two.max);
		len = check_below(bytes.len);
		part = malloc(len + !len);	/* so that a sanitizer sees a read past the end */
		memcpy(part, bytes.data, len);
		assert_int_equal(hist_decode_once(&one, ruler, part, len), -EBADMSG);
		free(part);
		bytes_put(&bytes, "", 1);
		assert_int_equal(hist_decode_once(&one, ruler, bytes.data, bytes.len), -EBADMSG);
		bytes_fini(&bytes);
		hist_fini(&one);
		hist_fini(&two);
	}
}

static void bad_bytes_add_nothing(void **state)
{
	struct bytes bytes = { 0 };
	struct hist h, before;

	hist_init(&h, ruler);
	hist_init(&before, ruler);
	for (int i = 0; i < 50; i++)
		hist_record(&h, check_value(), 1);
	hist_encode(&h, &bytes);
	hist_clear(&h);
	for (size_t len = 0; len < bytes.len; len++) {
		assert_int_equal(hist_decode_add(&h, ruler, bytes.data, len), -EBADMSG);
		assert_same(&h, &before);
	}
	for (int i = 0; i < 3000; i++) {
		size_t at = check_below(bytes.len);
		__u8 flip = (__u8)(1 << check_below(8));

		bytes.data[at] ^= flip;
		if (hist_decode_add(&h, ruler, bytes.data, bytes.len) == -EBADMSG)
			assert_same(&h, &before);
		hist_clear(&h);
		bytes.data[at] ^= flip;
	}
	assert_int_equal(hist_decode_add(&h, RULER(UNIT_BYTES, 5, 10, 39), bytes.data, bytes.len), -EINVAL);
	assert_same(&h, &before);
	bytes_fini(&bytes);
	hist_fini(&h);
	hist_fini(&before);
}

static int by_value(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

static void a_percentile_is_the_last_value_of_the_bucket_of_its_rank(void **state)
{
	static const __u32 p_all[] = { 0, 1, 500000, 500000, 900000, 999000, 1000000 };
	const size_t n_p = sizeof(p_all) / sizeof(*p_all);

	for (int round = 0; round < 100; round++) {
		__u64 value[200], one[sizeof(p_all) / sizeof(*p_all)], several[sizeof(p_all) / sizeof(*p_all)];
		struct hist h;
		size_t n = 1 + check_below(200);

		hist_init(&h, ruler);
		for (size_t i = 0; i < n; i++) {
			value[i] = check_value();
			hist_record(&h, value[i], 1);
		}
		qsort(value, n, sizeof(*value), by_value);
		for (__u32 p = 1; p <= 1000000; p += 1 + (__u32)check_below(40000)) {
			size_t rank = ((__u64)p * n + 999999) / 1000000;
			__u64 last = ruler_last(ruler, ruler_cell(ruler, value[rank - 1]));

			assert_int_equal(hist_percentile(&h, p), last < value[n - 1] ? last : value[n - 1]);
		}
		assert_int_equal(hist_percentile(&h, 0), value[0]);
		assert_int_equal(hist_percentile(&h, 1000000), value[n - 1]);
		for (size_t i = 0; i < n_p; i++)
			one[i] = hist_percentile(&h, p_all[i]);
		hist_percentiles(&h, p_all, n_p, several);
		assert_memory_equal(several, one, sizeof(one));
		hist_fini(&h);
	}
}

/* The error is at most the width of the widest used bucket. */
static void stddev_is_within_its_bound(void **state)
{
	for (int round = 0; round < 100; round++) {
		double mean = 0, squares = 0, widest = 0, value[300];
		struct hist h;

		hist_init(&h, ruler);
		for (int i = 0; i < 300; i++) {
			__u64 v = 1024 + check_below((__u64)1 << (11 + check_below(25)));
			__u32 cell = ruler_cell(ruler, v);

			hist_record(&h, v, 1);
			value[i] = (double)v;
			mean += value[i] / 300;
			widest = fmax(widest, (double)(ruler_last(ruler, cell) - ruler_first(ruler, cell) + 1));
		}
		for (int i = 0; i < 300; i++)
			squares += (value[i] - mean) * (value[i] - mean) / 300;
		assert_true(fabs((double)hist_stddev(&h) - sqrt(squares)) <= widest + 2);
		hist_fini(&h);
	}
}

static void totals_saturate_instead_of_wrapping(void **state)
{
	struct hist h;

	hist_init(&h, ruler);
	hist_record(&h, ~(__u64)0, ~(__u64)0);
	hist_record(&h, ~(__u64)0, ~(__u64)0);
	assert_int_equal(h.sum, ~(__u64)0);
	assert_int_equal(hist_total(&h), ~(__u64)0);
	assert_int_equal(h.count, 2);
	hist_fini(&h);
}

static void an_empty_histogram_is_all_zero(void **state)
{
	struct bytes bytes = { 0 };
	struct hist h;

	hist_init(&h, ruler);
	assert_int_equal(hist_percentile(&h, 500000), 0);
	assert_int_equal(hist_percentile(&h, 0), 0);
	assert_int_equal(hist_mean(&h), 0);
	assert_int_equal(hist_stddev(&h), 0);
	hist_encode(&h, &bytes);
	assert_int_equal(bytes.len, 5);
	assert_int_equal(hist_decode_add(&h, ruler, bytes.data, bytes.len), 0);
	assert_int_equal(h.min, ~(__u64)0);
	bytes_fini(&bytes);
	hist_fini(&h);
	assert_int_equal(hist_init(&h, 42), -EINVAL);
}

static void a_cell_stands_for_its_middle_as_far_as_there_are_events(void **state)
{
	__u64 octaves = RULER(UNIT_NS, 0, 10, 39), first = 1 << 20, last = (1 << 21) - 1;
	__u32 cell = ruler_cell(octaves, first);

	assert_true(hist_middle(octaves, cell, 0, ~0ull) == (double)(first + last) / 2);
	assert_true(hist_middle(octaves, cell, first + 100, ~0ull) == (double)(first + 100 + last) / 2);
	assert_true(hist_middle(octaves, cell, 0, first + 7) == (double)(first + first + 7) / 2);
	assert_true(hist_middle(octaves, cell, first + 5, first + 5) == (double)(first + 5));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(sum_of_1_to_100_from_ten_partial_sums_is_5050),
	cmocka_unit_test(any_partition_order_and_tree_gives_the_same_bits),
	cmocka_unit_test(folding_commutes_with_adding),
	cmocka_unit_test(bytes_give_the_same_histogram),
	cmocka_unit_test(one_pass_adds_as_two_do),
	cmocka_unit_test(bad_bytes_add_nothing),
	cmocka_unit_test(a_percentile_is_the_last_value_of_the_bucket_of_its_rank),
	cmocka_unit_test(stddev_is_within_its_bound),
	cmocka_unit_test(totals_saturate_instead_of_wrapping),
	cmocka_unit_test(an_empty_histogram_is_all_zero),
	cmocka_unit_test(a_cell_stands_for_its_middle_as_far_as_there_are_events),
};

CHECK_MAIN(tests)
