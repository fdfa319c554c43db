#include "aggregator/ingest/bus_ingest.h"

#include "aggregator/base/clock.h"
#include "aggregator/ingest/bus_assembly.h"
#include "aggregator/ingest/bus_module.h"
#include "aggregator/ingest/bus_setup.h"
#include "aggregator/ingest/bus_sources.h"
#include "collector/bus/subjects.h"
#include "collector/core/frame.h"
#include "collector/core/log.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_MS 500
#define PULL_MESSAGES 16		/* asked for at once, per partition */
#define PULL_EXPIRES_MS 5000
#define PULL_AGAIN_MS 7000		/* a request that got no reply is asked again */
#define WORKING_MS 2000			/* how often the server hears that a message is in work */
#define GIVE_UP_NS 600000000000ll	/* parts of a message that stay alone are given up after this time */

struct pull {				/* of one partition */
	unsigned n_asked;		/* messages of its running request that may still come */
	__u64 number, asked_ms;		/* of this request */
};

struct bus_ingest {
	uv_loop_t *loop;
	uv_timer_t timer;
	struct bus *bus;
	struct bus_setup setup;
	struct catalog *catalog;
	struct intake *intake;
	struct catalog_observer observer;
	struct bus_group *group;
	char url[128], id[MEMBER_ID_MAX];
	char inbox[SUBJECT_MAX], reason[REASON_MAX];
	bool is_connected, is_stopped, is_closing;
	struct bus_values hellos, presences, members;	/* of sources, and of heatscoped, that the connecting thread has read; for
							 * connected() */
	__s64 read_created_ns, stream_created_ns;	/* of the stream: as the connecting thread has read it, and as of our last connection */
	struct bus_sources *sources;
	struct pull pull[BUS_PARTITIONS];
	struct bus_assemblies assemblies;
	char *wanted;			/* the text that the bucket has, as far as we know; NULL: unknown */
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
	__u64 working_ms;		/* when the server last heard that it is in work */
	size_t n_acks;
	char **ack;			/* the subjects that acknowledge its parts */
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

/* --- pulling --- */

/* One request of a partition runs at a time.  Its number is in the subject of its replies, so that the end of an older
 * one is recognised. */
static void pull_ask(struct bus_ingest *in, unsigned p)
{
	struct pull *pull = &in->pull[p];
	char subject[64], reply[SUBJECT_MAX + 64], text[64];

	if (!in->is_connected || in->is_stopped || intake_is_full(in->intake) || !bus_group_owns(in->group, p))
		return;
	if (pull->n_asked && loop_ms(in) - pull->asked_ms < PULL_AGAIN_MS)
		return;
	snprintf(subject, sizeof(subject), "$JS.API.CONSUMER.MSG.NEXT." BUS_STREAM ".p%u", p);
	snprintf(reply, sizeof(reply), "%s.pull.%u.%llu", in->inbox, p, (unsigned long long)++pull->number);
	snprintf(text, sizeof(text), "{\"batch\":%d,\"expires\":%lld}", PULL_MESSAGES, PULL_EXPIRES_MS * 1000000ll);
	pull->n_asked = PULL_MESSAGES;
	pull->asked_ms = loop_ms(in);
	publish_text(in, subject, reply, text);
}

static void pull_all(void *arg)
{
	struct bus_ingest *in = arg;

	bus_group_flush(in->group);
	for (unsigned p = 0; p < BUS_PARTITIONS; p++)
		pull_ask(in, p);
}

/* The server ends a request: "....pull.P.NUMBER".  404, 408: no message came in time.  503: the consumer is gone.  After
 * another status, such as 409, the next tick asks again. */
static void take_pull_status(struct bus_ingest *in, const char *text, int status)
{
	unsigned long long number = 0;
	unsigned p = 0;

	if (sscanf(text, "%u.%llu", &p, &number) != 2 || p >= BUS_PARTITIONS || number != in->pull[p].number)
		return;
	in->pull[p].n_asked = 0;
	if (status == 503)
		bus_restart(in->bus, "its stream is gone");
	else if (status == 404 || status == 408)
		pull_ask(in, p);
}

/* --- refusals --- */

/* Logged at 1, 2, 4, 8 ... of them. */
static void refuse_message(struct bus_ingest *in, const char *name, const char *why)
{
	__u64 n = ++in->n_refused;

	if (!(n & (n - 1)))
		log_warning("bus %s: a message of %s is refused: %s (%llu so far)", in->url, name, why, (unsigned long long)n);
}

/* --- sources --- */

static void take_hello(struct bus_ingest *in, const char *subject, const char *text, size_t len)
{
	char name[SOURCE_MAX], reason[REASON_MAX];

	if (len && !source_of_subject(subject, name) && bus_sources_hello(in->sources, name, text, len, loop_ms(in), reason))
		refuse_message(in, name, reason);
}

/* Returns whether the hello that it names is not known. */
static bool take_presence(struct bus_ingest *in, const char *subject, const char *text, size_t len)
{
	char name[SOURCE_MAX], reason[REASON_MAX];
	int err = 0;

	if (len && !source_of_subject(subject, name))
		err = bus_sources_take(in->sources, name, text, len, loop_ms(in), reason);
	if (err < 0)
		refuse_message(in, name, reason);
	return err == 1;
}

static void ask_hello(struct bus_ingest *in, const char *subject)
{
	char name[SOURCE_MAX], ask[SUBJECT_MAX];

	if (source_of_subject(subject, name))
		return;
	subject_reply(name, "hello", ask);
	publish_text(in, ask, NULL, BUS_SAY_HELLO);
}

/* The clock of a host whose batches we do not take: against our own. */
static void take_sent(struct bus_ingest *in, const struct bus_message *m)
{
	const char *sent = bus_header(m, BUS_HEADER_SENT);
	char name[SOURCE_MAX];

	if (sent && !source_of_subject(m->subject, name) && !bus_group_owns(in->group, source_partition(name)))
		catalog_clock(in->catalog, name, bus_sources_incarnation(in->sources, name), strtoll(sent, NULL, 10), false, now_ns());
}

static void take_published_hello(struct bus_ingest *in, const struct bus_message *m)
{
	take_hello(in, m->subject, (const char *)m->data, m->len);
	take_sent(in, m);
}

static void take_published_presence(struct bus_ingest *in, const struct bus_message *m)
{
	if (take_presence(in, m->subject, (const char *)m->data, m->len))
		ask_hello(in, m->subject);
	take_sent(in, m);
}

static const char *last_token(const char *subject)
{
	return strrchr(subject, '.') + 1;
}

static int token_order(const void *a, const void *b)
{
	return strcmp(last_token(((const struct bus_value *)a)->subject), last_token(((const struct bus_value *)b)->subject));
}

/* Takes the values that the buckets had when we connected.  A hello without a presence is that of a source that is gone. */
static void take_buckets(struct bus_ingest *in)
{
	struct bus_values *hellos = &in->hellos;

	if (hellos->n)
		qsort(hellos->value, hellos->n, sizeof(*hellos->value), token_order);
	for (const struct bus_value *p = in->presences.value; p < in->presences.value + in->presences.n; p++) {
		const struct bus_value *hello = NULL;

		if (!take_presence(in, p->subject, p->text, strlen(p->text)))
			continue;
		if (hellos->n)
			hello = bsearch(p, hellos->value, hellos->n, sizeof(*hellos->value), token_order);
		if (hello)
			take_hello(in, hello->subject, hello->text, strlen(hello->text));
		if (!hello || take_presence(in, p->subject, p->text, strlen(p->text)))
			ask_hello(in, p->subject);
	}
}

static void forget_buckets(struct bus_ingest *in)
{
	bus_values_fini(&in->hellos);
	bus_values_fini(&in->presences);
	bus_values_fini(&in->members);
}

/* --- the wanted set --- */

static void publish_wanted(struct bus_ingest *in)
{
	json_t *want = catalog_want(in->catalog);
	char *text = want ? json_dumps(want, JSON_COMPACT) : NULL, reply[SUBJECT_MAX + 16];

	json_decref(want);
	if (!text || !in->is_connected || !bus_group_leads(in->group) || (in->wanted && !strcmp(in->wanted, text))) {
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
	free(d->ack);
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

/* Takes over the assembly's acknowledgements. */
static struct delivery *delivery_new(struct bus_ingest *in, struct bus_assembly *whole)
{
	struct delivery *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->sender.settled = batch_settled;
	d->ingest = in;
	d->n_waiting = 1;		/* for ourselves, until all batches were handed over */
	d->working_ms = loop_ms(in);
	d->ack = whole->ack;
	d->n_acks = whole->n_acks;
	whole->ack = NULL;
	whole->n_acks = 0;
	d->next = in->deliveries;
	d->link = &in->deliveries;
	if (d->next)
		d->next->link = &d->next;
	in->deliveries = d;
	return d;
}

/* While the store is slow, the server must not send again what waits for it. */
static void say_working(struct bus_ingest *in)
{
	for (struct delivery *d = in->deliveries; d; d = d->next) {
		if (loop_ms(in) - d->working_ms < WORKING_MS)
			continue;
		d->working_ms = loop_ms(in);
		for (size_t i = 0; i < d->n_acks; i++)
			publish_text(in, d->ack[i], NULL, "+WPI");
	}
}

/* Parts whose others do not come are left for later.  After GIVE_UP_NS their collector has long sent the whole again, under
 * another name or past the time in which the server knows names. */
static void expire_parts(struct bus_ingest *in)
{
	struct bus_assembly *a;

	while ((a = bus_assemblies_expired(&in->assemblies, loop_ms(in)))) {
		if (a->oldest_ns && now_ns() - (__s64)a->oldest_ns > GIVE_UP_NS) {
			refuse_message(in, a->source, "parts of it are missing");
			for (size_t i = 0; i < a->n_acks; i++)
				publish_text(in, a->ack[i], NULL, "+TERM");
		}
		bus_assembly_fini(a);
	}
}

static void take_frames(struct delivery *d, const char *source, const struct host_labels *labels, const __u8 *data, size_t len)
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
		err = intake_batch(in->intake, f.data, f.len, source, labels, &d->sender);
		if (err)
			d->n_waiting--;
	}
	if (err == -EBADMSG || err == -EPERM) {
		d->is_refused = true;
		refuse_message(in, source, err == -EPERM ? "it has a batch of another source" : "it is damaged");
	} else if (err) {
		d->is_failed = true;
	}
}

/* $JS.ACK.STREAM.CONSUMER.DELIVERED.SEQ.CONSUMER-SEQ.TIME.PENDING; newer servers put domain and account after ACK.
 * Returns the token with this number, from 0, of the nine. */
static __u64 ack_number(const char *reply, int token)
{
	int n_dots = 0, skip;

	for (const char *c = reply; *c; c++)
		n_dots += *c == '.';
	skip = token + (n_dots >= 10 ? 2 : 0);
	for (; *reply && skip; reply++)
		skip -= *reply == '.';
	return strtoull(reply, NULL, 10);
}

/* The host's clock against the server's, at the moment when the message was sent. */
static void take_clock(struct bus_ingest *in, const char *source, const struct bus_message *m, __u64 stored_ns)
{
	const char *sent = bus_header(m, BUS_HEADER_SENT);
	__u64 incarnation = bus_sources_incarnation(in->sources, source);

	if (sent && stored_ns && incarnation)
		catalog_clock(in->catalog, source, incarnation, strtoll(sent, NULL, 10), false, (__s64)stored_ns);
}

/* Returns the labels that the message carries; NULL: none that can be read. */
static const struct host_labels *labels_of(const struct bus_message *m, struct host_labels *room)
{
	const char *text = bus_header(m, BUS_HEADER_LABELS);
	json_t *json = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
	char reason[REASON_MAX];
	bool is_read = json && !host_labels_from_json(json, room, reason);

	json_decref(json);
	return is_read ? room : NULL;
}

static void terminate(struct bus_ingest *in, const struct bus_message *m, const char *name, const char *why)
{
	refuse_message(in, name, why);
	publish_text(in, m->reply, NULL, "+TERM");
}

static void take_batches(struct bus_ingest *in, const struct bus_message *m)
{
	char source[SOURCE_MAX];
	struct bus_assembly *whole;
	struct host_labels labels;
	struct delivery *d;
	const struct bus_part part = { bus_header(m, BUS_HEADER_ID), bus_header(m, BUS_HEADER_PART), m->reply, ack_number(m->reply, 7),
				       m->data, m->len };

	in->n_messages++;
	in->n_again += ack_number(m->reply, 4) > 1;
	if (source_of_subject(m->subject, source)) {
		terminate(in, m, m->subject, "its subject names no source");
		return;
	}
	take_clock(in, source, m, part.stored_ns);
	switch (bus_assemblies_add(&in->assemblies, source, &part, loop_ms(in), &whole)) {
	case 0: return;			/* further parts are missing */
	case 1: break;
	case -ENOMEM: return;		/* it comes again */
	default:
		terminate(in, m, source, "its header " BUS_HEADER_PART " cannot be read");
		return;
	}
	d = delivery_new(in, whole);
	if (d) {
		take_frames(d, source, labels_of(m, &labels), whole->data.data, whole->data.len);
		delivery_release(d);
	}
	bus_assembly_fini(whole);
}

/* "heatscope.batch.P.SOURCE" */
static unsigned partition_of(const char *subject)
{
	unsigned long p = strtoul(subject + strlen("heatscope.batch."), NULL, 10);

	return p < BUS_PARTITIONS ? (unsigned)p : 0;
}

static bool begins(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static void take_pulled(struct bus_ingest *in, const struct bus_message *m)
{
	unsigned p = partition_of(m->subject);

	in->pull[p].n_asked -= in->pull[p].n_asked > 0;
	take_batches(in, m);
	pull_ask(in, p);
}

static void on_message(void *arg, const struct bus_message *m)
{
	struct bus_ingest *in = arg;
	const char *inbox = begins(m->subject, in->inbox) ? m->subject + strlen(in->inbox) : "";

	if (bus_group_take(in->group, m))
		return;
	if (begins(inbox, ".pull."))
		take_pull_status(in, inbox + strlen(".pull."), m->status);
	else if (*inbox)
		take_wanted_ack(in, m);
	else if (begins(m->subject, "$KV." BUS_HELLOS "."))
		take_published_hello(in, m);
	else if (begins(m->subject, "$KV." BUS_SOURCES "."))
		take_published_presence(in, m);
	else if (!strcmp(m->subject, BUS_WANTED))
		take_wanted(in, m);
	else if (begins(m->subject, "heatscope.batch."))
		take_pulled(in, m);
}

/* --- connecting --- */

/* On the connecting thread. */
static int on_prepare(void *arg, natsConnection *nc, char reason[REASON_MAX])
{
	struct bus_ingest *in = arg;
	int err = bus_setup_make(nc, &in->setup, &in->read_created_ns, reason);

	forget_buckets(in);
	if (!err)
		err = bus_setup_read(nc, BUS_MEMBERS, &in->members, reason);
	for (size_t i = 0; i < in->members.n && !err; i++)
		if (bus_group_refuses(in->group, in->members.value[i].subject, in->members.value[i].text, strlen(in->members.value[i].text)))
			err = refuse(reason, BUS_OTHER_MEMBER);
	if (!err)
		err = bus_setup_read(nc, BUS_HELLOS, &in->hellos, reason);
	return err ? err : bus_setup_read(nc, BUS_SOURCES, &in->presences, reason);
}

static void on_connected(void *arg)
{
	struct bus_ingest *in = arg;
	char all[SUBJECT_MAX + 8];

	snprintf(all, sizeof(all), "%s.>", in->inbox);
	if (bus_subscribe(in->bus, all) || bus_subscribe(in->bus, "$KV." BUS_HELLOS ".*") ||
	    bus_subscribe(in->bus, "$KV." BUS_SOURCES ".*") || bus_subscribe(in->bus, BUS_WANTED) ||
	    bus_group_connected(in->group, in->bus, &in->members)) {
		bus_restart(in->bus, "no subscription");
		return;
	}
	log_info("bus %s: connected", in->url);
	in->is_connected = true;
	in->stream_created_ns = in->read_created_ns;
	in->reason[0] = 0;
	for (unsigned p = 0; p < BUS_PARTITIONS; p++)
		in->pull[p].n_asked = 0;
	bus_sources_renew(in->sources, loop_ms(in));
	take_buckets(in);
	forget_buckets(in);
	publish_wanted(in);
	pull_all(in);
}

static void on_lost(void *arg, const char *why)
{
	struct bus_ingest *in = arg;

	log_warning("bus %s: %.200s; connecting again", in->url, why);
	snprintf(in->reason, sizeof(in->reason), "%s", why);
	in->is_connected = false;
	bus_group_lost(in->group);
	free(in->wanted);
	in->wanted = NULL;
}

static void on_tick(uv_timer_t *timer)
{
	struct bus_ingest *in = timer->data;

	bus_group_tick(in->group);
	if (!in->is_connected)
		return;
	bus_sources_expire(in->sources, loop_ms(in));
	expire_parts(in);
	say_working(in);
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
	forget_buckets(in);
	bus_group_free(in->group);
	bus_assemblies_fini(&in->assemblies);
	bus_sources_free(in->sources);
	free(in->wanted);
	free(in);
}

static void on_timer_closed(uv_handle_t *timer) { handle_gone(timer->data); }
static void on_bus_closed(void *arg) { handle_gone(arg); }

static int new_group(struct bus_ingest *in, const struct bus_ingest_conf *conf)
{
	const struct bus_group_conf group = { .is_shared = conf->group, .inbox = in->inbox, .id = in->id, .catalog = in->catalog,
					      .intake = in->intake, .store_queue = conf->store_queue, .ops = conf->group, .arg = conf->group_arg };

	return bus_group_new(in->loop, &group, &in->group);
}

int bus_ingest_new(uv_loop_t *loop, const struct bus_ingest_conf *conf, struct catalog *catalog, struct intake *intake,
		   struct bus_ingest **ret_ingest, char reason[REASON_MAX])
{
	static const struct bus_ops ops = { on_prepare, on_connected, on_message, on_lost, on_bus_closed };
	struct bus_ingest *in = calloc(1, sizeof(*in));
	int err;

	if (!in)
		return no_memory(reason);
	*in = (struct bus_ingest){ .loop = loop, .catalog = catalog, .intake = intake, .n_handles = 2,
				   .setup = { conf->replicas, conf->max_bytes },
				   .observer = { .changed = wanted_changed, .arg = in } };
	snprintf(in->url, sizeof(in->url), "%s", conf->bus.url);
	snprintf(in->id, sizeof(in->id), "%llx", (unsigned long long)now_ns() ^ (unsigned long long)uv_os_getpid() << 40);
	snprintf(in->inbox, sizeof(in->inbox), "heatscope.member.%s", in->id);
	in->sources = bus_sources_new(catalog, conf->verbose);
	if (!in->sources || new_group(in, conf))
		err = no_memory(reason);
	else
		err = bus_new(loop, &conf->bus, &ops, in, &in->bus, reason);
	if (err) {
		bus_group_free(in->group);
		bus_sources_free(in->sources);
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
	bus_group_stop(in->group);
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

__s64 bus_ingest_stream_created_ns(const struct bus_ingest *in)
{
	return in->stream_created_ns;
}

struct bus_group *bus_ingest_group(struct bus_ingest *in)
{
	return in->group;
}

json_t *bus_ingest_json(const struct bus_ingest *in)
{
	return json_pack("{s:s, s:b, s:s, s:I, s:I, s:I, s:I, s:o}", "url", in->url, "connected", in->is_connected, "reason", in->reason,
			 "messages", (json_int_t)in->n_messages, "again", (json_int_t)in->n_again, "refused",
			 (json_int_t)in->n_refused, "not_stored", (json_int_t)in->n_failed, "group", bus_group_json(in->group));
}

const struct bus_functions bus_functions = {
	.new = bus_ingest_new, .stop = bus_ingest_stop, .close = bus_ingest_close, .json = bus_ingest_json,
	.stream_created_ns = bus_ingest_stream_created_ns, .group = bus_ingest_group,
	.of_group = { bus_group_leads, bus_group_leads_until_ms, bus_group_ready, bus_group_yield, bus_group_follow_again,
		      bus_group_ask, bus_group_answer },
};
