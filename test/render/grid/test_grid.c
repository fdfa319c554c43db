#include "render/grid/grid.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include <errno.h>

TEST(folding_keeps_every_count)
{
	struct grid *g = kit_hour(301, 3, 1), *f;

	(void)state;
	for (size_t k = 1; k < 310; k += 7) {
		__u64 a = 0, b = 0, lost = 0;

		assert_int_equal(grid_fold(g, k, &f), 0);
		assert_int_equal(f->n_cols, (301 + k - 1) / k);
		for (size_t i = 0; i < g->n_cols * g->n_rows; i++)
			a += g->cell[i];
		for (size_t i = 0; i < f->n_cols * f->n_rows; i++)
			b += f->cell[i];
		for (size_t col = 0; col < f->n_cols; col++)
			lost += f->column[col].lost;
		assert_int_equal(a, b);
		assert_int_equal(lost, g->all.lost);
		assert_int_equal(f->col_ns, g->col_ns * k);
		grid_free(f);
	}
	grid_free(g);
}

/* A source may send any number. */
TEST(sums_that_are_too_large_saturate)
{
	static const __u64 edge[] = { 0, 10, 20 };
	struct grid *g = kit_grid(2, 2, edge), *f;

	(void)state;
	kit_add(g, 0, 0, ~0ull - 1);
	kit_add(g, 1, 0, 5);
	g->column[0].lost = g->column[1].lost = g->column[0].sum = g->column[1].sum = ~0ull / 2 + 3;
	assert_int_equal(grid_fold(g, 2, &f), 0);
	assert_true(f->column[0].count == ~0ull && f->cell[0] == ~0ull);
	assert_true(f->column[0].lost == ~0ull && f->column[0].sum == ~0ull);
	grid_free(f);
	grid_free(g);
}

TEST(running_queries_are_folded_with_it)
{
	static const __u64 edge[] = { 0, 10, 20 };
	struct grid *g = kit_grid(3, 2, edge), *f;

	(void)state;
	g->running = kit_grid(3, 2, edge);
	g->running->point = 1;
	kit_add(g->running, 0, 1, 4);
	kit_add(g->running, 1, 1, 2);
	for (size_t col = 0; col < 3; col++)
		g->running->column[col].n_snapshots = 1;
	assert_int_equal(grid_fold(g, 2, &f), 0);
	assert_int_equal(f->running->n_cols, f->n_cols);
	assert_true(grid_shown(f->running, f->running->column[0].n_snapshots, (double)f->running->cell[2]) == 3);
	assert_int_equal(f->running->column[1].count, 0);
	grid_free(f);
	grid_free(g);
}

TEST(folded_percentiles_come_from_the_summed_cells)
{
	static const __u64 edge[] = { 0, 10, 20, GRID_NO_EDGE };
	struct grid *g = kit_grid(2, 3, edge), *f;

	(void)state;
	kit_add(g, 0, 0, 99);
	kit_add(g, 1, 1, 1);
	assert_int_equal(grid_fold(g, 2, &f), 0);
	assert_int_equal(f->column[0].p50, 9);
	assert_int_equal(f->column[0].p99, 9);
	grid_free(f);
	kit_add(g, 1, 1, 1);
	assert_int_equal(grid_fold(g, 2, &f), 0);
	assert_int_equal(f->column[0].p99, 19);
	grid_free(f);
	grid_free(g);
}

/* The value at rank ceil(p n), counted by hand. */
static __u64 value_at(const struct grid *g, size_t col, unsigned percent)
{
	__u64 n = g->column[col].count, rank = (n * percent + 99) / 100, seen = 0;

	for (size_t row = 0; row < g->n_rows; row++) {
		seen += g->cell[row * g->n_cols + col];
		if (seen >= rank)
			return g->edge[row + 1] - 1;
	}
	return 0;
}

TEST(every_folded_column_has_its_percentiles)
{
	enum { COLS = 31, ROWS = 20 };
	__u64 edge[ROWS + 1];
	struct grid *g, *f;

	(void)state;
	for (int row = 0; row <= ROWS; row++)
		edge[row] = 10 * (__u64)row;
	g = kit_grid(COLS, ROWS, edge);
	for (int i = 0; i < 300; i++)
		kit_add(g, check_below(COLS - 6), check_below(ROWS), 1 + check_below(50));
	for (size_t col = 0; col < COLS; col++)
		g->column[col].max = g->column[col].count ? 10 * ROWS : 0;
	g->cell[7]++;				/* weights: their sum is not the count */
	assert_int_equal(grid_fold(g, 3, &f), 0);
	for (size_t col = 0; col < f->n_cols; col++) {
		int ranked = col != 2 && f->column[col].count;

		assert_int_equal(f->column[col].p50, ranked ? value_at(f, col, 50) : 0);
		assert_int_equal(f->column[col].p90, ranked ? value_at(f, col, 90) : 0);
		assert_int_equal(f->column[col].p99, ranked ? value_at(f, col, 99) : 0);
	}
	assert_int_equal(f->column[10].count, 0);
	grid_free(f);
	grid_free(g);
}

/* As many events as a counter holds: all percentiles lie in this cell. */
TEST(the_fullest_cell_ends_the_walk)
{
	static const __u64 edge[] = { 0, 10, 20, GRID_NO_EDGE };
	struct grid *g = kit_grid(2, 3, edge), *f;

	(void)state;
	kit_add(g, 0, 1, 5);
	g->cell[0] = ~0ull - 5;
	g->column[0].count = ~0ull;
	assert_int_equal(grid_fold(g, 2, &f), 0);
	assert_int_equal(f->column[0].p50, 9);
	assert_int_equal(f->column[0].p99, 9);
	grid_free(f);
	grid_free(g);
}

TEST(zero_silence_and_loss_differ)
{
	struct grid_column c = { .n_reporting = 2, .n_expected = 2 };

	(void)state;
	assert_int_equal(grid_column_state(&c), GRID_ZERO);
	c.count = 1;
	assert_int_equal(grid_column_state(&c), GRID_OK);
	c.lost = 1;
	assert_int_equal(grid_column_state(&c), GRID_PARTIAL);
	c.lost = 0;
	c.n_reporting = 1;
	assert_int_equal(grid_column_state(&c), GRID_PARTIAL);
	c.n_reporting = 0;
	assert_int_equal(grid_column_state(&c), GRID_UNOBSERVED);
	c.marks = GRID_IN_PROGRESS;		/* no source is missing yet, but lost events are lost */
	assert_int_equal(grid_column_state(&c), GRID_OK);
	c.lost = 1;
	assert_int_equal(grid_column_state(&c), GRID_PARTIAL);
}

TEST(a_column_without_an_expected_source_was_not_observed)
{
	static const __u64 edge[] = { 0, 1 };
	struct grid *g = kit_grid(8, 1, edge);

	(void)state;
	assert_true(grid_observed(g) == 1);
	for (size_t col = 0; col < 7; col++)
		g->column[col] = (struct grid_column){ 0 };
	assert_true(grid_observed(g) == 0.125);
	g->column[6] = (struct grid_column){ .n_expected = 2, .n_reporting = 1 };
	assert_true(grid_observed(g) == 0.1875);
	g->column[7] = (struct grid_column){ .marks = GRID_IN_PROGRESS };
	g->column[6] = (struct grid_column){ .n_expected = 2, .n_reporting = 2 };
	assert_true(grid_observed(g) == 1.0 / 7);
	g->column[6] = (struct grid_column){ .n_expected = 2 };
	assert_true(grid_observed(g) == 0);
	grid_free(g);
}

TEST(refuses_shapes_of_nothing)
{
	static const __u64 edge[] = { 0, 1 };
	struct grid *g = kit_grid(1, 1, edge), *f;

	(void)state;
	assert_null(grid_new(0, 1));
	assert_null(grid_new(1, 0));
	assert_null(grid_new(SIZE_MAX / 2, 16));
	assert_int_equal(grid_fold(g, 0, &f), -EINVAL);
	grid_free(g);
	grid_free(NULL);
}

TEST(grid_like_has_all_but_the_cells)
{
	struct grid *g = kit_hour(100, 2, 1), *like = grid_like(g);

	(void)state;
	assert_memory_equal(like->edge, g->edge, (g->n_rows + 1) * sizeof(*g->edge));
	assert_memory_equal(like->column, g->column, g->n_cols * sizeof(*g->column));
	assert_memory_equal(&like->all, &g->all, sizeof(g->all));
	assert_true(like->from_ns == g->from_ns && like->col_ns == g->col_ns && like->slot_ns == g->slot_ns);
	assert_string_equal(like->unit, g->unit);
	for (size_t i = 0; i < g->n_rows * g->n_cols; i++)
		assert_int_equal(like->cell[i], 0);
	grid_free(like);
	grid_free(g);
}

/* Columns of 10 from 100 on. */
TEST(a_column_is_known_as_far_as_the_grid)
{
	static const struct { __s64 to; __u64 known[3]; } cases[] = {
		{ 0, { 10, 10, 10 } }, { 90, { 0, 0, 0 } }, { 100, { 0, 0, 0 } }, { 101, { 1, 0, 0 } }, { 110, { 10, 0, 0 } },
		{ 117, { 10, 7, 0 } }, { 129, { 10, 10, 9 } }, { 130, { 10, 10, 10 } }, { 500, { 10, 10, 10 } },
	};
	struct grid *g = grid_new(3, 1);

	(void)state;
	g->from_ns = 100;
	g->col_ns = 10;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		g->known_to_ns = cases[i].to;
		for (size_t col = 0; col < 3; col++)
			assert_int_equal(grid_known_ns(g, col), cases[i].known[col]);
	}
	grid_free(g);
}

TEST_MAIN()
