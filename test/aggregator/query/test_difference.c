#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include "aggregator/query/difference.h"
#include "render/grid/layer.h"

#include <errno.h>
#include <math.h>

#define COLS 192
#define ROWS 24
#define RUNS 100

static double uniform(void) { return ((double)(check_random() >> 11) + 0.5) / 9007199254740992.0; }

/* Makes a grid with nearly four rows per octave. */
static struct grid *empty(size_t n_cols)
{
	__u64 edge[ROWS + 1];
	struct grid *g;

	for (int i = 0; i <= ROWS; i++)
		edge[i] = (__u64)(1000 * exp2(i / 4.0));
	g = kit_grid(n_cols, ROWS, edge);
	g->col_ns = g->slot_ns = 1000000000;
	g->unit = "ns";
	g->weight_unit = "queries";
	return g;
}

/* Draws a row around a mode, or from a second mode far above it. */
static int drawn(double middle, double slow)
{
	double at = middle + 2 * (uniform() + uniform() + uniform() + uniform() - 2);
	int row = (int)(uniform() < slow ? at + 10 : at);

	return row < 0 ? 0 : row < ROWS ? row : ROWS - 1;
}

static __u64 percentile(const struct grid *g, double p)
{
	double seen = 0;
	size_t row = 0;

	for (; row < ROWS; row++) {
		for (size_t col = 0; col < g->n_cols; col++)
			seen += (double)g->cell[row * g->n_cols + col];
		if (seen >= p * (double)g->all.count)
			break;
	}
	return grid_row_last(g, row);
}

enum shape { STEADY, BUSY, BURSTS, WANDERS, RATE_WANDERS, SHAPES };

/* A load of its own: two loads of the same shape differ only by chance. */
static struct grid *load(enum shape shape, size_t n_cols, double middle, double slow)
{
	struct grid *g = empty(n_cols);
	double wander = 0, rate = 0;

	for (size_t col = 0; col < n_cols; col++) {
		int n = 60 + (int)check_below(40);

		wander = 0.95 * wander + 0.3 * (uniform() - 0.5);
		rate = 0.95 * rate + 0.3 * (uniform() - 0.5);
		if (shape == BUSY)
			n *= 4;
		if (shape == RATE_WANDERS)
			n = (int)(n * exp(rate));
		while (n > 0) {
			int same = shape == BURSTS && uniform() < 0.1 ? 10 : 1;

			kit_add(g, col, (size_t)drawn(middle + (shape == WANDERS ? wander : 0), slow), (__u64)same);
			n -= same;
		}
	}
	kit_finish(g);
	g->all.p50 = percentile(g, 0.5);
	g->all.p90 = percentile(g, 0.9);
	g->all.p99 = percentile(g, 0.99);
	g->all.p999 = percentile(g, 0.999);
	return g;
}

static __u64 layer_sum(const struct difference *d, int layer) { return d->map->layers->layer[layer].count; }

TEST(exchanged_it_is_negated)
{
	for (int per = DIFFERENCE_SHARE; per <= DIFFERENCE_COUNT; per++) {
		struct grid *a = load(BURSTS, COLS, 8, 0.02), *b = load(STEADY, COLS, 9, 0.08);
		struct difference x, y;

		assert_int_equal(difference_make(a, b, (enum difference_per)per, &x), 0);
		assert_int_equal(difference_make(b, a, (enum difference_per)per, &y), 0);
		assert_memory_equal(x.map->cell, y.map->cell, COLS * ROWS * sizeof(__u64));
		assert_int_equal(x.n_significant, y.n_significant);
		assert_true(x.n_significant > 0);
		assert_int_equal(layer_sum(&x, DIFFERENCE_MORE_IN_A), layer_sum(&y, DIFFERENCE_MORE_IN_B));
		assert_int_equal(layer_sum(&x, DIFFERENCE_MORE_IN_B), layer_sum(&y, DIFFERENCE_MORE_IN_A));
		for (size_t i = 0; i < x.n_patches; i++) {
			assert_true(fabs(x.patch[i].q - y.patch[i].q) < 1e-9);
			assert_true(x.patch[i].c.mean.in == y.patch[i].c.mean.out);
		}
		for (int i = 0; i < DIFFERENCE_LINES; i++) {
			assert_true(x.line[i].a == y.line[i].b && x.line[i].b == y.line[i].a);
			assert_int_equal(x.line[i].significant, y.line[i].significant);
		}
		difference_fini(&x);
		difference_fini(&y);
		grid_free(a);
		grid_free(b);
	}
}

TEST(against_itself_there_is_none)
{
	for (int per = DIFFERENCE_SHARE; per <= DIFFERENCE_COUNT; per++) {
		struct grid *a = load(WANDERS, COLS, 8, 0.05);
		struct difference d;

		assert_int_equal(difference_make(a, a, (enum difference_per)per, &d), 0);
		for (size_t i = 0; i < COLS * ROWS; i++)
			assert_int_equal(d.map->cell[i], 0);
		assert_true(d.n_tests > 0);
		assert_int_equal(d.n_significant, 0);
		for (int i = 0; i < DIFFERENCE_LINES; i++)
			assert_false(d.line[i].significant);
		difference_fini(&d);
		grid_free(a);
	}
}

TEST(layers_and_rest_are_the_map)
{
	struct grid *a = load(STEADY, COLS, 8, 0.02), *b = load(STEADY, COLS, 10, 0.02);
	struct difference d;
	__u64 *rest;

	assert_int_equal(difference_make(a, b, DIFFERENCE_SHARE, &d), 0);
	rest = layers_rest(d.map);
	for (int i = 0; i < DIFFERENCE_LAYERS; i++)
		for (size_t k = 0; k < d.map->layers->layer[i].n_cells; k++) {
			const struct layer_cell *c = &d.map->layers->layer[i].cell[k];

			rest[c->row * COLS + c->col] += c->count;
		}
	assert_memory_equal(rest, d.map->cell, COLS * ROWS * sizeof(__u64));
	free(rest);
	difference_fini(&d);
	grid_free(a);
	grid_free(b);
}

/* Gives each event to one of both by chance: both see every change of the load. */
static void split(const struct grid *all, struct grid **ret_a, struct grid **ret_b)
{
	struct grid *a = empty(all->n_cols), *b = empty(all->n_cols);

	for (size_t row = 0; row < all->n_rows; row++)
		for (size_t col = 0; col < all->n_cols; col++) {
			__u64 n = all->cell[row * all->n_cols + col], in_a = 0;

			for (__u64 i = 0; i < n; i++)
				in_a += check_random() & 1;
			kit_add(a, col, row, in_a);
			kit_add(b, col, row, n - in_a);
		}
	*ret_a = a;
	*ret_b = b;
}

static void two_of(enum shape shape, bool halves, struct grid **ret_a, struct grid **ret_b)
{
	struct grid *all = load(shape, COLS, 8, 0.05);

	if (!halves) {
		*ret_a = all;
		*ret_b = load(shape, COLS, 8, 0.05);
		return;
	}
	split(all, ret_a, ret_b);
	grid_free(all);
}

struct calls {				/* runs that reported any difference */
	int maps, tables;
};

static struct calls calls_of(enum shape shape, bool halves, enum difference_per per)
{
	struct calls n = { 0, 0 };

	for (int run = 0; run < RUNS; run++) {
		struct difference d;
		struct grid *a, *b;
		bool any = false;

		two_of(shape, halves, &a, &b);
		assert_int_equal(difference_make(a, b, per, &d), 0);
		for (int i = 0; i < DIFFERENCE_LINES; i++)
			any = any || d.line[i].significant;
		n.maps += d.n_significant > 0;
		n.tables += any;
		difference_fini(&d);
		grid_free(a);
		grid_free(b);
	}
	print_message("# shape %d, %s, per %d: %d maps and %d tables of %d runs called something\n", shape, halves ? "split" : "two", per,
		      n.maps, n.tables, RUNS);
	return n;
}

/* If only chance differs, at most a share of DIFFERENCE_Q of all runs reports a difference. */
TEST(without_a_planted_shift_none_is_found)
{
	for (int shape = 0; shape < SHAPES; shape++)
		for (int per = DIFFERENCE_SHARE; per <= DIFFERENCE_COUNT; per++) {
			struct calls two = calls_of((enum shape)shape, false, (enum difference_per)per);
			struct calls halves = calls_of((enum shape)shape, true, (enum difference_per)per);

			if (shape < WANDERS)	/* two loads that wander independently are apart for a while: that is
						 * not chance */
				assert_true(two.maps <= RUNS * DIFFERENCE_Q);
			assert_true(two.tables <= RUNS * DIFFERENCE_Q);
			assert_true(halves.maps <= RUNS * DIFFERENCE_Q);
			assert_true(halves.tables <= RUNS * DIFFERENCE_Q);
		}
}

static bool found(const struct difference *d, enum difference_layer which, size_t row, size_t col)
{
	for (size_t i = 0; i < d->n_patches; i++) {
		const struct patch *p = &d->patch[i];

		if (p->row == row && col >= p->from && col < p->to)
			return p->significant && (p->c.mean.in > p->c.mean.out) == (which == DIFFERENCE_MORE_IN_A);
	}
	return false;
}

/* A mode an octave higher, and as many events again in a slow one. */
TEST(a_planted_shift_is_found)
{
	static const struct { double middle, slow; enum difference_line_of line; bool map; } cases[] = {
		{ 12, 0.05, LINE_P50, true }, { 9, 0.05, LINE_P50, true }, { 8, 0.20, LINE_P90, true },
		{ 8, 0.08, LINE_MEAN, false },	/* over all of the time, but a patch has too few events */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct grid *a = load(STEADY, COLS, cases[i].middle, cases[i].slow), *b = load(STEADY, COLS, 8, 0.05);
		struct difference d;

		assert_int_equal(difference_make(a, b, DIFFERENCE_SHARE, &d), 0);
		assert_true(d.line[cases[i].line].significant);
		assert_true(d.line[cases[i].line].a >= d.line[cases[i].line].b);	/* of one row: equal */
		assert_false(d.line[LINE_EVENTS].significant);
		assert_true(d.n_significant > 0 || !cases[i].map);
		if (!i) {
			assert_true(found(&d, DIFFERENCE_MORE_IN_A, 13, COLS / 2));
			assert_true(found(&d, DIFFERENCE_MORE_IN_B, 7, COLS / 2));
			assert_false(found(&d, DIFFERENCE_MORE_IN_A, 1, COLS / 2));
		}
		difference_fini(&d);
		grid_free(a);
		grid_free(b);
	}
}

/* A difference that exists for a while is marked at that time, and not elsewhere. */
TEST(a_difference_in_time_is_found_where_it_is)
{
	struct grid *a = load(STEADY, COLS, 8, 0.02), *b = load(STEADY, COLS, 8, 0.02);
	struct difference d;

	for (size_t col = COLS / 2; col < COLS * 3 / 4; col++)
		for (int i = 0; i < 30; i++)
			kit_add(a, col, 20 + check_below(2), 1);
	kit_finish(a);
	assert_int_equal(difference_make(a, b, DIFFERENCE_SHARE, &d), 0);
	assert_true(found(&d, DIFFERENCE_MORE_IN_A, 20, COLS * 5 / 8));
	assert_false(found(&d, DIFFERENCE_MORE_IN_A, 20, COLS / 4));
	assert_false(found(&d, DIFFERENCE_MORE_IN_A, 20, COLS - 1));
	difference_fini(&d);
	grid_free(a);
	grid_free(b);
}

/* Four times the rate is a difference of counts, but not of shares. */
TEST(busier_is_not_slower)
{
	struct grid *a = load(BUSY, COLS, 8, 0.05), *b = load(STEADY, COLS, 8, 0.05);
	struct difference share, count;

	assert_int_equal(difference_make(a, b, DIFFERENCE_SHARE, &share), 0);
	assert_int_equal(difference_make(a, b, DIFFERENCE_COUNT, &count), 0);
	assert_int_equal(share.n_significant, 0);
	assert_true(count.n_significant > 0);
	assert_int_equal(layer_sum(&count, DIFFERENCE_MORE_IN_B), 0);
	assert_true(share.line[LINE_EVENTS].significant);
	assert_false(share.line[LINE_P50].significant);
	difference_fini(&share);
	difference_fini(&count);
	grid_free(a);
	grid_free(b);
}

/* A shift is found also where B has thirty times the events. */
TEST(few_against_many_are_compared)
{
	struct grid *a = empty(COLS), *b = load(BUSY, COLS, 4, 0.001);
	struct difference d;

	for (size_t col = 0; col < COLS; col++)
		for (int i = 0; i < 10; i++)
			kit_add(a, col, (size_t)drawn(15, 0), 1);
	kit_finish(a);
	a->all.p50 = percentile(a, 0.5);
	a->all.p999 = percentile(a, 0.999);
	assert_int_equal(difference_make(a, b, DIFFERENCE_SHARE, &d), 0);
	assert_true(d.line[LINE_P50].significant && d.line[LINE_P999].significant && d.line[LINE_MEAN].significant);
	assert_true(found(&d, DIFFERENCE_MORE_IN_A, 15, COLS / 2));
	assert_true(found(&d, DIFFERENCE_MORE_IN_B, 4, COLS / 2));
	difference_fini(&d);
	grid_free(a);
	grid_free(b);
}

TEST(columns_that_one_side_did_not_observe_are_not_compared)
{
	struct grid *a = load(STEADY, COLS, 8, 0.05), *b = empty(COLS);
	struct difference d;

	for (size_t col = 0; col < COLS; col++)
		b->column[col].n_reporting = col < 10;		/* in these columns it is known that nothing happened */
	assert_int_equal(difference_make(a, b, DIFFERENCE_COUNT, &d), 0);
	assert_int_equal(grid_column_state(&d.map->column[9]), GRID_OK);
	assert_int_equal(grid_column_state(&d.map->column[10]), GRID_UNOBSERVED);
	for (size_t row = 0; row < ROWS; row++) {
		assert_int_equal(d.map->cell[row * COLS + 9], a->cell[row * COLS + 9]);
		assert_int_equal(d.map->cell[row * COLS + 10], 0);
	}
	difference_fini(&d);
	assert_int_equal(difference_make(a, b, DIFFERENCE_SHARE, &d), 0);
	assert_int_equal(d.map->cell[8 * COLS + 9], 0);
	assert_int_equal(d.n_tests, 0);
	difference_fini(&d);
	grid_free(a);
	grid_free(b);
}

/* With one column the variation is unknown. */
TEST(one_column_says_nothing_about_chance)
{
	struct grid *a = load(STEADY, 1, 8, 0), *b = load(STEADY, 1, 16, 0);
	struct difference d;

	assert_int_equal(difference_make(a, b, DIFFERENCE_SHARE, &d), 0);
	assert_int_equal(d.n_tests, 0);
	assert_false(d.line[LINE_P50].significant);
	difference_fini(&d);
	grid_free(a);
	grid_free(b);
}

TEST(a_sum_that_saturated_has_no_mean)
{
	struct grid *a = load(STEADY, 200, 8, 0), *b = load(STEADY, 200, 16, 0);
	struct difference d;

	a->all.sum = ~0ull;
	a->column[0].sum = a->column[1].sum = ~0ull - 5;
	assert_int_equal(difference_make(a, b, DIFFERENCE_SHARE, &d), 0);
	assert_true(isnan(d.line[LINE_MEAN].a) && !isnan(d.line[LINE_MEAN].b));
	assert_false(d.line[LINE_MEAN].significant);
	assert_true(d.line[LINE_P50].significant);
	assert_true(d.map->column[0].sum == ~0ull);
	difference_fini(&d);
	grid_free(a);
	grid_free(b);
}

TEST(other_columns_or_rows_are_refused)
{
	struct grid *a = load(STEADY, 20, 8, 0), *b = load(STEADY, 21, 8, 0), *c = load(STEADY, 20, 8, 0);
	struct difference d;

	assert_int_equal(difference_make(a, b, DIFFERENCE_SHARE, &d), -EINVAL);
	c->edge[1]++;
	assert_int_equal(difference_make(a, c, DIFFERENCE_SHARE, &d), -EINVAL);
	c->edge[1]--;
	c->col_ns *= 2;
	assert_int_equal(difference_make(a, c, DIFFERENCE_SHARE, &d), -EINVAL);
	c->col_ns /= 2;
	c->point = 1;
	assert_int_equal(difference_make(a, c, DIFFERENCE_SHARE, &d), -EINVAL);
	grid_free(a);
	grid_free(b);
	grid_free(c);
}

TEST(aligning_keeps_every_event_or_refuses)
{
	static const __u64 fine[] = { 0, 10, 20, 30, 40 }, coarse[] = { 0, 20, 40, 80 }, shifted[] = { 0, 15, 40, 80 };
	struct grid *g = kit_grid(2, 4, fine), *rows = kit_grid(2, 3, coarse), *odd = kit_grid(2, 3, shifted), *to;

	kit_add(g, 0, 0, 3);
	kit_add(g, 0, 1, 4);
	kit_add(g, 1, 3, 5);
	assert_int_equal(difference_align(g, rows, &to), 0);
	assert_int_equal(to->cell[0], 7);
	assert_int_equal(to->cell[1 * 2 + 1], 5);
	assert_memory_equal(to->edge, coarse, sizeof(coarse));
	assert_int_equal(to->column[0].count, 7);
	grid_free(to);
	assert_int_equal(difference_align(g, odd, &to), -EINVAL);
	grid_free(g);
	grid_free(rows);
	grid_free(odd);
}

TEST_MAIN()
