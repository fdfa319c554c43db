#include "aggregator/export/otlp_message.h"

#include "aggregator/base/writer.h"

static void put_long(struct bytes *out, __u64 n)
{
	writer_raw(out, "\"");
	writer_number(out, n);
	writer_raw(out, "\"");
}

static void put_name_long(struct bytes *out, const char *name, __u64 n)
{
	writer_name(out, name);
	put_long(out, n);
}

static void put_name_int(struct bytes *out, const char *name, int n)
{
	writer_name(out, name);
	if (n < 0)
		writer_raw(out, "-");
	writer_number(out, n < 0 ? -(__u64)n : (__u64)n);
}

static void put_attributes(struct bytes *out, size_t n, Otlp__KeyValue *const *list)
{
	writer_open(out, "attributes", "[");
	for (size_t i = 0; i < n; i++) {
		writer_open(out, NULL, "{");
		writer_name_text(out, "key", list[i]->key);
		writer_open(out, "value", "{");
		writer_name_text(out, "stringValue", list[i]->value->string_value);
		writer_raw(out, "}}");
	}
	writer_raw(out, "]");
}

static void put_numbers(struct bytes *out, size_t n, Otlp__NumberDataPoint *const *list)
{
	writer_open(out, "dataPoints", "[");
	for (size_t i = 0; i < n; i++) {
		const Otlp__NumberDataPoint *d = list[i];

		writer_open(out, NULL, "{");
		put_attributes(out, d->n_attributes, d->attributes);
		if (d->has_start_time_unix_nano)
			put_name_long(out, "startTimeUnixNano", d->start_time_unix_nano);
		put_name_long(out, "timeUnixNano", d->time_unix_nano);
		writer_name_real(out, "asDouble", d->as_double);
		writer_raw(out, "}");
	}
	writer_raw(out, "]");
}

static void put_buckets(struct bytes *out, const Otlp__Buckets *b)
{
	writer_open(out, "positive", "{");
	put_name_int(out, "offset", b->offset);
	writer_open(out, "bucketCounts", "[");
	for (size_t i = 0; i < b->n_bucket_counts; i++) {
		writer_comma(out);
		put_long(out, b->bucket_counts[i]);
	}
	writer_raw(out, "]}");
}

static void put_histograms(struct bytes *out, const Otlp__ExponentialHistogram *h)
{
	writer_open(out, "dataPoints", "[");
	for (size_t i = 0; i < h->n_data_points; i++) {
		const Otlp__ExponentialHistogramDataPoint *d = h->data_points[i];

		writer_open(out, NULL, "{");
		put_attributes(out, d->n_attributes, d->attributes);
		if (d->has_start_time_unix_nano)
			put_name_long(out, "startTimeUnixNano", d->start_time_unix_nano);
		put_name_long(out, "timeUnixNano", d->time_unix_nano);
		put_name_long(out, "count", d->count);
		writer_name_real(out, "sum", d->sum);
		put_name_int(out, "scale", d->scale);
		put_name_long(out, "zeroCount", d->zero_count);
		put_buckets(out, d->positive);
		writer_raw(out, "}");
	}
	writer_raw(out, "]");
}

static void put_metric(struct bytes *out, const Otlp__Metric *m)
{
	writer_open(out, NULL, "{");
	writer_name_text(out, "name", m->name);
	writer_name_text(out, "description", m->description);
	writer_name_text(out, "unit", m->unit);
	writer_open(out, m->gauge ? "gauge" : m->sum ? "sum" : "exponentialHistogram", "{");
	if (m->gauge) {
		put_numbers(out, m->gauge->n_data_points, m->gauge->data_points);
	} else if (m->sum) {
		put_numbers(out, m->sum->n_data_points, m->sum->data_points);
		put_name_int(out, "aggregationTemporality", (int)m->sum->aggregation_temporality);
		writer_name_flag(out, "isMonotonic", m->sum->is_monotonic);
	} else {
		put_histograms(out, m->exponential_histogram);
		put_name_int(out, "aggregationTemporality", (int)m->exponential_histogram->aggregation_temporality);
	}
	writer_raw(out, "}}");
}

static void put_scope(struct bytes *out, const Otlp__ScopeMetrics *s)
{
	writer_open(out, NULL, "{");
	writer_open(out, "scope", "{");
	writer_name_text(out, "name", s->scope->name);
	writer_name_text(out, "version", s->scope->version);
	writer_raw(out, "}");
	writer_open(out, "metrics", "[");
	for (size_t i = 0; i < s->n_metrics; i++)
		put_metric(out, s->metrics[i]);
	writer_raw(out, "]}");
}

void otlp_json_write(const Otlp__ExportRequest *request, struct bytes *out)
{
	writer_raw(out, "{\"resourceMetrics\":[");
	for (size_t i = 0; i < request->n_resource_metrics; i++) {
		const Otlp__ResourceMetrics *r = request->resource_metrics[i];

		writer_open(out, NULL, "{");
		writer_open(out, "resource", "{");
		put_attributes(out, r->resource->n_attributes, r->resource->attributes);
		writer_raw(out, "}");
		writer_open(out, "scopeMetrics", "[");
		for (size_t s = 0; s < r->n_scope_metrics; s++)
			put_scope(out, r->scope_metrics[s]);
		writer_raw(out, "]}");
	}
	writer_raw(out, "]}");
}
