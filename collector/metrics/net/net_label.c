#include "collector/metrics/net/net_label.h"
#include "collector/metrics/net/net.h"
#include "collector/core/slice.h"

#include <linux/if_ether.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#define DCCP 33				/* the C library forgot it in some versions */

static const struct {
	__u64 code;
	const char *name;
} protocols[] = {
	{ IPPROTO_ICMP, "icmp" }, { IPPROTO_IGMP, "igmp" }, { IPPROTO_IPIP, "ipip" }, { IPPROTO_TCP, "tcp" },
	{ IPPROTO_UDP, "udp" }, { DCCP, "dccp" }, { IPPROTO_IPV6, "ipv6" }, { IPPROTO_GRE, "gre" },
	{ IPPROTO_ESP, "esp" }, { IPPROTO_AH, "ah" }, { IPPROTO_ICMPV6, "icmp6" }, { IPPROTO_SCTP, "sctp" },
	{ IPPROTO_UDPLITE, "udplite" }, { 112, "vrrp" },
	{ NET_ETHERTYPE | ETH_P_ARP, "arp" }, { NET_ETHERTYPE | ETH_P_8021Q, "vlan" },
	{ NET_ETHERTYPE | ETH_P_LLDP, "lldp" }, { NET_ETHERTYPE | ETH_P_PAE, "eapol" },
};

#define N_PROTOCOLS (sizeof(protocols) / sizeof(*protocols))

static const char *const directions[] = { [NET_IN] = "in", [NET_OUT] = "out" };
const struct field_codes net_direction_codes = CODES_NAMES(directions, NET_IN);

static void protocol_label(__u64 code, char *out)
{
	size_t i;

	for (i = 0; i < N_PROTOCOLS && protocols[i].code != code; i++)
		;
	if (i < N_PROTOCOLS)
		snprintf(out, LABEL_MAX + 1, "%s", protocols[i].name);
	else if (code & NET_ETHERTYPE)
		snprintf(out, LABEL_MAX + 1, "ethertype 0x%04x", (unsigned)code);
	else
		snprintf(out, LABEL_MAX + 1, "IP protocol %llu", (unsigned long long)code);
}

static int protocol_codes(const char *text, __u64 *ret_code, size_t max)
{
	char label[LABEL_MAX + 1];
	unsigned number;
	__u64 code = ~0ull;
	size_t i;

	for (i = 0; i < N_PROTOCOLS; i++)
		if (!strcmp(protocols[i].name, text))
			code = protocols[i].code;
	if (sscanf(text, "IP protocol %u", &number) == 1 && number < 256)
		code = number;
	if (sscanf(text, "ethertype 0x%x", &number) == 1 && number < 65536)
		code = NET_ETHERTYPE | number;
	if (code == ~0ull)
		return 0;
	protocol_label(code, label);
	return strcmp(label, text) ? 0 : codes_one(code, ret_code, max);
}

const struct field_codes net_protocol_codes = { .label = protocol_label, .codes = protocol_codes };
