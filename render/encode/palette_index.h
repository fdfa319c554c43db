/* palette_index.h - pixels as indices into the few colours that they have.
 *
 *      0xrrggbb ... -> index ..., colour[n]        in the order in which they first come
 *
 * Memory  the indices are the caller's, to be freed with free().
 */
#ifndef HEATSCOPE_FEW_H
#define HEATSCOPE_FEW_H

#include <linux/types.h>
#include <stddef.h>

#define FEW_MAX 256
#define FEW_PLACES (4 * FEW_MAX)	/* for them, by hash */

struct few {
	struct { __u32 rgb, entry; } place[FEW_PLACES];	/* entry: index + 1, 0: free */
	__u32 colour[FEW_MAX];
	unsigned n;
};

/* Of n pixels, whose highest byte is left out.  0, -E2BIG: more than FEW_MAX colours, or -ENOMEM. */
int few_indices(const __u32 *pixel, size_t n, struct few *ret_few, __u8 **ret_index);

#endif
