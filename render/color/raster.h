/* raster.h - a bare map before it has pixels: rows of equal height, columns summed to those that fit.
 *
 *      grid or layer --spread over rows, columns summed--> density[row * n_cols + col], row 0 at the foot
 *
 * Rows    equal steps of the axis from low to high.  A bucket's count is spread over the rows it
 *         overlaps, evenly; what lies outside is not in `density`, but in `sum`.
 * Columns where the grid has more, a column is the mean of those it stands for: nothing is skipped.
 * Errors  -ENOMEM.
 * Memory  raster_init() allocates, raster_fini() frees.
 */
#ifndef HEATSCOPE_RASTER_H
#define HEATSCOPE_RASTER_H

#include "render/grid/axis.h"
#include "render/grid/layer.h"

struct raster {
	size_t n_cols, n_rows;
	double low, high;		/* along the axis: values, or their log2 */
	enum axis_scale yscale;
	int weighted;			/* counts times the middle of their bucket's values */
	double *density;
	double *sum;			/* of each column */
};

/* Shape, range and axis are set by the caller; cells are 0. */
int raster_init(struct raster *r);
void raster_fini(struct raster *r);
void raster_clear(struct raster *r);

/* Where a value lies: itself, or its log2. */
double raster_along(const struct raster *r, __u64 value);

/* Which part of the grid's row lies in row `at` of the raster, 0..1: as raster_add_cells() spreads it. */
double raster_share(const struct raster *r, const struct grid *g, size_t row, size_t at);

/* Adds cells of the grid's shape, e.g. its own. */
int raster_add_cells(struct raster *r, const struct grid *g, const __u64 *cell);
int raster_add_layer(struct raster *r, const struct grid *g, const struct layer *l);

/* From densities to hundredths of their column; sum: the columns' (of all layers). */
void raster_percent(struct raster *r, const double *sum);

#endif
