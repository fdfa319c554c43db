#include "render/draw/plot.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"

static struct canvas canvas;
static struct grid *grid;
static struct plot plot;

static int start(void **state)
{
	static const __u64 edge[] = { 0, 1 };
	struct figure_options o;

	figure_defaults(&o);
	o.width = 400;
	grid = kit_grid(10, 1, edge);
	assert_int_equal(canvas_init(&canvas, &o, 240, 0), 0);
	plot = (struct plot){ .x = 50, .y = 20, .width = 300, .height = 100, .from_ns = grid->from_ns,
			      .col_ns = grid->col_ns, .n_cols = 10, .column = grid->column };
	return 0;
}

static int stop(void **state)
{
	canvas_fini(&canvas);
	grid_free(grid);
	return 0;
}

static __u32 pixel(unsigned x, unsigned y)
{
	const __u8 *row;

	cairo_surface_flush(canvas.surface);
	row = cairo_image_surface_get_data(canvas.surface) + y * (size_t)cairo_image_surface_get_stride(canvas.surface);
	return ((const __u32 *)row)[x] & 0xffffff;
}

TEST(columns_lie_edge_to_edge)
{
	assert_true(plot_x(&plot, 0) == 50 && plot_x(&plot, 10) == 350);
	plot.n_cols = 7;
	for (size_t col = 0; col < 7; col++)
		assert_true(plot_x(&plot, col + 1) - plot_x(&plot, col) >= 42);
	plot.n_cols = 10;
}

TEST(a_column_in_progress_has_a_veil_and_a_bar)
{
	grid->column[9].marks = GRID_IN_PROGRESS;
	canvas_colour(&canvas, 0);
	canvas_box(&canvas, 50, 20, 300, 100);
	plot_marks(&canvas, &plot);
	assert_int_equal(pixel(319, 60), 0);
	assert_in_range(pixel(320, 60) & 255, 110, 120);	/* 45 % white over black */
	assert_int_equal(pixel(335, 118), canvas.palette.accent);
	assert_true(pixel(319, 118) == 0 && pixel(335, 116) != canvas.palette.accent);
	assert_true(plot_marked(grid->column, 10, GRID_IN_PROGRESS));
	assert_false(plot_marked(grid->column, 9, GRID_IN_PROGRESS));
}

TEST(a_step_of_the_clock_is_a_line_at_its_column)
{
	unsigned lines = 0;

	grid->column[9].marks = 0;
	grid->column[4].marks = GRID_CLOCK_STEP;
	canvas_colour(&canvas, canvas.palette.page);
	canvas_box(&canvas, 0, 0, 400, 240);
	plot_marks(&canvas, &plot);
	for (unsigned y = 30; y < 120; y++)
		for (unsigned x = 50; x < 350; x++) {
			assert_true(pixel(x, y) == canvas.palette.page || x == 170);
			lines += pixel(x, y) == canvas.palette.accent;
		}
	assert_in_range(lines, 40, 70);			/* dashed */
	grid->column[4].marks = 0;
}

TEST(the_time_axis_stands_below)
{
	unsigned ink = 0, above = 0;

	canvas_colour(&canvas, canvas.palette.page);
	canvas_box(&canvas, 0, 0, 400, 240);
	plot_time_axis(&canvas, &plot, true);
	for (unsigned y = 0; y < 240; y++)
		for (unsigned x = 0; x < 400; x++)
			if (pixel(x, y) != canvas.palette.page)
				y < 120 ? above++ : ink++;
	assert_int_equal(above, 0);
	assert_true(ink > 200);
}

static struct annotation_list *one_annotation(__s64 from_cols, __s64 to_cols, enum annotation_kind kind)
{
	struct annotation_list *a = calloc(1, sizeof(*a) + sizeof(*a->item));

	assert_non_null(a);
	a->n = 1;
	a->item[0] = (struct annotation){ .from_ns = plot.from_ns + from_cols * (__s64)plot.col_ns,
					  .to_ns = plot.from_ns + to_cols * (__s64)plot.col_ns, .kind = kind, .text = "deploy" };
	return a;
}

TEST(annotations_are_lines_at_their_ends_and_a_bar_above)
{
	struct annotation_list *a = one_annotation(2, 6, ANNOTATION_ALERT);

	canvas_colour(&canvas, 0);
	canvas_box(&canvas, 50, 20, 300, 100);
	plot_annotations(&canvas, &plot, a);
	assert_int_equal(pixel(109, 110), canvas.palette.alert);	/* 2 tenths of 299 px from 50 on */
	assert_int_equal(pixel(229, 110), canvas.palette.alert);
	assert_int_equal(pixel(170, 21), canvas.palette.alert);
	assert_int_equal(pixel(170, 110), 0);
	assert_int_equal(pixel(240, 21), 0);
	annotation_list_free(a);
}

TEST(an_annotation_of_another_time_is_not_drawn)
{
	static const __s64 cols[][2] = { { -9, -1 }, { -1, 0 }, { 10, 10 }, { 11, 20 } };

	for (size_t i = 0; i < 4; i++) {
		struct annotation_list *a = one_annotation(cols[i][0], cols[i][1], ANNOTATION_NOTE);

		canvas_colour(&canvas, 0);
		canvas_box(&canvas, 50, 20, 300, 100);
		plot_annotations(&canvas, &plot, a);
		for (unsigned x = 50; x < 350; x++)
			assert_int_equal(pixel(x, 21), 0);
		annotation_list_free(a);
	}
}

TEST_MAIN_WITH(start, stop)
