/* fuzz_mysql_parse - parses any bytes, in any pieces, as receives and sends of one connection.
 *
 *      input: { kind, length, bytes } ...      kind & 3: receive, send, receive of unseen bytes, new connection
 *
 * Holds: no undefined behaviour, every state stays in its range, and as long as the protocol is
 * known the pieces do not matter: byte by byte the same commands are found.
 */
#include "test/kit/mysql_driver.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void check(int holds)
{
	if (!holds)
		abort();
}

static void conn_check(const struct conn *c)
{
	check(c->mode <= CONN_MYSQLX);
	check(c->have <= 7 || c->mode == CONN_STRANGE);
	check(c->stage <= REPLY_DEFINITIONS);
	check(c->left <= PACKET_MAX);
	check(c->scanner.state <= STATEMENT_DONE);
	check(c->scanner.n <= 8);
	check(c->attributes.part <= ATTRIBUTES_VALUE && c->attributes.n_values <= ATTRIBUTES_MAX && c->attributes.value <= c->attributes.n_values);
	check(c->who.part <= WHO_USE_SEMICOLON && c->who.name.n <= NAME_ROOM);
	check(!c->who.skip || c->who.part == WHO_AUTH || c->who.part == WHO_AUTH_HIGH);
	check(c->follow.n < FOLLOW_HEAD && c->follow.verdict <= REPLY_HELD);
	check(c->statement <= STATEMENT_MISC || statement_known(c->statement));
}

static int follows(const struct conn *c)
{
	return c->mode == CONN_PLAIN || c->mode == CONN_COMPRESSED || c->mode == CONN_LOGIN || c->mode == CONN_PROXY;
}

static void drive_open(struct drive *d, uint8_t kind)
{
	static const uint8_t modes[] = { CONN_PLAIN, CONN_LOGIN, CONN_STRANGE, CONN_COMPRESSED };

	memset(d, 0, sizeof(*d));
	d->conn.mode = modes[kind >> 2 & 3];
	d->conn.sure = modes[kind >> 2 & 3] == CONN_PLAIN;
	d->conn.wanted = kind >> 4 & 1;
	d->ahead = kind >> 5 & 1;
	d->ahead_text = kind >> 6 & 1;
	d->follow = kind >> 7;
}

static void both_receive(struct drive *whole, struct drive *bytes, const uint8_t *data, uint32_t n)
{
	uint32_t i;

	drive_receive(whole, data, n);
	for (i = 0; i < n; i++)
		drive_receive(bytes, data + i, 1);
	if (!follows(&whole->conn) || !follows(&bytes->conn) || whole->conn.mode != bytes->conn.mode) {
		*bytes = *whole;		/* what a strange connection is depends on the pieces */
		return;
	}
	check(whole->n == bytes->n && whole->n_starts == bytes->n_starts);
	check(!memcmp(whole->found, bytes->found, sizeof(whole->found)));
	check(whole->conn.who.user == bytes->conn.who.user && whole->conn.who.database == bytes->conn.who.database);
	check(whole->n_names == bytes->n_names && !memcmp(whole->name, bytes->name, sizeof(whole->name)));
}

/* Followed, a reply is the same byte by byte. */
static void both_send(struct drive *whole, struct drive *bytes, const uint8_t *data, uint32_t n)
{
	int verdict = drive_send(whole, data, n), last = verdict;
	uint32_t i;

	if (!whole->conn.follow.on || !bytes->conn.follow.on) {
		drive_send(bytes, data, n);
		return;
	}
	/* The begin of a reply is parsed from one send: a server does not cut a packet's header.  Whether a connection becomes
	 * sure depends on the whole send. */
	i = bytes->conn.fresh ? n < REPLY_HEAD || !bytes->conn.sure ? n : REPLY_HEAD : 0;
	if (i)
		last = drive_send(bytes, data, i);
	for (; i < n; i++)
		last = drive_send(bytes, data + i, 1);
	check(last == verdict && follow_rows(&whole->conn) == follow_rows(&bytes->conn));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct drive whole, bytes;
	size_t at = 0;

	drive_open(&whole, 16 | 32 | 64);
	bytes = whole;
	while (at + 2 <= len) {
		uint8_t kind = data[at], n = data[at + 1];

		at += 2;
		if (n > len - at)
			n = len - at;
		if ((kind & 3) == 0) {
			both_receive(&whole, &bytes, data + at, n);
		} else if ((kind & 3) == 1 && n) {	/* a send of nothing is not parsed */
			both_send(&whole, &bytes, data + at, n);
		} else if ((kind & 3) == 2 && parse_blind(&whole.conn) > 1) {
			uint32_t most = parse_blind(&whole.conn), skip = (uint32_t)n << 16 | n;

			drive_receive(&whole, NULL, skip && skip < most ? skip : 1);
			bytes = whole;
			n = 0;
		} else if ((kind & 3) == 3) {
			drive_open(&whole, kind);
			bytes = whole;
			n = 0;
		}
		conn_check(&whole.conn);
		at += n;
	}
	return 0;
}
