/* blend.h - blends the layers of a bare map: it normalizes them together and mixes their hues, cell by cell.
 *
 *      layers --raster--> densities of all --normalize--> brightness --hue--> one colour per cell
 *
 * A grid without layers is one layer, in the hue of the options.
 * Errors  -E2BIG: all layers together use more than BLEND_CELLS_MAX cells; -ENOMEM.
 */
#ifndef HEATSCOPE_BLEND_H
#define HEATSCOPE_BLEND_H

#include "render/color/hue.h"
#include "render/color/raster.h"
#include "render/color/shade.h"

#define BLEND_CELLS_MAX (8u << 20)

struct blend_options {
	enum shade_transfer transfer;
	enum palette_theme theme;
	int hue;			/* of a grid without layers */
	__u32 nothing;			/* the colour of a cell without events */
};

/* Writes the colour of each cell of the raster to ret_rgb.  It uses the raster as working memory. */
int blend_colours(const struct grid *g, const struct blend_options *o, struct raster *r, __u32 *ret_rgb);

/* Adds to the raster all cells that the map shows: layers, rest, or both. */
int blend_total(const struct grid *g, struct raster *r);

#endif
