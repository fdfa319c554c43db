#include "render/draw/figure.h"
#include "render/grid/layer.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include <errno.h>

TEST(equal_input_gives_equal_bytes)
{
	struct grid *g = kit_hour(2000, 3, 1);
	struct figure_options o;

	(void)state;
	figure_defaults(&o);
	o.title = "mysql.queries";
	for (int format = FIGURE_PNG; format <= FIGURE_PDF; format++) {
		__u8 *a, *b;
		size_t a_len, b_len;

		o.format = format;
		assert_int_equal(figure_render(g, &o, &a, &a_len), 0);
		assert_int_equal(figure_render(g, &o, &b, &b_len), 0);
		assert_int_equal(a_len, b_len);
		assert_memory_equal(a, b, a_len);
		assert_memory_equal(a, format == FIGURE_PDF ? "%PDF" : "\x89PNG", 4);
		free(a);
		free(b);
	}
	grid_free(g);
}

TEST(every_option_draws_a_picture_of_its_size)
{
	struct grid *g[] = { kit_hour(1, 0, 1), kit_hour(60, 3, 1), kit_hour(500, 5, 1) };
	struct figure_options o;

	(void)state;
	figure_defaults(&o);
	for (int i = 0; i < 3 * 2 * 2 * 3 * 2; i++) {
		unsigned width, height;
		__u8 *png, *rgb;
		size_t len;

		o.width = 640;
		o.height = 300;
		o.theme = i / 3 % 2;
		o.yscale = i / 6 % 2;
		o.transfer = i / 12 % 3;
		o.scale = 1 + i / 36;
		o.max_marks = i % 2;
		assert_int_equal(figure_render(g[i % 3], &o, &png, &len), 0);
		rgb = kit_decode(png, len, &width, &height);
		assert_int_equal(width, 640 * o.scale);
		assert_int_equal(height, 300 * o.scale);
		free(rgb);
		free(png);
	}
	for (int i = 0; i < 3; i++)
		grid_free(g[i]);
}

/* Layers take lines for their legend, and their hues are in the picture. */
TEST(layers_are_drawn_with_their_legend)
{
	struct grid *g = kit_hour(300, 3, 1);
	__u32 ramp[PALETTE_COLOURS];
	struct figure_options o;
	unsigned width, height, found = 0;
	__u8 *png, *rgb;
	size_t len;

	(void)state;
	kit_split(g, 12);
	figure_defaults(&o);
	assert_int_equal(figure_render(g, &o, &png, &len), 0);
	rgb = kit_decode(png, len, &width, &height);
	for (size_t i = 0; i < 12; i++) {
		palette_hue(PALETTE_LIGHT, g->layers->layer[i].hue, ramp);
		for (unsigned y = height - 130; y < height; y++)
			for (unsigned x = 0; x < width; x++)
				if (kit_pixel(rgb, width, x, y) == ramp[255]) {
					found++;
					x = width;
					y = height;
				}
	}
	assert_int_equal(found, 12);
	free(rgb);
	free(png);
	o.height = FIGURE_HEIGHT_MIN;
	o.width = FIGURE_WIDTH_MIN;
	assert_int_equal(figure_render(g, &o, &png, &len), -EINVAL);
	grid_free(g);
}

TEST(an_empty_grid_is_drawn_too)
{
	static const __u64 edge[] = { 0, 1024, 2048, GRID_NO_EDGE };
	struct grid *g = kit_grid(60, 3, edge);
	struct figure_options o;
	__u8 *png;
	size_t len;

	(void)state;
	figure_defaults(&o);
	for (int i = 0; i < 6; i++) {
		o.yscale = i % 2;
		o.transfer = i / 2;
		assert_int_equal(figure_render(g, &o, &png, &len), 0);
		free(png);
	}
	grid_free(g);
}

TEST(refuses_bad_options)
{
	struct grid *g = kit_hour(10, 3, 1);
	struct figure_options good, o[5];
	__u8 *png;
	size_t len;

	(void)state;
	figure_defaults(&good);
	for (int i = 0; i < 5; i++)
		o[i] = good;
	o[0].width = 399;
	o[1].height = 4001;
	o[2].scale = 3;
	o[3].ymin = o[3].ymax = 10;
	o[4].scale = 0;
	for (int i = 0; i < 5; i++)
		assert_int_equal(figure_render(g, &o[i], &png, &len), -EINVAL);
	grid_free(g);
}

TEST_MAIN()
