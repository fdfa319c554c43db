#include "aggregator/ingest/bus_ingest.h"

#include "aggregator/base/clock.h"
#include "aggregator/ingest/bus_assembly.h"
#include "aggregator/ingest/bus_setup.h"
#include "collector/bus/subjects.h"
#include "collector/core/array.h"
#include "collector/core/frame.h"
#include "collector/core/log.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_MS 500
#define MEMBER_MS 1000			/* how often we say that we live */
#define PULL_MESSAGES 32		/* asked for at once, per partition */
#define PULL_EXPIRES_MS 5000
#define PULL_AGAIN_MS 7000		/* a request that got no reply is asked again */
#define SOURCE_SILENT_MS (BUS_SOURCE_AGE_S * 1000)
#define MEMBER_SILENT_MS (BUS_MEMBER_AGE_S * 1000)
#define MEMBER_ID_MAX 24

struct bus_source {			/* of the bucket; the hash table owns it */
	char name[SOURCE_MAX];
	json_t *hello, *state, *self;	/* as last taken into the catalog; NULL: gone */
	__u64 seen_ms;
};

struct member {
	char id[MEMBER_ID_MAX], url[256];
	__u64 seen_ms;
};

struct pull {				/* of one partition */
	bool is_ours;
	unsigned n_asked;		/* messages that may still come */
	__u64 asked_ms;
};

struct bus_ingest {
	uv_loop_t *loop;
	uv_timer_t timer;
	struct bus *bus;
	struct bus_setup setup;
	struct catalog *catalog;
	struct intake *intake;
	struct catalog_observer observer;
	char url[128], own_url[256], aggregator[64], id[MEMBER_ID_MAX];
	char inbox[SUBJECT_MAX], member_subject[SUBJECT_MAX], reason[REASON_MAX];
	bool verbose, is_connected, is_stopped, is_closing;
	struct bus_values sources, members;	/* that the connecting thread has read; for connected() */
	GHashTable *source;		/* name -> struct bus_source */
	struct member *member;
	size_t n_members, members_room;
	struct pull pull[BUS_PARTITIONS];
	struct bus_assemblies assemblies;
	char *wanted;			/* the text that the bucket has, as far as we know; NULL: unknown */
	__u64 member_at_ms;
	struct delivery *deliveries;
	__u64 n_messages, n_again, n_refused, n_failed;
	unsigned n_handles;
};

/* A message whose batches wait for the store. */
struct delivery {
	struct sender sender;		/* first */
	struct bus_ingest *ingest;
	struct delivery *next, **link;
	unsigned n_waiting;
	bool is_failed, is_refused;
	size_t n_acks;
	char *ack[];			/* the subjects that acknowledge its parts */
};

static __u64 loop_ms(const struct bus_ingest *in)
{
	return uv_now(in->loop);
}

static int publish_text(struct bus_ingest *in, const char *subject, const char *reply, const char *text)
{
	const struct bus_outgoing m = { .subject = subject, .reply = reply, .data = text, .len = strlen(text) };

	return bus_publish(in->bus, &m);
}

/* --- partitions --- */

/* FNV-1a of the member's id, then the finalizer of splitmix64 with the partition, so that partitions differ in all bits. */
static __u64 weight_of(const char *id, unsigned partition)
{
	__u64 hash = 0xcbf29ce484222325;

	for (const unsigned char *c = (const unsigned char *)id; *c; c++)
		hash = (hash ^ *c) * 0x100000001b3;
	hash += (partition + 1) * 0x9e3779b97f4a7c15;
	hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9;
	hash = (hash ^ hash >> 27) * 0x94d049bb133111eb;
	return hash ^ hash >> 31;
}

static bool is_ours(const struct bus_ingest *in, unsigned partition)
{
	__u64 mine = weight_of(in->id, partition);

	for (size_t i = 0; i < in->n_members; i++)
		if (weight_of(in->member[i].id, partition) > mine)
			return false;
	return true;
}

static void pull_ask(struct bus_ingest *in, unsigned p)
{
	struct pull *pull = &in->pull[p];
	char subject[64], reply[SUBJECT_MAX + 32], text[64];

	if (!pull->is_ours || !in->is_connected || in->is_stopped || intake_is_full(in->intake))
		return;
	if (pull->n_asked > PULL_MESSAGES / 4 && loop_ms(in) - pull->asked_ms < PULL_AGAIN_MS)
		return;
	snprintf(subject, sizeof(subject), "$JS.API.CONSUMER.MSG.NEXT." BUS_STREAM ".p%u", p);
	snprintf(reply, sizeof(reply), "%s.pull.%u", in->inbox, p);
	snprintf(text, sizeof(text), "{\"batch\":%d,\"expires\":%lld}", PULL_MESSAGES, PULL_EXPIRES_MS * 1000000ll);
	pull->n_asked = PULL_MESSAGES;
	pull->asked_ms = loop_ms(in);
	publish_text(in, subject, reply, text);
}

static void pull_all(void *arg)
{
	struct bus_ingest *in = arg;

	for (unsigned p = 0; p < BUS_PARTITIONS; p++)
		pull_ask(in, p);
}

static void share_partitions(struct bus_ingest *in)
{
	unsigned n = 0, n_before = 0;

	for (unsigned p = 0; p < BUS_PARTITIONS; p++) {
		n_before += in->pull[p].is_ours;
		in->pull[p].is_ours = is_ours(in, p);
		n += in->pull[p].is_ours;
	}
	if (n != n_before)
		log_info("bus %s: %u of %d partitions are ours; the group has %zu members", in->url, n, BUS_PARTITIONS, in->n_members + 1);
	pull_all(in);
}

/* --- the group --- */

static void say_member(struct bus_ingest *in, bool gone)
{
	json_t *json = json_pack("{s:s, s:s, s:b}", "aggregator", in->aggregator, "url", in->own_url, "gone", gone);
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	if (text)
		publish_text(in, in->member_subject, NULL, text);
	free(text);
	json_decref(json);
	in->member_at_ms = loop_ms(in) + MEMBER_MS;
}

static struct member *member_find(struct bus_ingest *in, const char *id)
{
	for (size_t i = 0; i < in->n_members; i++)
		if (!strcmp(in->member[i].id, id))
			return &in->member[i];
	return NULL;
}

static void member_remove(struct bus_ingest *in, struct member *m)
{
	*m = in->member[--in->n_members];
	share_partitions(in);
}

/* "$KV.heatscope_members.ID" -> "ID" */
static const char *member_id(const char *subject)
{
	const char *last = strrchr(subject, '.');

	return last && last[1] && strlen(last + 1) < MEMBER_ID_MAX ? last + 1 : NULL;
}

/* A member with another database is refused by the one whose id comes later; the other one stays. */
static bool member_is_foreign(const struct bus_ingest *in, const json_t *json)
{
	const char *aggregator = json_string_value(json_object_get(json, "aggregator"));

	return !aggregator || strcmp(aggregator, in->aggregator);
}

static void take_member(struct bus_ingest *in, const char *subject, const char *text, size_t len)
{
	const char *id = member_id(subject), *url;
	json_t *json = json_loadb(text, len, 0, NULL);
	struct member *m = id ? member_find(in, id) : NULL;

	url = json_string_value(json_object_get(json, "url"));
	if (!id || !json || !strcmp(id, in->id)) {
		json_decref(json);
		return;
	}
	if (member_is_foreign(in, json)) {
		if (strcmp(id, in->id) < 0)
			bus_restart(in->bus, "another heatscoped with another database takes its batches");
	} else if (json_is_true(json_object_get(json, "gone"))) {
		if (m)
			member_remove(in, m);
	} else if (m || !array_grow(&in->member, in->n_members, &in->members_room, sizeof(*in->member))) {
		bool is_new = !m;

		m = m ? m : &in->member[in->n_members++];
		snprintf(m->id, sizeof(m->id), "%s", id);
		snprintf(m->url, sizeof(m->url), "%s", url ? url : "");
		m->seen_ms = loop_ms(in);
		if (is_new)
			share_partitions(in);
	}
	json_decref(json);
}

static void expire_members(struct bus_ingest *in)
{
	for (size_t i = in->n_members; i-- > 0;)
		if (loop_ms(in) - in->member[i].seen_ms > MEMBER_SILENT_MS) {
			log_warning("bus %s: the heatscoped %s is silent: its partitions are shared", in->url, in->member[i].id);
			member_remove(in, &in->member[i]);
		}
}

/* --- sources --- */

static void source_drop(void *arg)
{
	struct bus_source *s = arg;

	json_decref(s->hello);
	json_decref(s->state);
	json_decref(s->self);
	free(s);
}

static struct bus_source *source_of(struct bus_ingest *in, const char *name)
{
	struct bus_source *s = g_hash_table_lookup(in->source, name);

	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	snprintf(s->name, sizeof(s->name), "%s", name);
	g_hash_table_insert(in->source, s->name, s);
	return s;
}

static void source_gone(struct bus_ingest *in, struct bus_source *s)
{
	if (!s->hello)
		return;
	if (in->verbose)
		log_info("source %s is gone", s->name);
	json_decref(s->hello);
	json_decref(s->state);
	json_decref(s->self);
	s->hello = s->state = s->self = NULL;
	catalog_bye(in->catalog, s->name, now_ns());
}

static void refuse_source(struct bus_ingest *in, const char *name, const char *why)
{
	__u64 n = ++in->n_refused;

	if (!(n & (n - 1)))
		log_warning("bus %s: a message of %s is refused: %s (%llu so far)", in->url, name, why, (unsigned long long)n);
}

/* A hello that equals the former one changes nothing: collectors send it again and again. */
static int take_hello(struct bus_ingest *in, struct bus_source *s, json_t *hello, char *reason)
{
	const char *name = json_string_value(json_object_get(hello, "source"));
	int err;

	if (s->hello && json_equal(s->hello, hello))
		return 0;
	if (!name || strcmp(name, s->name))
		return refuse(reason, "its hello has the name of another source");
	source_gone(in, s);
	err = catalog_hello(in->catalog, hello, now_ns(), &name, reason);
	if (!err)
		s->hello = json_incref(hello);
	if (!err && in->verbose)
		log_info("source %s says hello", s->name);
	return err;
}

/* kept: the state that was last taken. */
static int take_state(struct bus_ingest *in, const struct bus_source *s, json_t **kept, json_t *state, char *reason)
{
	int err;

	if (!state || (*kept && json_equal(*kept, state)))
		return 0;
	err = catalog_state(in->catalog, s->name, state, reason);
	if (err)
		return err;
	json_decref(*kept);
	*kept = json_incref(state);
	return 0;
}

static void take_source(struct bus_ingest *in, const char *subject, const char *text, size_t len)
{
	char name[SOURCE_MAX], reason[REASON_MAX] = "no memory";
	struct bus_source *s = source_of_subject(subject, name) ? NULL : source_of(in, name);
	json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL), *hello = json_object_get(json, "hello");

	if (s && json_is_true(json_object_get(json, "gone"))) {
		source_gone(in, s);
	} else if (s && hello) {
		s->seen_ms = loop_ms(in);
		if (take_hello(in, s, hello, reason) || take_state(in, s, &s->state, json_object_get(json, "state"), reason) ||
		    take_state(in, s, &s->self, json_object_get(json, "self"), reason))
			refuse_source(in, name, reason);
	} else if (s && len) {
		refuse_source(in, name, "it is not JSON with a hello");
	}
	json_decref(json);
}

static void expire_sources(struct bus_ingest *in)
{
	GHashTableIter at;
	void *one;

	g_hash_table_iter_init(&at, in->source);
	while (g_hash_table_iter_next(&at, NULL, &one)) {
		struct bus_source *s = one;

		if (s->hello && loop_ms(in) - s->seen_ms > SOURCE_SILENT_MS)
			source_gone(in, s);
	}
}

/* --- the wanted set --- */

static void publish_wanted(struct bus_ingest *in)
{
	json_t *want = catalog_want(in->catalog);
	char *text = want ? json_dumps(want, JSON_COMPACT) : NULL, reply[SUBJECT_MAX + 16];

	json_decref(want);
	if (!text || !in->is_connected || (in->wanted && !strcmp(in->wanted, text))) {
		free(text);
		return;
	}
	snprintf(reply, sizeof(reply), "%s.wanted", in->inbox);
	publish_text(in, BUS_WANTED, reply, text);
	free(text);			/* it comes back to us, or take_wanted_ack() says why not */
}

static void wanted_changed(void *arg, bool wanted)
{
	if (wanted)
		publish_wanted(arg);
}

static void take_wanted(struct bus_ingest *in, const struct bus_message *m)
{
	free(in->wanted);
	in->wanted = strndup((const char *)m->data, m->len);
}

/* {"error": {"description": ...}}: it is published again at the next tick. */
static void take_wanted_ack(struct bus_ingest *in, const struct bus_message *m)
{
	json_t *json = json_loadb((const char *)m->data, m->len, 0, NULL), *error = json_object_get(json, "error");

	if (m->status || error)
		log_warning("bus %s: the wanted set is not published: %.200s", in->url,
			    error ? json_string_value(json_object_get(error, "description")) : "there is no bucket for it");
	json_decref(json);
}

/* --- batches --- */

static void delivery_end(struct delivery *d)
{
	struct bus_ingest *in = d->ingest;
	const char *text = d->is_failed ? "-NAK {\"delay\": 1000000000}" : d->is_refused ? "+TERM" : "+ACK";

	for (size_t i = 0; i < d->n_acks; i++) {
		if (!in->is_closing)
			publish_text(in, d->ack[i], NULL, text);
		free(d->ack[i]);
	}
	in->n_failed += d->is_failed;
	*d->link = d->next;
	if (d->next)
		d->next->link = d->link;
	free(d);
}

static void delivery_release(struct delivery *d)
{
	if (!--d->n_waiting)
		delivery_end(d);
}

static void batch_settled(struct sender *sender, const struct batch *b, int err, const char *reason)
{
	struct delivery *d = (struct delivery *)sender;

	d->is_failed |= err != 0;
	delivery_release(d);
}

static struct delivery *delivery_new(struct bus_ingest *in, struct bus_assembly *whole)
{
	struct delivery *d = calloc(1, sizeof(*d) + whole->n_parts * sizeof(*d->ack));

	if (!d)
		return NULL;
	d->sender.settled = batch_settled;
	d->ingest = in;
	d->n_waiting = 1;		/* for ourselves, until all batches were handed over */
	d->n_acks = whole->n_parts;
	for (size_t i = 0; i < d->n_acks; i++) {
		d->ack[i] = whole->part[i].ack;
		whole->part[i].ack = NULL;
	}
	d->next = in->deliveries;
	d->link = &in->deliveries;
	if (d->next)
		d->next->link = &d->next;
	in->deliveries = d;
	return d;
}

static void take_frames(struct delivery *d, const char *source, const __u8 *data, size_t len)
{
	struct bus_ingest *in = d->ingest;
	struct frame f;
	size_t at = 0;
	long step;
	int err = 0;

	while (at < len && !err) {
		step = frame_get(data + at, len - at, &f);
		if (step <= 0 || f.type != FRAME_BATCH) {
			err = -EBADMSG;
			break;
		}
		at += (size_t)step;
		d->n_waiting++;
		err = intake_batch(in->intake, f.data, f.len, source, &d->sender);
		if (err)
			d->n_waiting--;
	}
	if (err == -EBADMSG || err == -EPERM) {
		d->is_refused = true;
		refuse_source(in, source, err == -EPERM ? "it has a batch of another source" : "it is damaged");
	} else if (err) {
		d->is_failed = true;
	}
}

/* $JS.ACK.STREAM.CONSUMER.DELIVERED.SEQ.CONSUMER-SEQ.TIME.PENDING; newer servers put domain and account after ACK.
 * Returns the token that is `back` from the end of the nine. */
static __u64 ack_number(const char *reply, int from_start)
{
	int n_dots = 0, skip;

	for (const char *c = reply; *c; c++)
		n_dots += *c == '.';
	skip = from_start + (n_dots >= 10 ? 2 : 0);
	for (; *reply && skip; reply++)
		skip -= *reply == '.';
	return strtoull(reply, NULL, 10);
}

/* The host's clock against the server's, at the moment when the message was sent. */
static void take_clock(struct bus_ingest *in, const char *source, const struct bus_message *m)
{
	const struct bus_source *s = g_hash_table_lookup(in->source, source);
	const char *sent = bus_header(m, BUS_HEADER_SENT), *incarnation;
	__u64 stored_ns = ack_number(m->reply, 7);

	incarnation = s ? json_string_value(json_object_get(s->hello, "incarnation")) : NULL;
	if (sent && stored_ns && incarnation)
		catalog_clock(in->catalog, source, strtoull(incarnation, NULL, 10), strtoll(sent, NULL, 10), false, (__s64)stored_ns);
}

static void take_batches(struct bus_ingest *in, const struct bus_message *m)
{
	char source[SOURCE_MAX];
	struct bus_assembly *whole;
	struct delivery *d;
	const struct bus_part part = { bus_header(m, BUS_HEADER_ID), bus_header(m, BUS_HEADER_PART), m->reply, m->data, m->len };

	in->n_messages++;
	in->n_again += ack_number(m->reply, 4) > 1;
	if (source_of_subject(m->subject, source)) {
		refuse_source(in, m->subject, "its subject names no source");
		publish_text(in, m->reply, NULL, "+TERM");
		return;
	}
	take_clock(in, source, m);
	switch (bus_assemblies_add(&in->assemblies, source, &part, loop_ms(in), &whole)) {
	case 0: return;			/* further parts are missing */
	case 1: break;
	case -ENOMEM: return;		/* it comes again */
	default:
		refuse_source(in, source, "its header " BUS_HEADER_PART " cannot be read");
		publish_text(in, m->reply, NULL, "+TERM");
		return;
	}
	d = delivery_new(in, whole);
	if (d) {
		take_frames(d, source, whole->data.data, whole->data.len);
		delivery_release(d);
	}
	bus_assembly_fini(whole);
}

/* Subjects of replies end with ".pull.P"; those of batches have P as their third token. */
static unsigned partition_of(const char *subject, bool is_reply)
{
	const char *at = is_reply ? strrchr(subject, '.') : subject + strlen("heatscope.batch");
	unsigned long p = at ? strtoul(at + 1, NULL, 10) : 0;

	return p < BUS_PARTITIONS ? (unsigned)p : 0;
}

static void on_message(void *arg, const struct bus_message *m)
{
	struct bus_ingest *in = arg;
	size_t inbox = strlen(in->inbox);
	unsigned p;

	if (!strncmp(m->subject, in->inbox, inbox)) {
		if (!strcmp(m->subject + inbox, ".wanted")) {
			take_wanted_ack(in, m);
			return;
		}
		p = partition_of(m->subject, true);
		in->pull[p].n_asked = 0;	/* 404, 408: the request is over; 503: the consumer is gone */
		if (m->status == 503)
			bus_restart(in->bus, "its stream is gone");
		else
			pull_ask(in, p);
	} else if (!strncmp(m->subject, "$KV." BUS_SOURCES ".", strlen("$KV." BUS_SOURCES "."))) {
		take_source(in, m->subject, (const char *)m->data, m->len);
	} else if (!strncmp(m->subject, "$KV." BUS_MEMBERS ".", strlen("$KV." BUS_MEMBERS "."))) {
		take_member(in, m->subject, (const char *)m->data, m->len);
	} else if (!strcmp(m->subject, BUS_WANTED)) {
		take_wanted(in, m);
	} else {
		p = partition_of(m->subject, false);
		in->pull[p].n_asked -= in->pull[p].n_asked > 0;
		take_batches(in, m);
		pull_ask(in, p);
	}
}

/* --- connecting --- */

/* On the connecting thread. */
static int on_prepare(void *arg, natsConnection *nc, char reason[REASON_MAX])
{
	struct bus_ingest *in = arg;
	int err = bus_setup_make(nc, &in->setup, reason);

	bus_values_fini(&in->sources);
	bus_values_fini(&in->members);
	if (!err)
		err = bus_setup_read(nc, BUS_MEMBERS, &in->members, reason);
	for (size_t i = 0; i < in->members.n && !err; i++) {
		json_t *json = json_loads(in->members.value[i].text, 0, NULL);

		if (json && !json_is_true(json_object_get(json, "gone")) && member_is_foreign(in, json))
			err = refuse(reason, "another heatscoped (%.30s) with another database takes its batches: stop one of them, or "
				     "give both the same database", member_id(in->members.value[i].subject));
		json_decref(json);
	}
	return err ? err : bus_setup_read(nc, BUS_SOURCES, &in->sources, reason);
}

/* A source is not gone because we did not see it: its age counts from this connection on. */
static void renew_sources(struct bus_ingest *in)
{
	GHashTableIter at;
	void *one;

	g_hash_table_iter_init(&at, in->source);
	while (g_hash_table_iter_next(&at, NULL, &one))
		((struct bus_source *)one)->seen_ms = loop_ms(in);
}

static void on_connected(void *arg)
{
	struct bus_ingest *in = arg;
	char all[SUBJECT_MAX + 8];

	snprintf(all, sizeof(all), "%s.>", in->inbox);
	if (bus_subscribe(in->bus, all) || bus_subscribe(in->bus, "$KV." BUS_SOURCES ".*") ||
	    bus_subscribe(in->bus, "$KV." BUS_MEMBERS ".*") || bus_subscribe(in->bus, BUS_WANTED))
		return;			/* the connection breaks */
	log_info("bus %s: connected", in->url);
	in->is_connected = true;
	in->reason[0] = 0;
	renew_sources(in);
	memset(in->pull, 0, sizeof(in->pull));
	say_member(in, false);
	for (size_t i = 0; i < in->members.n; i++)
		take_member(in, in->members.value[i].subject, in->members.value[i].text, strlen(in->members.value[i].text));
	for (size_t i = 0; i < in->sources.n; i++)
		take_source(in, in->sources.value[i].subject, in->sources.value[i].text, strlen(in->sources.value[i].text));
	bus_values_fini(&in->members);
	bus_values_fini(&in->sources);
	publish_wanted(in);
	share_partitions(in);
}

static void on_lost(void *arg, const char *why)
{
	struct bus_ingest *in = arg;

	log_warning("bus %s: %.200s; connecting again", in->url, why);
	snprintf(in->reason, sizeof(in->reason), "%s", why);
	in->is_connected = false;
	in->n_members = 0;
	free(in->wanted);
	in->wanted = NULL;
}

static void on_tick(uv_timer_t *timer)
{
	struct bus_ingest *in = timer->data;

	if (!in->is_connected)
		return;
	if (loop_ms(in) >= in->member_at_ms && !in->is_stopped)
		say_member(in, false);
	expire_members(in);
	expire_sources(in);
	bus_assemblies_expire(&in->assemblies, loop_ms(in));
	publish_wanted(in);
	pull_all(in);
}

/* --- the interface --- */

static void handle_gone(struct bus_ingest *in)
{
	if (--in->n_handles)
		return;
	while (in->deliveries) {
		intake_disown(in->intake, &in->deliveries->sender);
		delivery_end(in->deliveries);
	}
	bus_values_fini(&in->sources);
	bus_values_fini(&in->members);
	bus_assemblies_fini(&in->assemblies);
	g_hash_table_destroy(in->source);
	free(in->member);
	free(in->wanted);
	free(in);
}

static void on_timer_closed(uv_handle_t *timer) { handle_gone(timer->data); }
static void on_bus_closed(void *arg) { handle_gone(arg); }

int bus_ingest_new(uv_loop_t *loop, const struct bus_ingest_conf *conf, struct catalog *catalog, struct intake *intake,
		   struct bus_ingest **ret_ingest, char reason[REASON_MAX])
{
	static const struct bus_ops ops = { on_prepare, on_connected, on_message, on_lost, on_bus_closed };
	struct bus_ingest *in = calloc(1, sizeof(*in));
	int err;

	if (!in)
		return no_memory(reason);
	*in = (struct bus_ingest){ .loop = loop, .catalog = catalog, .intake = intake, .verbose = conf->verbose, .n_handles = 2,
				   .setup = { conf->replicas, conf->max_bytes },
				   .observer = { .changed = wanted_changed, .arg = in } };
	snprintf(in->url, sizeof(in->url), "%s", conf->bus.url);
	snprintf(in->own_url, sizeof(in->own_url), "%s", conf->url);
	snprintf(in->aggregator, sizeof(in->aggregator), "%s", catalog_identity(catalog));
	snprintf(in->id, sizeof(in->id), "%llx", (unsigned long long)now_ns() ^ (unsigned long long)uv_os_getpid() << 40);
	snprintf(in->inbox, sizeof(in->inbox), "heatscope.member.%s", in->id);
	snprintf(in->member_subject, sizeof(in->member_subject), "$KV." BUS_MEMBERS ".%s", in->id);
	in->source = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, source_drop);
	err = bus_new(loop, &conf->bus, &ops, in, &in->bus, reason);
	if (err) {
		g_hash_table_destroy(in->source);
		free(in);
		return err;
	}
	uv_timer_init(loop, &in->timer);
	in->timer.data = in;
	uv_timer_start(&in->timer, on_tick, TICK_MS, TICK_MS);
	catalog_observe(catalog, &in->observer);
	intake_on_ready(intake, pull_all, in);
	*ret_ingest = in;
	return 0;
}

void bus_ingest_stop(struct bus_ingest *in)
{
	if (in->is_stopped)
		return;
	in->is_stopped = true;
	if (in->is_connected)
		say_member(in, true);
}

void bus_ingest_close(struct bus_ingest *in)
{
	if (!in || in->is_closing)
		return;
	bus_ingest_stop(in);
	catalog_unobserve(in->catalog, &in->observer);
	intake_off_ready(in->intake, in);
	in->is_closing = true;
	in->is_connected = false;
	uv_close((uv_handle_t *)&in->timer, on_timer_closed);
	bus_close(in->bus);
}

json_t *bus_ingest_json(const struct bus_ingest *in)
{
	unsigned n = 0;

	for (unsigned p = 0; p < BUS_PARTITIONS; p++)
		n += in->pull[p].is_ours && in->is_connected;
	return json_pack("{s:s, s:b, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "url", in->url, "connected", in->is_connected, "reason",
			 in->reason, "id", in->id, "members", (json_int_t)(in->n_members + in->is_connected), "partitions", (json_int_t)n,
			 "messages", (json_int_t)in->n_messages, "again", (json_int_t)in->n_again, "refused", (json_int_t)in->n_refused,
			 "not_stored", (json_int_t)in->n_failed);
}
