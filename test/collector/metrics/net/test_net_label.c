#include "collector/metrics/net/net.h"
#include "collector/metrics/net/net_label.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"

#include <errno.h>

TEST(protocols_have_names)
{
	static const struct { __u64 code; const char *name; } cases[] = {
		{ 1, "icmp" }, { 6, "tcp" }, { 17, "udp" }, { 58, "icmp6" }, { 132, "sctp" }, { 200, "IP protocol 200" },
		{ NET_ETHERTYPE | 0x0806, "arp" }, { NET_ETHERTYPE | 0x8100, "vlan" }, { NET_ETHERTYPE | 0x0011, "ethertype 0x0011" },
		{ NET_ETHERTYPE | 0x0006, "ethertype 0x0006" },
	};
	char out[LABEL_MAX + 1];
	__u64 again;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		codes_label(&net_protocol_codes, NULL, 0, cases[i].code, out);
		assert_string_equal(out, cases[i].name);
		assert_int_equal(codes_find(&net_protocol_codes, NULL, 0, out, &again, 1), 1);
		assert_int_equal(again, cases[i].code);
	}
}

TEST(a_text_that_is_never_shown_has_no_code)
{
	static const char *const texts[] = { "", "TCP", "IP protocol 6", "IP protocol 256", "IP protocol 200 ", "ethertype 0x0806",
					     "ethertype 0x10000", "ethertype 0x11" };
	__u64 again;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(codes_find(&net_protocol_codes, NULL, 0, texts[i], &again, 1), 0);
	assert_int_equal(codes_find(&net_direction_codes, NULL, 0, "both", &again, 1), 0);
	assert_int_equal(codes_find(&net_protocol_codes, NULL, 0, "tcp", &again, 0), -E2BIG);
}

TEST(directions_have_names)
{
	char out[LABEL_MAX + 1];
	__u64 code, again;

	for (code = NET_IN; code <= NET_OUT; code++) {
		codes_label(&net_direction_codes, NULL, 0, code, out);
		assert_string_equal(out, code == NET_OUT ? "out" : "in");
		assert_int_equal(codes_find(&net_direction_codes, NULL, 0, out, &again, 1), 1);
		assert_int_equal(again, code);
	}
}

TEST_MAIN()
