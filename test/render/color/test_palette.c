#include "render/color/palette.h"
#include "test/kit/check.h"
#include "test/kit/contrast_kit.h"

#include <string.h>

static struct palette made[PALETTE_RAMPS][2];
static const struct palette *const both = made[PALETTE_USUAL];

TEST(luminance_is_monotone_and_neighbours_differ)
{
	(void)state;
	for (int theme = 0; theme < 2; theme++)
		for (int i = 2; i < PALETTE_COLOURS; i++) {
			double step = palette_luminance(both[theme].colour[i]) - palette_luminance(both[theme].colour[i - 1]);

			assert_true(theme == PALETTE_LIGHT ? step < 0 : step > 0);
		}
}

/* There are fewer greys than steps: some neighbours are equal, none is in the wrong order. */
TEST(more_is_darker_on_light_and_lighter_on_dark_in_all_ramps)
{
	(void)state;
	for (int ramp = 0; ramp < PALETTE_RAMPS; ramp++)
		for (int theme = 0; theme < 2; theme++)
			for (int i = 2; i < PALETTE_COLOURS; i++) {
				const __u32 *colour = made[ramp][theme].colour;
				double step = palette_luminance(colour[i]) - palette_luminance(colour[i - 1]);
				double far = palette_luminance(colour[i]) - palette_luminance(colour[i > 8 ? i - 8 : 1]);

				assert_true(theme == PALETTE_LIGHT ? step <= 0 : step >= 0);
				assert_true(i <= 8 || (theme == PALETTE_LIGHT ? far < 0 : far > 0));
			}
}

TEST(ramps_differ_only_in_their_colours)
{
	(void)state;
	for (int ramp = 1; ramp < PALETTE_RAMPS; ramp++)
		for (int theme = 0; theme < 2; theme++) {
			struct palette other = made[ramp][theme];

			assert_memory_not_equal(other.colour, both[theme].colour, sizeof(other.colour));
			memcpy(other.colour, both[theme].colour, sizeof(other.colour));
			assert_memory_equal(&other, &both[theme], sizeof(other));
		}
}

TEST(one_event_is_not_the_background)
{
	(void)state;
	for (int ramp = 0; ramp < PALETTE_RAMPS; ramp++)
		for (int theme = 0; theme < 2; theme++) {
			const struct palette *p = &made[ramp][theme];

			assert_int_equal(p->colour[0], p->zero);
			assert_true(contrast(p->colour[1], p->zero) >= 1.25);
			assert_true(p->unobserved != p->zero);
		}
}

/* At each step all hues have the same lightness: lightness says how many, the hue says which. */
TEST(hues_have_ramps_of_the_same_lightness)
{
	__u32 grey[PALETTE_COLOURS], first[PALETTE_COLOURS], ramp[PALETTE_COLOURS];

	(void)state;
	for (int theme = 0; theme < 2; theme++) {
		palette_hue(theme, -1, grey);
		palette_hue(theme, 0, first);
		for (int hue = 0; hue < 360; hue += 5) {
			palette_hue(theme, hue, ramp);
			assert_int_equal(ramp[0], both[theme].zero);
			assert_true(contrast(ramp[1], ramp[0]) >= 1.2);
			for (int i = 1; i < PALETTE_COLOURS; i++) {
				double l = palette_luminance(ramp[i]);

				assert_true(contrast(ramp[i], first[i]) < 1.35);
				assert_true(ramp[i] != grey[i]);
				if (i > 8)	/* a byte may stay the same for a step or two */
					assert_true(theme ? l > palette_luminance(ramp[i - 8])
							  : l < palette_luminance(ramp[i - 8]));
			}
		}
	}
}

TEST(text_is_legible)
{
	(void)state;
	for (int theme = 0; theme < 2; theme++) {
		const struct palette *p = &both[theme];

		assert_true(contrast(p->text, p->page) >= 4.5);
		assert_true(contrast(p->muted, p->page) >= 4.5);
		assert_true(contrast(p->axis, p->page) >= 3);
		assert_true(contrast(p->partial, p->page) >= 3);
		assert_true(contrast(p->running, p->page) >= 3);
		assert_true(contrast(p->accent, p->page) >= 3);
		assert_true(contrast(p->note, p->page) >= 3);
		assert_true(contrast(p->alert, p->page) >= 3);
		assert_true(contrast(p->p50, p->casing) >= 3);
		assert_true(contrast(p->p99, p->casing) >= 3);
		assert_true(contrast(p->max, p->casing) >= 3);
	}
}

TEST(contrast_follows_wcag)
{
	(void)state;
	assert_true(contrast(0, 0xffffff) > 20.999 && contrast(0xffffff, 0) < 21.001);
}

int main(void)
{
	for (int ramp = 0; ramp < PALETTE_RAMPS; ramp++)
		for (int theme = 0; theme < 2; theme++)
			palette_make((enum palette_theme)theme, (enum palette_ramp)ramp, &made[ramp][theme]);
	return check_run(NULL, NULL);
}
