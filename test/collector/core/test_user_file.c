#include "collector/core/user_file.h"
#include "test/kit/check.h"
#include "test/kit/sample_kit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int read_text(const char *text, struct user_file *u, char *reason)
{
	FILE *f = fopen(sample_path("user"), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return user_file_read(sample_path("user"), u, reason);
}

TEST(the_first_line_is_user_and_password)
{
	static const struct { const char *text, *user, *password; } table[] = {
		{ "heatscope:secret\n", "heatscope", "secret" }, { "a:b", "a", "b" }, { "a:b:c\r\nmore\n", "a", "b:c" }, { "a:\n", "a", "" },
	};
	struct user_file u;
	char reason[REASON_MAX];

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_int_equal(read_text(table[i].text, &u, reason), 0);
		assert_string_equal(u.user, table[i].user);
		assert_string_equal(u.password, table[i].password);
	}
	unlink(sample_path("user"));
}

TEST(another_line_is_refused_without_naming_the_password)
{
	static const char *const bad[] = { "", "\n", "secret\n", ":secret\n", "\nuser:secret\n" };
	struct user_file u;
	char reason[REASON_MAX];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(read_text(bad[i], &u, reason), -EINVAL);
		assert_non_null(strstr(reason, "USER:PASSWORD"));
		assert_null(strstr(reason, "secret"));
	}
	unlink(sample_path("user"));
	assert_int_equal(user_file_read(sample_path("user"), &u, reason), -ENOENT);
	assert_non_null(strstr(reason, "cannot be read"));
}

TEST_MAIN()
