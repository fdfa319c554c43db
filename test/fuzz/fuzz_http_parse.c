/* fuzz_http_parse - parses any bytes, in any pieces, as receives and sends of one connection.
 *
 *      input: { kind, length, bytes } ...      kind & 3: receive, send, send outside memory, new connection
 *
 * Holds: no undefined behaviour, every state stays in its range, an event per request at most, and as long as the protocol is
 * known the pieces do not matter: byte by byte the same events are found.
 */
#include "test/kit/http_driver.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void check(int holds)
{
	if (!holds)
		abort();
}

static void message_check(const struct http_message *m)
{
	check(m->state < N_MESSAGE_STATES);
	check(m->header <= HEADER_NONE);
	check(m->left < LENGTH_MAX && m->length < LENGTH_MAX);
	check(m->head <= HEAD_MAX + 1);
}

static void drive_check(const struct drive *d)
{
	const struct conn *c = &d->conn;

	message_check(&c->in);
	message_check(&c->out);
	check(c->mode <= CONN_IGNORED);
	check(c->asked.n <= ASKED_MAX && c->asked.first < ASKED_MAX);
	check(c->host.n <= NAME_ROOM);
	check(c->path.n_read <= PATH_LOOK);
	check(c->method < N_METHODS);
	check(c->status < 1000);
}

static void drive_open(struct drive *d, uint8_t kind)
{
	static const uint8_t modes[] = { CONN_STRANGE, CONN_PLAIN, CONN_PROBATION, CONN_PLAIN };

	drive_new(d);
	d->conn.mode = modes[kind >> 2 & 3];
	d->conn.wants_path = kind >> 4 & 1;
	d->conn.wants_host = kind >> 5 & 1;
}

static struct drive whole, bytes;

/* Bytes in pieces give the same events as the whole, unless the kind of the connection depends on the pieces. */
static void both_check(void)
{
	if (whole.conn.mode != CONN_PLAIN || bytes.conn.mode != CONN_PLAIN || whole.n_lost || bytes.n_lost ||
	    whole.conn.proxy.version) {
		whole.n_lost = 0;
		bytes = whole;
		return;
	}
	check(whole.n == bytes.n && whole.conn.asked.n == bytes.conn.asked.n);
	check(!memcmp(whole.found, bytes.found, sizeof(whole.found)));
	check(whole.conn.in.state == bytes.conn.in.state && whole.conn.out.state == bytes.conn.out.state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	size_t at = 0;
	uint32_t i;

	drive_open(&whole, 0xf4);
	bytes = whole;
	while (at + 2 <= len) {
		uint8_t kind = data[at], n = data[at + 1];

		at += 2;
		if ((kind & 3) < 2 && n > len - at)
			n = len - at;
		if ((kind & 3) == 0) {
			drive_receive(&whole, data + at, n, kind >> 7, ~0u);
			for (i = 0; i < n; i++)
				drive_receive(&bytes, data + at + i, 1, kind >> 7, 1);
		} else if ((kind & 3) == 1) {
			drive_send(&whole, data + at, n, ~0u);
			for (i = 0; i < n; i++)
				drive_send(&bytes, data + at + i, 1, 1);
		} else if ((kind & 3) == 2) {
			drive_send(&whole, NULL, n, ~0u);
			for (i = 0; i < n; i++)
				drive_send(&bytes, NULL, 1, 1);
			n = 0;
		} else {
			drive_open(&whole, kind);
			bytes = whole;
			n = 0;
		}
		both_check();
		drive_check(&whole);
		drive_check(&bytes);
		at += n;
	}
	return 0;
}
