/* report.h - draws a report on one page: a chart and maps on one time axis, a bar of parts and a table below.
 *
 * Shape   All grids have the same columns (from_ns, col_ns, n_cols).  The maps have one value axis and one colour
 *         scale.
 * Options as for a figure, title and subtitle included.  Height 0: the report chooses it; else the maps share the
 *         height that the table leaves.
 * Errors  -EINVAL: no panels and no chart, more panels than REPORT_PANELS_MAX, columns that differ, a bad size;
 *         -ENOMEM.
 * Memory  the caller frees the bytes with free().  Equal input, equal bytes.
 * Thread  any.
 */
#ifndef HEATSCOPE_REPORT_H
#define HEATSCOPE_REPORT_H

#include "render/draw/bar.h"
#include "render/draw/chart.h"

#define REPORT_PANELS_MAX 6
#define REPORT_ROWS_MAX 40		/* of the table; a sentence sums up the rest */

struct report_row {
	const char *name;
	double count;			/* point metric: the mean; else a whole number */
	__u64 mean, p50, p90, p99, p999, max;
	double sum;			/* of all values; if they are times, the total time */
	__u64 running, oldest;		/* events that have not ended, and the age of the oldest; not in the others */
};

struct report_table {
	const char *title;		/* "latency by statement"; NULL: none */
	const char *counted;		/* head of the count column: "queries" */
	const char *unit;		/* of the values: "ns" */
	__u64 least;			/* a percentile below it is only known to be less; 0: none is */
	bool counts_only;		/* the table has counts and no values */
	bool lower_bound;		/* some events are filed under `other`: counts read ">= n" */
	bool runs;			/* rows have `running` and `oldest`, as they were at running_ns */
	__s64 running_ns;
	size_t n_rows;
	const struct report_row *row;	/* the largest sum first */
};

struct report_panel {
	const char *title;		/* "latency", "time on the CPU"; NULL: none */
	const struct grid *grid;
	const struct report_table *table;	/* of this measure, for pages (document.h); NULL: none or the
						 * report's */
};

struct report {
	const struct chart *chart;	/* above the maps, with their columns before folding; NULL: none */
	size_t n_panels;		/* 0: only with a chart */
	const struct report_panel *panel;
	const struct bar *bar;		/* below the maps; NULL: none */
	struct report_table table;	/* of the first measure; without rows: none */
};

/* Can it be drawn in this size? */
bool report_valid(const struct report *r, const struct figure_options *o);

/* Returns the grid with its time, coverage and totals: that of the first panel, or of the chart. */
const struct grid *report_grid(const struct report *r);

int report_render(const struct report *r, const struct figure_options *o, __u8 **ret_bytes, size_t *ret_len);

#endif
