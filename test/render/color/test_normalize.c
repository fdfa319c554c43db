#include "render/color/normalize.h"
#include "test/kit/check.h"
#include <math.h>

/* Cloud Analytics' golden map: rows [5,0,0,1], [2.5,5,2.5,0], [0,0,0,1], without the zeros. */
static const double golden[] = { 5, 1, 2.5, 5, 2.5, 1 };

TEST(rank_is_cloud_analytics)
{
	static const double want[] = { 1, 1 / 3.0, 2 / 3.0, 1, 2 / 3.0, 1 / 3.0 };
	double v[6];

	(void)state;
	memcpy(v, golden, sizeof(v));
	assert_int_equal(normalize_densities(SHADE_RANK, v, 6), 0);
	for (int i = 0; i < 6; i++)
		assert_true(fabs(v[i] - want[i]) < 1e-12);
}

TEST(linear_is_cloud_analytics)
{
	static const double want[] = { 1, 0.2, 0.5, 1, 0.5, 0.2 };
	double v[6], faint[] = { 0.25, 0.5 };

	(void)state;
	memcpy(v, golden, sizeof(v));
	assert_int_equal(normalize_densities(SHADE_LINEAR, v, 6), 0);
	for (int i = 0; i < 6; i++)
		assert_true(fabs(v[i] - want[i]) < 1e-12);
	assert_int_equal(normalize_densities(SHADE_LINEAR, faint, 2), 0);	/* its max starts at 1 */
	assert_true(faint[0] == 0.25 && faint[1] == 0.5);
}

TEST(root_and_log)
{
	double root[] = { 25, 100 }, log[] = { 1, 9, 99 };

	(void)state;
	assert_int_equal(normalize_densities(SHADE_SQRT, root, 2), 0);
	assert_true(root[0] == 0.5 && root[1] == 1);
	assert_int_equal(normalize_densities(SHADE_LOG, log, 3), 0);
	assert_true(fabs(log[1] - 0.5) < 1e-12 && log[2] == 1 && log[0] < 0.16);
}

/* Against the definition, one by one. */
TEST(rank_counts_how_many_are_greater)
{
	enum { N = 500 };
	double v[N], ranked[N];

	(void)state;
	for (int i = 0; i < N; i++)
		ranked[i] = v[i] = (double)(check_value() % 100000) / 8 + 0.125;
	assert_int_equal(normalize_densities(SHADE_RANK, ranked, N), 0);
	for (int i = 0; i < N; i++) {
		int greater = 0;

		for (int j = 0; j < N; j++)
			greater += (float)v[j] > (float)v[i];
		assert_true(fabs(ranked[i] - (double)(N - greater) / N) < 1e-12);
	}
	assert_int_equal(normalize_densities(SHADE_RANK, v, 0), 0);
}

TEST_MAIN()
