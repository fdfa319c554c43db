/* The parser sees random conversations between a client and a PostgreSQL server: every event is the one that happened,
 * or is counted as lost.
 *
 *      client: random messages ---> receives, cut anywhere ---> parser
 *                                        |                        ^
 *                                        v                        |
 *      server: the protocol's rules -> answers -> sends, cut anywhere
 *                    |
 *                    +-> the events that happened, which are compared with those that the parser found
 *
 * The server here follows the manual ("Message Flow") message by message and knows nothing of the parser: after an
 * error it skips to a Sync, while it copies from the client it ignores Sync and Flush, and it refuses a Parse of a
 * name that is taken.
 *
 *      HEATSCOPE_CONVERSATIONS=100000 test/collector/postgresql/test_pairing        that many
 *      HEATSCOPE_SEED=N test/collector/postgresql/test_pairing                      one, with a log of its messages
 */
#include "test/kit/postgresql_messages.h"
#include "test/kit/check.h"

#include <stdlib.h>

#define N_STATEMENTS 6
#define N_NAMES 4
#define N_PORTALS 3
#define EVENTS 256

static const char *const statements[N_STATEMENTS] = { "SELECT a FROM t", "INSERT INTO u VALUES (1)", "DELETE FROM v", "UPDATE w SET b = 2",
						      "COPY t FROM STDIN", "COPY t TO STDOUT" };
static const char *const names[N_NAMES] = { "", "s1", "S_2", "a statement with a name that is longer than a window of the kernel's is" };
static const char *const portals[N_PORTALS] = { "", "p1", "C_2" };

enum { COPY_IN = 4, COPY_OUT = 5 };

struct happened {
	__u32 command;
	int statement;
	int fails;
};

struct server {
	int statement[N_NAMES], portal[N_PORTALS];	/* -1: there is none */
	int skips, copies, extended;			/* to a Sync; from its client; in an Execute */
	int fails_at;					/* the copy under way fails at its data */
	struct happened round[EVENTS];			/* Executes that were asked for in this round */
	unsigned n_round, n_done;
	int round_parse, round_failed, flushed;
	struct happened events[EVENTS];
	unsigned n_events;
	struct bytes out;
};

struct talk {
	unsigned long seed;
	struct server server;
	struct drive d;
	struct bytes sent;		/* by the client, not received yet */
	int verbose;
};

static unsigned long n_events, n_unknown;	/* in all conversations: all events, and those whose statement the
						 * parser reports as unknown */

static unsigned rnd(struct talk *t, unsigned n)
{
	t->seed = t->seed * 6364136223846793005ul + 1442695040888963407ul;
	return (t->seed >> 33) % n;
}

/* ---- the server ---- */

static void happens(struct server *s, __u32 command, int statement, int fails)
{
	assert_true(s->n_events < EVENTS);
	s->events[s->n_events++] = (struct happened){ command, statement, fails };
}

static void server_error(struct server *s)
{
	put_error(&s->out, "23505");
	s->skips = s->extended;
	s->copies = 0;
	s->round_failed = 1;
}

/* At ReadyForQuery of a round in the extended protocol: the first Execute that is not done has the error, or else
 * the last one. */
static void round_ends(struct server *s)
{
	unsigned n_run = s->n_round, i;

	if (s->round_failed && s->n_done < s->n_round)
		n_run = s->n_done + 1;
	for (i = 0; i < n_run; i++)
		happens(s, COMMAND_EXECUTE, s->round[i].statement, s->round_failed && i + 1 == n_run);
	if (!s->n_round && s->round_parse >= 0)
		happens(s, COMMAND_PREPARE, s->round_parse, s->round_failed);
	s->n_round = s->n_done = s->round_failed = s->skips = s->extended = s->flushed = 0;
	s->round_parse = -1;
	put_ready(&s->out);
}

static void copy_done(struct talk *t)
{
	struct server *s = &t->server;

	put_complete(&s->out);
	s->copies = 0;
	if (s->extended)
		s->n_done++;
}

/* Runs a statement up to its CommandComplete, an error, or the begin of a copy from the client. */
static void server_runs(struct talk *t, int statement, int fails)
{
	struct server *s = &t->server;

	if (statement == COPY_IN) {
		if (fails && rnd(t, 2)) {
			server_error(s);
			return;
		}
		MESSAGE(&s->out, 'G', "\0\0\1\0\0");
		s->copies = 1;
		s->fails_at = fails;
		return;
	}
	if (statement == COPY_OUT) {
		MESSAGE(&s->out, 'H', "\0\0\1\0\0");
		MESSAGE(&s->out, 'd', "1\n");
		MESSAGE(&s->out, 'c', "");
	} else {
		for (unsigned i = rnd(t, 3); i; i--)
			put_row(&s->out);
	}
	if (!rnd(t, 8))
		MESSAGE(&s->out, 'N', "SNOTICE\0\0");
	if (!rnd(t, 16))
		MESSAGE(&s->out, 'A', "\0\0\0\1x\0\0");
	if (!rnd(t, 16))
		MESSAGE(&s->out, 'S', "TimeZone\0UTC\0");
	if (fails) {
		server_error(s);
	} else {
		put_complete(&s->out);
		if (s->extended)
			s->n_done++;
	}
}

/* A message as the server sees it; the client's knowledge of it travels with the bytes. */
struct message {
	char type;
	int a, b;			/* statement, name, portal */
	int fails;
};

static void server_copies(struct talk *t, const struct message *m)
{
	struct server *s = &t->server;

	switch (m->type) {
	case 'd':
		if (!s->fails_at)
			return;
		break;
	case 'c':
		if (!s->fails_at) {
			copy_done(t);
			goto simple;
		}
		break;
	case 'f':
		break;
	case 'S': case 'H':
		return;
	}
	server_error(s);			/* also after a message that is not allowed in a copy */
simple:
	if (!s->extended && !s->copies) {
		happens(s, COMMAND_SIMPLE, COPY_IN, s->round_failed);
		s->round_failed = 0;
		put_ready(&s->out);
	}
}

static void server_parses(struct server *s, const struct message *m)
{
	if (!m->b)
		s->statement[0] = -1;
	if (m->fails || (m->b && s->statement[m->b] >= 0)) {
		server_error(s);
		return;
	}
	s->statement[m->b] = m->a;
	MESSAGE(&s->out, '1', "");
}

static void server_message(struct talk *t, const struct message *m)
{
	struct server *s = &t->server;

	s->out.n = 0;
	if (m->type == 'E')		/* counted here, when it is asked for, because the server may skip it */
		s->round[s->n_round++ % EVENTS] = (struct happened){ COMMAND_EXECUTE, m->b, 0 };
	if (m->type == 'P')
		s->round_parse = m->a;
	if (s->copies) {
		server_copies(t, m);
		return;
	}
	if (s->skips && m->type != 'S')
		return;
	if (m->type == 'P' || m->type == 'B' || m->type == 'E' || m->type == 'C' || m->type == 'D')
		s->extended = 1;
	switch (m->type) {
	case 'Q':
		s->statement[0] = -1;
		server_runs(t, m->a, m->fails);
		if (!s->copies) {
			happens(s, COMMAND_SIMPLE, m->a, s->round_failed);
			s->round_failed = 0;
			put_ready(&s->out);
		}
		break;
	case 'F':
		if (m->fails)
			put_error(&s->out, "23505");
		else
			MESSAGE(&s->out, 'V', "\0\0\0\0");
		happens(s, COMMAND_FUNCTION, -1, m->fails);
		put_ready(&s->out);
		break;
	case 'P':
		server_parses(s, m);
		break;
	case 'B':
		if (s->statement[m->a] < 0 || m->fails)
			server_error(s);
		else
			MESSAGE(&s->out, '2', "");
		break;
	case 'D':
		MESSAGE(&s->out, 't', "\0\0");
		MESSAGE(&s->out, 'n', "");
		break;
	case 'C':
		s->statement[m->b] = -1;
		MESSAGE(&s->out, '3', "");
		break;
	case 'E':
		server_runs(t, m->b, m->fails);
		break;
	case 'S':
		if (m->fails && !s->flushed && !s->round_failed && s->n_round) {
			put_error(&s->out, "40001");	/* an error of a deferred check, at the transaction's end */
			s->round_failed = 1;
		}
		round_ends(s);
		break;
	}
	if (m->type == 'H')
		s->flushed = 1;
}

/* ---- the wire ---- */

static void sends(struct talk *t, struct bytes *buffered)
{
	__u32 at = 0, n;

	while (at < buffered->n) {
		n = rnd(t, 3) ? buffered->n - at : 1 + rnd(t, buffered->n - at);
		drive_send(&t->d, buffered->at + at, n, ~0u);
		at += n;
	}
	buffered->n = 0;
}

struct wire {
	struct message message[EVENTS];
	__u32 end[EVENTS];		/* of its bytes in `sent` */
	unsigned n, seen;		/* messages; those that the server has handled */
	struct bytes buffered;		/* bytes that the server has not sent yet */
};

/* The server receives the sent bytes in pieces, and handles each complete message. */
static void receives(struct talk *t, struct wire *w)
{
	__u32 at = 0, n;

	while (at < t->sent.n) {
		n = rnd(t, 3) ? t->sent.n - at : 1 + rnd(t, t->sent.n - at);
		if (asked_waits(&t->d.front.asked))
			drive_record(&t->d, 0);
		drive_receive(&t->d, t->sent.at + at, n, ~0u);
		at += n;
		for (; w->seen < w->n && w->end[w->seen] <= at; w->seen++) {
			const struct message *m = &w->message[w->seen];
			struct server *s = &t->server;
			int copied = s->copies;

			server_message(t, m);
			put_bytes(&w->buffered, s->out.at, s->out.n);
			if (m->type == 'H' || (s->copies && !copied) || (s->out.n >= 6 && s->out.at[s->out.n - 6] == 'Z'))
				sends(t, &w->buffered);
		}
	}
	t->sent.n = 0;
	w->n = w->seen = 0;
}

/* ---- the client ---- */

static void client_puts(struct talk *t, struct wire *w, struct message m)
{
	struct bytes *b = &t->sent;
	char text[160];

	switch (m.type) {
	case 'Q':
		put_message(b, 'Q', statements[m.a], strlen(statements[m.a]) + 1);
		break;
	case 'P':
		put_parse(b, names[m.b], statements[m.a]);
		break;
	case 'B': {
		__u8 body[160];
		int n = snprintf((char *)body, sizeof(body), "%s%c%s", portals[m.b], 0, names[m.a]) + 1;

		memset(body + n, 0, 6);
		put_message(b, 'B', body, n + 6);
		break;
	}
	case 'E':
		put_execute(b, portals[m.a]);
		break;
	case 'D':
		MESSAGE(b, 'D', "S\0");
		break;
	case 'C':
		put_message(b, 'C', text, snprintf(text, sizeof(text), "S%s", names[m.b]) + 1);
		break;
	case 'F':
		MESSAGE(b, 'F', "\0\0\0\1\0\0\0\0\0\0");
		break;
	case 'd':
		MESSAGE(b, 'd', "S\0\0\0\4Q\0\0\0\6x\0");	/* data that look like messages */
		break;
	case 'f':
		MESSAGE(b, 'f', "no\0");
		break;
	default:
		put_message(b, m.type, "", 0);
	}
	assert_true(w->n < EVENTS);
	w->message[w->n] = m;
	w->end[w->n++] = b->n;
	if (t->verbose)
		printf("# %c %d %d%s\n", m.type, m.a, m.b, m.fails ? " fails" : "");
}

static void client_copies(struct talk *t, struct wire *w)
{
	for (unsigned i = rnd(t, 3); i; i--)
		client_puts(t, w, (struct message){ .type = 'd' });
	client_puts(t, w, (struct message){ .type = rnd(t, 4) ? 'c' : 'f' });
}

/* Sends a simple query.  A copy's data follow when the server asks for them, or at once. */
static void client_simple(struct talk *t, struct wire *w)
{
	int statement = rnd(t, N_STATEMENTS);

	client_puts(t, w, (struct message){ .type = 'Q', .a = statement, .fails = !rnd(t, 5) });
	if (statement != COPY_IN)
		return;
	if (rnd(t, 2)) {
		receives(t, w);
		if (!t->server.copies)
			return;
	}
	client_copies(t, w);
}

/* The meaning of a name, as the client believes: it knows what it has sent, and waits where a name may be taken. */
static int client_binds(struct talk *t, struct wire *w)
{
	int name = rnd(t, N_NAMES), portal = rnd(t, N_PORTALS), statement = rnd(t, N_STATEMENTS);

	if (name && t->server.statement[name] >= 0 && rnd(t, 3)) {
		receives(t, w);
		statement = t->server.statement[name];
		if (statement < 0)
			return -1;
	} else {
		if (name && rnd(t, 2))
			client_puts(t, w, (struct message){ .type = 'C', .b = name });
		client_puts(t, w, (struct message){ .type = 'P', .a = statement, .b = name, .fails = !rnd(t, 10) });
	}
	client_puts(t, w, (struct message){ .type = 'B', .a = name, .b = portal, .fails = !rnd(t, 12) });
	if (rnd(t, 2))
		client_puts(t, w, (struct message){ .type = 'D' });
	client_puts(t, w, (struct message){ .type = 'E', .a = portal, .b = statement, .fails = !rnd(t, 6) });
	for (unsigned i = rnd(t, 8) ? 0 : rnd(t, 12); i; i--) {
		if (statement == COPY_IN)
			break;
		client_puts(t, w, (struct message){ .type = 'B', .a = name, .b = portal });
		client_puts(t, w, (struct message){ .type = 'E', .a = portal, .b = statement, .fails = !rnd(t, 12) });
	}
	return statement;
}

static void client_extended(struct talk *t, struct wire *w)
{
	int synced = 0;

	if (!rnd(t, 6)) {		/* only prepares, or no message at all */
		if (rnd(t, 3))
			client_puts(t, w, (struct message){ .type = 'P', .a = rnd(t, N_STATEMENTS), .b = rnd(t, N_NAMES), .fails = !rnd(t, 4) });
		client_puts(t, w, (struct message){ .type = 'S' });
		return;
	}
	for (unsigned i = 1 + rnd(t, 3); i; i--) {
		int statement = client_binds(t, w);

		if (statement == COPY_IN) {
			int waits = rnd(t, 2);

			if (waits && rnd(t, 2))
				client_puts(t, w, (struct message){ .type = 'S' }), synced = 1;
			else if (waits)
				client_puts(t, w, (struct message){ .type = 'H' });
			if (waits) {
				receives(t, w);
				if (!t->server.copies) {
					if (!synced)
						client_puts(t, w, (struct message){ .type = 'S' });
					return;
				}
			}
			client_copies(t, w);
			break;
		}
		if (!rnd(t, 6)) {
			client_puts(t, w, (struct message){ .type = 'H' });
			if (rnd(t, 2))
				receives(t, w);
		}
	}
	client_puts(t, w, (struct message){ .type = 'S', .fails = !rnd(t, 12) });
}

static __u64 statement_digest(int statement)
{
	struct digest d;

	digest_begin(&d, 0);
	for (const char *text = statements[statement]; *text; text++)
		digest_byte(&d, (__u8)*text);
	return digest_code(&d, 1);
}

static void events_are_those_that_happened(struct talk *t, unsigned long seed)
{
	const struct server *s = &t->server;
	const struct drive *d = &t->d;
	unsigned i;

	if (d->n_lost)
		fail_msg("conversation %lu: out of step", seed);
	if (d->n + d->n_crowded < s->n_events || (!d->n_crowded && d->n != s->n_events))
		fail_msg("conversation %lu: %u events, %u found, %u lost", seed, s->n_events, d->n, d->n_crowded);
	for (i = 0; i < d->n && !d->n_crowded; i++) {
		const struct happened *h = &s->events[i];
		const struct event_found *f = &d->found[i];

		n_events++;
		n_unknown += f->digest == DIGEST_UNKNOWN;
		if (f->command != h->command || (f->status != STATUS_OK) != !!h->fails ||
		    (h->statement >= 0 && f->digest != DIGEST_UNKNOWN && f->digest != statement_digest(h->statement)))
			fail_msg("conversation %lu: event %u of %u is command %u, status %llx; it was command %u of statement %d%s", seed, i,
				 d->n, f->command, (unsigned long long)f->status, h->command, h->statement, h->fails ? ", failed" : "");
	}
}

/* Any of the earlier events may be lost; the last one, which was asked alone, may not. */
static void the_last_one_is_right(struct talk *t, struct wire *w, unsigned long seed)
{
	unsigned n;

	receives(t, w);
	n = t->d.n;
	client_puts(t, w, (struct message){ .type = 'Q', .a = 2 });
	receives(t, w);
	if (t->d.n != n + 1 || t->d.found[n & 255].digest != statement_digest(2) || t->d.found[n & 255].status != STATUS_OK)
		fail_msg("conversation %lu: the last query is not found", seed);
}

static void converse(unsigned long seed, int verbose)
{
	static struct talk t;
	static struct wire w;
	unsigned i, n;

	memset(&t, 0, sizeof(t));
	memset(&w, 0, sizeof(w));
	t.seed = seed * 2654435761ul + 1;
	t.verbose = verbose;
	drive_plain(&t.d);
	for (i = 0; i < N_NAMES; i++)
		t.server.statement[i] = -1;
	t.server.round_parse = -1;
	n = 1 + rnd(&t, 10);
	for (i = 0; i < n; i++) {
		if (!rnd(&t, 12))
			client_puts(&t, &w, (struct message){ .type = 'F', .fails = !rnd(&t, 3) });
		else if (!rnd(&t, 3))
			client_simple(&t, &w);
		else
			client_extended(&t, &w);
		if (rnd(&t, 3) || w.n > EVENTS / 2)
			receives(&t, &w);
	}
	the_last_one_is_right(&t, &w, seed);
	events_are_those_that_happened(&t, seed);
}

TEST(every_event_is_paired_with_its_own_answer)
{
	const char *many = getenv("HEATSCOPE_CONVERSATIONS"), *one = getenv("HEATSCOPE_SEED");
	unsigned long n = many ? strtoul(many, NULL, 10) : 20000, seed;

	if (one) {
		converse(strtoul(one, NULL, 10), 1);
		return;
	}
	for (seed = 1; seed <= n; seed++)
		converse(seed, 0);
	if (n_unknown * 200 > n_events)
		fail_msg("%lu of %lu events are of unknown statements", n_unknown, n_events);
}

TEST_MAIN()
