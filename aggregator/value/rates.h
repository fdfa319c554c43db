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
#include "aggregator/value/value.h"

struct rates {
	struct chart chart;
	char what[VALUE_TITLE];		/* "queries per second by statement" */
	struct chart_series *series;
	char (*name)[KEY_BYTES_MAX + 16];
	char (*total)[AXIS_TEXT];
	double *sum;			/* of each series: events, or of a point metric the mean */
	double *value;
};

/* Reads the value's grid 0 and its counts.  -ENOMEM. */
int rates_make(struct value *v, bool percentiles, struct rates *ret_rates);
void rates_fini(struct rates *r);

/* Is a line of percentiles what this value shows? */
bool rates_are_percentiles(const struct value *v);

/* "show", "ncols", "series", "states" ... */
void rates_put(struct bytes *out, const struct value *v, const struct rates *r);

#endif
