#include "collector/server/exchange_label.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"

#include <stdio.h>

static struct name name_made(const char *text)
{
	struct name name;

	name_begin(&name);
	while (*text)
		name_byte(&name, (__u8)*text++);
	return name;
}

static void label_made(const char *text, char *out)
{
	struct name name = name_made(text);

	turn_label_name(name_code(&name), &name, out);
}

TEST(a_name_is_its_label_and_leads_back)
{
	static const char *const names[] = { "ann", "Other", "others", "d\303\266ner", "a/b" };
	char label[LABEL_MAX + 1];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct name name = name_made(names[i]);
		__u64 code = 0;

		label_made(names[i], label);
		assert_string_equal(label, names[i]);
		assert_int_equal(turn_codes_name(label, &code, 1), 1);
		assert_true(code == name_code(&name));
	}
}

/* `other` is the label of keys beyond the limit, the others are our own words. */
TEST(a_user_who_is_called_as_one_of_our_words_has_a_label_of_its_own)
{
	static const char *const names[] = { "other", "none", "unknown", "encrypted", "shed" };
	char label[LABEL_MAX + 1], expected[LABEL_MAX + 1];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct name name = name_made(names[i]);
		__u64 code = 0;

		label_made(names[i], label);
		snprintf(expected, sizeof(expected), "%s #%016llx", names[i], (unsigned long long)name_code(&name));
		assert_string_equal(label, expected);
		assert_int_equal(turn_codes_name(label, &code, 1), 1);
		assert_true(code == name_code(&name));
	}
}

TEST(a_predicate_can_name_the_user_who_is_called_other)
{
	struct name name = name_made("other");
	__u64 code = 0;

	assert_int_equal(turn_codes_name("other", &code, 1), 1);
	assert_true(code == name_code(&name));
	assert_int_equal(turn_codes_name("none", &code, 1), 1);
	assert_true(code == NAME_NONE);
}

TEST_MAIN()
