#include "collector/trace/text.h"
#include "collector/core/key.h"
#include "test/kit/check.h"

#include <errno.h>

static __u64 hash(const char *bytes, size_t len)
{
	__u64 h = HASH_SEED;

	for (size_t i = 0; i < len; i++)
		h = hash_byte(h, (__u8)bytes[i]);
	return h;
}

static void a_text_is_its_hash(void **state)
{
	__u64 code[4];

	assert_int_equal(text_codes("mariadbd", 0, code, 4), 1);
	assert_true(code[0] == hash("mariadbd", 8));
	assert_int_equal(text_codes("/run/x", 1ull << 63, code, 4), 1);
	assert_true(code[0] == (hash("/run/x", 6) | 1ull << 63));
	assert_int_equal(text_codes("mariadbd", 0, code, 1), -E2BIG);
	assert_int_equal(text_codes("", 0, code, 4), 1);
	assert_true(code[0] == hash("", 1));	/* the kernel hashes the first byte, whatever it is */
}

/* A label shows the NUL of an abstract name as @. */
static void an_abstract_name_has_two_possible_codes(void **state)
{
	__u64 code[4];

	assert_int_equal(text_codes("@x", 0, code, 4), 2);
	assert_true(code[0] == hash("@x", 2));
	assert_true(code[1] == hash("\0x", 2));
}

static void a_forgotten_text_is_its_code(void **state)
{
	__u64 code[4];

	assert_int_equal(text_codes("#00000000000000ff", 0, code, 4), 2);
	assert_true(code[1] == 255);
	assert_int_equal(text_codes("#ff", 0, code, 4), 1);
	assert_int_equal(text_codes("other #00000000000000ff", 0, code, 4), 2);	/* a process that is called as one of our words */
	assert_true(code[1] == 255);
	assert_int_equal(text_codes("#00000000000000ff", 1ull << 63, code, 4), 1);	/* not a code of that field */
}

static void a_text_that_is_too_long_has_no_code(void **state)
{
	char text[TEXT_MAX + 1];
	__u64 code[4];

	memset(text, 'a', sizeof(text));
	text[TEXT_MAX - 1] = 0;
	assert_int_equal(text_codes(text, 0, code, 4), 1);
	text[TEXT_MAX - 1] = 'a';
	text[TEXT_MAX] = 0;
	assert_int_equal(text_codes(text, 0, code, 4), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_text_is_its_hash),
	cmocka_unit_test(an_abstract_name_has_two_possible_codes),
	cmocka_unit_test(a_forgotten_text_is_its_code),
	cmocka_unit_test(a_text_that_is_too_long_has_no_code),
};

CHECK_MAIN(tests)
