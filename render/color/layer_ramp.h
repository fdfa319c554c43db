/* layer_ramp.h - makes the colours of a figure's layers: a ramp of 255 colours for each layer and for the rest.
 *
 * ramp[0] is for the rest, ramp[1 + i] for layer i.
 * Memory  layer_ramps_make() allocates, layer_ramps_fini() frees; a zeroed struct belongs to a grid without layers.
 */
#ifndef HEATSCOPE_LAYER_RAMP_H
#define HEATSCOPE_LAYER_RAMP_H

#include "render/grid/layer.h"
#include "render/color/palette.h"

struct layer_ramps {
	__u32 (*ramp)[PALETTE_COLOURS];	/* NULL: no layers, use the palette's ramp */
	__u64 *rest;			/* cells; NULL: the rest is not drawn */
};

int layer_ramps_make(const struct grid *g, enum palette_theme theme, struct layer_ramps *ret_ramps);	/* -ENOMEM */
void layer_ramps_fini(struct layer_ramps *t);

#endif
