#include "collector/d/tree/fold.h"
#include "test/collector/d/d_kit.h"

#include <limits.h>

TEST(division_is_defined_or_refused)
{
	__u64 v;

	assert_false(d_fold_binary('/', true, 1, 0, &v));
	assert_false(d_fold_binary('%', false, 1, 0, &v));
	assert_true(d_fold_binary('/', true, 1ull << 63, -1, &v));
	assert_true(v == 1ull << 63);
	assert_true(d_fold_binary('%', true, 1ull << 63, -1, &v));
	assert_true(v == 0);
	assert_true(d_fold_binary('/', true, -7, 2, &v));
	assert_true((__s64)v == -3);
	assert_true(d_fold_binary('%', true, -7, 2, &v));
	assert_true((__s64)v == -1);
	assert_true(d_fold_binary('/', false, -7, 2, &v));
	assert_true(v == (__u64)-7 / 2);
}

TEST(sign_decides_comparison_and_shift)
{
	__u64 v;

	assert_true(d_fold_binary('<', true, -1, 0, &v) && v == 1);
	assert_true(d_fold_binary('<', false, -1, 0, &v) && v == 0);
	assert_true(d_fold_binary(TOKEN_SHR, true, -8, 1, &v) && (__s64)v == -4);
	assert_true(d_fold_binary(TOKEN_SHR, false, -8, 1, &v) && v == (__u64)-8 >> 1);
	assert_true(d_fold_binary(TOKEN_SHL, false, 1, 65, &v) && v == 2);
	assert_true(d_fold_binary(TOKEN_XOR, false, 4, 8, &v) && v == 0);
	assert_true(d_fold_binary(TOKEN_XOR, false, 4, 0, &v) && v == 1);
}

TEST(cutting_keeps_the_low_bytes)
{
	assert_true((__s64)d_fold_cut(0x1ff, 1, true) == -1);
	assert_true(d_fold_cut(0x1ff, 1, false) == 0xff);
	assert_true((__s64)d_fold_cut(0x80000000, 4, true) == INT_MIN);
	assert_true(d_fold_cut(-1, 4, false) == UINT_MAX);
	assert_true(d_fold_cut(-1, 8, false) == (__u64)-1);
}

/* The size of an array is an expression of constants. */
TEST(constants_of_declarations)
{
	static const struct {
		const char *text;
		unsigned size;
	} rows[] = {
		{ "char a[2 + 3 * 4];", 14 }, { "char a[1 << 4 | 1];", 17 }, { "char a[sizeof (int) * 2];", 8 },
		{ "char a[(char)258];", 2 }, { "char a[1 ? 3 : 4];", 3 }, { "enum e { A, B = 7, C }; char a[C];", 8 },
		{ "char a[-(-5)];", 5 }, { "char a[!0 + ~-3];", 3 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct d_case c = { 0 };
		const struct d_item *item;

		assert_int_equal(d_case_parse(&c, rows[i].text, 0), 0);
		for (item = c.unit.items; item->next; item = item->next)
			;
		assert_int_equal(item->type->size, rows[i].size);
		d_case_fini(&c);
	}
}

TEST_MAIN()
