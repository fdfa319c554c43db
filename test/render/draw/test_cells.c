#include "render/draw/cells.h"
#include "render/color/hue.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"

TEST(every_count_ends_in_its_pixel)
{
	static const __u64 edge[] = { 0, 1, 2, 4, 8, 16, GRID_NO_EDGE };
	static __u32 pixel[40][30], strip[2][30];
	struct palette p;

	(void)state;
	palette_make(PALETTE_LIGHT, PALETTE_USUAL, &p);
	for (size_t row = 0; row < 6; row++)
		for (size_t col = 0; col < 3; col++) {
			struct grid *g = kit_grid(3, 6, edge);
			struct shade s;
			struct cells c = { .grid = g, .shade = &s, .palette = &p, .low = 1, .high = 16, .hatch = 7 };

			kit_add(g, col, row, 1);
			shade_make((const struct grid *const *)&g, 1, &(struct shade_options){ AXIS_LOG, SHADE_LOG, 0, 0, 0 }, &s);
			assert_int_equal(cells_paint(&c, *pixel, 30, 30, 40), 0);
			for (unsigned y = 0; y < 40; y++)
				for (unsigned x = 0; x < 30; x++)
					assert_int_equal(pixel[y][x] != (0xff000000 | p.zero),
							 x / 10 == col && 4 - y / 10 == row);
			assert_int_equal(cells_above(&c), row == 5);
			assert_int_equal(cells_below(&c), row == 0);
			assert_int_equal(cells_paint_above(&c, *strip, 30, 30, 2), 0);
			assert_int_equal(strip[1][col * 10] != (0xff000000 | p.zero), row == 5);
			shade_fini(&s);
			grid_free(g);
		}
}

/* The same state looks the same, if one column saw it in one slot and another in three. */
TEST(a_point_grid_is_coloured_by_its_means)
{
	static const __u64 edge[] = { 0, 1, 2 };
	static __u32 pixel[4][20];
	struct grid *g = kit_grid(2, 2, edge);
	struct palette p;
	struct shade s;
	struct cells c = { .grid = g, .shade = &s, .palette = &p, .high = 2, .hatch = 7 };

	(void)state;
	palette_make(PALETTE_LIGHT, PALETTE_USUAL, &p);
	kit_add(g, 0, 0, 5);
	kit_add(g, 0, 1, 1);
	kit_add(g, 1, 0, 15);
	kit_add(g, 1, 1, 3);
	for (g->point = 0; g->point < 2; g->point++) {
		g->column[0].n_snapshots = 1;
		g->column[1].n_snapshots = 3;
		shade_make((const struct grid *const *)&g, 1, &(struct shade_options){ AXIS_LINEAR, SHADE_LINEAR, 0, 0, 0 }, &s);
		assert_true(s.max == (g->point ? 5 : 15) * s.scale[0]);
		assert_int_equal(cells_paint(&c, *pixel, 20, 20, 4), 0);
		assert_int_equal(pixel[3][0] == pixel[3][19], g->point);
		assert_int_equal(pixel[0][0] == pixel[0][19], g->point);
		shade_fini(&s);
	}
	grid_free(g);
}

/* An axis of four octaves of ten pixels each; the edges of the age count, not those of the rows. */
TEST(running_queries_are_hatched_at_their_age)
{
	static const __u64 edge[] = { 1, 16 }, age[] = { 2, 4, 8, 64 };
	static __u32 pixel[40][30];
	struct grid *g = kit_grid(3, 1, edge);
	struct shade s;
	struct palette p;
	unsigned n[40] = { 0 };

	(void)state;
	palette_make(PALETTE_LIGHT, PALETTE_USUAL, &p);
	g->running = kit_grid(3, 3, age);
	kit_add(g->running, 1, 0, 1);
	kit_add(g->running, 1, 1, 1);
	kit_add(g->running, 2, 2, 1);		/* half beyond the axis */
	shade_make((const struct grid *const *)&g, 1, &(struct shade_options){ AXIS_LOG, SHADE_LOG, 0, 0, 0 }, &s);
	assert_int_equal(cells_paint(&(struct cells){ .grid = g, .shade = &s, .palette = &p, .low = 1, .high = 16, .hatch = 7 },
				     *pixel, 30, 30, 40), 0);
	for (unsigned y = 0; y < 40; y++)
		for (unsigned x = 0; x < 30; x++) {
			int runs = pixel[y][x] == (0xff000000 | p.running);

			n[y] += x < 20 && runs;
			assert_true(!runs || x >= 10);
			assert_true(!runs || x >= 20 || (y >= 10 && y < 30));
			assert_true(!runs || x < 20 || y < 10);
		}
	assert_true(n[10] == 10 && n[29] == 10);	/* the frame of both, which touch */
	assert_true(n[19] > 0 && n[19] < 10 && n[20] > 0 && n[20] < 10);
	shade_fini(&s);
	grid_free(g);
}

TEST(a_hundred_running_queries_leave_cells_visible)
{
	static const __u64 edge[] = { 0, 16, GRID_NO_EDGE };
	static __u32 pixel[20][20], strip[8][20];
	struct grid *g = kit_grid(1, 2, edge);
	struct shade s;
	struct palette p;

	(void)state;
	palette_make(PALETTE_LIGHT, PALETTE_USUAL, &p);
	g->running = kit_grid(1, 2, edge);
	kit_add(g->running, 0, 0, 1000);
	kit_add(g->running, 0, 1, 1);
	shade_make((const struct grid *const *)&g, 1, &(struct shade_options){ AXIS_LINEAR, SHADE_LOG, 0, 0, 0 }, &s);
	for (unsigned scale = 1; scale <= 2; scale++) {
		struct cells c = { .grid = g, .shade = &s, .palette = &p, .high = 16, .hatch = 7 * scale };
		unsigned n = 0, n_beyond = 0;

		assert_int_equal(cells_paint(&c, *pixel, 20, 20, 20), 0);
		assert_int_equal(cells_above(&c), 1);
		assert_int_equal(cells_below(&c), 0);
		assert_int_equal(cells_paint_above(&c, *strip, 20, 20, 8), 0);
		for (unsigned i = 0; i < 400; i++)
			n += pixel[i / 20][i % 20] == (0xff000000 | p.running);
		for (unsigned i = 0; i < 160; i++)
			n_beyond += strip[i / 20][i % 20] == (0xff000000 | p.running);
		assert_in_range(n, 60, 200);
		assert_in_range(n_beyond, 20, 100);
	}
	shade_fini(&s);
	grid_free(g);
}

TEST(rows_thinner_than_a_pixel_lose_no_count)
{
	static __u32 pixel[20][1];
	struct palette p;

	(void)state;
	palette_make(PALETTE_DARK, PALETTE_USUAL, &p);
	for (int scale = 0; scale < 2; scale++)
		for (size_t row = 1; row < 500; row += 7) {
			struct grid *g = kit_hour(1, 5, 1);
			struct shade s;
			struct cells c = { .grid = g, .shade = &s, .palette = &p, .low = 1024,
					   .high = (double)(1ull << 36), .hatch = 7 };
			unsigned used = 0;

			memset(g->cell, 0, g->n_rows * sizeof(*g->cell));
			g->cell[row] = 1;
			g->column[0].n_reporting = g->column[0].n_expected;
			shade_make((const struct grid *const *)&g, 1,
				   &(struct shade_options){ scale, SHADE_LOG, 0, 0, 1ull << 36 }, &s);
			assert_int_equal(cells_paint(&c, *pixel, 1, 1, 20), 0);
			for (unsigned y = 0; y < 20; y++)
				used += pixel[y][0] != (0xff000000 | p.zero);
			assert_int_equal(used, 1);
			shade_fini(&s);
			grid_free(g);
		}
}

/* Two rows share a pixel: each layer's events there add up first, then the layers mix. */
TEST(layers_mix_in_their_pixel)
{
	static const __u64 edge[] = { 0, 1, 2, 4, 8 };
	static const struct layer_cell cell[] = { { 1, 0, 3 }, { 2, 0, 6 }, { 3, 1, 5 } };
	const struct shade_options o = { .yscale = AXIS_LOG, .transfer = SHADE_LINEAR };
	struct grid *g = kit_grid(3, 4, edge);
	__u32 pixel[3][3];
	struct hue_mix mix = { 0 };
	struct palette p;
	struct layer_ramps t;
	struct shade s;
	struct cells c = { .grid = g, .shade = &s, .palette = &p, .ramps = &t, .low = 1, .high = 8, .hatch = 7 };
	unsigned level[2];

	(void)state;
	palette_make(PALETTE_LIGHT, PALETTE_USUAL, &p);
	kit_add(g, 0, 1, 3);
	kit_add(g, 0, 2, 16);
	kit_add(g, 1, 3, 5);
	g->layers = layers_new(1);
	assert_int_equal(layer_fill(&g->layers->layer[0], g, "a", cell, 3), 0);
	g->layers->layer[0].hue = 200;
	assert_int_equal(layer_ramps_make(g, PALETTE_LIGHT, &t), 0);
	assert_int_equal(shade_make((const struct grid *const *)&g, 1, &o, &s), 0);
	assert_true(s.max == 10);			/* 16 - 6, of the rest */
	assert_int_equal(cells_paint(&c, *pixel, 3, 3, 3), 0);
	assert_int_equal(pixel[2][0], 0xff000000 | t.ramp[1][shade_density_index(s.level, 3)]);
	level[0] = shade_density_index(s.level, 10);
	level[1] = shade_density_index(s.level, 6);
	hue_mix_add(&mix, t.ramp[0][level[0]], level[0] / 255.0);
	hue_mix_add(&mix, t.ramp[1][level[1]], level[1] / 255.0);
	assert_int_equal(pixel[1][0], 0xff000000 | hue_mix_colour(&mix, 0));
	assert_int_equal(pixel[0][1], 0xff000000 | t.ramp[1][shade_density_index(s.level, 5)]);
	assert_int_equal(pixel[0][2], 0xff000000 | p.zero);
	shade_fini(&s);
	layer_ramps_fini(&t);
	grid_free(g);
}

TEST_MAIN()
