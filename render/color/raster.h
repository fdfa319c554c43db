/* raster.h - puts the cells of a bare map into rows of equal height and as many columns as fit.
 *
 *      grid or layer --spread over rows, columns summed--> density[row * n_cols + col], row 0 at the foot
 *
 * Rows    equal steps of the axis from low to high.  A bucket's count is spread evenly over the rows that it overlaps.
 *         Counts outside the axis are not in `density`, but in `sum`.
 * Columns If the grid has more columns, a raster column is the mean of several: none is skipped.
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

/* The caller has set shape, range and axis; all cells become 0. */
int raster_init(struct raster *r);
void raster_fini(struct raster *r);
void raster_clear(struct raster *r);

/* Returns the place of a value along the axis: the value, or its log2. */
double raster_along(const struct raster *r, __u64 value);

/* Returns the part of the grid's row, 0..1, that raster_add_cells() adds to row `at` of the raster. */
double raster_share(const struct raster *r, const struct grid *g, size_t row, size_t at);

/* Adds cells that have the grid's shape, e.g. the grid's own. */
int raster_add_cells(struct raster *r, const struct grid *g, const __u64 *cell);
int raster_add_layer(struct raster *r, const struct grid *g, const struct layer *l);

/* Converts densities to percent of their column; sum: of each column, over all layers. */
void raster_percent(struct raster *r, const double *sum);

#endif
