#include "render/draw/caption.h"
#include "render/draw/sentence.h"
#include "render/draw/legend.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include "test/kit/canvas_kit.h"

static struct figure_options options(void)
{
	struct figure_options o;

	figure_defaults(&o);
	o.title = "MySQL queries by statement";
	o.subtitle = "latency";
	o.version = "heatscope 0.1.0";
	return o;
}

TEST(a_summary_says_when_how_many_and_how_many_lost)
{
	struct grid *g = kit_hour(3600, 0, 1);
	const struct zone cet = zone_fixed(3600);
	struct figure_options o = options();
	char text[384];

	(void)state;
	sentence_summary(g, o.zone, text, sizeof(text));
	assert_string_equal(text, "2026-11-21 14:00:00 to 15:00:00 UTC: 645,207 queries, 595 lost");
	o.zone = &cet;
	sentence_summary(g, o.zone, text, sizeof(text));
	assert_non_null(strstr(text, "2026-11-21 15:00:00 to 16:00:00 UTC+01:00 (from 2026-11-21 14:00:00 UTC)"));
	g->point = 1;
	g->all.count = 11;
	g->all.n_snapshots = 4;
	g->weight_unit = "cpus";
	sentence_summary(g, o.zone, text, sizeof(text));
	assert_non_null(strstr(text, ": 2.75 cpus, the mean of 4 slots, 595 lost"));
	grid_free(g);
}

/* A source that exists for 15 s was not expected before. */
TEST(the_share_of_slots_is_of_the_time_shown)
{
	struct grid *g = kit_hour(120, 0, 1);
	char text[384];

	(void)state;
	for (size_t col = 0; col < 120; col++)
		g->column[col] = (struct grid_column){ .n_reporting = 1, .n_expected = 1 };
	g->n_sources = 1;
	sentence_coverage(g, text, sizeof(text));
	assert_string_equal(text, "1 source, 100 % of the slots reported");
	for (size_t col = 0; col < 105; col++)
		g->column[col] = (struct grid_column){ 0 };
	sentence_coverage(g, text, sizeof(text));
	assert_string_equal(text, "1 source, 12.5 % of the slots reported; 105 of 120 columns not observed");
	for (size_t col = 105; col < 120; col++)
		g->column[col] = (struct grid_column){ .n_reporting = col == 119, .n_expected = 10 };
	sentence_coverage(g, text, sizeof(text));
	assert_string_equal(text, "1 source, < 0.1 % of the slots reported; 119 of 120 columns not observed, 1 partly lost");
	grid_free(g);
}

TEST(head_and_footer_stay_in_their_places)
{
	struct grid *g = kit_hour(60, 0, 1);
	struct figure_options o = options();
	struct canvas c;
	char title[400];

	(void)state;
	memset(title, 'x', sizeof(title) - 1);
	title[sizeof(title) - 1] = 0;
	o.title = o.subtitle = title;
	kit_canvas(&c, 800, 240, PALETTE_DARK, 1);
	caption_head(&c, &o, 24, 400);
	caption_footer(&c, g, NULL, &o, 24, 190);
	assert_true(kit_ink(&c, 0, 0, 800, CAPTION_HEAD).n > 500);
	assert_int_equal(kit_ink(&c, 425, 0, 800, CAPTION_HEAD).n, 0);
	assert_int_equal(kit_ink(&c, 0, CAPTION_HEAD, 800, 188).n, 0);
	assert_int_equal(kit_ink(&c, 0, 190 + CAPTION_FOOTER, 800, 240).n, 0);
	assert_true(kit_ink(&c, 600, 205, 778, 230).n > 100);	/* the version, at the right */
	canvas_fini(&c);
	grid_free(g);
}

static struct canvas legend_of(struct grid *g, struct layer_ramps *t, struct legend *l, enum shade_transfer transfer)
{
	const struct shade_options o = { .yscale = AXIS_LOG, .transfer = transfer };
	struct canvas c;
	struct shade s;

	assert_int_equal(shade_make((const struct grid *const *)&g, 1, &o, &s), 0);
	assert_int_equal(layer_ramps_make(g, PALETTE_LIGHT, t), 0);
	assert_int_equal(legend_make(g, t, l), 0);
	kit_canvas(&c, 600, 100, PALETTE_LIGHT, 1);
	caption_legend(&c, &s, g, t, l, 500, 10);
	shade_fini(&s);
	return c;
}

/* 255 px, one per colour; the bar ends at `right`. */
TEST(the_bar_shows_every_colour_once)
{
	struct grid *g = kit_hour(60, 3, 1);
	struct layer_ramps t;
	struct legend l;

	(void)state;
	for (int transfer = SHADE_LINEAR; transfer <= SHADE_PERCENT; transfer++) {
		struct canvas c = legend_of(g, &t, &l, transfer);

		for (unsigned k = 1; k < PALETTE_COLOURS; k++)
			assert_int_equal(kit_canvas_pixel(&c, 244 + k, 33), c.palette.colour[k]);
		assert_true(kit_ink(&c, 245, 10, 500, 26).n > 100);		/* its title */
		assert_true(kit_ink(&c, 230, 40, 510, 56).n > 30);		/* its ticks */
		canvas_fini(&c);
		layer_ramps_fini(&t);
		legend_fini(&l);
	}
	grid_free(g);
}

TEST(layers_have_a_band_each)
{
	struct grid *g = kit_hour(60, 3, 1);
	struct canvas c;
	struct layer_ramps t;
	struct legend l;

	(void)state;
	kit_split(g, 2);
	c = legend_of(g, &t, &l, SHADE_LOG);
	assert_int_equal(l.n, 3);
	assert_int_equal(kit_canvas_pixel(&c, 499, 29), l.item[0].ramp[255]);
	assert_int_equal(kit_canvas_pixel(&c, 499, 33), l.item[1].ramp[255]);
	assert_int_equal(kit_canvas_pixel(&c, 499, 37), l.item[2].ramp[255]);
	canvas_fini(&c);
	layer_ramps_fini(&t);
	legend_fini(&l);
	grid_free(g);
}

/* A key for marks that the picture does not have would confuse. */
TEST(only_marks_in_the_picture_are_named)
{
	static const __u64 edge[] = { 0, 1 };
	struct grid *g = kit_grid(4, 1, edge);
	struct figure_options o = options();
	unsigned ink[4];

	(void)state;
	for (unsigned marks = 0; marks < 4; marks++) {
		struct canvas c;

		g->column[3].marks = marks;			/* GRID_IN_PROGRESS 1, GRID_CLOCK_STEP 2 */
		kit_canvas(&c, 800, 100, PALETTE_LIGHT, 1);
		caption_key(&c, &o, (const struct grid *const *)&g, 1, 24, 40);
		ink[marks] = kit_ink(&c, 0, 0, 800, 100).right;
		canvas_fini(&c);
	}
	assert_true(ink[0] < ink[1] && ink[0] < ink[2] && ink[1] < ink[3] && ink[2] < ink[3]);
	grid_free(g);
}

TEST_MAIN()
