#include "render/document/report.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include <errno.h>

TEST(one_page_with_maps_and_table)
{
	struct grid *g[] = { kit_hour(300, 3, 1), kit_hour(300, 3, 0.3) };
	struct report_panel panel[] = { { .title = "latency", .grid = g[0] }, { .title = "on-CPU", .grid = g[1] } };
	struct report_row row[REPORT_ROWS_MAX + 5];
	struct report r = { .n_panels = 2, .panel = panel, .table = { .unit = "ns", .n_rows = REPORT_ROWS_MAX + 5, .row = row } };
	struct figure_options o;
	unsigned width, height;
	__u8 *bytes, *rgb;
	size_t len;

	(void)state;
	for (size_t i = 0; i < r.table.n_rows; i++)
		row[i] = (struct report_row){ "select", i, 1000, 1, 2, 3, 4, 5000000, 1000. * i, 0, 0 };
	figure_defaults(&o);
	o.height = 0;
	assert_int_equal(report_render(&r, &o, &bytes, &len), 0);
	rgb = kit_decode(bytes, len, &width, &height);
	assert_int_equal(width, 1200);
	free(rgb);
	free(bytes);
	o.format = FIGURE_PDF;
	assert_int_equal(report_render(&r, &o, &bytes, &len), 0);
	assert_memory_equal(bytes, "%PDF", 4);
	free(bytes);
	grid_free(g[0]);
	grid_free(g[1]);
}

static unsigned height_of(const struct report *r)
{
	struct figure_options o;
	unsigned width, height;
	__u8 *bytes;
	size_t len;

	figure_defaults(&o);
	o.height = 0;
	assert_int_equal(report_render(r, &o, &bytes, &len), 0);
	free(kit_decode(bytes, len, &width, &height));
	free(bytes);
	return height;
}

TEST(a_bar_makes_the_page_higher)
{
	const struct bar_part part[] = { { "futex", 3e9, 140 }, { "cputime", 1e9, 210 } };
	const struct bar bar = { "what the latency was", "ns", 2, part };
	struct grid *g = kit_hour(300, 3, 1);
	struct report_panel panel = { .title = "latency", .grid = g };
	struct report r = { .n_panels = 1, .panel = &panel };
	unsigned without = height_of(&r);

	r.bar = &bar;
	assert_int_equal(height_of(&r), without + bar_height(&bar, 1200 - 48));
	grid_free(g);
}

/* A metric that only counts has a chart and a table of counts, but no map. */
TEST(a_chart_alone_is_a_report_too)
{
	struct grid *g = kit_hour(300, 0, 1);
	double value[300];
	const struct chart_series series = { .name = "programs", .value = value, .hue = 205 };
	const struct chart chart = { .grid = g, .what = "programs per second", .unit = AXIS_PER_S, .n_series = 1, .series = &series };
	struct report_row row[] = { { .name = "sh", .count = 30 }, { .name = "cat", .count = 10 } };
	struct report r = { .chart = &chart, .table = { .counts_only = true, .n_rows = 2, .row = row } };
	struct figure_options o;
	unsigned width, height;
	__u8 *png, *rgb;
	size_t len;

	(void)state;
	for (size_t col = 0; col < 300; col++)
		value[col] = (double)g->column[col].count;
	figure_defaults(&o);
	o.height = 0;
	assert_int_equal(report_render(&r, &o, &png, &len), 0);
	rgb = kit_decode(png, len, &width, &height);
	assert_in_range(height, 350, 550);
	free(rgb);
	free(png);
	r.chart = NULL;
	assert_int_equal(report_render(&r, &o, &png, &len), -EINVAL);
	grid_free(g);
}

/* A chart makes the page higher by its height; the maps keep theirs. */
TEST(a_chart_stands_above_the_maps)
{
	struct grid *g = kit_hour(300, 3, 1);
	struct report_panel panel = { .title = "latency", .grid = g };
	double value[300] = { 0 };
	const struct chart_series series = { .name = "queries", .value = value, .hue = 205 };
	const struct chart chart = { .grid = g, .what = "queries per second", .n_series = 1, .series = &series };
	struct report r = { .n_panels = 1, .panel = &panel };
	struct figure_options o;
	unsigned width, height[2];
	__u8 *png;
	size_t len;

	(void)state;
	figure_defaults(&o);
	o.height = 0;
	for (int i = 0; i < 2; i++) {
		r.chart = i ? &chart : NULL;
		assert_int_equal(report_render(&r, &o, &png, &len), 0);
		free(kit_decode(png, len, &width, &height[i]));
		free(png);
	}
	assert_in_range(height[1] - height[0], 150, 250);
	grid_free(g);
}

TEST(refuses_other_columns_and_small_sizes)
{
	struct grid *g[] = { kit_hour(300, 3, 1), kit_hour(299, 3, 1) };
	struct report_panel panel[] = { { .title = "latency", .grid = g[0] }, { .title = "on-CPU", .grid = g[1] } };
	struct report r = { .n_panels = 2, .panel = panel };
	struct figure_options o;
	__u8 *bytes;
	size_t len;

	(void)state;
	figure_defaults(&o);
	assert_int_equal(report_render(&r, &o, &bytes, &len), -EINVAL);
	r.n_panels = 0;
	assert_int_equal(report_render(&r, &o, &bytes, &len), -EINVAL);
	r.n_panels = 1;
	o.height = 200;
	assert_int_equal(report_render(&r, &o, &bytes, &len), -EINVAL);
	grid_free(g[0]);
	grid_free(g[1]);
}

TEST_MAIN()
