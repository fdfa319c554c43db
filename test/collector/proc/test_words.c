#include "collector/proc/words.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"

#include <stdio.h>

TEST(a_text_is_found_by_its_code)
{
	struct words w = { 0 };
	char text[LABEL_MAX + 1], name[32];
	__u64 code[2000];

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 2000; i++)
			code[i] = words_code(&w, name, (size_t)snprintf(name, sizeof(name), "thing%d", i));
		assert_int_equal(w.n_words, 2000);
		for (int i = 0; i < 2000; i++) {
			snprintf(name, sizeof(name), "thing%d", i);
			words_text(&w, code[i], text);
			assert_string_equal(text, name);
			assert_int_equal(words_code(&w, name, strlen(name)), code[i]);
			assert_int_equal(words_hash(name, strlen(name)), code[i]);
		}
		words_clear(&w);
		assert_int_equal(w.n_words, 0);
	}
	words_fini(&w);
}

TEST(an_unknown_code_is_shown_as_its_hash)
{
	struct words w = { 0 };
	char text[LABEL_MAX + 1];

	words_text(&w, 0x12ab, text);
	assert_string_equal(text, "#00000000000012ab");
	words_code(&w, "a", 1);
	words_clear(&w);
	words_text(&w, words_hash("a", 1), text);
	assert_int_equal(text[0], '#');
	words_text(&w, 0, text);
	assert_int_equal(text[0], '#');
	words_fini(&w);
}

TEST(a_long_text_is_cut)
{
	struct words w = { 0 };
	char text[LABEL_MAX + 1], path[2 * LABEL_MAX];

	memset(path, 'x', sizeof(path));
	words_text(&w, words_code(&w, path, sizeof(path)), text);
	assert_int_equal(strlen(text), LABEL_MAX);
	words_fini(&w);
}

TEST_MAIN()
