/* grid.h - what a picture is drawn from: time x value x count, with its coverage.
 *
 *        row n-1  edge[n-1] .. edge[n]      cell[row * n_cols + col]
 *        ...
 *        row 0    edge[0]   .. edge[1]      columns are col_ns long, from from_ns on
 *
 * Shape   Rows are buckets of the ruler, ascending; edges are data, so whoever draws needs no
 *         bucket arithmetic.  Row 0 may be the underflow bucket (edge[0] = 0), the last row the
 *         overflow bucket (edge[n_rows] = GRID_NO_EDGE).
 * Laws    the sum of a column's cells is its total; several slots in a column are summed.
 * Point   A grid of states at the slots' ends (a utilization, a size) holds the same exact sums, and
 *         beside them how many slots were observed.  What is shown is the mean, grid_shown(): the
 *         division is the last step, so columns may be folded in any grouping.
 * Cover   n_reporting of n_expected source-slots reported in a column.  None of them: nobody
 *         looked.  Fewer, or lost > 0: partly lost.  All, and no cells: nothing happened.
 * Memory  grid_new() makes it zeroed, grid_free() frees it, its layers, annotations and what runs (NULL is fine).
 */
#ifndef HEATSCOPE_GRID_H
#define HEATSCOPE_GRID_H

#include "render/grid/annotation.h"

#include <linux/types.h>
#include <stddef.h>

#define GRID_NO_EDGE (~(__u64)0)

/* Dropped: what was there, or a part of it, is kept no more.  It looks as not observed, or as partly lost. */
enum grid_mark { GRID_IN_PROGRESS = 1, GRID_CLOCK_STEP = 2, GRID_DROPPED = 4, GRID_SAMPLED = 8 };

struct grid_column {
	__u64 count, sum, min, max;	/* of the axis, exact; min and max are 0 when count is 0 */
	__u64 p50, p90, p99;		/* from the merged buckets of the column; 0 when count is 0, and of weights */
	__u64 lost;			/* events lost somewhere in slots that touch this column */
	__u32 n_reporting, n_expected;
	__u64 n_snapshots;		/* slots that any source reported; of point grids only */
	__u32 marks;			/* enum grid_mark */
	__u32 every;			/* GRID_SAMPLED: one event in so many was looked at, at worst */
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
	const char **row_name;		/* n_rows names, where rows are parts and not values; NULL: they are values */
	__s64 known_to_ns;		/* with row_name: what was under way is known up to here; 0: in all columns */
	const char *weight;		/* the measure whose sums cells are, in the axis' unit; NULL: they are counts */
	struct annotations *annotations;	/* of its time; NULL: none */
	struct layers *layers;		/* its cells by key; NULL: not told apart */
	struct grid *running;		/* what was under way at the slots' ends, at its age: a point grid of the same columns, with
					 * edges of its own; NULL: not told */
};

struct grid *grid_new(size_t n_cols, size_t n_rows);	/* NULL: no memory, or a shape of nothing */
void grid_free(struct grid *g);

/* A new grid like this one, without cells, layers and what runs: rows, columns, times and totals are its, annotations go along.
 * NULL: no memory. */
struct grid *grid_like(const struct grid *g);

/* A new grid whose columns are the sums of k neighbours (the last may have fewer); marks, losses,
 * layers, annotations and what runs go along.  percentiles come from the summed cells, and are 0 where cells are weights.
 * -EINVAL: k = 0; -ENOMEM. */
int grid_fold(const struct grid *g, size_t k, struct grid **ret_grid);

/* What a sum over so many slots is shown as: itself, or in a point grid the mean of the slots. */
static inline double grid_shown(const struct grid *g, __u64 n_snapshots, double sum)
{
	return g->point && n_snapshots > 1 ? sum / (double)n_snapshots : sum;
}

/* What a column says beside its counts.  One in progress misses nobody yet. */
enum grid_state { GRID_OK, GRID_ZERO, GRID_PARTIAL, GRID_UNOBSERVED };
enum grid_state grid_column_state(const struct grid_column *c);
const char *grid_column_word(const struct grid_column *c);	/* "ok", "zero", "partial", "unobserved", "dropped", "in_progress" */

/* How much of a column is known: what is before known_to_ns, 0 to col_ns. */
__u64 grid_known_ns(const struct grid *g, size_t col);

/* The largest value a row can hold: its upper edge less one, or the grid's max where it has none. */
__u64 grid_row_last(const struct grid *g, size_t row);

#endif
