/* cells.h - a grid as pixels in memory: bands of rows at their true heights, columns, hatches.
 *
 *      strip of what lies above the range      (only if something does)
 *      cells between low and high
 *      strip of what lies below
 *
 * Bands   A row begins and ends at the pixel nearest to its edges.  Rows too thin for a pixel share
 *         one, as one density: no count vanishes.
 * Pixels  Column i of n covers [i*width/n, (i+1)*width/n).  n_cols must not exceed width: fold first.
 * Running what a grid says still runs is hatched over the cells, the other way and framed; more of it, more densely.
 * Layers  where a grid has them, a pixel's colour is that of its layers and the rest, mixed (hue.h).
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

/* Events, and what runs, in rows that lie wholly above or below the range. */
__u64 cells_above(const struct cells *c);
__u64 cells_below(const struct cells *c);

/* Paints the range into a rectangle.  -ENOMEM. */
int cells_paint(const struct cells *c, __u32 *pixel, size_t stride, unsigned width, unsigned height);

/* Paints all rows above (or below) the range, summed, as one strip.  -ENOMEM. */
int cells_paint_above(const struct cells *c, __u32 *pixel, size_t stride, unsigned width, unsigned height);
int cells_paint_below(const struct cells *c, __u32 *pixel, size_t stride, unsigned width, unsigned height);

#endif
