/* difference.h - compares two maps of the same columns and rows, A and B, and finds where they differ beyond chance.
 *
 *      grids A, B --difference_make()--> |A - B| in three layers: more in A, more in B, and what may be chance
 *                                        the number of events, the mean and percentiles of both, tested likewise
 *
 * Per     share: a cell is its part of its column's events.  This is usual, because rates of two hosts, keys or hours
 *         nearly always differ.  count: a cell is its events, so a higher rate is a difference, too.
 * Cells   Shares are parts per million of the column; counts are counts.  Both are rounded once.  A column is 0 if only
 *         one of both observed it.  For shares it is also 0 if one had no events in it.
 * Patch   a row over a part of the time.  contrast_test() asks whether A differs from B there; the columns are its
 *         blocks.  The dispersion is at least that of all rows together.  For each test the larger group is thinned to
 *         as many events as the smaller.  If each load wanders by itself, the map shows where they were apart.
 * Line    A line of the table asks whether A and B differ over all of the time.  Its blocks are parts of that time,
 *         shorter and longer ones, and the greatest p counts.  So loads that wander do not differ.
 * Counts  A count is tested as a share, too: of the nanoseconds that were observed.
 * Rate    Of the reported differences a share of DIFFERENCE_Q is false on average: all patches are one family
 *         (contrast_adjust), the lines another.
 * Laws    If A and B are exchanged, each cell, sign and line is the other's, and q is the same.  A against itself: 0,
 *         nothing significant.  Layers and rest add up to the map.
 * Errors  -EINVAL: other columns or edges, or a grid of states (grid.h: point) or of weights; -ENOMEM.
 * Memory  the grids are borrowed for the call; the difference owns the results.
 * Pure    no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_DIFFERENCE_H
#define HEATSCOPE_DIFFERENCE_H

#include "render/grid/grid.h"
#include "aggregator/query/contrast.h"
#include <stdbool.h>

#define DIFFERENCE_Q 0.05
#define DIFFERENCE_BLOCKS 12		/* columns in a patch, at least, if there are so many */
#define DIFFERENCE_ACROSS 16		/* patches in a row, at most */
#define DIFFERENCE_SPANS 24		/* blocks of time to test lines with, at most */
#define DIFFERENCE_WHOLE 1000000	/* a column's shares add up to about this */

enum difference_per { DIFFERENCE_SHARE, DIFFERENCE_COUNT };

enum difference_layer { DIFFERENCE_MORE_IN_A, DIFFERENCE_MORE_IN_B, DIFFERENCE_LAYERS };	/* of map->layers */

struct patch {				/* columns from..to-1 of a row */
	size_t row, from, to;
	struct contrast c;		/* in: A, out: B; the means are shares, or events per ns */
	double q;
	bool significant;
};

enum difference_line_of { LINE_EVENTS, LINE_MEAN, LINE_P50, LINE_P90, LINE_P99, LINE_P999, DIFFERENCE_LINES };

struct difference_line {
	double a, b;			/* events, or values of the axis; NAN: it has no events, or was not observed */
	struct contrast c;		/* of a percentile: the shares of events above the middle of A's and B's */
	double q;
	bool significant;
};

struct difference {
	enum difference_per per;
	struct grid *a, *b;		/* in the form that is compared: shares or counts */
	struct grid *map;		/* the size of the difference, in layers */
	size_t n_across, n_patches;
	struct patch *patch;		/* patch[row * n_across + i] */
	size_t n_tests, n_significant;	/* patches that could be tested; those of them that differ */
	struct difference_line line[DIFFERENCE_LINES];
};

int difference_make(const struct grid *a, const struct grid *b, enum difference_per per, struct difference *ret_difference);
void difference_fini(struct difference *d);	/* a zeroed one is fine */

/* Copies a grid's cells into the rows of another.  Each of its rows with events must lie within one of them, else
 * -EINVAL; -ENOMEM. */
int difference_align(const struct grid *g, const struct grid *rows, struct grid **ret_grid);

#endif
