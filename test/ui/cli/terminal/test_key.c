#include "test/kit/check.h"
#include "ui/cli/terminal/key.h"

static const struct {
	const char *bytes;
	size_t len;
	int key;
} keys[] = {
	{ "m", 1, 'm' }, { "M", 1, 'M' }, { " ", 1, ' ' }, { "\x03", 1, KEY_INTERRUPT }, { "\x1a", 1, KEY_SUSPEND }, { "\x0c", 1, KEY_REDRAW },
	{ "\r", 1, KEY_ENTER }, { "\n", 1, KEY_ENTER }, { "\x1bOM", 3, KEY_ENTER },
	{ "\x1b[A", 3, KEY_UP }, { "\x1b[B", 3, KEY_DOWN }, { "\x1b[C", 3, KEY_RIGHT }, { "\x1b[D", 3, KEY_LEFT },
	{ "\x1bOA", 3, KEY_UP }, { "\x1bOB", 3, KEY_DOWN }, { "\x1bOC", 3, KEY_RIGHT }, { "\x1bOD", 3, KEY_LEFT },
	{ "\x1b[H", 3, KEY_HOME }, { "\x1bOH", 3, KEY_HOME }, { "\x1b[1~", 4, KEY_HOME }, { "\x1b[7~", 4, KEY_HOME },
	{ "\x1b[F", 3, KEY_END }, { "\x1bOF", 3, KEY_END }, { "\x1b[4~", 4, KEY_END }, { "\x1b[8~", 4, KEY_END },
	{ "\x1b[5~", 4, KEY_PAGE_UP }, { "\x1b[6~", 4, KEY_PAGE_DOWN },
	{ "\x1b[1;5D", 6, KEY_LEFT }, { "\x1b[1;2A", 6, KEY_UP }, { "\x1b[5;3~", 6, KEY_PAGE_UP },
	{ "\x1b[2~", 4, KEY_NONE }, { "\x1b[15~", 5, KEY_NONE }, { "\x1b[<0;12;7M", 10, KEY_NONE }, { "\x1b[?62;22c", 9, KEY_NONE },
	{ "\x1bOP", 3, KEY_NONE }, { "\xc3\xa4", 2, KEY_NONE }, { "\xe2\x82\xac", 3, KEY_NONE }, { "\xf0\x9f\x98\x80", 4, KEY_NONE },
};
#define N_KEYS (sizeof(keys) / sizeof(*keys))

TEST(every_key_is_read_as_a_whole)
{
	for (size_t i = 0; i < N_KEYS; i++) {
		char bytes[32];
		int key = -1;

		memcpy(bytes, keys[i].bytes, keys[i].len);
		strcpy(bytes + keys[i].len, "q");		/* what follows is the next key's */
		if (key_read((unsigned char *)bytes, keys[i].len + 1, false, &key) != keys[i].len || key != keys[i].key)
			fail_msg("key %zu is read as %d", i, key);
	}
}

TEST(a_part_waits_for_the_rest)
{
	for (size_t i = 0; i < N_KEYS; i++)
		for (size_t len = 1; len < keys[i].len; len++) {
			int key;

			if (key_read((const unsigned char *)keys[i].bytes, len, false, &key))
				fail_msg("%zu bytes of key %zu are enough", len, i);
		}
}

TEST(what_ends_without_the_rest_is_taken)
{
	static const struct { const char *bytes; size_t len; int key; } cases[] = {
		{ "\x1b", 1, KEY_ESCAPE }, { "\x1b[", 2, KEY_ESCAPE }, { "\x1b[1;", 4, KEY_NONE }, { "\x1bO", 2, KEY_ESCAPE }, { "\xc3", 1, KEY_NONE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int key = -1;

		assert_int_equal(key_read((const unsigned char *)cases[i].bytes, cases[i].len, true, &key), cases[i].len);
		assert_int_equal(key, cases[i].key);
	}
}

TEST(escape_before_a_letter_is_escape)
{
	int key;

	assert_int_equal(key_read((const unsigned char *)"\x1bq", 2, false, &key), 1);
	assert_int_equal(key, KEY_ESCAPE);
}

TEST(noise_ends)
{
	unsigned char noise[200];
	int key;

	memset(noise, '1', sizeof(noise));
	memcpy(noise, "\x1b[", 2);
	assert_true(key_read(noise, sizeof(noise), false, &key) > 0);
	assert_int_equal(key, KEY_NONE);
}

TEST_MAIN()
