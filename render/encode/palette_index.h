/* palette_index.h - replaces pixels of few colours by indices into the list of these colours.
 *
 *      0xrrggbb ... -> index ..., colour[n]        in the order of their first pixels
 *
 * Memory  the caller frees the indices with free().
 */
#ifndef HEATSCOPE_PALETTE_INDEX_H
#define HEATSCOPE_PALETTE_INDEX_H

#include <linux/types.h>
#include <stddef.h>

#define PALETTE_INDEX_MAX 256
#define PALETTE_INDEX_PLACES (4 * PALETTE_INDEX_MAX)	/* for them, by hash */

struct palette_index {
	struct { __u32 rgb, entry; } place[PALETTE_INDEX_PLACES];	/* entry: index + 1, 0: free */
	__u32 colour[PALETTE_INDEX_MAX];
	unsigned n;
};

/* Ignores the highest byte of each of the n pixels.  -E2BIG: more than PALETTE_INDEX_MAX colours; -ENOMEM. */
int palette_index_make(const __u32 *pixel, size_t n, struct palette_index *ret_palette, __u8 **ret_index);

#endif
