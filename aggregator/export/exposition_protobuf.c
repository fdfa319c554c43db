/* A family is written in pieces: its name, then each metric as a family that has only this metric.  Joined, such messages are one
 * (Protocol Buffers, "Encoding": fields that repeat are appended). */
#include "aggregator/export/exposition.h"
#include "aggregator/export/metrics.pb-c.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef Io__Prometheus__Client__MetricFamily family;
typedef Io__Prometheus__Client__Metric metric;
typedef Io__Prometheus__Client__LabelPair label_pair;
typedef Io__Prometheus__Client__Histogram histogram;
typedef Io__Prometheus__Client__Bucket bucket;
typedef Io__Prometheus__Client__BucketSpan bucket_span;
typedef Io__Prometheus__Client__Timestamp timestamp;

#define LABELS_MAX (KEY_FIELDS_MAX + 2)

static void put_piece(struct exposition *e, const family *f)
{
	size_t len = io__prometheus__client__metric_family__get_packed_size(f);
	__u8 *data = malloc(len + 1);

	if (!data) {
		e->out.err = -ENOMEM;
		return;
	}
	io__prometheus__client__metric_family__pack(f, data);
	bytes_put(&e->family, data, len);
	free(data);
}

static void protobuf_family(struct exposition *e, const struct exposition_family *head)
{
	static const Io__Prometheus__Client__MetricType types[] = {
		IO__PROMETHEUS__CLIENT__METRIC_TYPE__COUNTER, IO__PROMETHEUS__CLIENT__METRIC_TYPE__GAUGE,
		IO__PROMETHEUS__CLIENT__METRIC_TYPE__HISTOGRAM,
	};
	family f = IO__PROMETHEUS__CLIENT__METRIC_FAMILY__INIT;

	f.name = e->name;
	f.help = (char *)head->help;
	f.has_type = true;
	f.type = types[e->type];
	put_piece(e, &f);
}

static void protobuf_end(struct exposition *e)
{
	if (e->family.err)
		e->out.err = e->family.err;
	if (!e->family.len)
		return;
	bytes_put_varint(&e->out, e->family.len);
	bytes_put(&e->out, e->family.data, e->family.len);
	bytes_clear(&e->family);
}

static void put_metric(struct exposition *e, const struct exposition_series *s, metric *m)
{
	family f = IO__PROMETHEUS__CLIENT__METRIC_FAMILY__INIT;
	label_pair pair[LABELS_MAX], *pairs[LABELS_MAX];

	for (size_t i = 0; i < s->n; i++) {
		io__prometheus__client__label_pair__init(&pair[i]);
		pair[i].name = (char *)s->name[i];
		pair[i].value = (char *)s->value[i];
		pairs[i] = &pair[i];
	}
	m->n_label = s->n;
	m->label = pairs;
	f.n_metric = 1;
	f.metric = &m;
	put_piece(e, &f);
}

/* NULL: it is not known since when it counts. */
static timestamp *fill_timestamp(timestamp *t, __s64 ns)
{
	io__prometheus__client__timestamp__init(t);
	t->has_seconds = t->has_nanos = true;
	t->seconds = ns / 1000000000;
	t->nanos = (int32_t)(ns % 1000000000);
	return ns > 0 ? t : NULL;
}

static void protobuf_number(struct exposition *e, const struct exposition_series *s, double value)
{
	Io__Prometheus__Client__Counter counter = IO__PROMETHEUS__CLIENT__COUNTER__INIT;
	Io__Prometheus__Client__Gauge gauge = IO__PROMETHEUS__CLIENT__GAUGE__INIT;
	metric m = IO__PROMETHEUS__CLIENT__METRIC__INIT;
	timestamp since;

	counter.created_timestamp = fill_timestamp(&since, s->since_ns);
	counter.has_value = gauge.has_value = true;
	counter.value = gauge.value = value;
	if (e->type == EXPOSITION_COUNTER)
		m.counter = &counter;
	else
		m.gauge = &gauge;
	put_metric(e, s, &m);
}

/* ---- histograms ---- */

struct arrays {				/* of a histogram, one array each */
	bucket *bucket, **buckets;
	bucket_span *span, **spans;
	int64_t *delta;
};

static bool arrays_new(struct arrays *p, size_t n_classic, size_t n_native)
{
	*p = (struct arrays){ calloc(n_classic, sizeof(*p->bucket)), calloc(n_classic, sizeof(*p->buckets)),
			     calloc(n_native + 1, sizeof(*p->span)), calloc(n_native + 1, sizeof(*p->spans)),
			     calloc(n_native + 1, sizeof(*p->delta)) };
	return p->bucket && p->buckets && p->span && p->spans && p->delta;
}

static void arrays_free(struct arrays *p)
{
	free(p->bucket);
	free(p->buckets);
	free(p->span);
	free(p->spans);
	free(p->delta);
}

static void fill_classic(histogram *out, struct arrays *p, const struct export_histogram *h, double divisor)
{
	__u32 n = ruler_cells(h->classic_ruler);
	__u64 count = 0;

	for (__u32 i = 0; i < n; i++) {
		bucket *b = p->buckets[i] = &p->bucket[i];

		io__prometheus__client__bucket__init(b);
		count += h->classic[i];
		b->has_cumulative_count = b->has_upper_bound = true;
		b->cumulative_count = count;
		b->upper_bound = exposition_edge(h, i, divisor);
	}
	out->n_bucket = n;
	out->bucket = p->buckets;
}

/* Spans are runs of buckets that have events; the first offset is an index, others count the empty buckets between.  The counts
 * are differences, each to the bucket before. */
static void fill_native(histogram *out, struct arrays *p, const struct export_histogram *h)
{
	size_t n_spans = 0, n_deltas = 0;
	int next = 0;
	__u64 before = 0;

	for (int i = h->first_bucket; i <= h->last_bucket; i++) {
		__u64 count = h->native[i - h->first_bucket];

		if (!count)
			continue;
		if (!n_spans || i != next) {
			bucket_span *s = p->spans[n_spans] = &p->span[n_spans];

			io__prometheus__client__bucket_span__init(s);
			s->has_offset = s->has_length = true;
			s->offset = n_spans ? i - next : i;
			n_spans++;
		}
		p->span[n_spans - 1].length++;
		p->delta[n_deltas++] = (int64_t)(count - before);
		before = count;
		next = i + 1;
	}
	if (!n_spans) {			/* without events: an empty span says that the histogram is native */
		io__prometheus__client__bucket_span__init(&p->span[0]);
		p->span[0].has_offset = p->span[0].has_length = true;
		p->spans[n_spans++] = &p->span[0];
	}
	out->n_positive_span = n_spans;
	out->positive_span = p->spans;
	out->n_positive_delta = n_deltas;
	out->positive_delta = p->delta;
}

static void protobuf_histogram(struct exposition *e, const struct exposition_series *s, const struct export_histogram *h, double divisor,
			       unsigned schema)
{
	histogram out = IO__PROMETHEUS__CLIENT__HISTOGRAM__INIT;
	metric m = IO__PROMETHEUS__CLIENT__METRIC__INIT;
	timestamp since;
	struct arrays p;

	if (!arrays_new(&p, ruler_cells(h->classic_ruler), (size_t)(h->last_bucket - h->first_bucket + 1))) {
		e->out.err = -ENOMEM;
		arrays_free(&p);
		return;
	}
	out.has_sample_count = out.has_sample_sum = out.has_schema = out.has_zero_threshold = out.has_zero_count = true;
	out.sample_count = h->count;
	out.sample_sum = (double)h->sum / divisor;
	out.schema = (int32_t)schema;
	out.created_timestamp = fill_timestamp(&since, s->since_ns);
	fill_classic(&out, &p, h, divisor);
	fill_native(&out, &p, h);
	m.histogram = &out;
	put_metric(e, s, &m);
	arrays_free(&p);
}

const struct exposition_format exposition_protobuf = { protobuf_family, protobuf_number, protobuf_histogram, protobuf_end };
