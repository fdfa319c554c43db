#include "resource.h"
#include "http.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name, *label;
} module_labels[] = {
	{ "cgroup", "Control groups" },
	{ "cpu", "CPU" },
	{ "disk", "Disk" },
	{ "fs", "File system" },
	{ "mysql", "MySQL" },
	{ "net", "Network" },
	{ "nic", "Network interfaces" },
	{ "replay", "Replay" },
	{ "syscall", "System calls" },
	{ "tcp", "TCP" },
};

/* The types of Cloud Analytics; power: a raw value is base^power units. */
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
		json_object_set_new(all, types[i].name, type);
	}
	return all;
}

static json_t *sources_json(const struct catalog *c)
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
		json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:o}", "source", s->name, "state",
						     s->n_links ? "active" : "gone", "version", s->version, "metrics",
						     metrics));
	}
	return all;
}

static json_t *metric_json(const struct metric *m, json_t *all_fields)
{
	json_t *names = json_array();

	for (size_t i = 0; i < m->n_fields; i++) {
		json_array_append_new(names, json_string(m->field[i].name));
		json_object_set_new(all_fields, m->field[i].name,
				    json_pack("{s:s, s:s}", "label", m->field[i].label, "type", m->field[i].type));
	}
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:s}", "module", m->module, "stat", m->stat, "label", m->label,
			 "interval", metric_scope_name(m->scope), "fields", names, "unit", m->unit);
}

json_t *resource_catalogue(const struct catalog *c)
{
	json_t *modules = json_object(), *fields = json_object(), *metrics = json_array();
	const struct metric *m;

	for (size_t i = 0; (m = catalog_metric(c, i)); i++) {
		json_array_append_new(metrics, metric_json(m, fields));
		json_object_set_new(modules, m->module, json_pack("{s:s}", "label", module_label(m->module)));
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:{}, s:o}", "modules", modules, "fields", fields, "types", types_json(),
			 "metrics", metrics, "transformations", "sources", sources_json(c));
}

static json_t *uri_json(const struct catalog_inst *ci, const char *name, const char *path)
{
	char uri[96];

	snprintf(uri, sizeof(uri), "/ca/instrumentations/%llu/%s", (unsigned long long)ci->in.id, path);
	return json_pack("{s:s, s:s}", "name", name, "uri", uri);
}

json_t *resource_values(const struct catalog_inst *ci)
{
	json_t *all = json_array();

	json_array_append_new(all, uri_json(ci, "value_raw", "value/raw"));
	json_array_append_new(all, uri_json(ci, "value_heatmap", "value/heatmap/image"));
	json_array_append_new(all, uri_json(ci, "details_heatmap", "value/heatmap/details"));
	json_array_append_new(all, uri_json(ci, "value_grid", "value/grid"));
	json_array_append_new(all, uri_json(ci, "value_keys", "value/keys"));
	json_array_append_new(all, uri_json(ci, "value_report", "value/report"));
	json_array_append_new(all, uri_json(ci, "value_stream", "value/stream"));
	return all;
}

json_t *resource_heatmaps(const struct catalog_inst *ci)
{
	json_t *all = json_array();

	json_array_append_new(all, uri_json(ci, "image", "value/heatmap/image"));
	json_array_append_new(all, uri_json(ci, "details", "value/heatmap/details"));
	json_array_append_new(all, uri_json(ci, "average", "value/heatmap/average"));
	json_array_append_new(all, uri_json(ci, "percentile", "value/heatmap/percentile"));
	json_array_append_new(all, uri_json(ci, "figure", "value/heatmap/figure"));
	return all;
}

/* How each source that matters fares with it. */
static json_t *states_json(const struct catalog *c, const struct catalog_inst *ci, __s64 now_ns)
{
	json_t *all = json_array();
	char reason[REASON_MAX];

	for (const struct source *s = catalog_source_first(c); s; s = s->next) {
		enum fare fare = catalog_fare(ci, s, now_ns, reason);

		if (fare != FARE_NONE)
			json_array_append_new(all, json_pack("{s:s, s:s, s:s}", "source", s->name, "state",
							     catalog_fare_word(fare), "reason", reason));
	}
	return all;
}

/* All of them as one word: that of the sources where they agree, else what it lacks. */
static const char *state_of(const struct catalog *c, const struct catalog_inst *ci, __s64 now_ns)
{
	unsigned n[FARE_SUSPENDED + 1] = { 0 };
	char reason[REASON_MAX];

	for (const struct source *s = catalog_source_first(c); s; s = s->next)
		n[catalog_fare(ci, s, now_ns, reason)]++;
	if (ci->in.suspended)
		return "suspended";
	if (n[FARE_PARTIAL] || (n[FARE_ACTIVE] && n[FARE_FAILED] + n[FARE_GONE]))
		return "partial";
	if (n[FARE_PENDING])
		return "pending";
	return n[FARE_ACTIVE] ? "active" : n[FARE_FAILED] ? "failed" : n[FARE_GONE] ? "gone" : "pending";
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

/* As people read it; here, because the units are known here. */
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
	return json;
}

json_t *resource_instrumentations(const struct catalog *c, __s64 now_ns)
{
	json_t *all = json_array();

	for (const struct catalog_inst *ci = catalog_first(c); ci; ci = ci->next)
		json_array_append_new(all, resource_instrumentation(c, ci, now_ns));
	return all;
}

static json_int_t memory_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	long total = 0, resident = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%ld %ld", &total, &resident) != 2)
		resident = 0;
	fclose(f);
	return (json_int_t)resident * sysconf(_SC_PAGESIZE);
}

static json_t *http_json(const struct aggregator *a)
{
	struct http_counters sum = { 0 };

	for (int i = 0; i < 2; i++) {
		const struct http_counters *h = a->http[i] ? http_counters(a->http[i]) : NULL;

		if (!h)
			continue;
		sum.requests += h->requests;
		sum.refused += h->refused;
		sum.streams += h->streams;
		for (int j = 0; j < 6; j++)
			sum.by_class[j] += h->by_class[j];
	}
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "requests", (json_int_t)sum.requests,
			 "refused", (json_int_t)sum.refused, "streams", (json_int_t)sum.streams,
			 "ok", (json_int_t)sum.by_class[2], "client_errors", (json_int_t)sum.by_class[4],
			 "server_errors", (json_int_t)sum.by_class[5]);
}

static json_t *counters_json(const struct aggregator *a)
{
	const struct flush_counters *f = flush_counters(a->flush);
	json_t *all = json_pack("{s:{s:I, s:I, s:I, s:I, s:I, s:I, s:I}}", "store", "commits", (json_int_t)f->commits,
				"failed_commits", (json_int_t)f->failed_commits, "batches", (json_int_t)f->batches,
				"duplicates", (json_int_t)f->duplicates, "events", (json_int_t)f->events,
				"commit_ns_max", (json_int_t)f->commit_ns_max, "damaged", (json_int_t)f->damaged);

	if (a->ingest) {
		const struct ingest_counters *in = ingest_counters(a->ingest);

		json_object_set_new(all, "ingest", json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
				    "connections", (json_int_t)in->connections, "refused_peers", (json_int_t)in->refused_peers,
				    "errors", (json_int_t)in->errors, "batches", (json_int_t)in->batches,
				    "unknown", (json_int_t)in->unknown, "misfits", (json_int_t)in->misfits,
				    "lost_events", (json_int_t)in->lost_events));
	}
	json_object_set_new(all, "http", http_json(a));
	return all;
}

json_t *resource_status(const struct aggregator *a)
{
	__s64 now = now_ns();

	return json_pack("{s:s, s:I, s:f, s:I, s:o, s:o, s:o}", "version", PACKAGE_VERSION, "pid", (json_int_t)getpid(),
			 "uptime", (double)(now - a->start_ns) / 1e9, "memory_bytes", memory_bytes(), "counters",
			 counters_json(a), "sources", sources_json(a->catalog), "instrumentations",
			 resource_instrumentations(a->catalog, now));
}
