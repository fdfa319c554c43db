#include "collector/core/user_file.h"
#include "collector/core/secret_file.h"
#include "test/kit/check.h"
#include "test/kit/sample_kit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_text(const char *text, struct user_file *u, char *reason)
{
	FILE *f = fopen(sample_path("user"), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(sample_path("user"), 0600), 0);
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

TEST(a_file_that_others_may_read_is_refused)
{
	struct user_file u;
	char reason[REASON_MAX];

	assert_int_equal(read_text("a:b\n", &u, reason), 0);
	assert_int_equal(secret_file_check(sample_path("user"), "seed", reason, sizeof(reason)), 0);
	assert_int_equal(chmod(sample_path("user"), 0640), 0);
	assert_int_equal(secret_file_check(sample_path("user"), "seed", reason, sizeof(reason)), -EPERM);
	assert_non_null(strstr(reason, "other users can read the seed"));
	assert_int_equal(user_file_read(sample_path("user"), &u, reason), -EPERM);
	assert_non_null(strstr(reason, "has mode 640, so other users can read the password: chmod 600 it"));
	unlink(sample_path("user"));
}

TEST(a_line_is_at_most_511_bytes_long)
{
	struct user_file u;
	char text[USER_FILE_LINE + 2], reason[REASON_MAX];

	memset(text, 'x', sizeof(text));
	text[1] = ':';
	text[USER_FILE_LINE - 1] = '\0';
	assert_int_equal(read_text(text, &u, reason), 0);
	assert_int_equal(strlen(u.password), USER_FILE_LINE - 3);
	text[USER_FILE_LINE - 1] = 'x';
	text[USER_FILE_LINE] = '\0';
	assert_int_equal(read_text(text, &u, reason), -EINVAL);
	assert_non_null(strstr(reason, "too long"));
}

TEST(a_file_is_at_most_4095_bytes_large)
{
	struct user_file u;
	char text[4097] = "a:b\n", reason[REASON_MAX];

	memset(text + 4, 'x', sizeof(text) - 5);
	text[4095] = '\0';
	assert_int_equal(read_text(text, &u, reason), 0);
	text[4095] = 'x';
	assert_int_equal(read_text(text, &u, reason), -E2BIG);
	assert_non_null(strstr(reason, "is too large: at most 4095 bytes"));
	unlink(sample_path("user"));
}

TEST_MAIN()
