#include "render/grid/layer.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include <errno.h>

static __u64 at(const struct layer *l, size_t row, size_t col)
{
	for (size_t i = l->row[row]; i < l->row[row + 1]; i++)
		if (l->cell[i].col == col)
			return l->cell[i].count;
	return 0;
}

TEST(cells_come_in_any_order_and_add_up)
{
	static const __u64 edge[] = { 0, 1, 2, 3 };
	static const struct layer_cell cell[] = { { 2, 1, 5 }, { 0, 3, 1 }, { 2, 1, 2 }, { 2, 0, 1 } };
	struct grid *g = kit_grid(4, 3, edge);
	struct layers *l = layers_new(1);

	(void)state;
	assert_int_equal(layer_fill(&l->layer[0], g, "select", cell, 4), 0);
	assert_int_equal(l->layer[0].n_cells, 3);
	assert_int_equal(l->layer[0].count, 9);
	assert_int_equal(at(&l->layer[0], 2, 1), 7);
	assert_int_equal(at(&l->layer[0], 2, 0), 1);
	assert_int_equal(at(&l->layer[0], 0, 3), 1);
	assert_int_equal(l->layer[0].row[1], l->layer[0].row[2]);
	assert_string_equal(l->layer[0].name, "select");
	layers_free(l);
	grid_free(g);
}

TEST(layers_and_rest_are_the_grid)
{
	struct grid *g = kit_hour(60, 3, 1);
	__u64 *rest;

	(void)state;
	kit_split(g, 4);
	rest = layers_rest(g);
	for (size_t row = 0; row < g->n_rows; row++)
		for (size_t col = 0; col < g->n_cols; col++) {
			__u64 sum = rest[row * g->n_cols + col];

			for (size_t k = 0; k < 4; k++)
				sum += at(&g->layers->layer[k], row, col);
			assert_int_equal(sum, g->cell[row * g->n_cols + col]);
		}
	free(rest);
	grid_free(g);
}

/* Folding the grid folds its layers: no event changes its key. */
TEST(folding_keeps_every_count_of_every_key)
{
	struct grid *g = kit_hour(61, 3, 1), *folded;

	(void)state;
	kit_split(g, 3);
	g->layers->shown = LAYERS_ISOLATED;
	assert_int_equal(grid_fold(g, 7, &folded), 0);
	assert_int_equal(folded->layers->shown, LAYERS_ISOLATED);
	for (size_t k = 0; k < 3; k++) {
		const struct layer *from = &g->layers->layer[k], *to = &folded->layers->layer[k];

		assert_int_equal(to->count, from->count);
		assert_int_equal(to->hue, from->hue);
		assert_string_equal(to->name, from->name);
		for (size_t row = 0; row < g->n_rows; row++)
			for (size_t col = 0; col < folded->n_cols; col++) {
				__u64 sum = 0;

				for (size_t i = 7 * col; i < 7 * col + 7 && i < g->n_cols; i++)
					sum += at(from, row, i);
				assert_int_equal(at(to, row, col), sum);
			}
	}
	grid_free(folded);
	grid_free(g);
}

TEST(how_many_are_drawn)
{
	struct layers *l = layers_new(3);

	(void)state;
	assert_int_equal(layers_drawn(NULL), 1);
	assert_int_equal(layers_drawn(l), 4);
	l->shown = LAYERS_ISOLATED;
	assert_int_equal(layers_drawn(l), 3);
	l->shown = LAYERS_EXCLUDED;
	assert_int_equal(layers_drawn(l), 1);
	layers_free(l);
	layers_free(NULL);
}

TEST(refuses_cells_outside)
{
	static const __u64 edge[] = { 0, 1, 2 };
	static const struct layer_cell bad[] = { { 2, 0, 1 }, { 0, 4, 1 } };
	struct grid *g = kit_grid(4, 2, edge);
	struct layers *l = layers_new(2);

	(void)state;
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(layer_fill(&l->layer[i], g, "x", &bad[i], 1), -EINVAL);
	layers_free(l);
	grid_free(g);
}

TEST_MAIN()
