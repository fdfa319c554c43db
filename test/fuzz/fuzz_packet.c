/* fuzz_packet - parses any bytes as the head of a packet: two bytes of Ethernet type, then the packet. */
#include "collector/metrics/net/packet.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct packet untouched = { .protocol = 12345 };
	struct packet p = untouched, again;
	__u8 *head;
	__u32 n;

	if (len < 2)
		return 0;
	head = calloc(1, PACKET_HEAD);
	if (!head)
		return 0;
	n = len - 2 < PACKET_HEAD ? len - 2 : PACKET_HEAD;
	memcpy(head, data + 2, n);
	if (packet_parse(head, n, packet_u16(data), &p)) {
		must(!memcmp(&p, &untouched, sizeof(p)));
	} else {
		must(p.protocol < 256);
		must(p.protocol == PACKET_TCP || p.protocol == PACKET_UDP || (!p.from.port && !p.to.port));
		must(address_is_v4(&p.from.address) || packet_u16(data) == PACKET_IPV6);
		/* Memory after the bytes of the packet does not matter. */
		memset(head + n, 0xa5, PACKET_HEAD - n);
		must(!packet_parse(head, n, packet_u16(data), &again) && !memcmp(&p, &again, sizeof(p)));
	}
	free(head);
	return 0;
}
