/* follow.h - follows a reply packet by packet across its sends, for instrumentations that count its rows.
 *
 *      follow_begin() at the command's end, follow_step() over each send, follow_verdict() at its end -> REPLY_*
 *
 *      | len  seq | head .. rest | len  seq | he    |    a | ad .. rest | ...
 *        `- read ----' skipped     `- kept: f->byte -'-------' skipped
 *
 * Cost   one step per packet, and one per byte of a head that a send cuts in two.
 */
#ifndef HEATSCOPE_MYSQL_FOLLOW_H
#define HEATSCOPE_MYSQL_FOLLOW_H

#include "collector/mysql/reply.h"

#define FOLLOW_STEPS 16384		/* of a send; by default servers send 16 kB of small packets at a time */

static inline void follow_begin(struct conn *c, int wanted)
{
	c->follow.on = wanted;
	c->follow.verdict = REPLY_MORE;
	c->follow.rows = 0;
	c->follow.n = 0;
	c->follow.skip = 0;
}

/* Returns a length-encoded number; 0 if it is not complete. */
static inline __u64 packet_number(const struct packet *p, __u32 at)
{
	__u32 n = number_len(p->head[at]), i;
	__u64 number = 0;

	if (at + n > p->n)
		return 0;
	if (n == 1)
		return p->head[at] < 0xfb ? p->head[at] : 0;
	for (i = 1; i < 9; i++)
		number |= i < n ? (__u64)p->head[at + i] << (8 * (i - 1)) : 0;
	return number;
}

/* Returns the rows that a packet reports.  stage: that of the reply when the packet came. */
static inline __u64 follow_count(const struct conn *c, __u8 stage, const struct packet *p)
{
	__u8 first = p->head[0];

	if (c->stage == REPLY_ROWS)		/* not the packet that ended the rows */
		return first != 0xff && !(first == 0xfe && p->len == 5) && c->command != COM_FIELD_LIST;
	return stage == REPLY_FIRST && c->stage == REPLY_FIRST && first == 0 ? packet_number(p, 1) : 0;
}

/* Takes a packet whose head has come. */
static inline void follow_packet(struct conn *c, __u32 len)
{
	struct packet p = { .len = len, .n = len < REPLY_HEAD ? len : REPLY_HEAD, .head = c->follow.byte + 4 };
	__u8 stage = c->stage, continues = c->row_continues;

	c->follow.n = 0;
	c->follow.verdict = reply_packet(c, &p);
	if (p.n && !continues)
		c->follow.rows += follow_count(c, stage, &p);
}

/* Returns how many bytes of a packet follow_step() needs; first those of its length.  have: bytes of it that have
 * come. */
static inline __u32 follow_needs(const __u8 *header, __u32 have)
{
	__u32 len = have < 4 ? 0 : bytes_u24(header);

	return 4 + (len < REPLY_HEAD ? len : REPLY_HEAD);
}

/* Takes some of the `left` bytes of a send, of which FOLLOW_HEAD may be read; returns how many. */
static inline __u32 follow_step(struct conn *c, const __u8 *at, __u32 left)
{
	struct follow *f = &c->follow;
	__u32 n = left, len;

	if (f->skip) {
		n = f->skip < left ? f->skip : left;
		f->skip -= n;
		return n;
	}
	if (!f->n && left >= 4 && left >= follow_needs(at, 4)) {
		__builtin_memcpy(f->byte, at, FOLLOW_HEAD);
		len = bytes_u24(f->byte) + 4;
		n = len < left ? len : left;
		f->skip = len - n;
		follow_packet(c, len - 4);
		return n;
	}
	f->byte[f->n & 31] = *at;
	f->n++;
	if (f->n >= 4 && f->n >= follow_needs(f->byte, f->n)) {
		len = bytes_u24(f->byte);
		f->skip = len + 4 - f->n;
		follow_packet(c, len);
	}
	return 1;
}

/* Returns REPLY_*, at the end of a send. */
static inline int follow_verdict(const struct conn *c)
{
	return c->follow.skip || c->follow.n ? REPLY_MORE : c->follow.verdict;
}

/* Returns the rows that the reply reported, as far as it was followed. */
static inline __u64 follow_rows(const struct conn *c)
{
	return c->follow.on && !c->unaligned ? c->follow.rows : 0;
}

#endif
