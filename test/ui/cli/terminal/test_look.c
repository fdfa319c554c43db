#include "test/kit/check.h"
#include "test/kit/environment_kit.h"
#include "ui/cli/terminal/look.h"

TEST(the_environment_says_what_can_be_shown)
{
	static const struct {
		const char *const environment[9];
		enum look_depth depth;
		bool utf8;
	} cases[] = {
		{ { "TERM", "xterm-256color", "COLORTERM", "truecolor", "LANG", "en_US.UTF-8" }, DEPTH_TRUE, true },
		{ { "TERM", "xterm", "COLORTERM", "24bit", "LANG", "de_DE.utf8" }, DEPTH_TRUE, true },
		{ { "TERM", "xterm-direct", "LC_CTYPE", "C.UTF-8", "LANG", "C" }, DEPTH_TRUE, true },
		{ { "TERM", "screen-256color", "LANG", "C" }, DEPTH_256, false },
		{ { "TERM", "tmux-256color", "COLORTERM", "yes", "LC_ALL", "C", "LANG", "C.UTF-8" }, DEPTH_256, false },
		{ { "TERM", "linux", "LANG", "C.UTF-8" }, DEPTH_16, true },
		{ { "TERM", "xterm", "LC_ALL", "", "LANG", "C.UTF-8" }, DEPTH_16, true },
		{ { "TERM", "xterm-256color", "COLORTERM", "truecolor", "NO_COLOR", "1" }, DEPTH_MONO, false },
		{ { "TERM", "xterm-256color", "NO_COLOR", "" }, DEPTH_256, false },
		{ { "TERM", "vt100" }, DEPTH_MONO, false },
		{ { "TERM", "dumb", "COLORTERM", "truecolor" }, DEPTH_MONO, false },
		{ { NULL }, DEPTH_MONO, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct look look;

		kit_environment = cases[i].environment;
		look = look_of(kit_get);
		if (look.depth != cases[i].depth || look.utf8 != cases[i].utf8)
			fail_msg("case %zu: depth %d, UTF-8 %d", i, look.depth, look.utf8);
	}
}

TEST(a_colour_is_the_nearest_there_is)
{
	static const struct {
		enum look_depth depth;
		bool background;
		__u32 rgb;
		const char *sgr;
	} cases[] = {
		{ DEPTH_TRUE, false, 0x0102ff, ";38;2;1;2;255" }, { DEPTH_TRUE, true, 0xffffff, ";48;2;255;255;255" },
		{ DEPTH_256, false, 0xff0000, ";38;5;196" }, { DEPTH_256, true, 0x5f87d7, ";48;5;68" }, { DEPTH_256, false, 0x090909, ";38;5;232" },
		{ DEPTH_256, false, 0x000000, ";38;5;16" }, { DEPTH_256, true, 0xededed, ";48;5;255" },
		{ DEPTH_16, false, 0xd00505, ";31" }, { DEPTH_16, true, 0x0000e0, ";44" }, { DEPTH_16, false, 0x00fff0, ";96" },
		{ DEPTH_16, true, 0x00fff0, ";106" }, { DEPTH_MONO, false, 0xff0000, "" }, { DEPTH_PLAIN, true, 0xff0000, "" },
		{ DEPTH_TRUE, true, LOOK_DEFAULT, "" }, { DEPTH_16, false, LOOK_DEFAULT, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes out = { 0 };

		look_put_colour(&out, (struct look){ cases[i].depth, true }, cases[i].background, cases[i].rgb);
		bytes_put(&out, "", 1);
		assert_string_equal((char *)out.data, cases[i].sgr);
		bytes_fini(&out);
	}
}

TEST(a_character_is_utf8_or_stands_for_it)
{
	static const struct { __u32 character; const char *utf8, *ascii; } cases[] = {
		{ 'a', "a", "a" }, { 0xb5, "\xc2\xb5", "u" }, { 0x2580, "\xe2\x96\x80", "?" }, { 0x2500, "\xe2\x94\x80", "-" },
		{ 0x1f600, "\xf0\x9f\x98\x80", "?" }, { 0x2265, "\xe2\x89\xa5", ">" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (int utf8 = 0; utf8 < 2; utf8++) {
			struct bytes out = { 0 };

			look_put_character(&out, (struct look){ DEPTH_MONO, utf8 }, cases[i].character);
			bytes_put(&out, "", 1);
			assert_string_equal((char *)out.data, utf8 ? cases[i].utf8 : cases[i].ascii);
			bytes_fini(&out);
		}
}

TEST(half_blocks_need_colours_and_utf8)
{
	assert_int_equal(look_pixels((struct look){ DEPTH_TRUE, true }), 2);
	assert_int_equal(look_pixels((struct look){ DEPTH_256, true }), 2);
	assert_int_equal(look_pixels((struct look){ DEPTH_256, false }), 1);
	assert_int_equal(look_pixels((struct look){ DEPTH_16, true }), 1);
	assert_int_equal(look_pixels((struct look){ DEPTH_MONO, true }), 1);
}

TEST_MAIN()
