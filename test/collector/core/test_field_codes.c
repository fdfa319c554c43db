#include "collector/core/field_codes.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"

#include <errno.h>
#include <stdio.h>

enum { NONE, READ, HOLE, WRITE };

static const char *const places[] = { [NONE] = "none", [READ] = "read", [WRITE] = "write" };
static const struct field_codes by_place = CODES_NAMES(places, NONE);

static const struct code_name pairs[] = { { "misc", 2 }, { "tcp", 6 }, { "far", 1ull << 40 } };
static const struct field_codes by_name = CODES_NAMED(pairs, 0);

static void parity_label(__u64 code, char *out)
{
	snprintf(out, LABEL_MAX + 1, "%s", code & 1 ? "odd" : "even");
}

static const struct field_codes by_label = { .label = parity_label, .n = 5 };

static void self_label(void *self, unsigned field, __u64 code, char *out)
{
	snprintf(out, LABEL_MAX + 1, "%s%u.%llu", (const char *)self, field, (unsigned long long)code);
}

static const struct field_codes one_way = { .label_of = self_label };

static void a_code_has_its_name(void **state)
{
	static const struct {
		const struct field_codes *codes;
		__u64 code;
		const char *label;
	} cases[] = {
		{ &by_place, READ, "read" }, { &by_place, WRITE, "write" }, { &by_place, HOLE, "none" }, { &by_place, 99, "none" },
		{ &by_name, 6, "tcp" }, { &by_name, 1ull << 40, "far" }, { &by_name, 7, "misc" },
		{ &by_label, 3, "odd" }, { &by_label, 1000, "even" }, { &one_way, 5, "x7.5" },
		{ &codes_number, ~0ull, "18446744073709551615" },
	};
	char self[] = "x", out[LABEL_MAX + 1];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		codes_label(cases[i].codes, self, 7, cases[i].code, out);
		assert_string_equal(out, cases[i].label);
	}
}

static void a_text_has_its_codes(void **state)
{
	__u64 code[8] = { 0 };

	assert_int_equal(codes_find(&by_place, NULL, 0, "write", code, 8), 1);
	assert_true(code[0] == WRITE);
	assert_int_equal(codes_find(&by_place, NULL, 0, "Write", code, 8), 0);
	assert_int_equal(codes_find(&by_place, NULL, 0, "", code, 8), 0);
	assert_int_equal(codes_find(&by_name, NULL, 0, "far", code, 8), 1);
	assert_true(code[0] == 1ull << 40);
	assert_int_equal(codes_find(&by_name, NULL, 0, "near", code, 8), 0);
	assert_int_equal(codes_find(&by_label, NULL, 0, "even", code, 8), 3);
	assert_true(code[0] == 0 && code[1] == 2 && code[2] == 4);
}

static void refuses_more_codes_than_fit(void **state)
{
	__u64 code[8];

	assert_int_equal(codes_find(&by_place, NULL, 0, "write", code, 0), -E2BIG);
	assert_int_equal(codes_find(&by_name, NULL, 0, "tcp", code, 0), -E2BIG);
	assert_int_equal(codes_find(&by_label, NULL, 0, "even", code, 2), -E2BIG);
	assert_int_equal(codes_find(&by_label, NULL, 0, "odd", code, 2), 2);
	assert_int_equal(codes_find(&one_way, NULL, 0, "x7.5", code, 8), -EOPNOTSUPP);
}

static void only_a_number_as_shown_leads_to_a_code(void **state)
{
	static const char *const none[] = { "", "x", "07", "+7", " 7", "7 ", "-1", "7.0", "99999999999999999999" };
	__u64 code[1];

	assert_int_equal(codes_find(&codes_number, NULL, 0, "0", code, 1), 1);
	assert_true(code[0] == 0);
	assert_int_equal(codes_find(&codes_number, NULL, 0, "18446744073709551615", code, 1), 1);
	assert_true(code[0] == ~0ull);
	assert_int_equal(codes_find(&codes_number, NULL, 0, "7", code, 0), -E2BIG);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_int_equal(codes_find(&codes_number, NULL, 0, none[i], code, 1), 0);
}

static void only_a_hash_as_shown_leads_to_a_code(void **state)
{
	static const char *const none[] = {
		"", "#", "#1", "#00000000000000ff ", "#00000000000000FF", "00000000000000ff", "#000000000000000ff"
	};
	char out[LABEL_MAX + 1];
	__u64 code;

	codes_hash_label(0xff, out);
	assert_string_equal(out, "#00000000000000ff");
	assert_true(codes_hash_find(out, &code) && code == 0xff);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_false(codes_hash_find(none[i], &code));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_code_has_its_name),
	cmocka_unit_test(a_text_has_its_codes),
	cmocka_unit_test(refuses_more_codes_than_fit),
	cmocka_unit_test(only_a_number_as_shown_leads_to_a_code),
	cmocka_unit_test(only_a_hash_as_shown_leads_to_a_code),
};

CHECK_MAIN(tests)
