/* window_fold.h - adds up slices of an instrumentation, along the windows of a query, as series.
 *
 *      slices --window_fold_reader()--> counts per unit and key --window_fold_finish()--> series of rates or increases
 *
 * Exact   An increase is the number of events (or the sum of values) of the window's slots; a rate is that by the window's
 *         length.  Nothing is extrapolated, but if the plan is coarse: then an increase is that of as long a window as was asked for.
 * Absent  A point is there if a source reported any slot of its window; then a key without events in it has 0.  A key without
 *         events in the whole time is no series.
 * Keys    those that /metrics has as series, then others as they come, up to the limit; the events of the rest are in `other`.
 * Lost    events that collectors lost are in no series; n_lost counts those that were lost in the time.
 * Bound   WINDOW_COLUMNS_MAX units of all keys, WINDOW_BUCKETS_MAX buckets of these, MATRIX_BUCKETS_MAX of the histograms of its series: -E2BIG beyond.
 * Memory  what the source and the plan point to is borrowed until window_fold_free().
 * Pure    no loop, file or clock.  Thread: any, one at a time.
 */
#ifndef HEATSCOPE_WINDOW_FOLD_H
#define HEATSCOPE_WINDOW_FOLD_H

#include "aggregator/export/member.h"
#include "aggregator/promql/expression.h"
#include "aggregator/promql/matrix.h"
#include "aggregator/promql/window_plan.h"
#include "aggregator/store/store.h"

#define WINDOW_COLUMNS_MAX 2000000	/* 80 MB */
#define WINDOW_BUCKETS_MAX 8000000	/* 64 MB */

enum sample_kind {
	SAMPLE_HISTOGRAM,		/* x: native */
	SAMPLE_BUCKETS, SAMPLE_COUNT, SAMPLE_SUM,	/* x_bucket, x_count, x_sum */
	SAMPLE_WEIGHT,			/* x_total */
};

/* The series of one name of an instrumentation. */
struct window_source {
	const struct instrumentation *in;
	enum sample_kind kind;
	unsigned axis, weight;
	double divisor;			/* of a value, to the unit of Prometheus */
	int schema;
	char name[EXPOSITION_NAME_MAX + 8];	/* with _bucket, ... */
	const char *instrumentation;	/* its name */
	const struct keytable *known;	/* keys that /metrics has as series; NULL: none */
	size_t keys_max;
};

struct window_fold;

/* selector: of the series.  sum: the expression whose only argument the series are, so that it suffices to keep the labels that
 * it keeps; NULL. */
int window_fold_new(const struct window_source *source, const struct window_plan *plan, const struct selector *selector,
		    const struct expression *sum, struct window_fold **ret_fold);
void window_fold_free(struct window_fold *f);		/* NULL is fine */

/* Can slices of all keys together serve it? */
bool window_fold_is_whole(const struct window_source *source, const struct selector *selector, const struct expression *sum);

const struct store_reader *window_fold_reader(struct window_fold *f);

/* Adds the series; call it once, after all slices. */
int window_fold_finish(struct window_fold *f, bool is_rate, struct matrix *out);

__u64 window_fold_lost(const struct window_fold *f);
size_t window_fold_others(const struct window_fold *f);	/* keys whose events are in `other` */
bool window_fold_damaged(const struct window_fold *f);	/* were stored data damaged? */

#endif
