/* png.h - encodes pixels as PNG in memory, as fast as possible: lightly deflated, without a filter.
 *
 * Form    palette: 8 bit, for bare cells; RGB, for figures.  Rows of cells repeat one another, and deflate finds that
 *         without help: a filter hides it, and takes longer for nothing.
 * Text    tEXt chunks say where a picture comes from; `text` has pairs of keyword and text, ended by NULL.
 *         Keywords are Latin-1, 1..79 bytes; text is UTF-8, and goes into iTXt if it is not ASCII.
 * Errors  -EINVAL: a size of 0 or beyond 32767; -ENOMEM.
 * Memory  the caller frees the bytes with free().  Equal input, equal bytes.
 */
#ifndef HEATSCOPE_PNG_H
#define HEATSCOPE_PNG_H

#include <linux/types.h>
#include <stddef.h>

int png_palette(const __u8 *pixel, unsigned width, unsigned height, const __u32 rgb[256],
		const char *const *text, __u8 **ret_png, size_t *ret_len);

/* argb: 0x00rrggbb in the machine's order, rows `stride` bytes apart (a Cairo ARGB32 or RGB24 surface). */
int png_rgb(const __u8 *argb, size_t stride, unsigned width, unsigned height, unsigned pixels_per_metre,
	    const char *const *text, __u8 **ret_png, size_t *ret_len);

/* Encodes pixels without gaps in the smaller form: with a palette if there are at most 256 colours. */
int png_smallest(const __u32 *pixel, unsigned width, unsigned height, __u8 **ret_png, size_t *ret_len);

#endif
