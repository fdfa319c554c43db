#include "aggregator/http/token.h"
#include "test/kit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECRET "0123456789abcdef0123"

static char path[] = "/tmp/heatscope-test-XXXXXX";
static char reason[256];

static int make_file(void **state)
{
	int fd = mkstemp(path);

	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	return unlink(path);
}

static int read_text(const char *text, size_t len, mode_t mode, struct token *ret)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
	return token_read(path, ret, reason, sizeof(reason));
}

TEST(the_secret_is_the_file_s_line)
{
	static const char *const same[] = { SECRET, SECRET "\n" };
	struct token t;

	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(read_text(same[i], strlen(same[i]), 0600, &t), 0);
		assert_true(token_admits(&t, "Bearer " SECRET));
		assert_true(token_admits(&t, "bearer " SECRET));
	}
	assert_int_equal(read_text(SECRET, strlen(SECRET), 0400, &t), 0);
}

TEST(anything_else_is_not_let_in)
{
	static const char *const others[] = {
		"", "Bearer", "Bearer ", SECRET, "Bearer  " SECRET, "Bearer " SECRET " ", "Bearer " SECRET "\n", "Basic " SECRET,
		"Bearer 0123456789abcdef0124", "Bearer 0123456789abcdef012", "Bearer 0123456789abcdef01233",
		"Bearer 0123456789ABCDEF0123", "BearerX" SECRET,
	};
	struct token t;

	assert_int_equal(read_text(SECRET, strlen(SECRET), 0600, &t), 0);
	assert_false(token_admits(&t, NULL));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (token_admits(&t, others[i]))
			fail_msg("\"%s\" is let in", others[i]);
}

TEST(a_file_that_others_may_read_is_refused)
{
	static const mode_t modes[] = { 0640, 0620, 0610, 0604, 0602, 0601, 0644, 0666, 0777 };
	struct token t;

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		assert_int_equal(read_text(SECRET, strlen(SECRET), modes[i], &t), -EPERM);
		assert_non_null(strstr(reason, "chmod 600"));
		assert_non_null(strstr(reason, path));
	}
}

TEST(a_file_that_others_may_write_is_refused)
{
	struct token t;

	if (geteuid())
		skip();
	assert_int_equal(read_text(SECRET, strlen(SECRET), 0600, &t), 0);
	assert_int_equal(chown(path, 65534, (gid_t)-1), 0);
	assert_int_equal(token_read(path, &t, reason, sizeof(reason)), -EPERM);
	assert_non_null(strstr(reason, "belongs to another user"));
	assert_int_equal(chown(path, 0, (gid_t)-1), 0);
}

TEST(an_invalid_token_is_refused_with_a_reason)
{
	static const struct { const char *text; size_t len; } cases[] = {
		{ "", 0 }, { "\n", 1 }, { "short\n", 6 }, { "0123456789abcde", 15 }, { "two words refused", 17 },
		{ "0123456789abcdef\n\n", 18 }, { "0123456789abcdef\r\n", 18 }, { "0123456789abcdef\nmore", 21 },
		{ "0123456789\0abcdef", 17 }, { "0123456789abcd\xc3\xa9", 16 },
	};
	char text[600];
	struct token t;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(read_text(cases[i].text, cases[i].len, 0600, &t), -EINVAL);
		assert_non_null(strstr(reason, "one line of 16 to 256"));
	}
	memset(text, 'x', sizeof(text));
	assert_int_equal(read_text(text, 256, 0600, &t), 0);
	for (size_t len = 257; len < sizeof(text); len++)
		assert_int_equal(read_text(text, len, 0600, &t), -EINVAL);
}

TEST(a_file_that_cannot_be_read_is_named)
{
	struct token t;

	assert_int_equal(token_read("/nonexistent/token", &t, reason, sizeof(reason)), -ENOENT);
	assert_non_null(strstr(reason, "/nonexistent/token: No such file"));
	assert_int_equal(token_read("/tmp", &t, reason, sizeof(reason)), -EINVAL);
	assert_non_null(strstr(reason, "is not a file"));
}

TEST_MAIN_WITH(make_file, remove_file)
