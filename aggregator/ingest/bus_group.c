#include "aggregator/ingest/bus_group.h"

#include "aggregator/base/clock.h"
#include "aggregator/ingest/bus_feed.h"
#include "aggregator/ingest/bus_lease.h"
#include "collector/bus/subjects.h"
#include "collector/core/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRESENCE_MS 1000		/* how often we publish that we live */

struct bus_group {
	uv_loop_t *loop;
	struct bus_group_conf conf;
	struct bus *bus;		/* NULL: not connected */
	struct members members;
	bool is_stopped, is_full;
	__u64 presence_ms;
	struct bus_lease lease;
	__u64 revision;			/* how often we have written */
	char led_by[MEMBER_ID_MAX];	/* whose writing we have read, up to this revision */
	__u64 followed;
	bool follow_again;
	__s64 touched_ns;		/* boot clock: requests since then are to be said */
	struct store_queue_observer observer;
	struct bus_feed feed;
	__u64 n_missed;
	struct bus_questions questions;
};

static __u64 loop_ms(const struct bus_group *g) { return uv_now(g->loop); }

static void missed(void *arg)
{
	struct bus_group *g = arg;

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
		json_object_set_new(json, "feeds", json_integer((json_int_t)g->feed.n));
	}
	text = json ? json_dumps(json, JSON_COMPACT) : NULL;
	snprintf(subject, sizeof(subject), "$KV." BUS_MEMBERS ".%s", g->conf.id);
	if (text && g->bus)
		bus_publish(g->bus, &(struct bus_outgoing){ .subject = subject, .data = text, .len = strlen(text) });
	free(text);
	json_decref(json);
	g->presence_ms = loop_ms(g);
}

/* --- the lease --- */

bool bus_group_leads(const struct bus_group *g)
{
	return !g->conf.is_shared || bus_lease_leads(&g->lease);
}

__u64 bus_group_leads_until_ms(const struct bus_group *g)
{
	return bus_group_leads(g) ? g->lease.until_ms : 0;
}

static void on_lease(void *arg, bool leads)
{
	struct bus_group *g = arg;

	g->conf.ops->lead(g->conf.arg, leads);
	if (!g->is_stopped)
		publish_presence(g, false);
}

void bus_group_ready(struct bus_group *g)
{
	g->lease.is_ready = true;
	publish_presence(g, false);
}

void bus_group_yield(struct bus_group *g)
{
	bus_lease_yield(&g->lease);
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
	bus_feed_said(&g->feed, m, (__u64)json_integer_value(json_object_get(json, "feeds")));
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

/* --- questions --- */

int bus_group_ask(struct bus_group *g, const char *head, const void *body, size_t len, bus_question_answered done, void *arg)
{
	const struct member *leader = members_leader(&g->members);

	return g->bus && leader ? bus_questions_ask(&g->questions, g->bus, leader->id, head, body, len, done, arg) : -ENOTCONN;
}

int bus_group_answer(struct bus_group *g, const char *reply, const char *head, const void *body, size_t len)
{
	return g->bus ? bus_questions_answer(g->bus, reply, head, body, len) : -ENOTCONN;
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
		bus_feed_take(&g->feed, member_id(m->subject), m);
	else if (has_prefix(inbox, ".lease."))
		bus_lease_take(&g->lease, inbox + strlen(".lease."), m, !g->is_stopped);
	else if (has_prefix(inbox, ".answer."))
		bus_questions_take(&g->questions, inbox + strlen(".answer."), m);
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
	g->bus = g->feed.bus = bus;
	g->members.n = 0;
	feed_clear(g->feed.feed);
	read_others(g, others);
	missed(g);
	publish_presence(g, false);
	if (g->conf.is_shared)
		bus_lease_ask(&g->lease, bus);
	return 0;
}

void bus_group_lost(struct bus_group *g)
{
	g->bus = g->feed.bus = NULL;
	if (g->conf.is_shared)
		bus_lease_end(&g->lease);	/* a bus that starts again may have forgotten who led */
	bus_questions_end(&g->questions);
}

void bus_group_tick(struct bus_group *g)
{
	struct member *silent;

	if (!bus_lease_runs(&g->lease))
		bus_lease_end(&g->lease);
	bus_questions_tick(&g->questions);
	if (!g->bus || g->is_stopped)
		return;
	while ((silent = members_silent(&g->members, loop_ms(g))))
		member_gone(g, silent, "is silent");
	if (g->conf.is_shared)
		bus_lease_tick(&g->lease, g->bus);
	if (loop_ms(g) - g->presence_ms >= PRESENCE_MS)
		publish_presence(g, false);
}

void bus_group_flush(struct bus_group *g)
{
	bus_feed_flush(&g->feed);
}

void bus_group_stop(struct bus_group *g)
{
	g->is_stopped = true;
	bus_lease_end(&g->lease);
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

static void on_stored(void *arg, const struct batch *b) { bus_feed_add(&((struct bus_group *)arg)->feed, b); }
static void on_unsure(void *arg) { bus_feed_skip(&((struct bus_group *)arg)->feed); }

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

	if (!g || bus_feed_init(&g->feed)) {
		free(g);
		return -ENOMEM;
	}
	g->loop = loop;
	g->conf = *conf;
	g->feed = (struct bus_feed){ .id = conf->id, .intake = conf->intake, .members = &g->members, .missed = missed, .arg = g,
				     .feed = g->feed.feed };
	g->lease = (struct bus_lease){ .loop = loop, .inbox = conf->inbox, .id = conf->id, .changed = on_lease, .arg = g };
	g->questions = (struct bus_questions){ .loop = loop, .inbox = conf->inbox };
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
	bus_questions_end(&g->questions);
	if (g->conf.is_shared)
		store_queue_unobserve(g->conf.store_queue, &g->observer);
	bus_feed_fini(&g->feed);
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
