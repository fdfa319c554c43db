/* fuzz_redis_parse - parses any bytes, in any pieces, as receives and sends of one connection.
 *
 *      input: { kind, length, bytes } ...      kind & 3: receive, send, the socket is full, new connection
 *
 * Holds: no undefined behaviour, every state stays in its range, nothing is recorded that was not asked, and as long as the
 * protocol is known the pieces do not matter: byte by byte the same events are found.
 */
#include "test/kit/redis_driver.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void check(int holds)
{
	if (!holds)
		abort();
}

/* Each command without a reply is in one run and in one kind. */
static void asked_check(const struct asked_ring *r)
{
	uint32_t of_kind[ASKED_KINDS] = { 0 }, left = 0, n_kinds = 0, i;

	check(r->n <= ASKED_RUNS && r->first < ASKED_RUNS);
	for (i = 0; i < r->n; i++) {
		uint32_t run = r->run[(r->first + i) % ASKED_RUNS];

		check(run & RUN_MAX && run >> RUN_SHIFT < ASKED_KINDS);
		of_kind[run >> RUN_SHIFT] += run & RUN_MAX;
		left += run & RUN_MAX;
	}
	for (i = 0; i < ASKED_KINDS; i++) {
		check(r->kind[i].n == of_kind[i]);
		n_kinds += i && of_kind[i];
	}
	check(left == r->left && n_kinds == r->n_kinds);
	check(r->kind[0].code == COMMAND_UNKNOWN && r->kind[0].kind == KIND_PLAIN && r->kind[0].prefix == NAME_UNKNOWN);
}

static void drive_check(const struct drive *d)
{
	const struct front *c = &d->front;

	check(c->mode <= FRONT_IGNORED);
	check(c->in.state <= IN_LINE && c->in.left <= NUMBER_MAX && c->in.length <= INLINE_MAX + 1);
	check(c->out.state <= OUT_BULK_LF && c->out.left <= OUT_LEFT_MAX && c->out.bulk <= NUMBER_MAX);
	asked_check(&c->asked);
	check(c->name.n <= NAME_ROOM);
	check(c->n_sent <= SENT_MAX);
}

static int follows(const struct drive *d)
{
	return d->front.mode == FRONT_PLAIN && !d->n_breaks;
}

/* Bytes in pieces give the same events as the whole, unless the kind of the connection depends on the pieces. */
static void both_check(struct drive *whole, struct drive *bytes)
{
	if (!follows(whole) || !follows(bytes)) {
		whole->n_breaks = 0;
		*bytes = *whole;
		bytes->ahead = 0;
		return;
	}
	check(whole->n == bytes->n && whole->n_unanswered == bytes->n_unanswered);
	check(!memcmp(whole->found, bytes->found, sizeof(whole->found)));
	check(whole->front.database == bytes->front.database);
}

static void open_both(struct drive *whole, struct drive *bytes, int known)
{
	drive_open(whole, known);
	whole->ahead = 1;
	drive_open(bytes, known);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct drive whole, bytes;
	size_t at = 0;

	open_both(&whole, &bytes, 1);
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
			front_sent(&whole.front, 0);
			front_sent(&bytes.front, 0);
			n = 0;
		} else {
			open_both(&whole, &bytes, kind >> 2 & 1);
			n = 0;
		}
		both_check(&whole, &bytes);
		drive_check(&whole);
		at += n;
	}
	return 0;
}
