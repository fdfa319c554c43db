#include "collector/core/show.h"
#include "collector/core/utf8_length.h"
#include "test/kit/check.h"

#include <inttypes.h>
#include <stdio.h>

static void characters_that_control_a_terminal_are_escaped(void **state)
{
	static const struct { const char *text, *shown; } cases[] = {
		{ "", "" }, { "select", "select" }, { "µs – 日本 😀", "µs – 日本 😀" }, { "c:\\n", "c:\\n" },
		{ "a\nb\tc\rd", "a\\nb\\tc\\rd" }, { "\x1b]0;owned\a", "\\u001b]0;owned\\u0007" }, { "\x7f", "\\u007f" },
		{ "\xc2\x9b" "2J", "\\u009b2J" }, { "\xc2\x80\xc2\x9f\xc2\xa0", "\\u0080\\u009f\xc2\xa0" }, { "\x9b" "2J", "\\x9b2J" },
		{ "\xe2\x80\xae", "\\u202e" }, { "\xe2\x81\xa6\xe2\x81\xa9", "\\u2066\\u2069" }, { "\xd8\x9c", "\\u061c" },
		{ "\xe2\x80\x8e\xe2\x80\x8f", "\\u200e\\u200f" }, { "\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029" },
		{ "\xe2\x80\x8b\xef\xbb\xbf\xc2\xad", "\\u200b\\ufeff\\u00ad" }, { "👩\xe2\x80\x8d🔧", "👩\xe2\x80\x8d🔧" },
		{ "\xff", "\\xff" }, { "a\xc3", "a\\xc3" }, { "\xc0\x80", "\\xc0\\x80" }, { "\xed\xa0\x80", "\\xed\\xa0\\x80" },
		{ "\xe2\x82z", "\\xe2\\x82z" }, { "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
	};
	char out[128];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(show_escape(cases[i].text, strlen(cases[i].text), out, sizeof(out)), strlen(cases[i].shown));
		assert_string_equal(out, cases[i].shown);
	}
}

/* Every character is shown as itself, or as an escape of printable ASCII. */
static int is_plain(const char *shown)
{
	for (const char *at = shown; *at; at++)
		if (*at < ' ' || *at > '~')
			return 0;
	return 1;
}

static size_t encode(unsigned c, char out[4])
{
	if (c < 0x80)
		return out[0] = (char)c, 1;
	if (c < 0x800)
		return out[0] = (char)(0xc0 | c >> 6), out[1] = (char)(0x80 | (c & 0x3f)), 2;
	if (c < 0x10000)
		return out[0] = (char)(0xe0 | c >> 12), out[1] = (char)(0x80 | (c >> 6 & 0x3f)), out[2] = (char)(0x80 | (c & 0x3f)), 3;
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static int must_be_escaped(unsigned c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

static void every_character_is_itself_or_an_escape(void **state)
{
	char text[4], shown[16];
	unsigned n_escaped = 0;

	for (unsigned c = 0; c < 0x110000; c++) {
		size_t len = encode(c, text), n;

		if (c >= 0xd800 && c < 0xe000)	/* surrogates are not characters */
			continue;
		n = show_escape(text, len, shown, sizeof(shown));
		if (n == len && !memcmp(shown, text, len)) {
			assert_false(must_be_escaped(c));
			continue;
		}
		n_escaped++;
		assert_true(shown[0] == '\\' && is_plain(shown));
	}
	assert_true(n_escaped >= 32 + 33 && n_escaped < 128);
}

/* Random bytes become well-formed text without control characters, and escaping that text does not change it. */
static void any_bytes_become_text(void **state)
{
	for (int round = 0; round < 20000; round++) {
		char text[24], out[24 * SHOW_MAX + 1], again[sizeof(out)];
		size_t n = check_below(sizeof(text) + 1);

		for (size_t i = 0; i < n; i++)
			text[i] = (char)(check_below(4) ? 0x80 + check_below(0x80) : check_below(0x80));
		assert_true(show_escape(text, n, out, sizeof(out)) == strlen(out));
		for (const unsigned char *at = (const unsigned char *)out; *at; at += utf8_length(at))
			assert_true(utf8_length(at) && !utf8_is_control(at));
		show_escape(out, strlen(out), again, sizeof(again));
		assert_string_equal(out, again);
	}
}

static void escaped_text_is_cut_between_characters(void **state)
{
	char out[8];

	assert_int_equal(show_escape("abcdefghi", 9, out, sizeof(out)), 9);
	assert_string_equal(out, "abcdefg");
	assert_int_equal(show_escape("ab\x1b" "c", 4, out, sizeof(out)), 9);
	assert_string_equal(out, "ab");
	assert_int_equal(show_escape("abcdefµ", 8, out, sizeof(out)), 8);
	assert_string_equal(out, "abcdef");
	assert_int_equal(show_escape("abc", 3, NULL, 0), 3);
}

/* --- show_print() --- */

static const char *printed(FILE **out, char **text)
{
	fclose(*out);
	return *text;
}

#define PRINTED(...)                                                                  \
	__extension__({                                                               \
		free(text);                                                           \
		out = open_memstream(&text, &len);                                    \
		show_print(out, __VA_ARGS__);                                         \
		printed(&out, &text);                                                 \
	})
#define SAME(...)                                                                     \
	do {                                                                          \
		snprintf(expected, sizeof(expected), __VA_ARGS__);                    \
		assert_string_equal(PRINTED(__VA_ARGS__), expected);                  \
	} while (0)

static void harmless_texts_and_numbers_are_printed_as_printf_does(void **state)
{
	char *text = NULL, expected[256];
	size_t len;
	FILE *out;

	SAME("nothing\n");
	SAME("100 %% of %s\n", "it");
	SAME("%d %i %5d|%-5d|%05d|%+d", -1, 2, 3, 4, 5, 6);
	SAME("%u %x %lu %lld %zu %zd %" PRIu64 " %jd", 7u, 0xabcu, 8ul, -9ll, (size_t)10, (ssize_t)-11, UINT64_MAX, (intmax_t)-12);
	SAME("%.0f %g %e %10.3f|%-10.2f|%.10g", 1.5, 2.5, 3.5, 4.5, 5.5, 1e9);
	SAME("%*.*f|%-*d|%*d", 9, 2, 3.14159, 5, 1, -5, 2);
	SAME("%s|%10s|%-10s|%.2s|%-*.*s|%*s|%*s", "a", "b", "c", "def", 5, 3, "ghijk", 4, "x", -4, "y");
	SAME("%c%c", 'a', '%');
	free(text);
}

static void arguments_are_escaped_and_formats_are_not(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *out;

	assert_string_equal(PRINTED("a\t%s\n", "b\n\x1b[2J"), "a\tb\\n\\u001b[2J\n");
	assert_string_equal(PRINTED("%.3s|", "ab\x1b" "c"), "ab\\u001b|");
	assert_string_equal(PRINTED("%c", '\a'), "\\u0007");
	assert_string_equal(PRINTED("%3s|%-3s|%8s|", "µ", "日", "\x1b"), "  µ|日  |  \\u001b|");
	free(text);
}

static void lines_keep_their_ends_only(void **state)
{
	static const struct { const char *text; bool csv; const char *shown; } cases[] = {
		{ "", false, "" }, { "a", false, "a" }, { "a\n", false, "a\n" }, { "\n\nb", false, "\n\nb" },
		{ "key,count\r\n\"a\x1b[31m\",1\r\n", true, "key,count\r\n\"a\\u001b[31m\",1\r\n" },
		{ "\"a\nforged,1\",1\r\n", true, "\"a\\nforged,1\",1\r\n" }, { "\"a\"\"\r\nb\\\",1\r\nc", true, "\"a\"\"\\r\\nb\\\",1\r\nc" },
		{ "a\rb\r", true, "a\\rb\\r" }, { "{\n \"a\\\"\": 1\n}\n", false, "{\n \"a\\\"\": 1\n}\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = NULL;
		size_t len;
		FILE *out = open_memstream(&text, &len);

		show_lines(out, cases[i].text, strlen(cases[i].text), cases[i].csv);
		fclose(out);
		assert_string_equal(text, cases[i].shown);
		free(text);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(characters_that_control_a_terminal_are_escaped),
	cmocka_unit_test(every_character_is_itself_or_an_escape),
	cmocka_unit_test(any_bytes_become_text),
	cmocka_unit_test(escaped_text_is_cut_between_characters),
	cmocka_unit_test(harmless_texts_and_numbers_are_printed_as_printf_does),
	cmocka_unit_test(arguments_are_escaped_and_formats_are_not),
	cmocka_unit_test(lines_keep_their_ends_only),
};

CHECK_MAIN(tests)
