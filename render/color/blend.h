/* blend.h - the layers of a bare map in their hues: normalised together, mixed cell by cell.
 *
 *      layers --raster--> densities of all --normalize--> brightness --hue--> one colour per cell
 *
 * A grid without layers is one, of the hue given.
 * Errors  -E2BIG: more than BLEND_CELLS_MAX cells hold anything, over all layers; -ENOMEM.
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

/* rgb: of each cell of the raster, which serves as scratch. */
int blend_colours(const struct grid *g, const struct blend_options *o, struct raster *r, __u32 *ret_rgb);

/* Adds all that is drawn: layers, rest, or both. */
int blend_total(const struct grid *g, struct raster *r);

#endif
