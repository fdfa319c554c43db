#include "render/color/shade.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include <errno.h>
#include <float.h>
#include <math.h>

static const enum shade_transfer transfers[] = { SHADE_LINEAR, SHADE_LOG, SHADE_RANK, SHADE_SQRT };

static unsigned shade_index(const struct shade *s, size_t row, __u64 count)
{
	return shade_density_index(s->level, count * s->scale[row]);
}

static int make(struct grid *const *g, size_t n, enum axis_scale yscale, enum shade_transfer transfer, __u64 low,
		__u64 high, struct shade *s)
{
	const struct shade_options o = { .yscale = yscale, .transfer = transfer, .low = low, .high = high };

	return shade_make((const struct grid *const *)g, n, &o, s);
}

TEST(index_is_the_number_of_levels_at_or_below)
{
	struct grid *g = kit_hour(60, 3, 1);

	(void)state;
	for (int t = 0; t < 4; t++)
		for (int y = 0; y < 2; y++) {
			struct shade s;

			assert_int_equal(make(&g, 1, y, transfers[t], 0, 0, &s), 0);
			for (size_t i = 0; i < g->n_rows * g->n_cols; i++) {
				double density = g->cell[i] * s.scale[i / g->n_cols];
				unsigned n = 0;

				while (n < SHADE_LEVELS && s.level[n] <= density)
					n++;
				n = g->cell[i] ? n ? n : 1 : 0;
				assert_int_equal(shade_index(&s, i / g->n_cols, g->cell[i]), n);
			}
			assert_int_equal(shade_density_index(s.level, s.max), 255);
			shade_fini(&s);
		}
	grid_free(g);
}

TEST(taller_rows_are_paler_on_their_axis)
{
	static const __u64 edge[] = { 0, 1024, 1536, 2048, 4096, GRID_NO_EDGE };
	struct grid *g = kit_grid(1, 5, edge);
	struct shade s;

	(void)state;
	assert_int_equal(make(&g, 1, AXIS_LOG, SHADE_LOG, 0, 0, &s), 0);
	assert_true(s.scale[3] < s.scale[1] && s.scale[1] < s.scale[2]);
	assert_true(s.scale[0] == 1 && s.scale[4] == 1);
	shade_fini(&s);
	assert_int_equal(make(&g, 1, AXIS_LINEAR, SHADE_LOG, 0, 4096, &s), 0);
	assert_true(s.scale[3] * 2 == s.scale[0] && s.scale[1] == s.scale[2]);
	shade_fini(&s);
	grid_free(g);
}

TEST(rank_gives_equal_shares_and_shares_ties)
{
	double density[1000], level[SHADE_LEVELS];

	(void)state;
	for (int i = 0; i < 1000; i++)
		density[i] = i < 500 ? 1 : i;
	assert_int_equal(shade_levels(SHADE_RANK, density, 1000, level), 0);
	assert_int_equal(shade_density_index(level, 1), 127);
	assert_int_equal(shade_density_index(level, 999), 255);
}

TEST(shades_made_together_have_the_same_levels)
{
	struct grid *g[2] = { kit_hour(60, 3, 1), kit_hour(30, 3, 0.1) };
	struct shade s[2];

	(void)state;
	assert_int_equal(make(g, 2, AXIS_LOG, SHADE_RANK, 0, 0, s), 0);
	assert_memory_equal(s[0].level, s[1].level, sizeof(s[0].level));
	for (int i = 0; i < 2; i++) {
		shade_fini(&s[i]);
		grid_free(g[i]);
	}
}

/* Two rows, one event each: the one a thousand times slower weighs a thousand times as much. */
TEST(weighted_densities_say_how_much)
{
	static const __u64 edge[] = { 0, 1000, 1001, 1000000, 1000001, GRID_NO_EDGE };
	const struct shade_options o = { .yscale = AXIS_LINEAR, .transfer = SHADE_LOG, .weighted = 1 };
	struct grid *g = kit_grid(1, 5, edge);
	struct shade s;

	(void)state;
	kit_add(g, 0, 1, 1);
	kit_add(g, 0, 3, 1);
	kit_add(g, 0, 4, 1);
	assert_true(shade_middle(g, 0) == 499.5 && shade_middle(g, 1) == 1000 && shade_middle(g, 3) == 1000000);
	assert_int_equal(shade_make((const struct grid *const *)&g, 1, &o, &s), 0);
	assert_true(s.weight[3] == 1000 * s.weight[1] && s.scale[3] == 1000 * s.scale[1]);
	assert_true(s.scale[1] * s.height[1] == s.weight[1]);
	assert_in_range(shade_index(&s, 1, 1), 20, 30);		/* log(1 + 1) of log(1 + 1000) */
	assert_int_equal(shade_index(&s, 3, 1), 255);
	shade_fini(&s);
	grid_free(g);
}

/* Cells that are sums need no middle; their levels begin at the least cell. */
TEST(sums_need_no_weight)
{
	static const __u64 edge[] = { 0, 1000, 1001, 1000000, 1000001, GRID_NO_EDGE };
	const struct shade_options o = { .yscale = AXIS_LINEAR, .transfer = SHADE_LOG, .weighted = 1 };
	struct grid *g = kit_grid(1, 5, edge);
	struct shade s;

	(void)state;
	kit_add(g, 0, 1, 2000000);
	kit_add(g, 0, 3, 2000000);
	kit_add(g, 0, 4, 9000000);
	g->weight = "cputime";
	assert_int_equal(shade_make((const struct grid *const *)&g, 1, &o, &s), 0);
	assert_true(s.weighted && s.weight[1] == 1 && s.weight[3] == 1);
	assert_int_equal(shade_index(&s, 1, 2000000), shade_index(&s, 3, 2000000));
	assert_in_range(shade_index(&s, 1, 2000000), 225, 245);	/* thin rows: 8 of 9 in density, log(1 + 1) of log(1 + 9 / 8) */
	assert_int_equal(shade_index(&s, 4, 9000000), 255);
	shade_fini(&s);
	grid_free(g);
}

TEST(the_square_root_lies_between_linear_and_log)
{
	const double density[] = { 1, 25, 100 };
	double level[SHADE_LEVELS];

	(void)state;
	assert_int_equal(shade_levels(SHADE_SQRT, density, 3, level), 0);
	assert_int_equal(shade_density_index(level, 25), 128);
	assert_int_equal(shade_density_index(level, 1), 26);
	assert_int_equal(shade_density_index(level, 100), 255);
}

/* A quiet column and a busy one of the same shape get the same colours. */
TEST(percent_is_of_each_column)
{
	static const __u64 edge[] = { 0, 10, 20 };
	const struct shade_options o = { .yscale = AXIS_LINEAR, .transfer = SHADE_PERCENT };
	struct grid *g = kit_grid(3, 2, edge);
	struct shade s;

	(void)state;
	kit_add(g, 0, 0, 3);
	kit_add(g, 0, 1, 1);
	kit_add(g, 1, 0, 3000);
	kit_add(g, 1, 1, 1000);
	assert_int_equal(shade_make((const struct grid *const *)&g, 1, &o, &s), 0);
	assert_true(s.share[0] == 25 && s.share[1] == 0.025 && s.share[2] == 0);
	assert_true(s.max == 75 * s.scale[0]);
	shade_fini(&s);
	grid_free(g);
}

/* With every transfer, also those that read cells one by one, and with the largest counts. */
TEST(min_and_max_are_those_of_all_cells)
{
	struct grid *g = kit_hour(60, 3, 1);

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (int t = 0; t < 4; t++) {
			double min = 0, max = 0;
			struct shade s;

			assert_int_equal(make(&g, 1, AXIS_LOG, transfers[t], 0, 0, &s), 0);
			for (size_t i = 0; i < g->n_rows * g->n_cols; i++) {
				double density = g->cell[i] * s.scale[i / g->n_cols];

				max = density > max ? density : max;
				min = g->cell[i] && (!(min > 0) || density < min) ? density : min;
			}
			assert_true(s.min == min && s.max == max && min > 0);
			shade_fini(&s);
		}
		g->cell[g->n_cols + 5] = ~(__u64)0;
	}
	grid_free(g);
}

TEST(refuses_no_grids_and_a_backward_axis)
{
	struct grid *g = kit_hour(2, 0, 1);
	struct shade s;

	(void)state;
	assert_int_equal(make(NULL, 0, AXIS_LOG, SHADE_LOG, 0, 0, &s), -EINVAL);
	assert_int_equal(make(&g, 1, AXIS_LOG, SHADE_LOG, 2, 1, &s), -EINVAL);
	grid_free(g);
}

static void levels_of(enum shade_transfer transfer, double low, double high, double level[SHADE_LEVELS])
{
	double density[500];

	for (int i = 0; i < 500; i++)
		density[i] = low * pow(high / low, i / 499.0);
	assert_int_equal(shade_levels(transfer, density, 500, level), 0);
}

static void check_lookup(const struct shade_lookup *l, double density)
{
	assert_int_equal(shade_lookup_index(l, density), shade_density_index(l->level, density));
}

/* At every level, next to it, between levels, and beyond them. */
TEST(a_lookup_returns_what_halving_returns)
{
	static const enum shade_transfer transfer[] = { SHADE_LINEAR, SHADE_LOG, SHADE_RANK, SHADE_SQRT, SHADE_PERCENT };
	static const double range[][2] = { { 1, 1 }, { 0.01, 100 }, { 1, 1e15 }, { 1e-12, 1e-6 }, { 1e-30, 1e30 } };

	(void)state;
	for (size_t i = 0; i < 5; i++)
		for (size_t k = 0; k < 5; k++) {
			double level[SHADE_LEVELS];
			struct shade_lookup l;

			levels_of(transfer[i], range[k][0], range[k][1], level);
			shade_lookup_make(&l, level);
			for (int at = 0; at < SHADE_LEVELS; at++) {
				check_lookup(&l, level[at]);
				check_lookup(&l, nextafter(level[at], 0));
				check_lookup(&l, nextafter(level[at], INFINITY));
			}
			for (int n = 0; n < 20000; n++)
				check_lookup(&l, ldexp(1 + check_below(1 << 20) / (double)(1 << 20), (int)check_below(220) - 110));
		}
}

TEST(invalid_densities_have_level_0)
{
	double level[SHADE_LEVELS];
	struct shade_lookup l;

	(void)state;
	levels_of(SHADE_LOG, 1, 1000, level);
	shade_lookup_make(&l, level);
	assert_int_equal(shade_lookup_index(&l, 0), 0);
	assert_int_equal(shade_lookup_index(&l, -1), 0);
	assert_int_equal(shade_lookup_index(&l, NAN), 0);
	assert_int_equal(shade_lookup_index(&l, DBL_TRUE_MIN), 1);
	assert_int_equal(shade_lookup_index(&l, DBL_MAX), 255);
	assert_int_equal(shade_lookup_index(&l, INFINITY), 255);
}

TEST_MAIN()
