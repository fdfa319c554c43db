/* image.h - the bare heat map: cells and nothing else, as Cloud Analytics served it.
 *
 *      grid --raster--> rows of equal height --ramp--> palette PNG
 *                                            --hues--> palette PNG, or RGB where colours are many
 *
 * Rows    n_rows of equal height in [ymin, ymax), the first at the bottom (raster.h).
 * Hues    each layer of the grid in its own, the rest in layers->rest_hue, normalised together
 *         (normalize.h) and mixed (hue.h).  A grid without layers is all rest.
 * Pixels  Column i of n covers [i*width/n, (i+1)*width/n), floored; row j from the top likewise.
 *         Where columns outnumber pixels, a pixel shows the sum of the columns it stands for,
 *         per column: nothing is skipped.
 * Errors  -EINVAL: a size out of range or ymin >= ymax; -E2BIG: too many cells in all layers
 *         (blend.h); -ENOMEM.
 * Memory  the PNG is the caller's, to be freed with free().
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
	int weighted;			/* a bucket weighs count times the middle of its values */
	enum palette_theme theme;
	enum palette_ramp ramp;		/* of one layer that is not hued */
	int hued;			/* one layer, too, is drawn in its hue */
	int hue;			/* of a grid without layers */
};

int image_png(const struct grid *g, const struct image_options *o, __u8 **ret_png, size_t *ret_len);

/* Cloud Analytics' autoscale: a round number above max, at most 25 % above. */
__u64 image_autoscale(__u64 max);

/* The ymax of an image of g that names none: autoscale of its highest value; 0 if it is empty. */
__u64 image_ymax(const struct grid *g);

/* What pixel x, y stands for: columns first..last (inclusive) and values from..to (half-open), which need not be whole.
 * -EINVAL: outside, or options that image_png() would refuse. */
struct image_cell {
	size_t first_col, last_col;
	size_t row;			/* of the picture, 0 at the foot */
	double from, to;
};
int image_cell_at(const struct grid *g, const struct image_options *o, unsigned x, unsigned y,
		  struct image_cell *ret_cell);

/* Which part of each row of g (ret_share: as many) is drawn in that cell's row: what is coloured has some, what is not has none. */
int image_cell_shares(const struct grid *g, const struct image_options *o, const struct image_cell *cell, double *ret_share);

#endif
