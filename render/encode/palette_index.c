#include "render/encode/palette_index.h"

#include <errno.h>
#include <stdlib.h>

/* The index of a colour, given to it now if it is new; FEW_MAX: there are too many. */
static unsigned few_index(struct few *f, __u32 rgb)
{
	unsigned at = (rgb * 2654435761u >> 16) % FEW_PLACES;

	while (f->place[at].entry && f->place[at].rgb != rgb)
		at = (at + 1) % FEW_PLACES;
	if (!f->place[at].entry) {
		if (f->n == FEW_MAX)
			return FEW_MAX;
		f->colour[f->n++] = rgb;
		f->place[at].rgb = rgb;
		f->place[at].entry = f->n;
	}
	return f->place[at].entry - 1;
}

int few_indices(const __u32 *pixel, size_t n, struct few *ret_few, __u8 **ret_index)
{
	__u8 *index = malloc(n);
	unsigned last = FEW_MAX;

	if (!index)
		return -ENOMEM;
	*ret_few = (struct few){ .n = 0 };
	for (size_t i = 0; i < n; i++) {
		if (!i || pixel[i] != pixel[i - 1])
			last = few_index(ret_few, pixel[i] & 0xffffff);
		if (last == FEW_MAX) {
			free(index);
			return -E2BIG;
		}
		index[i] = (__u8)last;
	}
	*ret_index = index;
	return 0;
}
