#include "collector/trace/address.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"

#include <arpa/inet.h>
#include <errno.h>

/* IPv4 needs no map; without a map IPv6 is shown as a number. */
static void ipv4_is_its_own_code(void **state)
{
	static const char *const texts[] = { "0.0.0.0", "127.0.0.1", "192.168.255.1", "255.255.255.255", "none" };
	char out[LABEL_MAX + 1];
	__u64 code;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_int_equal(address_codes(texts[i], &code, 1), 1);
		address_label(-1, code, out);
		assert_string_equal(out, texts[i]);
	}
}

static void ipv4_written_as_ipv6_is_the_same(void **state)
{
	__u64 a, b;

	assert_int_equal(address_codes("10.1.2.3", &a, 1), 1);
	assert_int_equal(address_codes("::ffff:10.1.2.3", &b, 1), 1);
	assert_int_equal(a, b);
}

static void ipv6_is_a_hash(void **state)
{
	__u64 a, b, again;
	char out[LABEL_MAX + 1];

	assert_int_equal(address_codes("fe80::1", &a, 1), 1);
	assert_int_equal(address_codes("fe80:0:0::0001", &b, 1), 1);
	assert_int_equal(a, b);
	assert_int_equal(address_codes("fe80::2", &b, 1), 1);
	assert_int_not_equal(a, b);
	assert_true(a & ADDRESS_V6);
	address_label(-1, a, out);
	assert_int_equal(out[0], '#');
	assert_int_equal(address_codes(out, &again, 1), 1);
	assert_int_equal(again, a);
}

static void a_text_that_is_not_an_address_has_no_code(void **state)
{
	static const char *const texts[] = { "", "localhost", "1.2.3", "1.2.3.4.5", "::g", "127.0.0.1 ", "#12" };
	__u64 code;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(address_codes(texts[i], &code, 1), 0);
	assert_int_equal(address_codes("127.0.0.1", &code, 0), -E2BIG);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ipv4_is_its_own_code),
	cmocka_unit_test(ipv4_written_as_ipv6_is_the_same),
	cmocka_unit_test(ipv6_is_a_hash),
	cmocka_unit_test(a_text_that_is_not_an_address_has_no_code),
};

CHECK_MAIN(tests)
