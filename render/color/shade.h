/* shade.h - from counts to colours: density per row, and the 255 levels between colours.
 *
 *      density = count * scale[row]            rows differ in height, so counts alone would lie
 *                scale = weight / height
 *      index   = how many levels are <= density, at least 1 when count > 0; 0: nothing happened
 *
 * Scale   1 for a row of the mean height, so a density reads "events per cell".  Heights are
 *         octaves on a log axis.  On a linear one they are values, a cell is 1/100 of the axis
 *         (0 to the highest value used, or the given range), and no row counts as thinner than
 *         1/400 of it, as no screen draws it thinner.  Rows without a height there (under- and
 *         overflow) are drawn apart and have scale 1.
 * Weight  1, or the middle of the row's values: then a density is not how many but how much, as it is where cells are sums, e.g.
 *         time spent by latency, and the one slow query that a count hides is seen.
 * Levels  linear: equal steps from 0 to the highest density.  sqrt: of its root.  log: of log(1 +
 *         density), weighted: of log(1 + density / lowest).  rank: equal numbers of cells (CA's
 *         way; told apart to 0.4 % of density).  percent: densities are parts of their column, linear.
 * Layers  of a grid have densities of their own, and so has the rest.
 * Shared  shades made together have the same levels: their pictures can be compared.
 * Memory  shade_make() allocates scale, shade_fini() frees it.
 */
#ifndef HEATSCOPE_SHADE_H
#define HEATSCOPE_SHADE_H

#include "render/grid/axis.h"
#include "render/grid/grid.h"

#define SHADE_LEVELS 255

enum shade_transfer { SHADE_LINEAR, SHADE_LOG, SHADE_RANK, SHADE_SQRT, SHADE_PERCENT };

struct shade_options {
	enum axis_scale yscale;
	enum shade_transfer transfer;
	int weighted;			/* a row weighs the middle of its values */
	__u64 low, high;		/* the axis where it is fixed; 0 and 0: as the data asks */
};

struct shade {
	enum shade_transfer transfer;
	enum axis_scale yscale;
	size_t n_rows;
	int weighted;			/* densities are how much, in the axis' unit */
	double *scale;			/* n_rows: weight / height */
	double *height, *weight;	/* n_rows; a part of scale's memory */
	double *share;			/* n_cols, what a sum counts in its column; percent: 100 / all of it, in
					 * a point grid 1 / slots observed; NULL: 1 */
	double cell_height;		/* of a row with scale 1: octaves, or the axis' unit */
	double min, max;		/* lowest and highest density, over all shades made together; 0: none */
	double level[SHADE_LEVELS];	/* ascending, may repeat */
};

/* Shades for n grids that share one axis and one colour scale.  -EINVAL: no grids, or low > high; -ENOMEM. */
int shade_make(const struct grid *const *grid, size_t n, const struct shade_options *o, struct shade *ret_shade);
void shade_fini(struct shade *s);

/* The index into palette.colour of one cell; not for shades in percent. */
unsigned shade_index(const struct shade *s, size_t row, __u64 count);

/* What a cell of g's column counts beside its row's scale, of a grid whose row `shift` is g's first: in percent its part in a hundred
 * of the column, else 1.  Counts as they are shown (grid_shown). */
double shade_column(const struct shade *s, const struct grid *g, size_t col, long shift);

/* The middle of a row's values: what each of its events counts for when weighted. */
double shade_middle(const struct grid *g, size_t row);

/* The same of any density; 0 for 0. */
unsigned shade_density_index(const double level[SHADE_LEVELS], double density);

/* Just the levels, from densities (0: no cell).  -ENOMEM. */
int shade_levels(enum shade_transfer transfer, const double *density, size_t n, double ret_level[SHADE_LEVELS]);

/* "linear", "log", "rank", "sqrt", "percent". */
const char *shade_transfer_name(enum shade_transfer transfer);

#endif
