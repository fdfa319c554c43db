#include "aggregator/query/contrast.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* ---- distributions ---- */

/* Continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (int m = 1; m < 500; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 + even * d;
		c = 1 + even / c;
		c = fabs(c) < tiny ? tiny : c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		f *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		c = fabs(c) < tiny ? tiny : c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		step = d * c;
		f *= step;
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return f;
}

/* lgamma() also sets a global (signgam), which workers would share. */
static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

static double log_beta(double a, double b)
{
	return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
}

/* Regularized incomplete beta function.  The caller passes both x and 1 - x because it knows both exactly. */
static double beta_share(double a, double b, double x, double rest)
{
	double front;

	if (x <= 0)
		return 0;
	if (rest <= 0)
		return 1;
	front = exp(a * log(x) + b * log(rest) - log_beta(a, b));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, rest) / b;
}

double contrast_tail(double f, unsigned df)
{
	double n = df, p;

	if (!df || !(f > 0))
		return 1;
	p = isinf(f) ? 0 : beta_share(n / 2, 0.5, n / (n + f), f / (n + f));
	return p < 0 ? 0 : p > 1 ? 1 : p;
}

static double log_choose(double n, double k)
{
	return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1);
}

/* P(X >= x), where X counts the marked ones among `drawn` from `all`, of which `marked` are marked; whole numbers. */
static double drawn_at_least(double x, double marked, double drawn, double all)
{
	double most = fmin(marked, drawn), low = fmax(0, marked + drawn - all), term, sum;

	if (x <= low)
		return 1;
	if (x > most)
		return 0;
	term = exp(log_choose(marked, x) + log_choose(all - marked, drawn - x) - log_choose(all, drawn));
	for (sum = term; x < most && term > sum * 1e-16; x++) {
		term *= (marked - x) * (drawn - x) / ((x + 1) * (all - marked - drawn + x + 1));
		sum += term;
	}
	return fmin(sum, 1);
}

/* Two-sided: twice the smaller p.  Counts are divided by the dispersion: they are worth so many independent events. */
static double exact_p(const struct contrast *c)
{
	double in = floor(c->events.in / c->dispersion), out = floor(c->events.out / c->dispersion);
	double a = c->sum.in / c->dispersion, b = c->sum.out / c->dispersion, p;

	if (c->mean.in >= c->mean.out) {
		a = floor(a);
		b = fmin(ceil(b), out);
		p = drawn_at_least(a, a + b, in, in + out);
	} else {
		a = fmin(ceil(a), in);
		b = floor(b);
		p = drawn_at_least(b, a + b, out, in + out);
	}
	return fmin(2 * p, 1);
}

/* ---- a share's likelihood ratio ---- */

static double g_term(double count, double expected)
{
	return count > 0 && expected > 0 ? count * log(count / expected) : 0;
}

static double g_statistic(const struct contrast *c, double share)
{
	double n1 = c->events.in, n0 = c->events.out, a = c->sum.in, b = c->sum.out, g;

	g = g_term(a, n1 * share) + g_term(n1 - a, n1 * (1 - share)) + g_term(b, n0 * share) + g_term(n0 - b, n0 * (1 - share));
	return g > 0 ? 2 * g : 0;
}

static double least_expected(const struct contrast *c, double share)
{
	return fmin(c->events.in, c->events.out) * fmin(share, 1 - share) / c->dispersion;
}

/* ---- how much blocks vary ---- */

struct group {
	size_t n_blocks;		/* blocks with events */
	double sum, events, mean;
	double squares;			/* of the blocks' events */
	double residual;		/* sum of squared residuals */
	double pearson;			/* the same, each divided by the block's events */
};

static void group_add(struct group *g, double sum, double events)
{
	if (events <= 0)
		return;
	g->n_blocks++;
	g->sum += sum;
	g->events += events;
	g->squares += events * events;
}

/* Returns the residual of a block, in the unit of its sum. */
static double group_residual(struct group *g, double sum, double events)
{
	double r = sum - events * g->mean;

	if (events <= 0)
		return 0;
	g->residual += r * r;
	g->pearson += r * r / events;
	return r;
}

static double corrected(const struct group *g)
{
	double n = (double)g->n_blocks;

	return n > 1 ? g->residual / (g->events * g->events) * n / (n - 1) : 0;
}

/* Estimates the variance of the difference of the means from the blocks' residuals. */
static double variance_seen(const struct group *in, const struct group *out, double both, size_t n_both)
{
	double n = (double)n_both, v = corrected(in) + corrected(out);

	if (n_both > 1)
		v -= 2 * both / (in->events * out->events) * n / (n - 1);
	return v > 0 ? v : 0;
}

/* Pearson's chi-square of both groups, each around its own mean, and how many events it is based on. */
struct pearson {
	double chi, df, room;
};

static void pearson_add(struct pearson *p, const struct group *g, double variance)
{
	double n = (double)g->n_blocks;

	if (g->n_blocks < 2 || !(variance > 0))
		return;
	p->chi += g->pearson / variance;
	p->df += n - 1;
	p->room += g->events - g->squares / g->events - (n - 1);
}

/* Returns the correlation of events within a block. */
static double correlation(const struct pearson *p)
{
	return p->room > 0 && p->chi > p->df ? fmin((p->chi - p->df) / p->room, 1) : 0;
}

/* Returns the variance with that correlation over the variance of independent events. */
static double dispersion_by(double correlation, const struct group *in, const struct group *out)
{
	double plain = 1 / in->events + 1 / out->events;
	double v = (1 + correlation * (in->squares / in->events - 1)) / in->events +
		   (1 + correlation * (out->squares / out->events - 1)) / out->events;

	return v / plain;
}

/* ---- the test ---- */

/* Variance of one event's score; for a share (mean_square < 0) it follows from the share. */
static double score_variance(double mean, double mean_square)
{
	return mean_square < 0 ? mean * (1 - mean) : mean_square - mean * mean;
}

/* Returns the variance of the difference of the means if events were independent, each group by its own mean.  If the
 * shares differ much, a group's variance at the pooled share is far below its own; dividing by that would mistake a
 * strong effect for dispersion. */
static double variance_expected(const struct group *in, const struct group *out, double plain, bool shares)
{
	return shares ? score_variance(in->mean, -1) / in->events + score_variance(out->mean, -1) / out->events : plain;
}

static void test(struct contrast *c, const struct group *in, const struct group *out, double both, size_t n_both,
		 double square)
{
	double all = in->events + out->events, mean = (in->sum + out->sum) / all;
	double mean_square = square < 0 ? -1 : square / all, variance = score_variance(mean, mean_square);
	double plain = variance * (1 / in->events + 1 / out->events), difference = in->mean - out->mean, statistic;
	double expected = variance_expected(in, out, plain, square < 0);
	struct pearson p = { 0 };

	if (!(variance > 1e-12 * mean * mean))
		return;
	pearson_add(&p, in, square < 0 ? score_variance(in->mean, -1) : variance);
	pearson_add(&p, out, square < 0 ? score_variance(out->mean, -1) : variance);
	if (expected > 0)
		c->dispersion = fmax(c->dispersion, variance_seen(in, out, both, n_both) / expected);
	c->dispersion = fmax(c->dispersion, p.df > 0 ? p.chi / p.df : 0);
	c->dispersion = fmax(c->dispersion, dispersion_by(correlation(&p), in, out));
	statistic = square < 0 ? g_statistic(c, mean) : difference * difference / plain;
	c->p = contrast_tail(statistic / c->dispersion, c->df);
	if (square < 0 && c->df && least_expected(c, mean) < CONTRAST_FEW)
		c->p = fmax(c->p, exact_p(c));
}

void contrast_test(const struct pair *sum, const struct pair *events, size_t n_blocks, double square, struct pair least,
		   struct contrast *ret_contrast)
{
	struct contrast c = { .dispersion = 1, .p = 1 };
	struct group in = { 0 }, out = { 0 };
	size_t n_both = 0, most;
	double both = 0;

	for (size_t i = 0; i < n_blocks; i++) {
		group_add(&in, sum[i].in, events[i].in);
		group_add(&out, sum[i].out, events[i].out);
	}
	in.mean = in.events > 0 ? in.sum / in.events : 0;
	out.mean = out.events > 0 ? out.sum / out.events : 0;
	for (size_t i = 0; i < n_blocks; i++) {
		both += group_residual(&in, sum[i].in, events[i].in) * group_residual(&out, sum[i].out, events[i].out);
		n_both += events[i].in > 0 && events[i].out > 0;
	}
	most = in.n_blocks > out.n_blocks ? in.n_blocks : out.n_blocks;
	c.df = most ? (unsigned)most - 1 : 0;
	c.sum = (struct pair){ in.sum, out.sum };
	c.events = (struct pair){ in.events, out.events };
	c.mean = (struct pair){ in.mean, out.mean };
	c.excess = in.sum - in.events * out.mean;
	if (in.events > 0 && out.events > 0)
		c.dispersion = fmax((least.in / in.events + least.out / out.events) / (1 / in.events + 1 / out.events), 1);
	if (in.events > 0 && out.events > 0)
		test(&c, &in, &out, both, n_both, square);
	*ret_contrast = c;
}

/* ---- all values of a field ---- */

static double of(struct pair p, bool inside)
{
	return inside ? p.in : p.out;
}

/* Sums over the cells of blocks by values: Pearson's chi-square, and of each cell the ratio of observed to expected. */
struct cells_sum {
	double chi, ratio, n;
};

static void add_value(const struct pair *value, const struct pair *events, size_t n_blocks, double share, bool inside,
		      struct cells_sum *sum)
{
	for (size_t i = 0; i < n_blocks; i++) {
		double expected = of(events[i], inside) * share, rest = of(value[i], inside) - expected;

		if (expected <= 0)
			continue;
		sum->chi += rest * rest / expected;
		sum->ratio += of(value[i], inside) / expected;
		sum->n++;
	}
}

/* One event where a thousandth is expected adds a thousand to chi-square, and to the ratio.  Dividing by the mean ratio
 * keeps such cells from counting for more than others. */
static double spread_of(const struct pair *const *value, size_t n_values, const struct pair *events, size_t n_blocks,
			bool inside)
{
	struct cells_sum cells = { 0 };
	double all = 0, n_used = 0, n_with = 0, df;

	for (size_t i = 0; i < n_blocks; i++) {
		all += of(events[i], inside);
		n_used += of(events[i], inside) > 0;
	}
	for (size_t v = 0; v < n_values; v++) {
		double sum = 0;

		for (size_t i = 0; i < n_blocks; i++)
			sum += of(value[v][i], inside);
		n_with += sum > 0;
		if (sum > 0)
			add_value(value[v], events, n_blocks, sum / all, inside, &cells);
	}
	df = (n_used - 1) * (n_with - 1);
	return df > 0 && cells.ratio > 0 ? fmax(cells.chi / df / (cells.ratio / cells.n), 1) : 1;
}

struct pair contrast_spread(const struct pair *const *value, size_t n_values, const struct pair *events, size_t n_blocks)
{
	return (struct pair){ spread_of(value, n_values, events, n_blocks, true),
			      spread_of(value, n_values, events, n_blocks, false) };
}

/* ---- many tests ---- */

struct rank {
	double p;
	size_t at;
};

static int by_p(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	return x->p < y->p ? -1 : x->p > y->p;
}

int contrast_adjust(const double *p, size_t n, double *ret_q)
{
	struct rank *rank = malloc((n + 1) * sizeof(*rank));
	double q = 1;

	if (!rank)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		rank[i] = (struct rank){ p[i], i };
	qsort(rank, n, sizeof(*rank), by_p);
	for (size_t i = n; i-- > 0;) {
		q = fmin(q, rank[i].p * (double)n / (double)(i + 1));
		ret_q[rank[i].at] = q;
	}
	free(rank);
	return 0;
}
