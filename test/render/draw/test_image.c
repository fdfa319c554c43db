#include "render/draw/image.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include <errno.h>

static __u32 probe(const struct grid *g, const struct image_options *o, unsigned x, unsigned y)
{
	unsigned width, height;
	__u8 *png, *rgb;
	size_t len;
	__u32 pixel;

	assert_int_equal(image_png(g, o, &png, &len), 0);
	rgb = kit_decode(png, len, &width, &height);
	assert_int_equal(width, o->width);
	assert_int_equal(height, o->height);
	pixel = kit_pixel(rgb, width, x, y);
	free(png);
	free(rgb);
	return pixel;
}

/* The figures of the original program. */
TEST(autoscale_is_cloud_analytics)
{
	static const __u64 row[][2] = {
		{ 5, 6 }, { 9, 10 }, { 10, 12 }, { 99, 100 }, { 100, 120 }, { 101, 120 }, { 125, 140 },
		{ 500, 600 }, { 1234, 1400 }, { 7000, 8000 }, { 9999, 10000 }, { 52000, 60000 },
		{ 999999, 1000000 }, { 8123456, 10000000 }, { 1000000000, 1200000000 }, { 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		assert_int_equal(image_autoscale(row[i][0]), row[i][1]);
	assert_int_equal(image_autoscale(~0ull), ~0ull);
}

/* Cloud Analytics' golden map with all counts doubled, because no bucket is split here: 4 rows over 0..40. */
static struct grid *golden(void)
{
	static const __u64 edge[] = { 0, 5, 10, 25, 30, 35, 40, 55 };
	struct grid *g = kit_grid(3, 7, edge);

	kit_add(g, 0, 0, 5);
	kit_add(g, 0, 1, 5);
	kit_add(g, 0, 4, 1);
	kit_add(g, 0, 5, 1);
	kit_add(g, 1, 1, 5);
	kit_add(g, 1, 2, 15);		/* 10-24: 10 in the second row, 5 in the third */
	kit_add(g, 2, 5, 2);
	kit_add(g, 2, 6, 6);
	return g;
}

static __u32 shaded(double v) { return v > 0 ? hue_colour(PALETTE_LIGHT, 21, v) : 0xffffff; }

TEST(the_golden_map_has_cloud_analytics_colours)
{
	static const double rank[3][4] = { { 1, 0, 0, 1 / 3.0 }, { 2 / 3.0, 1, 2 / 3.0, 0 }, { 0, 0, 0, 1 / 3.0 } };
	static const double linear[3][4] = { { 1, 0, 0, 0.2 }, { 0.5, 1, 0.5, 0 }, { 0, 0, 0, 0.2 } };
	struct grid *g = golden();
	struct image_options o = { .width = 30, .height = 40, .n_rows = 4, .ymax = 40, .hued = 1, .hue = 21 };

	(void)state;
	for (unsigned col = 0; col < 3; col++)
		for (unsigned row = 0; row < 4; row++) {
			o.transfer = SHADE_RANK;
			assert_int_equal(probe(g, &o, 10 * col + 5, 35 - 10 * row), shaded(rank[col][row]));
			o.transfer = SHADE_LINEAR;
			assert_int_equal(probe(g, &o, 10 * col + 5, 35 - 10 * row), shaded(linear[col][row]));
		}
	assert_int_equal(shaded(1), 0xf26518);
	assert_int_equal(shaded(2 / 3.0), 0xf29461);
	assert_int_equal(shaded(1 / 3.0), 0xf2c3aa);
	/* Its averages were 10, 15, 35 and its p50 6, 15, 35: of display rows, interpolated in them.  Ours are
	 * of the buckets: sum / count exactly, and the highest value of the bucket that holds the rank. */
	kit_finish(g);
	assert_int_equal(g->column[0].p50, 9);
	assert_int_equal(g->column[1].p50, 24);
	assert_int_equal(g->column[2].p50, 54);
	grid_free(g);
}

TEST(a_grid_in_our_ramp)
{
	struct grid *g = golden();
	struct image_options o = { .width = 30, .height = 40, .n_rows = 4, .ymax = 40, .transfer = SHADE_LINEAR };
	struct palette p;

	(void)state;
	palette_make(PALETTE_LIGHT, PALETTE_USUAL, &p);
	assert_int_equal(probe(g, &o, 15, 25), p.colour[255]);	/* 10 events, the most */
	assert_int_equal(probe(g, &o, 5, 35), p.colour[255]);
	assert_int_equal(probe(g, &o, 15, 15), p.colour[128]);	/* 5 */
	assert_int_equal(probe(g, &o, 15, 5), p.zero);
	assert_int_equal(probe(g, &o, 25, 5), p.colour[52]);	/* 2 */
	grid_free(g);
}

/* Default parameters on 100000 events in 1..100. */
TEST(ymax_is_cloud_analytics)
{
	__u64 edge[102];
	struct grid *g;

	(void)state;
	for (__u64 i = 0; i < 102; i++)
		edge[i] = i;
	g = kit_grid(1, 101, edge);
	assert_int_equal(image_ymax(g), 0);		/* no data */
	for (size_t row = 1; row <= 100; row++)
		kit_add(g, 0, row, 1000);
	assert_int_equal(image_ymax(g), 120);
	grid_free(g);
}

/* No data, or data only in the bucket [0, 0]: there the rows of Cloud Analytics were not numbers. */
TEST(degenerate_maps_are_pictures)
{
	static const __u64 edge[] = { 0, 1, 2 };
	struct grid *g = kit_grid(5, 2, edge);
	struct image_options o = { .width = 50, .height = 20, .n_rows = 100, .hued = 1, .hue = 21, .transfer = SHADE_RANK };

	(void)state;
	assert_int_equal(probe(g, &o, 25, 10), 0xffffff);
	kit_add(g, 2, 0, 3);
	assert_int_equal(image_ymax(g), 1);
	assert_int_equal(probe(g, &o, 25, 10), 0xf26518);
	assert_int_equal(probe(g, &o, 15, 10), 0xffffff);
	grid_free(g);
}

TEST(layers_are_drawn_in_their_hues)
{
	static const __u64 edge[] = { 0, 10 };
	static const struct layer_cell cell[] = { { 0, 1, 2 }, { 0, 2, 4 } };
	struct grid *g = kit_grid(4, 1, edge);
	struct image_options o = { .width = 40, .height = 20, .n_rows = 1, .ymax = 10, .transfer = SHADE_LINEAR };
	struct hue_mix mix = { 0 };

	(void)state;
	kit_add(g, 0, 0, 4);
	kit_add(g, 1, 0, 2);
	kit_add(g, 2, 0, 6);
	g->column[3].n_reporting = 0;
	g->layers = layers_new(1);
	g->layers->rest_hue = 21;
	assert_int_equal(layer_fill(&g->layers->layer[0], g, "select", cell, 2), 0);
	g->layers->layer[0].hue = 112;
	hue_mix_add(&mix, shaded(0.5), 0.5);
	hue_mix_add(&mix, hue_colour(PALETTE_LIGHT, 112, 1), 1);
	assert_int_equal(probe(g, &o, 5, 5), shaded(1));
	assert_int_equal(probe(g, &o, 15, 5), hue_colour(PALETTE_LIGHT, 112, 0.5));
	assert_int_equal(probe(g, &o, 25, 5), hue_mix_colour(&mix, 0));
	assert_int_equal(probe(g, &o, 36, 0), 0xb4bbc4);	/* hatched: not observed */
	grid_free(g);
}

/* More colours than a palette holds. */
TEST(many_hues_keep_their_colours)
{
	struct grid *g = kit_hour(600, 5, 1);
	struct image_options o = { .width = 600, .height = 300, .n_rows = 100, .transfer = SHADE_RANK, .yscale = AXIS_LOG };
	unsigned width, height, distinct = 0;
	static __u8 seen[1 << 24];
	__u8 *png, *rgb;
	size_t len;

	(void)state;
	kit_split(g, 6);
	assert_int_equal(image_png(g, &o, &png, &len), 0);
	rgb = kit_decode(png, len, &width, &height);
	for (unsigned y = 0; y < height; y++)
		for (unsigned x = 0; x < width; x++) {
			__u32 pixel = kit_pixel(rgb, width, x, y);

			distinct += !seen[pixel];
			seen[pixel] = 1;
		}
	assert_true(distinct > 1000);
	free(png);
	free(rgb);
	grid_free(g);
}

/* Makes each column twice: the means of two equal columns. */
static struct grid *doubled(const struct grid *g)
{
	struct grid *twice = kit_grid(2 * g->n_cols, g->n_rows, g->edge);

	for (size_t row = 0; row < g->n_rows; row++)
		for (size_t col = 0; col < twice->n_cols; col++)
			kit_add(twice, col, row, g->cell[row * g->n_cols + col / 2]);
	for (size_t col = 0; col < twice->n_cols; col++)
		twice->column[col] = g->column[col / 2];
	return twice;
}

/* Folded or not, by indices or by colours, with hatches and without: the same pixels. */
TEST(folded_columns_look_like_unfolded_ones)
{
	struct grid *g = kit_hour(600, 5, 1), *twice;
	struct image_options o = { .width = 600, .height = 310, .n_rows = 100, .transfer = SHADE_RANK, .hue = 205 };
	unsigned width, height;

	(void)state;
	g->column[17].n_reporting = 0;
	twice = doubled(g);
	for (int i = 0; i < 8; i++) {
		__u8 *png[2], *rgb[2];
		size_t len[2];

		o.hued = i & 1;
		o.weighted = i >> 1 & 1;
		o.yscale = i >> 2 & 1 ? AXIS_LOG : AXIS_LINEAR;
		assert_int_equal(image_png(g, &o, &png[0], &len[0]), 0);
		assert_int_equal(image_png(twice, &o, &png[1], &len[1]), 0);
		for (int k = 0; k < 2; k++)
			rgb[k] = kit_decode(png[k], len[k], &width, &height);
		assert_memory_equal(rgb[0], rgb[1], 3 * 600 * 310);
		assert_true(kit_pixel(rgb[0], 600, 17, 1) != kit_pixel(rgb[0], 600, 17, 2));	/* 17 + 1 = 3 * 6 */
		for (int k = 0; k < 2; k++) {
			free(png[k]);
			free(rgb[k]);
		}
	}
	grid_free(twice);
	grid_free(g);
}

TEST(one_event_among_thousands_of_columns_is_seen)
{
	static const __u64 edge[] = { 0, 10, 20 };
	struct grid *g = kit_grid(3600, 2, edge);
	struct image_options o = { .width = 100, .height = 20, .n_rows = 2, .ymax = 20 };
	struct image_cell cell;

	(void)state;
	for (size_t col = 0; col < 3600; col++)
		kit_add(g, col, 0, 1000);
	kit_add(g, 1801, 1, 1);
	for (int t = SHADE_LINEAR; t <= SHADE_RANK; t++) {
		o.transfer = t;
		assert_true(probe(g, &o, 50, 5) != probe(g, &o, 49, 5));
	}
	assert_int_equal(image_cell_at(g, &o, 50, 5, &cell), 0);
	assert_int_equal(cell.first_col, 1800);
	assert_int_equal(cell.last_col, 1835);
	assert_true(cell.from == 10 && cell.to == 20);
	grid_free(g);
}

/* One rule for picture and details: a pixel is coloured where, and only where, its cell has a part of the columns'
 * events.  Cells that are less than one unit high, too. */
TEST(pixels_with_events_are_coloured_and_no_others)
{
	(void)state;
	for (int round = 0; round < 200; round++) {
		__u64 edge[12] = { check_below(3) }, ymin = check_below(2) ? 0 : check_below(20);
		struct image_options o = { .width = 10, .height = 10 + check_below(190), .n_rows = 1 + check_below(200), .ymin = ymin };
		size_t n_rows = 1 + check_below(11), n_cols = 1 + check_below(25);
		unsigned width, height;
		double share[12];
		__u8 *png, *rgb;
		struct grid *g;
		size_t len;

		for (size_t row = 0; row < n_rows; row++)
			edge[row + 1] = edge[row] + 1 + check_below(check_below(2) ? 2 : 30);
		if (check_below(2))
			edge[n_rows] = GRID_NO_EDGE;
		g = kit_grid(n_cols, n_rows, edge);
		for (int i = 0; i < 5; i++)
			kit_add(g, check_below(n_cols), check_below(n_rows), 1 + check_below(100));
		o.ymax = ymin + 1 + check_below(60);
		assert_int_equal(image_png(g, &o, &png, &len), 0);
		rgb = kit_decode(png, len, &width, &height);
		for (unsigned y = 0; y < o.height; y++) {
			for (unsigned x = 0; x < o.width; x++) {
				struct image_cell cell;
				double events = 0;
				int coloured = kit_pixel(rgb, width, x, y) != 0xffffff;

				assert_int_equal(image_cell_at(g, &o, x, y, &cell), 0);
				assert_int_equal(image_cell_shares(g, &o, &cell, share), 0);
				assert_true(cell.from < cell.to);
				for (size_t col = cell.first_col; col <= cell.last_col; col++)
					for (size_t row = 0; row < n_rows; row++)
						events += (double)g->cell[row * n_cols + col] * share[row];
				assert_int_equal(coloured, events > 0);
			}
		}
		free(png);
		free(rgb);
		grid_free(g);
	}
}

TEST(zero_unobserved_and_lost_look_different)
{
	static const __u64 edge[] = { 0, 10 };
	struct image_options o = { .width = 30, .height = 10, .n_rows = 1, .ymax = 10 };
	struct palette p;

	(void)state;
	for (int theme = 0; theme < 2; theme++) {
		struct grid *g = kit_grid(3, 1, edge);

		palette_make(theme, PALETTE_USUAL, &p);
		o.theme = theme;
		g->column[1].n_reporting = 0;
		g->column[2].lost = 1;
		assert_int_equal(probe(g, &o, 5, 3), p.zero);
		assert_int_equal(probe(g, &o, 11, 0), p.unobserved);
		assert_int_equal(probe(g, &o, 12, 0), p.unobserved_line);
		assert_int_equal(probe(g, &o, 24, 0), p.partial);
		assert_int_equal(probe(g, &o, 25, 0), p.zero);
		grid_free(g);
	}
}

TEST(refuses_bad_sizes)
{
	static const struct image_options bad[] = {
		{ .width = 9, .height = 100, .n_rows = 10 }, { .width = 100, .height = 4001, .n_rows = 10 },
		{ .width = 100, .height = 100, .n_rows = 0 }, { .width = 100, .height = 100, .n_rows = 1001 },
		{ .width = 100, .height = 100, .n_rows = 10, .ymin = 5, .ymax = 5 },
	};
	struct grid *g = kit_hour(10, 3, 1);
	struct image_options good = { .width = 100, .height = 100, .n_rows = 10 };
	struct image_cell cell;
	__u8 *png;
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(image_png(g, &bad[i], &png, &len), -EINVAL);
	assert_int_equal(image_cell_at(g, &good, 100, 0, &cell), -EINVAL);
	grid_free(g);
}

TEST_MAIN()
