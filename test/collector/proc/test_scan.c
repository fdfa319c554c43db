#include "collector/proc/scan.h"
#include "collector/proc/slurp.h"
#include "test/kit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

TEST(lines_and_words_come_one_by_one)
{
	static const char data[] = "a  bc\t7\n\n x:8";
	struct scan text = scan_of(data, strlen(data)), line, word;
	__u64 n;

	assert_int_equal(scan_line(&text, &line), 1);
	assert_true(scan_word(&line, &word) && scan_is(&word, "a"));
	assert_true(scan_word(&line, &word) && scan_is(&word, "bc") && !scan_is(&word, "b") && !scan_is(&word, "bcd"));
	assert_true(scan_number(&line, &n));
	assert_int_equal(n, 7);
	assert_false(scan_word(&line, &word));
	assert_int_equal(scan_line(&text, &line), 1);
	assert_false(scan_word(&line, &word));
	assert_int_equal(scan_line(&text, &line), 1);
	assert_true(scan_until(&line, ":", &word) && scan_is(&word, "x"));
	assert_true(scan_number(&line, &n));
	assert_int_equal(n, 8);
	assert_int_equal(scan_line(&text, &line), 0);
}

TEST(a_number_is_whole_and_fits)
{
	static const struct { const char *text; int is; __u64 n; } cases[] = {
		{ "0", 1, 0 }, { "007", 1, 7 }, { "18446744073709551615", 0, 0 }, { "18446744073709551599", 1, 18446744073709551599ull },
		{ "99999999999999999999", 0, 0 }, { "-1", 0, 0 }, { "1.5", 0, 0 }, { "", 0, 0 }, { "12x", 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct scan word = scan_of(cases[i].text, strlen(cases[i].text));
		__u64 n = 0;

		assert_int_equal(scan_digits(&word, &n), cases[i].is);
		assert_int_equal(n, cases[i].n);
	}
}

TEST(a_nul_ends_a_word)
{
	struct scan line = scan_of("ab\0cd 5", 7), word;
	__u64 n;

	assert_true(scan_word(&line, &word) && scan_is(&word, "ab"));
	assert_true(scan_until(&line, ":", &word) && scan_is(&word, "cd"));
	assert_true(scan_number(&line, &n));
}

TEST(a_file_comes_whole)
{
	char path[] = "/tmp/heatscope-slurp.XXXXXX", line[64];
	int fd = mkstemp(path);
	struct bytes b = { 0 };
	__u64 n = 0;
	size_t len = 0;

	for (int i = 0; i < 4000; i++) {
		int wrote = snprintf(line, sizeof(line), "line %d\n", i);

		assert_int_equal(write(fd, line, (size_t)wrote), wrote);
		len += (size_t)wrote;
	}
	assert_int_equal(slurp(AT_FDCWD, path, &b), 0);
	assert_int_equal(b.len, len);
	assert_int_equal(slurp_number(AT_FDCWD, path, &b, &n), -EBADMSG);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, "4096\n", 5, 0), 5);
	assert_int_equal(slurp_number(AT_FDCWD, path, &b, &n), 0);
	assert_int_equal(n, 4096);
	assert_int_equal(pwrite(fd, "max\n\n", 5, 0), 5);
	assert_int_equal(slurp_number(AT_FDCWD, path, &b, &n), 0);
	assert_true(n == ~0ull);
	assert_int_equal(ftruncate(fd, SLURP_MAX + 1), 0);
	assert_int_equal(slurp(AT_FDCWD, path, &b), -EFBIG);
	close(fd);
	unlink(path);
	assert_int_equal(slurp(AT_FDCWD, path, &b), -ENOENT);
	bytes_fini(&b);
}

TEST_MAIN()
