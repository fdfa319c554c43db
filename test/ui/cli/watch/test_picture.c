#include "test/kit/watch_kit.h"
#include "ui/cli/watch/picture.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define MAP_COLS 6			/* that the kit's map has; the screen is 80 x 24, its map 71 x 19 */
#define WIDTH 10u
#define HEIGHT 20u

static const struct graphics kitty = { GRAPHICS_KITTY, WIDTH, HEIGHT, 65536 };

static struct plot plot_of(const struct map *m) { return (struct plot){ m, domain_of(m), 38 }; }

static struct layout layout(void) { return layout_of(80, 24, (struct look){ DEPTH_TRUE, true }); }

static struct picture painted(const struct map *m, struct graphics g)
{
	struct layout l = layout();
	struct plot plot = plot_of(m);
	struct picture p;

	assert_int_equal(picture_paint(&plot, &l, g, &p), 0);
	return p;
}

/* The middle of a value's place in a column. */
static __u32 colour_at(const struct picture *p, const struct map *m, double value, unsigned col)
{
	struct domain d = domain_of(m);
	double at = axis_at(d.kind, d.low, d.high, value);

	return p->pixel[(unsigned)((1 - at) * p->height) * p->width + col * WIDTH + WIDTH / 2] & 0xffffff;
}

TEST(it_lies_under_the_map_s_characters)
{
	struct map *m = kit_map();
	struct picture p = painted(m, kitty);

	assert_true(p.line == 1 && p.col == 80 - MAP_COLS && p.n_lines == 19 && p.n_cols == MAP_COLS);
	assert_true(p.width == MAP_COLS * WIDTH && p.height == 19 * HEIGHT);
	picture_fini(&p);
	map_free(m);
}

TEST(cells_have_the_colours_of_their_counts)
{
	static const struct { double value; unsigned col; __u32 rgb; } cases[] = {
		{ 1500, 2, 0xc8c8c8 }, { 3000, 2, 0x323232 }, { 6000, 2, 0 }, { 12000, 4, 0x141414 }, { 1500, 5, 0x010101 }, { 3000, 1, 0 },
	};
	struct map *m = kit_map();
	struct picture p = painted(m, kitty);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (colour_at(&p, m, cases[i].value, cases[i].col) != cases[i].rgb)
			fail_msg("case %zu: %06x", i, colour_at(&p, m, cases[i].value, cases[i].col));
	picture_fini(&p);
	m->column[2].share = 0.4;
	p = painted(m, kitty);
	assert_int_equal(colour_at(&p, m, 1500, 2), 0x505050);
	picture_fini(&p);
	map_free(m);
}

static size_t count_colour(const struct picture *p, unsigned col, __u32 rgb)
{
	size_t n = 0;

	for (unsigned y = 0; y < p->height; y++)
		for (unsigned x = col * WIDTH; x < (col + 1) * WIDTH; x++)
			n += (p->pixel[y * p->width + x] & 0xffffff) == rgb;
	return n;
}

TEST(every_look_of_a_column_is_seen)
{
	struct map *m = kit_map();
	struct picture p = painted(m, kitty);

	assert_true(count_colour(&p, 0, m->unobserved) > p.height * WIDTH / 2);
	assert_true(count_colour(&p, 1, m->zero) == p.height * WIDTH);
	assert_true(count_colour(&p, 3, m->partial) > p.height / 4 && !count_colour(&p, 2, m->partial));
	assert_true(count_colour(&p, 4, m->running) > 10 && !count_colour(&p, 5, m->running));
	picture_fini(&p);
	map_free(m);
}

/* A mean of half a thing is not nothing. */
TEST(means_need_not_be_whole)
{
	struct map *m = kit_map();
	struct picture p;

	m->point = true;
	m->column[2].cell[0].n = 0.5;
	m->level[0] = 0.25;
	p = painted(m, kitty);
	assert_int_equal(colour_at(&p, m, 1500, 2), 0x010101);
	assert_int_equal(colour_at(&p, m, 3000, 2), 0x323232);
	picture_fini(&p);
	map_free(m);
}

TEST(beyond_the_axis_is_a_strip_as_high_as_in_characters)
{
	static const double edge[] = { 0, 2000, 4000, 8000, INFINITY };
	struct map *m = kit_map();
	struct picture p;

	memcpy(m->edge, edge, sizeof(edge));
	m->column[4].n_running = 0;
	p = painted(m, kitty);
	assert_int_equal(count_colour(&p, 2, 0xc8c8c8), HEIGHT / 2 * WIDTH);
	assert_int_equal(p.pixel[(p.height - 1) * p.width + 2 * WIDTH] & 0xffffff, 0xc8c8c8);
	assert_int_equal(count_colour(&p, 4, 0x141414), HEIGHT / 2 * WIDTH);
	assert_int_equal(p.pixel[4 * WIDTH] & 0xffffff, 0x141414);
	picture_fini(&p);
	map_free(m);
}

static size_t colours_of(const struct picture *p)
{
	size_t n = 0;
	__u32 seen[1024];

	for (size_t i = 0; i < (size_t)p->width * p->height; i++) {
		size_t at = 0;

		while (at < n && seen[at] != p->pixel[i])
			at++;
		if (at == n)
			seen[n++] = p->pixel[i];
	}
	return n;
}

TEST(few_colours_are_enough)
{
	struct map *m = kit_map();

	m->column[2].cell = realloc(m->column[2].cell, 4 * sizeof(*m->column[2].cell));
	for (unsigned n = 16; n <= 256; n *= 2) {
		const struct graphics g = { GRAPHICS_SIXEL, WIDTH, HEIGHT, n };

		for (unsigned count = 1; count < 256; count += 85) {
			struct picture p;

			for (size_t i = 0; i < 4; i++)
				m->column[2].cell[i] = (struct map_cell){ i, count + 21 * i };
			m->column[2].n_cells = 4;
			p = painted(m, g);
			assert_true(colours_of(&p) <= n);
			picture_fini(&p);
		}
	}
	map_free(m);
}

TEST(what_is_too_large_is_refused)
{
	static const struct graphics huge = { GRAPHICS_KITTY, 128, 128, 256 };
	struct layout l = layout_of(80, 400, (struct look){ DEPTH_TRUE, true });
	struct map *m = kit_map();
	struct plot plot = plot_of(m);
	struct picture p;

	assert_int_equal(picture_paint(&plot, &l, huge, &p), -E2BIG);
	map_free(m);
}

TEST_MAIN()
