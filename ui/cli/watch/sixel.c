#include "ui/cli/watch/sixel.h"

#include "render/encode/palette_index.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_SIXEL
#undef PACKAGE_VERSION			/* it has its own */
#include <sixel.h>

bool sixel_can(void) { return true; }

static int put_sixels(char *data, int size, void *arg)
{
	bytes_put(arg, data, (size_t)size);
	return size;
}

/* Pixels are indices already: nothing is to be chosen or mixed. */
static int encode_sixels(struct bytes *out, const struct picture *p, __u8 *index, const struct palette_index *palette)
{
	unsigned char rgb[3 * PALETTE_INDEX_MAX];
	sixel_dither_t *dither = NULL;
	sixel_output_t *output = NULL;
	SIXELSTATUS status = sixel_dither_new(&dither, (int)palette->n, NULL);

	for (unsigned i = 0; i < palette->n; i++)
		for (unsigned k = 0; k < 3; k++)
			rgb[3 * i + k] = palette->colour[i] >> (16 - 8 * k) & 255;
	if (SIXEL_SUCCEEDED(status))
		status = sixel_output_new(&output, put_sixels, out, NULL);
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

static int encode_sixels(struct bytes *out, const struct picture *p, __u8 *index,
			 const struct palette_index *palette)
{
	return -ENOTSUP;
}

#endif

void sixel_show(struct bytes *out, const struct picture *p)
{
	struct palette_index palette;
	__u8 *index = NULL;
	char move[32];
	int err = palette_index_make(p->pixel, (size_t)p->width * p->height, &palette, &index);

	bytes_put(out, move, (size_t)snprintf(move, sizeof(move), "\x1b[%ld;%ldH", p->line + 1, p->col + 1));
	out->err = out->err ?: err ?: encode_sixels(out, p, index, &palette);
	free(index);
}
