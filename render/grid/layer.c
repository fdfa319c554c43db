#include "render/grid/layer.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct layers *layers_new(size_t n)
{
	struct layers *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->rest_hue = LAYER_GREY;
	l->n = n;
	l->layer = calloc(n ? n : 1, sizeof(*l->layer));
	if (!l->layer) {
		free(l);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		l->layer[i].hue = LAYER_GREY;
	return l;
}

void layers_free(struct layers *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++) {
		free(l->layer[i].name);
		free(l->layer[i].cell);
		free(l->layer[i].row);
	}
	free(l->layer);
	free(l);
}

static int by_place(const void *a, const void *b)
{
	const struct layer_cell *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->col > y->col) - (x->col < y->col);
}

static int is_sorted(const struct layer_cell *cell, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (by_place(&cell[i - 1], &cell[i]) >= 0)
			return 0;
	return 1;
}

static size_t merge_equal(struct layer_cell *cell, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (kept && !by_place(&cell[kept - 1], &cell[i]))
			cell[kept - 1].count += cell[i].count;
		else
			cell[kept++] = cell[i];
	return kept;
}

static void index_rows(struct layer *l, size_t n_rows)
{
	size_t at = 0;

	for (size_t row = 0; row <= n_rows; row++) {
		while (at < l->n_cells && l->cell[at].row < row)
			at++;
		l->row[row] = at;
	}
}

int layer_fill(struct layer *l, const struct grid *g, const char *name, const struct layer_cell *cell, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cell[i].row >= g->n_rows || cell[i].col >= g->n_cols)
			return -EINVAL;
	l->name = strdup(name);
	l->cell = malloc((n ? n : 1) * sizeof(*l->cell));
	l->row = calloc(g->n_rows + 1, sizeof(*l->row));
	if (!l->name || !l->cell || !l->row)
		return -ENOMEM;
	if (n)
		memcpy(l->cell, cell, n * sizeof(*cell));
	l->n_cells = n;
	if (!is_sorted(l->cell, n)) {
		qsort(l->cell, n, sizeof(*l->cell), by_place);
		l->n_cells = merge_equal(l->cell, n);
	}
	for (size_t i = 0; i < l->n_cells; i++)
		l->count += l->cell[i].count;
	index_rows(l, g->n_rows);
	return 0;
}

struct layers *layers_fold(const struct layers *l, const struct grid *to, size_t k)
{
	struct layers *folded = layers_new(l->n);
	int err = folded ? 0 : -ENOMEM;

	for (size_t i = 0; i < l->n && !err; i++) {
		const struct layer *from = &l->layer[i];
		struct layer_cell *cell = malloc((from->n_cells + 1) * sizeof(*cell));

		err = cell ? 0 : -ENOMEM;
		for (size_t j = 0; j < from->n_cells && !err; j++)
			cell[j] = (struct layer_cell){ from->cell[j].row, (__u32)(from->cell[j].col / k), from->cell[j].count };
		if (!err)		/* still sorted: neighbours are equal or in order */
			err = layer_fill(&folded->layer[i], to, from->name, cell, merge_equal(cell, from->n_cells));
		folded->layer[i].hue = from->hue;
		free(cell);
	}
	if (err) {
		layers_free(folded);
		return NULL;
	}
	folded->shown = l->shown;
	folded->rest_hue = l->rest_hue;
	return folded;
}

__u64 *layers_rest(const struct grid *g)
{
	size_t n = g->n_rows * g->n_cols;
	__u64 *rest = malloc(n * sizeof(*rest));

	if (!rest)
		return NULL;
	memcpy(rest, g->cell, n * sizeof(*rest));
	for (size_t i = 0; g->layers && i < g->layers->n; i++)
		for (size_t j = 0; j < g->layers->layer[i].n_cells; j++) {
			const struct layer_cell *cell = &g->layers->layer[i].cell[j];
			__u64 *to = &rest[(size_t)cell->row * g->n_cols + cell->col];

			*to = *to > cell->count ? *to - cell->count : 0;
		}
	return rest;
}

int layers_drawn(const struct layers *l)
{
	if (!l)
		return 1;
	return l->shown == LAYERS_EXCLUDED ? 1 : (int)l->n + (l->shown == LAYERS_ALL);
}
