/* render_kit.h - makes grids for the tests of render/: small exact ones, and a realistic hour. */
#ifndef HEATSCOPE_RENDER_KIT_H
#define HEATSCOPE_RENDER_KIT_H

#include "render/grid/grid.h"

/* Makes a grid with these edges, whose columns are reported by its one source; all else is 0. */
struct grid *kit_grid(size_t n_cols, size_t n_rows, const __u64 *edge);

/* Adds events to a cell and keeps column and summary in step. */
void kit_add(struct grid *g, size_t col, size_t row, __u64 count);

/* Fills in p50 and p99 of the columns and the summary. */
void kit_finish(struct grid *g);

/* Makes the queries of a busy server: a fast mode, a slow one that comes and goes in phases, rare outliers,
 * a stretch that was not observed, one that lost events, a quiet one.  2^bits rows per octave from
 * 2^10 to 2^36 ns.  The same for the same arguments. */
struct grid *kit_hour(size_t n_cols, unsigned bits, double slower);

/* Splits every cell by n keys ("key 0" ...): events go to them in turn, starting with the key that fits the row; the
 * last part stays with the rest.  Assigns hues. */
void kit_split(struct grid *g, size_t n);

/* Decodes a PNG: 3 bytes per pixel; the caller frees them.  Aborts if it is not one. */
__u8 *kit_decode(const __u8 *png, size_t len, unsigned *ret_width, unsigned *ret_height);
__u32 kit_pixel(const __u8 *rgb, unsigned width, unsigned x, unsigned y);

#endif
