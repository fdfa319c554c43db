#include "test/kit/check.h"

#include "aggregator/base/endpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

TEST(other_machines_reach_all_but_loopback_and_unix_sockets)
{
	static const char *const near[] = { "127.0.0.1:23181", "127.9.9.9:0", "localhost:1", "[::1]:65535", "unix:/tmp/x" };
	static const char *const wide[] = { "0.0.0.0:23181", "[::]:23181", "192.0.2.1:80", "[2001:db8::1]:80",
					    "[::ffff:127.0.0.1]:80" };
	struct endpoint e;
	char reason[256];

	for (size_t i = 0; i < sizeof(near) / sizeof(*near); i++) {
		assert_int_equal(endpoint_parse(near[i], &e, reason, sizeof(reason)), 0);
		assert_false(endpoint_is_beyond(&e));
		assert_int_equal(endpoint_is_tcp(&e), near[i][0] != 'u');
	}
	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++) {
		assert_int_equal(endpoint_parse(wide[i], &e, reason, sizeof(reason)), 0);
		assert_true(endpoint_is_beyond(&e));
		assert_true(endpoint_is_tcp(&e));
	}
}

TEST(link_local_addresses_are_recognized)
{
	static const struct { const char *at; bool is; } cases[] = {
		{ "169.254.169.254:80", true }, { "169.254.0.1:80", true }, { "169.253.0.1:80", false }, { "169.255.0.1:80", false },
		{ "127.0.0.1:80", false }, { "192.0.2.1:80", false }, { "[fe80::1]:80", true }, { "[febf::1]:80", true }, { "[fec0::1]:80", false },
		{ "[::1]:80", false }, { "[2001:db8::1]:80", false }, { "[::ffff:169.254.169.254]:80", true }, { "[::ffff:192.0.2.1]:80", false },
		{ "[::169.254.169.254]:80", true }, { "[64:ff9b::a9fe:a9fe]:80", true }, { "[64:ff9b::c000:201]:80", false },
		{ "[fd00:ec2::254]:80", true }, { "[fd00:ec2::253]:80", false }, { "unix:/tmp/x", false },
	};
	struct endpoint e;
	char reason[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(endpoint_parse(cases[i].at, &e, reason, sizeof(reason)), 0);
		if (endpoint_is_link_local((const struct sockaddr *)&e.addr) != cases[i].is)
			fail_msg("%s", cases[i].at);
	}
}

TEST(an_invalid_address_is_refused_with_a_reason)
{
	static const char *const bad[] = { "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", ":80",
					   "example.org:80", "127.0.0.1:8o", "[::1:80", "unix:" };
	struct endpoint e;
	char reason[256], path[300] = "unix:/tmp/";

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(endpoint_parse(bad[i], &e, reason, sizeof(reason)), -EINVAL);
		assert_true(strlen(reason) > 10);
	}
	memset(path + 10, 'x', 200);
	assert_int_equal(endpoint_parse(path, &e, reason, sizeof(reason)), -EINVAL);
}

TEST(a_socket_that_answers_is_left_alone_and_a_stale_one_replaced)
{
	char dir[] = "/tmp/heatscope-test-XXXXXX", path[64], reason[256];
	struct endpoint e;
	struct stat st;
	int fd, second;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "unix:%s/s", dir);
	assert_int_equal(endpoint_parse(path, &e, reason, sizeof(reason)), 0);
	assert_int_equal(endpoint_listen(&e, 0660, &fd, reason, sizeof(reason)), 0);
	assert_int_equal(stat(path + 5, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0660);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(endpoint_listen(&e, 0660, &second, reason, sizeof(reason)), -EADDRINUSE);
	assert_non_null(strstr(reason, "another program listens"));
	close(fd);					/* as a crash would: the file stays */
	assert_int_equal(stat(path + 5, &st), 0);
	assert_int_equal(endpoint_listen(&e, 0660, &fd, reason, sizeof(reason)), 0);
	close(fd);
	endpoint_remove(&e);
	assert_int_equal(rmdir(dir), 0);
}

TEST(a_file_that_is_not_a_socket_is_left_alone)
{
	char dir[] = "/tmp/heatscope-test-XXXXXX", path[64], reason[256];
	struct endpoint e;
	int fd;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "unix:%s/s", dir);
	assert_int_equal(endpoint_parse(path, &e, reason, sizeof(reason)), 0);
	fd = open(path + 5, O_CREAT | O_WRONLY, 0600);
	close(fd);
	assert_int_equal(endpoint_listen(&e, 0660, &fd, reason, sizeof(reason)), -EEXIST);
	assert_int_equal(access(path + 5, F_OK), 0);
	unlink(path + 5);
	assert_int_equal(rmdir(dir), 0);
}

TEST(a_folder_that_is_missing_is_named)
{
	struct endpoint e;
	char reason[256];
	int fd;

	assert_int_equal(endpoint_parse("unix:/nonexistent/heatscope/s", &e, reason, sizeof(reason)), 0);
	assert_int_equal(endpoint_listen(&e, 0660, &fd, reason, sizeof(reason)), -ENOENT);
	assert_string_equal(reason, "cannot listen on /nonexistent/heatscope/s: No such file or directory");
}

TEST_MAIN()
