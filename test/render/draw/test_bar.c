#include "render/draw/bar.h"
#include "test/kit/check.h"
#include "test/kit/canvas_kit.h"

static const struct bar_part parts[] = { { "futex", 3e9, 140 }, { "io", 0, 20 }, { "cputime", 1e9, 210 }, { "rest", 0, BAR_GREY } };
static const struct bar bar = { "what the latency was", "ns", 4, parts };

/* Three quarters and one quarter of the bar; parts of 0 are not drawn. */
TEST(parts_are_as_wide_as_their_share)
{
	for (int theme = PALETTE_LIGHT; theme <= PALETTE_DARK; theme++) {
		struct canvas c;

		kit_canvas(&c, 500, 120, theme, 1);
		bar_draw(&c, &bar, 50, 0, 400);
		for (unsigned x = 52; x < 448; x++) {
			if (x >= 348 && x < 352)
				continue;
			assert_int_equal(kit_canvas_pixel(&c, x, 33), palette_area(theme, x < 350 ? 140 : 210));
		}
		assert_int_equal(kit_canvas_pixel(&c, 48, 33), c.palette.page);
		assert_int_equal(kit_canvas_pixel(&c, 452, 33), c.palette.page);
		canvas_fini(&c);
	}
}

TEST(it_stays_within_its_height)
{
	for (unsigned width = 150; width < 900; width += 50) {
		unsigned height = bar_height(&bar, width);
		struct canvas c;

		kit_canvas(&c, width + 300, height + 40, PALETTE_LIGHT, 1);
		bar_draw(&c, &bar, 0, 0, width);
		assert_true(kit_ink(&c, 0, 0, width + 300, height).n > 0);
		assert_int_equal(kit_ink(&c, 0, height, width + 300, height + 40).n, 0);
		canvas_fini(&c);
	}
}

TEST(an_empty_bar_has_no_height)
{
	const struct bar_part none[] = { { "futex", 0, 140 } };
	const struct bar empty = { "what the latency was", "ns", 1, none };
	struct canvas c;

	assert_int_equal(bar_height(NULL, 400), 0);
	assert_int_equal(bar_height(&empty, 400), 0);
	kit_canvas(&c, 500, 100, PALETTE_LIGHT, 1);
	bar_draw(&c, NULL, 0, 0, 400);
	bar_draw(&c, &empty, 0, 0, 400);
	assert_int_equal(kit_ink(&c, 0, 0, 500, 100).n, 0);
	canvas_fini(&c);
}

TEST_MAIN()
