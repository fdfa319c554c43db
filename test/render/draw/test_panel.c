#include "render/draw/panel.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include "test/kit/canvas_kit.h"

static const __u64 edge[] = { 0, 1000, 2000, 4000, 8000, 16000, GRID_NO_EDGE };

static struct panel_range range_of(const struct grid *g, enum axis_scale yscale, __u64 ymin, __u64 ymax)
{
	struct panel_range range;
	struct figure_options o;

	figure_defaults(&o);
	o.yscale = yscale;
	o.ymin = ymin;
	o.ymax = ymax;
	panel_range(&g, 1, &o, &range);
	return range;
}

TEST(the_range_is_round_and_holds_the_used_rows)
{
	struct grid *g = kit_grid(2, 6, edge);
	struct panel_range r;

	(void)state;
	kit_add(g, 0, 2, 1);			/* 2000 .. 4000 */
	r = range_of(g, AXIS_LOG, 0, 0);
	assert_true(r.low == 2000 && r.high == 20000 && !r.above && !r.below);	/* a decade at least */
	r = range_of(g, AXIS_LINEAR, 0, 0);
	assert_true(r.low == 0 && r.high == 4000 && !r.above && !r.below);
	kit_add(g, 1, 4, 1);
	r = range_of(g, AXIS_LINEAR, 0, 0);
	assert_true(r.high == 16000);
	grid_free(g);
}

TEST(rows_outside_get_a_strip)
{
	struct grid *g = kit_grid(2, 6, edge);
	struct panel_range r;

	(void)state;
	kit_add(g, 0, 0, 1);			/* the underflow row */
	kit_add(g, 0, 2, 1);
	r = range_of(g, AXIS_LOG, 0, 0);
	assert_true(r.below && !r.above);
	r = range_of(g, AXIS_LINEAR, 0, 0);	/* there it has a height */
	assert_true(!r.below && !r.above);
	kit_add(g, 1, 5, 1);			/* the overflow row */
	r = range_of(g, AXIS_LOG, 0, 0);
	assert_true(r.below && r.above);
	r = range_of(g, AXIS_LOG, 5000, 9000);
	assert_true(r.low == 5000 && r.high == 9000 && r.below && r.above);
	grid_free(g);
}

TEST(an_empty_grid_has_a_range_too)
{
	struct grid *g = kit_grid(2, 6, edge);
	struct panel_range r;

	(void)state;
	for (int yscale = 0; yscale < 2; yscale++) {
		r = range_of(g, yscale, 0, 0);
		assert_true(r.low < r.high && (yscale == AXIS_LINEAR || r.low >= 1));
		r = range_of(g, yscale, 0, 50);
		assert_true(r.low < r.high && r.high == 50);
		r = range_of(g, yscale, 5000000, 0);
		assert_true(r.low == 5000000 && r.low < r.high);
	}
	grid_free(g);
}

/* The strip above the axis was called ">= 1 ms", of values that the ruler has from 8 s on. */
TEST(an_axis_of_values_beyond_the_ruler_ends_where_that_does)
{
	static const __u64 edge[] = { 0, 1000, 1000000, 8000000000, GRID_NO_EDGE };
	struct grid *g = kit_grid(2, 4, edge);
	struct figure_options o;
	struct panel_range range;

	(void)state;
	kit_add(g, 1, 3, 5);
	figure_defaults(&o);
	for (int scale = AXIS_LOG; scale <= AXIS_LINEAR; scale++) {
		o.yscale = (enum axis_scale)scale;
		panel_range((const struct grid *const *)&g, 1, &o, &range);
		assert_true(range.high == 8e9 && range.low < range.high);
		assert_true(range.above && !range.below);
	}
	grid_free(g);
}

TEST(columns_that_do_not_fit_are_folded)
{
	(void)state;
	assert_int_equal(panel_fold(1104, 1104), 1);
	assert_int_equal(panel_fold(1105, 1104), 2);
	assert_int_equal(panel_fold(3600, 1104), 4);
	assert_int_equal(panel_fold(10, 0.5), 10);
}

/* A panel of 200 x 120 px at 100, 50; the grid has two columns and 1000 .. 16000 in four octaves. */
static struct canvas drawn(struct grid *g, struct panel_range *ret_range, struct shade *s)
{
	const struct shade_options shading = { .yscale = AXIS_LOG, .transfer = SHADE_LOG };
	static struct figure_options o;
	static struct layer_ramps t;
	struct panel p = { .grid = g, .shade = s, .ramps = &t, .options = &o, .x = 100, .y = 50, .width = 200, 
			   .height = 120, .time_labels = true };
	struct canvas c;

	figure_defaults(&o);
	o.ymin = 1000;
	o.ymax = 16000;
	assert_int_equal(shade_make((const struct grid *const *)&g, 1, &shading, s), 0);
	panel_range((const struct grid *const *)&g, 1, &o, &p.range);
	kit_canvas(&c, 400, 240, PALETTE_LIGHT, 1);
	panel_draw(&c, &p);
	assert_int_equal(c.err, 0);
	*ret_range = p.range;
	return c;
}

TEST(cells_stand_at_their_values)
{
	struct grid *g = kit_grid(2, 6, edge);
	struct panel_range range;
	struct shade s;
	struct canvas c;

	(void)state;
	kit_add(g, 0, 1, 1);			/* the lowest quarter, left */
	kit_add(g, 1, 4, 1);			/* the highest, right */
	c = drawn(g, &range, &s);
	for (unsigned quarter = 0; quarter < 4; quarter++)
		for (unsigned col = 0; col < 2; col++) {
			__u32 rgb = kit_canvas_pixel(&c, 150 + 100 * col, 155 - 30 * quarter);

			assert_int_equal(rgb != c.palette.zero, (quarter == 0 && col == 0) || (quarter == 3 && col == 1));
		}
	assert_int_equal(kit_canvas_pixel(&c, 99, 100), c.palette.axis);	/* the frame */
	assert_int_equal(kit_canvas_pixel(&c, 300, 100), c.palette.axis);
	assert_true(kit_ink(&c, 20, 50, 90, 170).n > 50);			/* labels of values */
	assert_true(kit_ink(&c, 90, 176, 320, 210).n > 50);			/* of time */
	canvas_fini(&c);
	shade_fini(&s);
	grid_free(g);
}

/* Under- and overflow: strips of 8 px apart from the cells, with labels of their own. */
TEST(strips_stand_apart)
{
	struct grid *g = kit_grid(2, 6, edge);
	struct panel_range range;
	struct shade s;
	struct canvas c;

	(void)state;
	kit_add(g, 0, 0, 1);
	kit_add(g, 1, 5, 1);
	c = drawn(g, &range, &s);
	assert_true(range.above && range.below);
	assert_true(kit_canvas_pixel(&c, 250, 54) != c.palette.zero && kit_canvas_pixel(&c, 150, 54) == c.palette.zero);
	assert_true(kit_canvas_pixel(&c, 150, 166) != c.palette.zero && kit_canvas_pixel(&c, 250, 166) == c.palette.zero);
	assert_int_equal(kit_canvas_pixel(&c, 150, 110), c.palette.zero);
	assert_int_equal(kit_ink(&c, 110, 60, 290, 61).n, 0);			/* the gap between strip and cells */
	assert_true(kit_ink(&c, 20, 45, 90, 60).n > 20 && kit_ink(&c, 20, 158, 90, 175).n > 20);
	canvas_fini(&c);
	shade_fini(&s);
	grid_free(g);
}

/* The p99 of 100 events or more is a line at its value; with fewer events there is no line. */
TEST(lines_need_enough_events)
{
	for (int n = 99; n <= 100; n++) {
		struct grid *g = kit_grid(2, 6, edge);
		struct panel_range range;
		struct canvas c;
		struct shade s;
		unsigned line = 0;

		(void)state;
		kit_add(g, 0, 2, n);
		kit_add(g, 1, 2, n);
		kit_finish(g);
		c = drawn(g, &range, &s);
		for (unsigned y = 50; y < 170; y++) {
			__u32 rgb = kit_canvas_pixel(&c, 150, y);

			line += (rgb >> 16) > 0xb0 && (rgb & 255) < 0xa0;	/* more red than anything else there */
		}
		assert_int_equal(line > 0, n == 100);
		canvas_fini(&c);
		shade_fini(&s);
		grid_free(g);
	}
}

TEST_MAIN()
