/* address.h - turns an IP address into a code, and a code back into the address.
 *
 *      kernel: address_of_*() -> code, map `addresses` {code: address} of IPv6      host: address_label()
 *
 * Codes   The code of an IPv4 address is the address itself.  The code of an IPv6 address is a hash, and the map keeps
 *         the address.  The map forgets the addresses that were unused for longest; the host shows a forgotten one as
 *         #hash.  An IPv4 address within IPv6 (::ffff:a.b.c.d) counts as IPv4, so a peer has one name on every socket.
 */
#ifndef HEATSCOPE_ADDRESS_H
#define HEATSCOPE_ADDRESS_H

#include <linux/types.h>
#include "collector/core/key.h"

#define ADDRESS_NONE 0ull
#define ADDRESS_V4 (1ull << 32)		/* | the address as a number */
#define ADDRESS_V6 (1ull << 63)		/* | its hash */
#define ADDRESSES_MAX 4096

struct address {			/* IPv6, in network byte order */
	__u8 byte[16];
};

static inline int address_is_v4(const struct address *a)
{
	int i;

	for (i = 0; i < 10; i++)
		if (a->byte[i])
			return 0;
	return a->byte[10] == 0xff && a->byte[11] == 0xff;
}

static inline __u64 address_code_v4(const __u8 byte[4])
{
	return ADDRESS_V4 | (__u32)byte[0] << 24 | byte[1] << 16 | byte[2] << 8 | byte[3];
}

static inline __u64 address_code(const struct address *a)
{
	__u64 hash = HASH_SEED;
	int i;

	if (address_is_v4(a))
		return address_code_v4(a->byte + 12);
	for (i = 0; i < 16; i++)
		hash = hash_byte(hash, a->byte[i]);
	return hash | ADDRESS_V6;
}

#ifndef __bpf__
#include <stddef.h>

void address_label(int addresses_fd, __u64 code, char *out);	/* LABEL_MAX + 1 bytes */

/* Finds the codes that are shown as this text: returns 0 or 1 of them, or -E2BIG. */
int address_codes(const char *text, __u64 *ret_code, size_t max);
#endif

#endif
