#include "render/color/hue.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include <stdio.h>

/* The figures that the original program gave. */
TEST(colours_are_cloud_analytics)
{
	static const struct { int hue; double v; __u32 rgb; } cases[] = {
		{ 21, 1, 0xf26518 }, { 21, 2 / 3.0, 0xf29461 }, { 21, 1 / 3.0, 0xf2c3aa },
		{ 21, 0.5, 0xf2ab85 }, { 112, 0.75, 0x65f24f }, { 21, 0, 0xf2f2f2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(hue_colour(PALETTE_LIGHT, cases[i].hue, cases[i].v), cases[i].rgb);
}

TEST(layers_mix_as_in_cloud_analytics)
{
	static const struct { double v[2]; __u32 rgb; } cases[] = {
		{ { 1, 0.5 }, 210 << 16 | 148 << 8 | 60 }, { { 0, 0.75 }, 101 << 16 | 242 << 8 | 79 },
		{ { 0.5, 0 }, 242 << 16 | 171 << 8 | 133 }, { { 0, 0 }, 0xffffff },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct hue_mix mix = { 0 };

		for (int m = 0; m < 2; m++)
			if (cases[i].v[m] > 0)
				hue_mix_add(&mix, hue_colour(PALETTE_LIGHT, hue_generated(m), cases[i].v[m]), cases[i].v[m]);
		assert_int_equal(hue_mix_colour(&mix, 0xffffff), cases[i].rgb);
	}
}

TEST(default_hues_are_cloud_analytics)
{
	static const int hue[] = { 21, 112, 203, 294, 25, 116 };

	(void)state;
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(hue_generated(i), hue[i]);
}

/* Every hue, at every brightness, on both pages: an event is never the colour of nothing. */
TEST(the_least_count_is_visible)
{
	struct palette p;

	(void)state;
	for (int theme = 0; theme < 2; theme++) {
		palette_make(theme, PALETTE_USUAL, &p);
		for (int hue = LAYER_GREY; hue < 360; hue++)
			assert_true(hue_colour(theme, hue, 1e-9) != p.zero);
	}
}

static struct layers *layers_named(size_t n, const __u64 *count)
{
	static const __u64 edge[] = { 0, 1 };
	struct grid *g = kit_grid(1, 1, edge);
	struct layers *l = layers_new(n);

	for (size_t i = 0; i < n; i++) {
		const struct layer_cell cell = { 0, 0, count[i] };
		char name[24];

		snprintf(name, sizeof(name), "key %zu", i);
		assert_int_equal(layer_fill(&l->layer[i], g, name, &cell, 1), 0);
	}
	hue_assign(l);
	grid_free(g);
	return l;
}

TEST(the_greatest_keys_get_the_best_hues)
{
	__u64 count[30];
	struct layers *l;

	(void)state;
	for (size_t i = 0; i < 30; i++)
		count[i] = 1000 - i;
	l = layers_named(30, count);
	for (size_t i = 0; i < 30; i++) {
		assert_in_range(l->layer[i].hue, 0, 359);
		for (size_t j = 0; j < 8 && i < 8; j++)
			if (i != j)
				assert_true(abs(l->layer[i].hue - l->layer[j].hue) >= 20);
	}
	layers_free(l);
}

TEST(a_key_keeps_its_hue_when_counts_change)
{
	const __u64 before[] = { 100, 50, 20 }, after[] = { 90, 60, 20 };
	struct layers *a = layers_named(3, before), *b = layers_named(3, after);

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(a->layer[i].hue, b->layer[i].hue);
	layers_free(a);
	layers_free(b);
}

TEST_MAIN()
