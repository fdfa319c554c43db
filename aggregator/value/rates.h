/* rates.h - a value's series over time: how many per second of each key, or percentiles.
 *
 *      columns of the grid, counts per key and column -> chart -> picture, JSON
 *
 * Rates   the keys with most events, each a series; what is left of a column's count is `other`, as
 *         are keys beyond a collector's cap.  With `selected` keys these are the series.
 *         Of a point metric it is the mean of a column's slots, not a rate.
 * Gaps    NAN where nobody looked; in percentiles also where a column has too few events to say.
 * Memory  rates_fini() frees; series, names and values are its own, the grid is the value's.
 * Thread  as value.h says: the worker that makes the value.
 */
#ifndef HEATSCOPE_VALUE_RATES_H
#define HEATSCOPE_VALUE_RATES_H

#include "render/draw/chart.h"
#include "aggregator/query/layer_fold.h"
#include "aggregator/value/value.h"

struct rates {
	struct chart chart;
	const char *show;		/* "rate", "active", "percentiles" */
	char what[VALUE_TITLE];		/* "queries per second by statement" */
	struct chart_series *series;
	char (*name)[KEY_BYTES_MAX + 16];
	char (*total)[AXIS_TEXT];
	double *sum;			/* of each series: events, or of a point metric the mean */
	double *value;
};

/* A fold of how many per key and column, of fold 0's measure; none where there are no keys.  -ENOMEM. */
int value_counts_add(struct value *v, struct layer_fold **ret_counts);

/* Of the value's grid 0: what is stacked also needs its counts (NULL: no keys are told apart).  -ENOMEM. */
int rates_make_stacked(struct value *v, struct layer_fold *counts, struct rates *ret_rates);
int rates_make_lines(struct value *v, struct rates *ret_rates);

/* Of a grid of what was under way at once. */
int rates_make_active(struct value *v, const struct grid *g, struct rates *ret_rates);
void rates_fini(struct rates *r);

/* "show", "ncols", "series", "states" ... */
void rates_put(struct bytes *out, const struct rates *r);

#endif
