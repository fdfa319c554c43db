/* grid.h - holds the data of a picture: time x value x count, with coverage.
 *
 *        row n-1  edge[n-1] .. edge[n]      cell[row * n_cols + col]
 *        ...
 *        row 0    edge[0]   .. edge[1]      columns are col_ns long, the first begins at from_ns
 *
 * Shape   Rows are buckets of the ruler, ascending.  Edges are data, so the code that draws needs no bucket
 *         arithmetic.  Row 0 may be the underflow bucket (edge[0] = 0), the last row the overflow bucket
 *         (edge[n_rows] = GRID_NO_EDGE).
 * Laws    The sum of a column's cells is its total; a column that holds several slots holds their sum.
 * Point   A grid of states at the ends of slots (a utilization, a size) holds exact sums, too, and also the number of
 *         observed slots.  Displays show the mean (grid_shown()).  To divide is the last step, so columns may be folded
 *         in any grouping.
 * Cover   n_reporting of n_expected source-slots reported in a column.  0: the column was not observed.  Fewer than
 *         expected, or lost > 0: partly lost.  All, and no cells: nothing happened.
 * Memory  grid_new() makes a zeroed grid; grid_free() frees it with its layers, annotations and running exchanges
 *         (NULL is fine).
 */
#ifndef HEATSCOPE_GRID_H
#define HEATSCOPE_GRID_H

#include "render/grid/annotation.h"

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define GRID_NO_EDGE (~(__u64)0)
#define GRID_LATENCY "latency"		/* the name of the measure whose highest values are the slowest */

/* Dropped: the data of the column, or a part of it, are no longer kept.  It looks like a column that was not observed,
 * or was partly lost. */
enum grid_mark { GRID_IN_PROGRESS = 1, GRID_CLOCK_STEP = 2, GRID_DROPPED = 4, GRID_SAMPLED = 8 };

struct grid_column {
	__u64 count, sum, min, max;	/* of the axis, exact; min and max are 0 if count is 0 */
	__u64 p50, p90, p99;		/* from the merged buckets of the column; 0 if count is 0, and for weights */
	__u64 lost;			/* events lost somewhere in slots that touch this column */
	__u32 n_reporting, n_expected;
	__u64 n_snapshots;		/* slots that any source reported; point grids only */
	__u32 marks;			/* enum grid_mark */
	__u32 every;			/* GRID_SAMPLED: the strictest sampling, one event in `every` */
};

struct grid_summary {			/* over the whole grid */
	__u64 count, sum, min, max, stddev;
	__u64 p50, p90, p99, p999;
	__u64 lost;
	__u64 n_snapshots;		/* of all columns */
};

struct layers;

struct grid {
	size_t n_cols, n_rows;
	__u64 *edge;			/* n_rows + 1, in the axis' unit */
	__u64 *cell;			/* counts, or the weight's sum */
	struct grid_column *column;	/* n_cols */
	struct grid_summary all;
	int point;			/* 1: sums over n_snapshots, shown as their mean */
	__s64 from_ns;			/* wall clock, ns from the epoch */
	__u64 col_ns, slot_ns;		/* a column's and a kernel slot's length */
	__u32 n_sources;
	const char *unit, *weight_unit;	/* "ns", "queries": constant strings */
	bool latency;			/* the values are latencies: the highest are the slowest */
	const char **row_name;		/* n_rows names if rows are parts; NULL: rows are values */
	__s64 known_to_ns;		/* with row_name: running exchanges are known up to here; 0: in all columns */
	const char *weight;		/* cells are sums of this measure, in the axis' unit; NULL: counts */
	struct annotation_list *annotations;	/* of the grid's time; NULL: none */
	struct layers *layers;		/* the cells by key; NULL: without layers */
	struct grid *running;		/* the exchanges that ran at the ends of slots, at their age: a point grid with
					 * the same columns and its own edges; NULL: unknown */
};

struct grid *grid_new(size_t n_cols, size_t n_rows);	/* NULL: no memory, or no columns or rows */
void grid_free(struct grid *g);

/* Makes a grid with the rows, columns, times, totals and annotations of this one, but without cells, layers and running
 * exchanges.  NULL: no memory. */
struct grid *grid_like(const struct grid *g);

/* Makes a grid whose columns are the sums of k neighbours (the last column may have fewer).  It keeps marks, losses,
 * layers, annotations and running exchanges.  Percentiles come from the summed cells, and are 0 if cells are weights.
 * -EINVAL: k = 0; -ENOMEM. */
int grid_fold(const struct grid *g, size_t k, struct grid **ret_grid);

/* Returns the number that displays show for a sum over n_snapshots slots: the sum, or in a point grid the mean of the
 * slots. */
static inline double grid_shown(const struct grid *g, __u64 n_snapshots, double sum)
{
	return g->point && n_snapshots > 1 ? sum / (double)n_snapshots : sum;
}

/* The state of a column; grid_column_state() finds it.  In a column in progress no source is missing yet. */
enum grid_state { GRID_OK, GRID_ZERO, GRID_PARTIAL, GRID_UNOBSERVED };
enum grid_state grid_column_state(const struct grid_column *c);

/* Returns "ok", "zero", "partial", "unobserved", "dropped" or "in_progress". */
const char *grid_column_word(const struct grid_column *c);

/* Returns which part of the grid's time was reported, 0 to 1: the mean of its columns.  A column in which no source was
 * expected was not observed, so it counts as 0, except a column in progress, which is left out.  0: nothing was observed,
 * so a total of 0 does not mean that nothing happened. */
double grid_observed(const struct grid *g);

/* Returns how much of a column lies before known_to_ns: 0 to col_ns. */
__u64 grid_known_ns(const struct grid *g, size_t col);

/* Returns the value below which the grid does not distinguish values: a percentile below it is only known to be less.
 * 0: it distinguishes all.  Percentages are exact enough. */
__u64 grid_least(const struct grid *g);

/* Returns the largest value of a row: its upper edge less one; the grid's max if the row has no upper edge. */
__u64 grid_row_last(const struct grid *g, size_t row);

#endif
