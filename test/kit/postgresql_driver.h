/* postgresql_driver.h - runs the pure parser of PostgreSQL over bytes in memory, as postgresql.bpf.c does over the
 * server's buffer, and writes down the events.  For the tests of postgresql/ and fuzz_postgresql_parse.
 */
#ifndef HEATSCOPE_POSTGRESQL_DRIVER_H
#define HEATSCOPE_POSTGRESQL_DRIVER_H

#include "collector/postgresql/parse.h"

#include <string.h>

struct event_found {
	__u32 command;
	__u64 digest, status, n_rows, verbatim;
};

struct drive {
	struct front front;
	struct digest digest;
	struct { __u64 name; struct named_statement is; } named[64];	/* statements and portals that have a name */
	unsigned n_named;
	__u64 user, database;			/* hashes of them */
	__u64 keeps, n_texts;			/* texts are kept; so many, each named by its number */
	struct event_found found[256];
	unsigned n, n_begins, n_lost, n_crowded, n_rounds, n_streams;
};

static inline struct named_statement *drive_named(struct drive *d, __u64 name, __u64 kind, int makes)
{
	unsigned i;

	name = name << 1 | kind;
	for (i = 0; i < d->n_named; i++)
		if (d->named[i].name == name)
			return &d->named[i].is;
	if (!makes)
		return NULL;
	i = d->n_named < 64 ? d->n_named++ : name & 63;
	d->named[i].name = name;
	d->named[i].is = (struct named_statement){ .codes = { DIGEST_UNKNOWN, STATEMENT_UNKNOWN, NAME_UNKNOWN, 0 } };
	return &d->named[i].is;
}

static inline void drive_codes(struct drive *d, __u64 name, __u64 kind, struct statement_codes *ret_codes)
{
	struct named_statement *is = drive_named(d, name, kind, 0);

	*ret_codes = (struct statement_codes){ DIGEST_UNKNOWN, STATEMENT_UNKNOWN, NAME_UNKNOWN, 0 };
	if (is)
		named_codes(&d->front, is, ret_codes);
}

/* Makes a connection in step, whose statements are looked at and whose rows are counted. */
static inline void drive_plain(struct drive *d)
{
	memset(d, 0, sizeof(*d));
	d->front.mode = FRONT_PLAIN;
	d->front.wanted = 1;
	d->front.counts = 1;
}

static inline __u64 drive_hash(const char *text)
{
	__u64 hash = HASH_SEED;

	for (; *text; text++)
		hash = hash_byte(hash, (__u8)*text);
	return hash;
}

static inline void drive_front(struct drive *d, __u32 out)
{
	struct front *c = &d->front;
	struct named_statement was;

	d->n_begins += !!(out & FRONT_BEGIN);
	d->n_lost += !!(out & FRONT_LOST);
	if (out & FRONT_TEXT)
		digest_begin(&d->digest, 1);
	d->n_crowded += !!(out & FRONT_CROWDED);
	if (out & FRONT_REMEMBER) {
		was = *drive_named(d, c->name, NAME_STATEMENT, 1);
		named_begin(c, &was, drive_named(d, c->name, NAME_STATEMENT, 1));
	}
	if (out & FRONT_LOOKUP)
		drive_codes(d, c->name, NAME_STATEMENT, &c->portal.codes);
	if (out & FRONT_PORTAL)
		drive_codes(d, c->name, NAME_PORTAL, &c->portal.codes);
	if (out & FRONT_KEEP)
		*drive_named(d, c->portal.name, NAME_PORTAL, 1) = (struct named_statement){ .codes = c->portal.codes };
	if ((out & FRONT_FORGET) && drive_named(d, c->name, c->word, 0))
		*drive_named(d, c->name, c->word, 0) = (struct named_statement){ .codes = { DIGEST_UNKNOWN, STATEMENT_UNKNOWN, NAME_UNKNOWN, 0 } };
	if (out & FRONT_USER)
		d->user = name_code(&c->value);
	if (out & FRONT_DATABASE)
		d->database = name_code(&c->value);
}

/* Takes one byte of a text that is read. */
static inline void drive_text(struct drive *d, __u8 byte)
{
	struct front *c = &d->front;

	if (byte)
		digest_byte(&d->digest, byte);
	if (!byte || c->in.left == 1)
		front_text_end(c, digest_code(&d->digest, 1), digest_statement(&d->digest, 1), table_code(&d->digest.table, 1),
			       d->keeps ? ++d->n_texts : 0);
	drive_front(d, front_skip(c, 1));
}

/* Handles one receive, in steps of at most `most` bytes. */
static inline void drive_receive(struct drive *d, const __u8 *data, __u32 total, __u32 most)
{
	struct front *c = &d->front;
	__u8 tail[8] = { 0 };
	__u32 at = 0, blind;

	if (total >= FRONT_HEADER)
		memcpy(tail, data + total - FRONT_HEADER, FRONT_HEADER);
	if (total)
		front_receive(c, data, tail, total);
	while (at < total && !d->n_lost) {
		if (front_text(c)) {
			drive_text(d, data[at++]);
			continue;
		}
		blind = front_blind(c);
		if (blind > total - at)
			blind = total - at;
		if (blind > most)
			blind = most;
		drive_front(d, blind ? front_skip(c, blind) : front_byte(c, data[at]));
		at += blind ? blind : 1;
	}
}

static inline void drive_found(struct drive *d, const struct asked *a, __u64 status, __u64 n_rows)
{
	d->found[d->n++ & 255] = (struct event_found){ a->command, a->codes.digest, status, n_rows, a->codes.verbatim };
}

static inline void drive_record(struct drive *d, int whole)
{
	struct asked_ring *r = &d->front.asked;
	struct asked_take take = asked_take(r, whole);
	__u32 end = take.from + take.n_ok, i, k, at = 0;

	for (i = 0; i < r->n; i++) {
		struct asked *a = asked_at(r, i);
		__u32 from = take.from > at ? take.from : at, to = end < at + a->n ? end : at + a->n, n = to > from ? to - from : 0;

		for (k = 0; k < n; k++)
			drive_found(d, a, STATUS_OK, asked_share(a->unrecorded_rows, n, k));
		if (n)
			a->unrecorded_rows = 0;
		if (take.n_failed && end >= at && end < at + a->n)
			drive_found(d, a, r->error, 0);
		at += a->n;
		if (a->rounds)
			break;
	}
}

/* Handles one send. */
static inline void drive_send(struct drive *d, const __u8 *data, __u32 total, __u32 most)
{
	struct front *c = &d->front;
	__u32 at = 0, blind, out;

	while (at < total && c->mode == FRONT_PLAIN && !c->streams && !d->n_lost) {
		c->answered = 1;
		blind = c->loose ? 0 : back_blind(c);
		if (blind > total - at)
			blind = total - at;
		if (blind > most)
			blind = most;
		if (c->loose)
			out = back_tail(c, data[at]) ? BACK_READY : 0;
		else
			out = blind ? back_skip(c, blind) : back_byte(c, data[at]);
		at += blind ? blind : 1;
		d->n_lost += !!(out & BACK_LOST);
		d->n_streams += !!(out & BACK_STREAMS);
		if (!(out & BACK_READY))
			continue;
		drive_record(d, 1);
		front_round_over(c);
		c->answered = !c->open;
		d->n_rounds++;
	}
}

#endif
