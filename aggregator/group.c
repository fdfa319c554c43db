#include "aggregator/group.h"

#include "aggregator/annotations/annotations.h"
#include "aggregator/base/clock.h"
#include "aggregator/catalog/configured.h"
#include "aggregator/notify/alerts.h"
#include "aggregator/notify/configured_alerts.h"
#include "aggregator/notify/reports.h"
#include "aggregator/worksheets/worksheets.h"
#include "collector/core/log.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAKE_OVER_MS 10000		/* one that cannot read the texts for so long leaves the lease to another */
#define NO_LEADER "no heatscoped of the group leads it now: try again in some seconds"

struct delayed_reply {			/* it is sent when we have read what the leader has written for it */
	struct delayed_reply *next;
	struct http_request *r;
	__u64 round;
	unsigned status;
	char type[80], location[200];	/* "": none */
	void *data;
	size_t len;
};

/* Instrumentations that sources have reported and that we do not know. */
#define UNKNOWN_MAX 16

struct unknown {
	size_t n;			/* so many were noted; the newest UNKNOWN_MAX of them are here */
	__u64 id[UNKNOWN_MAX];
};

struct group {
	struct aggregator *a;
	bool is_reading, again;		/* the texts; they are to be read once more */
	bool takes_over, leads_then;	/* we have the lease, and lead when the texts are read; when those that are being read
					 * now are read: the lease was ours before this reading began */
	__u64 term;			/* how often we got the lease */
	__u64 takes_over_ms;		/* the loop's clock, when we got the lease */
	__u64 round;			/* number of the newest reading */
	struct unknown asked, reading, missing;	/* to be looked for; in the texts that are being read; in none: deleted */
	__s64 until_ns;			/* the cube lacks batches of slots that begin before it */
	struct store *texts;		/* the worker's */
	char bus[40];			/* when its stream was created; "": not known; these three are the worker's while we read */
	int claim_err;			/* result of owner_lead(); 0 unless we are about to lead */
	char claim_reason[256];
	char reported[256];		/* why the log last said that we do not lead yet; "": we have led since */
	struct delayed_reply *replies;
};

static struct bus_group *bus_group_of(const struct group *g)
{
	return g->a->bus_ingest ? g->a->bus->group(g->a->bus_ingest) : NULL;
}

static const struct bus_group_functions *bus_of(const struct group *g)
{
	return &g->a->bus->of_group;
}

/* --- leading --- */

bool group_leads(const struct aggregator *a)
{
	return a->leads && (!a->group || bus_of(a->group)->leads(bus_group_of(a->group)));
}

__u64 group_leads_until_ms(const struct aggregator *a)
{
	return a->group ? bus_of(a->group)->leads_until_ms(bus_group_of(a->group)) : UINT64_MAX;
}

int group_lead(struct aggregator *a, struct store *texts)
{
	int err = alerts_load(a->alerts, texts, now_ns());

	if (err)
		return err;
	annotations_own(a->services.annotations, true);
	configured_begin(a->configured);
	err = configured_alerts_new(a->alerts, a->services.catalog, a->conf.file, a->conf.alert, a->conf.n_alerts, now_ns(),
				    &a->configured_alerts);
	if (!err)
		err = reports_load(a->reports, texts, now_ns());
	a->leads = !err;
	return err;
}

static void end_leading(struct group *g)
{
	struct aggregator *a = g->a;

	a->leads = false;
	annotations_own(a->services.annotations, false);
	configured_end(a->configured);
	configured_alerts_free(a->configured_alerts);
	a->configured_alerts = NULL;
}

/* --- reading what the leader has written --- */

static void reply_now(struct delayed_reply *w)
{
	http_reply(w->r, w->status, w->type[0] ? w->type : NULL, w->data, w->len, w->location[0] ? w->location : NULL);
	free(w);
}

static void reply_all(struct group *g, __u64 round)
{
	struct delayed_reply **at = &g->replies, *w;

	while ((w = *at)) {
		if (w->round > round) {
			at = &w->next;
			continue;
		}
		*at = w->next;
		reply_now(w);
	}
}

static bool unknown_has(const struct unknown *u, __u64 id)
{
	for (size_t i = 0; i < UNKNOWN_MAX && i < u->n; i++)
		if (u->id[i] == id)
			return true;
	return false;
}

static void unknown_add(struct unknown *u, __u64 id)
{
	if (!unknown_has(u, id))
		u->id[u->n++ % UNKNOWN_MAX] = id;
}

static int take_texts(struct group *g, char reason[REASON_MAX])
{
	struct aggregator *a = g->a;
	__s64 whole_ns = now_ns() + BUS_GROUP_MISSED_NS;	/* the cube never heard of new instrumentations */
	int err = catalog_follow(a->services.catalog, g->texts, whole_ns > g->until_ns ? whole_ns : g->until_ns, reason);

	if (!err)
		err = annotations_load(a->services.annotations, g->texts);
	if (!err)
		err = worksheets_load(a->worksheets, g->texts);
	for (size_t i = 0; !err && i < UNKNOWN_MAX && i < g->reading.n; i++)
		if (!catalog_find(a->services.catalog, g->reading.id[i]))
			unknown_add(&g->missing, g->reading.id[i]);
	if (err || !g->leads_then || !g->takes_over || g->claim_err)
		return err;
	err = group_lead(a, g->texts);
	if (err) {
		end_leading(g);
		return err;
	}
	g->takes_over = false;
	g->reported[0] = 0;
	alerts_skip(a->alerts, g->until_ns);
	bus_of(g)->ready(bus_group_of(g));
	return 0;
}

static int read_texts(void *arg, struct store *store)
{
	struct group *g = arg;

	if (g->leads_then)
		g->claim_err = owner_lead(&g->a->owner, store, g->bus, (__u64)boot_ns() / 1000000, g->claim_reason);
	return store_copy_texts(store, &g->texts);
}

/* We do not lead yet, or end if the other group certainly leads. */
static void report_claim(struct group *g)
{
	if (g->claim_err == -EBUSY && g->a->changed && !g->a->services.stopping)
		g->a->changed(g->a->changed_arg, g->claim_err, g->claim_reason);
	else if (g->takes_over && strcmp(g->reported, g->claim_reason)) {
		log_warning("%s; this one does not lead yet", g->claim_reason);
		snprintf(g->reported, sizeof(g->reported), "%s", g->claim_reason);
	}
}

static void begin_reading(struct group *g);

static void on_read(void *arg, int err)
{
	char reason[REASON_MAX] = "";
	struct group *g = arg;

	g->is_reading = false;
	if (!err && !g->a->leads)
		err = take_texts(g, reason);
	if (g->texts)
		g->texts->ops->close(g->texts);
	g->texts = NULL;
	if (err) {
		log_error("what the leader of the group has written cannot be read: %s", reason[0] ? reason : strerror(-err));
		bus_of(g)->follow_again(bus_group_of(g));
	}
	reply_all(g, g->round);
	if (g->claim_err)
		report_claim(g);
	if (g->again)
		begin_reading(g);
}

/* The readings are numbered: g->round is the number of this one. */
static void begin_reading(struct group *g)
{
	__s64 created_ns;

	g->again = g->is_reading;
	if (g->is_reading)
		return;
	g->round++;
	g->reading = g->asked;
	g->asked.n = 0;
	g->leads_then = g->takes_over;
	g->claim_err = 0;
	created_ns = g->a->bus_ingest ? g->a->bus->stream_created_ns(g->a->bus_ingest) : 0;
	snprintf(g->bus, sizeof(g->bus), created_ns ? "%lld" : "", (long long)created_ns);
	g->is_reading = true;
	if (!store_queue_submit(g->a->services.store_queue, read_texts, on_read, g))
		return;
	g->is_reading = false;
	reply_all(g, g->round);		/* we end */
}

static void on_lead(void *arg, bool leads)
{
	struct group *g = arg;

	g->takes_over = leads;
	g->term += leads;
	g->takes_over_ms = uv_now(g->a->services.loop);
	if (leads)
		begin_reading(g);
	else
		end_leading(g);
}

static void on_follow(void *arg)
{
	struct group *g = arg;

	g->missing.n = 0;		/* a source may have named one before the leader made it */
	begin_reading(g);
}

static void on_missed(void *arg, __s64 until_ns)
{
	struct group *g = arg;

	g->until_ns = until_ns;
	catalog_leave(g->a->services.catalog, until_ns);
	if (g->a->leads)
		alerts_skip(g->a->alerts, until_ns);
}

static bool on_unknown(void *arg, __u64 inst)
{
	struct group *g = arg;

	if (g->a->leads || unknown_has(&g->missing, inst))
		return false;
	unknown_add(&g->asked, inst);
	if (!g->is_reading)
		begin_reading(g);
	return true;
}

void group_tick(struct group *g)
{
	if (g->takes_over && uv_now(g->a->services.loop) - g->takes_over_ms > TAKE_OVER_MS)
		bus_of(g)->yield(bus_group_of(g));
	else if (g->takes_over && !g->is_reading)
		begin_reading(g);
}

/* --- asking the leader --- */

static const char *const passed_headers[] = { "Content-Type", "Accept", "X-API-Version" };

/* -1: no memory, or it is not UTF-8. */
static int append_pair(json_t *list, const char *name, const char *value)
{
	return json_array_append_new(list, json_pack("[s, s]", name, value));
}

/* {"method", "path", "params": [[name, value]], "headers": the same}.  NULL: no memory, or a part of it is not UTF-8. */
static char *question_head(const struct http_request *r)
{
	json_t *params = json_array(), *headers = json_array(), *json;
	size_t n;
	const struct http_param *param = http_params(r, &n);
	char *text;
	int err = 0;

	for (size_t i = 0; i < n; i++)
		err = err ? err : append_pair(params, param[i].name, param[i].value);
	for (size_t i = 0; i < sizeof(passed_headers) / sizeof(*passed_headers); i++)
		if (*http_header(r, passed_headers[i]))
			err = err ? err : append_pair(headers, passed_headers[i], http_header(r, passed_headers[i]));
	if (err) {
		json_decref(params);
		json_decref(headers);
		return NULL;
	}
	json = json_pack("{s:s, s:s, s:o, s:o}", "method", http_method(r), "path", http_path(r), "params", params, "headers", headers);
	text = json ? json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
	json_decref(json);
	return text;
}

struct forwarded {
	struct group *group;
	struct http_request *r;
};

static struct delayed_reply *delayed_reply_new(struct http_request *r, const char *head, const void *body, size_t len)
{
	struct delayed_reply *w = calloc(1, sizeof(*w));
	json_t *json = json_loads(head, 0, NULL);
	const char *type = json_string_value(json_object_get(json, "type")), *location = json_string_value(json_object_get(json, "location"));

	if (w && type && len) {
		w->data = malloc(len);
		snprintf(w->type, sizeof(w->type), "%s", type);
	}
	if (w && w->data) {
		memcpy(w->data, body, len);
		w->len = len;
	}
	if (w) {
		w->r = r;
		w->status = (unsigned)json_integer_value(json_object_get(json, "status"));
		snprintf(w->location, sizeof(w->location), "%s", location ? location : "");
	}
	json_decref(json);
	return w;
}

static void on_answer(void *arg, int err, const char *head, const void *body, size_t len)
{
	struct forwarded *forwarded = arg;
	struct group *g = forwarded->group;
	struct http_request *r = forwarded->r;
	struct delayed_reply *w = err ? NULL : delayed_reply_new(r, head, body, len);

	free(forwarded);
	if (!w || !w->status) {
		http_error(r, 503, "ECA_NORESOURCE", w ? NO_LEADER : "the heatscoped that leads the group has not answered: it may have done "
			   "what was asked, or not; look in some seconds");
		free(w);
		return;
	}
	w->next = g->replies;
	g->replies = w;
	w->round = g->round + 1;
	begin_reading(g);
}

bool group_forward(void *group, struct http_request *r)
{
	struct group *g = group;
	struct bus_group *bus = bus_group_of(g);
	struct forwarded *forwarded;
	const char *body;
	char *head;
	size_t len;
	int err;

	if (group_leads(g->a))
		return false;
	head = question_head(r);
	if (!head) {
		http_error(r, 409, "ECA_INVAL", "the path or a parameter is not UTF-8");
		return true;
	}
	forwarded = malloc(sizeof(*forwarded));
	body = http_body(r, &len);
	if (forwarded)
		*forwarded = (struct forwarded){ g, r };
	err = !forwarded ? -ENOMEM : bus ? bus_of(g)->ask(bus, head, body, len, on_answer, forwarded) : -ENOTCONN;
	free(head);
	if (!err)
		return true;
	free(forwarded);
	http_error(r, 503, "ECA_NORESOURCE", err == -ENOTCONN ? NO_LEADER : "the request cannot be passed on to the heatscoped that leads the group");
	return true;
}

/* --- answering --- */

struct served {
	struct group *group;
	char reply[];
};

/* {"status", "type", "location"}; status 0: we do not lead. */
static int try_answer(struct group *g, const char *reply, const struct http_answer *with)
{
	json_t *json = json_pack("{s:i, s:s?, s:s?}", "status", (int)with->status, "type", with->type, "location", with->location);
	char *head = json ? json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

	int err = head ? bus_of(g)->answer(bus_group_of(g), reply, head, with->data, with->len) : -ENOMEM;

	free(head);
	json_decref(json);
	return err;
}

static void answer(struct group *g, const char *reply, const struct http_answer *with)
{
	static const char text[] = "{\"error\": {\"code\": \"ECA_NORESOURCE\", \"message\": \"it was done, but the reply is too long for the bus\"}}\n";
	const struct http_answer too_long = { .status = 503, .type = "application/json", .data = text, .len = strlen(text) };

	if (try_answer(g, reply, with) == -EMSGSIZE)
		try_answer(g, reply, &too_long);
}

static void on_called(void *arg, const struct http_answer *with)
{
	struct served *served = arg;

	answer(served->group, served->reply, with);
	free(served);
}

static size_t read_pairs(const json_t *list, struct http_param *out, size_t most)
{
	const json_t *pair;
	size_t i, n = 0;

	json_array_foreach(list, i, pair) {
		const char *name = json_string_value(json_array_get(pair, 0)), *value = json_string_value(json_array_get(pair, 1));

		if (name && value && n < most)
			out[n++] = (struct http_param){ name, value };
	}
	return n;
}

static int call_handler(struct group *g, const char *reply, const json_t *head, const void *body, size_t len)
{
	struct http *h = g->a->http[0] ? g->a->http[0] : g->a->http[1];
	struct served *served = malloc(sizeof(*served) + strlen(reply) + 1);
	struct http_param param[HTTP_PARAMS_MAX], header[8];
	const char *method = json_string_value(json_object_get(head, "method")), *path = json_string_value(json_object_get(head, "path"));
	const struct http_call call = { .method = method, .path = path, .param = param, .header = header, .body = body, .len = len,
					.n_params = read_pairs(json_object_get(head, "params"), param, HTTP_PARAMS_MAX),
					.n_headers = read_pairs(json_object_get(head, "headers"), header, 8) };
	int err = !served ? -ENOMEM : !h ? -ESHUTDOWN : !method || !path ? -EINVAL : 0;

	if (served) {
		served->group = g;
		strcpy(served->reply, reply);
	}
	if (!err)
		err = http_call(h, &call, on_called, served);
	if (err)
		free(served);
	return err;
}

static void on_asked(void *arg, const char *reply, const char *head, const void *body, size_t len)
{
	struct group *g = arg;
	json_t *json = json_loads(head, 0, NULL);
	int err = group_leads(g->a) ? call_handler(g, reply, json, body, len) : -EAGAIN;

	if (err)
		answer(g, reply, &(struct http_answer){ .status = 0 });	/* the asker says that no heatscoped leads */
	json_decref(json);
}

/* --- begin and end --- */

/* One that begins to lead writes already: the configured instrumentations. */
static __u64 term_of(void *arg)
{
	struct group *g = arg;

	return g->takes_over || group_leads(g->a) ? g->term : 0;
}

const struct bus_group_ops group_ops = { on_lead, on_follow, on_missed, on_asked };

int group_new(struct aggregator *a, struct group **ret_group)
{
	struct group *g = calloc(1, sizeof(*g));

	if (!g)
		return -ENOMEM;
	g->a = a;
	intake_follow(a->intake, on_unknown, g);
	store_queue_lead_by(a->services.store_queue, term_of, g);
	*ret_group = g;
	return 0;
}

void group_free(struct group *g)
{
	free(g);
}
