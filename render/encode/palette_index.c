#include "render/encode/palette_index.h"

#include <errno.h>
#include <stdlib.h>

/* The index of a colour; a new colour gets the next index.  PALETTE_INDEX_MAX: there are too many colours. */
static unsigned palette_index_of(struct palette_index *f, __u32 rgb)
{
	unsigned at = (rgb * 2654435761u >> 16) % PALETTE_INDEX_PLACES;

	while (f->place[at].entry && f->place[at].rgb != rgb)
		at = (at + 1) % PALETTE_INDEX_PLACES;
	if (!f->place[at].entry) {
		if (f->n == PALETTE_INDEX_MAX)
			return PALETTE_INDEX_MAX;
		f->colour[f->n++] = rgb;
		f->place[at].rgb = rgb;
		f->place[at].entry = f->n;
	}
	return f->place[at].entry - 1;
}

int palette_index_make(const __u32 *pixel, size_t n, struct palette_index *ret_palette, __u8 **ret_index)
{
	__u8 *index = malloc(n);
	unsigned last = PALETTE_INDEX_MAX;

	if (!index)
		return -ENOMEM;
	*ret_palette = (struct palette_index){ .n = 0 };
	for (size_t i = 0; i < n; i++) {
		if (!i || pixel[i] != pixel[i - 1])
			last = palette_index_of(ret_palette, pixel[i] & 0xffffff);
		if (last == PALETTE_INDEX_MAX) {
			free(index);
			return -E2BIG;
		}
		index[i] = (__u8)last;
	}
	*ret_index = index;
	return 0;
}
