#include "aggregator/http/tls.h"
#include "test/kit/certificate_kit.h"
#include "test/kit/check.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/heatscope-test-XXXXXX", certificate[64], key[64], other[64], other_key[64], reason[512];

static int make_files(void **state)
{
	if (!mkdtemp(dir))
		return -1;
	snprintf(certificate, sizeof(certificate), "%s/cert.pem", dir);
	snprintf(key, sizeof(key), "%s/key.pem", dir);
	snprintf(other, sizeof(other), "%s/other.pem", dir);
	snprintf(other_key, sizeof(other_key), "%s/other.key", dir);
	certificate_write("db1.example", "192.0.2.7", certificate, key);
	certificate_write("db2.example", "192.0.2.8", other, other_key);
	return 0;
}

static int remove_files(void **state)
{
	return unlink(certificate) | unlink(key) | unlink(other) | unlink(other_key) | rmdir(dir);
}

TEST(a_pair_is_accepted_and_names_its_hosts)
{
	static const char *const ours[] = { "db1.example", "DB1.example", "192.0.2.7" };
	static const char *const others[] = { "", "db2.example", "example", "x.db1.example", "db1.example.evil", "192.0.2.8",
					      "localhost", "127.0.0.1", "test", "[::1]", "[]", "[db1.example", "*" };
	struct tls *t;

	assert_int_equal(tls_read(certificate, key, &t, reason, sizeof(reason)), 0);
	assert_memory_equal(tls_certificate(t), "-----BEGIN CERTIFICATE-----", 27);
	assert_non_null(strstr(tls_key(t), "PRIVATE KEY-----"));
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		assert_true(tls_is_of(t, ours[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (tls_is_of(t, others[i]))
			fail_msg("it is of \"%s\"", others[i]);
	tls_free(t);
}

TEST(two_that_do_not_belong_together_are_refused)
{
	struct tls *t;

	assert_int_equal(tls_read(certificate, other_key, &t, reason, sizeof(reason)), -EINVAL);
	assert_non_null(strstr(reason, "other.key is not the key of the certificate in"));
	assert_int_equal(tls_read(key, key, &t, reason, sizeof(reason)), -EINVAL);
	assert_non_null(strstr(reason, "contains no certificate"));
	/* the mode is 0644 */
	assert_int_equal(tls_read(certificate, certificate, &t, reason, sizeof(reason)), -EPERM);
}

TEST(a_key_that_all_users_may_read_is_refused)
{
	static const struct { mode_t mode; int err; } cases[] = {
		{ 0644, -EPERM }, { 0604, -EPERM }, { 0602, -EPERM }, { 0640, 0 }, { 0400, 0 }, { 0600, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tls *t = NULL;

		assert_int_equal(chmod(key, cases[i].mode), 0);
		assert_int_equal(tls_read(certificate, key, &t, reason, sizeof(reason)), cases[i].err);
		if (cases[i].err)
			assert_non_null(strstr(reason, "every user of this machine"));
		tls_free(t);
	}
}

TEST(an_unreadable_file_is_named)
{
	struct tls *t;

	assert_int_equal(tls_read("/nonexistent/c", key, &t, reason, sizeof(reason)), -ENOENT);
	assert_non_null(strstr(reason, "/nonexistent/c cannot be read: No such file"));
	assert_int_equal(tls_read(certificate, "/nonexistent/k", &t, reason, sizeof(reason)), -ENOENT);
	assert_int_equal(tls_read("/dev/null", key, &t, reason, sizeof(reason)), -EINVAL);
	assert_int_equal(tls_read("/tmp", key, &t, reason, sizeof(reason)), -EINVAL);
}

TEST_MAIN_WITH(make_files, remove_files)
