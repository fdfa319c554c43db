#include "aggregator/promql/parse.h"
#include "aggregator/promql/window_fold.h"
#include "test/kit/query_kit.h"
#include "test/kit/check.h"

#include <errno.h>
#include <math.h>

#define NAME "heatscope_mysql_queries_latency_seconds"

static const __s64 kept_all[TIERS] = { INT64_MIN, INT64_MIN, INT64_MIN };

static struct window_wish wish_of(const struct instrumentation *in, __s64 start, __s64 step, __s64 range, size_t n_points)
{
	return (struct window_wish){ .in = in, .kept_from = kept_all, .start_ns = start * SLOT, .step_ns = step * SLOT, .range_ns = range * SLOT,
				     .n_points = n_points, .n_series = 1, .reported_ns = INT64_MAX / 2 };
}

/* ---- the plan ---- */

TEST(windows_are_whole_units_where_they_can_be)
{
	static const struct { __s64 start, step, range; size_t n; int tier; __s64 unit_s; bool is_exact; } cases[] = {
		{ T0, 1, 60, 100, 0, 1, true }, { T0 - T0 % 60, 60, 120, 100, 1, 60, true }, { T0 - T0 % 3600, 3600, 7200, 24, 2, 3600, true },
		{ T0 - T0 % 60, 30, 60, 100, 0, 30, true }, { T0 - T0 % 15, 15, 60, 1000, 0, 15, true }, { T0 + 2, 15, 60, 100, 0, 1, true },
		{ T0, 1, 5, 11000, 0, 1, true }, { T0 + 1, 601, 61, 11000, 1, 60, false },
	};
	const struct instrumentation in = kit_instrumentation();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct window_wish w = wish_of(&in, cases[i].start, cases[i].step, cases[i].range, cases[i].n);
		struct window_plan p;

		window_plan_make(&w, &p);
		assert_int_equal(p.tier, cases[i].tier);
		assert_int_equal(p.unit_ns, cases[i].unit_s * SLOT);
		assert_int_equal(p.is_exact, cases[i].is_exact);
		assert_int_equal(window_first(&p, 0), 0);
		assert_int_equal(window_first(&p, w.n_points - 1) + p.window_units, p.n_units);
	}
}

TEST(a_window_ends_at_its_point)
{
	const struct instrumentation in = kit_instrumentation();

	for (unsigned i = 0; i < 1000; i++) {
		struct window_wish w = wish_of(&in, T0 + (__s64)check_below(5000), 1 + (__s64)check_below(100), 1 + (__s64)check_below(200), 1 + check_below(300));
		struct window_plan p;

		w.start_ns += (__s64)check_below(1000) * 1000000;
		window_plan_make(&w, &p);
		assert_true(p.is_exact);
		for (size_t k = 0; k < w.n_points; k++) {
			__s64 t = w.start_ns + (__s64)k * w.step_ns, end = (p.first_unit + (__s64)(window_first(&p, k) + p.window_units)) * p.unit_ns;

			assert_true(end <= t && end > t - SLOT);
			assert_int_equal((__s64)p.window_units * p.unit_ns, w.range_ns);
		}
	}
}

TEST(the_last_points_wait_for_what_is_reported)
{
	const struct instrumentation in = kit_instrumentation();
	struct window_wish w = wish_of(&in, T0, 1, 10, 30);
	struct window_plan p;

	w.reported_ns = (T0 + 5) * SLOT;
	window_plan_make(&w, &p);
	assert_int_equal(window_first(&p, 5), 5);
	assert_int_equal(window_first(&p, 6), 5);
	assert_int_equal(window_first(&p, 20), 5);
	assert_int_equal(window_first(&p, 21), 21);
}

TEST(a_tier_that_still_has_the_time_is_read)
{
	const struct instrumentation in = kit_instrumentation();
	const __s64 kept[TIERS] = { T0, T0 - 100000, INT64_MIN };
	struct window_wish w = wish_of(&in, T0 - 1000, 15, 30, 100);
	struct window_plan p;

	w.kept_from = kept;
	window_plan_make(&w, &p);
	assert_int_equal(p.tier, 1);
	assert_false(p.is_exact);
	assert_int_equal(p.range_ns, 60 * SLOT);
	assert_int_equal(p.asked_ns, 30 * SLOT);
}

/* ---- the fold ---- */

struct folding {
	struct instrumentation in;
	struct window_source source;
	struct expression *e;
	const struct expression *leaf, *sum;
	struct window_plan plan;
	struct window_fold *fold;
	struct matrix matrix;
};

static void begin(struct folding *f, const char *text, enum sample_kind kind, size_t keys_max, __s64 n_points, __s64 step, __s64 range)
{
	char reason[REASON_MAX] = "";
	struct window_wish w;

	*f = (struct folding){ .in = kit_instrumentation(), .matrix = { .n_points = (size_t)n_points } };
	if (expression_parse(text, &f->e, reason))
		fail_msg("%s", reason);
	f->sum = f->e->kind == EXPRESSION_SUM ? f->e : NULL;
	f->leaf = f->sum ? f->sum->child[0] : f->e;
	f->source = (struct window_source){ .in = &f->in, .kind = kind, .divisor = 1e9, .schema = 3, .name = NAME, .instrumentation = "queries", .keys_max = keys_max };
	w = wish_of(&f->in, T0 + range, step, range, (size_t)n_points);
	window_plan_make(&w, &f->plan);
	assert_int_equal(window_fold_new(&f->source, &f->plan, &f->leaf->selector, f->sum, &f->fold), 0);
}

static void finish(struct folding *f)
{
	window_fold_reader(f->fold)->cover(f->fold, "db1", T0, T0 + 99);
	assert_int_equal(window_fold_finish(f->fold, f->leaf->kind == EXPRESSION_RATE, &f->matrix), 0);
}

static void end(struct folding *f)
{
	matrix_fini(&f->matrix);
	window_fold_free(f->fold);
	expression_free(f->e);
}

enum { EVENTS = 2000, SLOTS = 100 };

static void give(struct folding *f, const struct event *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		kit_give(window_fold_reader(f->fold), &e[i], 1, f->in.ruler[0]);
}

/* Each event is in the windows that its slot ends in, whatever the step, the range and the labels that stay. */
TEST(an_increase_is_the_number_of_events_in_the_window)
{
	static const struct { const char *text; size_t n_series; } cases[] = {
		{ "increase(" NAME "[1s])", 8 }, { "sum by (command) (increase(" NAME "[1s]))", 2 }, { "sum(increase(" NAME "[1s]))", 1 }, { "sum without (command) (increase(" NAME "[1s]))", 4 },
	};

	for (unsigned round = 0; round < 40; round++) {
		struct event e[EVENTS];
		struct folding f;
		size_t at = round % 4;
		__s64 range = 1 + (__s64)check_below(30), step = 1 + (__s64)check_below(20);

		kit_events(e, EVENTS, SLOTS);
		begin(&f, cases[at].text, SAMPLE_COUNT, 100, 4, step, range);
		give(&f, e, EVENTS);
		finish(&f);
		assert_int_equal(f.matrix.n, cases[at].n_series);
		for (size_t i = 0; i < 4; i++) {
			__s64 t = T0 + range + (__s64)i * step;
			double n = 0, events = 0;

			for (size_t k = 0; k < f.matrix.n; k++)
				n += f.matrix.series[k].value[i];
			for (size_t k = 0; k < EVENTS; k++)
				events += e[k].slot + 1 <= t && e[k].slot + 1 > t - range;
			assert_true(f.matrix.series[0].is[i]);
			assert_true(n == events);
		}
		end(&f);
	}
}

TEST(histograms_and_buckets_have_every_event)
{
	struct event e[EVENTS];
	struct folding native, classic, sums;
	double sum = 0, rate = 0;

	kit_events(e, EVENTS, SLOTS);
	begin(&native, "sum(rate(" NAME "[100s]))", SAMPLE_HISTOGRAM, 100, 1, 1, SLOTS);
	begin(&classic, "sum by (le) (rate(" NAME "[100s]))", SAMPLE_BUCKETS, 100, 1, 1, SLOTS);
	begin(&sums, "sum(rate(" NAME "[100s]))", SAMPLE_SUM, 100, 1, 1, SLOTS);
	give(&native, e, EVENTS);
	give(&classic, e, EVENTS);
	give(&sums, e, EVENTS);
	finish(&native);
	finish(&classic);
	finish(&sums);
	for (size_t i = 0; i < EVENTS; i++)
		sum += (double)e[i].value / 1e9 / SLOTS;
	for (__u32 i = 0; i < native.matrix.series->histogram->n; i++)
		rate += native.matrix.series->histogram->bucket[i];
	assert_true(fabs(rate - EVENTS / 100.0) < 1e-9 && fabs(native.matrix.series->histogram->count - rate) < 1e-9);
	assert_true(fabs(sums.matrix.series->value[0] / sum - 1) < 1e-9 && fabs(native.matrix.series->histogram->sum / sum - 1) < 1e-9);
	assert_int_equal(classic.matrix.n, ruler_cells(buckets_classic(classic.in.ruler[0])));
	assert_string_equal(series_labels_get(&classic.matrix.series[classic.matrix.n - 1].labels, "le"), "+Inf");
	assert_true(classic.matrix.series[classic.matrix.n - 1].value[0] == EVENTS / 100.0);
	end(&native);
	end(&classic);
	end(&sums);
}

/* n events of 2^62 ns: five are more than 2^64. */
static void give_long(struct folding *f, __s64 slot, size_t n)
{
	struct event e[5];

	for (size_t i = 0; i < n; i++)
		e[i] = (struct event){ slot, 0, 0, 1ull << 62 };
	kit_give(window_fold_reader(f->fold), e, n, f->in.ruler[0]);
}

TEST(a_sum_that_saturated_is_not_known_and_neither_is_its_average)
{
	static const enum sample_kind kinds[] = { SAMPLE_SUM, SAMPLE_HISTOGRAM };

	for (size_t i = 0; i < 2; i++) {
		struct folding f;
		double sum[90];

		begin(&f, "sum(increase(" NAME "[10s]))", kinds[i], 100, 90, 1, 10);
		give_long(&f, T0, 5);
		give_long(&f, T0 + 50, 5);
		for (int k = 0; k < 3; k++)
			give_long(&f, T0 + 20 + k, 3);
		finish(&f);
		for (size_t t = 0; t < 90; t++)
			sum[t] = i ? f.matrix.series->histogram[t].sum : f.matrix.series->value[t];
		assert_true(isnan(sum[0]) && isnan(sum[45]) && isnan(sum[50]));
		assert_true(!(sum[5] > 0) && !(sum[5] < 0) && !(sum[55] > 0) && !isnan(sum[5]) && !isnan(sum[55]));
		assert_true(fabs(sum[15] / (9 * 0x1p62 / 1e9) - 1) < 1e-12);	/* beyond 2^64, without a slot that is */
		end(&f);
	}
}

TEST(matchers_choose_keys_and_edges)
{
	struct event e[EVENTS];
	struct folding f;
	double events = 0, n = 0;

	kit_events(e, EVENTS, SLOTS);
	begin(&f, "increase({command=\"query\",statement=~\"select|other\"}[100s])", SAMPLE_COUNT, 100, 1, 1, SLOTS);
	give(&f, e, EVENTS);
	finish(&f);
	for (size_t i = 0; i < EVENTS; i++)
		events += e[i].key % 2 == 0 && (e[i].key / 2 % 4 == 0 || e[i].key / 2 % 4 == 3);
	for (size_t k = 0; k < f.matrix.n; k++)
		n += f.matrix.series[k].value[0];
	assert_int_equal(f.matrix.n, 2);
	assert_true(n == events);
	end(&f);
	begin(&f, "sum by (le) (increase({le=\"+Inf\"}[100s]))", SAMPLE_BUCKETS, 100, 1, 1, SLOTS);
	give(&f, e, EVENTS);
	finish(&f);
	assert_int_equal(f.matrix.n, 1);
	assert_true(f.matrix.series[0].value[0] == EVENTS);
	end(&f);
}

/* 8 series of 11,001 points, each of which has the events of all windows of 12,000 s. */
TEST(too_many_buckets_are_refused)
{
	struct event e[EVENTS];
	struct folding f;

	kit_events(e, EVENTS, SLOTS);
	for (size_t i = 0; i < EVENTS; i++)
		e[i].slot += 11001;
	begin(&f, "rate({instrumentation=\"queries\"}[12000s])", SAMPLE_HISTOGRAM, 100, 11001, 1, 12000);
	give(&f, e, EVENTS);
	window_fold_reader(f.fold)->cover(f.fold, "db1", T0, T0 + 23000);
	assert_int_equal(window_fold_finish(f.fold, true, &f.matrix), -E2BIG);
	end(&f);
}

/* 8 series of 300,000 slots. */
TEST(too_many_units_are_refused)
{
	struct event e[EVENTS];
	struct folding f;

	kit_events(e, EVENTS, SLOTS);
	begin(&f, "rate({instrumentation=\"queries\"}[1s])", SAMPLE_COUNT, 100, 2, 199998, 1);
	f.plan.n_units = 300000;
	give(&f, e, EVENTS);
	assert_int_equal(window_fold_finish(f.fold, true, &f.matrix), -E2BIG);
	end(&f);
}

TEST(keys_beyond_the_limit_are_other)
{
	struct event e[EVENTS];
	struct folding f;
	double n = 0;

	kit_events(e, EVENTS, SLOTS);
	begin(&f, "increase({instrumentation=\"queries\"}[100s])", SAMPLE_COUNT, 3, 1, 1, SLOTS);
	give(&f, e, EVENTS);
	finish(&f);
	for (size_t k = 0; k < f.matrix.n; k++)
		n += f.matrix.series[k].value[0];
	assert_int_equal(f.matrix.n, 4);
	assert_int_equal(window_fold_others(f.fold), 5);
	assert_true(n == EVENTS);
	end(&f);
}

TEST(a_point_without_observation_is_absent_not_0)
{
	struct event e = { T0 + 5, 0, 0, 1000 };
	struct folding f;

	begin(&f, "increase({instrumentation=\"queries\"}[10s])", SAMPLE_COUNT, 3, 12, 10, 10);
	give(&f, &e, 1);
	finish(&f);			/* observed: 100 slots */
	for (size_t i = 0; i < 12; i++)
		assert_int_equal(f.matrix.series[0].is[i], i < 10);
	assert_true(f.matrix.series[0].value[0] == 1 && f.matrix.series[0].value[1] == 0);
	end(&f);
}

TEST_MAIN()
