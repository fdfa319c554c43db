#include "ui/cli/watch/kitty.h"

#include "render/encode/base64.h"
#include "render/encode/png.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_chunks(struct bytes *out, const char *head, const char *text)
{
	size_t left = strlen(text), len;
	char begin[128];

	for (; left; left -= len, text += len, head = "") {
		len = left < KITTY_CHUNK ? left : KITTY_CHUNK;
		bytes_put(out, begin, (size_t)snprintf(begin, sizeof(begin), "\x1b_G%sm=%d;", head, left > len));
		bytes_put(out, text, len);
		bytes_put(out, "\x1b\\", 2);
	}
}

static void put_place(struct bytes *out, long line, long col)
{
	char move[32];

	bytes_put(out, move, (size_t)snprintf(move, sizeof(move), "\x1b[%ld;%ldH", line + 1, col + 1));
}

/* C=1: the cursor stays, so nothing scrolls.  q=2: no answers. */
void kitty_show(struct bytes *out, const struct picture *p, unsigned image)
{
	char head[96];
	size_t len;
	__u8 *png = NULL;
	int err = png_smallest(p->pixel, p->width, p->height, &png, &len);
	char *text = err ? NULL : base64_text(png, len);

	if (text) {
		snprintf(head, sizeof(head), "a=T,f=100,i=%u,c=%ld,r=%ld,z=0,C=1,q=2,", image, p->n_cols, p->n_lines);
		put_place(out, p->line, p->col);
		put_chunks(out, head, text);
	}
	out->err = out->err ?: err ?: text ? 0 : -ENOMEM;
	free(text);
	free(png);
}

/* A pixel wide, of which a half may be transparent; as it is over all, z is 1. */
void kitty_point(struct bytes *out, const struct kitty_cursor *c, unsigned cell_height, unsigned image)
{
	__u8 rgba[4 * ANSWER_CELL_MAX] = { 0 };
	char head[96], *text;

	for (unsigned y = 0; y < cell_height; y++)
		if (y < cell_height / 2 ? c->upper : c->lower)
			memcpy(rgba + 4 * y, (__u8[]){ c->rgb >> 16 & 255, c->rgb >> 8 & 255, c->rgb & 255, 255 }, 4);
	text = base64_text(rgba, 4 * (size_t)cell_height);
	if (text) {
		snprintf(head, sizeof(head), "a=T,f=32,s=1,v=%u,i=%u,c=1,r=1,z=1,C=1,q=2,", cell_height, image);
		put_place(out, c->line, c->col);
		put_chunks(out, head, text);
	}
	out->err = out->err ?: text ? 0 : -ENOMEM;
	free(text);
}

void kitty_forget(struct bytes *out, unsigned image)
{
	char text[48];

	bytes_put(out, text, (size_t)snprintf(text, sizeof(text), "\x1b_Ga=d,d=I,i=%u,q=2\x1b\\", image));
}
