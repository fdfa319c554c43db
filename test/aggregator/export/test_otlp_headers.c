#include "aggregator/export/otlp_headers.h"
#include "test/kit/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct otlp_headers h;

static unsigned parse(const char *text)
{
	strcpy(h.text, text);
	return otlp_headers_parse(&h, strlen(text));
}

TEST(lines_are_headers)
{
	assert_int_equal(parse("# a key\nAuthorization: Basic abc==\r\n\nx-api-key:  k\nX-Scope-OrgID: t"), 0);
	assert_int_equal(h.n, 3);
	assert_string_equal(h.line[0], "Authorization: Basic abc==");
	assert_string_equal(h.line[1], "x-api-key:  k");
	assert_string_equal(h.line[2], "X-Scope-OrgID: t");
	assert_int_equal(parse(""), 0);
	assert_int_equal(h.n, 0);
}

TEST(other_lines_are_refused)
{
	static const char *const texts[] = {
		"a: b\nsecret", "a: b\n: x", "a: b\nwith space: x", "a: b\nc:", "a: b\nc:  ", "a: b\nc: d\x01", "a: b\nc: \xc3\xa9",
		"a: b\ncontent-type: text/plain", "a: b\nHost: x", "a: b\nContent-Encoding: x",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (parse(texts[i]) != 2)
			fail_msg("\"%s\" was taken", texts[i]);
}

TEST(there_are_at_most_sixteen)
{
	char text[400] = "";

	for (unsigned i = 0; i < OTLP_HEADERS_MAX; i++)
		strcat(text, "a: b\n");
	assert_int_equal(parse(text), 0);
	assert_int_equal(parse(strcat(text, "a: b\n")), OTLP_HEADERS_MAX + 1);
}

TEST(a_file_that_others_can_read_is_refused)
{
	char path[] = "/tmp/heatscope-headers-XXXXXX", reason[256];
	int fd = mkstemp(path);

	assert_true(fd >= 0 && write(fd, "a: secret\n", 10) == 10 && !close(fd));
	assert_int_equal(otlp_headers_read(path, &h, reason, sizeof(reason)), 0);
	assert_string_equal(h.line[0], "a: secret");
	chmod(path, 0640);
	assert_int_equal(otlp_headers_read(path, &h, reason, sizeof(reason)), -EPERM);
	assert_non_null(strstr(reason, "so other users can read the headers: chmod 600 it"));
	assert_int_equal(h.n, 0);
	chmod(path, 0600);
	assert_int_equal(truncate(path, OTLP_HEADERS_BYTES + 1), 0);
	assert_int_equal(otlp_headers_read(path, &h, reason, sizeof(reason)), -E2BIG);
	assert_int_equal(truncate(path, 3), 0);
	assert_int_equal(otlp_headers_read(path, &h, reason, sizeof(reason)), -EINVAL);
	assert_null(strstr(reason, "secret"));
	unlink(path);
	assert_int_equal(otlp_headers_read(path, &h, reason, sizeof(reason)), -ENOENT);
}

TEST_MAIN()
