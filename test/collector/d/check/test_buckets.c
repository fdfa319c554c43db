#include "collector/d/check/buckets.h"
#include "test/kit/check.h"

#include <errno.h>

/* DTrace's own formulas: bucket 0 ... 126 of a value, and the value of a bucket. */
static int dtrace_bucket(__s64 v)
{
	int log = 0;

	if (!v)
		return 63;
	if (v == INT64_MIN)
		return 0;
	for (__u64 size = v < 0 ? -v : v; size > 1; size >>= 1)
		log++;
	return v > 0 ? 64 + log : 62 - log;
}

static __s64 dtrace_value(int bucket)
{
	if (bucket < 63)
		return -(1ll << (62 - bucket));
	return bucket == 63 ? 0 : 1ll << (bucket - 64);
}

TEST(cells_of_quantize_are_dtraces_buckets)
{
	const struct d_buckets b = { .kind = BUCKETS_QUANTIZE };
	__u64 *edges;
	size_t n;

	assert_int_equal(d_buckets_edges(&b, &edges, &n), 0);
	assert_int_equal(n, 64);
	for (unsigned i = 0; i < 10000; i++) {
		__s64 v = (__s64)check_value() * (check_below(2) ? 1 : -1);

		if (i < 4)
			v = (__s64[]){ INT64_MIN, INT64_MAX, 0, -1 }[i];
		assert_int_equal(d_buckets_value(&b, edges, n, d_buckets_cell(&b, v)), dtrace_value(dtrace_bucket(v)));
	}
	free(edges);
}

/* Of a value that is not negative: it is in its cell, and the cell is one of those that there may be. */
static void check_cell(const struct d_buckets *b, const __u64 *edges, size_t n, __s64 v)
{
	__s64 cell = d_buckets_cell(b, v), first, last;

	d_buckets_range(b, &first, &last);
	assert_true(cell >= first && cell <= last);
	assert_true(cell == first || d_buckets_value(b, edges, n, cell) <= v);
	assert_true(cell == last || v < d_buckets_value(b, edges, n, cell + 1));
}

TEST(a_value_is_in_its_cell)
{
	static const struct d_buckets rows[] = {
		{ .kind = BUCKETS_QUANTIZE }, { BUCKETS_LINEAR, .base = -10, .limit = 95, .step = 10 }, { BUCKETS_LINEAR, .base = 0, .limit = 1, .step = 1 },
		{ BUCKETS_LINEAR, .base = INT32_MIN, .limit = 0, .step = 65535 }, { BUCKETS_LOG_LINEAR, .factor = 10, .low = 0, .high = 6, .steps = 10 },
		{ BUCKETS_LOG_LINEAR, .factor = 10, .low = 1, .high = 3, .steps = 20 }, { BUCKETS_LOG_LINEAR, .factor = 2, .low = 3, .high = 61, .steps = 16 },
		{ BUCKETS_LOG_LINEAR, .factor = 2, .low = 2, .high = 2, .steps = 2 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct d_buckets *b = &rows[i];
		__u64 *edges;
		size_t n;

		assert_null(d_buckets_check(b));
		assert_int_equal(d_buckets_edges(b, &edges, &n), 0);
		for (unsigned k = 0; k < 10000; k++) {
			__s64 v = k < 200 ? (__s64)k - 100 : (__s64)(check_value() >> 1);

			if (b->kind == BUCKETS_LINEAR && k % 2)
				v = -v;
			if (v >= 0 || b->kind == BUCKETS_LINEAR)
				check_cell(b, edges, n, v);
			else
				assert_int_equal(d_buckets_cell(b, v), -d_buckets_cell(b, -v));
		}
		check_cell(b, edges, n, INT64_MAX);
		assert_int_equal(d_buckets_cell(b, INT64_MIN), b->kind == BUCKETS_LINEAR ? 0 : -d_buckets_cell(b, INT64_MAX));
		free(edges);
	}
}

static void check_labels(const struct d_buckets *b, __s64 cell, bool has_negative, const char *expected)
{
	__u64 *edges;
	char label[32];
	size_t n;

	assert_int_equal(d_buckets_edges(b, &edges, &n), 0);
	d_buckets_label(b, edges, n, cell, has_negative, label);
	assert_string_equal(label, expected);
	free(edges);
}

TEST(labels_name_the_ends)
{
	const struct d_buckets linear = { .kind = BUCKETS_LINEAR, .base = -10, .limit = 95, .step = 10 };
	const struct d_buckets log = { .kind = BUCKETS_LOG_LINEAR, .factor = 10, .low = 1, .high = 3, .steps = 20 };

	assert_int_equal(d_buckets_levels(&linear), 10);
	check_labels(&linear, 0, false, "< -10");
	check_labels(&linear, 1, false, "-10");
	check_labels(&linear, 11, false, ">= 90");
	check_labels(&log, 0, false, "< 10");
	check_labels(&log, 0, true, "abs() < 10");
	check_labels(&log, 1, false, "10");
	check_labels(&log, 19, false, "100");
	check_labels(&log, 18 * 3 + 1, false, ">= 10000");
	check_labels(&log, -18 * 3 - 1, true, "<= -10000");
}

TEST(refuses_parameters)
{
	static const struct d_buckets rows[] = {
		{ BUCKETS_LINEAR, .base = 10, .limit = 10, .step = 1 }, { BUCKETS_LINEAR, .base = 0, .limit = 1 << 20, .step = 1 },
		{ BUCKETS_LINEAR, .base = 0, .limit = 10, .step = 0 }, { BUCKETS_LINEAR, .base = 0, .limit = 1ll << 40, .step = 9 },
		{ BUCKETS_LOG_LINEAR, .factor = 1, .high = 3, .steps = 10 }, { BUCKETS_LOG_LINEAR, .factor = 10, .low = 4, .high = 3, .steps = 10 },
		{ BUCKETS_LOG_LINEAR, .factor = 10, .high = 3, .steps = 15 }, { BUCKETS_LOG_LINEAR, .factor = 10, .high = 30, .steps = 10 },
		{ BUCKETS_LOG_LINEAR, .factor = 10, .high = 3, .steps = 30 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_non_null(d_buckets_check(&rows[i]));
	assert_null(d_buckets_check(&(struct d_buckets){ BUCKETS_LOG_LINEAR, .factor = 10, .high = 17, .steps = 100 }));
	assert_null(d_buckets_check(&(struct d_buckets){ BUCKETS_LINEAR, .base = -5, .limit = 5, .step = 2 }));
}

TEST(edges_are_bounded)
{
	const struct d_buckets b = { BUCKETS_LOG_LINEAR, .factor = 2, .low = 0, .high = 61, .steps = 2048 };
	__u64 *edges;
	size_t n;

	assert_null(d_buckets_check(&b));
	assert_int_equal(d_buckets_edges(&b, &edges, &n), -E2BIG);
}

TEST_MAIN()
