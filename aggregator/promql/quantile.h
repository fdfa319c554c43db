/* quantile.h - estimates quantiles of histograms, as Prometheus does.
 *
 * Classic  linear within a bucket; a quantile in the last one (+Inf) is the edge before it.
 * Native   exponential within a bucket (as from Prometheus 3.0 on; before, it was linear, which differs by less than 0.4 % if
 *          there are eight buckets per doubling).
 * Limits   q < 0: -Inf; q > 1: +Inf; q is NaN, or there are no events: NaN.
 * Source   Prometheus, promql/quantile.go, bucketQuantile() and histogramQuantile().
 * Pure     no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_QUANTILE_H
#define HEATSCOPE_QUANTILE_H

#include "aggregator/promql/matrix.h"

struct quantile_bucket {
	double edge, count;		/* the count of all events up to the edge */
};

/* edges ascend; the last one is +Inf.  It makes the counts ascend. */
double quantile_classic(double q, struct quantile_bucket *bucket, size_t n);
double quantile_native(double q, const struct series_histogram *h, int schema);

#endif
