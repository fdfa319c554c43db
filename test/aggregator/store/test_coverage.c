#include "test/kit/check.h"
#include "aggregator/store/coverage.h"

#define SLOTS 64

/* Compares with a plain matrix of booleans, in random order and pieces. */
TEST(intervals_count_like_a_matrix)
{
	for (int round = 0; round < 200; round++) {
		bool seen[3][SLOTS] = { { false } };
		__s64 since[3] = { SLOTS, SLOTS, SLOTS }, due = (__s64)check_below(SLOTS);
		static const char *const names[] = { "a", "b", "c" };
		struct coverage c = { 0 };
		__u32 fewest = 0, best = ~0u;

		for (int i = 0; i < 12; i++) {
			size_t source = check_below(3);
			__s64 first = (__s64)check_below(SLOTS), last = first + (__s64)check_below(8);

			last = last < SLOTS ? last : SLOTS - 1;
			assert_int_equal(coverage_add(&c, names[source], first, last), 0);
			for (__s64 slot = first; slot <= last; slot++)
				seen[source][slot] = true;
			since[source] = first < since[source] ? first : since[source];
		}
		for (__s64 first = 0; first < SLOTS; first += 7) {
			__s64 last = first + (__s64)check_below((uint64_t)(SLOTS - first));
			__u32 reported, expected, want_reported = 0, want_expected = 0;

			for (size_t s = 0; s < 3; s++)
				for (__s64 slot = first; slot <= last; slot++) {
					want_reported += seen[s][slot];
					want_expected += seen[s][slot] || (slot >= since[s] && slot <= due);
				}
			coverage_count(&c, first, last, due, &reported, &expected);
			assert_int_equal(reported, want_reported);
			assert_int_equal(expected, want_expected);
			want_reported = 0;
			for (__s64 slot = first; slot <= last; slot++)
				want_reported += seen[0][slot] || seen[1][slot] || seen[2][slot];
			assert_int_equal(coverage_seen(&c, first, last), want_reported);
		}
		for (__s64 slot = 0; slot <= due; slot++) {
			fewest = (__u32)(seen[0][slot] + seen[1][slot] + seen[2][slot]);
			best = fewest < best ? fewest : best;
		}
		assert_int_equal(coverage_fewest(&c, 0, SLOTS - 1, due), best);
		coverage_fini(&c);
	}
}

TEST(an_expected_source_that_never_reports_is_missing)
{
	struct coverage c = { 0 };
	__u32 reported, expected;

	assert_int_equal(coverage_expect(&c, "a", 5), 0);
	coverage_count(&c, 0, 9, 9, &reported, &expected);
	assert_int_equal(reported, 0);
	assert_int_equal(expected, 5);
	assert_int_equal(coverage_fewest(&c, 0, 9, 9), 0);
	coverage_fini(&c);
}

TEST(a_large_count_saturates)
{
	struct coverage c = { 0 };
	__u32 reported, expected;
	__s64 year = 315360000, most = 20 * year;

	assert_int_equal(coverage_add(&c, "a", 0, most), 0);
	coverage_count(&c, 0, most, most, &reported, &expected);
	assert_true(reported == ~0u && expected == ~0u);
	assert_int_equal(coverage_expect(&c, "b", 0), 0);
	coverage_count(&c, 0, most, most, &reported, &expected);
	assert_true(reported == ~0u - 1 && expected == ~0u);
	coverage_fini(&c);
}

/* So a point metric's means are the same in any grouping of columns, also in coarse tiers. */
TEST(sparse_coverage_of_any_source_adds_up)
{
	static const struct run a[] = { { 0, 59, 50 }, { 60, 119, 10 }, { 180, 239, 30 } }, b[] = { { 0, 119, 40 }, { 240, 299, 6 } };
	struct coverage c = { 0 };

	for (size_t i = 0; i < 3; i++)
		assert_int_equal(coverage_add_sparse(&c, "a", &a[i]), 0);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(coverage_add_sparse(&c, "b", &b[i]), 0);
	assert_int_equal(coverage_add(&c, "a", 120, 149), 0);
	assert_int_equal(coverage_seen(&c, 0, 59), 50);
	assert_int_equal(coverage_seen(&c, 60, 119), 20);
	assert_int_equal(coverage_seen(&c, 0, 119), 70);
	assert_int_equal(coverage_seen(&c, 120, 179), 30);
	assert_int_equal(coverage_seen(&c, 0, 299), 50 + 20 + 30 + 30 + 6);
	coverage_fini(&c);
}

TEST(without_sources_nothing_is_expected)
{
	struct coverage c = { 0 };
	__u32 reported, expected;

	coverage_count(&c, 0, 9, 9, &reported, &expected);
	assert_int_equal(reported + expected, 0);
	assert_int_equal(coverage_fewest(&c, 0, 9, 9), 0);
	assert_int_equal(coverage_fewest(&c, 5, 4, 9), 0);
	coverage_fini(&c);
}

TEST_MAIN()
