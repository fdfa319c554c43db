#include "test/kit/check.h"
#include "test/kit/environment_kit.h"
#include "ui/cli/watch/graphics.h"
#include "ui/cli/watch/sixel.h"

TEST(only_who_may_answer_is_asked)
{
	static const struct look colours = { DEPTH_TRUE, true }, mono = { DEPTH_MONO, true };
	static const struct { const char *const environment[5]; enum graphics_wish wish; struct look look; bool asks; } cases[] = {
		{ { "TERM", "xterm-kitty" }, WISH_AUTO, colours, true }, { { "TERM", "xterm-256color" }, WISH_AUTO, colours, true },
		{ { "TERM", "xterm-256color" }, WISH_NONE, colours, false }, { { "TERM", "xterm-256color" }, WISH_AUTO, mono, false },
		{ { "TERM", "xterm-256color" }, WISH_KITTY, mono, true }, { { "TERM", "dumb" }, WISH_KITTY, colours, false },
		{ { NULL }, WISH_SIXEL, colours, false }, { { "TERM", "xterm-256color", "TMUX", "/tmp/tmux" }, WISH_AUTO, colours, false },
		{ { "TERM", "xterm-256color", "STY", "1.pts" }, WISH_AUTO, colours, false }, { { "TERM", "screen-256color" }, WISH_AUTO, colours, false },
		{ { "TERM", "tmux-256color" }, WISH_AUTO, colours, false }, { { "TERM", "tmux-256color" }, WISH_SIXEL, colours, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		kit_environment = cases[i].environment;
		if (graphics_asks(cases[i].wish, cases[i].look, kit_get) != cases[i].asks)
			fail_msg("case %zu", i);
	}
}

TEST(what_is_offered_is_shown)
{
	const enum graphics_kind sixel = sixel_can() ? GRAPHICS_SIXEL : GRAPHICS_NONE;
	const struct { enum graphics_wish wish; struct answer a; unsigned known; enum graphics_kind kind; unsigned width, height; } cases[] = {
		{ WISH_AUTO, { .kitty = true, .ended = true, .cell_width = 9, .cell_height = 18 }, 0, GRAPHICS_KITTY, 9, 18 },
		{ WISH_AUTO, { .kitty = true, .sixel = true, .ended = true }, 12, GRAPHICS_KITTY, 12, 12 },
		{ WISH_AUTO, { .sixel = true, .ended = true, .cell_width = 9, .cell_height = 18 }, 12, sixel, 9, 18 },
		{ WISH_AUTO, { .sixel = true, .ended = true }, 0, GRAPHICS_NONE, 0, 0 },	/* how large is a character? */
		{ WISH_AUTO, { .sixel = true, .ended = true }, 4000, GRAPHICS_NONE, 0, 0 },
		{ WISH_AUTO, { .kitty = true, .cell_width = 9, .cell_height = 18 }, 0, GRAPHICS_NONE, 0, 0 },
		{ WISH_AUTO, { .ended = true, .cell_width = 9, .cell_height = 18 }, 0, GRAPHICS_NONE, 0, 0 },
		{ WISH_NONE, { .kitty = true, .ended = true, .cell_width = 9, .cell_height = 18 }, 0, GRAPHICS_NONE, 0, 0 },
		{ WISH_KITTY, { .ended = false }, 0, GRAPHICS_KITTY, 10, 20 }, { WISH_SIXEL, { .ended = true }, 7, GRAPHICS_SIXEL, 7, 7 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct graphics g = graphics_of(cases[i].wish, &cases[i].a, cases[i].known, cases[i].known);

		if (g.kind != cases[i].kind || (g.kind && (g.cell_width != cases[i].width || g.cell_height != cases[i].height)))
			fail_msg("case %zu: %d, %u x %u", i, g.kind, g.cell_width, g.cell_height);
	}
}

TEST(colours_are_as_many_as_there_are)
{
	static const struct { unsigned said, is; } cases[] = { { 0, 256 }, { 1024, 256 }, { 64, 64 }, { 4, 16 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct answer a = { .n_colours = cases[i].said };

		assert_int_equal(graphics_of(WISH_SIXEL, &a, 0, 0).n_colours, cases[i].is);
		assert_true(graphics_of(WISH_KITTY, &a, 0, 0).n_colours > 256);
	}
}

TEST_MAIN()
