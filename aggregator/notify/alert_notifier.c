#include "aggregator/notify/alert_notifier.h"

#include "aggregator/notify/alert_payload.h"
#include "aggregator/value/value.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct errand {
	struct errand *next;
	struct herald *herald;
	json_t *notice;
	char webhook[CONF_NAME_MAX], what[ALERT_NAME_MAX + 16];
	struct alert_rule rule;
	__u64 alert;
	__s64 from_ns, to_ns;		/* of the picture */
};

struct herald {
	struct services *services;
	struct alerts *alerts;
	struct webhooks *webhooks;
	const char *page_url;
	struct errand *first, **end;	/* first: its picture is being drawn */
	size_t n;
};

static void errand_free(struct errand *e)
{
	json_decref(e->notice);
	free(e);
}

/* ---- sending ---- */

static void on_sent(void *arg, int err, const char *reason)
{
	struct errand *e = arg;

	alerts_told(e->herald->alerts, e->alert, err, reason);
	errand_free(e);
}

/* png NULL: why there is none. */
static void errand_send(struct errand *e, const void *png, size_t len, const char *why_not)
{
	struct webhooks *webhooks = e->herald->webhooks;
	const struct conf_webhook *hook = webhooks_find(webhooks, e->webhook);
	char *text = NULL;

	if (hook && !hook->picture)
		text = json_dumps(e->notice, JSON_COMPACT);
	else if (!notice_picture(e->notice, png, len, e->from_ns, e->to_ns, why_not))
		text = json_dumps(e->notice, JSON_COMPACT);
	if (text) {
		webhooks_post(webhooks, e->webhook, e->what, text, strlen(text), on_sent, e);
	} else {
		webhooks_give_up(webhooks, e->webhook, e->what, "out of memory");
		on_sent(e, -ENOMEM, "out of memory");
	}
}

/* ---- drawing ---- */

static void draw_first(struct herald *h);

static void drawn(struct herald *h, const void *png, size_t len, const char *why_not)
{
	struct errand *e = h->first;

	h->first = e->next;
	if (!h->first)
		h->end = &h->first;
	h->n--;
	errand_send(e, png, len, why_not);
	draw_first(h);
}

static void on_drawn(struct value *v, void *arg)
{
	drawn(arg, v->status == 200 ? v->data : NULL, v->len, v->reason);
	value_free(v);
}

static void seconds(__s64 ns, char out[32])
{
	snprintf(out, 32, "%lld.%03lld", (long long)(ns / 1000000000), (long long)(ns / 1000000 % 1000));
}

static int value_of(struct errand *e, struct value **ret_value, char *reason)
{
	struct services *services = e->herald->services;
	const struct catalog_inst *ci = catalog_find(services->catalog, e->rule.inst);
	char start[32], end[32];
	bool figure = *e->rule.measure && ci && strcmp(e->rule.measure, ci->in.measure[0]) != 0;
	struct http_param param[5] = { { "start_time", start }, { "end_time", end }, { "format", "png" } };
	size_t n = 3;

	if (!ci) {
		snprintf(reason, PARAMS_REASON_MAX, "the instrumentation does not exist any more");
		return -ENOENT;
	}
	seconds(e->from_ns, start);
	seconds(e->to_ns, end);
	if (*e->rule.key && !strchr(e->rule.key, ','))	/* "selected" is a list */
		param[n++] = (struct http_param){ "selected", e->rule.key };
	if (figure)
		param[n++] = (struct http_param){ "measure", e->rule.measure };
	return value_new(services, ci, figure ? VALUE_FIGURE : VALUE_REPORT, param, n, ret_value, reason);
}

/* Does its webhook want a picture at all, and can it be sent still? */
static bool wants_picture(const struct errand *e)
{
	const struct conf_webhook *hook = webhooks_find(e->herald->webhooks, e->webhook);

	return hook && hook->picture && !e->herald->services->stopping;
}

static void draw_first(struct herald *h)
{
	struct errand *e = h->first;
	char reason[PARAMS_REASON_MAX] = "out of memory";
	struct value *v;

	if (!e)
		return;
	if (wants_picture(e) && !value_of(e, &v, reason))
		value_run(v, on_drawn, h);
	else
		drawn(h, NULL, 0, reason);
}

/* ---- what happens to alerts ---- */

static bool knows(void *arg, const char *webhook)
{
	struct herald *h = arg;

	return webhooks_find(h->webhooks, webhook);
}

static json_t *notice_of(const struct herald *h, const struct alert_event *event)
{
	const struct catalog_inst *ci = catalog_find(h->services->catalog, event->alert->rule.inst);
	char metric[2 * NAME_MAX_LEN + 1] = "";
	struct notice n = { .rule = &event->alert->rule, .id = event->id, .annotation = event->annotation, .metric = metric,
			    .measure = event->measure, .unit = event->unit, .sentence = event->sentence, .state = event->state,
			    .value = event->alert->value, .limit = event->alert->limit, .from_ns = event->from_ns, .to_ns = event->to_ns,
			    .page_url = h->page_url };

	if (ci)
		snprintf(metric, sizeof(metric), "%s.%s", ci->in.module, ci->in.stat);
	return notice_json(&n);
}

/* From some minutes before it began until now. */
static void choose_span(struct errand *e, const struct alert_event *event)
{
	e->to_ns = event->now_ns;
	e->from_ns = event->from_ns - HERALD_BEFORE_NS;
	if (e->from_ns < e->to_ns - HERALD_SPAN_NS)
		e->from_ns = e->to_ns - HERALD_SPAN_NS;
}

static void told(void *arg, const struct alert_event *event)
{
	struct herald *h = arg;
	const struct alert_rule *rule = &event->alert->rule;
	struct errand *e = calloc(1, sizeof(*e));
	json_t *notice = e ? notice_of(h, event) : NULL;

	if (!notice) {
		free(e);
		webhooks_give_up(h->webhooks, rule->webhook, rule->name, "out of memory");
		alerts_told(h->alerts, event->id, -ENOMEM, "out of memory");
		return;
	}
	*e = (struct errand){ .herald = h, .notice = notice, .rule = *rule, .alert = event->id };
	snprintf(e->webhook, sizeof(e->webhook), "%s", rule->webhook);
	snprintf(e->what, sizeof(e->what), "alert %s", rule->name);
	choose_span(e, event);
	if (h->n == HERALD_WAITING) {
		errand_send(e, NULL, 0, "too many pictures are waiting");
		return;
	}
	*h->end = e;
	h->end = &e->next;
	if (!h->n++)
		draw_first(h);
}

int herald_new(struct services *services, struct alerts *alerts, struct webhooks *webhooks, const char *page_url,
	       struct herald **ret_herald)
{
	struct herald *h = calloc(1, sizeof(*h));

	if (!h)
		return -ENOMEM;
	*h = (struct herald){ .services = services, .alerts = alerts, .webhooks = webhooks, .page_url = page_url, .end = &h->first };
	alerts_listen(alerts, &(struct alerts_listener){ .knows = knows, .told = told, .arg = h });
	*ret_herald = h;
	return 0;
}

void herald_free(struct herald *h)
{
	while (h && h->first) {
		struct errand *e = h->first;

		h->first = e->next;
		errand_free(e);
	}
	free(h);
}
