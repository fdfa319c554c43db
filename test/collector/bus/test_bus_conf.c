#include "collector/bus/bus.h"
#include "test/kit/check.h"

#include <errno.h>
#include <string.h>

TEST(addresses_are_checked)
{
	static const char *const good[] = { "nats://127.0.0.1:4222", "tls://bus.example.net:4222", "nats://[::1]:4222", "nats://host",
					    "tls://a:4222,tls://b:4222,tls://c:4222" };
	static const char *const bad[] = { "", "127.0.0.1:4222", "http://host:4222", "nats://", "nats://a,", "nats://a,,nats://b", "nats://a/b",
					   "nats://user:secret@host:4222", "nats://a b", "nats://a,b" };
	char reason[REASON_MAX];

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		const struct bus_conf conf = { .url = good[i] };

		assert_int_equal(bus_conf_check(&conf, reason), 0);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const struct bus_conf conf = { .url = bad[i] };

		assert_int_equal(bus_conf_check(&conf, reason), -EINVAL);
		assert_non_null(strstr(reason, "address"));
	}
}

TEST(a_certificate_and_its_key_go_together)
{
	const struct bus_conf one = { .url = "tls://a", .certificate = "a.pem" }, other = { .url = "tls://a", .key = "a.pem", .certificate = "" },
			      both = { .url = "tls://a", .key = "a.key", .certificate = "a.pem" },
			      two_users = { .url = "tls://a", .credentials = "a", .user_file = "b" };
	char reason[REASON_MAX];

	assert_int_equal(bus_conf_check(&one, reason), -EINVAL);
	assert_int_equal(bus_conf_check(&other, reason), -EINVAL);
	assert_int_equal(bus_conf_check(&both, reason), 0);
	assert_int_equal(bus_conf_check(&two_users, reason), -EINVAL);
}

TEST_MAIN()
