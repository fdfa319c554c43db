/* The link by a bus.  Batches of one flush are a message, which JetStream acknowledges when it has stored it.
 *
 *      APART --connected--> ASKING --wanted set--> OPEN --refused, no PubAck in time--> RESTING --timer--> ASKING
 *
 * The hello (44 kB) is a value in a bucket, sent once for each connection, before it is too old, and when a heatscoped asks
 * for it, such as after the bus lost it.  The presence, sent every 15 s, names it by its hash: so each heatscoped finds that
 * it lacks it.  State and facts of the collector are in the presence.  The wanted set is read when the link
 * opens, and comes at each change.  In a cluster both may miss a change: the server that we read from lags, and the one that
 * sends changes does not know yet that we want them.  So it is read again each REFRESH_MS; its number in the bucket's stream
 * says whether it is newer than the one that was read before. */
#include "collector/bus/subjects.h"
#include "collector/core/array.h"
#include "collector/core/key.h"
#include "collector/core/log.h"
#include "collector/core/refuse.h"
#include "collector/link_kind.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uv.h>

#define TICK_MS 500
#define REFRESH_MS 15000		/* the bucket drops a presence after BUS_SOURCE_AGE_S */
#define HELLO_MS (BUS_HELLO_AGE_S * 1000ull / 3)
#define HELLO_PAUSE_MS 5000		/* between two answers */
#define ACK_MS 5000			/* if the oldest message is not acknowledged in this time, all is sent again */
#define MESSAGE_BYTES (256u << 10)	/* a message gets no further batch beyond this */
#define UNACKED_BYTES (1u << 20)	/* no further batch is taken while so much is not acknowledged */
#define HEADERS_ROOM 4096		/* of the server's limit of a message, for its headers: labels take up to 1.5 kB */

enum bus_state { BUS_APART, BUS_ASKING, BUS_OPEN, BUS_RESTING };

struct sent {				/* a message that is not acknowledged yet */
	size_t n_names;
	struct ack *name;		/* of its batches */
	unsigned n_parts, n_acked;
	size_t n_bytes;
};

struct bus_link {
	struct link link;		/* first */
	uv_loop_t *loop;
	uv_timer_t timer;
	struct bus *bus;
	char source[SOURCE_MAX], url[128];
	char batch_subject[SUBJECT_MAX], hello_subject[SUBJECT_MAX], source_subject[SUBJECT_MAX];
	char replies[SUBJECT_MAX], reply_wanted[SUBJECT_MAX], reply_hello[SUBJECT_MAX];
	enum bus_state state;
	bool closing;
	char *hello;			/* as JSON; NULL: not sent yet, as the next ones */
	json_t *said_state, *self;	/* self: the STATE with the collector's own facts */
	char *want;			/* the wanted set as text, to recognise that it has not changed */
	size_t want_len;
	__u64 want_number;		/* of the newest one that was read, in the bucket's stream */
	struct bytes payload;		/* the message that is being filled */
	struct sent filling;
	size_t names_room;
	struct sent *sent;		/* first_sent is the number of the first; it is in the replies' subjects */
	size_t n_sent, sent_room, n_unacked;	/* n_unacked: bytes */
	unsigned n_silent;		/* ticks since the oldest message became the oldest, or a part of it was acknowledged */
	char *labels;			/* of the hello, as JSON; NULL: none */
	__u64 first_sent;
	__u64 ask_at_ms, refresh_at_ms, hello_at_ms, answer_ms;	/* in the loop's time; the latest answer to is_asked */
	bool is_asked;			/* for the hello, and has not answered */
	unsigned delay_ms;
	char complained[REASON_MAX];	/* one log line per reason is enough */
	unsigned n_handles;
};

static __u64 wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (__u64)t.tv_sec * 1000000000 + (__u64)t.tv_nsec;
}

static void complain(struct bus_link *l, const char *why)
{
	if (strcmp(l->complained, why))
		log_warning("bus %s: %.200s; trying again", l->url, why);
	snprintf(l->complained, sizeof(l->complained), "%s", why);
}

/* --- messages that are not acknowledged --- */

static void sent_clear(struct bus_link *l)
{
	for (size_t i = 0; i < l->n_sent; i++)
		free(l->sent[i].name);
	l->first_sent += l->n_sent;
	l->n_sent = l->n_unacked = 0;
	l->n_silent = 0;
	free(l->filling.name);
	l->filling = (struct sent){ 0 };
	l->names_room = 0;
	bytes_clear(&l->payload);
}

/* Gives up all that is not acknowledged: the caller sends it again, after the wanted set has come. */
static void link_rest(struct bus_link *l, enum bus_state state)
{
	bool was_open = l->state == BUS_OPEN;

	l->state = state;
	sent_clear(l);
	l->ask_at_ms = uv_now(l->loop) + l->delay_ms;
	l->delay_ms = l->delay_ms * 2 < LINK_DELAY_MOST_MS ? l->delay_ms * 2 : LINK_DELAY_MOST_MS;
	if (was_open && !l->closing)
		l->link.ops.lost(l->link.arg);
}

static void sent_acked(struct bus_link *l, struct sent *s)
{
	struct sent done = *s;

	l->delay_ms = LINK_DELAY_FIRST_MS;
	l->complained[0] = 0;
	if (s == l->sent)
		l->n_silent = 0;
	if (++s->n_acked < s->n_parts)
		return;
	l->n_unacked -= s->n_bytes;
	s->name = NULL;			/* ops.acks() may send, and move the array */
	s->n_names = 0;
	l->link.ops.acks(l->link.arg, done.name, done.n_names);
	free(done.name);
	while (l->n_sent && l->sent[0].n_acked == l->sent[0].n_parts) {
		memmove(l->sent, l->sent + 1, --l->n_sent * sizeof(*l->sent));
		l->first_sent++;
		l->n_silent = 0;
	}
}

/* --- sending --- */

/* Names a message by all of its batches (FNV-1a).  The bus keeps one of several messages with the same name.  So two that
 * begin with the same batch, and have equally many, need two names: of a batch between them the acknowledgement may have
 * come, and the next one moved up. */
static __u64 names_hash(const struct sent *s)
{
	__u64 hash = HASH_SEED;

	for (size_t i = 0; i < s->n_names; i++) {
		const __u64 number[] = { s->name[i].incarnation, s->name[i].inst, (__u64)s->name[i].slot, s->name[i].seq };

		for (size_t at = 0; at < sizeof(number); at++)
			hash = hash_byte(hash, ((const __u8 *)number)[at]);
	}
	return hash;
}

static int publish_part(struct bus_link *l, const struct ack *first, const __u8 *data, size_t len, unsigned part, unsigned n_parts)
{
	char reply[SUBJECT_MAX], number[24], id[SOURCE_MAX + 128], sent[24], parts[24];
	struct bus_outgoing m = { .subject = l->batch_subject, .reply = reply, .data = data, .len = len };

	snprintf(number, sizeof(number), "%llu", (unsigned long long)(l->first_sent + l->n_sent - 1));
	subject_reply(l->source, number, reply);
	/* Parts of another size are other parts. */
	snprintf(id, sizeof(id), "%s/%016llx/%u/%u", first->source, (unsigned long long)names_hash(&l->sent[l->n_sent - 1]), n_parts, part);
	snprintf(sent, sizeof(sent), "%llu", (unsigned long long)wall_ns());
	snprintf(parts, sizeof(parts), "%u/%u", part, n_parts);
	m.header[0] = (struct bus_text){ BUS_HEADER_ID, id };
	m.header[1] = (struct bus_text){ BUS_HEADER_SENT, sent };
	if (l->labels)
		m.header[2] = (struct bus_text){ BUS_HEADER_LABELS, l->labels };
	if (n_parts > 1)
		m.header[l->labels ? 3 : 2] = (struct bus_text){ BUS_HEADER_PART, parts };
	return bus_publish(l->bus, &m);
}

/* Sends the message that was being filled, in parts if it is longer than the server allows. */
static int send_message(struct bus_link *l)
{
	size_t most = bus_payload_max(l->bus), at = 0, len = l->payload.len;
	unsigned n_parts;
	int err = 0;

	if (!l->filling.n_names)
		return 0;
	if (most <= 2 * HEADERS_ROOM) {
		complain(l, "it takes no messages longer than 8 kB");
		return -EMSGSIZE;
	}
	most -= HEADERS_ROOM;
	n_parts = (unsigned)((len + most - 1) / most);
	if (array_grow(&l->sent, l->n_sent, &l->sent_room, sizeof(*l->sent)))
		return -ENOMEM;
	l->filling.n_parts = n_parts;
	l->filling.n_bytes = len;
	l->n_unacked += len;
	l->sent[l->n_sent++] = l->filling;
	l->filling = (struct sent){ 0 };
	l->names_room = 0;
	for (unsigned part = 1; part <= n_parts && !err; part++) {
		size_t step = len - at < most ? len - at : most;

		err = publish_part(l, l->sent[l->n_sent - 1].name, l->payload.data + at, step, part, n_parts);
		at += step;
	}
	bytes_clear(&l->payload);
	return err;
}

static int bus_send_batch(struct link *link, const struct bytes *frame)
{
	struct bus_link *l = (struct bus_link *)link;
	struct batch head;
	struct frame f;
	int err = 0;

	if (l->state != BUS_OPEN)
		return -ENOTCONN;
	if (frame_get(frame->data, frame->len, &f) <= 0 || batch_decode_head(f.data, f.len, &head))
		return -EBADMSG;
	if (l->filling.n_names && l->payload.len + frame->len > MESSAGE_BYTES)
		err = send_message(l);
	if (!err)
		err = array_grow(&l->filling.name, l->filling.n_names, &l->names_room, sizeof(*l->filling.name));
	if (err)
		return err;
	bytes_put(&l->payload, frame->data, frame->len);
	if (l->payload.err) {
		err = l->payload.err;
		link_rest(l, BUS_RESTING);
		return err;
	}
	l->filling.name[l->filling.n_names++] = ack_of(&head);
	return 0;
}

static bool bus_is_ready(const struct link *link)
{
	const struct bus_link *l = (const struct bus_link *)link;

	return l->n_unacked + l->payload.len < UNACKED_BYTES;
}

static int bus_flush(struct link *link)
{
	struct bus_link *l = (struct bus_link *)link;

	int err = l->state == BUS_OPEN ? send_message(l) : 0;

	if (err && l->state == BUS_OPEN)
		link_rest(l, BUS_RESTING);
	return err;
}

static int publish_value(struct bus_link *l, const char *subject, const char *text)
{
	char sent[24];
	const struct bus_outgoing m = { .subject = subject, .data = text, .len = strlen(text),
					.header = { { BUS_HEADER_SENT, sent } } };
	int err;

	snprintf(sent, sizeof(sent), "%llu", (unsigned long long)wall_ns());
	err = bus_publish(l->bus, &m);
	if (err == -EMSGSIZE)
		complain(l, "its limit of a message (max_payload) is too short for what this host says of itself");
	return err;
}

static void publish_hello(struct bus_link *l)
{
	if (l->hello)
		publish_value(l, l->hello_subject, l->hello);
	if (l->is_asked)
		l->answer_ms = uv_now(l->loop);
	l->is_asked = false;
	l->hello_at_ms = uv_now(l->loop) + HELLO_MS;
}

/* {"hello": its hash, "state": {...}, "self": {...}}, as far as they were sent. */
static int publish_presence(struct bus_link *l)
{
	char hash[24], *text;
	json_t *json;
	int err;

	snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)(l->hello ? hello_hash(l->hello, strlen(l->hello)) : 0));
	json = json_pack("{s:s, s:O*, s:O*}", "hello", hash, "state", l->said_state, "self", l->self);
	text = json ? json_dumps(json, JSON_COMPACT) : NULL;
	err = text ? publish_value(l, l->source_subject, text) : -ENOMEM;
	free(text);
	json_decref(json);
	l->refresh_at_ms = uv_now(l->loop) + REFRESH_MS;
	return err;
}

/* The bucket needs the hello no longer. */
static void publish_end(struct bus_link *l)
{
	publish_value(l, l->source_subject, "{\"gone\":true}");
	publish_value(l, l->hello_subject, "");
}

static int keep_hello(struct bus_link *l, const json_t *hello)
{
	free(l->hello);
	free(l->labels);
	l->hello = json_dumps(hello, JSON_COMPACT);
	l->labels = json_dumps(json_object_get(hello, "labels"), JSON_COMPACT);	/* NULL: it has none */
	return l->hello ? 0 : -ENOMEM;
}

static int keep_state(struct bus_link *l, const json_t *state)
{
	json_t **kept = json_object_get(state, "self") ? &l->self : &l->said_state;

	json_decref(*kept);
	*kept = json_deep_copy(state);
	return *kept ? 0 : -ENOMEM;
}

static int bus_send_json(struct link *link, enum frame_type type, const json_t *json)
{
	struct bus_link *l = (struct bus_link *)link;
	int err = type == FRAME_HELLO ? keep_hello(l, json) : keep_state(l, json);

	if (err)
		return err;
	return l->state == BUS_APART ? -ENOTCONN : type == FRAME_HELLO ? 0 : publish_presence(l);
}

/* --- receiving --- */

static void ask_wanted(struct bus_link *l)
{
	struct bus_outgoing m = { .subject = BUS_GET_WANTED, .reply = l->reply_wanted };

	l->state = BUS_ASKING;
	l->ask_at_ms = uv_now(l->loop) + l->delay_ms;
	l->delay_ms = l->delay_ms * 2 < LINK_DELAY_MOST_MS ? l->delay_ms * 2 : LINK_DELAY_MOST_MS;
	bus_publish(l->bus, &m);
}

static void ask_wanted_again(struct bus_link *l)
{
	bus_publish(l->bus, &(struct bus_outgoing){ .subject = BUS_GET_WANTED, .reply = l->reply_wanted });
}

/* Is it a reply with a set that is no newer than the one that was read before?  A change has no number. */
static bool want_is_old(struct bus_link *l, const struct bus_message *m)
{
	const char *text = bus_header(m, "Nats-Sequence");
	__u64 number = text ? strtoull(text, NULL, 10) : 0;

	if (l->state == BUS_OPEN && number && number <= l->want_number)
		return true;
	l->want_number = number ? number : l->want_number;
	return false;
}

static void take_want(struct bus_link *l, const struct bus_message *m)
{
	json_t *want = NULL;
	const char *why;
	char *text;

	if (m->status) {
		if (l->state != BUS_OPEN)
			complain(l, m->status == 404 || m->status == 503 ? "no heatscoped has set it up yet" : "it does not reply with the wanted set");
		return;
	}
	if (want_is_old(l, m))
		return;
	if (l->state == BUS_OPEN && l->want && l->want_len == m->len && !memcmp(l->want, m->data, m->len))
		return;
	why = link_read_want(m->data, m->len, &want);
	text = why ? NULL : malloc(m->len + 1);
	if (!text) {
		complain(l, why ? why : "no memory");
		return;
	}
	memcpy(text, m->data, m->len);
	free(l->want);
	l->want = text;
	l->want_len = m->len;
	l->state = BUS_OPEN;
	l->link.ops.want(l->link.arg, want);
	json_decref(want);
}

/* A PubAck: {"stream": ..., "seq": ...} or {"error": {"code", "description"}}; status 503: there is no stream. */
static void take_ack(struct bus_link *l, const struct bus_message *m)
{
	const char *last = strrchr(m->subject, '.');
	__u64 number = last ? strtoull(last + 1, NULL, 10) : 0;
	json_t *json, *error;
	const char *text;
	char why[REASON_MAX];

	if (l->state != BUS_OPEN || number < l->first_sent || number - l->first_sent >= l->n_sent)
		return;			/* of a message that was given up */
	json = m->status ? NULL : json_loadb((const char *)m->data, m->len, 0, NULL);
	error = json_object_get(json, "error");
	if (json && !error) {
		sent_acked(l, &l->sent[number - l->first_sent]);
	} else {
		text = json_string_value(json_object_get(error, "description"));
		snprintf(why, sizeof(why), "it does not take batches: %.150s", m->status == 503 ? "there is no stream for them" :
			 text ? text : "its reply cannot be read");
		complain(l, why);
		link_rest(l, BUS_RESTING);
	}
	json_decref(json);
}

/* A tick answers it, so several heatscoped that ask get one answer.  The pause is for two collectors of one name: each hello
 * makes the other one's unknown.  Any client of the bus can have the server write
 * an answer of its own here: it has another text. */
static void take_question(struct bus_link *l, const struct bus_message *m)
{
	if (m->status || m->len != strlen(BUS_SAY_HELLO) || memcmp(m->data, BUS_SAY_HELLO, m->len))
		return;
	l->hello_at_ms = l->answer_ms ? l->answer_ms + HELLO_PAUSE_MS : 0;
	l->is_asked = true;
}

static void on_message(void *arg, const struct bus_message *m)
{
	struct bus_link *l = arg;

	if (l->closing && l->state != BUS_OPEN)
		return;
	if (!strcmp(m->subject, BUS_WANTED) || !strcmp(m->subject, l->reply_wanted))
		take_want(l, m);
	else if (!strcmp(m->subject, l->reply_hello))
		take_question(l, m);
	else
		take_ack(l, m);
}

/* --- connecting --- */

static void on_connected(void *arg)
{
	struct bus_link *l = arg;

	if (bus_subscribe(l->bus, l->replies) || bus_subscribe(l->bus, BUS_WANTED)) {
		bus_restart(l->bus, "no subscription");
		return;
	}
	log_info("bus %s: connected", l->url);
	l->complained[0] = 0;
	l->delay_ms = LINK_DELAY_FIRST_MS;
	l->state = BUS_ASKING;
	l->link.ops.connected(l->link.arg);
	publish_hello(l);
	publish_presence(l);
	ask_wanted(l);
}

static void on_lost(void *arg, const char *why)
{
	struct bus_link *l = arg;

	complain(l, why);
	link_rest(l, BUS_APART);
}

/* Ticks are counted, and not the clock read: the loop may have been busy, and the acknowledgements wait for it.  Those of
 * later messages say nothing about the oldest one: a server that dies loses some, and takes the next ones. */
static void check_acks(struct bus_link *l)
{
	if (!l->n_sent)
		l->n_silent = 0;
	else if (++l->n_silent > ACK_MS / TICK_MS) {
		complain(l, "it did not acknowledge batches in time");
		link_rest(l, BUS_RESTING);
	}
}

static void on_tick(uv_timer_t *timer)
{
	struct bus_link *l = timer->data;
	__u64 now_ms = uv_now(l->loop);

	if (l->state == BUS_OPEN)
		check_acks(l);
	if ((l->state == BUS_ASKING || l->state == BUS_RESTING) && now_ms >= l->ask_at_ms)
		ask_wanted(l);
	if (l->state != BUS_APART && now_ms >= l->hello_at_ms) {
		publish_hello(l);
		publish_presence(l);
	}
	if (l->state != BUS_APART && now_ms >= l->refresh_at_ms) {
		publish_presence(l);
		if (l->state == BUS_OPEN)
			ask_wanted_again(l);
	}
}

static void link_gone(struct bus_link *l)
{
	struct link_ops ops = l->link.ops;
	void *arg = l->link.arg;

	if (--l->n_handles)
		return;
	sent_clear(l);
	free(l->sent);
	bytes_fini(&l->payload);
	free(l->hello);
	json_decref(l->said_state);
	json_decref(l->self);
	free(l->want);
	free(l->labels);
	free(l);
	if (ops.closed)
		ops.closed(arg);
}

static void on_timer_closed(uv_handle_t *timer) { link_gone(timer->data); }
static void on_bus_closed(void *arg) { link_gone(arg); }

static void bus_link_close(struct link *link)
{
	struct bus_link *l = (struct bus_link *)link;

	if (l->closing)
		return;
	bus_flush(link);
	l->closing = true;
	if (l->state != BUS_APART)
		publish_end(l);
	l->state = BUS_APART;
	uv_close((uv_handle_t *)&l->timer, on_timer_closed);
	bus_close(l->bus);
}

/* Names the connection's subjects. */
static void name_subjects(struct bus_link *l)
{
	subject_batch(l->source, l->batch_subject);
	subject_hello(l->source, l->hello_subject);
	subject_source(l->source, l->source_subject);
	subject_reply(l->source, "hello", l->reply_hello);
	subject_reply(l->source, ">", l->replies);
	subject_reply(l->source, "wanted", l->reply_wanted);
}

int link_bus_make(uv_loop_t *loop, const struct bus_conf *conf, const char *source, const struct link_ops *ops, void *arg,
		  struct link **ret_link, char reason[REASON_MAX])
{
	static const struct link_kind kind = { bus_link_close, bus_send_json, bus_send_batch, bus_flush, bus_is_ready };
	struct bus_ops bus_ops = { NULL, on_connected, on_message, on_lost, on_bus_closed };
	struct bus_link *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return no_memory(reason);
	l->link = (struct link){ &kind, *ops, arg };
	l->loop = loop;
	snprintf(l->source, sizeof(l->source), "%s", source);
	snprintf(l->url, sizeof(l->url), "%s", conf->url);
	name_subjects(l);
	l->first_sent = 1;
	l->delay_ms = LINK_DELAY_FIRST_MS;
	l->n_handles = 2;
	err = bus_new(loop, conf, &bus_ops, l, &l->bus, reason);
	if (err) {
		free(l);
		return err;
	}
	uv_timer_init(loop, &l->timer);
	l->timer.data = l;
	uv_timer_start(&l->timer, on_tick, TICK_MS, TICK_MS);
	*ret_link = &l->link;
	return 0;
}
