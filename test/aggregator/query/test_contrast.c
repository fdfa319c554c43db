#include "test/kit/check.h"
#include "aggregator/query/contrast.h"

#include <math.h>
#include <stdbool.h>

#define BLOCKS 60
#define VALUES 20
#define RUNS 200
#define Q 0.05

static const struct pair alone = { 1, 1 };	/* its dispersion is not known from elsewhere */

/* Counts per value and block. */
struct counts {
	struct pair of[VALUES][BLOCKS], all[BLOCKS];
};

static double uniform(void) { return ((double)(check_random() >> 11) + 0.5) / 9007199254740992.0; }

/* Uneven shares, like those of real queries. */
static void base_shares(double share[VALUES])
{
	double sum = 0;

	for (int v = 0; v < VALUES; v++)
		sum += share[v] = 1.0 / (1 + v);
	for (int v = 0; v < VALUES; v++)
		share[v] /= sum;
}

/* Makes the block's own shares: each value's times a random factor up to e^spread, either way. */
static void block_shares(const double base[VALUES], double spread, double share[VALUES])
{
	double sum = 0;

	for (int v = 0; v < VALUES; v++)
		sum += share[v] = base[v] * exp(spread * (2 * uniform() - 1));
	for (int v = 0; v < VALUES; v++)
		share[v] /= sum;
}

static int drawn(const double share[VALUES])
{
	double x = uniform();
	int v = 0;

	while (v < VALUES - 1 && (x -= share[v]) > 0)
		v++;
	return v;
}

static void add(struct counts *c, int value, size_t block, int inside, double n)
{
	double *of = inside ? &c->of[value][block].in : &c->of[value][block].out;

	*of += n;
	*(inside ? &c->all[block].in : &c->all[block].out) += n;
}

enum shape { STEADY, MIXED, CLUMPS, APART, ONE_INSIDE, SAMPLED, DRIFT, BUSY_INSIDE, CLUMPS_INSIDE, SHAPES };

/* Moves the number inside, and the shares, one step from their last values. */
static int drift(double base[VALUES], double *rate)
{
	for (int v = 0; v < VALUES; v++)
		base[v] *= exp(uniform() - 0.5);
	*rate = 0.9 * *rate + uniform() - 0.5;
	return (int)(30 * exp(*rate));
}

/* Without a difference: in each block, inside and outside draw from the same shares. */
static void fill_nothing(struct counts *c, enum shape shape, size_t n_blocks)
{
	double base[VALUES], share[VALUES], rate = 0;

	memset(c, 0, sizeof(*c));
	base_shares(base);
	for (size_t s = 0; s < n_blocks; s++) {
		int in = 5 + (int)check_below(60), out = 100 + (int)check_below(400), times = shape == SAMPLED ? 16 : 1;

		if (shape == DRIFT)
			in = drift(base, &rate);
		/* a baseline: each block is only inside or only outside */
		if (shape == APART || shape == ONE_INSIDE || shape == BUSY_INSIDE) {
			int inside = shape == ONE_INSIDE ? s == 0 : s < n_blocks / 6 + 1;

			in = inside ? in * (shape == BUSY_INSIDE ? 50 : 5) : 0;
			out = inside ? 0 : shape == BUSY_INSIDE ? out / 5 : out;
		}
		block_shares(base, shape == STEADY || shape == SAMPLED || shape == DRIFT || shape == CLUMPS_INSIDE ? 0 : 1, share);
		for (int i = 0; i < in + out;) {
			int value = drawn(share), n = shape == CLUMPS || (shape == CLUMPS_INSIDE && i < in) ? 1 + (int)check_below(10) : 1;

			for (; n && i < in + out; n--, i++)
				add(c, value, s, i < in, times);
		}
	}
}

static int n_called(const struct counts *c, size_t n_blocks)
{
	const struct pair *of[VALUES];
	double p[VALUES], q[VALUES];
	struct pair spread;
	int n = 0;

	for (int v = 0; v < VALUES; v++)
		of[v] = c->of[v];
	spread = contrast_spread(of, VALUES, c->all, n_blocks);
	assert_true(spread.in >= 1 && spread.out >= 1 && isfinite(spread.in + spread.out));
	for (int v = 0; v < VALUES; v++) {
		struct contrast t;

		contrast_test(c->of[v], c->all, n_blocks, -1, spread, &t);
		assert_true(t.p >= 0 && t.p <= 1 && isfinite(t.dispersion) && t.dispersion >= 1);
		p[v] = t.p;
	}
	assert_int_equal(contrast_adjust(p, VALUES, q), 0);
	for (int v = 0; v < VALUES; v++)
		n += q[v] <= Q;
	return n;
}

TEST(without_a_planted_difference_none_is_found)
{
	static const size_t blocks[] = { 10, BLOCKS };
	static struct counts c;

	for (int shape = 0; shape < SHAPES; shape++)
		for (int b = 0; b < 2; b++) {
			int n_false = 0;

			for (int run = 0; run < RUNS; run++) {
				fill_nothing(&c, (enum shape)shape, blocks[b]);
				n_false += n_called(&c, blocks[b]) > 0;
			}
			print_message("# shape %d, %zu blocks: %d of %d runs called something\n", shape, blocks[b], n_false, RUNS);
			assert_true(n_false <= RUNS / 20);
		}
}

TEST(a_planted_difference_is_found)
{
	static struct counts c;
	int n_first = 0;

	for (int run = 0; run < 40; run++) {
		struct contrast t;
		double least = 1;
		int best = -1, planted = 5 + (int)check_below(10);

		fill_nothing(&c, MIXED, BLOCKS);
		for (size_t s = 0; s < BLOCKS; s++)
			add(&c, planted, s, 1, (double)check_below(30));
		for (int v = 0; v < VALUES; v++) {
			contrast_test(c.of[v], c.all, BLOCKS, -1, alone, &t);
			if (t.excess > 0 && t.p < least) {
				least = t.p;
				best = v;
			}
		}
		n_first += best == planted && least < 0.001;
	}
	assert_true(n_first >= 38);
}

/* Independent events: `in` of n_in inside and `out` of n_out outside have the first value, the others share the
 * rest. */
static void fill_independent(struct counts *c, size_t n_blocks, int in, int n_in, int out, int n_out)
{
	double share[VALUES];

	memset(c, 0, sizeof(*c));
	base_shares(share);
	share[VALUES - 1] += share[0];
	share[0] = 0;
	for (int i = 0; i < n_in + n_out; i++) {
		int inside = i < n_in, first = inside ? i < in : i - n_in < out;

		add(c, first ? 0 : drawn(share), check_below((unsigned)n_blocks), inside, 1);
	}
}

static bool calls_the_first(const struct counts *c, size_t n_blocks)
{
	const struct pair *of[VALUES];
	double p[VALUES], q[VALUES], excess = 0;
	struct pair spread;

	for (int v = 0; v < VALUES; v++)
		of[v] = c->of[v];
	spread = contrast_spread(of, VALUES, c->all, n_blocks);
	for (int v = 0; v < VALUES; v++) {
		struct contrast t;

		contrast_test(c->of[v], c->all, n_blocks, -1, spread, &t);
		p[v] = t.p;
		excess = v ? excess : t.excess;
	}
	assert_int_equal(contrast_adjust(p, VALUES, q), 0);
	return q[0] <= Q && excess > 0;
}

/* A strong effect must not be mistaken for dispersion. */
TEST(a_strong_effect_is_found_in_a_short_window)
{
	static const struct { int in, n_in, out, n_out; } cases[] = {
		{ 30, 61, 76, 10353 }, { 60, 600, 60, 60000 }, { 55, 100, 50, 10401 }, { 300, 600, 600, 60000 }, { 60, 61, 1000, 10000 },
	};
	static const size_t blocks[] = { 5, 10, 30, BLOCKS };
	static struct counts c;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (size_t b = 0; b < sizeof(blocks) / sizeof(*blocks); b++) {
			int n_found = 0;

			for (int run = 0; run < RUNS; run++) {
				fill_independent(&c, blocks[b], cases[i].in, cases[i].n_in, cases[i].out, cases[i].n_out);
				n_found += calls_the_first(&c, blocks[b]);
			}
			print_message("# %d of %d against %d of %d, %zu blocks: found in %d of %d runs\n", cases[i].in, cases[i].n_in,
				      cases[i].out, cases[i].n_out, blocks[b], n_found, RUNS);
			assert_true(n_found >= RUNS * 99 / 100);
		}
}

TEST(the_names_of_groups_and_the_order_of_blocks_do_not_matter)
{
	static struct counts c;
	struct pair other[BLOCKS], all[BLOCKS];
	struct contrast t, u;

	fill_nothing(&c, MIXED, BLOCKS);
	for (int v = 0; v < VALUES; v++) {
		for (size_t s = 0; s < BLOCKS; s++) {
			size_t to = (s * 7 + 3) % BLOCKS;

			other[to] = (struct pair){ c.of[v][s].out, c.of[v][s].in };
			all[to] = (struct pair){ c.all[s].out, c.all[s].in };
		}
		contrast_test(c.of[v], c.all, BLOCKS, -1, alone, &t);
		contrast_test(other, all, BLOCKS, -1, alone, &u);
		assert_true(fabs(t.p - u.p) < 1e-9 && fabs(t.dispersion - u.dispersion) < 1e-9 * t.dispersion);
	}
}

TEST(a_spread_is_estimated_for_each_group)
{
	static struct counts c;
	const struct pair *of[VALUES], none[BLOCKS] = { { 0, 0 } };
	struct pair spread;

	for (int v = 0; v < VALUES; v++)
		of[v] = c.of[v];
	fill_nothing(&c, STEADY, BLOCKS);
	spread = contrast_spread(of, VALUES, c.all, BLOCKS);
	assert_true(spread.in < 1.2 && spread.out < 1.2);
	fill_nothing(&c, SAMPLED, BLOCKS);
	spread = contrast_spread(of, VALUES, c.all, BLOCKS);
	assert_true(spread.in > 14 && spread.in < 18 && spread.out > 14 && spread.out < 18);
	fill_nothing(&c, CLUMPS_INSIDE, BLOCKS);	/* of 1 to 10: E(n^2) / E(n) = 7 */
	spread = contrast_spread(of, VALUES, c.all, BLOCKS);
	assert_true(spread.in > 5 && spread.in < 9 && spread.out < 1.2);
	memset(&c, 0, sizeof(c));
	for (size_t b = 0; b < BLOCKS; b++)	/* three events of a rare value at once, with a thousand of another
						 * value in each block */
		add(&c, 0, b, 0, 1000);
	for (size_t b = 0; b < BLOCKS; b += BLOCKS / 4)
		add(&c, 1, b, 0, 3);
	spread = contrast_spread(of, VALUES, c.all, BLOCKS);
	assert_true(spread.out > 2 && spread.out < 4);
	for (int v = 0; v < VALUES; v++)
		of[v] = none;
	spread = contrast_spread(of, VALUES, none, BLOCKS);
	assert_true(spread.in == 1 && spread.out == 1);
}

TEST(means_are_compared_by_their_scores)
{
	struct pair sum[BLOCKS], events[BLOCKS];
	struct contrast t;
	double square = 0;

	for (size_t s = 0; s < BLOCKS; s++) {		/* inside scores 3 on average, outside 1 */
		double in = 2 + 2 * uniform(), out = 2 * uniform();

		events[s] = (struct pair){ 10, 100 };
		sum[s] = (struct pair){ 10 * in, 100 * out };
		square += 10 * in * in + 100 * out * out;
	}
	contrast_test(sum, events, BLOCKS, square, alone, &t);
	assert_true(t.p < 1e-6 && t.mean.in > 2.5 && t.mean.out < 1.5);
	assert_true(fabs(t.excess - (t.mean.in - t.mean.out) * 600) < 1e-6);
	for (size_t s = 0; s < BLOCKS; s++)
		sum[s] = (struct pair){ 10 * 1e9, 100 * 1e9 };		/* the score does not vary */
	contrast_test(sum, events, BLOCKS, 110 * BLOCKS * 1e18, alone, &t);
	assert_true(t.p == 1 && t.excess == 0);
}

TEST(the_tail_is_that_of_f)
{
	static const struct { double f; unsigned df; double p; } cases[] = {	/* of the table of t */
		{ 1, 1, 0.5 }, { 12.7062 * 12.7062, 1, 0.05 }, { 2.2281 * 2.2281, 10, 0.05 }, { 4.5869 * 4.5869, 10, 0.001 },
		{ 2.0003 * 2.0003, 60, 0.05 }, { 1.96 * 1.96, 100000000, 0.05 }, { 0, 5, 1 }, { 100, 0, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double p = contrast_tail(cases[i].f, cases[i].df);

		if (fabs(p - cases[i].p) > 0.0003)
			fail_msg("F(1, %u) > %g: %g instead of %g", cases[i].df, cases[i].f, p, cases[i].p);
	}
	assert_true(contrast_tail(INFINITY, 5) == 0 && contrast_tail(1e300, 5) < 1e-100);
}

/* Two of two inside, none of ten outside: 1 / C(12, 2), two-sided. */
TEST(few_events_are_tested_exactly)
{
	const struct pair sum[] = { { 1, 0 }, { 1, 0 } }, events[] = { { 1, 5 }, { 1, 5 } };
	struct contrast t;

	contrast_test(sum, events, 2, -1, alone, &t);
	assert_true(t.p >= 2.0 / 66 - 1e-12);
	/* each stands for two: it was one of one, and none of five */
	contrast_test(sum, events, 2, -1, (struct pair){ 2, 2 }, &t);
	assert_true(t.p >= 2.0 / 6 - 1e-12);
}

TEST(p_is_one_without_information)
{
	const struct pair none[] = { { 0, 0 }, { 0, 0 } }, some[] = { { 10, 1 }, { 10, 1 } }, all[] = { { 100, 100 }, { 100, 100 } };
	const struct pair inside[] = { { 100, 0 }, { 100, 0 } };
	struct contrast t;

	contrast_test(none, none, 2, -1, alone, &t);		/* no events */
	assert_true(t.p == 1 && t.mean.in == 0 && t.excess == 0);
	contrast_test(some, inside, 2, -1, alone, &t);		/* nothing outside */
	assert_true(t.p == 1);
	contrast_test(none, all, 2, -1, alone, &t);			/* none has the value */
	assert_true(t.p == 1);
	contrast_test(all, all, 2, -1, alone, &t);			/* all have it */
	assert_true(t.p == 1);
	contrast_test(some, all, 1, -1, alone, &t);			/* one block */
	assert_true(t.p == 1 && t.df == 0 && t.excess == 9);
	contrast_test(some, all, 0, -1, alone, &t);
	assert_true(t.p == 1);
}

/* The example of Benjamini and Hochberg 1995: of 15, four are significant at 0.05. */
TEST(many_tests_are_adjusted)
{
	static const double p[15] = { 0.0344, 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0459, 0.3240, 0.4262, 0.5719,
				      0.6528, 0.7590, 1.0000 };
	double q[15];
	int n = 0;

	assert_int_equal(contrast_adjust(p, 15, q), 0);
	for (int i = 0; i < 15; i++) {
		assert_true(q[i] >= p[i] && q[i] <= 1);
		n += q[i] <= 0.05;
	}
	assert_int_equal(n, 4);
	assert_true(fabs(q[1] - 0.0015) < 1e-12 && fabs(q[4] - 0.0095 * 15 / 4) < 1e-12);
	assert_int_equal(contrast_adjust(p, 0, q), 0);
}

TEST_MAIN()
