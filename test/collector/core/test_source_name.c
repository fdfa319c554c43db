#include "collector/core/source_name.h"
#include "test/kit/check.h"

#include "collector/core/batch.h"

#include <errno.h>

#define RULE "must be 1 to 63 bytes of UTF-8 without blanks, control characters, / and ,"

static int name_check(const char *name)
{
	char reason[REASON_MAX] = "";
	int err = source_name_check(name, reason);

	if (err)
		assert_non_null(strstr(reason, "\" " RULE));
	else
		assert_string_equal(reason, "");
	return err;
}

TEST(names_of_hosts_are_names_of_sources)
{
	static const char *const names[] = { "a", "db1", "db1.example.net", "db_1", "host:script", "=\"\\;", "d\303\266ner", "\360\237\220\254" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (name_check(names[i]))
			fail_msg("%s is refused", names[i]);
}

TEST(a_name_is_at_most_63_bytes_long)
{
	char name[SOURCE_MAX + 1] = "";

	memset(name, 'x', SOURCE_MAX);
	assert_int_equal(name_check(name), -EINVAL);
	name[SOURCE_MAX - 1] = '\0';
	assert_int_equal(name_check(name), 0);
	memcpy(name + SOURCE_MAX - 3, "\303\266", 2);
	assert_int_equal(name_check(name), 0);
	memcpy(name + SOURCE_MAX - 2, "\303\266", 3);	/* the character begins within the limit */
	assert_int_equal(name_check(name), -EINVAL);
}

TEST(refuses_names_that_keys_and_lists_cannot_have)
{
	static const char *const names[] = { "", " ", "a b", "a/b", "a,b", "a\nb", "a\x7f", "a\x1b[1m", "a\xc2\x9b", "a\xff", "a\xc3", "\xed\xa0\x80" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (name_check(names[i]) != -EINVAL)
			fail_msg("name %zu is accepted", i);
	assert_int_equal(name_check(NULL), -EINVAL);
}

TEST(a_reason_shows_the_name_escaped_and_cut)
{
	char name[400], reason[REASON_MAX];

	source_name_check("a b\x1b", reason);
	assert_string_equal(reason, "the source's name \"a b\\u001b\" " RULE);
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	source_name_check(name, reason);
	assert_non_null(strstr(reason, RULE));
}

TEST_MAIN()
