#include "test/kit/check.h"
#include "test/kit/canvas_kit.h"

#include <stdio.h>

TEST(the_page_is_the_theme_s)
{
	struct palette p;
	struct canvas c;

	(void)state;
	for (int theme = 0; theme < 2; theme++) {
		palette_make(theme, PALETTE_USUAL, &p);
		kit_canvas(&c, 400, 240, theme, 1);
		assert_int_equal(kit_canvas_pixel(&c, 0, 0), p.page);
		assert_int_equal(kit_canvas_pixel(&c, 399, 239), p.page);
		canvas_fini(&c);
	}
}

TEST(lines_and_boxes_are_crisp)
{
	struct canvas c;

	(void)state;
	for (unsigned scale = 1; scale <= 2; scale++) {
		kit_canvas(&c, 400, 240, PALETTE_LIGHT, scale);
		canvas_colour(&c, 0x123456);
		canvas_box(&c, 10, 20, 30, 40);
		canvas_line(&c, 100.5, 50, 100.5, 60);
		for (unsigned y = 15 * scale; y < 65 * scale; y++)
			for (unsigned x = 5 * scale; x < 45 * scale; x++)
				assert_int_equal(kit_canvas_pixel(&c, x, y) == 0x123456,
						 x >= 10 * scale && x < 40 * scale && y >= 20 * scale && y < 60 * scale);
		assert_int_equal(kit_canvas_pixel(&c, 100 * scale, 55 * scale), 0x123456);
		assert_int_equal(kit_canvas_pixel(&c, 101 * scale, 55 * scale), c.palette.page);
		assert_int_equal(kit_canvas_pixel(&c, 99 * scale, 55 * scale), c.palette.page);
		canvas_fini(&c);
	}
}

TEST(pixels_lie_edge_to_edge_and_unsmoothed)
{
	static __u32 pixel[4] = { 0xff112233, 0xff445566, 0xff778899, 0xffaabbcc };
	struct canvas c;

	(void)state;
	kit_canvas(&c, 400, 240, PALETTE_LIGHT, 2);
	canvas_pixels(&c, pixel, 2, 2, 50, 60);			/* one px of two by two pixels */
	assert_int_equal(kit_canvas_pixel(&c, 100, 120), 0x112233);
	assert_int_equal(kit_canvas_pixel(&c, 101, 120), 0x445566);
	assert_int_equal(kit_canvas_pixel(&c, 100, 121), 0x778899);
	assert_int_equal(kit_canvas_pixel(&c, 101, 121), 0xaabbcc);
	assert_int_equal(kit_ink(&c, 0, 0, 800, 480).n, 4);
	canvas_fini(&c);
}

/* Only whole pixels of a PNG can be written to directly. */
TEST(pixels_can_be_written_where_they_lie)
{
	static const struct { double x, y; unsigned width, height; } beyond[] = {
		{ 50.25, 60, 2, 2 }, { 50, 60.3, 2, 2 }, { -1, 0, 2, 2 }, { 0, -1, 2, 2 }, { 399.5, 0, 2, 2 }, { 0, 239, 2, 3 },
	};
	struct canvas c;
	size_t stride;
	__u32 *own;

	(void)state;
	kit_canvas(&c, 400, 240, PALETTE_LIGHT, 2);
	own = canvas_own(&c, 50.5, 60, 2, 2, &stride);
	assert_non_null(own);
	own[0] = 0xff112233;
	own[stride + 1] = 0xff778899;
	canvas_wrote(&c);
	assert_int_equal(kit_canvas_pixel(&c, 101, 120), 0x112233);
	assert_int_equal(kit_canvas_pixel(&c, 102, 121), 0x778899);
	assert_int_equal(kit_ink(&c, 0, 0, 800, 480).n, 2);
	for (size_t i = 0; i < sizeof(beyond) / sizeof(*beyond); i++)
		assert_null(canvas_own(&c, beyond[i].x, beyond[i].y, beyond[i].width, beyond[i].height, &stride));
	c.format = FIGURE_PDF;
	assert_null(canvas_own(&c, 50, 60, 2, 2, &stride));
	c.format = FIGURE_PNG;
	canvas_fini(&c);
}

TEST(text_stands_where_it_is_aligned)
{
	struct canvas c;
	struct ink left, centre, right;

	(void)state;
	kit_canvas(&c, 400, 240, PALETTE_LIGHT, 1);
	canvas_font(&c, CANVAS_TEXT, false);
	canvas_colour(&c, c.palette.text);
	canvas_text(&c, CANVAS_LEFT, 200, 40, "100 ms");
	canvas_text(&c, CANVAS_CENTRE, 200, 80, "100 ms");
	canvas_text(&c, CANVAS_RIGHT, 200, 120, "100 ms");
	left = kit_ink(&c, 0, 25, 400, 45);
	centre = kit_ink(&c, 0, 65, 400, 85);
	right = kit_ink(&c, 0, 105, 400, 125);
	assert_in_range(left.left, 199, 203);
	assert_in_range(right.right, 197, 201);
	assert_in_range((centre.left + centre.right) / 2, 198, 202);
	assert_true(left.bottom <= 41);				/* the baseline */
	assert_true(canvas_text_width(&c, "100 ms") > left.right - left.left - 3);
	canvas_fini(&c);
}

TEST(long_text_stays_within_its_width)
{
	char text[2000];
	struct canvas c;

	(void)state;
	memset(text, 'w', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	kit_canvas(&c, 400, 240, PALETTE_LIGHT, 1);
	canvas_font(&c, CANVAS_TEXT, false);
	canvas_colour(&c, c.palette.text);
	canvas_text_within(&c, 10, 40, 100, text);
	canvas_text_within(&c, 10, 80, 100, "µµµµµµµµµµµµµµµµµµµµµµµµ");
	assert_in_range(kit_ink(&c, 0, 25, 400, 45).right, 60, 111);
	assert_in_range(kit_ink(&c, 0, 65, 400, 85).right, 60, 111);
	canvas_text_within(&c, 10, 120, 3, "www");		/* too narrow for any text */
	assert_int_equal(cairo_status(c.cr), 0);
	canvas_fini(&c);
}

/* After a bad text Cairo refuses everything: no bad text may reach it. */
TEST(any_bytes_are_drawn)
{
	struct canvas c;
	__u8 *png;
	size_t len;

	(void)state;
	kit_canvas(&c, 400, 240, PALETTE_LIGHT, 1);
	canvas_font(&c, CANVAS_TEXT, false);
	for (int i = 0; i < 200; i++) {
		char text[16];

		for (int k = 0; k < 15; k++)
			text[k] = (char)(1 + check_below(255));
		text[15] = 0;
		canvas_text(&c, CANVAS_LEFT, 10, 40, text);
		canvas_text_within(&c, 10, 40, 50, text);
		canvas_text_width(&c, text);
	}
	assert_int_equal(canvas_bytes(&c, &png, &len), 0);
	free(png);
	canvas_fini(&c);
}

TEST(a_cased_line_is_visible_on_every_background)
{
	struct canvas c;

	(void)state;
	kit_canvas(&c, 400, 240, PALETTE_LIGHT, 1);
	canvas_colour(&c, 0);
	canvas_box(&c, 0, 0, 400, 240);
	cairo_move_to(c.cr, 0, 100.5);
	cairo_line_to(c.cr, 400, 100.5);
	canvas_stroke_cased(&c, 0xff0000);
	assert_int_equal(kit_canvas_pixel(&c, 200, 100), 0xff0000);
	assert_true((kit_canvas_pixel(&c, 200, 99) & 0xff) > 0x80 && (kit_canvas_pixel(&c, 200, 101) & 0xff) > 0x80);
	assert_int_equal(kit_canvas_pixel(&c, 200, 103), 0);
	canvas_fini(&c);
}

static void steps_path(struct canvas *c, const struct trace_step *step, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (step[i].drawn && (!i || !step[i - 1].drawn))
			cairo_move_to(c->cr, step[i].from, step[i].y);
		if (step[i].drawn) {
			cairo_line_to(c->cr, step[i].from, step[i].y);
			cairo_line_to(c->cr, step[i].to, step[i].y);
		}
	}
}

/* Compares areas with Cairo's stroke of the same path, which samples 15 lines per pixel. */
TEST(steps_are_as_cairo_strokes_them)
{
	static struct trace_step step[300];
	unsigned darker = 0;

	(void)state;
	for (unsigned i = 0; i < 300; i++)
		step[i] = (struct trace_step){ 20 + i, 21 + i, 40 + check_below(1000) / 10.0, check_below(20) > 0 };
	for (unsigned scale = 1; scale <= 2; scale++) {
		struct canvas c, cairo;

		kit_canvas(&c, 400, 240, PALETTE_LIGHT, scale);
		kit_canvas(&cairo, 400, 240, PALETTE_LIGHT, scale);
		canvas_steps_cased(&c, step, 300, 0x102030);
		steps_path(&cairo, step, 300);
		canvas_stroke_cased(&cairo, 0x102030);
		for (unsigned y = 0; y < 240 * scale; y++)
			for (unsigned x = 0; x < 400 * scale; x++) {
				__u32 a = kit_canvas_pixel(&c, x, y), b = kit_canvas_pixel(&cairo, x, y);

				assert_true(abs((int)(a >> 8 & 255) - (int)(b >> 8 & 255)) <= 16);
				darker += (a & 255) < 0x80;
			}
		canvas_fini(&c);
		canvas_fini(&cairo);
	}
	assert_true(darker > 300);
}

/* No steps, and steps at the edges of the canvas and beyond. */
TEST(steps_may_be_none_or_beyond)
{
	static const struct trace_step none[] = { { 10, 20, 30, false } };
	static const struct trace_step beyond[] = { { -50, 20, -30, true }, { 20, 500, 400, true } };
	struct canvas c;

	(void)state;
	kit_canvas(&c, 400, 240, PALETTE_LIGHT, 2);
	canvas_steps_cased(&c, none, 1, 0);
	canvas_steps_cased(&c, none, 0, 0);
	assert_int_equal(kit_ink(&c, 0, 0, 800, 480).n, 0);
	canvas_steps_cased(&c, beyond, 2, 0);
	assert_int_equal(c.err, 0);
	assert_int_equal(kit_canvas_pixel(&c, 40, 200), 0);
	assert_int_equal(kit_canvas_pixel(&c, 50, 200), c.palette.page);
	canvas_fini(&c);
}

/* It is broken at spaces, within its width; a word that is longer is cut. */
TEST(a_paragraph_has_as_many_lines_as_it_needs)
{
	static const struct { const char *text; unsigned width, least, most; } cases[] = {
		{ "", 200, 0, 0 }, { "one", 200, 0, 0 }, { "one two three", 200, 0, 0 }, { "one two three four five six seven eight", 100, 2, 5 },
		{ "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww", 100, 0, 0 }, { "a wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww b", 100, 2, 2 },
		{ "two  spaces ", 50, 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct canvas c;
		double last;

		kit_canvas(&c, 300, 240, PALETTE_LIGHT, 1);
		canvas_font(&c, CANVAS_TEXT, false);
		canvas_colour(&c, c.palette.text);
		last = canvas_paragraph(&c, 20, 30, cases[i].width, 20, cases[i].text);
		assert_in_range((unsigned)(last - 30) / 20, cases[i].least, cases[i].most);
		assert_int_equal(kit_ink(&c, 20 + cases[i].width + 2, 0, 300, 240).n, 0);
		assert_int_equal(kit_ink(&c, 0, (unsigned)last + 6, 300, 240).n, 0);
		canvas_fini(&c);
	}
}

/* A fleet's sources are a long list. */
TEST(a_long_paragraph_is_drawn_to_its_end)
{
	char text[2000] = "";
	struct canvas c;
	double last;

	(void)state;
	for (int i = 0; i < 100; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "host%03d.example ", i);
	kit_canvas(&c, 300, 2400, PALETTE_LIGHT, 1);
	canvas_font(&c, CANVAS_TEXT, false);
	last = canvas_paragraph(&c, 0, 20, 120, 20, text);	/* one host fits */
	assert_int_equal((last - 20) / 20, 99);
	assert_int_equal(canvas_paragraph_lines(&c, 120, text), 100);
	assert_int_equal(canvas_paragraph_lines(&c, 120, ""), 0);
	canvas_fini(&c);
}

TEST_MAIN()
