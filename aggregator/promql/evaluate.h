/* evaluate.h - computes an expression at all points of a query.
 *
 *      tree, series of its leaves --expression_evaluate()--> a number, or series
 *
 * Series  As in Prometheus: operators of two vectors join the series of equal labels, and leave out the others; functions of
 *         histograms leave out numbers; results have no name.
 * Errors  -EINVAL with a sentence in `reason` (REASON_MAX bytes); -E2BIG: too many points; -ENOMEM; those of leaf().
 * Pure    no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_EVALUATE_H
#define HEATSCOPE_EVALUATE_H

#include "aggregator/promql/expression.h"
#include "aggregator/promql/matrix.h"

struct evaluation {
	size_t n_points;
	/* Fills the series of rate() or increase().  out has n_points and no series. */
	int (*leaf)(void *arg, const struct expression *e, struct matrix *out);
	void *arg;
	char *reason;
};

struct outcome {
	bool is_number;
	double number;
	struct matrix matrix;		/* sorted by labels */
};

int expression_evaluate(const struct evaluation *of, const struct expression *e, struct outcome *ret_outcome);
void outcome_fini(struct outcome *o);

#endif
