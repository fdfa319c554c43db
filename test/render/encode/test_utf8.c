#include "render/encode/utf8.h"
#include "test/kit/check.h"

TEST(invalid_bytes_are_replaced)
{
	static const struct { const char *text, *clean; } cases[] = {
		{ "select", "select" }, { "", "" }, { "µs – 日本 😀", "µs – 日本 😀" }, { "a\nb\x7f", "a b " }, { "a\xc2\x9b" "2J\xc2\xa0", "a 2J\xc2\xa0" },
		{ "\xff", UTF8_UNKNOWN }, { "a\xc3", "a" UTF8_UNKNOWN }, { "\xc0\x80", UTF8_UNKNOWN UTF8_UNKNOWN },
		{ "\xed\xa0\x80", UTF8_UNKNOWN UTF8_UNKNOWN UTF8_UNKNOWN }, { "\xe2\x82z", UTF8_UNKNOWN UTF8_UNKNOWN "z" },
	};
	char out[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		utf8_clean(cases[i].text, out, sizeof(out));
		assert_string_equal(out, cases[i].clean);
	}
}

TEST(it_is_cut_between_characters)
{
	char out[5];

	(void)state;
	utf8_clean("abcdef", out, sizeof(out));
	assert_string_equal(out, "abcd");
	utf8_clean("abcµ", out, sizeof(out));
	assert_string_equal(out, "abc");
	utf8_clean("ab\xff", out, sizeof(out));
	assert_string_equal(out, "ab");
}

/* Random bytes always become well-formed text; well-formed text stays as it is. */
TEST(the_result_is_well_formed)
{
	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[24], out[64], again[64];

		for (int i = 0; i < 23; i++)
			text[i] = (char)(check_below(4) ? 0x80 + check_below(0x80) : 1 + check_below(0x7f));
		text[23] = 0;
		utf8_clean(text, out, sizeof(out));
		for (const unsigned char *at = (const unsigned char *)out; *at; at += utf8_length(at))
			assert_true(utf8_length(at) && !utf8_is_control(at));
		utf8_clean(out, again, sizeof(again));
		assert_string_equal(out, again);
	}
}

TEST_MAIN()
