/* blend.h - the layers of a bare map in their hues: normalised together, mixed cell by cell.
 *
 *      layers --raster--> densities of all --tone--> brightness --hue--> one colour per cell
 *
 * A grid without layers is one, of the hue given.
 * Errors  -E2BIG: more than MIX_CELLS_MAX cells hold anything, over all layers; -ENOMEM.
 */
#ifndef HEATSCOPE_MIX_H
#define HEATSCOPE_MIX_H

#include "render/color/hue.h"
#include "render/color/raster.h"
#include "render/color/shade.h"

#define MIX_CELLS_MAX (8u << 20)

struct mix_options {
	enum shade_transfer transfer;
	enum palette_theme theme;
	int hue;			/* of a grid without layers */
	__u32 nothing;			/* the colour of a cell without events */
};

/* rgb: of each cell of the raster, which serves as scratch. */
int mix_colours(const struct grid *g, const struct mix_options *o, struct raster *r, __u32 *ret_rgb);

/* Adds all that is drawn: layers, rest, or both. */
int mix_total(const struct grid *g, struct raster *r);

#endif
