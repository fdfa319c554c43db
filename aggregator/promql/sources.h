/* sources.h - finds the series of a selector among the exported instrumentations, and copies what reading them needs.
 *
 *      catalog, export, selector --sources_find() (loop)--> sources --series_source_read() (the store's worker)--> folds
 *
 * Which   the instrumentations that /metrics has, under the same names: x (native histograms), x_bucket, x_count, x_sum of a
 *         measure, x_total of a weight.
 * Errors  -E2BIG: more than SOURCES_MAX; -ENOMEM; those of the store.
 * Memory  sources own their copies; sources_free() frees them.
 * Thread  sources_find(): the loop; series_source_read(): the store's worker; sources_free(): any, one at a time.
 */
#ifndef HEATSCOPE_SOURCES_H
#define HEATSCOPE_SOURCES_H

#include "aggregator/promql/query_range.h"
#include "aggregator/promql/window_fold.h"
#include "aggregator/store/store.h"

#define SOURCES_MAX 64			/* of a query */

struct series_source {			/* the series of one name of an instrumentation */
	struct series_source *next;
	struct window_source source;	/* points into the following copies */
	struct instrumentation in;
	char instrumentation[CONF_NAME_MAX];
	struct keytable known;
	__s64 kept_from[TIERS];
	__s64 reported_ns;
	struct window_plan plan;
	struct window_fold *fold;	/* NULL: not read yet */
};

/* Finds the sources of a selector, in the order of the configuration; *n_left: how many more may be found. */
int sources_find(const struct catalog *catalog, const struct export *export, const struct selector *selector, __s64 now_ns, size_t *n_left,
		 struct series_source **ret_first);
void sources_free(struct series_source *first);		/* NULL is fine */

/* Plans and reads the windows of an expression, which is rate() or increase(); sum as in window_fold.h. */
int series_source_read(struct series_source *s, const struct expression *leaf, const struct expression *sum, const struct query_range *range,
		struct store *store);

#endif
