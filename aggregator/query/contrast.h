/* contrast.h - tests whether two groups of events differ by more than they vary from block to block.
 *
 *      per block of time: sums and events, inside and outside  --contrast_test()-->  difference, dispersion, p
 *      p of all tests  --contrast_adjust()-->  q
 *
 * Sums    of scores.  For the count of one value an event scores 1 or 0; a score may also be any number of an event.
 *         So a group's mean score is a share or a mean.  `excess` is the inside's sum less events inside x mean
 *         outside, in the score's unit.
 * Test    For shares, the likelihood ratio of the 2x2 table (G; Sokal & Rohlf, Biometry, 17.4).  For means, the square
 *         of their difference over its variance.  If a cell of the table expects fewer than CONTRAST_FEW events, p is
 *         at least that of Fisher's exact test.
 * Spread  Events are not independent: a client repeats itself, a burst is one cause.  So the statistic is divided by a
 *         dispersion (quasi-likelihood; McCullagh & Nelder, Generalized Linear Models, 1989, 4.5), and referred to F(1,
 *         blocks of the larger number - 1).  The dispersion is the greatest of
 *           `least`: how many events one stands for, of sampled data;
 *           the dispersion of each group over all values of a field together (contrast_spread()), because a rare value
 *             has too few events to estimate its own;
 *           Pearson's chi-square of the blocks over its degrees of freedom: clumps of this value;
 *           the estimate from the blocks' residuals, a block's inside and outside taken together (the ratio estimate's
 *             variance, Cochran, Sampling Techniques, 1977, 6), over the variance of independent events at each group's
 *             own share (the design effect of Rao & Scott, Biometrics 48, 1992, 577-585): mixes that shift;
 *           the estimate from one correlation within all blocks (Williams 1982): groups that are in few blocks.
 *         One block allows no estimate: df is 0 and p 1.
 * Errors  none.  A group without events, and a score that does not vary, give p = 1.  Never NaN.
 * Laws    the result does not depend on the order of blocks (except for rounding), nor on which group is called inside.
 * Pure    no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_CONTRAST_H
#define HEATSCOPE_CONTRAST_H

#include <stddef.h>

#define CONTRAST_FEW 5

struct pair {
	double in, out;
};

struct contrast {
	struct pair sum, events;	/* over all blocks */
	struct pair mean;		/* 0 without events */
	double excess;			/* sum.in - events.in * mean.out */
	double dispersion;		/* >= 1 */
	unsigned df;
	double p;			/* 0..1 */
};

/* Tests the difference of inside and outside.  sum[i]: the scores of events[i].  square: the sum of all events' squared
 * scores; of a share (scores 1 and 0) it is < 0.  least: a dispersion of each group that is known from elsewhere. */
void contrast_test(const struct pair *sum, const struct pair *events, size_t n_blocks, double square, struct pair least,
		   struct contrast *ret_contrast);

/* Returns the dispersion of each group over all values of a field together, at least 1: Pearson's chi-square of blocks
 * by values, over its degrees of freedom, corrected for cells that expect next to nothing (Fletcher, Biometrika 99,
 * 2012, 230-237).  value[i]: as `sum` of value i; the values together are all events. */
struct pair contrast_spread(const struct pair *const *value, size_t n_values, const struct pair *events, size_t n_blocks);

/* Computes each test's q (Benjamini & Hochberg 1995): among the differences with q <= x, a share of x is false on
 * average. */
int contrast_adjust(const double *p, size_t n, double *ret_q);	/* -ENOMEM */

/* Returns P(F > f) of the F distribution with 1 and df degrees of freedom. */
double contrast_tail(double f, unsigned df);

#endif
