/* proxy.h - reads the header that a proxy sends before a connection's own bytes (PROXY protocol 1 and 2).
 *
 *      proxy_begins() at 4 bytes -> proxy_begin() -> proxy_blind(), proxy_byte(), proxy_skip() -> PROXY_*
 *
 *      1   PROXY TCP4 source destination port port \r\n      TCP6 alike; UNKNOWN ... \r\n; at most 107 bytes
 *      2   0d 0a 0d 0a 00 0d 0a 51 55 49 54 0a | 2, command | family | length 2 | source, destination, ports, TLVs
 *
 * Cut     A header may come in pieces, cut anywhere: the struct is the whole state.
 * Local   A header without an IP address (UNKNOWN, LOCAL, a Unix socket) leaves the client unchanged.
 * Trust   none: a malformed address counts as no address.  Pure, for kernel and tests.
 */
#ifndef HEATSCOPE_PROXY_H
#define HEATSCOPE_PROXY_H

#include <linux/types.h>
#include "collector/trace/address.h"

#define PROXY_TEXT_MAX 107
#define PROXY_FIXED 16			/* bytes of version 2 before the addresses */

enum proxy_verdict { PROXY_MORE, PROXY_NONE, PROXY_ADDRESS, PROXY_BAD };

struct proxy {
	struct address address;		/* the client's; IPv4 as ::ffff:a.b.c.d */
	__u32 left;			/* version 2: bytes after the fixed ones that are still to come */
	__u32 at;			/* bytes so far */
	__u16 hex, decimal;		/* of the number that is being read */
	__u8 version;
	__u8 family;			/* 4, 6; 0: no address */
	__u8 word;			/* of version 1 */
	__u8 n;				/* bytes of the address so far */
	__u8 gap;			/* 1 + where `::` stands; 0: nowhere */
	__u8 digits;
	__u8 dotted;
	__u8 bad;
	__u32 pad;
};

static inline int proxy_begins(const __u8 *head)
{
	return (head[0] == 'P' && head[1] == 'R' && head[2] == 'O' && head[3] == 'X') ||
	       (head[0] == '\r' && head[1] == '\n' && head[2] == '\r' && head[3] == '\n');
}

/* Begins a header with its first 4 bytes. */
static inline void proxy_begin(struct proxy *p, const __u8 *head)
{
	__builtin_memset(p, 0, sizeof(*p));
	p->version = head[0] == 'P' ? 1 : 2;
	p->at = 4;
}

/* Returns how many bytes may be skipped unread. */
static inline __u32 proxy_blind(const struct proxy *p)
{
	__u32 wanted = p->family == 4 ? 4 : p->family == 6 ? 16 : 0;

	return p->version == 2 && p->at >= PROXY_FIXED + wanted ? p->left : 0;
}

static inline void proxy_put(struct proxy *p, __u8 byte)
{
	if (p->n >= 16)
		p->bad = 1;
	p->address.byte[p->n & 15] = byte;
	p->n += p->n < 16;
}

/* ---- version 1 ---- */

static inline void proxy_number_end(struct proxy *p)
{
	if (!p->digits)
		return;
	if (p->dotted) {
		p->bad |= p->decimal > 255;
		proxy_put(p, p->decimal);
	} else {
		proxy_put(p, p->hex >> 8);
		proxy_put(p, p->hex);
	}
	p->digits = 0;
	p->hex = 0;
	p->decimal = 0;
}

/* Moves the part after the `::` to the end of the address. */
static inline void proxy_gap_fill(struct proxy *p)
{
	__u32 from = p->gap - 1, shift = 16 - p->n;
	int i;

	for (i = 15; i >= 0; i--)
		if ((__u32)i >= from)
			p->address.byte[i] = (__u32)i >= from + shift ? p->address.byte[(i - shift) & 15] : 0;
}

static inline void proxy_source_end(struct proxy *p)
{
	if (p->family == 6 || p->digits)
		proxy_number_end(p);
	if (p->gap && p->n < 16) {
		proxy_gap_fill(p);
		p->n = 16;
	}
	if (p->n != 16 || p->bad)
		p->family = 0;
}

static inline void proxy_digit(struct proxy *p, __u8 digit)
{
	p->bad |= p->digits >= 4;
	p->hex = p->hex << 4 | digit;
	p->decimal = p->decimal * 10 + digit;
	p->digits++;
}

static inline void proxy_source_byte(struct proxy *p, __u8 byte)
{
	__u8 lower = byte | 0x20;

	if (byte >= '0' && byte <= '9') {
		proxy_digit(p, byte - '0');
	} else if (lower >= 'a' && lower <= 'f' && p->family == 6) {
		proxy_digit(p, lower - 'a' + 10);
	} else if (byte == '.') {
		p->dotted = 1;
		p->bad |= !p->digits;
		proxy_number_end(p);
	} else if (byte == ':' && p->family == 6) {
		if (!p->digits && p->at > 12)		/* PROXY TCP6 :: has its first colon at 12 */
			p->gap = p->n + 1;
		proxy_number_end(p);
	} else {
		p->bad = 1;
	}
}

/* Begins the source address. */
static inline void proxy_source_begin(struct proxy *p, __u8 family)
{
	p->family = family;
	if (family != 4)
		return;
	p->address.byte[10] = 0xff;
	p->address.byte[11] = 0xff;
	p->n = 12;
	p->dotted = 1;
}

static inline enum proxy_verdict proxy_text_byte(struct proxy *p, __u8 byte)
{
	if (byte == '\n')
		return p->word >= 3 && p->family ? PROXY_ADDRESS : PROXY_NONE;
	if (p->at > PROXY_TEXT_MAX)
		return PROXY_BAD;
	if (byte == ' ' || byte == '\r') {
		p->word += p->word < 9;
		if (p->word == 3)
			proxy_source_end(p);
	} else if (p->word == 1 && p->at == 10) {
		proxy_source_begin(p, byte == '4' ? 4 : byte == '6' ? 6 : 0);
	} else if (p->word == 2 && p->family) {
		proxy_source_byte(p, byte);
	}
	return PROXY_MORE;
}

/* ---- version 2 ---- */

static inline enum proxy_verdict proxy_binary_end(const struct proxy *p)
{
	if (p->at < PROXY_FIXED || p->left)
		return PROXY_MORE;
	return p->family && p->n == 16 ? PROXY_ADDRESS : PROXY_NONE;
}

static inline enum proxy_verdict proxy_fixed_byte(struct proxy *p, __u8 byte)
{
	switch (p->at) {			/* number of bytes, this one included */
	case 13:
		if (byte >> 4 != 2)
			return PROXY_BAD;
		p->word = byte & 15;		/* 0: LOCAL */
		break;
	case 14:
		if (p->word == 1)
			proxy_source_begin(p, byte >> 4 == 1 ? 4 : byte >> 4 == 2 ? 6 : 0);
		break;
	case 15: p->left = (__u32)byte << 8; break;
	case 16: p->left |= byte; break;
	}
	return proxy_binary_end(p);
}

static inline enum proxy_verdict proxy_binary_byte(struct proxy *p, __u8 byte)
{
	if (p->at <= PROXY_FIXED)
		return proxy_fixed_byte(p, byte);
	proxy_put(p, byte);
	p->left--;
	return proxy_binary_end(p);
}

/* Takes one byte, when proxy_blind() is 0. */
static inline enum proxy_verdict proxy_byte(struct proxy *p, __u8 byte)
{
	p->at++;
	return p->version == 1 ? proxy_text_byte(p, byte) : proxy_binary_byte(p, byte);
}

/* Skips n bytes, 1 .. proxy_blind(). */
static inline enum proxy_verdict proxy_skip(struct proxy *p, __u32 n)
{
	p->left -= n < p->left ? n : p->left;
	return proxy_binary_end(p);
}

#endif
