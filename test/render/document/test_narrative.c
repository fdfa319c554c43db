#include "render/document/narrative.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include <math.h>
#include <stdbool.h>

#define ROWS 208			/* 8 per octave from 1 us on */
#define MS 1000000.0

static struct grid *empty_grid(size_t n_cols)
{
	__u64 edge[ROWS + 1];
	struct grid *g;

	for (size_t i = 0; i <= ROWS; i++)
		edge[i] = (__u64)(1024 * exp2(i / 8.0));
	g = kit_grid(n_cols, ROWS, edge);
	g->latency = true;
	return g;
}

static double gauss(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)(check_random() >> 11) / 9007199254740992.0;
	return sum;
}

/* Adds n events around a value, spread by a factor of e^spread. */
static void put(struct grid *g, size_t col, double value, double spread, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		double at = 8 * log2(value * exp(spread * gauss()) / 1024);

		kit_add(g, col, at < 0 ? 0 : at >= ROWS ? ROWS - 1 : (size_t)at, 1);
	}
}

static void rank(struct grid *g)
{
	struct grid *one;

	assert_int_equal(grid_fold(g, g->n_cols, &one), 0);
	g->all.p99 = one->column[0].p99;
	g->all.min = one->column[0].min;
	grid_free(one);
}

static struct narrative find(struct grid *g)
{
	struct narrative n;

	rank(g);
	assert_int_equal(narrative_find(g, &n), 0);
	return n;
}

static void about(double have, double want)
{
	if (!(have > want / 1.3 && have < want * 1.3))
		fail_msg("%g, not about %g", have, want);
}

TEST(peaks_with_a_deep_valley_between_are_modes)
{
	static const struct {
		double value[4], spread;
		unsigned n[4];		/* events per column */
		size_t n_modes;
	} cases[] = {
		{ { 0.2 * MS }, 0.4, { 50 }, 1 },
		{ { 0.2 * MS, 8 * MS }, 0.4, { 50, 20 }, 2 },
		{ { 8 * MS, 0.2 * MS }, 0.4, { 50, 20 }, 2 },
		{ { 0.2 * MS, 0.3 * MS }, 0.4, { 50, 50 }, 1 },		/* one hill */
		{ { 0.2 * MS, 8 * MS, 900 * MS }, 0.3, { 50, 20, 1 }, 3 },	/* few events, but far away */
		{ { 0.01 * MS, 0.2 * MS, 8 * MS, 900 * MS }, 0.3, { 9, 9, 9, 9 }, 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct grid *g = empty_grid(100);
		struct narrative n;
		double all = 0, share = 0;

		for (size_t col = 0; col < 100; col++)
			for (size_t mode = 0; mode < 4; mode++)
				put(g, col, cases[i].value[mode], cases[i].spread, cases[i].n[mode]);
		n = find(g);
		assert_int_equal(n.n_modes, cases[i].n_modes);
		for (size_t mode = 0; mode < n.n_modes; mode++) {
			share += n.mode[mode].share;
			assert_true(!mode || n.mode[mode].at > n.mode[mode - 1].at);
		}
		assert_true(fabs(share - 1) < 1e-9);
		for (size_t mode = 0; mode < 4; mode++)
			all += cases[i].n[mode];
		for (size_t mode = 0; mode < n.n_modes && n.n_modes > 1; mode++) {
			size_t found = 0;

			while (found < n.n_modes - 1 && fabs(log(n.mode[found].at / cases[i].value[mode])) > 1)
				found++;
			about(n.mode[found].at, cases[i].value[mode]);
			assert_true(fabs(n.mode[found].share - cases[i].n[mode] / all) < 0.02);
		}
		grid_free(g);
	}
}

TEST(few_events_have_no_valleys)
{
	struct grid *g = empty_grid(10);

	(void)state;
	for (size_t col = 0; col < 10; col++)
		put(g, col, 0.2 * MS, 1, 2);
	assert_int_equal(find(g).n_modes, 1);
	grid_free(g);
}

TEST(a_shift_has_its_begin_and_the_percentile_that_moved_most)
{
	static const struct {
		double before, after;	/* the middle */
		unsigned slow_before, slow_after;	/* events at 500 ms among 100 */
		bool tail;		/* alone */
	} cases[] = {
		{ 0.2 * MS, 0.6 * MS, 0, 0, false },
		{ 0.6 * MS, 0.2 * MS, 0, 0, false },
		{ 0.2 * MS, 0.2 * MS, 0, 30, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct grid *g = empty_grid(120);
		struct narrative n;

		for (size_t col = 0; col < 120; col++) {
			unsigned slow = col < 70 ? cases[i].slow_before : cases[i].slow_after;

			put(g, col, col < 70 ? cases[i].before : cases[i].after, 0.3, 100 - slow);
			put(g, col, 500 * MS, 0.1, slow);
		}
		n = find(g);
		assert_int_equal(n.n_shifts, 1);
		assert_in_range(n.shift[0].col, 69, 71);
		assert_int_equal(n.shift[0].after > n.shift[0].before, i != 1);
		assert_true(!cases[i].tail || n.shift[0].percentile > 50);
		grid_free(g);
	}
}

TEST(a_stretch_that_differs_has_two_shifts)
{
	struct grid *g = empty_grid(200);
	struct narrative n;

	(void)state;
	for (size_t col = 0; col < 200; col++)
		put(g, col, col >= 80 && col < 120 ? 3 * MS : 0.2 * MS, 0.4, 50);
	n = find(g);
	assert_int_equal(n.n_shifts, 2);
	assert_in_range(n.shift[0].col, 77, 83);
	assert_in_range(n.shift[1].col, 117, 123);
	assert_true(n.shift[0].after > 5 * n.shift[0].before && n.shift[1].before > 5 * n.shift[1].after);
	grid_free(g);
}

/* Bursts change the number of events, but not their distribution. */
TEST(steady_columns_hardly_ever_shift)
{
	size_t n_shifts = 0;

	(void)state;
	for (int map = 0; map < 200; map++) {
		struct grid *g = empty_grid(60);

		for (size_t col = 0; col < 60; col++)
			put(g, col, 0.2 * MS, 1, 1 + (unsigned)check_below(30));
		n_shifts += find(g).n_shifts;
		grid_free(g);
	}
	assert_true(n_shifts <= 6);
}

TEST(the_worst_minute_has_the_highest_p99)
{
	struct grid *g = empty_grid(600);
	struct narrative n;

	(void)state;
	for (size_t col = 0; col < 600; col++) {
		put(g, col, 0.2 * MS, 0.2, 110);
		if (col >= 300 && col < 360)
			kit_add(g, col, 155, 6);	/* 700 ms */
	}
	n = find(g);
	assert_int_equal(n.n_worst, 60);
	assert_int_equal(n.worst, 300);
	about(n.worst_p99, 720 * MS);
	g->col_ns = 72000000000;		/* a column longer than a minute counts as a whole */
	n = find(g);
	assert_int_equal(n.n_worst, 1);
	assert_in_range(n.worst, 300, 359);
	grid_free(g);
}

/* The slow queries end 10 s after the collector's start, and again 10 s before its end. */
TEST(the_worst_minute_begins_and_ends_in_observed_time)
{
	for (int at_end = 0; at_end < 2; at_end++) {
		struct grid *g = empty_grid(600);
		struct narrative n;

		(void)state;
		for (size_t col = 0; col < 600; col++) {
			if (col >= 200 && col < 400)
				put(g, col, 0.2 * MS, 0.2, 110);
			else
				g->column[col] = (struct grid_column){ .n_expected = at_end };
			if (col >= (at_end ? 390u : 200u) && col < (at_end ? 400u : 210u))
				kit_add(g, col, 155, 20);	/* 700 ms */
		}
		n = find(g);
		assert_int_equal(n.n_worst, 60);
		assert_in_range(n.worst, at_end ? 331 : 200, at_end ? 340 : 209);
		grid_free(g);
	}
}

TEST(there_is_no_worst_minute_of_few_events_or_of_a_short_time)
{
	struct grid *g = empty_grid(600), *brief = empty_grid(119);

	(void)state;
	put(g, 10, 0.2 * MS, 0.2, NARRATIVE_LEAST - 1);
	put(brief, 10, 900 * MS, 0.2, 1000);
	assert_int_equal(find(g).n_worst, 0);
	assert_int_equal(find(brief).n_worst, 0);
	grid_free(brief);
	grid_free(g);
}

/* The same events give the same words, if columns without events are added. */
TEST(columns_without_events_change_nothing)
{
	struct grid *g = empty_grid(100), *apart = empty_grid(200);
	struct narrative a, b;

	(void)state;
	for (size_t col = 0; col < 100; col++)
		put(g, col, col < 60 ? 0.2 * MS : 2 * MS, 0.4, 40);
	for (size_t row = 0; row < ROWS; row++)
		for (size_t col = 0; col < 100; col++)
			kit_add(apart, 2 * col, row, g->cell[row * 100 + col]);
	apart->column[7] = (struct grid_column){ .n_expected = 1 };	/* not observed */
	a = find(g);
	b = find(apart);
	assert_int_equal(a.n_modes, b.n_modes);
	assert_memory_equal(a.mode, b.mode, a.n_modes * sizeof(*a.mode));
	assert_int_equal(a.n_shifts, 1);
	assert_int_equal(b.n_shifts, 1);
	assert_int_equal(2 * a.shift[0].col, b.shift[0].col);
	assert_true(a.shift[0].before == b.shift[0].before && a.shift[0].after == b.shift[0].after);
	grid_free(apart);
	grid_free(g);
}

TEST(it_writes_sentences)
{
	struct grid *g = empty_grid(600);
	char text[NARRATIVE_TEXT];

	(void)state;
	for (size_t col = 0; col < 600; col++) {
		kit_add(g, col, 61, 70);		/* 202..220 us */
		kit_add(g, col, col < 300 ? 104 : 112, 30);	/* 8.4..9.1, from 14:05 on 16.8..18.3 ms */
	}
	kit_add(g, 400, 160, 100);
	rank(g);
	narrative_text(g, NULL, NULL, text);
	assert_string_equal(text, "Four modes: around 210 µs (70 % of the queries), 8.8 ms (15 %), 18 ms (15 %) and 1.1 s (0.2 %). "
			    "The slowest 100 (0.2 %) took 1.1 s to 1.2 s: 31 % of the total time, at 14:06:40. At 14:05:00 p90 rises from 9.1 ms to 18 ms. The worst minute begins at 14:05:41: p99 1.2 s, over the whole time 18 ms.");
	grid_free(g);
}

/* The values below the ruler are not known. */
TEST(modes_below_the_ruler_are_marked)
{
	static const __u64 edge[] = { 0, 1000, 2000, 4000, 8000, 16000 };
	struct grid *g = kit_grid(20, 5, edge);
	char text[NARRATIVE_TEXT];

	(void)state;
	for (size_t col = 0; col < 20; col++) {
		kit_add(g, col, 0, 90);
		kit_add(g, col, 3, 10);
	}
	rank(g);
	narrative_text(g, NULL, NULL, text);
	assert_memory_equal(text, "Two modes: below 1 µs (90 % of the queries) and around ", strlen("Two modes: below 1 µs (90 % of the queries) and around "));
	grid_free(g);
}

/* Adds 1,000 events of about 50 us to each column, and a pile-up of 8 that take 8 s at columns 40 and 44; sets the sum. */
static struct grid *grid_with_pile(unsigned n_waiting)
{
	struct grid *g = empty_grid(100);

	for (size_t col = 0; col < 100; col++)
		kit_add(g, col, 45, 1000);			/* 50.5 .. 55 us */
	kit_add(g, 40, 184, n_waiting);				/* 8.6 .. 9.4 s */
	kit_add(g, 44, 183, n_waiting);				/* 7.9 .. 8.6 s */
	rank(g);
	g->all.max = 9000000000;
	g->all.sum = 100000ull * 52000 + n_waiting * 17000000000ull;
	return g;
}

TEST(a_few_that_took_much_of_the_time_are_named)
{
	static const struct report_row rows[] = {
		{ .name = "select c", .count = 100000, .p50 = 52000, .sum = 5.2e9 }, { .name = "update stock set n = ?", .count = 16, .p50 = 8600000000, .sum = 1.36e11 },
	};
	struct report_table keys = { .unit = "ns", .n_rows = 2, .row = rows };
	struct grid *g = grid_with_pile(8);
	char text[NARRATIVE_TEXT];

	(void)state;
	narrative_text(g, &keys, NULL, text);
	assert_non_null(strstr(text, " The slowest 16 (less than 0.1 %) took 7.9 s to 9 s: 96.4 % of the total time, from 14:00:40 to 14:00:45; "
				     "most of them: update stock set n = ? (p50 8.6 s)."));
	g->all.sum = UINT64_MAX;
	narrative_text(g, &keys, NULL, text);
	assert_null(strstr(text, "slowest"));		/* the sum is not known */
	grid_free(g);
	g = grid_with_pile(600);			/* more than 1 %: p99 shows them */
	narrative_text(g, NULL, NULL, text);
	assert_null(strstr(text, "slowest"));
	grid_free(g);
	g = grid_with_pile(8);
	g->all.sum = 2000000000000ull;			/* 7 % of the time */
	narrative_text(g, NULL, NULL, text);
	assert_null(strstr(text, "slowest"));
	grid_free(g);
}

/* A key may have fast events as well: only those from its median on are known to be among the slowest. */
TEST(a_key_is_named_by_its_events_that_are_known_to_be_slow)
{
	static const struct {
		double count;
		__u64 p50;
		const char *says;
	} cases[] = {
		{ 16, 8600000000, "14:00:45; most of them: update t (p50 8.6 s)." },	/* 9 at least */
		{ 15, 8600000000, "14:00:45; among them update t (p50 8.6 s)." },	/* 8 at least: its lower half may be fast */
		{ 1, 8600000000, "14:00:45; among them update t (p50 8.6 s)." },
		{ 17, 8600000000, "14:00:45." },	/* more than there are slow ones */
		{ 16, 52000, "14:00:45." },
	};
	struct grid *g = grid_with_pile(8);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct report_row row = { .name = "update t", .count = cases[i].count, .p50 = cases[i].p50 };
		struct report_table keys = { .unit = "ns", .n_rows = 1, .row = &row };
		char text[NARRATIVE_TEXT];

		narrative_text(g, &keys, NULL, text);
		assert_non_null(strstr(text, cases[i].says));
	}
	grid_free(g);
}

TEST(a_single_one_is_named_after_a_colon)
{
	const struct report_row row = { .name = "select sleep(?)", .count = 1, .p50 = 9000000000 };
	struct report_table keys = { .unit = "ns", .n_rows = 1, .row = &row };
	struct grid *g = empty_grid(100);
	char text[NARRATIVE_TEXT];

	(void)state;
	for (size_t col = 0; col < 100; col++)
		kit_add(g, col, 45, 1000);
	kit_add(g, 40, 184, 1);
	rank(g);
	g->all.max = 9000000000;
	g->all.sum = 100000ull * 52000 + 9000000000;
	narrative_text(g, &keys, NULL, text);
	assert_non_null(strstr(text, " The slowest (less than 0.1 %) took 9 s: 62 % of the total time, at 14:00:40: select sleep(?)."));
	grid_free(g);
}

TEST(only_latencies_are_slow)
{
	static const struct {
		const char *unit, *says;
	} cases[] = {
		{ "ns", " The highest 16 (less than 0.1 %) are 7.9 s to 9 s: 96.4 % of the total time, from 14:00:40 to 14:00:45." },
		{ "bytes", " of the sum, from 14:00:40 to 14:00:45." },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct grid *g = grid_with_pile(8);
		char text[NARRATIVE_TEXT];

		g->latency = false;
		g->unit = cases[i].unit;
		narrative_text(g, NULL, NULL, text);
		assert_non_null(strstr(text, cases[i].says));
		assert_null(strstr(text, "slowest"));
		grid_free(g);
	}
}

/* The middles of rows may add up to more than the sum. */
TEST(a_part_of_the_time_is_never_all_of_it)
{
	struct grid *g = grid_with_pile(8);
	struct narrative n;
	char text[NARRATIVE_TEXT];

	(void)state;
	g->all.sum = 100000ull * 52000 + 16 * 8000000000ull;
	assert_int_equal(narrative_find(g, &n), 0);
	assert_true(n.slowest.share > 0.95 && n.slowest.share < 128.0 / 133);	/* the others have 5.2 of 133.2 s */
	g->all.sum = 128000000000ull;
	narrative_text(g, NULL, NULL, text);
	assert_null(strstr(text, "100 % of the total time"));
	grid_free(g);
}

/* In the last observed column 9 run, the oldest for 22.8 s. */
static void add_running(struct grid *g)
{
	static const __u64 edge[] = { 0, 20000000000, 23000000000 };
	struct grid *running = kit_grid(g->n_cols, 2, edge);
	size_t last = g->n_cols - 3;

	running->point = 1;
	for (size_t col = 0; col <= last; col++) {
		running->column[col].n_snapshots = 1;
		kit_add(running, col, 1, col == last ? 9 : 1);
		running->column[col].max = 22800000000;
	}
	g->running = running;
}

TEST(what_still_runs_comes_first)
{
	static const struct report_row rows[] = {
		{ .name = "select", .count = 5, .running = 1, .oldest = 2000000 },
		{ .name = "update stock set n = ?", .running = 8, .oldest = 22800000000 },
	}, one = { .name = "select sleep(?)", .running = 1, .oldest = 61000000000 }, brief = { .name = "a", .running = 3, .oldest = 999999999 };
	struct report_table keys = { .unit = "ns", .runs = true, .running_ns = 1795269610000000000, .n_rows = 2, .row = rows };
	struct grid *g = empty_grid(10);
	char text[NARRATIVE_TEXT];

	(void)state;
	narrative_text(g, &keys, NULL, text);
	assert_string_equal(text, "9 queries still ran at 14:00:10, the oldest for 22.8 s; most of them: update stock set n = ? (8). No queries ended.");
	keys.row = &one;
	keys.n_rows = 1;
	narrative_text(g, &keys, NULL, text);
	assert_string_equal(text, "1 of the queries still ran at 14:00:10, for 61 s: select sleep(?). No queries ended.");
	keys.row = &brief;
	narrative_text(g, &keys, NULL, text);
	assert_string_equal(text, "No queries.");
	put(g, 3, MS, 0.1, 10);
	rank(g);
	add_running(g);
	narrative_text(g, NULL, NULL, text);
	assert_non_null(strstr(text, "9 queries still ran at 14:00:08, the oldest for 22.8 s. One mode, around "));
	g->running->column[7].n_snapshots = 2;
	narrative_text(g, NULL, NULL, text);
	assert_non_null(strstr(text, "4.5 queries still ran on average in the column up to 14:00:08, the oldest for 22.8 s. "));
	grid_free(g);
}

TEST(a_long_statement_is_cut_between_characters)
{
	char name[400], text[NARRATIVE_TEXT];
	struct report_row row = { .name = name, .running = 2, .oldest = 5000000000 };
	struct report_table keys = { .unit = "ns", .runs = true, .running_ns = 1795269610000000000, .n_rows = 1, .row = &row };
	struct grid *g = empty_grid(10);

	(void)state;
	memset(name, 'x', 159);
	strcpy(name + 159, "äöü");
	narrative_text(g, &keys, NULL, text);
	assert_non_null(strstr(text, "xxx… (2). No queries ended."));
	grid_free(g);
}

TEST(an_empty_narrative_says_so_or_nothing)
{
	struct grid *g = empty_grid(10);
	char text[NARRATIVE_TEXT];

	(void)state;
	narrative_text(g, NULL, NULL, text);
	assert_string_equal(text, "No queries.");
	for (size_t col = 0; col < g->n_cols; col++)
		g->column[col] = (struct grid_column){ .n_expected = col > 3 };
	narrative_text(g, NULL, NULL, text);
	assert_string_equal(text, "Not observed: no collector reported in this time.");
	g->column[0] = (struct grid_column){ .n_expected = 1, .n_reporting = 1 };
	narrative_text(g, NULL, NULL, text);
	assert_non_null(strstr(text, "No queries in the part of the time that was observed ("));
	put(g, 3, MS, 0.1, 10);
	rank(g);
	narrative_text(g, NULL, NULL, text);
	assert_non_null(strstr(text, "One mode, around "));
	assert_null(strstr(text, "shift"));	/* one column */
	for (size_t col = 0; col < 10; col++)
		put(g, col, MS, 0.1, 10);
	rank(g);
	narrative_text(g, NULL, NULL, text);
	assert_null(strstr(text, "shift"));	/* ten columns */
	grid_free(g);
	g = empty_grid(20);
	for (size_t col = 0; col < 20; col++)
		put(g, col, MS, 0.1, 10);
	rank(g);
	narrative_text(g, NULL, NULL, text);
	assert_non_null(strstr(text, "No lasting shift."));
	g->weight = "cputime";			/* sums are not events */
	narrative_text(g, NULL, NULL, text);
	assert_string_equal(text, "");
	grid_free(g);
}

/* Any cells: shapes of one column or row, edges far apart, one huge count. */
TEST(any_grid_has_a_narrative)
{
	(void)state;
	for (int i = 0; i < 2000; i++) {
		size_t n_cols = 1 + check_below(40), n_rows = 1 + check_below(300);
		__u64 edge[302];
		struct grid *g;
		const struct zone zone = zone_fixed((int)check_below(80000) - 40000);
		char text[NARRATIVE_TEXT];

		edge[0] = check_below(2) ? 0 : check_below(1000);
		for (size_t row = 1; row <= n_rows; row++)
			edge[row] = edge[row - 1] + 1 + (check_value() >> 10);
		if (check_below(2))
			edge[n_rows] = GRID_NO_EDGE;
		g = kit_grid(n_cols, n_rows, edge);
		g->col_ns = 1000000 + check_below(200000000000);
		for (size_t n = check_below(100); n; n--)
			kit_add(g, check_below(n_cols), check_below(n_rows), check_value() >> 20);
		g->all.p99 = check_value();
		g->unit = check_below(2) ? "ns" : "%";
		narrative_text(g, NULL, &zone, text);
		assert_true(strlen(text) > 0 && strlen(text) < NARRATIVE_TEXT - 1);
		assert_null(strstr(text, "nan"));
		assert_null(strstr(text, "inf"));
		grid_free(g);
	}
}

TEST_MAIN()
