/* cells.h - paints a grid into pixels in memory: bands of rows at their true heights, columns, hatches.
 *
 *      strip of the rows above the range       (only if one of them has a count)
 *      cells between low and high
 *      strip of the rows below
 *
 * Bands   A row begins and ends at the pixel nearest to its edges.  Rows that are thinner than a pixel share one, as
 *         one density: no count vanishes.
 * Pixels  Column i of n covers [i*width/n, (i+1)*width/n).  n_cols must not exceed width: fold first.
 * Running The running exchanges of a grid are hatched over the cells, in the other direction and framed.  More
 *         exchanges have a denser hatching.
 * Layers  If the grid has layers, the colour of a pixel is the mix of its layers and the rest (hue.h).
 * Pure    writes 0xffrrggbb to the caller's memory, stride in pixels.
 */
#ifndef HEATSCOPE_CELLS_H
#define HEATSCOPE_CELLS_H

#include "render/color/palette.h"
#include "render/color/shade.h"
#include "render/color/layer_ramp.h"

struct cells {
	const struct grid *grid;
	const struct shade *shade;
	const struct palette *palette;
	const struct layer_ramps *ramps;	/* of the grid's layers; NULL: it has none */
	double low, high;		/* the axis: values; log: low >= 1 */
	unsigned hatch;			/* pixels between hatch lines */
};

/* Return how many events and running exchanges are in rows that lie wholly above, or below, the range. */
__u64 cells_above(const struct cells *c);
__u64 cells_below(const struct cells *c);

/* Paints the range into a rectangle.  -ENOMEM. */
int cells_paint(const struct cells *c, __u32 *pixel, size_t stride, unsigned width, unsigned height);

/* Paints the sum of all rows above (or below) the range as one strip.  -ENOMEM. */
int cells_paint_above(const struct cells *c, __u32 *pixel, size_t stride, unsigned width, unsigned height);
int cells_paint_below(const struct cells *c, __u32 *pixel, size_t stride, unsigned width, unsigned height);

#endif
