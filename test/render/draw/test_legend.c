#include "render/draw/legend.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"

TEST(lines_are_few_and_grow_with_the_names)
{
	struct legend_item item[100];

	(void)state;
	for (int i = 0; i < 100; i++)
		item[i] = (struct legend_item){ .name = "insert into", .value = "1,234,567" };
	assert_int_equal(legend_lines(item, 0, 1000), 0);
	assert_int_equal(legend_lines(item, 1, 1000), 1);
	assert_int_equal(legend_lines(item, 4, 1000), 1);
	assert_int_equal(legend_lines(item, 6, 1000), 2);
	assert_int_equal(legend_lines(item, 100, 1000), LEGEND_LINES);
}

TEST(layers_are_listed_by_count_and_the_rest_last)
{
	struct grid *g = kit_hour(60, 3, 1);
	struct layer_ramps t;
	struct legend l;

	(void)state;
	kit_split(g, 4);
	assert_int_equal(layer_ramps_make(g, PALETTE_LIGHT, &t), 0);
	assert_int_equal(legend_make(g, &t, &l), 0);
	assert_int_equal(l.n, 5);
	assert_string_equal(l.item[4].name, "everything else");
	assert_ptr_equal(l.item[4].ramp, t.ramp[0]);
	for (size_t i = 1; i < 4; i++) {
		const struct layer *a = &g->layers->layer[l.item[i - 1].ramp - t.ramp[0] > 0
							  ? (l.item[i - 1].ramp - t.ramp[1]) / PALETTE_COLOURS : 0];
		const struct layer *b = &g->layers->layer[(l.item[i].ramp - t.ramp[1]) / PALETTE_COLOURS];

		assert_true(a->count >= b->count);
		assert_string_equal(l.item[i].name, b->name);
	}
	legend_fini(&l);
	layer_ramps_fini(&t);
	g->layers->shown = LAYERS_ISOLATED;
	assert_int_equal(layer_ramps_make(g, PALETTE_LIGHT, &t), 0);
	assert_int_equal(legend_make(g, &t, &l), 0);
	assert_int_equal(l.n, 4);
	legend_fini(&l);
	layer_ramps_fini(&t);
	grid_free(g);
}

TEST(items_that_do_not_fit_are_counted_and_all_stay_in_their_lines)
{
	struct figure_options o;
	struct legend_item item[60];
	struct canvas c;
	unsigned ink = 0;

	(void)state;
	figure_defaults(&o);
	for (int i = 0; i < 60; i++)
		item[i] = (struct legend_item){ .name = "WWWWWWWW", .value = "888", .colour = 0x123456 };
	assert_int_equal(canvas_init(&c, &o, 300, 0), 0);
	legend_draw(&c, item, 60, 100, 50, 800);
	cairo_surface_flush(c.surface);
	for (unsigned y = 0; y < 300; y++)
		for (unsigned x = 0; x < 1200; x++) {
			const __u8 *row = cairo_image_surface_get_data(c.surface) +
					  y * (size_t)cairo_image_surface_get_stride(c.surface);
			int inside = x >= 100 && x < 900 && y >= 50 && y < 50 + LEGEND_LINES * LEGEND_LINE;

			if ((((const __u32 *)row)[x] & 0xffffff) == c.palette.page)
				continue;
			assert_true(inside);
			ink++;
		}
	assert_true(ink > 1000);
	canvas_fini(&c);
}

TEST_MAIN()
