#include "aggregator/catalog/configured.h"

#include "aggregator/base/clock.h"
#include "aggregator/catalog/request.h"
#include "collector/core/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	struct configured *configured;
	const struct conf_instrumentation *conf;
	json_t *request;
	__u64 inst;			/* 0: not made yet */
	bool making;
	char reason[REASON_MAX];	/* why it is not made; "": no source offers the metric */
};

struct configured {
	struct catalog *catalog;
	const char *file;		/* the configuration file */
	struct catalog_observer observer;
	bool begun;
	bool busy;			/* our own calls change the catalog, too; ignore these */
	size_t n;
	struct entry entry[CONF_INSTRUMENTATIONS_MAX];
};

static void log_entry(const struct configured *a, const struct entry *e, const char *what)
{
	log_warning("%s, line %u: %s: %s", a->file, e->conf->line, e->conf->name, what);
}

/* --- what is stored --- */

static bool same_names(const char (*a)[NAME_MAX_LEN], size_t n_a, const char (*b)[NAME_MAX_LEN], size_t n_b)
{
	for (size_t i = 0; i < n_a && n_a == n_b; i++)
		if (strcmp(a[i], b[i]))
			return false;
	return n_a == n_b;
}

static bool same_predicate(const struct predicate *a, const struct predicate *b)
{
	json_t *x = predicate_to_json(a), *y = predicate_to_json(b);
	bool same = x && y && json_equal(x, y);

	json_decref(x);
	json_decref(y);
	return same;
}

/* Does it measure what the entry asks for?  *ret_in: the instrumentation as the entry would make it. */
static bool measures_entry(const struct catalog_inst *ci, const struct entry *e, struct instrumentation *ret_in)
{
	const struct instrumentation *in = &ci->in;
	char numeric[NAME_MAX_LEN], reason[REASON_MAX];
	const char *module, *stat;
	struct instrumentation asked;

	if (request_metric(e->request, &module, &stat, reason) || strcmp(module, in->module) || strcmp(stat, in->stat) ||
	    request_parse(e->request, ci->metric, &asked, numeric, reason))
		return false;
	*ret_in = *in;
	ret_in->retention_s = asked.retention_s;
	ret_in->minutes_s = asked.minutes_s;
	ret_in->hours_s = asked.hours_s;
	ret_in->idle_max_s = 0;
	return !strcmp(numeric, ci->numeric) && same_names(in->field, in->n_fields, asked.field, asked.n_fields) &&
	       same_names(in->measure, in->n_measures, asked.measure, asked.n_measures) &&
	       same_names(in->weight, in->n_weights, asked.weight, asked.n_weights) &&
	       in->granularity_ns == asked.granularity_ns && in->ruler_bits == asked.ruler_bits &&
	       in->n_keys == asked.n_keys && in->n_exemplars == asked.n_exemplars && same_predicate(&in->predicate, &asked.predicate);
}

static bool is_taken(const struct configured *a, __u64 id)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->entry[i].inst == id)
			return true;
	return false;
}

/* Finds the instrumentation with the entry's name, or any that is not taken, if it measures what the entry asks for. */
static void find_measured(struct configured *a, struct entry *e, bool by_name)
{
	for (const struct catalog_inst *ci = catalog_first(a->catalog); ci && !e->inst; ci = ci->next) {
		struct instrumentation in;

		if ((by_name && strcmp(ci->configured_name, e->conf->name)) || is_taken(a, ci->in.id) || !measures_entry(ci, e, &in))
			continue;
		if (memcmp(&in, &ci->in, sizeof(in)) || strcmp(ci->configured_name, e->conf->name))
			catalog_adopt(a->catalog, ci->in.id, &in, e->conf->name);
		e->inst = ci->in.id;
		catalog_bind(a->catalog, e->inst, e->conf->line);
	}
}

/* Releases those that were in the file and are no longer, or now mean something else. */
static void release_others(struct configured *a)
{
	for (const struct catalog_inst *ci = catalog_first(a->catalog); ci; ci = ci->next) {
		struct instrumentation in = ci->in;

		if (!*ci->configured_name || is_taken(a, in.id))
			continue;
		log_warning("instrumentation %llu, \"%s\", is not in the configuration any more: it is suspended, and its "
			"data stay until they are too old or it is deleted", (unsigned long long)in.id, ci->configured_name);
		in.suspended = 1;
		catalog_adopt(a->catalog, in.id, &in, "");
	}
}

/* --- what is not stored yet --- */

static void on_made(void *arg, int err, const struct catalog_inst *made)
{
	struct entry *e = arg;

	e->making = false;
	if (made) {
		e->inst = made->in.id;
		catalog_bind(e->configured->catalog, e->inst, e->conf->line);
	} else {
		snprintf(e->reason, sizeof(e->reason), "it could not be stored: %s", store_queue_error(err));
	}
}

static bool is_offered(const struct configured *a, const struct entry *e)
{
	const char *module, *stat;
	char reason[REASON_MAX];

	return !request_metric(e->request, &module, &stat, reason) && catalog_metric_find(a->catalog, module, stat);
}

static void make_entry(struct configured *a, struct entry *e)
{
	char reason[REASON_MAX] = "no memory";
	int err;

	if (!is_offered(a, e))
		return;
	err = catalog_create_configured(a->catalog, e->request, e->conf->name, now_ns(), on_made, e, reason);
	e->making = !err;
	if (err && strcmp(e->reason, reason)) {
		snprintf(e->reason, sizeof(e->reason), "%s", reason);
		log_entry(a, e, reason);
	}
}

static void look_at_entries(struct configured *a)
{
	a->busy = true;
	for (size_t i = 0; i < a->n; i++) {
		struct entry *e = &a->entry[i];

		if (!e->inst && !e->making)
			make_entry(a, e);
	}
	a->busy = false;
}

static void on_changed(void *arg, bool wanted)
{
	struct configured *a = arg;

	if (a->begun && !a->busy)
		look_at_entries(a);
}

/* --- begin and end --- */

int configured_new(struct catalog *c, const char *file, const struct conf_instrumentation *conf, size_t n, struct configured **ret_configured)
{
	struct configured *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	*a = (struct configured){ .catalog = c, .file = file, .n = n };
	a->observer = (struct catalog_observer){ .changed = on_changed, .arg = a };
	for (size_t i = 0; i < a->n; i++) {
		a->entry[i].configured = a;
		a->entry[i].conf = &conf[i];
		a->entry[i].request = json_loads(conf[i].request, 0, NULL);
		if (!a->entry[i].request) {
			configured_free(a);
			return -ENOMEM;
		}
	}
	catalog_file(c, file);
	catalog_observe(c, &a->observer);
	*ret_configured = a;
	return 0;
}

void configured_begin(struct configured *a)
{
	for (size_t i = 0; i < a->n; i++)
		a->entry[i].inst = 0;
	for (size_t i = 0; i < 2 * a->n; i++)
		find_measured(a, &a->entry[i % a->n], i < a->n);
	release_others(a);
	a->begun = true;
	look_at_entries(a);
}

void configured_end(struct configured *a)
{
	a->begun = false;
}

void configured_free(struct configured *a)
{
	if (!a)
		return;
	catalog_unobserve(a->catalog, &a->observer);
	for (size_t i = 0; i < a->n; i++)
		json_decref(a->entry[i].request);
	free(a);
}

/* 0: it is not made.  While another heatscoped leads, that one has made it. */
static __u64 made_id(const struct configured *a, const struct entry *e)
{
	for (const struct catalog_inst *ci = a->begun ? NULL : catalog_first(a->catalog); ci; ci = ci->next)
		if (!strcmp(ci->configured_name, e->conf->name))
			return ci->in.id;
	return a->begun ? e->inst : 0;
}

static const char *why_waiting(const struct configured *a, const struct entry *e)
{
	return a->begun || !is_offered(a, e) ? "no source offers the metric yet" :
	       "the heatscoped that leads the group has not made it: does its configuration list it?";
}

json_t *configured_json(const struct configured *a)
{
	json_t *all = json_array();
	char id[24];

	for (size_t i = 0; a && i < a->n; i++) {
		const struct entry *e = &a->entry[i];
		__u64 inst = made_id(a, e);
		bool is_wrong = a->begun && *e->reason;
		const char *state = inst ? "on" : is_wrong ? "wrong" : "waiting";
		json_t *json = json_pack("{s:s, s:i, s:s, s:s}", "name", e->conf->name, "line", (int)e->conf->line, "state", state,
					 "reason", inst ? "" : is_wrong ? e->reason : why_waiting(a, e));

		snprintf(id, sizeof(id), "%llu", (unsigned long long)inst);
		if (inst)
			json_object_set_new(json, "instrumentation", json_string(id));
		json_array_append_new(all, json);
	}
	return all;
}
