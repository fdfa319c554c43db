/* matrix.h - holds the values of series at points in time.
 *
 *      point      0      1      2 ...      (start + step * index)
 *      series A   1.5    -      2          numbers; -: there is none
 *      series B   hist   hist   -          or histograms
 *
 * Shape   A series has numbers or histograms.  Buckets of a histogram are those of Prometheus' native ones: index i of schema s
 *         has (2^((i-1)/2^s), 2^(i/2^s)]; `first` is the index of bucket[0].
 * Bound   MATRIX_POINTS_MAX points of all series, MATRIX_BUCKETS_MAX buckets of a source (window_fold.h); -E2BIG beyond.
 * Errors  0, -ENOMEM or -E2BIG.
 * Memory  a matrix owns its series; matrix_fini() frees them.
 * Thread  any.
 */
#ifndef HEATSCOPE_MATRIX_H
#define HEATSCOPE_MATRIX_H

#include "aggregator/promql/series_labels.h"

#define MATRIX_POINTS_MAX 5000000	/* 45 MB */
#define MATRIX_BUCKETS_MAX 8000000	/* of all histograms of a source: 64 MB */

struct series_histogram {
	double count, sum;
	int first;
	__u32 n;
	double *bucket;			/* n; NULL if that is 0 */
};

struct series {
	struct series_labels labels;
	bool *is;			/* of each point: is it there? */
	double *value;			/* NULL: histograms */
	struct series_histogram *histogram;	/* NULL: numbers */
	int schema;
};

struct matrix {				/* zeroed, but for n_points: empty */
	size_t n_points, n, room;
	struct series *series;
};

/* Adds a series without points, and takes the labels, also if it fails. */
int matrix_add(struct matrix *m, struct series_labels *labels, bool is_histogram, int schema, struct series **ret_series);
void matrix_fini(struct matrix *m);

/* Gives the points of one series to another one, which has none, instead of its own. */
void series_move(struct series *from, struct series *to);

void matrix_sort(struct matrix *m);			/* by labels */
bool matrix_has_twins(struct matrix *m);		/* sorts it; are there two series of equal labels? */

/* Makes `to` the sum of both.  Each has its own schema; `to` gets the coarser one of its series, which is `schema`. */
int series_histogram_add(struct series_histogram *to, int to_schema, const struct series_histogram *from, int from_schema, int schema);
void series_histogram_scale(struct series_histogram *h, double by);

#endif
