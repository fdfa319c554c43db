#include "render/draw/chart.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include <errno.h>
#include <math.h>

#define N_COLS 10

/* A frame of 904 px from x = 72 on; columns are 90 px wide.  Its foot is found by its axis. */
static struct grid *grid;
static double a[N_COLS], b[N_COLS];
static struct chart_series series[2];
static struct chart chart;

static int start(void **state)
{
	static const __u64 edge[] = { 0, 1 };

	grid = kit_grid(N_COLS, 1, edge);
	for (int i = 0; i < N_COLS; i++) {
		a[i] = 100;
		b[i] = 50;
	}
	series[0] = (struct chart_series){ .name = "select", .total = "1,000", .value = a, .hue = 205 };
	series[1] = (struct chart_series){ .name = "update", .total = "500", .value = b, .hue = 38 };
	chart = (struct chart){ .kind = CHART_STACKED, .grid = grid, .what = "queries per second", .unit = AXIS_PER_S,
				.n_series = 2, .series = series };
	return 0;
}

static int stop(void **state)
{
	grid_free(grid);
	return 0;
}

struct picture {
	__u8 *rgb;
	unsigned width, height;
};

static struct picture draw(enum palette_theme theme)
{
	struct figure_options o;
	struct picture p;
	__u8 *png;
	size_t len;

	figure_defaults(&o);
	o.width = 1000;
	o.height = 300;
	o.theme = theme;
	o.yscale = AXIS_LINEAR;
	assert_int_equal(chart_render(&chart, &o, &png, &len), 0);
	p.rgb = kit_decode(png, len, &p.width, &p.height);
	free(png);
	return p;
}

static __u32 at(const struct picture *p, double col, unsigned y)
{
	return kit_pixel(p->rgb, p->width, 72 + (unsigned)(col * 90.4), y);
}

/* Counts the rows of a column that have this colour. */
static unsigned rows_of(const struct picture *p, double col, __u32 rgb)
{
	unsigned n = 0;

	for (unsigned y = 75; y < 180; y++)
		n += at(p, col, y) == rgb;
	return n;
}

static __u32 area(enum palette_theme theme, int hue)
{
	__u32 ramp[PALETTE_COLOURS];

	palette_hue(theme, hue, ramp);
	return ramp[hue < 0 ? 120 : 165];
}

TEST(areas_are_as_high_as_their_values)
{
	for (int theme = 0; theme < 2; theme++) {
		struct picture p = draw(theme);
		unsigned first = rows_of(&p, 4.5, area(theme, 205)), second = rows_of(&p, 4.5, area(theme, 38));

		assert_true(first > 40 && abs((int)first - 2 * (int)second) <= 3);
		free(p.rgb);
	}
}

/* The first series is at the foot, the next on top of it. */
TEST(series_are_stacked_in_their_order)
{
	struct picture p = draw(PALETTE_LIGHT);
	unsigned last_of_second = 0, first_of_first = 0;

	for (unsigned y = 75; y < 180; y++) {
		if (at(&p, 4.5, y) == area(PALETTE_LIGHT, 38))
			last_of_second = y;
		if (!first_of_first && at(&p, 4.5, y) == area(PALETTE_LIGHT, 205))
			first_of_first = y;
	}
	assert_in_range(first_of_first, last_of_second + 1, last_of_second + 2);
	free(p.rgb);
}

TEST(unobserved_columns_are_a_gap_with_a_hatch)
{
	struct palette palette;
	struct picture p;

	palette_make(PALETTE_LIGHT, PALETTE_USUAL, &palette);
	grid->column[6].n_reporting = 0;
	a[6] = b[6] = NAN;
	p = draw(PALETTE_LIGHT);
	assert_int_equal(rows_of(&p, 6.5, area(PALETTE_LIGHT, 205)), 0);
	assert_true(rows_of(&p, 6.5, palette.unobserved) > 40);
	assert_true(rows_of(&p, 5.5, area(PALETTE_LIGHT, 205)) > 40 && rows_of(&p, 7.5, area(PALETTE_LIGHT, 205)) > 40);
	free(p.rgb);
	grid->column[6].n_reporting = 1;
	a[6] = b[6] = 0;				/* observed, and nothing happened: neither */
	p = draw(PALETTE_LIGHT);
	assert_int_equal(rows_of(&p, 6.5, area(PALETTE_LIGHT, 205)), 0);
	assert_int_equal(rows_of(&p, 6.5, palette.unobserved), 0);
	free(p.rgb);
	a[6] = 100;
	b[6] = 50;
}

TEST(partly_lost_is_hatched_over_the_areas)
{
	unsigned line = 0, below = 0;
	struct palette palette;
	struct picture p;

	palette_make(PALETTE_LIGHT, PALETTE_USUAL, &palette);
	grid->column[3].lost = 7;
	p = draw(PALETTE_LIGHT);
	for (double col = 3.1; col < 3.9; col += 0.02)
		for (unsigned y = 130; y < 170; y++) {
			__u32 rgb = at(&p, col, y);

			line += (rgb >> 16) > 0x70 && (rgb & 255) < 0xa0;	/* nearer to the hatch than to the area */
			below += rgb == area(PALETTE_LIGHT, 205);
		}
	assert_true(line > 50 && below > 200);
	free(p.rgb);
	grid->column[3].lost = 0;
}

TEST(lines_break_where_there_is_no_value)
{
	struct palette palette;
	struct picture p;
	unsigned gaps = 0, pieces = 0;

	palette_make(PALETTE_LIGHT, PALETTE_USUAL, &palette);
	chart.kind = CHART_LINES;
	series[0].colour = CHART_P99;
	b[0] = b[1] = 0;
	chart.n_series = 1;
	a[4] = NAN;
	p = draw(PALETTE_LIGHT);
	for (double col = 0.1; col < 9.9; col += 0.2) {
		int seen = 0;

		for (unsigned y = 70; y < 190; y++) {
			__u32 rgb = at(&p, col, y);

			seen |= (rgb >> 16) > 0xb0 && (rgb >> 8 & 255) < 0xa0;
		}
		gaps += !seen;
		pieces += seen;
	}
	assert_in_range(gaps, 4, 6);				/* column 4 alone */
	assert_true(pieces > 40);
	free(p.rgb);
	a[4] = 100;
	b[0] = b[1] = 50;
	chart.n_series = 2;
	chart.kind = CHART_STACKED;
	series[0].colour = CHART_HUE;
}

TEST(equal_input_gives_equal_bytes_in_every_format)
{
	struct figure_options o;

	figure_defaults(&o);
	for (int format = FIGURE_PNG; format <= FIGURE_SVG; format++) {
		__u8 *x, *y;
		size_t x_len, y_len;

		o.format = format;
		assert_int_equal(chart_render(&chart, &o, &x, &x_len), 0);
		assert_int_equal(chart_render(&chart, &o, &y, &y_len), 0);
		assert_int_equal(x_len, y_len);
		assert_memory_equal(x, y, x_len);
		free(x);
		free(y);
	}
}

TEST(an_empty_chart_is_drawn_too)
{
	struct figure_options o;
	__u8 *png;
	size_t len;

	figure_defaults(&o);
	for (int i = 0; i < N_COLS; i++)
		a[i] = b[i] = i % 2 ? NAN : 0;
	for (int kind = CHART_STACKED; kind <= CHART_LINES; kind++)
		for (int yscale = 0; yscale < 2; yscale++) {
			chart.kind = kind;
			o.yscale = yscale;
			assert_int_equal(chart_render(&chart, &o, &png, &len), 0);
			free(png);
		}
	chart.kind = CHART_STACKED;
	for (int i = 0; i < N_COLS; i++) {
		a[i] = 100;
		b[i] = 50;
	}
}

TEST(refuses_no_series_many_columns_and_small_sizes)
{
	struct grid *wide = kit_hour(1200, 0, 1);
	struct figure_options o;
	struct chart bad = chart;
	__u8 *png;
	size_t len;

	figure_defaults(&o);
	bad.n_series = 0;
	assert_int_equal(chart_render(&bad, &o, &png, &len), -EINVAL);
	bad = chart;
	bad.grid = wide;
	assert_int_equal(chart_columns(1200), 1104);
	assert_int_equal(chart_render(&bad, &o, &png, &len), -EINVAL);
	o.width = 300;
	assert_int_equal(chart_render(&chart, &o, &png, &len), -EINVAL);
	grid_free(wide);
}

TEST_MAIN_WITH(start, stop)
