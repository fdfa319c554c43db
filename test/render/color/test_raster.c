#include "render/color/raster.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include <math.h>

static void add(struct raster *r, const __u64 *edge, size_t n_rows, size_t col, size_t row, __u64 count)
{
	struct grid *g = kit_grid(3, n_rows, edge);

	kit_add(g, col, row, count);
	assert_int_equal(raster_add_cells(r, g, g->cell), 0);
	grid_free(g);
}

/* Buckets of several layouts in one map, like the golden map of Cloud Analytics. */
TEST(counts_spread_as_in_cloud_analytics)
{
	static const __u64 first[] = { 0, 10, 30, 40 }, second[] = { 5, 25 }, third[] = { 35, 55 };
	static const double want[2][4][3] = {
		{ { 5, 2.5, 0 }, { 0, 5, 0 }, { 0, 2.5, 0 }, { 1, 0, 1 } },
		{ { 22.5, 36.25, 0 }, { 0, 72.5, 0 }, { 0, 36.25, 0 }, { 34.5, 0, 44.5 } },
	};

	(void)state;
	for (int weighted = 0; weighted < 2; weighted++) {
		struct raster r = { .n_cols = 3, .n_rows = 4, .high = 40, .weighted = weighted };

		assert_int_equal(raster_init(&r), 0);
		add(&r, first, 3, 0, 0, 5);
		add(&r, first, 3, 0, 2, 1);
		add(&r, second, 1, 1, 0, 10);
		add(&r, third, 1, 2, 0, 4);
		for (size_t row = 0; row < 4; row++)
			for (size_t col = 0; col < 3; col++)
				assert_true(fabs(r.density[3 * row + col] - want[weighted][row][col]) < 1e-9);
		assert_true(r.sum[2] == (weighted ? 178 : 4));	/* with the rows above the range */
		raster_fini(&r);
	}
}

/* Layers that add up to the grid give the grid's raster, folded or not, spread or not. */
TEST(layers_add_up_to_the_grid)
{
	(void)state;
	for (int i = 0; i < 8; i++) {
		struct raster whole = { .n_cols = i & 1 ? 100 : 37, .n_rows = 50, .weighted = i >> 1 & 1,
					.yscale = i >> 2 ? AXIS_LOG : AXIS_LINEAR };
		struct raster parts;
		struct grid *g = kit_hour(100, 3, 1);
		__u64 *rest;

		kit_split(g, 5);
		rest = layers_rest(g);
		whole.low = raster_along(&whole, 20000);
		whole.high = raster_along(&whole, 3000000000ull);
		parts = whole;
		assert_int_equal(raster_init(&whole), 0);
		assert_int_equal(raster_init(&parts), 0);
		assert_int_equal(raster_add_cells(&whole, g, g->cell), 0);
		assert_int_equal(raster_add_cells(&parts, g, rest), 0);
		for (size_t k = 0; k < 5; k++)
			assert_int_equal(raster_add_layer(&parts, g, &g->layers->layer[k]), 0);
		for (size_t k = 0; k < whole.n_cols * whole.n_rows; k++)
			assert_true(fabs(whole.density[k] - parts.density[k]) <= 1e-9 * whole.density[k]);
		for (size_t k = 0; k < whole.n_cols; k++)
			assert_true(fabs(whole.sum[k] - parts.sum[k]) <= 1e-9 * whole.sum[k]);
		raster_fini(&whole);
		raster_fini(&parts);
		free(rest);
		grid_free(g);
	}
}

TEST(percent_is_of_the_whole_column)
{
	static const __u64 edge[] = { 0, 10, 20, 30 };
	struct raster r = { .n_cols = 3, .n_rows = 2, .high = 20 };

	(void)state;
	assert_int_equal(raster_init(&r), 0);
	add(&r, edge, 3, 1, 0, 1);
	add(&r, edge, 3, 1, 2, 3);		/* above the range */
	raster_percent(&r, r.sum);
	assert_true(r.density[1] == 25);
	raster_clear(&r);
	assert_true(r.density[1] == 0 && r.sum[1] == 0);
	raster_fini(&r);
}

/* Rows that divide buckets evenly: rounding paints no other row. */
TEST(a_bucket_is_in_its_own_rows_alone)
{
	for (int i = 0; i < 2000; i++) {
		size_t parts = 1 + check_below(50), n = 2 + check_below(20), at = check_below((unsigned)n), from = check_below(100000),
		       width = 1 + check_below(100000);
		const __u64 edge[] = { from + at * width, from + (at + 1) * width };
		struct raster r = { .n_cols = 3, .n_rows = n * parts, .low = (double)from, .high = (double)(from + n * width) };

		assert_int_equal(raster_init(&r), 0);
		add(&r, edge, 1, 1, 0, 7);
		for (size_t row = 0; row < r.n_rows; row++)
			assert_int_equal(r.density[3 * row + 1] > 0, row / parts == at);
		raster_fini(&r);
	}
}

TEST_MAIN()
