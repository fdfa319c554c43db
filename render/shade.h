/* shade.h - from counts to colours: density per row, and the 255 levels between colours.
 *
 *      density = count * scale[row]            rows differ in height, so counts alone would lie
 *      index   = how many levels are <= density, at least 1 when count > 0; 0: nothing happened
 *
 * Scale   1 for a row of the mean height, so a density reads "events per cell".  Heights are
 *         octaves on a log axis.  On a linear one they are values, a cell is 1/100 of the axis
 *         (0 to the highest value used, or the given range), and no row counts as thinner than
 *         1/400 of it, as no screen draws it thinner.  Rows without a height there (under- and
 *         overflow) are drawn apart and have scale 1.
 * Levels  linear: equal steps from 0 to the highest density.  log: equal steps of log(1 + density).
 *         rank: equal numbers of cells (CA's way; told apart to 0.4 % of density).
 * Shared  shades made together have the same levels: their pictures can be compared.
 * Memory  shade_make() allocates scale, shade_fini() frees it.
 */
#ifndef HEATSCOPE_SHADE_H
#define HEATSCOPE_SHADE_H

#include "axis.h"
#include "grid.h"

#define SHADE_LEVELS 255

enum shade_transfer { SHADE_LINEAR, SHADE_LOG, SHADE_RANK };

struct shade {
	enum shade_transfer transfer;
	enum axis_scale yscale;
	size_t n_rows;
	double *scale;			/* n_rows */
	double cell_height;		/* of a row with scale 1: octaves, or the axis' unit */
	double max;			/* highest density, over all shades made together */
	double level[SHADE_LEVELS];	/* ascending, may repeat */
};

/* Shades for n grids that share one axis and one colour scale.  low..high: the axis where it is
 * fixed, 0 and 0: as the data asks.  -EINVAL: no grids, or low > high; -ENOMEM. */
int shade_make(const struct grid *const *grid, size_t n, enum axis_scale yscale,
	       enum shade_transfer transfer, __u64 low, __u64 high, struct shade *ret_shade);
void shade_fini(struct shade *s);

/* The index into palette.colour of one cell. */
unsigned shade_index(const struct shade *s, size_t row, __u64 count);

/* The same of any density; 0 for 0. */
unsigned shade_density_index(const double level[SHADE_LEVELS], double density);

/* Just the levels, from densities (0: no cell).  -ENOMEM. */
int shade_levels(enum shade_transfer transfer, const double *density, size_t n,
		 double ret_level[SHADE_LEVELS]);

/* "linear", "log", "rank". */
const char *shade_transfer_name(enum shade_transfer transfer);

#endif
