#include "test/kit/watch_kit.h"
#include "ui/cli/watch/frame.h"

#include <locale.h>

static const struct subject subject = { .id = "1", .title = "mysql.queries by statement", .n_measures = 1, .n_fields = 1, .slot_s = 1,
					.measure = { "latency" }, .field = { "statement" }, .n_sources = 2, .n_active = 1 };

struct stage {
	struct map *map;
	struct view view;
	struct list list;
	struct frame frame;
};

static void stage_init(struct stage *s, struct look look)
{
	*s = (struct stage){ .map = kit_map(), .view = { .column_s = 1, .transfer = SHADE_LOG } };
	s->frame = (struct frame){ &subject, &s->view, s->map, &s->list, &s->map->all, FRAME_LIVE, "", look, 0, false };
}

static char *printed(const struct stage *s, long n_cols, long n_lines, struct look look)
{
	struct bytes out = { 0 };
	struct screen screen;

	assert_int_equal(screen_init(&screen, n_cols, n_lines), 0);
	frame_draw(&s->frame, &screen);
	screen_print(&out, look, &screen);
	bytes_put(&out, "", 1);
	assert_int_equal(out.err, 0);
	screen_fini(&screen);
	return (char *)out.data;
}

TEST(not_observed_is_not_nothing)
{
	const struct look look = { DEPTH_PLAIN, false };
	struct map_summary nothing = { 0 };
	struct stage s;
	char *is;

	stage_init(&s, look);
	s.frame.summary = &nothing;
	for (size_t col = 0; col < s.map->n_cols; col++) {
		s.map->column[col].state = MAP_ZERO;
		s.map->column[col].count = 0;
		s.map->column[col].reporting = col == 3;
	}
	is = printed(&s, 80, 14, look);
	assert_non_null(strstr(is, "  0 events  0 lost  p50 -  p99 -"));
	free(is);
	s.map->column[3].reporting = 0;
	is = printed(&s, 80, 14, look);
	assert_non_null(strstr(is, " live  1 of 2 sources  not observed"));
	assert_null(strstr(is, "0 events"));
	free(is);
	map_free(s.map);
}

/* Six columns at the right: not observed, zero, two cells, partly lost, sampled with what runs, in progress. */
TEST(every_state_looks_different_without_colours)
{
	const struct look look = { DEPTH_PLAIN, false };
	struct stage s;
	char *is;

	stage_init(&s, look);
	is = printed(&s, 60, 14, look);
	assert_string_equal(is,
		"latency: mysql.queries by s~  6 s to 2023-11-14 22:13:26 UTC\n"
		"   20 us+\n"
		"        |                                                \\.\n"
		"   10 us+                                             /   .\n"
		"        |                                                \\O\n"
		"    5 us+                                                 O\n"
		"        |                                             / :=\n"
		"    2 us+                                               :=\n"
		"        |                                               %\\ .\n"
		"    1 us+                                             / %  .\n"
		"        +                                             /--\\~>\n"
		"               22:12:45       22:13:00       22:13:15\n"
		"1 s per column, log axis, log colours\n"
		" live  1 of 2 sources  371 events  7 lost  p50 1.9 us  p99 ~\n");
	free(is);
	map_free(s.map);
}

/* A screen of 80 x 24; its map is 19 lines of two pixels. */
static void draw(struct stage *s, struct look look, struct screen *ret_screen)
{
	assert_int_equal(screen_init(ret_screen, 80, 24), 0);
	s->frame.look = look;
	frame_draw(&s->frame, ret_screen);
}

static const struct screen_cell *cell_at(const struct screen *s, long line, long col) { return &s->cell[line * s->n_cols + col]; }

/* The line and half that a value has in a column. */
static const struct screen_cell *cell_of(const struct stage *s, const struct screen *screen, double value, long col, bool *ret_upper)
{
	struct plot p = view_plot(&s->view, s->map, 38);
	long pixel = plot_pixel(&p, value);

	*ret_upper = pixel % 2;
	return cell_at(screen, 1 + (37 - pixel) / 2, 74 + col);
}

TEST(a_cell_has_its_colour_in_its_half)
{
	static const struct { double value; long col; __u32 rgb; } cases[] = {
		{ 1500, 2, 0xc8c8c8 }, { 3000, 2, 0x323232 }, { 6000, 2, 0 }, { 12000, 4, 0x141414 }, { 1100, 5, 0x010101 },
	};
	struct screen screen;
	struct stage s;

	stage_init(&s, (struct look){ DEPTH_TRUE, true });
	draw(&s, (struct look){ DEPTH_TRUE, true }, &screen);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool upper;
		const struct screen_cell *cell = cell_of(&s, &screen, cases[i].value, cases[i].col, &upper);

		assert_int_equal(upper && cell->character == 0x2580 ? cell->style.front : cell->style.back, cases[i].rgb);
	}
	screen_fini(&screen);
	map_free(s.map);
}

TEST(the_cursor_is_read_out_and_marked)
{
	struct screen screen;
	struct stage s;
	bool upper;
	const struct screen_cell *cell;
	char *is;

	stage_init(&s, (struct look){ DEPTH_TRUE, true });
	s.view.pointing = true;
	s.view.time_s = KIT_FROM + 2.5;
	s.view.value = 1500;
	draw(&s, s.frame.look, &screen);
	cell = cell_of(&s, &screen, 1500, 2, &upper);
	assert_int_equal(cell->character, upper ? 0x2580 : 0x2584);
	assert_int_equal(cell->style.front, LOOK_DEFAULT);
	assert_int_equal(cell_at(&screen, 20, 76)->character, 0x25b2);
	is = printed(&s, 80, 24, (struct look){ DEPTH_PLAIN, true });
	assert_non_null(strstr(is, "22:13:22  1 µs – 2 µs  200 events, 80.0 % of its column  (complete)\n"));
	free(is);
	screen_fini(&screen);
	map_free(s.map);
}

TEST(every_coverage_is_read_out_in_words)
{
	static const char *const said[] = { "not observed, 0 of 1 reported", "nothing happened", "complete", "partly lost, 7 lost",
					    "12 still running  (complete, sampled 1 in 4)", "in progress" };
	struct stage s;

	stage_init(&s, (struct look){ DEPTH_PLAIN, false });
	s.view.pointing = true;
	s.view.value = 6000;
	for (long col = 0; col < 6; col++) {
		char *is;

		s.view.time_s = KIT_FROM + (double)col + 0.5;
		is = printed(&s, 100, 24, s.frame.look);
		if (!strstr(is, said[col]))
			fail_msg("column %ld: no \"%s\" in\n%s", col, said[col], is);
		free(is);
	}
	map_free(s.map);
}

TEST(what_a_screen_says)
{
	static const struct {
		enum frame_state state;
		enum view_overlay overlay;
		bool no_map, isolated;
		long n_cols, n_lines;
		const char *says;
	} cases[] = {
		{ FRAME_LIVE, OVERLAY_NONE, false, false, 80, 24, "\n live  1 of 2 sources  371 events  7 lost  p50 1.9 us  p99 15 us" },
		{ FRAME_PAUSED, OVERLAY_NONE, false, false, 80, 24, "\n paused  " },
		{ FRAME_LOST, OVERLAY_NONE, false, false, 120, 24, "\n NO DAEMON  1 of 2 sources  371 events  7 lost  p50 1.9 us  p99 15 us  it is gone" },
		{ FRAME_LOST, OVERLAY_NONE, true, false, 80, 24, "\nit is gone" },
		{ FRAME_REFUSED, OVERLAY_NONE, false, false, 120, 24, "\n REFUSED  1 of 2 sources " },
		{ FRAME_REFUSED, OVERLAY_NONE, true, false, 80, 24, "\nit is gone" },
		{ FRAME_CONNECTING, OVERLAY_NONE, true, false, 80, 24, "\nwaiting for heatscoped" },
		{ FRAME_LIVE, OVERLAY_HELP, false, false, 80, 24, "pause, resume\n" },
		{ FRAME_LIVE, OVERLAY_HELP, false, false, LAYOUT_COLS_MIN, 16, "o O & still runni" },
		{ FRAME_LIVE, OVERLAY_LIST, false, false, 80, 24, "\n>                                                        (all)" },
		{ FRAME_LIVE, OVERLAY_NONE, false, true, 120, 24, "latency, only select/a\\u001b[31m: mysql.queries by statement" },
		{ FRAME_LIVE, OVERLAY_NONE, false, false, 39, 24, "39 x 24 is too small: 40 x 12 at least" },
		{ FRAME_LIVE, OVERLAY_HELP, false, false, 80, 11, "80 x 11 is too small" },
		{ FRAME_LIVE, OVERLAY_NONE, false, false, 1, 1, "~" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct stage s;
		char *is;

		stage_init(&s, (struct look){ DEPTH_PLAIN, false });
		s.frame.state = cases[i].state;
		s.frame.why = "it is gone";
		s.frame.map = cases[i].no_map ? NULL : s.map;
		s.view.overlay = cases[i].overlay;
		s.view.isolated = cases[i].isolated;
		strcpy(s.view.selected, "select/a\x1b[31m");
		is = printed(&s, cases[i].n_cols, cases[i].n_lines, s.frame.look);
		if (!strstr(is, cases[i].says) || strchr(is, '\x1b'))
			fail_msg("case %zu: no \"%s\" in\n%s", i, cases[i].says, is);
		free(is);
		map_free(s.map);
	}
}

/* Of any size and any look, with the cursor anywhere: nothing is written outside, which the sanitizers see. */
TEST(any_size_can_be_drawn)
{
	for (int round = 0; round < 2000; round++) {
		const struct look look = { (enum look_depth)check_below(5), check_below(2) };
		struct stage s;
		char *is;

		stage_init(&s, look);
		s.view.pointing = check_below(2);
		s.view.time_s = KIT_FROM + (double)check_below(8) - 1;
		s.view.value = (double)check_value();
		s.view.overlay = (enum view_overlay)check_below(3);
		s.map->yscale = check_below(2) ? AXIS_LOG : AXIS_LINEAR;
		is = printed(&s, 1 + (long)check_below(200), 1 + (long)check_below(80), look);
		assert_non_null(strchr(is, '\n'));
		free(is);
		map_free(s.map);
	}
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	return check_run(NULL, NULL);
}
