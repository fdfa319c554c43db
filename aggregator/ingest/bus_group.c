#include "aggregator/ingest/bus_group.h"

#include "aggregator/base/clock.h"
#include "aggregator/ingest/feed.h"
#include "collector/bus/subjects.h"
#include "collector/core/frame.h"
#include "collector/core/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRESENCE_MS 1000			/* how often we publish that we live, and confirm the lease */
#define LEASE_MS 4000
#define LEASE_AGAIN_MS 1500		/* a question for the lease whose answer is lost is asked again */
#define YIELD_MS 10000
#define WRONG_SEQUENCE "wrong last sequence: "
#define ASK_MS 5000
#define HEADERS_ROOM 4096
#define LEASE "lease"			/* a key of BUS_MEMBERS, which is no member */

struct question {			/* that the leader has not answered */
	struct question *next;
	__u64 number, until_ms;
	bus_group_answered done;
	void *arg;
};

struct bus_group {
	uv_loop_t *loop;
	struct bus_group_conf conf;
	struct bus *bus;		/* NULL: not connected */
	struct members members;
	bool is_stopped, is_full;
	__u64 presence_ms;
	bool has_lease, is_ready;	/* ready: what the former leader has written was read */
	__u64 lease_revision, lease_until_ms;	/* revision: of the key, as far as we know; 0: it does not exist */
	__u64 lease_asked_ms;		/* 0: the server has answered */
	__u64 yields_until_ms;		/* before it we ask for no lease */
	__u64 revision;			/* how often we have written */
	char led_by[MEMBER_ID_MAX];	/* whose writing we have read, up to this revision */
	__u64 followed;
	bool follow_again;
	__s64 touched_ns;		/* boot clock: requests since then are to be said */
	struct store_queue_observer observer;
	struct feed *feed;		/* batches that the others are to hear of */
	__u64 n_feeds, n_missed;
	struct question *questions;
	__u64 n_questions;
};

static __u64 loop_ms(const struct bus_group *g) { return uv_now(g->loop); }

/* Not the loop's clock: a process or a machine that was stopped must not believe in its lease. */
static __u64 true_ms(void) { return (__u64)boot_ns() / 1000000; }

static int publish(struct bus_group *g, const struct bus_outgoing *m)
{
	return g->bus ? bus_publish(g->bus, m) : -ENOTCONN;
}

static void missed(struct bus_group *g)
{
	if (!g->conf.is_shared)
		return;
	g->n_missed++;
	g->conf.ops->missed(g->conf.arg, now_ns() + BUS_GROUP_MISSED_NS);
}

/* --- what we say of ourselves --- */

/* The instrumentations that our own clients have asked for since the last call: the leader deletes those that no client asks
 * for, and each may lead next. */
static json_t *touched(struct bus_group *g)
{
	json_t *all = json_array();

	for (const struct catalog_inst *ci = catalog_first(g->conf.catalog); ci; ci = ci->next)
		if (ci->client_ns > g->touched_ns)
			json_array_append_new(all, json_integer((json_int_t)ci->in.id));
	g->touched_ns = boot_ns();
	return all;
}

static void publish_presence(struct bus_group *g, bool gone)
{
	json_t *json = json_pack("{s:s, s:b, s:b, s:I}", "aggregator", catalog_identity(g->conf.catalog), "gone", gone, "leads",
				 !gone && g->conf.is_shared && bus_group_leads(g), "revision", (json_int_t)g->revision);
	char subject[SUBJECT_MAX], *text;

	if (g->conf.is_shared) {
		json_object_set_new(json, "touched", touched(g));
		json_object_set_new(json, "feeds", json_integer((json_int_t)g->n_feeds));
	}
	text = json ? json_dumps(json, JSON_COMPACT) : NULL;
	snprintf(subject, sizeof(subject), "$KV." BUS_MEMBERS ".%s", g->conf.id);
	if (text)
		publish(g, &(struct bus_outgoing){ .subject = subject, .data = text, .len = strlen(text) });
	free(text);
	json_decref(json);
	g->presence_ms = loop_ms(g);
}

/* --- the lease --- */

static bool lease_runs(const struct bus_group *g)
{
	return g->has_lease && true_ms() < g->lease_until_ms;
}

bool bus_group_leads(const struct bus_group *g)
{
	return !g->conf.is_shared || (g->is_ready && lease_runs(g));
}

__u64 bus_group_leads_until_ms(const struct bus_group *g)
{
	return bus_group_leads(g) ? g->lease_until_ms : 0;
}

static void set_lease(struct bus_group *g, bool has_lease)
{
	if (g->has_lease == has_lease)
		return;
	g->has_lease = has_lease;
	g->is_ready = false;
	log_info("this heatscoped %s the group", has_lease ? "leads" : "no longer leads");
	g->conf.ops->lead(g->conf.arg, has_lease);
	if (!g->is_stopped)
		publish_presence(g, false);
}

void bus_group_ready(struct bus_group *g)
{
	g->is_ready = true;
	publish_presence(g, false);
}

void bus_group_yield(struct bus_group *g)
{
	g->yields_until_ms = loop_ms(g) + YIELD_MS;
	set_lease(g, false);
}

/* The server takes it if the key's newest revision is this one; 0: there is none, because the last one has expired. */
static void ask_lease(struct bus_group *g)
{
	char reply[SUBJECT_MAX + 40], revision[24];
	const struct bus_outgoing m = { .subject = "$KV." BUS_MEMBERS "." LEASE, .reply = reply, .data = g->conf.id, .len = strlen(g->conf.id),
					.header = { { BUS_HEADER_EXPECTED, revision } } };

	snprintf(reply, sizeof(reply), "%s.lease.%llu", g->conf.inbox, (unsigned long long)true_ms());
	snprintf(revision, sizeof(revision), "%llu", (unsigned long long)g->lease_revision);
	g->lease_asked_ms = loop_ms(g);
	publish(g, &m);
}

/* "wrong last sequence: 7" -> 7.  0: something else is wrong. */
static __u64 newest_revision(const json_t *error)
{
	const char *text = json_string_value(json_object_get(error, "description"));
	const char *last = text ? strstr(text, WRONG_SEQUENCE) : NULL;

	return last ? strtoull(last + strlen(WRONG_SEQUENCE), NULL, 10) : 0;
}

/* "....lease.MS": the server's answer to what we asked then.  If it refuses, the key has another value.  While our lease
 * runs, no other heatscoped can have set it: the answer to our last question was lost, or a client of the bus had an
 * answer of its own written there.  Then we ask again, for that revision. */
static void take_lease(struct bus_group *g, const char *asked_ms, const struct bus_message *m)
{
	json_t *json = m->status ? NULL : json_loadb((const char *)m->data, m->len, 0, NULL);
	const char *stream = json_string_value(json_object_get(json, "stream"));
	const json_t *error = json_object_get(json, "error"), *seq = json_object_get(json, "seq");

	if (stream && !strcmp(stream, "KV_" BUS_MEMBERS)) {
		g->lease_asked_ms = 0;
		if (!error && json_is_integer(seq)) {
			g->lease_revision = (__u64)json_integer_value(seq);
			g->lease_until_ms = strtoull(asked_ms, NULL, 10) + LEASE_MS;
			set_lease(g, !g->is_stopped && true_ms() < g->lease_until_ms);
		} else {
			g->lease_revision = lease_runs(g) ? newest_revision(error) : 0;
			set_lease(g, lease_runs(g));
		}
	}
	json_decref(json);
}

/* --- the others --- */

/* "$KV.heatscope_members.ID", "heatscope.feed.ID" -> "ID" */
static const char *member_id(const char *subject)
{
	const char *last = strrchr(subject, '.');

	return last ? last + 1 : subject;
}

/* Each client of the bus can have the server write to any subject, by the subject for replies to its messages: an answer, or
 * the wanted set.  Such a value has no "revision", such a message no header, and such an answer the name of another
 * stream. */
static bool is_presence(const char *id, const json_t *json)
{
	return strlen(id) < MEMBER_ID_MAX && json_is_string(json_object_get(json, "aggregator")) &&
	       json_is_boolean(json_object_get(json, "gone")) && json_is_integer(json_object_get(json, "revision"));
}

static bool is_of_our_store(const struct bus_group *g, const json_t *json)
{
	return g->conf.is_shared && !strcmp(json_string_value(json_object_get(json, "aggregator")), catalog_identity(g->conf.catalog));
}

static bool lives_elsewhere(const struct bus_group *g, const char *id, const json_t *json)
{
	return is_presence(id, json) && !json_is_true(json_object_get(json, "gone")) && strcmp(id, g->conf.id) && !is_of_our_store(g, json);
}

bool bus_group_refuses(const struct bus_group *g, const char *subject, const char *text, size_t len)
{
	json_t *json = json_loadb(text, len, 0, NULL);
	bool refuses = lives_elsewhere(g, member_id(subject), json);

	json_decref(json);
	return refuses;
}

static void follow(struct bus_group *g, const struct member *leader)
{
	if (!strcmp(g->led_by, leader->id) && g->followed == leader->revision && !g->follow_again)
		return;
	memcpy(g->led_by, leader->id, sizeof(g->led_by));
	g->followed = leader->revision;
	g->follow_again = false;
	g->conf.ops->follow(g->conf.arg);
}

static void member_gone(struct bus_group *g, struct member *m, const char *how)
{
	log_info("heatscoped %s %s: its partitions go to the others", m->id, how);
	members_remove(&g->members, m);
	missed(g);
}

static struct member *see(struct bus_group *g, const char *id)
{
	struct member *known = members_find(&g->members, id), *m = members_see(&g->members, id, loop_ms(g));

	if (m && !known)
		log_info("heatscoped %s joins the group", id);
	if (!m && !g->is_full)
		log_error("more than %d heatscoped are in this group: further ones are not seen", MEMBERS_MAX + 1);
	g->is_full |= !m;
	return m;
}

static void touch_all(struct bus_group *g, const json_t *touched)
{
	const json_t *id;
	size_t i;

	json_array_foreach(touched, i, id)
		catalog_touched(g->conf.catalog, (__u64)json_integer_value(id), boot_ns());
}

/* Messages of the feed come by another way than this: those that it sent before it said so the last time are here. */
static void check_feeds(struct bus_group *g, struct member *m, __u64 n_feeds)
{
	if (m->next_feed && m->said_feeds >= m->next_feed) {
		m->next_feed = m->said_feeds + 1;
		missed(g);
	}
	m->said_feeds = n_feeds;
}

static void take_peer(struct bus_group *g, const char *id, const json_t *json)
{
	struct member *m = json_is_true(json_object_get(json, "gone")) ? NULL : see(g, id);

	if (!m) {
		m = members_find(&g->members, id);
		if (m)
			member_gone(g, m, "leaves");
		return;
	}
	m->leads = json_is_true(json_object_get(json, "leads"));
	m->revision = (__u64)json_integer_value(json_object_get(json, "revision"));
	touch_all(g, json_object_get(json, "touched"));
	check_feeds(g, m, (__u64)json_integer_value(json_object_get(json, "feeds")));
	if (m->leads && !bus_group_leads(g))
		follow(g, m);
}

/* Of two of different stores that connected at the same time, the one with the later id gives way. */
static void take_member(struct bus_group *g, const struct bus_message *m)
{
	json_t *json = json_loadb((const char *)m->data, m->len, 0, NULL);
	const char *id = member_id(m->subject);

	if (strcmp(id, g->conf.id) && is_presence(id, json) && is_of_our_store(g, json))
		take_peer(g, id, json);
	else if (lives_elsewhere(g, id, json) && strcmp(id, g->conf.id) < 0)
		bus_restart(g->bus, BUS_OTHER_MEMBER);
	json_decref(json);
}

/* --- batches that we have stored --- */

/* data NULL: a gap in the numbers, so that the others know that something is missing. */
static void send_piece(void *arg, const __u8 *data, size_t len)
{
	char subject[SUBJECT_MAX], number[24];
	struct bus_group *g = arg;
	const struct bus_outgoing m = { .subject = subject, .data = data, .len = len, .header = { { BUS_HEADER_FEED, number } } };

	snprintf(subject, sizeof(subject), BUS_FEED ".%s", g->conf.id);
	snprintf(number, sizeof(number), "%llu", (unsigned long long)++g->n_feeds);
	if (data)
		publish(g, &m);		/* if it fails, its number is missing */
}

/* The others find that a number is missing. */
static void drop_feed(struct bus_group *g)
{
	feed_clear(g->feed);
	g->n_feeds++;
}

void bus_group_flush(struct bus_group *g)
{
	size_t most = g->bus ? bus_payload_max(g->bus) : 0;

	if (feed_is_empty(g->feed))
		return;
	if (most > HEADERS_ROOM && g->members.n)
		feed_take(g->feed, most - HEADERS_ROOM, send_piece, g);
	else
		drop_feed(g);
}

/* The store may have batches of which the others never hear. */
static void on_unsure(void *arg)
{
	((struct bus_group *)arg)->n_feeds++;
}

static void on_stored(void *arg, const struct batch *b)
{
	struct bus_group *g = arg;

	if (!g->bus || !g->members.n)
		g->n_feeds++;		/* one that hears us later knows that it has not heard all */
	else if (feed_add(g->feed, b))
		drop_feed(g);
	if (feed_is_full(g->feed))
		bus_group_flush(g);
}

static bool take_frames(struct bus_group *g, const struct bus_message *m)
{
	struct frame f;
	size_t at = 0;

	while (at < m->len) {
		long step = frame_get(m->data + at, m->len - at, &f);

		if (step <= 0 || (f.type != FRAME_BATCH && f.type != FRAME_FOLD) ||
		    intake_heard(g->conf.intake, f.data, f.len, f.type == FRAME_FOLD))
			return false;
		at += (size_t)step;
	}
	return true;
}

static void take_feed(struct bus_group *g, const struct bus_message *m)
{
	const char *id = member_id(m->subject), *text = bus_header(m, BUS_HEADER_FEED);
	__u64 number = text ? strtoull(text, NULL, 10) : 0;
	struct member *from = members_find(&g->members, id);
	bool is_next;

	if (!number || !strcmp(id, g->conf.id))
		return;
	if (!from) {			/* it has not said that it lives, or that it is gone */
		missed(g);
		return;
	}
	is_next = !from->next_feed || number == from->next_feed;
	from->next_feed = number + 1;
	if (!take_frames(g, m) || !is_next)
		missed(g);
}

/* --- questions --- */

static void question_end(struct bus_group *g, struct question **at, int err, const struct bus_message *m)
{
	struct question *q = *at;
	const char *head = m ? bus_header(m, BUS_HEADER_HEAD) : NULL;

	*at = q->next;
	q->done(q->arg, err ? err : head ? 0 : -EIO, head, m ? m->data : NULL, m ? m->len : 0);
	free(q);
}

static void end_questions(struct bus_group *g, __u64 until_ms, int err)
{
	struct question **at = &g->questions;

	while (*at)
		if ((*at)->until_ms <= until_ms)
			question_end(g, at, err, NULL);
		else
			at = &(*at)->next;
}

static void take_answer(struct bus_group *g, const char *number, const struct bus_message *m)
{
	struct question **at = &g->questions;
	__u64 n = strtoull(number, NULL, 10);

	while (*at && (*at)->number != n)
		at = &(*at)->next;
	if (*at && (m->status || bus_header(m, BUS_HEADER_HEAD)))
		question_end(g, at, m->status ? -ENOTCONN : 0, m);
}

int bus_group_ask(struct bus_group *g, const char *head, const void *body, size_t len, bus_group_answered done, void *arg)
{
	const struct member *leader = members_leader(&g->members);
	char subject[SUBJECT_MAX + 16], reply[SUBJECT_MAX + 40];
	const struct bus_outgoing m = { .subject = subject, .reply = reply, .data = body, .len = len, .header = { { BUS_HEADER_HEAD, head } } };
	struct question *q;
	int err;

	if (!g->bus || !leader)
		return -ENOTCONN;
	q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	*q = (struct question){ .number = ++g->n_questions, .until_ms = loop_ms(g) + ASK_MS, .done = done, .arg = arg };
	snprintf(subject, sizeof(subject), "heatscope.member.%s.asked", leader->id);
	snprintf(reply, sizeof(reply), "%s.answer.%llu", g->conf.inbox, (unsigned long long)q->number);
	err = publish(g, &m);
	if (err) {
		free(q);
		return err;
	}
	q->next = g->questions;
	g->questions = q;
	return 0;
}

int bus_group_answer(struct bus_group *g, const char *reply, const char *head, const void *body, size_t len)
{
	return publish(g, &(struct bus_outgoing){ .subject = reply, .data = body, .len = len, .header = { { BUS_HEADER_HEAD, head } } });
}

static void take_question(struct bus_group *g, const struct bus_message *m)
{
	const char *head = bus_header(m, BUS_HEADER_HEAD);

	if (head && m->reply[0] && g->conf.is_shared)
		g->conf.ops->asked(g->conf.arg, m->reply, head, m->data, m->len);
}

/* --- the interface --- */

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

bool bus_group_take(struct bus_group *g, const struct bus_message *m)
{
	const char *inbox = has_prefix(m->subject, g->conf.inbox) ? m->subject + strlen(g->conf.inbox) : "";

	if (has_prefix(m->subject, "$KV." BUS_MEMBERS "."))
		take_member(g, m);
	else if (has_prefix(m->subject, BUS_FEED "."))
		take_feed(g, m);
	else if (has_prefix(inbox, ".lease."))
		take_lease(g, inbox + strlen(".lease."), m);
	else if (has_prefix(inbox, ".answer."))
		take_answer(g, inbox + strlen(".answer."), m);
	else if (!strcmp(inbox, ".asked"))
		take_question(g, m);
	else
		return false;
	return true;
}

static void read_others(struct bus_group *g, const struct bus_values *others)
{
	for (size_t i = 0; i < others->n; i++) {
		json_t *json = json_loads(others->value[i].text, 0, NULL);
		const char *id = member_id(others->value[i].subject);
		struct member *m;

		if (strcmp(id, g->conf.id) && is_presence(id, json) && is_of_our_store(g, json))
			take_peer(g, id, json);
		m = members_find(&g->members, id);
		if (m)
			m->next_feed = 0;
		json_decref(json);
	}
}

int bus_group_connected(struct bus_group *g, struct bus *bus, const struct bus_values *others)
{
	int err = bus_subscribe(bus, "$KV." BUS_MEMBERS ".*");

	if (!err && g->conf.is_shared)
		err = bus_subscribe(bus, BUS_FEED ".*");
	if (err)
		return err;
	g->bus = bus;
	g->members.n = 0;
	feed_clear(g->feed);
	read_others(g, others);
	missed(g);
	publish_presence(g, false);
	if (g->conf.is_shared)
		ask_lease(g);
	return 0;
}

void bus_group_lost(struct bus_group *g)
{
	g->bus = NULL;
	if (g->conf.is_shared)
		set_lease(g, false);	/* a bus that starts again may have forgotten who led */
	end_questions(g, UINT64_MAX, -ESHUTDOWN);
}

static bool lease_is_due(const struct bus_group *g)
{
	__u64 since_ms = loop_ms(g) - g->lease_asked_ms;

	return g->conf.is_shared && loop_ms(g) >= g->yields_until_ms && (!g->lease_asked_ms || since_ms > LEASE_AGAIN_MS) &&
	       true_ms() + LEASE_MS >= g->lease_until_ms + PRESENCE_MS;
}

void bus_group_tick(struct bus_group *g)
{
	struct member *silent;

	if (!lease_runs(g))
		set_lease(g, false);
	end_questions(g, loop_ms(g), -ETIMEDOUT);
	if (!g->bus || g->is_stopped)
		return;
	while ((silent = members_silent(&g->members, loop_ms(g))))
		member_gone(g, silent, "is silent");
	if (lease_is_due(g))
		ask_lease(g);
	if (loop_ms(g) - g->presence_ms >= PRESENCE_MS)
		publish_presence(g, false);
}

void bus_group_stop(struct bus_group *g)
{
	g->is_stopped = true;
	set_lease(g, false);
	publish_presence(g, true);
}

bool bus_group_owns(const struct bus_group *g, unsigned partition)
{
	return members_owns(&g->members, partition);
}

void bus_group_follow_again(struct bus_group *g)
{
	g->follow_again = true;
}

/* The others read it again at once. */
static void on_texts(void *arg)
{
	struct bus_group *g = arg;

	g->revision++;
	if (bus_group_leads(g) && g->bus && !g->is_stopped)
		publish_presence(g, false);
}

int bus_group_new(uv_loop_t *loop, const struct bus_group_conf *conf, struct bus_group **ret_group)
{
	struct bus_group *g = calloc(1, sizeof(*g));

	if (!g || feed_new(&g->feed)) {
		free(g);
		return -ENOMEM;
	}
	g->loop = loop;
	g->conf = *conf;
	snprintf(g->members.self, sizeof(g->members.self), "%s", conf->id);
	g->observer = (struct store_queue_observer){ .stored = on_stored, .unsure = on_unsure, .texts = on_texts, .arg = g };
	if (conf->is_shared)
		store_queue_observe(conf->store_queue, &g->observer);
	*ret_group = g;
	return 0;
}

void bus_group_free(struct bus_group *g)
{
	if (!g)
		return;
	end_questions(g, UINT64_MAX, -ESHUTDOWN);
	if (g->conf.is_shared)
		store_queue_unobserve(g->conf.store_queue, &g->observer);
	feed_free(g->feed);
	free(g);
}

json_t *bus_group_json(const struct bus_group *g)
{
	const struct member *leader = members_leader(&g->members);
	json_t *partitions = json_array(), *others = json_array();

	for (unsigned p = 0; p < BUS_PARTITIONS; p++)
		if (bus_group_owns(g, p))
			json_array_append_new(partitions, json_integer(p));
	for (size_t i = 0; i < g->members.n; i++)
		json_array_append_new(others, json_pack("{s:s, s:b}", "id", g->members.other[i].id, "leads", g->members.other[i].leads));
	return json_pack("{s:b, s:s, s:b, s:s?, s:o, s:o, s:I}", "shared", g->conf.is_shared, "id", g->conf.id, "leads", bus_group_leads(g), "leader",
			 bus_group_leads(g) ? g->conf.id : leader ? leader->id : NULL, "partitions", partitions, "others", others, "missed",
			 (json_int_t)g->n_missed);
}
