#include "render/color/shade_lookup.h"
#include "test/kit/check.h"
#include <float.h>
#include <math.h>

static void levels_of(enum shade_transfer transfer, double low, double high, double level[SHADE_LEVELS])
{
	double density[500];

	for (int i = 0; i < 500; i++)
		density[i] = low * pow(high / low, i / 499.0);
	assert_int_equal(shade_levels(transfer, density, 500, level), 0);
}

static void check_index(const struct shade_lookup *l, double density)
{
	assert_int_equal(shade_lookup_index(l, density), shade_density_index(l->level, density));
}

/* At every level, next to it, between levels, and beyond them. */
TEST(it_returns_what_halving_returns)
{
	static const enum shade_transfer transfer[] = { SHADE_LINEAR, SHADE_LOG, SHADE_RANK, SHADE_SQRT, SHADE_PERCENT };
	static const double range[][2] = { { 1, 1 }, { 0.01, 100 }, { 1, 1e15 }, { 1e-12, 1e-6 }, { 1e-30, 1e30 } };

	(void)state;
	for (size_t i = 0; i < 5; i++)
		for (size_t k = 0; k < 5; k++) {
			double level[SHADE_LEVELS];
			struct shade_lookup l;

			levels_of(transfer[i], range[k][0], range[k][1], level);
			shade_lookup_make(&l, level);
			for (int at = 0; at < SHADE_LEVELS; at++) {
				check_index(&l, level[at]);
				check_index(&l, nextafter(level[at], 0));
				check_index(&l, nextafter(level[at], INFINITY));
			}
			for (int n = 0; n < 20000; n++)
				check_index(&l, ldexp(1 + check_below(1 << 20) / (double)(1 << 20), (int)check_below(220) - 110));
		}
}

TEST(invalid_densities_have_level_0)
{
	double level[SHADE_LEVELS];
	struct shade_lookup l;

	(void)state;
	levels_of(SHADE_LOG, 1, 1000, level);
	shade_lookup_make(&l, level);
	assert_int_equal(shade_lookup_index(&l, 0), 0);
	assert_int_equal(shade_lookup_index(&l, -1), 0);
	assert_int_equal(shade_lookup_index(&l, NAN), 0);
	assert_int_equal(shade_lookup_index(&l, DBL_TRUE_MIN), 1);
	assert_int_equal(shade_lookup_index(&l, DBL_MAX), 255);
	assert_int_equal(shade_lookup_index(&l, INFINITY), 255);
}

TEST_MAIN()
