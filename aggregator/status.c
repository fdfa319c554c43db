#include "aggregator/status.h"
#include "aggregator/api/api.h"
#include "aggregator/base/clock.h"
#include "aggregator/catalog/configured.h"
#include "aggregator/catalog/resource.h"
#include "aggregator/export/metrics.h"
#include "aggregator/export/otlp_push.h"
#include "aggregator/export/source_metrics.h"
#include "aggregator/notify/configured_alerts.h"
#include "aggregator/notify/reports.h"
#include "aggregator/notify/webhooks.h"

#include <malloc.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Reports the resident memory: the part in use, of that the store's pages and cached sums, and the part that malloc
 * keeps for later. */
static json_t *memory_json(const struct aggregator *a)
{
	const struct store_memory *store = &store_queue_counters(a->services.store_queue)->memory;
	struct mallinfo2 m = mallinfo2();

	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "used", (json_int_t)(m.uordblks + m.hblkhd), "free", (json_int_t)m.fordblks,
			 "pages", (json_int_t)store->pages, "sums", (json_int_t)store->sums, "active",
			 (json_int_t)api_active_bytes(a->api));
}

static json_t *by_status_json(const struct aggregator *a)
{
	json_t *all = json_object();
	char name[8];

	for (unsigned status = 0; status < HTTP_STATUSES; status++) {
		unsigned long long n = 0;

		for (int i = 0; i < 2; i++)
			n += a->http[i] ? http_counters(a->http[i])->by_status[status] : 0;
		if (!n)
			continue;
		snprintf(name, sizeof(name), "%u", status);
		json_object_set_new(all, name, json_integer((json_int_t)n));
	}
	return all;
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
		sum.busy += h->busy;
		sum.hung_up += h->hung_up;
		sum.dropped += h->dropped;
		for (int j = 0; j < 6; j++)
			sum.by_class[j] += h->by_class[j];
	}
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "requests", (json_int_t)sum.requests,
			 "refused", (json_int_t)sum.refused, "streams", (json_int_t)sum.streams,
			 "ok", (json_int_t)sum.by_class[2], "client_errors", (json_int_t)sum.by_class[4],
			 "server_errors", (json_int_t)sum.by_class[5], "busy", (json_int_t)sum.busy, "hung_up", (json_int_t)sum.hung_up,
			 "dropped_streams", (json_int_t)sum.dropped, "held_bytes", (json_int_t)a->held.bytes, "by_status", by_status_json(a));
}

static json_t *counters_json(const struct aggregator *a)
{
	const struct store_queue_counters *f = store_queue_counters(a->services.store_queue), *upkeep = store_queue_counters(a->upkeep_queue);
	bool is_other = upkeep != f;
	json_t *all = json_pack("{s:{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}}", "store", "commits", (json_int_t)f->commits,
				"failed_commits", (json_int_t)f->failed_commits, "batches", (json_int_t)f->batches,
				"duplicates", (json_int_t)f->duplicates, "events", (json_int_t)f->events,
				"commit_ns_max", (json_int_t)f->commit_ns_max, "damaged",
				(json_int_t)(f->damaged + (is_other ? upkeep->damaged : 0)), "dropped", (json_int_t)upkeep->dropped,
				"lost", (json_int_t)upkeep->lost);

	if (a->intake) {
		const struct ingest_counters *in = intake_counters(a->intake);

		json_object_set_new(all, "ingest", json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
				    "connections", (json_int_t)in->connections, "refused_peers", (json_int_t)in->refused_peers,
				    "errors", (json_int_t)in->errors, "batches", (json_int_t)in->batches,
				    "unknown", (json_int_t)in->unknown, "misfits", (json_int_t)in->misfits,
				    "lost_events", (json_int_t)in->lost_events, "cut", (json_int_t)in->cut));
	}
	if (a->bus_ingest)
		json_object_set_new(all, "bus", a->bus->json(a->bus_ingest));
	json_object_set_new(all, "http", http_json(a));
	return all;
}

/* Bytes of SQLite's file and its log, or of ClickHouse; 0: the store is in memory, or they are not known yet. */
static json_int_t store_bytes(const struct aggregator *a)
{
	static const char *const suffix[] = { "", "-wal" };
	char path[PATH_MAX + 8];
	struct stat st;
	json_int_t bytes = (json_int_t)a->store_bytes;

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s%s", a->conf.database, suffix[i]);
		if (a->lock_fd >= 0 && !stat(path, &st))
			bytes += st.st_size;
	}
	return bytes;
}

/* {"database", "bytes", "failure": why the newest batches are not stored, or null}, and of several ClickHouse servers
 * "shards": [{"address", "bytes", "reachable"}]. */
static json_t *store_json(const struct aggregator *a)
{
	const struct store_queue_counters *f = store_queue_counters(a->services.store_queue);
	json_t *json = json_pack("{s:s, s:I, s:s?}", "database", a->conf.clickhouse.url[0] ? a->conf.clickhouse.url : a->conf.database,
				 "bytes", store_bytes(a), "failure", f->failure[0] ? f->failure : NULL);
	json_t *all = f->n_shards ? json_array() : NULL;

	for (size_t i = 0; i < f->n_shards; i++)
		json_array_append_new(all, json_pack("{s:s, s:I, s:b}", "address", f->shard[i].address, "bytes", (json_int_t)f->shard[i].bytes,
						     "reachable", !f->shard[i].is_away));
	if (all)
		json_object_set_new(json, "shards", all);
	return json;
}

/* Counts the events that sources reported as lost, and those that we could not take, since our start. */
static json_int_t lost_events(const struct aggregator *a)
{
	const struct ingest_counters *in = a->intake ? intake_counters(a->intake) : NULL;
	__u64 n = in ? in->lost_events - in->filed_events : 0;	/* filed events are already counted with a source */

	for (const struct catalog_inst *ci = catalog_first(a->services.catalog); ci; ci = ci->next)
		for (size_t i = 0; i < ci->n_sightings; i++)
			n = events_add(n, ci->sighting[i].lost);
	return (json_int_t)n;
}

/* Lists what the configuration file names: instrumentations, then alerts. */
static json_t *listed_json(const struct aggregator *a)
{
	json_t *all = configured_json(a->configured), *alerts = configured_alerts_json(a->configured_alerts);

	json_array_extend(all, alerts);
	json_decref(alerts);
	return all;
}

json_t *status_json(const struct aggregator *a)
{
	__s64 now = now_ns();
	struct rusage used = { 0 };

	getrusage(RUSAGE_SELF, &used);
	return json_pack("{s:s, s:I, s:f, s:f, s:I, s:o, s:o, s:I, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o}", "version", PACKAGE_VERSION, "pid",
			 (json_int_t)getpid(), "uptime", (double)(boot_ns() - a->start_ns) / 1e9, "cpu_seconds",
			 (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
			 (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
			 "memory_bytes", memory_bytes(), "memory", memory_json(a), "store", store_json(a),
			 "lost_events", lost_events(a), "counters", counters_json(a), "sources", resource_sources(a->services.catalog),
			 "instrumentations", resource_instrumentations(a->services.catalog, now), "enabled",
			 !catalog_is_off(a->services.catalog), "always", listed_json(a), "webhooks", webhooks_json(a->webhooks), "reports", reports_json(a->reports),
			 "otlp", otlp_push_json(a->otlp));
}

/* ---- the same for /metrics ---- */

static double cpu_seconds(void)
{
	struct rusage used = { 0 };

	getrusage(RUSAGE_SELF, &used);
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static void put_version(struct exposition *e)
{
	static const struct exposition_family family = { EXPOSITION_GAUGE, "heatscope.build_info", "", "The version of heatscoped, as a label", NULL };
	const struct exposition_series version = { 1, { "version" }, { PACKAGE_VERSION }, 0 };

	exposition_family(e, &family);
	exposition_number(e, &version, 1);
}

static void put_requests(const struct aggregator *a, struct exposition *e)
{
	static const struct exposition_family family = { EXPOSITION_COUNTER, "heatscope.http.requests", "", "Requests by the status of the reply", NULL };
	char name[8];
	const struct exposition_series code = { 1, { "code" }, { name }, a->started_ns };

	exposition_family(e, &family);
	for (unsigned status = 0; status < HTTP_STATUSES; status++) {
		unsigned long long n = 0;

		for (int i = 0; i < 2; i++)
			n += a->http[i] ? http_counters(a->http[i])->by_status[status] : 0;
		snprintf(name, sizeof(name), "%u", status);
		if (n)
			exposition_number(e, &code, (double)n);
	}
}

static unsigned connected_sources(const struct aggregator *a)
{
	unsigned n = 0;

	for (const struct source *s = catalog_source_first(a->services.catalog); s; s = s->next)
		n += s->n_links > 0;
	return n;
}

static void put_otlp(const struct aggregator *a, struct exposition *e)
{
	static const struct exposition_family points = { EXPOSITION_COUNTER, "heatscope.otlp.points", "", "Points pushed by OTLP, by what became of them", NULL };
	const struct otlp_counters *c = otlp_push_counters(a->otlp);
	const struct { const char *result; __u64 n; } results[] = {
		{ "sent", c ? c->n_sent : 0 }, { "rejected", c ? c->n_rejected : 0 }, { "dropped", c ? c->n_dropped : 0 },
	};
	const struct {
		struct exposition_family family;
		double value;
	} rows[] = {
		{ { EXPOSITION_COUNTER, "heatscope.otlp.requests", "", "Requests of the push, also those sent again", NULL }, c ? (double)c->n_requests : 0 },
		{ { EXPOSITION_COUNTER, "heatscope.otlp.failed_requests", "", "Requests of the push without success", NULL }, c ? (double)c->n_failed : 0 },
		{ { EXPOSITION_GAUGE, "heatscope.otlp.last_success_timestamp", "seconds", "When a push was accepted last; 0: never", NULL },
		  c ? (double)c->sent_ns / 1e9 : 0 },
		{ { EXPOSITION_GAUGE, "heatscope.otlp.last_failure_timestamp", "seconds", "When a push was given up or rejected last; 0: never", NULL },
		  c ? (double)c->failed_ns / 1e9 : 0 },
	};

	if (!c)
		return;
	exposition_family(e, &points);
	for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++) {
		const struct exposition_series s = { 1, { "result" }, { results[i].result }, a->started_ns };

		exposition_number(e, &s, (double)results[i].n);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		metrics_put(e, &rows[i].family, rows[i].family.type == EXPOSITION_COUNTER ? a->started_ns : 0, rows[i].value);
}

static void put_bus(const struct aggregator *a, struct exposition *e)
{
	json_t *bus = a->bus_ingest ? a->bus->json(a->bus_ingest) : NULL, *group = json_object_get(bus, "group");
	const struct {
		struct exposition_family family;
		double value;
	} rows[] = {
		{ { EXPOSITION_GAUGE, "heatscope.bus.connected", "", "1: connected to the bus", NULL }, json_is_true(json_object_get(bus, "connected")) },
		{ { EXPOSITION_COUNTER, "heatscope.bus.messages", "", "Messages of batches that came by the bus", NULL },
		  json_number_value(json_object_get(bus, "messages")) },
		{ { EXPOSITION_COUNTER, "heatscope.bus.again", "", "Of these, had come before", NULL }, json_number_value(json_object_get(bus, "again")) },
		{ { EXPOSITION_COUNTER, "heatscope.bus.refused", "", "Messages that were damaged, or of another source", NULL },
		  json_number_value(json_object_get(bus, "refused")) },
		{ { EXPOSITION_GAUGE, "heatscope.group.leads", "", "1: this heatscoped leads its group", NULL },
		  json_is_true(json_object_get(group, "leads")) },
		{ { EXPOSITION_GAUGE, "heatscope.group.members", "", "Heatscoped that this one sees in its group, with itself", NULL },
		  (double)json_array_size(json_object_get(group, "others")) + 1 },
		{ { EXPOSITION_GAUGE, "heatscope.group.partitions", "", "Partitions of the sources whose batches this heatscoped takes", NULL },
		  (double)json_array_size(json_object_get(group, "partitions")) },
	};

	for (size_t i = 0; bus && i < sizeof(rows) / sizeof(*rows); i++)
		metrics_put(e, &rows[i].family, rows[i].family.type == EXPOSITION_COUNTER ? a->started_ns : 0, rows[i].value);
	json_decref(bus);
}

static void put_shards(const struct aggregator *a, struct exposition *e)
{
	static const struct exposition_family families[] = {
		{ EXPOSITION_GAUGE, "heatscope.store.shard", "bytes", "Size of the database in one of several ClickHouse servers", NULL },
		{ EXPOSITION_GAUGE, "heatscope.store.shard_reachable", "", "1: this server answered the last request", NULL },
	};
	const struct store_queue_counters *f = store_queue_counters(a->services.store_queue);

	for (int i = 0; i < 2 && f->n_shards; i++) {
		exposition_family(e, &families[i]);
		for (size_t j = 0; j < f->n_shards; j++) {
			const struct exposition_series s = { 1, { "shard" }, { f->shard[j].address }, 0 };

			exposition_number(e, &s, i ? !f->shard[j].is_away : (double)f->shard[j].bytes);
		}
	}
}

void status_metrics(const struct aggregator *a, struct exposition *e)
{
	static const struct ingest_counters none;
	const struct store_queue_counters *store = store_queue_counters(a->services.store_queue);
	const struct ingest_counters *in = a->intake ? intake_counters(a->intake) : &none;
	const struct {
		struct exposition_family family;
		double value;
	} rows[] = {
		{ { EXPOSITION_GAUGE, "heatscope.connected_sources", "", "Collectors that are connected", NULL }, connected_sources(a) },
		{ { EXPOSITION_COUNTER, "heatscope.ingest.lost_events", "", "Events of batches that did not fit", NULL }, (double)in->lost_events },
		{ { EXPOSITION_COUNTER, "heatscope.ingest.connections", "", "Connections of collectors", NULL }, (double)in->connections },
		{ { EXPOSITION_COUNTER, "heatscope.ingest.batches", "", "Batches that came", NULL }, (double)in->batches },
		{ { EXPOSITION_COUNTER, "heatscope.ingest.errors", "", "Connections closed because of what they sent", NULL }, (double)in->errors },
		{ { EXPOSITION_COUNTER, "heatscope.store.events", "", "Events stored", NULL }, (double)store->events },
		{ { EXPOSITION_COUNTER, "heatscope.store.duplicates", "", "Batches that had come before", NULL }, (double)store->duplicates },
		{ { EXPOSITION_COUNTER, "heatscope.store.commits", "", "Transactions of the store", NULL }, (double)store->commits },
		{ { EXPOSITION_COUNTER, "heatscope.store.failed_commits", "", "Transactions that failed", NULL }, (double)store->failed_commits },
		{ { EXPOSITION_GAUGE, "heatscope.store", "bytes", "Size of the database", NULL }, (double)store_bytes(a) },
		{ { EXPOSITION_COUNTER, "process.cpu", "seconds", "CPU time of heatscoped", NULL }, cpu_seconds() },
		{ { EXPOSITION_GAUGE, "process.resident_memory", "bytes", "Memory of heatscoped", NULL }, (double)memory_bytes() },
		{ { EXPOSITION_GAUGE, "process.start_time", "seconds", "When heatscoped started, since 1970", NULL }, (double)a->started_ns / 1e9 },
	};

	put_version(e);
	put_requests(a, e);
	put_otlp(a, e);
	put_bus(a, e);
	put_shards(a, e);
	source_metrics_write(a->services.catalog, a->started_ns, now_ns(), e);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		metrics_put(e, &rows[i].family, rows[i].family.type == EXPOSITION_COUNTER ? a->started_ns : 0, rows[i].value);
}
