#include "render/grid.h"
#include "check.h"
#include "render_kit.h"
#include <errno.h>

static void folding_keeps_every_count(void **state)
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

static void folded_percentiles_come_from_the_summed_cells(void **state)
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

static void zero_silence_and_loss_differ(void **state)
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
	c.marks = GRID_IN_PROGRESS;		/* nobody is missing yet, but what is lost is lost */
	assert_int_equal(grid_column_state(&c), GRID_OK);
	c.lost = 1;
	assert_int_equal(grid_column_state(&c), GRID_PARTIAL);
}

static void refuses_shapes_of_nothing(void **state)
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(folding_keeps_every_count),
	cmocka_unit_test(folded_percentiles_come_from_the_summed_cells),
	cmocka_unit_test(zero_silence_and_loss_differ),
	cmocka_unit_test(refuses_shapes_of_nothing),
};

CHECK_MAIN(tests)
