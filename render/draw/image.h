/* image.h - draws the bare heat map, which has only cells, as Cloud Analytics did.
 *
 *      grid --raster--> rows of equal height --ramp--> palette PNG
 *                                            --hues--> palette PNG, or RGB if there are many colours
 *
 * Rows    n_rows of equal height in [ymin, ymax), the first at the bottom (raster.h).
 * Hues    Each layer of the grid has its hue; the rest has layers->rest_hue.  Layers and rest are normalized together
 *         (normalize.h) and mixed (hue.h).  A grid without layers is all rest.
 * Pixels  Column i of n covers [i*width/n, (i+1)*width/n), rounded down; row j from the top likewise.  If there are
 *         more columns than pixels, a pixel shows the mean of its columns: none is skipped.
 * Errors  -EINVAL: a size out of range or ymin >= ymax; -E2BIG: too many cells in all layers (blend.h); -ENOMEM.
 * Memory  the caller frees the PNG with free().
 * Thread  any.
 */
#ifndef HEATSCOPE_IMAGE_H
#define HEATSCOPE_IMAGE_H

#include "render/color/hue.h"
#include "render/color/shade.h"

#define IMAGE_SIDE_MIN 10
#define IMAGE_SIDE_MAX 4000
#define IMAGE_ROWS_MAX 1000

struct image_options {
	unsigned width, height;
	unsigned n_rows;		/* "nbuckets" */
	__u64 ymin, ymax;		/* ymax 0: image_ymax() */
	enum axis_scale yscale;		/* log: rows are equal factors; ymin 0 then means the lowest edge used */
	enum shade_transfer transfer;
	int weighted;			/* the weight of a bucket is its count times the middle of its values */
	enum palette_theme theme;
	enum palette_ramp ramp;		/* of a single layer without a hue */
	int hued;			/* a single layer, too, has its hue */
	int hue;			/* of a grid without layers */
};

int image_png(const struct grid *g, const struct image_options *o, __u8 **ret_png, size_t *ret_len);

/* Returns a round number above max, at most 25 % above, as Cloud Analytics' autoscale does. */
__u64 image_autoscale(__u64 max);

/* Returns the ymax of an image of g if the options have none: autoscale of its highest value; 0 if g is empty. */
__u64 image_ymax(const struct grid *g);

/* Finds the columns first..last (inclusive) and the values from..to (half-open, perhaps not whole) of pixel x, y.
 * -EINVAL: the pixel lies outside, or image_png() would refuse the options. */
struct image_cell {
	size_t first_col, last_col;
	size_t row;			/* of the picture, 0 at the foot */
	double from, to;
};
int image_cell_at(const struct grid *g, const struct image_options *o, unsigned x, unsigned y,
		  struct image_cell *ret_cell);

/* Computes which part of each row of g (ret_share: one per row) is drawn in that cell's row: above 0 in a row that
 * colours it, else 0. */
int image_cell_shares(const struct grid *g, const struct image_options *o, const struct image_cell *cell, double *ret_share);

#endif
