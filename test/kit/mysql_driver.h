/* mysql_driver.h - runs the pure parser of MySQL over bytes in memory, as mysql.bpf.c does over the server's buffer,
 * and writes down the events.  For the tests of mysql/ and fuzz_mysql_parse.
 */
#ifndef HEATSCOPE_MYSQL_DRIVER_H
#define HEATSCOPE_MYSQL_DRIVER_H

#include "collector/mysql/follow.h"

#include <string.h>

struct found {
	__u16 command;
	__u64 statement;
};

struct drive {
	struct conn conn;
	struct found found[64];		/* complete commands */
	unsigned n, n_starts, n_cancels, n_lookups, n_closes;
	__u32 id;			/* of the last lookup or close */
	__u64 prepared;			/* what a lookup gives */
	int ahead, ahead_text;		/* parse_ahead() and reply_ahead() are used, the former for texts too */
	int follow;			/* replies are followed, to count rows */
	char name[4][NAME_ROOM + 1];	/* the last ones reported */
	unsigned n_names;
	unsigned n_clients;		/* PROXY headers with an address */
};

static inline void drive_outcome(struct drive *d, __u32 out)
{
	d->n_starts += !!(out & PARSE_START);
	d->n_cancels += !!(out & PARSE_CANCEL);
	if (out & PARSE_LOOKUP) {
		d->n_lookups++;
		d->conn.statement = d->prepared;
	}
	d->n_closes += !!(out & PARSE_CLOSE);
	d->n_clients += !!(out & PARSE_CLIENT);
	if (out & (PARSE_LOOKUP | PARSE_CLOSE))
		d->id = d->conn.statement_id;
	if (out & PARSE_NAME) {
		const struct name *name = &d->conn.who.name;
		char *to = d->name[d->n_names++ & 3];

		memcpy(to, name->text, name->n);
		to[name->n] = 0;
	}
	if (out & PARSE_DONE)
		follow_begin(&d->conn, d->follow);
	if ((out & PARSE_DONE) && d->n < 64)
		d->found[d->n++] = (struct found){ d->conn.command, d->conn.statement };
}

/* Takes the next ones of the `left` bytes of a receive.  Returns bytes taken << 32 | PARSE_*. */
static inline __u64 drive_step(struct drive *d, const __u8 *data, __u32 left)
{
	struct conn *c = &d->conn;
	__u32 blind;

	if (data && d->ahead && parse_can_ahead(c) && left >= PARSE_AHEAD)
		return parse_ahead(c, data, d->ahead_text);
	if (text_follows_attributes(c))
		return parse_attributes(c, data ? *data : 0, left);
	blind = parse_blind(c);
	if (!blind)
		return parse_eaten(1, parse_byte(c, *data));
	if (blind > left)
		blind = left;
	return parse_eaten(blind, parse_skip(c, blind));
}

/* Handles one receive.  data NULL: the parser must not read the bytes. */
static inline void drive_receive(struct drive *d, const __u8 *data, __u32 total)
{
	__u32 at = 0;

	if (data)
		conn_receive(&d->conn, data, total < 5 ? total : 5, total);
	while (at < total) {
		__u64 step = drive_step(d, data ? data + at : NULL, total - at);

		drive_outcome(d, step);
		at += step >> 32;
	}
}

/* Follows a send, as far as the parser looks at it. */
static inline int drive_follow(struct drive *d, const __u8 *data, __u32 total)
{
	__u32 pos = 0;

	for (int i = 0; i < FOLLOW_STEPS && pos < total; i++) {
		__u8 head[FOLLOW_HEAD] = { 0 };

		memcpy(head, data + pos, total - pos < FOLLOW_HEAD ? total - pos : FOLLOW_HEAD);
		pos += follow_step(&d->conn, head, total - pos);
	}
	d->conn.held = follow_verdict(&d->conn) == REPLY_HELD;
	return follow_verdict(&d->conn);
}

/* Handles one send: is the reply complete with it? */
static inline int drive_send(struct drive *d, const __u8 *data, __u32 total)
{
	struct conn *c = &d->conn;
	int verdict = REPLY_MORE, i;
	__u32 pos = 0;

	if (c->fresh) {
		__u8 begin[REPLY_HEAD] = { 0 };

		memcpy(begin, data, total < REPLY_HEAD ? total : REPLY_HEAD);
		reply_begin(c, begin, total, total);
	}
	if (c->follow.on)
		return drive_follow(d, data, total);
	for (i = 0; i < REPLY_PACKETS && pos < total && !c->unaligned; i++) {
		__u8 head[REPLY_HEAD] = { 0 };
		struct packet p = { .head = head };

		if (total - pos < 4)
			break;
		p.len = bytes_u24(data + pos);
		if (pos + 4 + p.len > total)
			break;
		p.n = p.len < REPLY_HEAD ? p.len : REPLY_HEAD;
		memcpy(head, data + pos + 4, p.n);
		verdict = reply_packet(c, &p);
		pos += 4 + p.len;
		if (!i && d->ahead && pos < total && total >= REPLY_TAIL && total <= REPLY_WINDOW &&
		    reply_ahead(c, data[3], data + total - REPLY_TAIL) == REPLY_DONE) {
			verdict = REPLY_DONE;
			pos = total;
		}
	}
	if (pos != total) {
		reply_unfollowed(c);
		verdict = total >= REPLY_TAIL ? reply_ends(c, data + total - REPLY_TAIL) : REPLY_MORE;
	}
	c->held = verdict == REPLY_HELD;
	return verdict;
}

/* ---- bytes to drive it with ---- */

/* Writes a packet: header with sequence number, then the body. */
static inline __u32 packet(__u8 *out, __u8 seq, const void *body, __u32 n)
{
	out[0] = n;
	out[1] = n >> 8;
	out[2] = n >> 16;
	out[3] = seq;
	memcpy(out + 4, body, n);
	return n + 4;
}

static inline __u32 command(__u8 *out, __u8 byte, const char *text)
{
	__u8 body[4096];

	body[0] = byte;
	memcpy(body + 1, text, strlen(text));
	return packet(out, 0, body, strlen(text) + 1);
}

static inline void plain(struct drive *d)
{
	memset(d, 0, sizeof(*d));
	d->conn.mode = CONN_PLAIN;
	d->conn.sure = 1;
	d->conn.wanted = 1;
	d->prepared = STATEMENT_CODE("select");
}

#define OK "\7\0\0\1\0\0\0\2\0\0\0"
#define OK_MORE "\7\0\0\1\0\0\0\x0a\0\0\0"
#define ERR "\x09\0\0\1\xff\x19\x04#42000"
#define PROGRESS "\x09\0\0\1\xff\xff\xff\1\1\2\3\4\5"
#define END "\5\0\0\4\xfe\0\0\2\0"
#define END_MORE "\5\0\0\4\xfe\0\0\x0a\0"
#define END_CURSOR "\5\0\0\4\xfe\0\0\x42\0"
#define END_OK "\7\0\0\4\xfe\0\0\2\0\0\0"
#define ONE_COLUMN "\1\0\0\1\1"
#define METADATA "\2\0\0\1\1\1"			/* one column, and a flag: its definition follows */
#define NO_METADATA "\2\0\0\1\1\0"
#define DEFINITION "\6\0\0\2\3def\0\0"
#define ROW "\2\0\0\4\1x"
#define ROW_EMPTY "\1\0\0\4\0"
#define ROW_BINARY "\3\0\0\4\0\0\1"
#define PREPARED_0 "\x0c\0\0\1\0\5\0\0\0\0\0\0\0\0\0\0"
#define PREPARED_FLAG "\x0d\0\0\1\0\5\0\0\0\1\0\1\0\0\0\0"	/* its flag is the next byte */
#define PREPARED_2 "\x0c\0\0\1\0\5\0\0\0\1\0\1\0\0\0\0"

#endif
