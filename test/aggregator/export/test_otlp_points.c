#include "aggregator/export/otlp_message.h"
#include "aggregator/export/otlp_points.h"
#include "test/kit/check.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_NATIVE 40
#define S 1000000000ll

/* A histogram that grows: values go to random buckets. */
struct growing {
	__u64 native[N_NATIVE], classic[2];
	struct export_histogram h;
};

static void grow(struct growing *g, unsigned n)
{
	g->h = (struct export_histogram){ .count = g->h.count, .sum = g->h.sum, .native = g->native, .first_bucket = -100,
					  .last_bucket = -100 + N_NATIVE - 1, .classic = g->classic, .classic_ruler = RULER(UNIT_NS, 0, 10, 10) };
	while (n--) {
		g->native[check_below(N_NATIVE)]++;
		g->h.count++;
		g->h.sum += check_below(1000000);
	}
}

static const struct otlp_resource sender = { "db1", "here" };
static const struct exposition_family latency = { EXPOSITION_HISTOGRAM, "heatscope.mysql.queries.latency", "seconds", "the latency", "mysql" };
static const struct exposition_family lost = { EXPOSITION_COUNTER, "heatscope.lost_events", "", "lost", NULL };
static const struct exposition_family store = { EXPOSITION_GAUGE, "heatscope.store", "bytes", "size", NULL };

/* Two histograms that say `command`, a counter and a gauge. */
static struct otlp_points *collect(__s64 time_ns, const struct growing *a, const struct growing *b, double n_lost)
{
	const struct exposition_series query = { 2, { "instrumentation", "command" }, { "q\"1\"", "query" }, 5 * S };
	const struct exposition_series ping = { 2, { "instrumentation", "command" }, { "q\"1\"", "ping" }, 6 * S };
	const struct exposition_series own = { .since_ns = 4 * S };
	struct otlp_points *p;
	struct exposition e;
	size_t len;

	assert_int_equal(otlp_points_new(&sender, time_ns, &p), 0);
	exposition_begin(&e, &otlp_points_format, p);
	exposition_family(&e, &latency);
	exposition_histogram(&e, &query, &a->h, 1e9, 3);
	if (b)
		exposition_histogram(&e, &ping, &b->h, 1e9, 3);
	exposition_family(&e, &lost);
	exposition_number(&e, &own, n_lost);
	exposition_family(&e, &store);
	exposition_number(&e, &own, 12345);
	free(exposition_end(&e, &len));
	assert_int_equal(otlp_points_error(p), 0);
	return p;
}

static Otlp__ExportRequest *decode(const struct otlp_points *p)
{
	struct bytes out = { 0 };
	Otlp__ExportRequest *r;

	otlp_points_protobuf(p, &out);
	assert_int_equal(out.err, 0);
	r = otlp__export_request__unpack(NULL, out.len, out.data);
	assert_non_null(r);
	bytes_fini(&out);
	return r;
}

static const char *attribute(size_t n, Otlp__KeyValue *const *list, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i]->key, key))
			return list[i]->value->string_value;
	return NULL;
}

static const Otlp__Metric *metric_of(const Otlp__ExportRequest *r, const char *name)
{
	for (size_t i = 0; i < r->n_resource_metrics; i++) {
		const Otlp__ScopeMetrics *s = r->resource_metrics[i]->scope_metrics[0];

		for (size_t m = 0; m < s->n_metrics; m++)
			if (!strcmp(s->metrics[m]->name, name))
				return s->metrics[m];
	}
	return NULL;
}

static const Otlp__ExponentialHistogramDataPoint *point_of(const Otlp__ExportRequest *r, const char *command)
{
	const Otlp__Metric *m = metric_of(r, latency.name);
	const Otlp__ExponentialHistogram *h = m ? m->exponential_histogram : NULL;

	for (size_t i = 0; h && i < h->n_data_points; i++)
		if (!strcmp(attribute(h->data_points[i]->n_attributes, h->data_points[i]->attributes, "command"), command))
			return h->data_points[i];
	return NULL;
}

/* Bucket i of OTLP is native bucket i + 1. */
static void assert_same_buckets(const Otlp__ExponentialHistogramDataPoint *d, const struct growing *g)
{
	__u64 count[N_NATIVE] = { 0 }, total = 0;

	for (size_t i = 0; i < d->positive->n_bucket_counts; i++) {
		count[d->positive->offset + 1 + (int)i - g->h.first_bucket] = d->positive->bucket_counts[i];
		total += d->positive->bucket_counts[i];
	}
	assert_memory_equal(count, g->native, sizeof(count));
	assert_int_equal(total, d->count);
}

TEST(a_message_has_the_histograms_counters_and_gauges)
{
	struct growing a = { 0 }, b = { 0 };
	struct otlp_points *p;
	Otlp__ExportRequest *r;
	const Otlp__ExponentialHistogramDataPoint *d;
	const Otlp__Metric *m;

	grow(&a, 100);
	grow(&b, 3);
	p = collect(10 * S, &a, &b, 7);
	assert_int_equal(otlp_points_count(p), 4);
	r = decode(p);
	d = point_of(r, "query");
	assert_int_equal(d->count, 100);
	assert_true(d->sum == (double)a.h.sum / 1e9);
	assert_int_equal(d->scale, 3);
	assert_int_equal(d->zero_count, 0);
	assert_int_equal(d->start_time_unix_nano, 5 * S);
	assert_int_equal(d->time_unix_nano, 10 * S);
	assert_string_equal(attribute(d->n_attributes, d->attributes, "instrumentation"), "q\"1\"");
	assert_same_buckets(d, &a);
	assert_same_buckets(point_of(r, "ping"), &b);
	m = metric_of(r, latency.name);
	assert_string_equal(m->unit, "s");
	assert_string_equal(m->description, "the latency");
	assert_int_equal(m->exponential_histogram->aggregation_temporality, OTLP__AGGREGATION_TEMPORALITY__CUMULATIVE);
	m = metric_of(r, lost.name);
	assert_true(m->sum->is_monotonic && m->sum->data_points[0]->as_double == 7);
	assert_int_equal(m->sum->data_points[0]->start_time_unix_nano, 4 * S);
	m = metric_of(r, store.name);
	assert_string_equal(m->unit, "By");
	assert_true(m->gauge->data_points[0]->as_double == 12345);
	assert_false(m->gauge->data_points[0]->has_start_time_unix_nano);
	otlp__export_request__free_unpacked(r, NULL);
	otlp_points_free(p);
}

TEST(a_database_and_heatscoped_are_resources_with_an_instance_each)
{
	struct growing a = { 0 };
	struct otlp_points *p;
	Otlp__ExportRequest *r;
	const Otlp__Resource *db, *own;

	grow(&a, 1);
	p = collect(10 * S, &a, NULL, 7);
	r = decode(p);
	assert_int_equal(r->n_resource_metrics, 2);
	db = r->resource_metrics[0]->resource;
	own = r->resource_metrics[1]->resource;
	assert_string_equal(attribute(db->n_attributes, db->attributes, "db.system.name"), "mysql");
	assert_string_equal(attribute(db->n_attributes, db->attributes, "service.instance.id"), "here/mysql");
	assert_null(attribute(own->n_attributes, own->attributes, "db.system.name"));
	assert_string_equal(attribute(own->n_attributes, own->attributes, "service.instance.id"), "here");
	assert_string_equal(attribute(own->n_attributes, own->attributes, "service.name"), "heatscope");
	assert_string_equal(attribute(own->n_attributes, own->attributes, "host.name"), "db1");
	otlp__export_request__free_unpacked(r, NULL);
	otlp_points_free(p);
}

TEST(deltas_add_up_to_the_cumulative_histogram)
{
	struct growing a = { 0 }, sum = { 0 };
	struct otlp_points *before = NULL;
	double seconds = 0, n_lost = 0;

	grow(&sum, 0);
	for (unsigned i = 0; i < 50; i++) {
		struct otlp_points *cumulative, *delta;
		const Otlp__ExponentialHistogramDataPoint *d;
		const Otlp__Metric *m;
		Otlp__ExportRequest *r;

		grow(&a, check_below(20));
		cumulative = collect((10 + i) * S, &a, NULL, i);
		delta = collect((10 + i) * S, &a, NULL, i);
		assert_int_equal(otlp_points_subtract(delta, before), 0);
		r = decode(delta);
		d = point_of(r, "query");
		m = metric_of(r, lost.name);
		for (size_t k = 0; d && k < d->positive->n_bucket_counts; k++)
			sum.native[d->positive->offset + 1 + (int)k - a.h.first_bucket] += d->positive->bucket_counts[k];
		sum.h.count += d ? d->count : 0;
		seconds += d ? d->sum : 0;
		n_lost += m ? m->sum->data_points[0]->as_double : 0;
		if (d) {
			assert_int_equal(metric_of(r, latency.name)->exponential_histogram->aggregation_temporality, OTLP__AGGREGATION_TEMPORALITY__DELTA);
			assert_int_equal(d->start_time_unix_nano, i ? (9 + i) * S : 5 * S);
			assert_true(d->count > 0);
		}
		otlp__export_request__free_unpacked(r, NULL);
		otlp_points_free(delta);
		otlp_points_free(before);
		before = cumulative;
	}
	otlp_points_free(before);
	assert_memory_equal(sum.native, a.native, sizeof(a.native));
	assert_int_equal(sum.h.count, a.h.count);
	assert_true(fabs(seconds - (double)a.h.sum / 1e9) < 1e-12);
	assert_true(n_lost == 49);
}

TEST(a_series_that_is_new_or_began_again_has_all_of_it_in_a_delta)
{
	struct growing a = { 0 }, b = { 0 }, less = { 0 };
	struct otlp_points *before, *p;
	Otlp__ExportRequest *r;

	grow(&a, 10);
	grow(&b, 4);
	grow(&less, 3);
	before = collect(8 * S, &a, NULL, 7);
	p = collect(10 * S, &less, &b, 7);
	assert_int_equal(otlp_points_subtract(p, before), 0);
	r = decode(p);
	assert_int_equal(point_of(r, "query")->count, 3);
	assert_int_equal(point_of(r, "ping")->count, 4);
	assert_int_equal(point_of(r, "ping")->start_time_unix_nano, 8 * S);	/* it was not there before */
	assert_null(metric_of(r, lost.name));			/* nothing has changed */
	assert_non_null(metric_of(r, store.name));
	assert_int_equal(otlp_points_count(p), 3);
	otlp__export_request__free_unpacked(r, NULL);
	otlp_points_free(p);
	otlp_points_free(before);
}

/* ---- JSON ---- */

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	assert_non_null(text);
	return text;
}

/* A 64-bit integer, which must be a text. */
static __u64 long_of(const json_t *object, const char *name) { return strtoull(text_of(object, name), NULL, 10); }

static void assert_same_attributes(const json_t *owner, size_t n, Otlp__KeyValue *const *list)
{
	const json_t *all = json_object_get(owner, "attributes"), *one;
	size_t i;

	assert_int_equal(json_array_size(all), n);
	json_array_foreach(all, i, one) {
		assert_string_equal(text_of(one, "key"), list[i]->key);
		assert_string_equal(text_of(json_object_get(one, "value"), "stringValue"), list[i]->value->string_value);
	}
}

static void assert_same_number(const json_t *j, const Otlp__NumberDataPoint *d)
{
	assert_same_attributes(j, d->n_attributes, d->attributes);
	assert_int_equal(long_of(j, "timeUnixNano"), d->time_unix_nano);
	if (d->has_start_time_unix_nano)
		assert_int_equal(long_of(j, "startTimeUnixNano"), d->start_time_unix_nano);
	assert_true(json_number_value(json_object_get(j, "asDouble")) == d->as_double);
}

static void assert_same_histogram(const json_t *j, const Otlp__ExponentialHistogramDataPoint *d)
{
	const json_t *positive = json_object_get(j, "positive"), *counts = json_object_get(positive, "bucketCounts");

	assert_same_attributes(j, d->n_attributes, d->attributes);
	assert_int_equal(long_of(j, "timeUnixNano"), d->time_unix_nano);
	assert_int_equal(long_of(j, "startTimeUnixNano"), d->start_time_unix_nano);
	assert_int_equal(long_of(j, "count"), d->count);
	assert_int_equal(long_of(j, "zeroCount"), d->zero_count);
	assert_true(json_number_value(json_object_get(j, "sum")) == d->sum);
	assert_int_equal(json_integer_value(json_object_get(j, "scale")), d->scale);
	assert_int_equal(json_integer_value(json_object_get(positive, "offset")), d->positive->offset);
	assert_int_equal(json_array_size(counts), d->positive->n_bucket_counts);
	for (size_t i = 0; i < d->positive->n_bucket_counts; i++)
		assert_int_equal(strtoull(json_string_value(json_array_get(counts, i)), NULL, 10), d->positive->bucket_counts[i]);
}

static void assert_same_metric(const json_t *j, const Otlp__Metric *m)
{
	const json_t *kind = json_object_get(j, m->gauge ? "gauge" : m->sum ? "sum" : "exponentialHistogram");
	const json_t *points = json_object_get(kind, "dataPoints"), *one;
	size_t i;

	assert_string_equal(text_of(j, "name"), m->name);
	assert_string_equal(text_of(j, "description"), m->description);
	assert_string_equal(text_of(j, "unit"), m->unit);
	json_array_foreach(points, i, one)
		if (m->exponential_histogram)
			assert_same_histogram(one, m->exponential_histogram->data_points[i]);
		else
			assert_same_number(one, m->sum ? m->sum->data_points[i] : m->gauge->data_points[i]);
	assert_int_equal(json_array_size(points), m->gauge ? m->gauge->n_data_points : m->sum ? m->sum->n_data_points
					       : m->exponential_histogram->n_data_points);
	if (m->sum)
		assert_true(json_is_true(json_object_get(kind, "isMonotonic")));
	if (!m->gauge)
		assert_int_equal(json_integer_value(json_object_get(kind, "aggregationTemporality")), OTLP__AGGREGATION_TEMPORALITY__CUMULATIVE);
}

TEST(the_json_says_the_same_as_the_protobuf)
{
	struct growing a = { 0 }, b = { 0 };
	struct bytes out = { 0 };
	struct otlp_points *p;
	Otlp__ExportRequest *r;
	const json_t *resources, *one;
	json_t *all;
	size_t i;

	grow(&a, 500);
	grow(&b, 2);
	p = collect(1795831726911707123, &a, &b, 0.25);
	r = decode(p);
	otlp_points_json(p, &out);
	assert_int_equal(out.err, 0);
	all = json_loadb((char *)out.data, out.len, JSON_REJECT_DUPLICATES, NULL);
	resources = json_object_get(all, "resourceMetrics");
	assert_int_equal(json_array_size(resources), r->n_resource_metrics);
	json_array_foreach(resources, i, one) {
		const Otlp__ResourceMetrics *m = r->resource_metrics[i];
		const json_t *scope = json_array_get(json_object_get(one, "scopeMetrics"), 0), *metrics = json_object_get(scope, "metrics");

		assert_same_attributes(json_object_get(one, "resource"), m->resource->n_attributes, m->resource->attributes);
		assert_string_equal(text_of(json_object_get(scope, "scope"), "name"), "heatscope");
		assert_int_equal(json_array_size(metrics), m->scope_metrics[0]->n_metrics);
		for (size_t k = 0; k < m->scope_metrics[0]->n_metrics; k++)
			assert_same_metric(json_array_get(metrics, k), m->scope_metrics[0]->metrics[k]);
	}
	json_decref(all);
	bytes_fini(&out);
	otlp__export_request__free_unpacked(r, NULL);
	otlp_points_free(p);
}

TEST(a_histogram_without_events_has_no_buckets)
{
	struct growing a = { 0 };
	struct otlp_points *p;
	Otlp__ExportRequest *r;

	grow(&a, 0);
	p = collect(10 * S, &a, NULL, 0);
	r = decode(p);
	assert_int_equal(point_of(r, "query")->count, 0);
	assert_int_equal(point_of(r, "query")->positive->n_bucket_counts, 0);
	otlp__export_request__free_unpacked(r, NULL);
	otlp_points_free(p);
}

TEST(thousands_of_series_are_collected)
{
	struct otlp_points *p;
	struct exposition e;
	Otlp__ExportRequest *r;
	size_t len;
	char name[16];

	assert_int_equal(otlp_points_new(&sender, S, &p), 0);
	exposition_begin(&e, &otlp_points_format, p);
	exposition_family(&e, &lost);
	for (unsigned i = 0; i < 5000; i++) {
		const struct exposition_series s = { 1, { "n" }, { name }, 0 };

		snprintf(name, sizeof(name), "%u", i);
		exposition_number(&e, &s, i);
	}
	free(exposition_end(&e, &len));
	assert_int_equal(otlp_points_count(p), 5000);
	r = decode(p);
	for (unsigned i = 0; i < 5000; i++) {
		const Otlp__NumberDataPoint *d = metric_of(r, lost.name)->sum->data_points[i];

		snprintf(name, sizeof(name), "%u", i);
		assert_string_equal(attribute(d->n_attributes, d->attributes, "n"), name);
		assert_true(d->as_double == i);
	}
	otlp__export_request__free_unpacked(r, NULL);
	otlp_points_free(p);
}

TEST_MAIN()
