/* packet.h - finds the protocol, addresses and ports of a packet in its first bytes.
 *
 *      bytes from the network header on --packet_parse()--> protocol, addresses, ports
 *
 * Shape   IPv4 addresses are written as IPv6.  Ports are 0 if the packet does not show them: protocols other than TCP
 *         and UDP, fragments but the first, IPv6 headers beyond the first, missing bytes.
 * Errors  -1: it is no IP packet, or its header is not complete.  Then no result is written.
 * Both    compiled for the BPF target too; fuzz_packet runs it on any bytes.
 */
#ifndef HEATSCOPE_PACKET_H
#define HEATSCOPE_PACKET_H

#include "collector/trace/address.h"

#define PACKET_HEAD 64			/* bytes of the longest header of IPv4, and the ports */
#define PACKET_IPV4 0x0800		/* Ethernet types */
#define PACKET_IPV6 0x86dd
#define PACKET_TCP 6
#define PACKET_UDP 17

struct packet_end {
	struct address address;
	__u16 port, pad[3];
};

struct packet {				/* all of its bytes are set: it can be a key */
	struct packet_end from, to;
	__u64 protocol;			/* IP's number */
};

static inline __u16 packet_u16(const __u8 *at)
{
	return at[0] << 8 | at[1];
}

static inline void packet_v4_address(struct address *a, const __u8 *at)
{
	a->byte[10] = a->byte[11] = 0xff;
	__builtin_memcpy(a->byte + 12, at, 4);
}

static inline void packet_ports(const __u8 head[PACKET_HEAD], __u32 n, __u32 at, struct packet *p)
{
	if ((p->protocol != PACKET_TCP && p->protocol != PACKET_UDP) || at > PACKET_HEAD - 4 || at + 4 > n)
		return;
	p->from.port = packet_u16(head + at);
	p->to.port = packet_u16(head + at + 2);
}

static inline int packet_parse(const __u8 head[PACKET_HEAD], __u32 n, __u32 ethertype, struct packet *ret)
{
	struct packet p = { .protocol = 0 };
	__u32 len = (head[0] & 15) * 4;

	if (ethertype == PACKET_IPV4) {
		if (n < 20 || head[0] >> 4 != 4 || len < 20)
			return -1;
		p.protocol = head[9];
		packet_v4_address(&p.from.address, head + 12);
		packet_v4_address(&p.to.address, head + 16);
		if (!(packet_u16(head + 6) & 0x1fff))
			packet_ports(head, n, len, &p);
	} else {
		if (ethertype != PACKET_IPV6 || n < 40 || head[0] >> 4 != 6)
			return -1;
		p.protocol = head[6];
		__builtin_memcpy(&p.from.address, head + 8, 16);
		__builtin_memcpy(&p.to.address, head + 24, 16);
		packet_ports(head, n, 40, &p);
	}
	*ret = p;
	return 0;
}

#endif
