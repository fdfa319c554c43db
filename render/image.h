/* image.h - the bare heat map: cells and nothing else, as Cloud Analytics served it.
 *
 *      grid --spread over rows, columns summed--> rows of equal height --shade--> palette PNG
 *
 * Rows    n_rows of equal height in [ymin, ymax), the first at the bottom.  A bucket's count is
 *         spread over the rows it overlaps, evenly; what lies outside is not drawn.
 * Pixels  Column i of n covers [i*width/n, (i+1)*width/n), floored; row j from the top likewise.
 *         Where columns outnumber pixels, a pixel shows the sum of the columns it stands for,
 *         per column: nothing is skipped.
 * Errors  -EINVAL: a size out of range or ymin >= ymax; -ENOMEM.
 * Memory  the PNG is the caller's, to be freed with free().
 * Thread  any.
 */
#ifndef HEATSCOPE_IMAGE_H
#define HEATSCOPE_IMAGE_H

#include "palette.h"
#include "shade.h"

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
};

int image_png(const struct grid *g, const struct image_options *o, __u8 **ret_png, size_t *ret_len);

/* Cloud Analytics' autoscale: a round number above max, at most 25 % above. */
__u64 image_autoscale(__u64 max);

/* The ymax of an image of g that names none: autoscale of its highest value; 0 if it is empty. */
__u64 image_ymax(const struct grid *g);

/* What pixel x, y stands for: columns first..last (inclusive) and values from..to (half-open).
 * -EINVAL: outside, or options that image_png() would refuse. */
struct image_cell {
	size_t first_col, last_col;
	__u64 from, to;
};
int image_cell_at(const struct grid *g, const struct image_options *o, unsigned x, unsigned y,
		  struct image_cell *ret_cell);

#endif
