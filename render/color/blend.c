#include "render/color/blend.h"
#include "render/color/normalize.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The cells that hold anything: layer after layer, each in the raster's order. */
struct bright {
	size_t n, room;
	__u32 *at;			/* index into the raster */
	double *v;			/* density, then brightness */
	size_t n_layers;
	size_t *end;			/* of each layer */
	int *hue;
};

static void bright_fini(struct bright *b)
{
	free(b->at);
	free(b->v);
	free(b->end);
	free(b->hue);
}

static int bright_grow(struct bright *b, size_t more)
{
	size_t room = b->room ? b->room : 4096;
	__u32 *at;
	double *v;

	while (room < b->n + more)
		room *= 2;
	if (room == b->room)
		return 0;
	at = realloc(b->at, room * sizeof(*at));
	if (at)
		b->at = at;
	v = at ? realloc(b->v, room * sizeof(*v)) : NULL;
	if (!v)
		return -ENOMEM;
	b->v = v;
	b->room = room;
	return 0;
}

static int bright_add(struct bright *b, const struct raster *r, int hue)
{
	for (size_t row = 0; row < r->n_rows; row++) {
		const double *density = r->density + row * r->n_cols;
		int err = bright_grow(b, r->n_cols);

		if (err)
			return err;
		for (size_t i = 0; i < r->n_cols; i++)
			if (density[i] > 0) {
				b->at[b->n] = (__u32)(row * r->n_cols + i);
				b->v[b->n++] = density[i];
			}
		if (b->n > BLEND_CELLS_MAX)
			return -E2BIG;
	}
	b->hue[b->n_layers] = hue;
	b->end[b->n_layers++] = b->n;
	return 0;
}

/* The cells of the grid, or the ones that belong to no layer. */
static int add_rest(const struct grid *g, struct raster *r)
{
	__u64 *rest;
	int err;

	if (!g->layers || !g->layers->n)
		return raster_add_cells(r, g, g->cell);
	rest = layers_rest(g);
	err = rest ? raster_add_cells(r, g, rest) : -ENOMEM;
	free(rest);
	return err;
}

int blend_total(const struct grid *g, struct raster *r)
{
	const struct layers *l = g->layers;
	int err = !l || l->shown != LAYERS_ISOLATED ? add_rest(g, r) : 0;

	for (size_t i = 0; l && l->shown != LAYERS_EXCLUDED && i < l->n && !err; i++)
		err = raster_add_layer(r, g, &l->layer[i]);
	return err;
}

/* Appends the cells of one layer to the list; layer NULL: the rest. */
static int collect_one(const struct grid *g, const struct layer *layer, const double *sum, int hue, struct raster *r,
		       struct bright *b)
{
	int err;

	raster_clear(r);
	err = layer ? raster_add_layer(r, g, layer) : add_rest(g, r);
	if (!err && sum)
		raster_percent(r, sum);
	return err ? err : bright_add(b, r, hue);
}

static int collect_brightness(const struct grid *g, const struct blend_options *o, struct raster *r, struct bright *b)
{
	const struct layers *l = g->layers;
	size_t n = l ? l->n : 0;
	double *sum = NULL;
	int err = 0;

	b->end = calloc(n + 1, sizeof(*b->end));
	b->hue = calloc(n + 1, sizeof(*b->hue));
	if (!b->end || !b->hue)
		return -ENOMEM;
	if (o->transfer == SHADE_PERCENT) {	/* of everything in the column that the map shows */
		err = blend_total(g, r);
		sum = r->sum;
		r->sum = calloc(r->n_cols, sizeof(*r->sum));
		err = !err && !r->sum ? -ENOMEM : err;
	}
	if (!err && (!l || l->shown != LAYERS_ISOLATED))
		err = collect_one(g, NULL, sum, l ? l->rest_hue : o->hue, r, b);
	for (size_t i = 0; !err && i < n && l->shown != LAYERS_EXCLUDED; i++)
		err = collect_one(g, &l->layer[i], sum, l->layer[i].hue, r, b);
	free(sum);
	return err;
}

/* A single layer: its colours are the colours of the cells. */
static void spread_one(const struct bright *b, const struct raster *r, const struct blend_options *o, __u32 *ret_rgb)
{
	for (size_t i = 0; i < r->n_rows * r->n_cols; i++)
		ret_rgb[i] = o->nothing;
	for (size_t i = 0; i < b->n; i++)
		ret_rgb[b->at[i]] = hue_colour(o->theme, b->hue[0], b->v[i]);
}

/* Row by row, from the foot up: in each row the cells of every layer. */
static int blend_cells(const struct bright *b, const struct raster *r, const struct blend_options *o, __u32 *ret_rgb)
{
	struct hue_mix *cell = malloc(r->n_cols * sizeof(*cell));
	size_t *next = calloc(b->n_layers + 1, sizeof(*next));

	for (size_t i = 1; next && i < b->n_layers; i++)
		next[i] = b->end[i - 1];
	for (size_t row = 0; cell && next && row < r->n_rows; row++) {
		memset(cell, 0, r->n_cols * sizeof(*cell));
		for (size_t i = 0; i < b->n_layers; i++)
			for (; next[i] < b->end[i] && b->at[next[i]] < (row + 1) * r->n_cols; next[i]++)
				hue_mix_add(&cell[b->at[next[i]] - row * r->n_cols],
					    hue_colour(o->theme, b->hue[i], b->v[next[i]]), b->v[next[i]]);
		for (size_t i = 0; i < r->n_cols; i++)
			ret_rgb[row * r->n_cols + i] = hue_mix_colour(&cell[i], o->nothing);
	}
	free(cell);
	free(next);
	return cell && next ? 0 : -ENOMEM;
}

int blend_colours(const struct grid *g, const struct blend_options *o, struct raster *r, __u32 *ret_rgb)
{
	struct bright b = { 0 };
	int err = collect_brightness(g, o, r, &b);

	if (!err)
		err = normalize_densities(o->transfer, b.v, b.n);
	if (!err && b.n_layers == 1)
		spread_one(&b, r, o, ret_rgb);
	else if (!err)
		err = blend_cells(&b, r, o, ret_rgb);
	bright_fini(&b);
	return err;
}
