/* The parser sees random conversations between a client and a Redis server: every event is the one that happened, or
 * is counted as lost.
 *
 *      client: random commands ---> receives, cut anywhere ---> parser
 *                                        |                        ^
 *                                        v                        |
 *      server: the protocol's rules -> replies, pushes -> sends, cut anywhere
 *                    |
 *                    +-> the commands that were answered, which are compared with the events that the parser found
 *
 * The server here follows the documentation and knows nothing of the parser: it queues in a MULTI, refuses most commands
 * of a subscriber in RESP2, keeps silent after CLIENT REPLY, and pushes between replies.  Each command has a key with a
 * prefix of its own, so a shift by one is seen.  In some conversations bytes cannot be read, as beyond a bound.
 *
 *      HEATSCOPE_CONVERSATIONS=100000 test/collector/redis/test_pairing        that many
 *      HEATSCOPE_SEED=N test/collector/redis/test_pairing                      one, with a log of its commands
 */
#include "test/kit/redis_driver.h"
#include "test/kit/check.h"

#include <stdio.h>
#include <stdlib.h>

#define HAPPENED_MAX 512
#define CHANNELS 4

struct bytes {
	__u8 at[1 << 17];
	__u32 n;
};

struct happened {
	__u16 code, status;
	__u64 prefix;
	int database;
};

struct server {
	int multi, dirty, resp, database, refuses, off, skip;	/* refuses: CLIENT REPLY has no permission */
	int queued_select, queued_subscribe;
	int channels[CHANNELS], patterns[CHANNELS];
	struct bytes out;
	struct happened happened[HAPPENED_MAX];
	unsigned n;
};

struct talk {
	unsigned long seed;
	struct server server;
	struct drive d;
	struct bytes in, out;		/* bytes that are not received, not sent */
	unsigned long first_seed;
	unsigned n_commands, n_silent;
	unsigned n_unknown, n_without_database;	/* events without a command or prefix; without a database */
	__u32 most_kinds, most_runs;	/* that had no reply at a time */
	int verbose, drops, silences, forgets;	/* forgets: a SELECT was queued, whose effect is not seen */
};

static unsigned rnd(struct talk *t, unsigned n)
{
	t->seed = t->seed * 6364136223846793005ul + 1442695040888963407ul;
	return (t->seed >> 33) % n;
}

static void put(struct bytes *b, const char *text)
{
	__u32 n = strlen(text);

	assert_true(b->n + n < sizeof(b->at));
	memcpy(b->at + b->n, text, n);
	b->n += n;
}

static void put_bulk(struct bytes *b, const char *text)
{
	char head[32];

	snprintf(head, sizeof(head), "$%zu\r\n", strlen(text));
	put(b, head);
	put(b, text);
	put(b, "\r\n");
}

static void put_number(struct bytes *b, char type, int n)
{
	char line[32];

	snprintf(line, sizeof(line), "%c%d\r\n", type, n);
	put(b, line);
}

/* ---- the server ---- */

static int count_of(const int *of)
{
	int n = 0;

	for (int i = 0; i < CHANNELS; i++)
		n += of[i];
	return n;
}

static int subscribed(const struct server *s)
{
	return count_of(s->channels) + count_of(s->patterns);
}

/* A value of random shape; some look like other messages of the protocol. */
static void put_value(struct talk *t, struct bytes *b, int depth)
{
	static const char *const texts[] = { "", "a", "+OK\r\n", "message", "subscribe", "QUEUED", "*1\r\n$4\r\nPING\r\n",
					     "a text that is longer than a window of the kernel's, which has sixty-four bytes" };
	int resp3 = t->server.resp == 3, n;

	switch (rnd(t, depth > 3 ? 4 : resp3 ? 11 : 6)) {
	case 0:
		put_number(b, ':', rnd(t, 1000) - 500);
		break;
	case 1:
		put(b, rnd(t, 2) ? "+PONG\r\n" : "$-1\r\n");
		break;
	case 2: case 3:
		put_bulk(b, texts[rnd(t, 8)]);
		break;
	case 4: case 5:
		n = rnd(t, 4);
		put_number(b, '*', n);
		while (n--)
			put_value(t, b, depth + 1);
		break;
	case 6:
		n = rnd(t, 3);
		put_number(b, '%', n);
		for (n *= 2; n--;)
			put_value(t, b, depth + 1);
		break;
	case 7:
		put(b, rnd(t, 2) ? "_\r\n" : "#t\r\n");
		break;
	case 8:
		put(b, rnd(t, 2) ? ",-inf\r\n" : "(1234567890123456789012345\r\n");
		break;
	case 9:
		put(b, "=8\r\ntxt:\r\nab\r\n");
		break;
	case 10:
		put(b, "|1\r\n+ttl\r\n");
		put_value(t, b, depth + 1);
		put_value(t, b, depth);
	}
}

struct sent {				/* a command, as both sides know it */
	const char *name;
	char key[32];
	__u64 prefix;
	int value;
};

static void happens(struct talk *t, const struct sent *c, __u16 status)
{
	struct server *s = &t->server;

	assert_true(s->n < HAPPENED_MAX);
	s->happened[s->n++] = (struct happened){ drive_code(c->name), status, c->prefix, s->database };
}

static void push_message(struct talk *t, struct bytes *b)
{
	put_number(b, t->server.resp == 3 ? '>' : '*', 3);
	put_bulk(b, "message");
	put_bulk(b, "c1");
	put_bulk(b, rnd(t, 2) ? "subscribe" : "x");
}

static void subscription(struct talk *t, struct bytes *b, const char *word, const char *channel)
{
	put_number(b, t->server.resp == 3 ? '>' : '*', 3);
	put_bulk(b, word);
	if (channel)
		put_bulk(b, channel);
	else
		put(b, t->server.resp == 3 ? "_\r\n" : "$-1\r\n");
	put_number(b, ':', subscribed(&t->server));
}

/* SUBSCRIBE and the like: of `value` channels, 0: of all. */
static void server_subscribes(struct talk *t, const struct sent *c, struct bytes *b)
{
	struct server *s = &t->server;
	int pattern = c->name[0] == 'p', ends = strstr(c->name, "unsub") != NULL, any = 0;
	int *of = pattern ? s->patterns : s->channels;

	for (int i = 0; i < CHANNELS; i++) {
		if (c->value ? i >= c->value : !of[i])
			continue;
		of[i] = !ends;
		any = 1;
		subscription(t, b, c->name, "c1");
	}
	if (!any)
		subscription(t, b, c->name, NULL);
	happens(t, c, STATUS_OK);
}

static int is(const struct sent *c, const char *name)
{
	return !strcmp(c->name, name);
}

static void answers(struct talk *t, const struct sent *c, const char *reply, __u16 status)
{
	put(&t->server.out, reply);
	happens(t, c, status);
}

static void server_error(struct talk *t, const struct sent *c, const char *word)
{
	char line[64];

	snprintf(line, sizeof(line), "-%s some text\r\n", word);
	answers(t, c, line, drive_error(word));
}

static int is_subscription(const struct sent *c)
{
	return strstr(c->name, "subscribe") != NULL;
}

static void server_runs(struct talk *t, const struct sent *c)
{
	static const char *const errors[] = { "ERR", "WRONGTYPE", "MOVED", "NOPERM", "OOM", "NOSCRIPT" };
	struct server *s = &t->server;

	if (is(c, "exec") && !s->multi) {
		server_error(t, c, "ERR");
	} else if (is(c, "exec")) {
		put_number(&s->out, '*', 2);
		put_value(t, &s->out, 0);
		put_value(t, &s->out, 0);
		happens(t, c, STATUS_OK);
		if (s->queued_select)
			s->database = rnd(t, 16);
		t->forgets |= s->queued_select;
		s->multi = s->queued_select = 0;
	} else if (is(c, "discard")) {
		s->multi ? answers(t, c, "+OK\r\n", STATUS_OK) : server_error(t, c, "ERR");
		s->multi = s->queued_select = 0;
	} else if (is(c, "multi")) {
		s->multi ? server_error(t, c, "ERR") : answers(t, c, "+OK\r\n", STATUS_OK);
		s->multi = 1;
	} else if (is(c, "reset")) {
		answers(t, c, "+RESET\r\n", STATUS_OK);
		memset(s->channels, 0, sizeof(s->channels));
		memset(s->patterns, 0, sizeof(s->patterns));
		s->multi = s->database = s->queued_select = 0;
		s->resp = 2;
	} else if (s->multi) {
		answers(t, c, "+QUEUED\r\n", STATUS_QUEUED);
		s->queued_select |= is(c, "select");
	} else if (is(c, "select")) {
		if (c->value > 15) {
			server_error(t, c, "ERR");
		} else {
			answers(t, c, "+OK\r\n", STATUS_OK);
			s->database = c->value;
		}
	} else if (is(c, "hello")) {
		s->resp = c->value;
		put(&s->out, s->resp == 3 ? "%1\r\n+proto\r\n:3\r\n" : "*2\r\n+proto\r\n:2\r\n");
		happens(t, c, STATUS_OK);
	} else if (!rnd(t, 5)) {
		server_error(t, c, errors[rnd(t, 6)]);
	} else if (is_subscription(c)) {
		server_subscribes(t, c, &s->out);
	} else {
		put_value(t, &s->out, 0);
		happens(t, c, STATUS_OK);
	}
}

/* CLIENT REPLY; value: 0 on, 1 off, 2 skip. */
static void server_reply(struct talk *t, const struct sent *c)
{
	struct server *s = &t->server;

	if (s->multi)
		answers(t, c, "+QUEUED\r\n", STATUS_QUEUED);
	else if (s->refuses || (s->resp == 2 && subscribed(s)))
		server_error(t, c, s->refuses ? "NOPERM" : "ERR");
	else if (c->value == 0) {
		s->off = 0;
		answers(t, c, "+OK\r\n", STATUS_OK);
	} else if (c->value == 1)
		s->off = 1;
	else if (!s->off)
		s->skip = 1;
}

static void server_command(struct talk *t, const struct sent *c)
{
	struct server *s = &t->server;
	int skips = s->skip, before = s->n;
	__u32 was = s->out.n;

	s->skip = 0;
	if (is(c, "client reply"))
		server_reply(t, c);
	else if (s->resp == 2 && subscribed(s) && !is_subscription(c) && !is(c, "ping") && !is(c, "reset") && !s->multi)
		server_error(t, c, "ERR");
	else if (s->resp == 2 && subscribed(s) && is(c, "ping") && !s->multi)
		answers(t, c, "*2\r\n$4\r\npong\r\n$0\r\n\r\n", STATUS_OK);
	else
		server_runs(t, c);
	if (is(c, "reset"))
		s->off = 0;
	if (s->off || skips) {
		s->out.n = was;
		s->n = before;
		t->n_silent++;
	}
}

/* ---- the wire ---- */

static void send_some(struct talk *t, int all)
{
	__u32 at = 0, n;

	while (at < t->out.n) {
		if (!all && !rnd(t, 4)) {
			front_sent(&t->d.front, 0);		/* the socket is full */
			break;
		}
		n = rnd(t, 3) ? t->out.n - at : 1 + rnd(t, t->out.n - at);
		drive_send(&t->d, t->out.at + at, n, ~0u);
		at += n;
	}
	memmove(t->out.at, t->out.at + at, t->out.n - at);
	t->out.n -= at;
}

static void most_outstanding(struct talk *t)
{
	const struct asked_ring *r = &t->d.front.asked;

	t->most_kinds = r->n_kinds > t->most_kinds ? r->n_kinds : t->most_kinds;
	t->most_runs = r->n > t->most_runs ? r->n : t->most_runs;
}

static void receive_all(struct talk *t)
{
	__u32 at = 0, n;

	while (at < t->in.n) {
		n = rnd(t, 3) ? t->in.n - at : 1 + rnd(t, t->in.n - at);
		if (!t->drops || rnd(t, 20))
			drive_receive(&t->d, t->in.at + at, n, ~0u);
		else
			drive_break(&t->d, 1);		/* as where the kernel cannot read them */
		most_outstanding(t);
		at += n;
	}
	t->in.n = 0;
}

static void server_flushes(struct talk *t)
{
	struct server *s = &t->server;

	if (subscribed(s) && !rnd(t, 3))
		push_message(t, &s->out);
	if (s->resp == 3 && !rnd(t, 6))
		put(&s->out, ">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\na\r\n");
	assert_true(t->out.n + s->out.n < sizeof(t->out.at));
	memcpy(t->out.at + t->out.n, s->out.at, s->out.n);
	t->out.n += s->out.n;
	s->out.n = 0;
}

/* ---- the client ---- */

static void client_puts(struct talk *t, const struct sent *c, const char *const *args, int n)
{
	struct bytes *b = &t->in;
	int line = !rnd(t, 6), i;

	for (i = 0; i < n; i++)
		line &= args[i][0] && !strpbrk(args[i], " \r\n\"'\\");
	if (!rnd(t, 20))
		put(b, rnd(t, 2) ? "\r\n" : "*0\r\n");
	if (line) {
		for (i = 0; i < n; i++) {
			put(b, i ? " " : "");
			put(b, args[i]);
		}
		put(b, rnd(t, 2) ? "\r\n" : "\n");
	} else {
		put_number(b, '*', n);
		for (i = 0; i < n; i++)
			put_bulk(b, args[i]);
	}
	t->n_commands++;
	if (t->verbose)
		printf("# %s %s %d\n", c->name, c->key, c->value);
}

static void client_sends(struct talk *t)
{
	static const char *const keyed[] = { "get", "set", "lrange", "blpop", "hgetall" };
	static const char *const others[] = { "ping", "multi", "exec", "discard", "reset", "time" };
	static const char *const subscriptions[] = { "subscribe", "unsubscribe", "psubscribe", "punsubscribe" };
	static const char *const replies[] = { "on", "off", "skip" };
	struct sent c = { .prefix = NAME_NONE };
	char number[16];

	switch (rnd(t, 16)) {
	case 0:
		c.name = "select";
		c.value = rnd(t, 18);
		snprintf(number, sizeof(number), "%d", c.value);
		client_puts(t, &c, (const char *const[]){ "SELECT", number }, 2);
		break;
	case 1:
		c.name = "hello";
		c.value = 2 + rnd(t, 2);
		client_puts(t, &c, (const char *const[]){ "hello", c.value == 3 ? "3" : "2" }, 2);
		break;
	case 2:
		if (t->server.multi && rnd(t, 50))	/* its answer cannot be distinguished from others */
			goto keyed;
		c.name = subscriptions[rnd(t, 4)];
		c.value = strstr(c.name, "unsub") ? rnd(t, CHANNELS) : 1 + rnd(t, CHANNELS - 1);
		client_puts(t, &c, (const char *const[]){ c.name, "c1", "c1", "c1" }, 1 + c.value);
		break;
	case 3:
		if (!t->silences || rnd(t, 3))
			goto keyed;
		c.name = "client reply";
		c.value = rnd(t, 3);
		client_puts(t, &c, (const char *const[]){ "CLIENT", "Reply", replies[c.value] }, 3);
		break;
	case 4: case 5: case 6:
		c.name = others[rnd(t, 6)];
		client_puts(t, &c, &c.name, 1);
		break;
	default:
	keyed:
		c.name = keyed[rnd(t, 5)];
		snprintf(c.key, sizeof(c.key), "k%u", t->n_commands);
		c.prefix = drive_name(c.key);
		strcat(c.key, ":1");
		client_puts(t, &c, (const char *const[]){ c.name, c.key, rnd(t, 2) ? "*2\r\n$3\r\nGET\r\n" : "" }, 3);
	}
	server_command(t, &c);
}

/* ---- what was found ---- */

static int is_same(const struct done *d, const struct happened *h)
{
	return (d->code == h->code || d->code == COMMAND_UNKNOWN) && d->status == h->status &&
	       (d->prefix == h->prefix || d->prefix == NAME_UNKNOWN) &&
	       (d->database == DATABASE_UNKNOWN || d->database == DATABASE_FIRST + (__u32)h->database);
}

static int is_within(const struct talk *t)
{
	return t->most_kinds < ASKED_KEYED && t->most_runs < ASKED_RUNS - 1;
}

/* Names are unknown only beyond a bound, the database only after a loss, a command that got no reply, or a queued
 * SELECT. */
static void compare_unknown(struct talk *t)
{
	for (unsigned i = 0; i < t->d.n; i++) {
		t->n_unknown += t->d.found[i].code == COMMAND_UNKNOWN || t->d.found[i].prefix == NAME_UNKNOWN;
		t->n_without_database += t->d.found[i].database == DATABASE_UNKNOWN;
	}
	if (t->n_unknown && is_within(t))
		fail_msg("seed %lu: %u of %u events are unknown, with at most %u kinds and %u runs", t->first_seed,
			 t->n_unknown, t->d.n, t->most_kinds, t->most_runs);
	if (t->n_without_database && !t->d.n_breaks && !t->n_silent && !t->forgets)
		fail_msg("seed %lu: the database of %u of %u events is unknown", t->first_seed, t->n_without_database,
			 t->d.n);
}

/* The events are those that happened, in their order, without the lost ones. */
static void compare(struct talk *t)
{
	struct server *s = &t->server;
	unsigned at = 0;

	for (unsigned i = 0; t->verbose && i < s->n; i++)
		printf("# happened %u: %s, status %d, database %d\n", i, command_name(s->happened[i].code), s->happened[i].status, s->happened[i].database);
	for (unsigned i = 0; i < t->d.n; i++) {
		while (at < s->n && !is_same(&t->d.found[i], &s->happened[at]))
			at++;
		if (t->verbose)
			printf("# found %u: %s %s, database %d; happened %u\n", i, command_name(t->d.found[i].code), t->d.found[i].status < STATUS_FIRST ? "-" : error_name(t->d.found[i].status), (int)t->d.found[i].database - DATABASE_FIRST, at);
		if (at++ >= s->n)
			fail_msg("seed %lu: event %u did not happen there", t->first_seed, i);
	}
	if (!t->d.n_breaks && t->d.n != s->n)
		fail_msg("seed %lu: %u events of %u, nothing lost", t->first_seed, t->d.n, s->n);
	if (t->d.n_breaks && !t->d.n_lost)
		fail_msg("nothing is counted as lost");
	compare_unknown(t);
}

static struct talk talk;

static int converse(unsigned long seed, int drops, int verbose)
{
	struct talk *t = &talk;
	unsigned n;

	memset(t, 0, sizeof(*t));
	t->seed = t->first_seed = seed;
	t->drops = drops;
	t->verbose = verbose;
	t->server.resp = 2;
	t->server.refuses = !rnd(t, 4);
	t->silences = !rnd(t, 4);
	drive_open(&t->d, 1);
	t->d.ahead = rnd(t, 2);
	for (n = 1 + rnd(t, 40); n; n--) {
		for (unsigned k = 1 + (rnd(t, 3) ? rnd(t, 4) : rnd(t, rnd(t, 100) ? 60 : 200)); k && t->server.n < HAPPENED_MAX - 100 && t->in.n < 16384; k--)
			client_sends(t);
		receive_all(t);
		server_flushes(t);
		send_some(t, rnd(t, 4) != 0);
	}
	send_some(t, 1);
	compare(t);
	return t->d.n_breaks != 0;
}

static void conversations(int drops)
{
	const char *seed = getenv("HEATSCOPE_SEED"), *many = getenv("HEATSCOPE_CONVERSATIONS");
	unsigned long n = many ? strtoul(many, NULL, 10) : 5000, n_broken = 0, n_events = 0;
	unsigned long n_within = 0, n_unknown = 0, n_without_database = 0;

	if (seed) {
		converse(strtoul(seed, NULL, 10), drops, 1);
		return;
	}
	for (unsigned long i = 0; i < n; i++) {
		n_broken += converse(i, drops, 0);
		n_events += talk.d.n;
		n_within += is_within(&talk) && talk.d.n;
		n_unknown += talk.n_unknown;
		n_without_database += talk.n_without_database;
	}
	printf("# %lu conversations, %lu events, %lu conversations lost their place\n", n, n_events, n_broken);
	printf("# %lu events without a name, %lu without a database; %lu conversations within the bounds of a pipeline\n",
	       n_unknown, n_without_database, n_within);
	assert_true(n_events > 10 * n && (drops || n_broken < n / 2));
	assert_true(n_unknown < n_events / 8 && n_without_database < n_events / 8 && n_within > n / 8);
}

TEST(every_event_is_the_one_that_happened_or_is_lost)
{
	conversations(0);
}

TEST(no_event_is_another_one_after_bytes_were_missed)
{
	conversations(1);
}

TEST_MAIN()
