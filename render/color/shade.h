/* shade.h - converts counts to colours: a density per row, and the 255 levels between colours.
 *
 *      density = count * scale[row]            rows differ in height, so counts alone would mislead
 *                scale = weight / height
 *      index   = number of levels that are <= density, at least 1 if count > 0; 0: nothing happened
 *
 * Scale   1 for a row of the mean height, so a density reads "events per cell".  Rows without a height (under- and
 *         overflow) have scale 1 and are drawn apart from the others.
 * Height  On a log axis it is in octaves, on a linear one in values.  A cell of a linear axis is 1/100 of the axis (0
 *         to the highest value used, or the given range).  No row counts as thinner than 1/400 of the axis, because no
 *         screen draws it thinner.
 * Weight  1, or the middle of the row's values if cells are sums, e.g. time spent by latency.  Then a density says how
 *         much, not how many.  It shows the one slow query that a count hides.
 * Levels  linear: equal steps from 0 to the highest density.  sqrt: of its root.  log: of log(1 + density), weighted:
 *         of log(1 + density / lowest).  rank: equal numbers of cells (as Cloud Analytics does; densities that differ
 *         by less than 0.4 % count as equal).  percent: densities are parts of their column, linear.
 * Layers  The layers of a grid and its rest have their own densities.
 * Shared  Shades made together have the same levels, so their pictures can be compared.
 * Memory  shade_make() allocates scale, shade_fini() frees it.
 */
#ifndef HEATSCOPE_SHADE_H
#define HEATSCOPE_SHADE_H

#include "render/grid/axis.h"
#include "render/grid/grid.h"
#include <string.h>

#define SHADE_LEVELS 255

enum shade_transfer { SHADE_LINEAR, SHADE_LOG, SHADE_RANK, SHADE_SQRT, SHADE_PERCENT };

struct shade_options {
	enum axis_scale yscale;
	enum shade_transfer transfer;
	int weighted;			/* the weight of a row is the middle of its values */
	__u64 low, high;		/* of a fixed axis; 0 and 0: chosen from the data */
};

struct shade {
	enum shade_transfer transfer;
	enum axis_scale yscale;
	size_t n_rows;
	int weighted;			/* a density says how much, in the axis' unit */
	double *scale;			/* n_rows: weight / height */
	double *height, *weight;	/* n_rows; a part of scale's memory */
	double *share;			/* n_cols, the factor of a sum in its column; percent: 100 / all of it, in
					 * a point grid 1 / slots observed; NULL: 1 */
	double cell_height;		/* of a row with scale 1: in octaves, or the axis' unit */
	double min, max;		/* lowest and highest density, over all shades made together; 0: none */
	double level[SHADE_LEVELS];	/* ascending, may repeat */
};

/* Makes the shades of n grids that share one axis and one colour scale.  -EINVAL: no grids, or low > high; -ENOMEM. */
int shade_make(const struct grid *const *grid, size_t n, const struct shade_options *o, struct shade *ret_shade);
void shade_fini(struct shade *s);

/* Returns the factor of the cells in a column of g, in addition to the scale of their row: in percent 100 / the
 * column's total, else 1.  g's first row is row `shift` of the shade's grid.  Counts are as displays show them
 * (grid_shown). */
double shade_column(const struct shade *s, const struct grid *g, size_t col, long shift);

/* Returns the middle of a row's values: the weight of each of its events. */
double shade_middle(const struct grid *g, size_t row);

/* Returns the index of any density; 0 for 0. */
unsigned shade_density_index(const double level[SHADE_LEVELS], double density);

/* Makes the levels alone, from densities (0: no cell).  -ENOMEM. */
int shade_levels(enum shade_transfer transfer, const double *density, size_t n, double ret_level[SHADE_LEVELS]);

/* Returns "linear", "log", "rank", "sqrt" or "percent". */
const char *shade_transfer_name(enum shade_transfer transfer);

/* ---- very many densities ---- */

/* Finds the level of a density in a table.  shade_density_index() finds it by halving; in noise the CPU guesses every
 * second of its jumps wrong.
 *
 *      density  1 exponent . 6 bits  ->  a level at or below the right one; from there up one by one
 *
 * Exact for every density.  Fast from 2^-32 to 2^96: counts and times give densities in that range. */
#define SHADE_LOOKUP_BITS 6		/* of the mantissa */
#define SHADE_LOOKUP_OCTAVES 128
#define SHADE_LOOKUP_LOW (-32)		/* the first octave: 2^-32 */
#define SHADE_LOOKUP_BINS (SHADE_LOOKUP_OCTAVES << SHADE_LOOKUP_BITS)

struct shade_lookup {
	double level[SHADE_LEVELS + 1];	/* and one that no density reaches */
	__u8 reached[SHADE_LOOKUP_BINS];	/* the level that all densities of a bin have reached */
};

void shade_lookup_make(struct shade_lookup *l, const double level[SHADE_LEVELS]);

static inline unsigned shade_lookup_index(const struct shade_lookup *l, double density)
{
	__s64 bits, bin;
	unsigned at;

	memcpy(&bits, &density, sizeof(bits));
	bin = (bits >> (52 - SHADE_LOOKUP_BITS)) - ((__s64)(1023 + SHADE_LOOKUP_LOW) << SHADE_LOOKUP_BITS);
	at = bin < 0 ? 0 : l->reached[bin < SHADE_LOOKUP_BINS ? bin : SHADE_LOOKUP_BINS - 1];
	at += l->level[at] <= density;		/* most times that is all, and there is no jump to guess */
	while (l->level[at] <= density)
		at++;
	return density > 0 ? at + !at : 0;
}

#endif
