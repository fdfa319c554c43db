#include "collector/metrics/net/packet.h"
#include "test/kit/check.h"

#include <arpa/inet.h>

static const __u8 tcp4[] = { 0x45, 0, 0, 44, 0, 1, 0, 0, 64, 6, 0, 0, 10, 1, 2, 3, 192, 168, 0, 9, 0x1f, 0x90, 0x00, 0x50 };
static const __u8 udp6[] = { 0x60, 0, 0, 0, 0, 8, 17, 64,
			     0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
			     0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x00, 0x35, 0x12, 0x34 };

static int parse(const __u8 *bytes, __u32 n, __u32 ethertype, struct packet *ret)
{
	__u8 head[PACKET_HEAD] = { 0 };

	memcpy(head, bytes, n);
	return packet_parse(head, n, ethertype, ret);
}

static int is_address(const struct address *a, const char *text)
{
	struct address expected;
	struct in_addr v4;

	if (inet_pton(AF_INET6, text, &expected) == 1)
		return !memcmp(a, &expected, sizeof(expected));
	inet_pton(AF_INET, text, &v4);
	return address_is_v4(a) && !memcmp(a->byte + 12, &v4, 4);
}

TEST(ipv4_has_addresses_and_ports)
{
	struct packet p;

	assert_int_equal(parse(tcp4, sizeof(tcp4), PACKET_IPV4, &p), 0);
	assert_int_equal(p.protocol, PACKET_TCP);
	assert_true(is_address(&p.from.address, "10.1.2.3"));
	assert_true(is_address(&p.to.address, "192.168.0.9"));
	assert_int_equal(p.from.port, 8080);
	assert_int_equal(p.to.port, 80);
}

TEST(ipv6_has_addresses_and_ports)
{
	struct packet p;

	assert_int_equal(parse(udp6, sizeof(udp6), PACKET_IPV6, &p), 0);
	assert_int_equal(p.protocol, PACKET_UDP);
	assert_true(is_address(&p.from.address, "fe80::1"));
	assert_true(is_address(&p.to.address, "2001:db8::2"));
	assert_int_equal(p.from.port, 53);
	assert_int_equal(p.to.port, 0x1234);
}

/* The changed byte of the IPv4 packet, and the port that packet_parse() then finds. */
TEST(ports_come_after_the_headers)
{
	static const struct { int at, value; __u32 n; int from; } cases[] = {
		{ 6, 0x20, sizeof(tcp4), 8080 },	/* the first fragment */
		{ 7, 1, sizeof(tcp4), 0 },		/* a later fragment */
		{ 9, 1, sizeof(tcp4), 0 },		/* ICMP */
		{ 9, 17, sizeof(tcp4), 8080 },		/* UDP */
		{ 0, 0x46, sizeof(tcp4), 0 },		/* options that leave no bytes after them */
		{ 0, 0x45, 22, 0 },			/* cut */
		{ 0, 0x4f, sizeof(tcp4), 0 },
	};
	__u8 bytes[sizeof(tcp4)];
	struct packet p;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		memcpy(bytes, tcp4, sizeof(bytes));
		bytes[cases[i].at] = cases[i].value;
		assert_int_equal(parse(bytes, cases[i].n, PACKET_IPV4, &p), 0);
		assert_int_equal(p.from.port, cases[i].from);
		assert_true(is_address(&p.from.address, "10.1.2.3"));
	}
}

TEST(a_packet_without_ip_is_refused)
{
	__u8 bytes[sizeof(tcp4)];
	struct packet p;
	__u32 n;

	for (n = 0; n < 20; n++)
		assert_int_equal(parse(tcp4, n, PACKET_IPV4, &p), -1);
	for (n = 0; n < 40; n++)
		assert_int_equal(parse(udp6, n, PACKET_IPV6, &p), -1);
	assert_int_equal(parse(tcp4, sizeof(tcp4), PACKET_IPV6, &p), -1);
	assert_int_equal(parse(tcp4, sizeof(tcp4), 0x0806, &p), -1);
	assert_int_equal(parse(udp6, sizeof(udp6), PACKET_IPV4, &p), -1);
	memcpy(bytes, tcp4, sizeof(bytes));
	bytes[0] = 0x44;
	assert_int_equal(parse(bytes, sizeof(bytes), PACKET_IPV4, &p), -1);
}

TEST_MAIN()
