#include "aggregator/export/exposition.h"
#include "aggregator/export/metrics.pb-c.h"
#include "test/kit/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef Io__Prometheus__Client__MetricFamily family;
typedef Io__Prometheus__Client__Histogram histogram;

#define N_NATIVE 24

/* Octaves from 2^10 to 2^13 ns, and native buckets of which some are empty. */
static __u64 classic[5] = { 1, 0, 2, 3, 4 };
static __u64 native[N_NATIVE] = { [0] = 1, [5] = 2, [6] = 3, [N_NATIVE - 1] = 4 };
static const struct export_histogram example = { .count = 10, .sum = 12345, .native = native, .first_bucket = -159,
						 .last_bucket = -159 + N_NATIVE - 1, .classic = classic,
						 .classic_ruler = RULER(UNIT_NS, 0, 10, 13) };

static const struct exposition_series labels = { 2, { "instrumentation", "digest" }, { "queries", "select \"a\\b\"\nfrom t" }, 1700000000500000000 };
static const struct exposition_series none = { 0 };
static const struct exposition_family x = { EXPOSITION_HISTOGRAM, "heatscope.x", "seconds", "time\nof x", "mysql" };
static const struct exposition_family n = { EXPOSITION_COUNTER, "heatscope.n", "", "n", NULL };

static void write_all(struct exposition *e)
{
	exposition_family(e, &x);
	exposition_histogram(e, &labels, &example, 1e9, 3);
	exposition_family(e, &n);
	exposition_number(e, &labels, 0.1);
	exposition_number(e, &none, 1e15 + 1);
}

TEST(the_text_is_that_of_prometheus)
{
	struct exposition e;
	size_t len;
	char *text;

	exposition_begin(&e, &exposition_text, NULL);
	write_all(&e);
	text = exposition_end(&e, &len);
	assert_non_null(text);
	text = realloc(text, len + 1);
	text[len] = '\0';
#define LABELS "{instrumentation=\"queries\",digest=\"select \\\"a\\\\b\\\"\\nfrom t\""
	assert_string_equal(text,
		"# HELP heatscope_x_seconds time\\nof x\n# TYPE heatscope_x_seconds histogram\n"
		"heatscope_x_seconds_bucket" LABELS ",le=\"1.023e-06\"} 1\n"
		"heatscope_x_seconds_bucket" LABELS ",le=\"2.047e-06\"} 1\n"
		"heatscope_x_seconds_bucket" LABELS ",le=\"4.095e-06\"} 3\n"
		"heatscope_x_seconds_bucket" LABELS ",le=\"8.191e-06\"} 6\n"
		"heatscope_x_seconds_bucket" LABELS ",le=\"+Inf\"} 10\n"
		"heatscope_x_seconds_sum" LABELS "} 1.2345e-05\n"
		"heatscope_x_seconds_count" LABELS "} 10\n"
		"# HELP heatscope_n_total n\n# TYPE heatscope_n_total counter\n"
		"heatscope_n_total" LABELS "} 0.1\n"
		"heatscope_n_total 1000000000000001\n");
	free(text);
}

/* The next message, after its length. */
static family *next_family(const __u8 *data, size_t len, size_t *at)
{
	struct cursor c = { data, len, *at, 0 };
	size_t n = cursor_get_varint(&c);
	family *f = io__prometheus__client__metric_family__unpack(NULL, n, data + c.at);

	assert_int_equal(c.err, 0);
	assert_non_null(f);
	*at = c.at + n;
	return f;
}

/* Spans and differences give the buckets back. */
static void assert_native(const histogram *h)
{
	__u64 count[N_NATIVE] = { 0 };
	size_t delta = 0;
	int index = 0;
	int64_t value = 0;

	for (size_t s = 0; s < h->n_positive_span; s++) {
		index += h->positive_span[s]->offset;
		for (unsigned i = 0; i < h->positive_span[s]->length; i++)
			count[index++ - example.first_bucket] = (__u64)(value += h->positive_delta[delta++]);
	}
	assert_int_equal(delta, h->n_positive_delta);
	assert_memory_equal(count, native, sizeof(count));
}

TEST(the_protobuf_has_the_same_and_native_buckets)
{
	struct exposition e;
	size_t len, at = 0;
	__u8 *data;
	family *f;
	histogram *h;

	exposition_begin(&e, &exposition_protobuf, NULL);
	write_all(&e);
	data = exposition_end(&e, &len);
	f = next_family(data, len, &at);
	assert_string_equal(f->name, "heatscope_x_seconds");
	assert_string_equal(f->help, "time\nof x");
	assert_int_equal(f->type, IO__PROMETHEUS__CLIENT__METRIC_TYPE__HISTOGRAM);
	assert_int_equal(f->n_metric, 1);
	assert_int_equal(f->metric[0]->n_label, 2);
	assert_string_equal(f->metric[0]->label[1]->name, "digest");
	assert_string_equal(f->metric[0]->label[1]->value, labels.value[1]);
	h = f->metric[0]->histogram;
	assert_int_equal(h->sample_count, 10);
	assert_true(h->sample_sum == 12345 / 1e9);
	assert_int_equal(h->schema, 3);
	assert_int_equal(h->zero_count, 0);
	assert_int_equal(h->created_timestamp->seconds, 1700000000);
	assert_int_equal(h->created_timestamp->nanos, 500000000);
	assert_native(h);
	assert_int_equal(h->n_bucket, 5);
	assert_int_equal(h->bucket[2]->cumulative_count, 3);
	assert_true(h->bucket[2]->upper_bound == 4095 / 1e9 && isinf(h->bucket[4]->upper_bound));
	io__prometheus__client__metric_family__free_unpacked(f, NULL);

	f = next_family(data, len, &at);
	assert_string_equal(f->name, "heatscope_n_total");
	assert_int_equal(f->type, IO__PROMETHEUS__CLIENT__METRIC_TYPE__COUNTER);
	assert_int_equal(f->n_metric, 2);
	assert_true(f->metric[0]->counter->value == 0.1 && f->metric[1]->counter->value == 1e15 + 1);
	assert_int_equal(f->metric[1]->n_label, 0);
	assert_int_equal(f->metric[0]->counter->created_timestamp->seconds, 1700000000);
	assert_null(f->metric[1]->counter->created_timestamp);
	io__prometheus__client__metric_family__free_unpacked(f, NULL);
	assert_int_equal(at, len);
	free(data);
}

TEST(a_histogram_without_events_says_that_it_is_native)
{
	__u64 zeros[N_NATIVE] = { 0 };
	struct export_histogram empty = example;
	struct exposition e;
	size_t len, at = 0;
	__u8 *data;
	family *f;

	empty.native = empty.classic = zeros;
	empty.count = empty.sum = 0;
	exposition_begin(&e, &exposition_protobuf, NULL);
	exposition_family(&e, &x);
	exposition_histogram(&e, &none, &empty, 1, 3);
	data = exposition_end(&e, &len);
	f = next_family(data, len, &at);
	assert_int_equal(f->metric[0]->histogram->n_positive_span, 1);
	assert_int_equal(f->metric[0]->histogram->positive_span[0]->length, 0);
	io__prometheus__client__metric_family__free_unpacked(f, NULL);
	free(data);
}

TEST_MAIN()
