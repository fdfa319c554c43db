#include "render/image.h"
#include "check.h"
#include "render_kit.h"
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

/* The figures that the original program gave. */
static void autoscale_is_cloud_analytics(void **state)
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

/* As its golden map: 4 rows over 0..40; a bucket over two rows is split by overlap. */
static void counts_spread_as_in_cloud_analytics(void **state)
{
	static const __u64 edge[] = { 0, 5, 10, 25, 30, 35, 40, 55 };
	struct grid *g = kit_grid(3, 7, edge);
	struct image_options o = { .width = 30, .height = 40, .n_rows = 4, .ymax = 40, .transfer = SHADE_LINEAR };
	struct palette p;

	(void)state;
	kit_add(g, 0, 0, 5);
	kit_add(g, 1, 1, 5);
	kit_add(g, 1, 2, 15);		/* 10-24: 10 in the second row, 5 in the third */
	kit_add(g, 2, 5, 4);
	palette_make(PALETTE_LIGHT, &p);
	assert_int_equal(probe(g, &o, 15, 25), p.colour[255]);	/* 10 events, the most: rows of 10 */
	assert_int_equal(probe(g, &o, 5, 35), p.colour[128]);	/* 5 */
	assert_int_equal(probe(g, &o, 15, 15), p.colour[128]);	/* 5 */
	assert_int_equal(probe(g, &o, 15, 5), p.zero);
	assert_int_equal(probe(g, &o, 25, 5), p.colour[103]);	/* 4 */
	grid_free(g);
}

static void one_event_among_thousands_of_columns_is_seen(void **state)
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
	assert_int_equal(cell.from, 10);
	assert_int_equal(cell.to, 20);
	grid_free(g);
}

static void zero_unobserved_and_lost_look_different(void **state)
{
	static const __u64 edge[] = { 0, 10 };
	struct image_options o = { .width = 30, .height = 10, .n_rows = 1, .ymax = 10 };
	struct palette p;

	(void)state;
	for (int theme = 0; theme < 2; theme++) {
		struct grid *g = kit_grid(3, 1, edge);

		palette_make(theme, &p);
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

static void refuses_bad_sizes(void **state)
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(autoscale_is_cloud_analytics),
	cmocka_unit_test(counts_spread_as_in_cloud_analytics),
	cmocka_unit_test(one_event_among_thousands_of_columns_is_seen),
	cmocka_unit_test(zero_unobserved_and_lost_look_different),
	cmocka_unit_test(refuses_bad_sizes),
};

CHECK_MAIN(tests)
