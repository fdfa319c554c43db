/* picture.h - paints the map as pixels with the renderer's cells, for terminals that show pictures.
 *
 *      map -> grid, shade, palette -> cells_paint() -> pixels of the characters that the map covers
 *
 * Shape   n_cols x n_lines characters from line, col on, each of cell_width x cell_height pixels; 0xffrrggbb, without
 *         gaps.  The strips beyond the axis are as high as in characters, so ticks and cursor stand at the right
 *         height.
 * Errors  -E2BIG: too many rows or pixels, -ENOMEM; after these nothing has changed.
 * Memory  picture_fini() frees it; all zeros: no picture.
 */
#ifndef HEATSCOPE_WATCH_PICTURE_H
#define HEATSCOPE_WATCH_PICTURE_H

#include "ui/cli/watch/graphics.h"
#include "ui/cli/watch/layout.h"
#include "ui/cli/watch/plot.h"

struct picture {
	long line, col, n_lines, n_cols;
	unsigned width, height;
	__u32 *pixel;
};

/* Paints the map.  p: the map, and the axis as it is in characters. */
int picture_paint(const struct plot *p, const struct layout *l, struct graphics g, struct picture *ret_picture);
void picture_fini(struct picture *p);

bool picture_same(const struct picture *a, const struct picture *b);

#endif
