/* A statement as it was sent becomes a text that is safe to read. */
#include "collector/core/exemplars.h"
#include "collector/ring/statement_text.h"
#include "test/kit/check.h"

static const char *text_of(const char *sent, size_t n, int whole)
{
	static char out[STATEMENT_TEXT_UTF8_MAX + 1];
	struct statement_text v = { .name = 1, .as_sent = { .len = (__u16)n, .whole = (__u16)whole } };

	memcpy(v.as_sent.text, sent, n < STATEMENT_TEXT_ROOM ? n : STATEMENT_TEXT_ROOM);
	n = statement_text_write(&v, out);
	assert_int_equal(n, strlen(out));
	return out;
}

TEST(a_text_is_as_it_was_sent)
{
	static const struct { const char *sent, *text; } cases[] = {
		{ "", "" }, { "select 'O''Hara', 4711", "select 'O''Hara', 4711" }, { "a\n\tb -- c\n", "a\n\tb -- c\n" }, { "caf\xc3\xa9", "caf\xc3\xa9" },
		{ "x\x01\x7f\r\xe9y", "x????y" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(text_of(cases[i].sent, strlen(cases[i].sent), 1), cases[i].text);
	assert_string_equal(text_of("a\0b", 3, 1), "a?b");
}

TEST(a_cut_text_says_so)
{
	char sent[STATEMENT_TEXT_ROOM];

	memset(sent, 'x', sizeof(sent));
	assert_string_equal(text_of("select 1", 8, 0), "select 1…");
	assert_int_equal(strlen(text_of(sent, STATEMENT_TEXT_MAX, 0)), STATEMENT_TEXT_UTF8_MAX);
	assert_int_equal(strlen(text_of(sent, STATEMENT_TEXT_ROOM, 1)), STATEMENT_TEXT_MAX); /* and not beyond */
	sent[STATEMENT_TEXT_MAX - 1] = '\xc3';			/* the first half of a character */
	assert_string_equal(text_of(sent, STATEMENT_TEXT_MAX, 0) + STATEMENT_TEXT_MAX - 1, "?…");
}

TEST(every_text_fits_an_exemplar)
{
	assert_true(STATEMENT_TEXT_UTF8_MAX <= EXEMPLAR_TEXT_MAX);
}

/* A connection's texts take turns in two places, and each text has a new name. */
TEST(each_text_of_a_connection_has_its_own_name)
{
	for (__u64 n = 0; n < 600; n++) {
		__u64 name = STATEMENT_TEXT_NAME(7ull, n), next = STATEMENT_TEXT_NAME(7ull, n + 1);
		__u64 later = STATEMENT_TEXT_NAME(7ull, n + 2);

		assert_true(name && STATEMENT_TEXT_KEY(name) != STATEMENT_TEXT_KEY(next));
		assert_true(STATEMENT_TEXT_KEY(name) == STATEMENT_TEXT_KEY(later) && name != later);
		assert_true(STATEMENT_TEXT_KEY(name) != STATEMENT_TEXT_KEY(STATEMENT_TEXT_NAME(8ull, n)));
		for (int bit = 1; bit < 32; bit++)
			assert_true(name != STATEMENT_TEXT_NAME(7ull, n + (1ull << bit)));
	}
}

TEST_MAIN()
