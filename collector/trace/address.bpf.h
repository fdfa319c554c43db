/* address.bpf.h - turns IP addresses into codes, in the kernel; see address.h.  Each x.bpf.c includes it once. */
#ifndef HEATSCOPE_ADDRESS_BPF_H
#define HEATSCOPE_ADDRESS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/trace/address.h"
#include "collector/trace/intern.bpf.h"

INTERNED(addresses, struct address, ADDRESSES_MAX);

/* Returns the code of an IPv4 address.  at: its 4 bytes, in the kernel's memory. */
static __always_inline __u64 address_of_v4(const void *at)
{
	__u8 byte[4] = { 0 };

	bpf_probe_read_kernel(byte, sizeof(byte), at);
	return address_code_v4(byte);
}

static __noinline __u64 address_remember(const struct address *a)
{
	__u64 code = address_code(a);

	if (code & ADDRESS_V6)
		intern(&addresses, &code, a);
	return code;
}

/* Returns the code of an IPv6 address.  at: its 16 bytes. */
static __always_inline __u64 address_of_v6(const void *at)
{
	struct address a = { { 0 } };

	bpf_probe_read_kernel(&a, sizeof(a), at);
	return address_remember(&a);
}

#endif
