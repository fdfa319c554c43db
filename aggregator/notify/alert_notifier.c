#include "aggregator/notify/alert_notifier.h"

#include "aggregator/notify/alert_payload.h"
#include "aggregator/value/value.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
	struct message *next;
	struct alert_notifier *notifier;
	json_t *payload;
	char webhook[CONF_NAME_MAX], what[ALERT_NAME_MAX + 16];
	struct alert_rule rule;
	__u64 alert;
	__s64 from_ns, to_ns;		/* of the picture */
};

struct alert_notifier {
	struct services *services;
	struct alerts *alerts;
	struct webhooks *webhooks;
	const char *page_url;
	struct message *first, **end;	/* first: its picture is being drawn */
	size_t n_waiting;
};

static void message_free(struct message *m)
{
	json_decref(m->payload);
	free(m);
}

/* ---- sending ---- */

static void on_sent(void *arg, int err, const char *reason)
{
	struct message *m = arg;

	alerts_notified(m->notifier->alerts, m->alert, err, reason);
	message_free(m);
}

/* png NULL: why_not says why. */
static void message_send(struct message *m, const void *png, size_t len, const char *why_not)
{
	struct webhooks *webhooks = m->notifier->webhooks;
	const struct conf_webhook *hook = webhooks_find(webhooks, m->webhook);
	char *text = NULL;

	if (hook && !hook->picture)
		text = json_dumps(m->payload, JSON_COMPACT);
	else if (!alert_payload_picture(m->payload, png, len, m->from_ns, m->to_ns, why_not))
		text = json_dumps(m->payload, JSON_COMPACT);
	if (text) {
		webhooks_post(webhooks, m->webhook, m->what, text, strlen(text), on_sent, m);
	} else {
		webhooks_give_up(webhooks, m->webhook, m->what, "out of memory");
		on_sent(m, -ENOMEM, "out of memory");
	}
}

/* ---- drawing ---- */

static void draw_first_picture(struct alert_notifier *n);

static void picture_drawn(struct alert_notifier *n, const void *png, size_t len, const char *why_not)
{
	struct message *m = n->first;

	n->first = m->next;
	if (!n->first)
		n->end = &n->first;
	n->n_waiting--;
	message_send(m, png, len, why_not);
	draw_first_picture(n);
}

static void on_drawn(struct value *v, void *arg)
{
	picture_drawn(arg, v->status == 200 ? v->data : NULL, v->len, v->reason);
	value_free(v);
}

static void seconds_text(__s64 ns, char out[32])
{
	snprintf(out, 32, "%lld.%03lld", (long long)(ns / 1000000000), (long long)(ns / 1000000 % 1000));
}

/* The parameter `selected` is a list. */
static void list_of(const char *key, char *out)
{
	for (; *key; *out++ = *key++)
		if (*key == ',' || *key == '\\')
			*out++ = '\\';
	*out = 0;
}

static int value_of(struct message *m, struct value **ret_value, char *reason)
{
	struct services *services = m->notifier->services;
	const struct catalog_inst *ci = catalog_find(services->catalog, m->rule.inst);
	char start[32], end[32], selected[2 * sizeof(m->rule.key)];
	bool figure = *m->rule.measure && ci && strcmp(m->rule.measure, ci->in.measure[0]) != 0;
	struct http_param param[5] = { { "start_time", start }, { "end_time", end }, { "format", "png" } };
	size_t n = 3;

	if (!ci)
		return refuse_in(-ENOENT, reason, PARAMS_REASON_MAX, "the instrumentation does not exist any more");
	seconds_text(m->from_ns, start);
	seconds_text(m->to_ns, end);
	if (*m->rule.key) {
		list_of(m->rule.key, selected);
		param[n++] = (struct http_param){ "selected", selected };
	}
	if (figure)
		param[n++] = (struct http_param){ "measure", m->rule.measure };
	return value_new(services, ci, figure ? VALUE_FIGURE : VALUE_REPORT, param, n, ret_value, reason);
}

/* Does its webhook want a picture, and can one still be drawn? */
static bool wants_picture(const struct message *m)
{
	const struct conf_webhook *hook = webhooks_find(m->notifier->webhooks, m->webhook);

	return hook && hook->picture && !m->notifier->services->stopping;
}

static void draw_first_picture(struct alert_notifier *n)
{
	struct message *m = n->first;
	char reason[PARAMS_REASON_MAX] = "out of memory";
	struct value *v;

	if (!m)
		return;
	if (wants_picture(m) && !value_of(m, &v, reason))
		value_run(v, on_drawn, n);
	else
		picture_drawn(n, NULL, 0, reason);
}

/* ---- events of alerts ---- */

static bool knows_webhook(void *arg, const char *webhook)
{
	struct alert_notifier *n = arg;

	return webhooks_find(n->webhooks, webhook);
}

static json_t *payload_of(const struct alert_notifier *n, const struct alert_event *event)
{
	const struct catalog_inst *ci = catalog_find(n->services->catalog, event->alert->rule.inst);
	char metric[2 * NAME_MAX_LEN + 1] = "";
	struct alert_payload p = { .rule = &event->alert->rule, .id = event->id, .annotation = event->annotation, .metric = metric,
			    .measure = event->measure, .unit = event->unit, .sentence = event->sentence, .state = event->state,
			    .value = event->alert->value, .limit = event->alert->limit, .from_ns = event->from_ns, .to_ns = event->to_ns,
			    .page_url = n->page_url };

	if (ci)
		snprintf(metric, sizeof(metric), "%s.%s", ci->in.module, ci->in.stat);
	return alert_payload_json(&p);
}

/* The picture shows the time from some minutes before it began until now. */
static void choose_span(struct message *m, const struct alert_event *event)
{
	m->to_ns = event->now_ns;
	m->from_ns = event->from_ns - ALERT_NOTIFIER_BEFORE_NS;
	if (m->from_ns < m->to_ns - ALERT_NOTIFIER_SPAN_NS)
		m->from_ns = m->to_ns - ALERT_NOTIFIER_SPAN_NS;
}

static void on_alert_event(void *arg, const struct alert_event *event)
{
	struct alert_notifier *n = arg;
	const struct alert_rule *rule = &event->alert->rule;
	struct message *m = calloc(1, sizeof(*m));
	json_t *payload = m ? payload_of(n, event) : NULL;

	if (!payload) {
		free(m);
		webhooks_give_up(n->webhooks, rule->webhook, rule->name, "out of memory");
		alerts_notified(n->alerts, event->id, -ENOMEM, "out of memory");
		return;
	}
	*m = (struct message){ .notifier = n, .payload = payload, .rule = *rule, .alert = event->id };
	snprintf(m->webhook, sizeof(m->webhook), "%s", rule->webhook);
	snprintf(m->what, sizeof(m->what), "alert %s", rule->name);
	choose_span(m, event);
	if (n->n_waiting == ALERT_NOTIFIER_WAITING) {
		message_send(m, NULL, 0, "too many pictures are waiting");
		return;
	}
	*n->end = m;
	n->end = &m->next;
	if (!n->n_waiting++)
		draw_first_picture(n);
}

int alert_notifier_new(struct services *services, struct alerts *alerts, struct webhooks *webhooks, const char *page_url,
	       struct alert_notifier **ret_notifier)
{
	struct alert_notifier *n = calloc(1, sizeof(*n));

	if (!n)
		return -ENOMEM;
	*n = (struct alert_notifier){ .services = services, .alerts = alerts, .webhooks = webhooks, .page_url = page_url, .end = &n->first };
	alerts_listen(alerts, &(struct alerts_listener){ .knows_webhook = knows_webhook, .notify = on_alert_event, .arg = n });
	*ret_notifier = n;
	return 0;
}

void alert_notifier_free(struct alert_notifier *n)
{
	while (n && n->first) {
		struct message *m = n->first;

		n->first = m->next;
		message_free(m);
	}
	free(n);
}
