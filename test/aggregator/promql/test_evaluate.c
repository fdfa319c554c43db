#include "aggregator/promql/evaluate.h"
#include "aggregator/promql/parse.h"
#include "aggregator/promql/quantile.h"
#include "aggregator/promql/result.h"
#include "collector/core/metric.h"
#include "test/kit/check.h"

#include <math.h>
#include <errno.h>
#include <stdio.h>

/* ---- leaves: x and y are numbers, h and g are histograms; b has buckets ---- */

static struct series *add(struct matrix *m, bool is_histogram, int schema, const char *name, const char *value, const char *edge)
{
	struct series_labels labels = { 0 };
	struct series *s;

	assert_int_equal(series_labels_add(&labels, name, value), 0);
	assert_int_equal(series_labels_add(&labels, SERIES_EDGE, edge), 0);
	assert_int_equal(matrix_add(m, &labels, is_histogram, schema, &s), 0);
	return s;
}

static void add_number(struct matrix *m, const char *value, const char *edge, double first, double second)
{
	struct series *s = add(m, false, 0, "a", value, edge);

	s->is[0] = !isnan(first);
	s->is[1] = !isnan(second);
	s->value[0] = first;
	s->value[1] = second;
}

/* The same at both points: n in the bucket `first`, 2 n in that after it. */
static void add_histogram(struct matrix *m, const char *value, int schema, int first, double n)
{
	struct series *s = add(m, true, schema, "a", value, "");

	for (int i = 0; i < 2; i++) {
		s->is[i] = true;
		s->histogram[i] = (struct series_histogram){ 3 * n, 30 * n, first, 2, malloc(2 * sizeof(double)) };
		s->histogram[i].bucket[0] = n;
		s->histogram[i].bucket[1] = 2 * n;
	}
}

static int leaf(void *arg, const struct expression *e, struct matrix *out)
{
	const char *name = e->selector.matcher[0].value;

	if (*name == 'x') {
		add_number(out, "1", "", 10, 20);
		add_number(out, "2", "", 5, NAN);
	} else if (*name == 'y') {
		add_number(out, "1", "", 2, 4);
		add_number(out, "3", "", 1, 1);
	} else if (*name == 'b') {
		add_number(out, "1", "0.1", 1, 0);
		add_number(out, "1", "0.2", 3, 0);
		add_number(out, "1", "+Inf", 4, 0);
		add_number(out, "2", "+Inf", 4, 0);
		add_number(out, "2", "0.1", 4, 0);
	} else if (*name == 'h') {
		add_histogram(out, "1", 3, 8, 1);
		add_histogram(out, "2", 2, 4, 10);
	} else if (*name == 'm') {
		add_histogram(out, "1", 3, 8, 1);
		add_number(out, "2", "", 1, 1);
	}
	return 0;
}

static int evaluated(const char *text, struct outcome *o, char *reason)
{
	const struct evaluation of = { 2, leaf, NULL, reason };
	struct expression *e;
	int err;

	if (expression_parse(text, &e, reason))
		fail_msg("%s", reason);
	err = expression_evaluate(&of, e, o);
	expression_free(e);
	return err;
}

static void assert_gives(const char *text, const char *expected)
{
	const struct result_points points = { 1700000000000000000, 500000000, false };
	struct bytes out = { 0 };
	char reason[REASON_MAX] = "", *result, *end;
	struct outcome o;

	if (evaluated(text, &o, reason))
		fail_msg("%s: %s", text, reason);
	result_data(&out, &o, 2, &points);
	bytes_put(&out, "", 1);
	result = strstr((char *)out.data, "\"result\":") + 9;
	end = strrchr(result, '}');
	*end = 0;
	assert_string_equal(result, expected);
	bytes_fini(&out);
	outcome_fini(&o);
}

#define A "{\"metric\":{\"a\":\"1\"},\"values\":["
#define T1 "[1700000000,"
#define T2 "[1700000000.5,"

TEST(numbers_and_series_are_computed_point_by_point)
{
	assert_gives("1+2*3^2", "[{\"metric\":{},\"values\":[" T1 "\"19\"]," T2 "\"19\"]]}]");
	assert_gives("rate(x[1s]) / rate(y[1s])", "[" A T1 "\"5\"]," T2 "\"5\"]]}]");
	assert_gives("10 - rate(y[1s])", "[" A T1 "\"8\"]," T2 "\"6\"]]},{\"metric\":{\"a\":\"3\"},\"values\":[" T1 "\"9\"]," T2 "\"9\"]]}]");
	assert_gives("sum(rate(x[1s]))", "[{\"metric\":{},\"values\":[" T1 "\"15\"]," T2 "\"20\"]]}]");
	assert_gives("sum without (b) (-rate(x[1s]))", "[" A T1 "\"-10\"]," T2 "\"-20\"]]},{\"metric\":{\"a\":\"2\"},\"values\":[" T1 "\"-5\"]]}]");
	assert_gives("rate(none[1s])", "[]");
	assert_gives("rate(y[1s]) / 0", "[" A T1 "\"+Inf\"]," T2 "\"+Inf\"]]},{\"metric\":{\"a\":\"3\"},\"values\":[" T1 "\"+Inf\"]," T2 "\"+Inf\"]]}]");
}

TEST(classic_buckets_give_quantiles)
{
	assert_gives("histogram_quantile(0.5, sum by (a, le) (rate(b[1s])))",
		     "[" A T1 "\"0.15000000000000002\"]," T2 "\"NaN\"]]},{\"metric\":{\"a\":\"2\"},\"values\":[" T1 "\"0.05\"]," T2 "\"NaN\"]]}]");
	assert_gives("histogram_quantile(1, sum by (le) (rate(b[1s])))", "[{\"metric\":{},\"values\":[" T1 "\"0.2\"]," T2 "\"NaN\"]]}]");
	assert_gives("histogram_quantile(2, sum by (le) (rate(b[1s])))", "[{\"metric\":{},\"values\":[" T1 "\"+Inf\"]," T2 "\"NaN\"]]}]");
}

/* Bucket 8 of schema 3 is (2^(7/8), 2]; bucket 4 of schema 2 is (2^(3/4), 2]. */
TEST(native_histograms_add_up_at_the_coarser_schema)
{
	assert_gives("sum(rate(h[1s]))",
		     "[{\"metric\":{},\"histograms\":[" T1 "{\"count\":\"33\",\"sum\":\"330\",\"buckets\":[[0,\"1.681792830507429\",\"2\",\"11\"],"
		     "[0,\"2\",\"2.378414230005442\",\"22\"]]}]," T2
		     "{\"count\":\"33\",\"sum\":\"330\",\"buckets\":[[0,\"1.681792830507429\",\"2\",\"11\"],[0,\"2\",\"2.378414230005442\",\"22\"]]}]]}]");
	assert_gives("histogram_count(sum(rate(h[1s])) / 3)", "[{\"metric\":{},\"values\":[" T1 "\"11\"]," T2 "\"11\"]]}]");
	assert_gives("histogram_sum(2 * sum(rate(h[1s])))", "[{\"metric\":{},\"values\":[" T1 "\"660\"]," T2 "\"660\"]]}]");
	assert_gives("histogram_avg(sum(rate(h[1s])))", "[{\"metric\":{},\"values\":[" T1 "\"10\"]," T2 "\"10\"]]}]");
}

TEST(native_quantiles_are_exponential_within_a_bucket)
{
	double bucket[] = { 1, 0, 2 };
	const struct series_histogram h = { 3, 0, 1, 3, bucket };

	assert_true(fabs(quantile_native(1, &h, 0) - 8) < 1e-12);
	assert_true(fabs(quantile_native(1.0 / 3, &h, 0) - 2) < 1e-12);
	assert_true(fabs(quantile_native(2.0 / 3, &h, 0) - sqrt(32)) < 1e-12);
	assert_true(fabs(quantile_native(0, &h, 0) - 1) < 1e-12);
	assert_true(quantile_native(-1, &h, 0) < -1e300 && quantile_native(1.1, &h, 0) > 1e300 && isnan(quantile_native(NAN, &h, 0)));
}

TEST(mixtures_are_refused)
{
	static const char *const cases[][2] = {
		{ "sum(rate(m[1s]))", "cannot add histograms and numbers" }, { "rate(h[1s]) + 1", "\"+\" of these histograms" },
		{ "1 / rate(h[1s])", "\"/\" of these histograms" }, { "rate(h[1s]) / rate(h[1s])", "\"/\" of these histograms" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char reason[REASON_MAX] = "";
		struct outcome o;

		assert_int_equal(evaluated(cases[i][0], &o, reason), -EINVAL);
		if (!strstr(reason, cases[i][1]))
			fail_msg("%s", reason);
	}
}

TEST(a_coarser_schema_keeps_every_event)
{
	for (unsigned i = 0; i < 500; i++) {
		struct series_histogram sum = { 0 };
		double total = 0, kept = 0;
		int schema = (int)check_below(4);

		for (unsigned k = 0; k < 5; k++) {
			double bucket[40];
			struct series_histogram h = { 0, 0, (int)check_below(400) - 200, 40, bucket };

			for (unsigned b = 0; b < 40; b++)
				total += bucket[b] = (double)check_below(10);
			assert_int_equal(series_histogram_add(&sum, schema, &h, 4, schema), 0);
		}
		for (__u32 b = 0; b < sum.n; b++)
			kept += sum.bucket[b];
		assert_true(kept == total);
		free(sum.bucket);
	}
}

TEST_MAIN()
