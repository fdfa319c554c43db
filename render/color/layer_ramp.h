/* layer_ramp.h - what a figure needs to draw a grid's layers: a ramp of 255 colours for each, and the rest.
 *
 * ramp[0] is the rest's, ramp[1 + i] that of layer i.
 * Memory  layer_ramps_make() allocates, layer_ramps_fini() frees; zeroed ramps are those of a grid without layers.
 */
#ifndef HEATSCOPE_LAYER_RAMP_H
#define HEATSCOPE_LAYER_RAMP_H

#include "render/grid/layer.h"
#include "render/color/palette.h"

struct layer_ramps {
	__u32 (*ramp)[PALETTE_COLOURS];	/* NULL: no layers, the palette's own ramp */
	__u64 *rest;			/* cells, NULL where the rest is not drawn */
};

int layer_ramps_make(const struct grid *g, enum palette_theme theme, struct layer_ramps *ret_ramps);	/* -ENOMEM */
void layer_ramps_fini(struct layer_ramps *t);

#endif
