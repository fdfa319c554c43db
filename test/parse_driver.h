/* parse_driver.h - drives the pure parser over bytes in memory, as mysql.bpf.c does over the server's
 * buffer, and writes down what it found.  For test_mysql_parse and fuzz_mysql_parse.
 */
#ifndef HEATSCOPE_TEST_PARSE_DRIVER_H
#define HEATSCOPE_TEST_PARSE_DRIVER_H

#include "collector/mysql_parse.h"

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
	int ahead, ahead_text;		/* parse_ahead() is used, for texts too */
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
	if (out & (PARSE_LOOKUP | PARSE_CLOSE))
		d->id = d->conn.statement_id;
	if ((out & PARSE_DONE) && d->n < 64)
		d->found[d->n++] = (struct found){ d->conn.command, d->conn.statement };
}

/* One receive.  data NULL: bytes that nobody may look at. */
static inline void drive_receive(struct drive *d, const __u8 *data, __u32 total)
{
	__u32 at = 0, blind;

	if (data)
		conn_receive(&d->conn, data, total < 5 ? total : 5, total);
	while (at < total) {
		if (data && d->ahead && parse_can_ahead(&d->conn) && total - at >= PARSE_AHEAD) {
			__u64 step = parse_ahead(&d->conn, data + at, d->ahead_text);

			drive_outcome(d, step);
			at += step >> 32;
			continue;
		}
		blind = parse_blind(&d->conn);
		if (blind) {
			if (blind > total - at)
				blind = total - at;
			drive_outcome(d, parse_skip(&d->conn, blind));
			at += blind;
		} else {
			drive_outcome(d, parse_byte(&d->conn, data[at]));
			at++;
		}
	}
}

/* One send: is the reply complete with it? */
static inline int drive_send(struct drive *d, const __u8 *data, __u32 total)
{
	struct conn *c = &d->conn;
	int verdict = REPLY_MORE, i;
	__u32 pos = 0;

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
	}
	if (pos != total) {
		c->unaligned = 1;
		verdict = total >= REPLY_TAIL && reply_tail(data + total - REPLY_TAIL) ? REPLY_DONE : REPLY_MORE;
	}
	c->held = verdict == REPLY_HELD;
	return verdict;
}

#endif
