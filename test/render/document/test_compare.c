#include "render/document/compare.h"
#include "test/kit/check.h"
#include "test/kit/canvas_kit.h"
#include "test/kit/render_kit.h"
#include "render/color/hue.h"
#include "render/draw/panel.h"
#include "render/grid/layer.h"
#include <errno.h>
#include <stdio.h>

#define COLS 200

struct page {
	struct grid *a, *b, *map;
	double *of[2];
	struct compare_mark mark[64];
	struct compare k;
};

static const struct compare_line lines[] = {
	{ "queries", 123456, 98765, AXIS_COUNT, true, true, 0.0001 }, { "mean", 5.1e6, 4.9e6, AXIS_NS, true, false, 0.4 },
	{ "p50", 1.05e6, 2.2e6, AXIS_NS, true, true, 0.002 }, { "p90", 12e6, 12e6, AXIS_NS, true, false, 1 },
	{ "p99", 60.1e6, 1e6, AXIS_NS, true, true, 0.0001 }, { "p99.9", 3e9, 2.9e9, AXIS_NS, false, false, 1 },
};

/* The caller says which cells differ: those of some rows. */
static void page_make(struct page *p, enum compare_view view)
{
	struct layer_cell cell[2][COLS * 8];
	size_t n[2] = { 0, 0 };

	*p = (struct page){ .a = kit_hour(COLS, 2, 1), .b = kit_hour(COLS, 2, 0.5), .map = kit_hour(COLS, 2, 1) };
	p->map->layers = layers_new(2);
	p->map->layers->rest_hue = LAYER_GREY;
	for (size_t row = 28; row < 32; row++)
		for (int i = 0; i < 4; i++) {
			size_t from = (size_t)i * COLS / 4, side = row < 30 ? 0 : 1;

			p->mark[p->k.n_marks++] = (struct compare_mark){ row, from, from + COLS / 4, side == 0 };
			for (size_t col = from; col < from + COLS / 4; col++)
				cell[side][n[side]++] = (struct layer_cell){ (__u32)row, (__u32)col, p->map->cell[row * COLS + col] };
		}
	for (size_t i = 0; i < 2; i++) {
		size_t kept = 0;

		for (size_t k = 0; k < n[i]; k++)
			if (cell[i][k].count)
				cell[i][kept++] = cell[i][k];
		assert_int_equal(layer_fill(&p->map->layers->layer[i], p->map, i ? "more in B" : "more in A", cell[i], kept), 0);
		p->map->layers->layer[i].hue = i ? HUE_B : HUE_A;
		p->of[i] = calloc(p->a->n_rows, sizeof(double));
		for (size_t row = 0; row < p->a->n_rows; row++)
			for (size_t col = 0; col < COLS; col++)
				p->of[i][row] += (double)(i ? p->b : p->a)->cell[row * COLS + col] / 1000;
	}
	p->k.view = view;
	p->k.name[0] = "latency of select, from 2026-11-21 14:00:00";
	p->k.name[1] = "latency of select, from 2026-11-21 13:00:00";
	p->k.grid[0] = p->a;
	p->k.grid[1] = p->b;
	p->k.map = p->map;
	p->k.cell_unit = 0.001;
	p->k.share = true;
	p->k.distribution[0] = p->of[0];
	p->k.distribution[1] = p->of[1];
	p->k.mark = p->mark;
	p->k.rate = 0.05;
	p->k.n_lines = 6;
	p->k.line = lines;
}

static void page_fini(struct page *p)
{
	grid_free(p->a);
	grid_free(p->b);
	grid_free(p->map);
	free(p->of[0]);
	free(p->of[1]);
}

static void options(struct figure_options *o)
{
	figure_defaults(o);
	o->height = 760;
	o->transfer = SHADE_SQRT;
	o->percentiles = false;
	o->title = "MySQL queries by statement";
	o->subtitle = "p50 is 1.05 ms in A and 2.2 ms in B";
	o->version = "heatscope";
}

/* Counts pixels close to a hue's ramp: nothing else on the page has its strongest colours. */
static size_t n_of(const __u8 *rgb, unsigned width, unsigned height, int hue)
{
	__u32 ramp[PALETTE_COLOURS];
	size_t n = 0;

	palette_hue(PALETTE_LIGHT, hue, ramp);
	for (unsigned y = 100; y < height / 2; y++)
		for (unsigned x = 100; x < width - 40; x++)
			for (int i = 60; i < PALETTE_COLOURS; i += 1)
				if (kit_pixel(rgb, width, x, y) == ramp[i]) {
					n++;
					break;
				}
	return n;
}

/* Draws the lower part alone on a page of this size. */
static void draw_lower(struct canvas *c, unsigned width, unsigned height)
{
	struct figure_options o;
	struct panel_range range;
	struct page p;

	page_make(&p, COMPARE_SIDE);
	options(&o);
	o.width = width;
	panel_range(p.k.grid, 2, &o, &range);
	kit_canvas(c, width, height, PALETTE_LIGHT, 1);
	compare_draw_lower(c, &p.k, &o, &range, 0, height);
	page_fini(&p);
}

/* Returns the last pixel of the colour of B's line within the distributions, left of `width`; 0: there is none. */
static unsigned line_end(struct canvas *c, unsigned width)
{
	for (unsigned x = width; x--;)
		for (unsigned y = 0; y < COMPARE_LOWER; y++)
			if (kit_canvas_pixel(c, x, y) == compare_colour(PALETTE_LIGHT, 1))
				return x;
	return 0;
}

TEST(in_a_narrow_picture_the_table_is_below_the_distributions)
{
	struct canvas c;
	struct ink table;

	(void)state;
	assert_int_equal(compare_lower_height(1200, 2000), COMPARE_LOWER);
	assert_int_equal(compare_lower_height(400, 2 * COMPARE_LOWER), 2 * COMPARE_LOWER);
	assert_int_equal(compare_lower_height(400, 2 * COMPARE_LOWER - 1), COMPARE_LOWER);
	draw_lower(&c, 400, 2 * COMPARE_LOWER);
	table = kit_ink(&c, 0, COMPARE_LOWER, 400, 2 * COMPARE_LOWER);
	assert_in_range(table.left, 22, 26);
	assert_in_range(table.right, 374, 377);			/* the whole width */
	assert_int_equal(kit_ink(&c, 0, COMPARE_LOWER - 8, 400, COMPARE_LOWER).n, 0);	/* nothing lies over the other */
	assert_true(line_end(&c, 400) > 340);
	canvas_fini(&c);
	draw_lower(&c, 1200, COMPARE_LOWER);
	assert_in_range(line_end(&c, 1200 * 56 / 100), 600, 1200 * 56 / 100 - 10);
	assert_int_equal(kit_ink(&c, 1200 * 56 / 100 + 8, 0, 1200 * 56 / 100 + 20, COMPARE_LOWER).n, 0);
	assert_in_range(kit_ink(&c, 1200 * 56 / 100 + 20, 0, 1200, COMPARE_LOWER).right, 1174, 1177);
	canvas_fini(&c);
}

TEST(every_view_is_drawn_in_every_format)
{
	static const struct { enum figure_format format; const char *begins; } formats[] = {
		{ FIGURE_PNG, "\x89PNG" }, { FIGURE_PDF, "%PDF" }, { FIGURE_SVG, "<?xm" },
	};

	for (int view = COMPARE_DIFFERENCE; view <= COMPARE_OVERLAY; view++)
		for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
			for (int theme = 0; theme < 2; theme++) {
				const char *keep = getenv("HEATSCOPE_KEEP");
				struct figure_options o;
				struct page p;
				__u8 *bytes;
				size_t len;

				page_make(&p, (enum compare_view)view);
				options(&o);
				o.format = formats[i].format;
				o.theme = (enum palette_theme)theme;
				assert_int_equal(compare_render(&p.k, &o, &bytes, &len), 0);
				assert_memory_equal(bytes, formats[i].begins, 4);
				if (keep && o.format == FIGURE_PNG) {
					char path[512];
					FILE *f;

					snprintf(path, sizeof(path), "%s/compare-%d-%d.png", keep, view, theme);
					f = fopen(path, "w");
					assert_non_null(f);
					assert_int_equal(fwrite(bytes, 1, len, f), len);
					fclose(f);
				}
				free(bytes);
				page_fini(&p);
			}
}

TEST(a_difference_has_two_hues_and_side_by_side_has_none)
{
	for (int view = COMPARE_DIFFERENCE; view <= COMPARE_OVERLAY; view++) {
		struct figure_options o;
		struct page p;
		unsigned width, height;
		__u8 *bytes, *rgb;
		size_t len;

		page_make(&p, (enum compare_view)view);
		options(&o);
		assert_int_equal(compare_render(&p.k, &o, &bytes, &len), 0);
		rgb = kit_decode(bytes, len, &width, &height);
		assert_int_equal(width, 1200);
		assert_int_equal(height, 760);
		if (view == COMPARE_SIDE) {
			assert_int_equal(n_of(rgb, width, height, HUE_A), 0);
		} else {
			assert_true(n_of(rgb, width, height, HUE_A) > 1000);
			assert_true(n_of(rgb, width, height, HUE_B) > 1000);
		}
		free(rgb);
		free(bytes);
		page_fini(&p);
	}
}

/* Solid and dashed frames: A's marks and B's are different pictures, also where all is grey. */
TEST(differences_are_framed_by_their_sign)
{
	struct figure_options o;
	struct page p;
	__u8 *first, *second;
	size_t len, second_len;

	page_make(&p, COMPARE_DIFFERENCE);
	options(&o);
	assert_int_equal(compare_render(&p.k, &o, &first, &len), 0);
	for (size_t i = 0; i < p.k.n_marks; i++)
		p.mark[i].more_in_a = !p.mark[i].more_in_a;
	assert_int_equal(compare_render(&p.k, &o, &second, &second_len), 0);
	assert_true(len != second_len || memcmp(first, second, len));
	free(first);
	free(second);
	page_fini(&p);
}

TEST(equal_input_gives_equal_bytes)
{
	struct figure_options o;
	struct page p;
	__u8 *bytes[2];
	size_t len[2];

	page_make(&p, COMPARE_DIFFERENCE);
	options(&o);
	for (int i = 0; i < 2; i++)
		assert_int_equal(compare_render(&p.k, &o, &bytes[i], &len[i]), 0);
	assert_int_equal(len[0], len[1]);
	assert_memory_equal(bytes[0], bytes[1], len[0]);
	free(bytes[0]);
	free(bytes[1]);
	page_fini(&p);
}

TEST(empty_grids_are_drawn_too)
{
	struct figure_options o;
	struct page p;
	__u8 *bytes;
	size_t len;

	for (int view = COMPARE_DIFFERENCE; view <= COMPARE_OVERLAY; view++) {
		struct grid *g[3];

		page_make(&p, (enum compare_view)view);
		options(&o);
		for (int i = 0; i < 3; i++)
			g[i] = kit_grid(COLS, p.a->n_rows, p.a->edge);
		g[2]->layers = layers_new(2);
		for (size_t i = 0; i < 2; i++)
			assert_int_equal(layer_fill(&g[2]->layers->layer[i], g[2], "", NULL, 0), 0);
		memset(p.of[0], 0, p.a->n_rows * sizeof(double));
		memset(p.of[1], 0, p.a->n_rows * sizeof(double));
		p.k.grid[0] = g[0];
		p.k.grid[1] = g[1];
		p.k.map = g[2];
		p.k.n_marks = 0;
		assert_int_equal(compare_render(&p.k, &o, &bytes, &len), 0);
		free(bytes);
		for (int i = 0; i < 3; i++)
			grid_free(g[i]);
		page_fini(&p);
	}
}

TEST(other_shapes_and_sizes_are_refused)
{
	struct grid *other = kit_hour(COLS / 2, 2, 1);
	struct figure_options o;
	struct page p;
	__u8 *bytes;
	size_t len;

	page_make(&p, COMPARE_DIFFERENCE);
	options(&o);
	o.height = 300;
	assert_int_equal(compare_render(&p.k, &o, &bytes, &len), -EINVAL);
	options(&o);
	p.k.view = COMPARE_SIDE;
	o.width = 500;			/* 200 columns do not fit into half of it */
	assert_int_equal(compare_render(&p.k, &o, &bytes, &len), -EINVAL);
	options(&o);
	p.mark[0].to = COLS + 1;
	assert_int_equal(compare_render(&p.k, &o, &bytes, &len), -EINVAL);
	p.mark[0].to = COLS;
	p.k.grid[1] = other;
	assert_int_equal(compare_render(&p.k, &o, &bytes, &len), -EINVAL);
	grid_free(other);
	page_fini(&p);
}

TEST_MAIN()
