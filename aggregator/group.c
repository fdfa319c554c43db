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

#define NO_LEADER "no heatscoped of the group leads it now: try again in some seconds"

struct waiting {			/* a reply that is sent when we have read what the leader has written for it */
	struct waiting *next;
	struct http_request *r;
	__u64 round;
	unsigned status;
	char type[80], location[200];	/* "": none */
	void *data;
	size_t len;
};

struct group {
	struct aggregator *a;
	bool is_reading, again;		/* the texts; they are to be read once more */
	bool begins;			/* we lead when they are read */
	__u64 round;			/* number of the newest reading */
	__u64 unknown, is_known_to;	/* the latest instrumentation that sources reported and we do not know; as it was
					 * when the reading began */
	__s64 until_ns;			/* the cube lacks batches of slots that begin before it */
	struct store *texts;		/* the worker's */
	struct waiting *waiting;
};

static struct bus_group *bus_group_of(const struct group *g)
{
	return g->a->bus_ingest ? bus_ingest_group(g->a->bus_ingest) : NULL;
}

/* --- leading --- */

int group_lead(struct aggregator *a, struct store *texts)
{
	int err = alerts_load(a->alerts, texts, now_ns());

	if (err)
		return err;
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

	g->begins = false;
	a->leads = false;
	configured_end(a->configured);
	configured_alerts_free(a->configured_alerts);
	a->configured_alerts = NULL;
}

/* --- reading what the leader has written --- */

static void waiting_reply(struct waiting *w)
{
	http_reply(w->r, w->status, w->type[0] ? w->type : NULL, w->data, w->len, w->location[0] ? w->location : NULL);
	free(w);
}

static void reply_all(struct group *g, __u64 round)
{
	struct waiting **at = &g->waiting, *w;

	while ((w = *at)) {
		if (w->round > round) {
			at = &w->next;
			continue;
		}
		*at = w->next;
		waiting_reply(w);
	}
}

static int take_texts(struct group *g, char reason[REASON_MAX])
{
	struct aggregator *a = g->a;
	int err = catalog_follow(a->services.catalog, g->texts, g->is_known_to, g->until_ns, reason);

	if (!err)
		err = annotations_load(a->services.annotations, g->texts);
	if (!err)
		err = worksheets_load(a->worksheets, g->texts);
	if (err || !g->begins)
		return err;
	g->begins = false;
	err = group_lead(a, g->texts);
	if (err)
		end_leading(g);
	else
		alerts_skip(a->alerts, g->until_ns);
	return err;
}

static int read_texts(void *arg, struct store *store)
{
	struct group *g = arg;

	return store_copy_texts(store, &g->texts);
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
		bus_group_follow_again(bus_group_of(g));
	}
	reply_all(g, g->round);
	if (g->again)
		begin_reading(g);
}

/* The readings are numbered: g->round is the number of this one. */
static void begin_reading(struct group *g)
{
	g->again = g->is_reading;
	if (g->is_reading)
		return;
	g->round++;
	g->is_known_to = g->unknown;
	g->is_reading = true;
	if (!store_queue_submit(g->a->services.store_queue, read_texts, on_read, g))
		return;
	g->is_reading = false;
	reply_all(g, g->round);		/* we end */
}

static void on_lead(void *arg, bool leads)
{
	struct group *g = arg;

	if (!leads) {
		end_leading(g);
		return;
	}
	g->begins = true;
	begin_reading(g);
}

static void on_follow(void *arg)
{
	begin_reading(arg);
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

	if (g->a->leads)
		return false;
	g->unknown = inst > g->unknown ? inst : g->unknown;
	if (!g->is_reading)
		begin_reading(g);
	return true;
}

void group_tick(struct group *g)
{
	if (g->begins && !g->is_reading)
		begin_reading(g);
}

/* --- asking the leader --- */

static const char *const passed_headers[] = { "Content-Type", "Accept", "X-API-Version" };

static void append_pair(json_t *list, const char *name, const char *value)
{
	json_array_append_new(list, json_pack("[s, s]", name, value));
}

/* NULL: no memory, or a parameter is not UTF-8. */
static char *question_head(const struct http_request *r)
{
	json_t *params = json_array(), *headers = json_array(), *json;
	size_t n;
	const struct http_param *param = http_params(r, &n);
	char *text;

	for (size_t i = 0; i < n; i++)
		append_pair(params, param[i].name, param[i].value);
	for (size_t i = 0; i < sizeof(passed_headers) / sizeof(*passed_headers); i++)
		if (*http_header(r, passed_headers[i]))
			append_pair(headers, passed_headers[i], http_header(r, passed_headers[i]));
	json = json_pack("{s:s, s:s, s:o, s:o}", "method", http_method(r), "path", http_path(r), "params", params, "headers", headers);
	text = json ? json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
	json_decref(json);
	return text;
}

struct asking {
	struct group *group;
	struct http_request *r;
};

static struct waiting *waiting_new(struct http_request *r, const char *head, const void *body, size_t len)
{
	struct waiting *w = calloc(1, sizeof(*w));
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
	struct asking *asking = arg;
	struct group *g = asking->group;
	struct http_request *r = asking->r;
	struct waiting *w = err ? NULL : waiting_new(r, head, body, len);

	free(asking);
	if (!w || !w->status) {
		http_error(r, 503, "ECA_NORESOURCE", err == -ETIMEDOUT ? "the heatscoped that leads the group does not answer: it may have "
			   "done what was asked, or not; look in some seconds" : NO_LEADER);
		free(w);
		return;
	}
	w->next = g->waiting;
	g->waiting = w;
	w->round = g->round + 1;
	begin_reading(g);
}

bool group_forward(void *group, struct http_request *r)
{
	struct group *g = group;
	struct bus_group *bus = bus_group_of(g);
	struct asking *asking;
	const char *body;
	char *head;
	size_t len;
	int err;

	if (g->a->leads)
		return false;
	asking = malloc(sizeof(*asking));
	head = question_head(r);
	body = http_body(r, &len);
	if (asking)
		*asking = (struct asking){ g, r };
	err = !asking || !head ? -ENOMEM : bus ? bus_group_ask(bus, head, body, len, on_answer, asking) : -ENOTCONN;
	free(head);
	if (!err)
		return true;
	free(asking);
	http_error(r, 503, "ECA_NORESOURCE", err == -ENOTCONN ? NO_LEADER : "the request cannot be passed on to the heatscoped that leads the group");
	return true;
}

/* --- answering --- */

struct answering {
	struct group *group;
	char reply[];
};

static void answer(struct group *g, const char *reply, const struct http_answer *with)
{
	json_t *json = json_pack("{s:i, s:s?, s:s?}", "status", (int)with->status, "type", with->type, "location", with->location);
	char *head = json ? json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

	if (head)
		bus_group_answer(bus_group_of(g), reply, head, with->data, with->len);
	free(head);
	json_decref(json);
}

static void on_called(void *arg, const struct http_answer *with)
{
	struct answering *answering = arg;

	answer(answering->group, answering->reply, with);
	free(answering);
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
	struct answering *answering = malloc(sizeof(*answering) + strlen(reply) + 1);
	struct http_param param[HTTP_PARAMS_MAX], header[8];
	const char *method = json_string_value(json_object_get(head, "method")), *path = json_string_value(json_object_get(head, "path"));
	const struct http_call call = { .method = method, .path = path, .param = param, .header = header, .body = body, .len = len,
					.n_params = read_pairs(json_object_get(head, "params"), param, HTTP_PARAMS_MAX),
					.n_headers = read_pairs(json_object_get(head, "headers"), header, 8) };
	int err = !answering ? -ENOMEM : !h ? -ESHUTDOWN : !method || !path ? -EINVAL : 0;

	if (answering) {
		answering->group = g;
		strcpy(answering->reply, reply);
	}
	if (!err)
		err = http_call(h, &call, on_called, answering);
	if (err)
		free(answering);
	return err;
}

static void on_asked(void *arg, const char *reply, const char *head, const void *body, size_t len)
{
	struct group *g = arg;
	json_t *json = json_loads(head, 0, NULL);
	int err = g->a->leads ? call_handler(g, reply, json, body, len) : -EAGAIN;

	if (err)
		answer(g, reply, &(struct http_answer){ .status = 0 });	/* the asker says that no heatscoped leads */
	json_decref(json);
}

/* --- begin and end --- */

const struct bus_group_ops group_ops = { on_lead, on_follow, on_missed, on_asked };

int group_new(struct aggregator *a, struct group **ret_group)
{
	struct group *g = calloc(1, sizeof(*g));

	if (!g)
		return -ENOMEM;
	g->a = a;
	intake_follow(a->intake, on_unknown, g);
	*ret_group = g;
	return 0;
}

void group_free(struct group *g)
{
	free(g);
}
