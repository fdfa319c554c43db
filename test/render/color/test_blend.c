#include "render/color/blend.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"

/* One row, columns 0..3: both keys, the first, the second, neither; the rest is in columns 0 and 3. */
static struct grid *grid_of_two(void)
{
	static const __u64 edge[] = { 0, 10 };
	static const struct layer_cell a[] = { { 0, 0, 4 }, { 0, 1, 2 } }, b[] = { { 0, 0, 2 }, { 0, 2, 3 } };
	struct grid *g = kit_grid(4, 1, edge);

	kit_add(g, 0, 0, 7);
	kit_add(g, 1, 0, 2);
	kit_add(g, 2, 0, 3);
	kit_add(g, 3, 0, 2);
	g->layers = layers_new(2);
	assert_int_equal(layer_fill(&g->layers->layer[0], g, "a", a, 2), 0);
	assert_int_equal(layer_fill(&g->layers->layer[1], g, "b", b, 2), 0);
	g->layers->rest_hue = hue_generated(0);
	g->layers->layer[0].hue = hue_generated(1);
	g->layers->layer[1].hue = hue_generated(2);
	return g;
}

static void colours(const struct grid *g, enum shade_transfer transfer, __u32 *ret_rgb)
{
	const struct blend_options o = { .transfer = transfer, .hue = 21, .nothing = 0xffffff };
	struct raster r = { .n_cols = 4, .n_rows = 1, .high = 10 };

	assert_int_equal(raster_init(&r), 0);
	assert_int_equal(blend_colours(g, &o, &r, ret_rgb), 0);
	raster_fini(&r);
}

static __u32 one(size_t hue, double v) { return hue_colour(PALETTE_LIGHT, hue_generated(hue), v); }

TEST(layers_are_normalised_together)
{
	struct grid *g = grid_of_two();
	struct hue_mix all = { 0 };
	__u32 rgb[4];

	(void)state;
	colours(g, SHADE_LINEAR, rgb);
	hue_mix_add(&all, one(0, 0.25), 0.25);
	hue_mix_add(&all, one(1, 1), 1);
	hue_mix_add(&all, one(2, 0.5), 0.5);
	assert_int_equal(rgb[0], hue_mix_colour(&all, 0));
	assert_int_equal(rgb[1], one(1, 0.5));
	assert_int_equal(rgb[2], one(2, 0.75));
	assert_int_equal(rgb[3], one(0, 0.5));
	grid_free(g);
}

TEST(isolated_excluded_and_without_layers)
{
	struct grid *g = grid_of_two();
	__u32 rgb[4];

	(void)state;
	g->layers->shown = LAYERS_ISOLATED;
	colours(g, SHADE_LINEAR, rgb);
	assert_int_equal(rgb[1], one(1, 0.5));
	assert_int_equal(rgb[3], 0xffffff);		/* nothing of them */
	g->layers->shown = LAYERS_EXCLUDED;
	colours(g, SHADE_LINEAR, rgb);
	assert_int_equal(rgb[0], one(0, 0.5));		/* 7 - 4 - 2 of at most 2 */
	assert_int_equal(rgb[1], 0xffffff);
	assert_int_equal(rgb[3], one(0, 1));
	layers_free(g->layers);
	g->layers = NULL;
	colours(g, SHADE_LINEAR, rgb);
	assert_int_equal(rgb[0], one(0, 1));
	assert_int_equal(rgb[3], one(0, 2 / 7.0));
	g->layers = layers_new(0);			/* isolated without a selection: a blank map */
	g->layers->shown = LAYERS_ISOLATED;
	colours(g, SHADE_RANK, rgb);
	for (int i = 0; i < 4; i++)
		assert_int_equal(rgb[i], 0xffffff);
	grid_free(g);
}

TEST(one_layer_looks_the_same_with_an_empty_one)
{
	struct grid *g = grid_of_two();
	__u32 alone[4], together[4];

	(void)state;
	layers_free(g->layers);
	for (int t = SHADE_LINEAR; t <= SHADE_PERCENT; t++) {
		g->layers = NULL;
		colours(g, t, alone);
		g->layers = layers_new(1);
		g->layers->rest_hue = 21;
		assert_int_equal(layer_fill(&g->layers->layer[0], g, "none", NULL, 0), 0);
		colours(g, t, together);
		assert_memory_equal(alone, together, sizeof(alone));
		layers_free(g->layers);
	}
	g->layers = NULL;
	grid_free(g);
}

TEST(percent_is_of_everything_shown)
{
	struct grid *g = grid_of_two();
	struct hue_mix all = { 0 };
	__u32 rgb[4];

	(void)state;
	colours(g, SHADE_PERCENT, rgb);
	hue_mix_add(&all, one(0, 1 / 7.0), 1 / 7.0);
	hue_mix_add(&all, one(1, 4 / 7.0), 4 / 7.0);
	hue_mix_add(&all, one(2, 2 / 7.0), 2 / 7.0);
	assert_int_equal(rgb[0], hue_mix_colour(&all, 0));
	assert_int_equal(rgb[1], one(1, 1));
	g->layers->shown = LAYERS_ISOLATED;
	colours(g, SHADE_PERCENT, rgb);
	assert_int_equal(rgb[1], one(1, 1));
	grid_free(g);
}

TEST_MAIN()
