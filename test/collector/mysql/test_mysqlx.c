#include "collector/mysql/mysqlx.h"
#include "test/kit/check.h"

#include <string.h>

#define LOOP(i, n) for (i = 0; i < (n); i++)
#define BYTES(text) text, sizeof(text) - 1

static void x_hello_is_its_nine_bytes(void **state)
{
	__u8 hello[] = { 5, 0, 0, 0, 11, 8, 5, 26, 0, 0 };
	__u32 i;

	assert_true(mysqlx_hello(hello, 9));
	assert_false(mysqlx_hello(hello, 8));
	assert_false(mysqlx_hello(hello, 10));
	LOOP(i, 9) {
		hello[i] ^= 1;
		assert_false(mysqlx_hello(hello, 9));
		hello[i] ^= 1;
	}
}

/* The first send of a server, whole or its begin. */
static void reply_is_known_by_its_first_message(void **state)
{
	static const struct { const char *bytes; __u32 n; int replies; } cases[] = {
		{ BYTES("\1\0\0\0\0"), 1 },				/* OK */
		{ BYTES("\1\0\0\0\x0e"), 1 }, { BYTES("\1\0\0\0\x11"), 1 },
		{ BYTES("\x1e\0\0\0\1\x08\1\x10\x88\x27\x1a\x0fInvalid message\"\5HY000"), 1 },
		{ BYTES("\x17\0\0\0\x0c\x08\1\x50\2\x58\x20\x12\0011\x1a\0\"\0*\0002\0:\3def\4\0\0\0\x0d\x0a\1\2"), 1 },
		{ BYTES("\x0f\0\0\0\x0b\x08\3\x10\2\x1a\x08\x08\4\x12\4\x08\2\x18\0\1\0\0\0\x11"), 1 },
		{ BYTES("\2\0\0\0\0\x08"), 1 },
		{ BYTES("\x17\0\0\0\x0c\x08\1"), 0 },			/* cut */
		{ BYTES("\1\0\0\0\5"), 0 }, { BYTES("\1\0\0\0\1"), 0 }, { BYTES("\0\0\0\0\0"), 0 },
		{ BYTES("\2\0\0\0\x0b\x10"), 0 }, { BYTES("\1\0\0\0"), 0 }, { BYTES("\2\0\0\1\x0b\x08"), 0 },
		{ BYTES("\2\0\0\0\x2b\x08"), 0 },
	};
	__u8 bytes[64];
	size_t i;

	LOOP(i, sizeof(cases) / sizeof(*cases)) {
		memset(bytes, 8, sizeof(bytes));
		memcpy(bytes, cases[i].bytes, cases[i].n);
		if (mysqlx_replies(bytes, cases[i].n) != cases[i].replies)
			fail_msg("case %zu", i);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(x_hello_is_its_nine_bytes),
	cmocka_unit_test(reply_is_known_by_its_first_message),
};

CHECK_MAIN(tests)
