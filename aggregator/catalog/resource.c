#include "aggregator/catalog/resource.h"
#include "collector/core/amount.h"
#include "collector/core/metric_json.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *label;
} module_labels[] = {
	{ "cgroup", "Control groups" },
	{ "cpu", "CPU" },
	{ "disk", "Disk" },
	{ "fs", "File system" },
	{ "heatscope", "Heatscope" },
	{ "http", "HTTP" },
	{ "lock", "Locks" },
	{ "memory", "Memory" },
	{ "mysql", "MySQL" },
	{ "net", "Network" },
	{ "nic", "Network interfaces" },
	{ "postgresql", "PostgreSQL" },
	{ "proc", "Processes" },
	{ "redis", "Redis" },
	{ "replay", "Replay" },
	{ "syscall", "System calls" },
	{ "tcp", "TCP" },
	{ "thread", "Threads" },
};

/* The types of Cloud Analytics; power: a raw value is in base^power units. */
static const struct {
	const char *name, *arity, *unit, *abbr;
	int base, power;
} types[] = {
	{ "string", "discrete", NULL, NULL, 0, 0 },
	{ "number", "numeric", NULL, NULL, 0, 0 },
	{ "hundredths", "numeric", "threads", "", 10, -2 },
	{ "percent", "numeric", "percent", "%", 0, 0 },
	{ "size", "numeric", "bytes", "B", 2, 0 },
	{ "time", "numeric", "seconds", "s", 10, -9 },
};

static const char *module_label(const char *name)
{
	for (size_t i = 0; i < sizeof(module_labels) / sizeof(*module_labels); i++)
		if (!strcmp(module_labels[i].name, name))
			return module_labels[i].label;
	return name;
}

static json_t *types_json(void)
{
	json_t *all = json_object();

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		json_t *type = json_pack("{s:s, s:s, s:s*, s:s*}", "name", types[i].name, "arity", types[i].arity, "unit",
					 types[i].unit, "abbr", types[i].abbr);

		if (types[i].base) {
			json_object_set_new(type, "base", json_integer(types[i].base));
			json_object_set_new(type, "power", json_integer(types[i].power));
		}
		if (!strcmp(types[i].name, "percent"))		/* the top of a chart should not be below 100 % */
			json_object_set_new(type, "minmax", json_integer(100));
		json_object_set_new(all, types[i].name, type);
	}
	return all;
}

/* Says which text of a statement its exemplars have. */
static const char *text_word(const struct source *s)
{
	return s->full_text ? "full" : "digest";
}

json_t *resource_sources(const struct catalog *c)
{
	json_t *all = json_array();

	for (const struct source *s = catalog_source_first(c); s; s = s->next) {
		json_t *metrics = json_array();

		for (size_t i = 0; i < s->n_offers; i++) {
			const struct offer *o = &s->offer[i];
			char name[2 * NAME_MAX_LEN + 1];

			snprintf(name, sizeof(name), "%s.%s", o->metric->module, o->metric->stat);
			json_array_append_new(metrics, json_pack("{s:s, s:s, s:s}", "metric", name, "state",
								 o->ok ? "ok" : "refused", "reason", o->reason));
		}
		json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o}", "source", s->name, "state",
						     s->n_links ? "active" : "gone", "version", s->version, "kernel", s->kernel,
						     "text", text_word(s), "labels", host_labels_to_json(&s->labels),
						     "metrics", metrics));
	}
	return all;
}

/* A label and a type belong to a field of one metric: metrics share names, not meanings.  all_fields has each name as
 * described by the first metric that has it; a metric that describes it otherwise lists the field itself. */
static json_t *metric_json(const struct metric *m, json_t *all_fields)
{
	json_t *names = json_array(), *own = json_object(), *metric;

	for (size_t i = 0; i < m->n_fields; i++) {
		const char *name = m->field[i].name;
		json_t *field = json_pack("{s:s, s:s}", "label", m->field[i].label, "type", m->field[i].type);

		json_array_append_new(names, json_string(name));
		if (!json_object_get(all_fields, name))
			json_object_set(all_fields, name, field);
		else if (!json_equal(json_object_get(all_fields, name), field))
			json_object_set(own, name, field);
		json_decref(field);
	}
	metric = json_pack("{s:s, s:s, s:s, s:s, s:s*, s:o*, s:s*, s:o, s:s}", "module", m->module, "stat", m->stat, "label", m->label,
			   "interval", metric_scope_name(m->scope), "point", m->point, "parts", metric_json_parts(m), "text", m->text,
			   "fields", names, "unit", m->unit);
	if (json_object_size(own))
		json_object_set(metric, "own_fields", own);
	json_decref(own);
	return metric;
}

static bool is_listed(const json_t *metric, const char *field)
{
	json_t *name;
	size_t i;

	json_array_foreach(json_object_get(metric, "fields"), i, name)
		if (!strcmp(json_string_value(name), field))
			return true;
	return false;
}

static json_t *find_metric(const json_t *metrics, const struct metric *m)
{
	json_t *metric;
	size_t i;

	json_array_foreach(metrics, i, metric)
		if (!strcmp(json_string_value(json_object_get(metric, "module")), m->module) &&
		    !strcmp(json_string_value(json_object_get(metric, "stat")), m->stat))
			return metric;
	return NULL;
}

/* Adds the names of fields that an instrumentation was made with and no connected source offers: they are still the names
 * of its maps. */
static void add_former_fields(const struct catalog_inst *ci, json_t *metrics, json_t *all_fields)
{
	json_t *metric = find_metric(metrics, ci->metric), *own = json_object_get(metric, "own_fields");

	for (size_t i = 0; metric && i < ci->metric->n_fields; i++) {
		const struct field *f = &ci->metric->field[i];
		json_t *field = json_pack("{s:s, s:s}", "label", f->label, "type", f->type);

		if (!json_object_get(all_fields, f->name)) {
			json_object_set(all_fields, f->name, field);
		} else if (!is_listed(metric, f->name) && !json_object_get(own, f->name) &&
			   !json_equal(json_object_get(all_fields, f->name), field)) {
			if (!own)
				json_object_set_new(metric, "own_fields", own = json_object());
			json_object_set(own, f->name, field);
		}
		json_decref(field);
	}
}

json_t *resource_catalogue(const struct catalog *c)
{
	json_t *modules = json_object(), *fields = json_object(), *metrics = json_array();
	const struct metric *m;

	for (size_t i = 0; (m = catalog_metric(c, i)); i++) {
		json_array_append_new(metrics, metric_json(m, fields));
		json_object_set_new(modules, m->module, json_pack("{s:s}", "label", module_label(m->module)));
	}
	for (const struct catalog_inst *ci = catalog_first(c); ci; ci = ci->next)
		add_former_fields(ci, metrics, fields);
	return json_pack("{s:o, s:o, s:o, s:o, s:{}, s:o, s:b}", "modules", modules, "fields", fields, "types", types_json(),
			 "metrics", metrics, "transformations", "sources", resource_sources(c), "enabled", !catalog_is_off(c));
}

/* ---- the same, in the form for Cloud Analytics' first clients ---- */

static const char *old_type(const struct field *f)
{
	return f->arity == FIELD_DISCRETE ? "string" : !strcmp(f->type, "time") ? "latency" : "number";
}

static json_t *old_metric(const struct metric *m)
{
	json_t *fields = json_object();

	for (size_t i = 0; i < m->n_fields; i++)
		json_object_set_new(fields, m->field[i].name, json_pack("{s:s, s:s}", "label", m->field[i].label, "type",
									old_type(&m->field[i])));
	return json_pack("{s:s, s:s, s:o}", "label", m->label, "type", "unused", "fields", fields);
}

json_t *resource_old_metrics(const struct catalog *c)
{
	json_t *all = json_object(), *module;
	const struct metric *m;

	for (size_t i = 0; (m = catalog_metric(c, i)); i++) {
		module = json_object_get(all, m->module);
		if (!module) {
			module = json_pack("{s:s, s:{}}", "label", module_label(m->module), "stats");
			json_object_set_new(all, m->module, module);
		}
		json_object_set_new(json_object_get(module, "stats"), m->stat, old_metric(m));
	}
	return all;
}

json_t *resource_old_types(void)
{
	return json_pack("{s:s, s:s, s:s}", "latency", "numeric", "string", "discrete", "number", "numeric");
}

/* ---- instrumentations ---- */

struct link {
	const char *name, *path;
};

static const struct link values[] = {
	{ "value_raw", "value/raw" }, { "value_heatmap", "value/heatmap/image" }, { "details_heatmap", "value/heatmap/details" },
	{ "value_grid", "value/grid" }, { "value_keys", "value/keys" }, { "value_report", "value/report" },
	{ "value_chart", "value/chart" }, { "value_explain", "value/explain" }, { "value_exemplars", "value/exemplars" },
	{ "value_composition", "value/composition" }, { "value_compare", "value/compare" }, { "value_flame", "value/flame" },
	{ "value_multiples", "value/multiples" },
	{ "value_stream", "value/stream" },
}, heatmaps[] = {
	{ "image", "value/heatmap/image" }, { "details", "value/heatmap/details" }, { "average", "value/heatmap/average" },
	{ "percentile", "value/heatmap/percentile" }, { "figure", "value/heatmap/figure" },
};

static json_t *links_json(const struct catalog_inst *ci, const struct link *link, size_t n)
{
	json_t *all = json_array();
	char uri[96];

	for (size_t i = 0; i < n; i++) {
		if (!strcmp(link[i].path, "value/exemplars") && !ci->in.n_exemplars)
			continue;
		snprintf(uri, sizeof(uri), "/ca/instrumentations/%llu/%s", (unsigned long long)ci->in.id, link[i].path);
		json_array_append_new(all, json_pack("{s:s, s:s}", "name", link[i].name, "uri", uri));
	}
	return all;
}

json_t *resource_values(const struct catalog_inst *ci)
{
	return links_json(ci, values, sizeof(values) / sizeof(*values));
}

json_t *resource_heatmaps(const struct catalog_inst *ci)
{
	return links_json(ci, heatmaps, sizeof(heatmaps) / sizeof(*heatmaps));
}

/* Adds the newest slot that a source has reported, and the events that it reported as lost since our start. */
static void add_sighting(json_t *json, const struct catalog_inst *ci, const char *source)
{
	const struct sighting *seen = catalog_sighting(ci, source);

	json_object_set_new(json, "reported_until",
			    seen ? json_real((double)(seen->slot + 1) * (double)ci->in.slot_ns / 1e9) : json_null());
	json_object_set_new(json, "lost", json_integer(seen ? (json_int_t)seen->lost : 0));
}

static void add_start(json_t *json, const struct source *s, __u64 inst)
{
	const struct inst_state *state = source_inst(s, inst);

	json_object_set_new(json, "counts_from", state && state->active && state->from_ns ? json_real((double)state->from_ns / 1e9)
											   : json_null());
}

/* Lists the state of each source that matters for it. */
static json_t *states_json(const struct catalog *c, const struct catalog_inst *ci, __s64 now_ns)
{
	json_t *all = json_array(), *json;
	char reason[REASON_MAX];

	for (const struct source *s = catalog_source_first(c); s; s = s->next) {
		enum fare fare = catalog_fare(ci, s, now_ns, reason);

		if (fare == FARE_NONE)
			continue;
		json = json_pack("{s:s, s:s, s:s, s:s, s:s}", "source", s->name, "state", catalog_fare_word(fare), "reason", reason,
				 "version", s->version, "kernel", s->kernel);
		if (ci->in.n_exemplars)
			json_object_set_new(json, "text", json_string(text_word(s)));
		add_sighting(json, ci, s->name);
		add_start(json, s, ci->in.id);
		json_array_append_new(all, json);
	}
	return all;
}

/* Sums up all states in one word: the state of the sources if they agree, else the worst one. */
static const char *state_of(const struct catalog *c, const struct catalog_inst *ci, __s64 now_ns)
{
	unsigned n[FARE_SUSPENDED + 1] = { 0 };
	char reason[REASON_MAX];

	for (const struct source *s = catalog_source_first(c); s; s = s->next)
		n[catalog_fare(ci, s, now_ns, reason)]++;
	if (ci->in.suspended || ci->off)
		return "suspended";
	if (n[FARE_PARTIAL] || (n[FARE_ACTIVE] && n[FARE_FAILED] + n[FARE_GONE]))
		return "partial";
	if (n[FARE_PENDING])
		return "pending";
	return n[FARE_ACTIVE] ? "active" : n[FARE_FAILED] ? "failed" : n[FARE_GONE] ? "gone" : "pending";
}

/* Sets the unit of each measure, as replies with its values name it. */
static void set_units(json_t *json, const struct instrumentation *in)
{
	json_t *units = json_array();

	for (size_t i = 0; i < in->n_measures; i++)
		json_array_append_new(units, json_string(amount_unit_name(ruler_unit(in->ruler[i]))));
	json_object_set_new(json, "units", units);
}

static void set_dimension(json_t *json, const struct catalog_inst *ci)
{
	const char *arity = *ci->numeric ? "numeric-decomposition" : ci->in.n_fields ? "discrete-decomposition" : "scalar";
	json_t *fields = json_array();

	for (size_t i = 0; i < ci->in.n_fields; i++)
		json_array_append_new(fields, json_string(ci->in.field[i]));
	if (*ci->numeric)
		json_array_append_new(fields, json_string(ci->numeric));
	json_object_set_new(json, "value-dimension", json_integer(1 + (json_int_t)json_array_size(fields)));
	json_object_set_new(json, "decomposition", fields);
	json_object_set_new(json, "value-arity", json_string(arity));
	json_object_set_new(json, "value-scope", json_string(metric_scope_name(ci->metric->scope)));
}

/* Sets the predicate as people read it.  The server does it because it knows the units. */
static void set_predicate_text(json_t *json, const struct catalog_inst *ci)
{
	static char text[PREDICATE_TERMS * (NAME_MAX_LEN + 6 * LABEL_MAX + 16)];

	predicate_title(&ci->in.predicate, ci->metric, text, sizeof(text));
	json_object_set_new(json, "predicate-text", json_string(text));
}

json_t *resource_instrumentation(const struct catalog *c, const struct catalog_inst *ci, __s64 now_ns)
{
	json_t *json = instrumentation_to_json(&ci->in);
	char id[24], uri[64];

	if (!json)
		return NULL;
	snprintf(id, sizeof(id), "%llu", (unsigned long long)ci->in.id);
	snprintf(uri, sizeof(uri), "/ca/instrumentations/%s", id);
	set_predicate_text(json, ci);
	set_units(json, &ci->in);
	json_object_del(json, "fields");
	json_object_del(json, "slots");
	json_object_set_new(json, "id", json_string(id));
	json_object_set_new(json, "uri", json_string(uri));
	set_dimension(json, ci);
	json_object_set_new(json, "nsources", json_integer(catalog_n_sources(c, ci, now_ns)));
	json_object_set_new(json, "state", json_string(state_of(c, ci, now_ns)));
	json_object_set_new(json, "persist-data", json_true());
	json_object_set_new(json, "transformations", json_object());
	json_object_set_new(json, "sources", states_json(c, ci, now_ns));
	json_object_set_new(json, "uris", resource_values(ci));
	if (ci->configured_line)
		json_object_set_new(json, "always", json_pack("{s:s, s:s, s:i}", "name", ci->configured_name, "file", catalog_file_name(c),
							      "line", (int)ci->configured_line));
	return json;
}

json_t *resource_instrumentations(const struct catalog *c, __s64 now_ns)
{
	json_t *all = json_array();

	for (const struct catalog_inst *ci = catalog_first(c); ci; ci = ci->next)
		json_array_append_new(all, resource_instrumentation(c, ci, now_ns));
	return all;
}
