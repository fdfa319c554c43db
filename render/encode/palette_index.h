/* palette_index.h - pixels as indices into the few colours that they have.
 *
 *      0xrrggbb ... -> index ..., colour[n]        in the order in which they first come
 *
 * Memory  the indices are the caller's, to be freed with free().
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

/* Of n pixels, whose highest byte is left out.  0, -E2BIG: more than PALETTE_INDEX_MAX colours, or -ENOMEM. */
int palette_index_make(const __u32 *pixel, size_t n, struct palette_index *ret_palette, __u8 **ret_index);

#endif
