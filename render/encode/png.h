/* png.h - encodes pixels as PNG in memory, as fast as possible: lightly deflated, without a filter.
 *
 * Form    palette: 8 bit, for bare cells; RGB, for figures.  Rows of cells repeat one another.  Deflate finds that
 *         without a filter, and a filter would hide it.
 * Text    says where a picture comes from.  `text` has pairs of keyword and text, ended by NULL. Keywords are Latin-1,
 *         1..79 bytes.  Text is UTF-8: a tEXt chunk if it is ASCII, else an iTXt chunk.
 * Errors  -EINVAL: a size of 0 or beyond 32767; -ENOMEM.
 * Memory  the caller frees the bytes with free().  Equal input, equal bytes.
 */
#ifndef HEATSCOPE_PNG_H
#define HEATSCOPE_PNG_H

#include <linux/types.h>
#include <stddef.h>

int png_palette(const __u8 *pixel, unsigned width, unsigned height, const __u32 rgb[256],
		const char *const *text, __u8 **ret_png, size_t *ret_len);

/* Encodes pixels as RGB.  argb: 0x00rrggbb in the machine's order, rows `stride` bytes apart (a Cairo ARGB32 or RGB24
 * surface). */
int png_rgb(const __u8 *argb, size_t stride, unsigned width, unsigned height, unsigned pixels_per_metre,
	    const char *const *text, __u8 **ret_png, size_t *ret_len);

/* Encodes pixels without gaps in the smaller form: with a palette if there are at most 256 colours. */
int png_smallest(const __u32 *pixel, unsigned width, unsigned height, __u8 **ret_png, size_t *ret_len);

#endif
