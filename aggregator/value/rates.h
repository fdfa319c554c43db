/* rates.h - makes a value's series over time: the rate of each key, or percentiles.
 *
 *      columns of the grid, counts per key and column -> chart -> picture, JSON
 *
 * Rates   The keys with most events are a series each.  `other` is the remainder of a column's count, with the keys
 *         beyond a collector's limit.  If keys are `selected`, these are the series.  Of a point metric a series has
 *         the means of the column's slots.
 * Gaps    NAN where no source observed; for percentiles also where a column has too few events.
 * Memory  rates_fini() frees; it owns series, names and values, the value owns the grid.
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
	char (*name)[KEY_TEXT_MAX + 16];
	char (*total)[AXIS_TEXT];
	double *sum;			/* per series: events, or the mean of a point metric */
	double *value;
};

/* Adds a fold of counts per key and column, of fold 0's measure; none if there are no keys.  -ENOMEM. */
int value_counts_add(struct value *v, struct layer_fold **ret_counts);

/* Makes series of the value's grid 0.  Stacked series also need its counts (NULL: without keys).  -ENOMEM. */
int rates_make_stacked(struct value *v, struct layer_fold *counts, struct rates *ret_rates);
int rates_make_lines(struct value *v, struct rates *ret_rates);

/* Makes series of a grid of active events. */
int rates_make_active(struct value *v, const struct grid *g, struct rates *ret_rates);
void rates_fini(struct rates *r);

/* Writes "show", "ncols", "series", "states" ... */
void rates_put(struct bytes *out, const struct rates *r);

#endif
