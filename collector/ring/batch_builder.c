#include "collector/ring/batch_builder.h"

#include <errno.h>
#include <stdlib.h>

void batch_builder_fini(struct batch_builder *p)
{
	bytes_fini(&p->keys);
	bytes_fini(&p->hists);
	free(p->piece);
	free(p->slice);
}

void batch_builder_clear(struct batch_builder *p)
{
	bytes_clear(&p->keys);
	bytes_clear(&p->hists);
	p->n = 0;
}

void batch_builder_key(struct batch_builder *p)
{
	p->key = (struct piece){ .key_at = p->keys.len };
}

void batch_builder_label(struct batch_builder *p, const char *text)
{
	labels_put(&p->keys, text);
	p->key.key_len = p->keys.len - p->key.key_at;
}

static int grow(struct batch_builder *p)
{
	size_t room = p->room ? p->room * 2 : 64;
	struct piece *piece = realloc(p->piece, room * sizeof(*piece));
	struct slice *slice = piece ? realloc(p->slice, room * sizeof(*slice)) : NULL;

	if (piece)
		p->piece = piece;
	if (!slice)
		return -ENOMEM;
	p->slice = slice;
	p->room = room;
	return 0;
}

int batch_builder_add(struct batch_builder *p, __u16 axis, __u16 weight, const struct hist *h)
{
	struct piece *piece;

	if (p->n == p->room && grow(p))
		return -ENOMEM;
	piece = &p->piece[p->n++];
	*piece = p->key;
	piece->axis = axis;
	piece->weight = weight;
	piece->ruler = h->ruler;
	piece->hist_at = p->hists.len;
	hist_encode(h, &p->hists);
	piece->hist_len = p->hists.len - piece->hist_at;
	return p->hists.err ? p->hists.err : p->keys.err;
}

struct slice *batch_builder_slices(struct batch_builder *p)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		const struct piece *piece = &p->piece[i];

		p->slice[i] = (struct slice){
			.ruler = piece->ruler, .axis = piece->axis, .weight = piece->weight,
			.key = { p->keys.data + piece->key_at, piece->key_len },
			.hist = p->hists.data + piece->hist_at, .hist_len = piece->hist_len,
		};
	}
	return p->slice;
}
