#include "test/kit/watch_kit.h"
#include "ui/cli/watch/view.h"

#include <math.h>

struct stage {				/* a person before a map */
	struct subject subject;
	struct list list;
	struct list_row rows[2];
	struct map *map;
	struct view view;
};

static void stage_init(struct stage *s)
{
	*s = (struct stage){ .subject = { .n_measures = 3, .n_fields = 2, .slot_s = 1, .measure = { "latency", "cputime", "offcpu" },
					  .field = { "statement", "hostname" } },
			     .rows = { { "select/a,b", 9 }, { "update/db1", 5 } }, .map = kit_map() };
	s->list = (struct list){ 2, s->rows, "ns", false };
	s->view = (struct view){ .column_s = 1, .transfer = SHADE_LOG };
	view_see(&s->view, s->map, 40);
}

static unsigned type(struct stage *s, int key)
{
	const struct scene scene = { &s->subject, &s->list, s->map, 70, 40 };

	return view_press(&s->view, key, &scene);
}

static unsigned type_all(struct stage *s, const char *keys)
{
	unsigned effect = 0;

	while (*keys)
		effect |= type(s, *keys++);
	return effect;
}

TEST(columns_are_as_long_as_it_takes)
{
	static const struct { double duration_s, slot_s; long n_cols; double column_s; } cases[] = {
		{ 60, 1, 71, 1 }, { 71, 1, 71, 1 }, { 72, 1, 71, 2 }, { 600, 1, 71, 10 }, { 1, 0.01, 50, 0.02 }, { 60, 5, 70, 5 }, { 86400, 1, 70, 1800 },
		{ 1e12, 1, 70, 86400 }, { 0.01, 1, 70, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_true(fabs(view_column_s(cases[i].duration_s, cases[i].slot_s, cases[i].n_cols) - cases[i].column_s) < 1e-9);
}

/* Keys and the members they change; what else there is stays. */
TEST(keys_have_effects)
{
	static const struct { const char *keys; unsigned effect; size_t measure; double column_s; enum shade_transfer transfer; enum view_yscale yscale; }
	cases[] = {
		{ "m", VIEW_ASK | VIEW_LIST, 1, 1, SHADE_LOG, YSCALE_AUTO }, { "mmm", VIEW_ASK | VIEW_LIST, 0, 1, SHADE_LOG, YSCALE_AUTO },
		{ "M", VIEW_ASK | VIEW_LIST, 2, 1, SHADE_LOG, YSCALE_AUTO }, { "mM", VIEW_ASK | VIEW_LIST, 0, 1, SHADE_LOG, YSCALE_AUTO },
		{ "-", VIEW_ASK, 0, 2, SHADE_LOG, YSCALE_AUTO }, { "--+", VIEW_ASK, 0, 2, SHADE_LOG, YSCALE_AUTO },
		{ "----------", VIEW_ASK, 0, 1200, SHADE_LOG, YSCALE_AUTO }, { "+", 0, 0, 1, SHADE_LOG, YSCALE_AUTO }, { "=", 0, 0, 1, SHADE_LOG, YSCALE_AUTO },
		{ "t", VIEW_ASK, 0, 1, SHADE_LINEAR, YSCALE_AUTO }, { "tttt", VIEW_ASK, 0, 1, SHADE_PERCENT, YSCALE_AUTO },
		{ "ttttt", VIEW_ASK, 0, 1, SHADE_LOG, YSCALE_AUTO },
		{ "l", VIEW_ASK, 0, 1, SHADE_LOG, YSCALE_LINEAR }, { "ll", VIEW_ASK, 0, 1, SHADE_LOG, YSCALE_LOG },
		{ "q", VIEW_QUIT, 0, 1, SHADE_LOG, YSCALE_AUTO }, { "\x03", VIEW_QUIT, 0, 1, SHADE_LOG, YSCALE_AUTO },
		{ "\x1a", VIEW_SUSPEND, 0, 1, SHADE_LOG, YSCALE_AUTO }, { "x", 0, 0, 1, SHADE_LOG, YSCALE_AUTO },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct stage s;
		unsigned effect;

		stage_init(&s);
		effect = type_all(&s, cases[i].keys) & ~VIEW_REDRAW;
		if (effect != cases[i].effect || s.view.measure != cases[i].measure || s.view.column_s != cases[i].column_s ||
		    s.view.transfer != cases[i].transfer || s.view.yscale != cases[i].yscale)
			fail_msg("%s: effect %u, column %g", cases[i].keys, effect, s.view.column_s);
		map_free(s.map);
	}
}

TEST(p_goes_through_the_palettes)
{
	struct stage s;

	stage_init(&s);
	for (int i = 1; i <= PALETTE_RAMPS; i++) {
		assert_true(type(&s, 'p') & VIEW_ASK);
		assert_int_equal(s.view.ramp, i % PALETTE_RAMPS);
	}
	map_free(s.map);
}

TEST(a_pause_stands_still_and_ends)
{
	struct stage s;

	stage_init(&s);
	assert_true(type(&s, ' ') & VIEW_ASK && s.view.end_s == KIT_FROM + 6);
	assert_true(type(&s, KEY_PAGE_UP) & VIEW_ASK && s.view.end_s == KIT_FROM + 6 - 35);
	assert_true(type(&s, KEY_PAGE_DOWN) & VIEW_ASK && s.view.end_s == KIT_FROM + 6);
	assert_true(type(&s, ' ') & VIEW_ASK && s.view.end_s == 0);
	assert_false(type(&s, KEY_PAGE_DOWN) & VIEW_ASK);
	assert_true(type(&s, KEY_PAGE_UP) & VIEW_ASK && s.view.end_s == KIT_FROM + 6 - 35);
	map_free(s.map);
}

TEST(a_zoom_keeps_what_is_pointed_at)
{
	struct stage s;

	stage_init(&s);
	s.view.end_s = KIT_FROM + 1000;
	s.view.pointing = true;
	s.view.time_s = KIT_FROM + 970;
	type(&s, '-');
	assert_true(s.view.column_s == 2 && s.view.end_s == KIT_FROM + 1030);
	type(&s, '+');
	assert_true(s.view.column_s == 1 && s.view.end_s == KIT_FROM + 1000);
	map_free(s.map);
}

TEST(values_are_zoomed_and_fit_again)
{
	struct stage s;

	stage_init(&s);
	assert_true(type(&s, ']') & VIEW_ASK);
	assert_true(s.view.zoomed.low > s.view.used.low && s.view.zoomed.high < s.view.used.high);
	assert_true(view_plot(&s.view, s.map, 40).domain.low == s.view.zoomed.low);
	type(&s, '[');
	assert_true(s.view.zoomed.high == 0 && view_plot(&s.view, s.map, 40).domain.low == s.view.used.low);
	type(&s, ']');
	assert_true(type(&s, '0') & VIEW_ASK && s.view.zoomed.high == 0);
	map_free(s.map);
}

TEST(arrows_point_at_cells)
{
	struct stage s;
	struct plot p;

	stage_init(&s);
	assert_false(s.view.pointing);
	type(&s, KEY_LEFT);
	assert_true(s.view.pointing && map_column_at(s.map, s.view.time_s) == 5);
	type(&s, KEY_LEFT);
	assert_int_equal(map_column_at(s.map, s.view.time_s), 4);
	type(&s, KEY_HOME);
	type(&s, KEY_LEFT);
	assert_int_equal(map_column_at(s.map, s.view.time_s), 0);
	type(&s, KEY_END);
	type(&s, KEY_RIGHT);
	assert_int_equal(map_column_at(s.map, s.view.time_s), 5);
	for (int i = 0; i < 100; i++)
		type(&s, KEY_DOWN);
	p = view_plot(&s.view, s.map, 40);
	assert_true(plot_cell(&p, 5, plot_pixel(&p, s.view.value)).low == 1000);
	type(&s, KEY_UP);
	assert_true(plot_cell(&p, 5, plot_pixel(&p, s.view.value)).low == 2000);
	type(&s, KEY_ESCAPE);
	assert_false(s.view.pointing);
	map_free(s.map);
	s.map = NULL;
	assert_int_equal(type(&s, KEY_LEFT) & ~VIEW_REDRAW, 0);
}

TEST(a_key_is_shown_alone_and_all_again)
{
	struct stage s;

	stage_init(&s);
	assert_true(type(&s, 'k') & VIEW_LIST && s.view.overlay == OVERLAY_LIST);
	type(&s, KEY_DOWN);
	assert_true(type(&s, KEY_ENTER) & VIEW_ASK);
	assert_true(s.view.isolated && s.view.overlay == OVERLAY_NONE);
	assert_string_equal(s.view.selected, "select/a,b");
	type(&s, 'k');
	for (int i = 0; i < 5; i++)
		type(&s, KEY_DOWN);
	assert_int_equal(s.view.row, 2);
	type(&s, KEY_HOME);
	type(&s, KEY_UP);
	assert_int_equal(s.view.row, 0);
	type(&s, KEY_ENTER);
	assert_false(s.view.isolated);
	map_free(s.map);
}

TEST(keys_of_one_field_are_only_listed)
{
	struct stage s;

	stage_init(&s);
	assert_true(type(&s, 'f') & VIEW_LIST && s.view.by == 1 && s.view.overlay == OVERLAY_LIST);
	type(&s, KEY_DOWN);
	assert_false(type(&s, KEY_ENTER) & VIEW_ASK);
	assert_true(!s.view.isolated && *s.view.hint);
	type(&s, 'f');
	assert_true(s.view.by == 2 && !*s.view.hint);
	type(&s, 'f');
	assert_int_equal(s.view.by, 0);
	s.subject.n_fields = 1;
	type(&s, 'f');
	assert_true(s.view.by == 0 && *s.view.hint);
	map_free(s.map);
}

TEST(overlays_open_and_close)
{
	static const struct { const char *keys; enum view_overlay overlay; } cases[] = {
		{ "?", OVERLAY_HELP }, { "??", OVERLAY_NONE }, { "k", OVERLAY_LIST }, { "kk", OVERLAY_NONE }, { "k?", OVERLAY_HELP }, { "?k", OVERLAY_LIST },
		{ "?\x1b", OVERLAY_NONE }, { "k\x1b", OVERLAY_NONE }, { "k\r", OVERLAY_NONE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct stage s;

		stage_init(&s);
		type_all(&s, cases[i].keys);
		assert_int_equal(s.view.overlay, cases[i].overlay);
		map_free(s.map);
	}
}

TEST(rows_are_asked_for_as_pixels_need_them)
{
	struct stage s;

	stage_init(&s);
	assert_false(view_see(&s.view, s.map, 40));
	assert_true(view_see(&s.view, s.map, 9));
	assert_int_equal(s.view.row_bits, 1);
	map_free(s.map);
}

TEST_MAIN()
