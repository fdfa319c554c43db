#include "watch_kitty.h"

#include "../../render/base64.h"
#include "../../render/png.h"

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

/* C=1: the cursor stays, so nothing scrolls.  q=2: no answers. */
void kitty_show(struct bytes *out, const struct picture *p, unsigned image)
{
	char head[96], move[32];
	size_t len;
	__u8 *png = NULL;
	int err = png_few(p->pixel, p->width, p->height, &png, &len);
	char *text = err ? NULL : base64_text(png, len);

	if (text) {
		snprintf(head, sizeof(head), "a=T,f=100,i=%u,c=%ld,r=%ld,z=-1,C=1,q=2,", image, p->n_cols, p->n_lines);
		bytes_put(out, move, (size_t)snprintf(move, sizeof(move), "\x1b[%ld;%ldH", p->line + 1, p->col + 1));
		put_chunks(out, head, text);
	}
	out->err = out->err ?: err ?: text ? 0 : -ENOMEM;
	free(text);
	free(png);
}

void kitty_forget(struct bytes *out, unsigned image)
{
	char text[48];

	bytes_put(out, text, (size_t)snprintf(text, sizeof(text), "\x1b_Ga=d,d=I,i=%u,q=2\x1b\\", image));
}
