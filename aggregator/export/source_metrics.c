#include "aggregator/export/source_metrics.h"

#include "collector/core/saturating.h"

#include <stdio.h>
#include <string.h>

struct reading {			/* of a source */
	const struct catalog *catalog;
	const struct source *source;
};

/* ---- values ---- */

static double is_connected(const struct reading *r) { return r->source->n_links > 0; }

/* Of all instrumentations. */
static double lost_of(const struct reading *r)
{
	__u64 n = 0;

	for (const struct catalog_inst *ci = catalog_first(r->catalog); ci; ci = ci->next) {
		const struct sighting *seen = catalog_sighting(ci, r->source->name);

		n = saturating_add(n, seen ? seen->lost : 0);
	}
	return (double)n;
}

static double started_of(const struct reading *r) { return (double)r->source->self.started_ns / 1e9; }
static double cpu_of(const struct reading *r) { return (double)r->source->self.cpu_ns / 1e9; }
static double resident_of(const struct reading *r) { return (double)r->source->self.resident_bytes; }
static double spool_of(const struct reading *r) { return (double)r->source->self.spool_bytes; }
static double in_flight_of(const struct reading *r) { return (double)r->source->self.in_flight; }
static double dropped_batches_of(const struct reading *r) { return (double)r->source->self.dropped_batches; }
static double dropped_events_of(const struct reading *r) { return (double)r->source->self.dropped_events; }
static double programs_of(const struct reading *r) { return (double)r->source->self.n_programs; }
static double maps_of(const struct reading *r) { return (double)r->source->self.map_bytes; }

/* heatscoped counts since its own start, the collector since that of its own; a collector that has not reported has no such row. */
static const struct {
	struct exposition_family family;
	bool is_its_own;
	double (*of)(const struct reading *r);
} rows[] = {
	{ { EXPOSITION_GAUGE, "heatscope.collector.connected", "", "1: the collector is connected", NULL }, false, is_connected },
	{ { EXPOSITION_COUNTER, "heatscope.collector.lost_events", "", "Events that the collector reported as lost", NULL }, false, lost_of },
	{ { EXPOSITION_GAUGE, "heatscope.collector.start_time", "seconds", "When the collector started, since 1970", NULL }, true, started_of },
	{ { EXPOSITION_COUNTER, "heatscope.collector.cpu", "seconds", "CPU time of the collector, without its programs in the kernel", NULL }, true,
	  cpu_of },
	{ { EXPOSITION_GAUGE, "heatscope.collector.resident_memory", "bytes", "Memory of the collector", NULL }, true, resident_of },
	{ { EXPOSITION_GAUGE, "heatscope.collector.spool", "bytes", "Data that wait for heatscoped's acknowledgement", NULL }, true, spool_of },
	{ { EXPOSITION_GAUGE, "heatscope.collector.in_flight_batches", "", "Batches sent and not acknowledged", NULL }, true, in_flight_of },
	{ { EXPOSITION_COUNTER, "heatscope.collector.dropped_batches", "", "Batches dropped because the spool was full", NULL }, true,
	  dropped_batches_of },
	{ { EXPOSITION_COUNTER, "heatscope.collector.dropped_events", "", "Events of these batches", NULL }, true, dropped_events_of },
	{ { EXPOSITION_GAUGE, "heatscope.collector.programs", "", "BPF programs of the collector", NULL }, true, programs_of },
	{ { EXPOSITION_GAUGE, "heatscope.collector.maps", "bytes", "Kernel memory of the collector's BPF maps", NULL }, true, maps_of },
};

/* ---- writing ---- */

static void put_name(const struct source *s, char name[SOURCE_MAX])
{
	snprintf(name, SOURCE_MAX, "%s", s->name);
	exposition_make_valid(name);
}

static void put_row(const struct catalog *catalog, size_t row, __s64 started_ns, struct exposition *e)
{
	size_t n = 0;

	exposition_family(e, &rows[row].family);
	for (const struct source *s = catalog_source_first(catalog); s && n < SOURCE_METRICS_MAX; s = s->next, n++) {
		const struct reading r = { .catalog = catalog, .source = s };
		char name[SOURCE_MAX];
		const struct exposition_series series = { 1, { "source" }, { name }, rows[row].is_its_own ? s->self.started_ns : started_ns };

		put_name(s, name);
		if (!rows[row].is_its_own || s->self.started_ns)
			exposition_number(e, &series, rows[row].of(&r));
	}
}

static void put_states(const struct catalog *catalog, __s64 now_ns, struct exposition *e)
{
	static const struct exposition_family family = { EXPOSITION_GAUGE, "heatscope.collector.instrumentations", "",
		"Instrumentations of the collector by how well it measures them; partial: also those sampled to keep its budget", NULL };
	char reason[REASON_MAX];
	size_t n = 0;

	exposition_family(e, &family);
	for (const struct source *s = catalog_source_first(catalog); s && n < SOURCE_METRICS_MAX; s = s->next, n++) {
		unsigned count[FARE_SUSPENDED + 1] = { 0 };
		char name[SOURCE_MAX];

		put_name(s, name);
		for (const struct catalog_inst *ci = catalog_first(catalog); ci; ci = ci->next)
			count[catalog_fare(ci, s, now_ns, reason)]++;
		for (unsigned fare = FARE_PENDING; fare <= FARE_SUSPENDED; fare++) {
			const struct exposition_series series = { 2, { "source", "state" }, { name, catalog_fare_word((enum fare)fare) }, 0 };

			if (count[fare])
				exposition_number(e, &series, count[fare]);
		}
	}
}

void source_metrics_write(const struct catalog *catalog, __s64 started_ns, __s64 now_ns, struct exposition *e)
{
	static const struct exposition_family left_out = { EXPOSITION_GAUGE, "heatscope.collectors_left_out", "",
		"Collectors beyond the limit, which have no metrics of their own here", NULL };
	static const struct exposition_series none;
	size_t n = 0;

	for (const struct source *s = catalog_source_first(catalog); s; s = s->next)
		n++;
	for (size_t i = 0; n && i < sizeof(rows) / sizeof(*rows); i++)
		put_row(catalog, i, started_ns, e);
	if (n)
		put_states(catalog, now_ns, e);
	exposition_family(e, &left_out);
	exposition_number(e, &none, n > SOURCE_METRICS_MAX ? (double)(n - SOURCE_METRICS_MAX) : 0);
}
