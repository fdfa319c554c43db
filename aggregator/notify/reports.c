#include "aggregator/notify/reports.h"

#include "aggregator/notify/alert_payload.h"
#include "aggregator/notify/report_file.h"
#include "aggregator/value/value.h"
#include "collector/core/log.h"
#include "render/encode/utf8.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS 1000000000ll
#define TROUBLE 256

struct entry {
	const struct conf_report *conf;
	__s64 last_s, next_s;		/* when the last done one was due; when the next is due */
	__u64 n_made, n_failed;
	char trouble[TROUBLE];		/* why the last one failed, cut; UTF-8; "": it was made since */
};

struct reports {
	struct reports_parts parts;
	struct entry *running;		/* NULL: no report is being made */
	size_t at;			/* index of the instrumentation that is being drawn */
	__s64 from_s, due_s;
	size_t n;
	struct entry report[CONF_REPORTS_MAX];
};

static void report_failed(struct entry *r, const char *instrumentation, const char *reason)
{
	char whole[CONF_NAME_MAX + PARAMS_REASON_MAX], clean[sizeof(whole)];

	r->n_failed++;
	snprintf(whole, sizeof(whole), "%s: %s", instrumentation, reason);
	utf8_clean(whole, clean, sizeof(clean));
	utf8_clean(clean, r->trouble, sizeof(r->trouble));
	log_error("report %s failed: %s", r->conf->name, whole);
}

/* The reason of another instrumentation's failure stays. */
static void report_made(struct entry *r, const char *instrumentation)
{
	size_t len = strlen(instrumentation);

	r->n_made++;
	if (!strncmp(r->trouble, instrumentation, len) && !strncmp(r->trouble + len, ": ", 2))
		r->trouble[0] = '\0';
}

/* ---- times in the store ---- */

static void memory_name(const struct conf_report *conf, char out[STORE_NAME_MAX + 1])
{
	snprintf(out, STORE_NAME_MAX + 1, "report.%s", conf->name);
}

struct remembering {
	char name[STORE_NAME_MAX + 1], text[24];
};

static int remember_work(void *arg, struct store *store)
{
	const struct remembering *m = arg;

	return store->ops->remember(store, m->name, m->text);
}

static void on_remembered(void *arg, int err)
{
	struct remembering *m = arg;

	if (err)
		log_error("when the %s was made is not stored: %s", m->name, store_queue_error(err));
	free(m);
}

/* If this fails, a report may be made once more after a restart. */
static void remember_last(struct reports *r, const struct entry *report)
{
	struct remembering *m = malloc(sizeof(*m));

	if (!m)
		return;
	memory_name(report->conf, m->name);
	snprintf(m->text, sizeof(m->text), "%lld", (long long)report->last_s);
	if (store_queue_submit_write(r->parts.services->store_queue, remember_work, on_remembered, m))
		free(m);
}

/* Begins from now on, as if every earlier report had been made. */
static void restart_schedule(struct reports *r, struct entry *report, __s64 now_s)
{
	report->last_s = schedule_last(&report->conf->when, now_s);
	report->next_s = schedule_next(&report->conf->when, report->last_s);
	remember_last(r, report);
}

static int recall_last(struct reports *r, struct entry *report, struct store *store, __s64 now_s)
{
	char name[STORE_NAME_MAX + 1], text[24] = "";
	int err;

	memory_name(report->conf, name);
	err = store->ops->recall(store, name, text, sizeof(text));
	if (err)
		return err;
	report->last_s = strtoll(text, NULL, 10);
	report->next_s = schedule_next(&report->conf->when, report->last_s);
	if (report->last_s <= 0 || report->last_s > now_s + REPORTS_BACK_S)
		restart_schedule(r, report, now_s);
	return 0;
}

/* ---- destinations ---- */

struct writing {
	uv_work_t work;
	struct entry *report;
	char instrumentation[CONF_NAME_MAX];
	struct report_file file;
	void *data;
	size_t len;
	int err;
	char reason[REPORT_FILE_REASON];
};

static void on_write(uv_work_t *work)
{
	struct writing *w = work->data;

	w->err = report_file_write(&w->file, w->data, w->len, w->reason);
}

static void on_written(uv_work_t *work, int status)
{
	struct writing *w = work->data;

	if (w->err || status)
		report_failed(w->report, w->instrumentation, status ? "heatscoped was stopped" : w->reason);
	else
		report_made(w->report, w->instrumentation);
	free(w->data);
	free(w);
}

/* Takes the value's data. */
static void write_file(struct reports *r, struct value *v, const char *instrumentation)
{
	struct writing *w = calloc(1, sizeof(*w));

	if (!w) {
		report_failed(r->running, instrumentation, "out of memory");
		return;
	}
	*w = (struct writing){ .report = r->running, .data = v->data, .len = v->len };
	snprintf(w->instrumentation, sizeof(w->instrumentation), "%s", instrumentation);
	w->file = (struct report_file){ .folder = r->running->conf->to, .report = r->running->conf->name, .instrumentation = w->instrumentation,
					.format = r->running->conf->format, .due_s = r->due_s, .keep = r->running->conf->keep };
	v->data = NULL;
	w->work.data = w;
	uv_queue_work(r->parts.services->loop, &w->work, on_write, on_written);
}

struct sending {
	struct entry *report;
	char instrumentation[CONF_NAME_MAX];
};

static void on_sent(void *arg, int err, const char *reason)
{
	struct sending *s = arg;

	if (err)
		report_failed(s->report, s->instrumentation, reason);
	else
		report_made(s->report, s->instrumentation);
	free(s);
}

static void post_report(struct reports *r, const struct value *v, const char *instrumentation)
{
	const struct conf_report *conf = r->running->conf;
	const struct report_payload n = { .report = conf->name, .instrumentation = instrumentation, .inst = v->in.id, .module = v->in.module,
					 .stat = v->in.stat, .from_ns = r->from_s * NS, .to_ns = r->due_s * NS, .type = v->type,
					 .page_url = r->parts.page_url, .data = v->data, .len = v->len };
	json_t *payload = report_payload_json(&n);
	char *text = payload ? json_dumps(payload, JSON_COMPACT) : NULL, what[CONF_NAME_MAX + 16];
	struct sending *s = text ? malloc(sizeof(*s)) : NULL;

	json_decref(payload);
	if (!s) {
		free(text);
		report_failed(r->running, instrumentation, "out of memory");
		return;
	}
	s->report = r->running;
	snprintf(s->instrumentation, sizeof(s->instrumentation), "%s", instrumentation);
	snprintf(what, sizeof(what), "report %s", conf->name);
	webhooks_post(r->parts.webhooks, conf->webhook, what, text, strlen(text), on_sent, s);
}

/* ---- one report after the other ---- */

static void make_next(struct reports *r);

static const char *instrumentation_at(const struct reports *r)
{
	return r->running->conf->instrumentation[r->at];
}

static void on_made(struct value *v, void *arg)
{
	struct reports *r = arg;
	const char *instrumentation = instrumentation_at(r);

	if (v->status != 200)
		report_failed(r->running, instrumentation, v->reason);
	if (v->status == 200 && *r->running->conf->webhook)
		post_report(r, v, instrumentation);
	if (v->status == 200 && *r->running->conf->to)
		write_file(r, v, instrumentation);
	value_free(v);
	r->at++;
	make_next(r);
}

static int value_of(struct reports *r, struct value **ret_value, char *reason)
{
	const struct catalog_inst *ci = catalog_first(r->parts.services->catalog);
	char start[24], end[24];
	const struct http_param param[] = { { "start_time", start }, { "end_time", end }, { "format", r->running->conf->format } };

	while (ci && strcmp(ci->configured_name, instrumentation_at(r)))
		ci = ci->next;
	if (!ci)
		return refuse_in(-ENOENT, reason, PARAMS_REASON_MAX, "the instrumentation does not exist yet: no "
			"collector offers its metric");
	snprintf(start, sizeof(start), "%lld", (long long)r->from_s);
	snprintf(end, sizeof(end), "%lld", (long long)r->due_s);
	return value_new(r->parts.services, ci, VALUE_REPORT, param, 3, ret_value, reason);
}

static void finish_report(struct reports *r)
{
	struct entry *report = r->running;

	report->last_s = r->due_s;
	report->next_s = schedule_next(&report->conf->when, r->due_s);
	remember_last(r, report);
	r->running = NULL;
}

static void make_next(struct reports *r)
{
	char reason[PARAMS_REASON_MAX] = "out of memory";
	struct value *v;

	for (; r->at < r->running->conf->n_instrumentations && !r->parts.services->stopping; r->at++) {
		if (!value_of(r, &v, reason)) {
			value_run(v, on_made, r);
			return;
		}
		report_failed(r->running, instrumentation_at(r), reason);
	}
	if (r->parts.services->stopping)
		r->running = NULL;	/* heatscoped ends; the next start makes it */
	else
		finish_report(r);
}

static void begin_report(struct reports *r, struct entry *report, __s64 until_s)
{
	const struct conf_report *conf = report->conf;

	r->running = report;
	r->at = 0;
	r->due_s = schedule_last(&conf->when, until_s);
	r->from_s = conf->range_s ? r->due_s - conf->range_s : schedule_last(&conf->when, r->due_s - 1);
	if (report->next_s < r->due_s)
		log_warning("report %s was missed; the newest one that was due is made now", conf->name);
	make_next(r);
}

void reports_tick(struct reports *r, __s64 now_ns)
{
	__s64 until_s = now_ns / NS - REPORTS_LATE_S;

	for (size_t i = 0; i < r->n && !r->running; i++)
		if (r->report[i].last_s > now_ns / NS + REPORTS_BACK_S)
			restart_schedule(r, &r->report[i], now_ns / NS);
		else if (r->report[i].next_s <= until_s)
			begin_report(r, &r->report[i], until_s);
}

/* ---- begin and end ---- */

int reports_new(const struct reports_parts *parts, struct reports **ret_reports)
{
	struct reports *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	*r = (struct reports){ .parts = *parts, .n = parts->n };
	for (size_t i = 0; i < r->n; i++)
		r->report[i] = (struct entry){ .conf = &parts->conf[i] };
	*ret_reports = r;
	return 0;
}

/* Said now, since the report may be due in a week only. */
static void check_folder(const struct conf_report *conf)
{
	char reason[REPORT_FILE_REASON];

	if (conf->to[0] && report_file_check(conf->to, reason))
		log_warning("report %s will fail: %s", conf->name, reason);
}

int reports_load(struct reports *r, struct store *store, __s64 now_ns)
{
	int err = 0;

	for (size_t i = 0; !err && i < r->n; i++) {
		check_folder(r->report[i].conf);
		err = recall_last(r, &r->report[i], store, now_ns / NS);
	}
	return err;
}

void reports_free(struct reports *r)
{
	free(r);
}

json_t *reports_json(const struct reports *r)
{
	json_t *all = json_array();

	for (size_t i = 0; r && i < r->n; i++) {
		const struct entry *one = &r->report[i];

		json_array_append_new(all, json_pack("{s:s, s:i, s:I, s:I, s:I, s:I, s:s}", "name", one->conf->name, "line", (int)one->conf->line,
				      "last", (json_int_t)one->last_s, "next", (json_int_t)one->next_s, "made", (json_int_t)one->n_made,
				      "failed", (json_int_t)one->n_failed, "reason", one->trouble));
	}
	return all;
}
