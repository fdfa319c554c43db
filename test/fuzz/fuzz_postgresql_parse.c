/* fuzz_postgresql_parse - parses any bytes, in any pieces, as receives and sends of one connection.
 *
 *      input: { kind, length, bytes } ...      kind & 3: receive, send, more messages than are looked at, new connection
 *
 * Holds: no undefined behaviour, every state stays in its range, nothing is recorded that was not asked, and as long as the
 * protocol is known the pieces do not matter: byte by byte the same events are found.
 */
#include "test/kit/postgresql_driver.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void check(int holds)
{
	if (!holds)
		abort();
}

static void stream_check(const struct stream *s, uint8_t most)
{
	check(s->have <= most);
	check(s->left <= 0x7fffffff);
}

static void drive_check(const struct drive *d)
{
	const struct front *c = &d->front;

	stream_check(&c->in, 7);
	stream_check(&c->out, 8);		/* also the first bytes of a setting's name or value */
	check(c->mode <= FRONT_IGNORED);
	check(c->asked.n <= ASKED_MAX);
	check(c->value.n <= NAME_ROOM);
	check(c->text.statement <= STATEMENT_MISC || statement_of_word(c->text.statement) == c->text.statement);
}

static void drive_open(struct drive *d, uint8_t kind)
{
	static const uint8_t modes[] = { FRONT_PLAIN, FRONT_STARTUP, FRONT_STRANGE, FRONT_PLAIN };

	memset(d, 0, sizeof(*d));
	d->front.mode = modes[kind >> 2 & 3];
	d->front.wanted = kind >> 4 & 1;
	d->front.counts = kind >> 5 & 1;
}

static int follows(const struct drive *d)
{
	return (d->front.mode == FRONT_PLAIN || d->front.mode == FRONT_STARTUP) && !d->n_lost;
}

/* Bytes in pieces give the same events as the whole, unless the kind of the connection depends on the pieces. */
static void both_check(struct drive *whole, struct drive *bytes)
{
	if (!follows(whole) || !follows(bytes) || whole->front.mode != bytes->front.mode) {
		whole->n_lost = 0;
		*bytes = *whole;
		return;
	}
	check(whole->n == bytes->n && whole->n_rounds == bytes->n_rounds && whole->n_begins == bytes->n_begins);
	check(!memcmp(whole->found, bytes->found, sizeof(whole->found)));
	check(whole->user == bytes->user && whole->database == bytes->database);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct drive whole, bytes;
	size_t at = 0;

	drive_open(&whole, 48);
	bytes = whole;
	while (at + 2 <= len) {
		uint8_t kind = data[at], n = data[at + 1];
		uint32_t i;

		at += 2;
		if (n > len - at)
			n = len - at;
		if ((kind & 3) == 0) {
			drive_receive(&whole, data + at, n, ~0u);
			for (i = 0; i < n; i++)
				drive_receive(&bytes, data + at + i, 1, 1);
		} else if ((kind & 3) == 1) {
			drive_send(&whole, data + at, n, ~0u);
			for (i = 0; i < n; i++)
				drive_send(&bytes, data + at + i, 1, 1);
		} else if ((kind & 3) == 2) {
			back_lets_go(&whole.front);
			back_lets_go(&bytes.front);
			n = 0;
		} else {
			drive_open(&whole, kind);
			bytes = whole;
			n = 0;
		}
		both_check(&whole, &bytes);
		drive_check(&whole);
		at += n;
	}
	return 0;
}
