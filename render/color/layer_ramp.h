/* layer_ramp.h - what a figure needs to draw a grid's layers: a ramp of 255 colours for each, and the rest.
 *
 * ramp[0] is the rest's, ramp[1 + i] that of layer i.
 * Memory  tints_make() allocates, tints_fini() frees; zeroed tints are those of a grid without layers.
 */
#ifndef HEATSCOPE_TINT_H
#define HEATSCOPE_TINT_H

#include "render/grid/layer.h"
#include "render/color/palette.h"

struct tints {
	__u32 (*ramp)[PALETTE_COLOURS];	/* NULL: no layers, the palette's own ramp */
	__u64 *rest;			/* cells, NULL where the rest is not drawn */
};

int tints_make(const struct grid *g, enum palette_theme theme, struct tints *ret_tints);	/* -ENOMEM */
void tints_fini(struct tints *t);

#endif
