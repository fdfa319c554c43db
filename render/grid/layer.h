/* layer.h - splits a grid's cells by key: each key gets a layer with its own hue.
 *
 *      grid (all keys)  =  layer 0 + layer 1 + ... + rest
 *
 * Shape   A layer has the rows and columns of its grid (grid->layers).  Its cells are sparse, sorted by row and, within
 *         a row, by column; row[r] .. row[r + 1] are the cells of row r.
 * Laws    grid_fold() folds the columns of the layers with those of the grid; layers and rest add up to the grid.
 * Memory  layers_free() frees layers and their names (NULL is fine); grid_free() frees the layers of the grid.
 */
#ifndef HEATSCOPE_LAYER_H
#define HEATSCOPE_LAYER_H

#include "render/grid/grid.h"

#define LAYER_GREY (-1)			/* in place of a hue */

struct layer_cell {
	__u32 row, col;
	__u64 count;
};

struct layer {
	char *name;
	int hue;			/* 0..359, or LAYER_GREY */
	__u64 count;			/* of all its cells */
	size_t n_cells;
	struct layer_cell *cell;
	size_t *row;			/* n_rows + 1 indices into cell */
};

enum layers_shown {
	LAYERS_ALL,			/* layers over the rest */
	LAYERS_ISOLATED,		/* layers alone */
	LAYERS_EXCLUDED			/* the rest alone */
};

struct layers {
	enum layers_shown shown;
	int rest_hue;
	size_t n;
	struct layer *layer;
};

/* Makes n layers, grey, without names and cells.  NULL: no memory. */
struct layers *layers_new(size_t n);
void layers_free(struct layers *l);

/* Copies a name and cells into a layer.  Cells may come in any order; it adds up cells of the same place.
 * -EINVAL: a cell outside the grid; -ENOMEM. */
int layer_fill(struct layer *l, const struct grid *g, const char *name, const struct layer_cell *cell, size_t n);

/* Folds the layers: each column of `to` is the sum of k.  NULL: no memory. */
struct layers *layers_fold(const struct layers *l, const struct grid *to, size_t k);

/* Returns the grid's cells minus those of its layers: n_rows * n_cols, the caller frees them.  NULL: no memory. */
__u64 *layers_rest(const struct grid *g);

/* Returns how many layers a picture shows, the rest included; 1 without layers (NULL). */
int layers_drawn(const struct layers *l);

#endif
