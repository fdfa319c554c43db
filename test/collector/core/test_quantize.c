#include "collector/core/quantize.h"
#include "test/kit/check.h"

#define EACH_RULER(ruler)                                                        \
	for (__u32 bits_ = 0; bits_ <= RULER_BITS_MAX; bits_++)                  \
		for (__u32 low_ = bits_; low_ < bits_ + 12; low_ += 5)           \
			for (__u32 family_ = RULER_LOG_LINEAR; family_ <= RULER_LINEAR_START; family_++) \
				for (__u64 ruler = RULER_OF(family_, UNIT_NS, bits_, low_, low_ + 24); ruler; ruler = 0)

static void edges_and_cells_agree(void **state)
{
	EACH_RULER(ruler) {
		assert_true(ruler_valid(ruler));
		for (__u32 cell = 0; cell < ruler_cells(ruler); cell++) {
			assert_int_equal(ruler_cell(ruler, ruler_first(ruler, cell)), cell);
			assert_int_equal(ruler_cell(ruler, ruler_last(ruler, cell)), cell);
			if (cell)
				assert_int_equal(ruler_first(ruler, cell), ruler_last(ruler, cell - 1) + 1);
		}
		assert_int_equal(ruler_last(ruler, ruler_cells(ruler) - 1), ~(__u64)0);
	}
}

static void cells_rise_with_values(void **state)
{
	EACH_RULER(ruler) {
		for (int i = 0; i < 2000; i++) {
			__u64 a = check_value(), b = check_value();

			assert_true(a <= b ? ruler_cell(ruler, a) <= ruler_cell(ruler, b)
					   : ruler_cell(ruler, a) >= ruler_cell(ruler, b));
		}
	}
}

static void a_bucket_is_at_most_its_share_wide(void **state)
{
	EACH_RULER(ruler) {
		for (__u32 cell = ruler_start(ruler); cell + 1 < ruler_cells(ruler); cell++) {
			__u64 width = ruler_last(ruler, cell) - ruler_first(ruler, cell) + 1;

			assert_true(width << ruler_bits(ruler) <= ruler_first(ruler, cell));
		}
	}
}

static void zero_bits_is_dtrace_quantize(void **state)
{
	__u64 ruler = RULER(UNIT_NONE, 0, 0, 40);

	assert_int_equal(ruler_cell(ruler, 0), 0);
	for (__u32 octave = 0; octave < 40; octave++) {
		assert_int_equal(ruler_first(ruler, octave + 1), (__u64)1 << octave);
		assert_int_equal(ruler_last(ruler, octave + 1), ((__u64)2 << octave) - 1);
	}
}

static void a_linear_start_has_equal_steps_and_small_values_alone(void **state)
{
	__u64 percent = RULER_OF(RULER_LINEAR_START, UNIT_PERCENT, 5, 5, 7);

	assert_int_equal(ruler_cells(percent), 32 + 64 + 1);
	for (__u64 value = 0; value < 64; value++)
		assert_int_equal(ruler_cell(percent, value), value);
	assert_int_equal(ruler_cell(percent, 64), ruler_cell(percent, 65));
	assert_int_equal(ruler_first(percent, ruler_cell(percent, 100)), 100);
	EACH_RULER(ruler) {
		for (__u32 cell = 0; ruler_start(ruler) > 1 && cell < ruler_start(ruler); cell++)
			assert_int_equal(ruler_last(ruler, cell) - ruler_first(ruler, cell) + 1,
					 (__u64)1 << (ruler_low(ruler) - ruler_bits(ruler)));
	}
}

static void folding_equals_counting_coarsely(void **state)
{
	for (int i = 0; i < 20000; i++) {
		__u32 fine_bits = (__u32)check_below(8), bits = (__u32)check_below(fine_bits + 1);
		__u32 family = RULER_LOG_LINEAR + (__u32)check_below(2);
		__u64 fine = RULER_OF(family, UNIT_NS, fine_bits, 8, 40), coarse = RULER_OF(family, UNIT_NS, bits, 10, 36);
		__u64 value = check_below(2) ? check_value() : check_below(2000);

		assert_int_equal(ruler_common(fine, coarse), coarse);
		assert_int_equal(ruler_fold(fine, coarse, ruler_cell(fine, value)), ruler_cell(coarse, value));
		assert_int_equal(ruler_coarser(fine, bits), RULER_OF(family, UNIT_NS, bits, 8, 40));
	}
}

static void the_common_ruler_commutes(void **state)
{
	for (int i = 0; i < 2000; i++) {
		__u32 bits = (__u32)check_below(8), low = bits + (__u32)check_below(10);
		__u64 a = RULER(UNIT_NS, bits, low, low + 1 + check_below(30));
		__u64 b = RULER(UNIT_NS, check_below(8), 7 + check_below(10), 20 + check_below(30));
		__u64 common = ruler_common(a, b);

		assert_int_equal(common, ruler_common(b, a));
		if (common) {
			assert_true(ruler_valid(common));
			assert_int_equal(ruler_common(common, a), common);
		}
	}
}

static void refuses_invalid_rulers(void **state)
{
	static const __u64 bad[] = { 0,
				     RULER(UNIT_NS, 8, 10, 39),	    /* too many bits */
				     RULER(UNIT_NS, 5, 4, 39),	    /* low < bits: empty cells */
				     RULER(UNIT_NS, 5, 39, 39),	    /* no range */
				     RULER(UNIT_NS, 5, 10, 64),	    /* beyond 64 bits */
				     RULER_OF(3, UNIT_NS, 5, 10, 39), RULER_OF(0, UNIT_NS, 5, 10, 39),
				     ~(__u64)0 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(ruler_valid(bad[i]));
	assert_int_equal(ruler_common(RULER(UNIT_NS, 5, 10, 39), RULER(UNIT_BYTES, 5, 10, 39)), 0);
	assert_int_equal(ruler_common(RULER(UNIT_NS, 5, 10, 39), RULER_OF(RULER_LINEAR_START, UNIT_NS, 5, 10, 39)), 0);
	assert_int_equal(ruler_common(RULER(UNIT_NS, 5, 10, 20), RULER(UNIT_NS, 5, 20, 39)), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(edges_and_cells_agree),
	cmocka_unit_test(cells_rise_with_values),
	cmocka_unit_test(a_bucket_is_at_most_its_share_wide),
	cmocka_unit_test(zero_bits_is_dtrace_quantize),
	cmocka_unit_test(a_linear_start_has_equal_steps_and_small_values_alone),
	cmocka_unit_test(folding_equals_counting_coarsely),
	cmocka_unit_test(the_common_ruler_commutes),
	cmocka_unit_test(refuses_invalid_rulers),
};

CHECK_MAIN(tests)
