/* report.h - one page: a chart and maps one above the other on one time axis, the maps on one y axis and
 * one colour scale, a bar of parts and a table below.
 *
 * Shape   All grids have the same columns (from_ns, col_ns, n_cols).
 * Options As for a figure, title and subtitle included; height 0: as high as it needs to be, else
 *         the maps share what the table leaves.
 * Errors  -EINVAL: no panels and no chart, more panels than REPORT_PANELS_MAX, columns that differ, a bad size; -ENOMEM.
 * Memory  the bytes are the caller's, to be freed with free().  Equal input, equal bytes.
 * Thread  any.
 */
#ifndef HEATSCOPE_REPORT_H
#define HEATSCOPE_REPORT_H

#include "render/draw/bar.h"
#include "render/draw/chart.h"

#define REPORT_PANELS_MAX 6
#define REPORT_ROWS_MAX 40		/* of the table; the rest is added up in words */

struct report_row {
	const char *name;
	double count;			/* of a point metric the mean, else whole */
	__u64 mean, p50, p90, p99, p999, max;
	double sum;			/* of all values, as the count: of times the total time */
};

struct report_table {
	const char *title;		/* "latency by statement"; NULL: none */
	const char *counted;		/* head of the count column: "queries" */
	const char *unit;		/* of the values: "ns" */
	bool counts_only;		/* it has counts and no values */
	bool lower_bound;		/* some events are filed under `other`: counts read ">= n" */
	size_t n_rows;
	const struct report_row *row;	/* the largest sum first */
};

struct report_panel {
	const char *title;		/* "latency", "on-CPU", "off-CPU"; NULL: none */
	const struct grid *grid;
	const struct report_table *table;	/* of this measure, where a report has pages (document.h); NULL: none, or the report's */
};

struct report {
	const struct chart *chart;	/* above the maps, on the same columns before folding; NULL: none */
	size_t n_panels;		/* 0: only with a chart */
	const struct report_panel *panel;
	const struct bar *bar;		/* below the maps; NULL: none */
	struct report_table table;	/* of the first measure; without rows: none */
};

/* Is it something to draw, in a size there is? */
bool report_valid(const struct report *r, const struct figure_options *o);

/* That tells its time, coverage and totals: of the first panel, or of the chart. */
const struct grid *report_grid(const struct report *r);

int report_render(const struct report *r, const struct figure_options *o, __u8 **ret_bytes, size_t *ret_len);

#endif
