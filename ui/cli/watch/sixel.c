#include "ui/cli/watch/sixel.h"

#include "render/encode/palette_index.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_SIXEL
#undef PACKAGE_VERSION			/* it has its own */
#include <sixel.h>

bool sixel_can(void) { return true; }

static int put(char *data, int size, void *arg)
{
	bytes_put(arg, data, (size_t)size);
	return size;
}

/* Pixels are indices already: nothing is to be chosen or mixed. */
static int encode(struct bytes *out, const struct picture *p, __u8 *index, const struct few *few)
{
	unsigned char rgb[3 * FEW_MAX];
	sixel_dither_t *dither = NULL;
	sixel_output_t *output = NULL;
	SIXELSTATUS status = sixel_dither_new(&dither, (int)few->n, NULL);

	for (unsigned i = 0; i < few->n; i++)
		for (unsigned k = 0; k < 3; k++)
			rgb[3 * i + k] = few->colour[i] >> (16 - 8 * k) & 255;
	if (SIXEL_SUCCEEDED(status))
		status = sixel_output_new(&output, put, out, NULL);
	if (SIXEL_SUCCEEDED(status)) {
		sixel_dither_set_palette(dither, rgb);
		sixel_output_set_encode_policy(output, SIXEL_ENCODEPOLICY_SIZE);
		sixel_dither_set_pixelformat(dither, SIXEL_PIXELFORMAT_PAL8);
		status = sixel_encode(index, (int)p->width, (int)p->height, 8, dither, output);
	}
	sixel_output_unref(output);
	sixel_dither_unref(dither);
	return SIXEL_SUCCEEDED(status) ? 0 : -ENOMEM;
}

#else

bool sixel_can(void) { return false; }

static int encode(struct bytes *out, const struct picture *p, __u8 *index, const struct few *few) { return -ENOTSUP; }

#endif

void sixel_show(struct bytes *out, const struct picture *p)
{
	struct few few;
	__u8 *index = NULL;
	char move[32];
	int err = few_indices(p->pixel, (size_t)p->width * p->height, &few, &index);

	bytes_put(out, move, (size_t)snprintf(move, sizeof(move), "\x1b[%ld;%ldH", p->line + 1, p->col + 1));
	out->err = out->err ?: err ?: encode(out, p, index, &few);
	free(index);
}
