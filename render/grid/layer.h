/* layer.h - a grid's cells by key: each key is a layer with a hue of its own, over the rest.
 *
 *      grid (all keys)  =  layer 0 + layer 1 + ... + rest
 *
 * Shape   A layer has the rows and columns of the grid it belongs to (grid->layers).  Its cells are
 *         sparse, ascending by row and, within a row, by column; row[r] .. row[r + 1] are row r's.
 * Laws    folding columns folds the layers with them; layers and rest add up to the grid.
 * Memory  layers_free() frees them, names included (NULL is fine); grid_free() does it for its own.
 */
#ifndef HEATSCOPE_LAYER_H
#define HEATSCOPE_LAYER_H

#include "render/grid/grid.h"

#define LAYER_GREY (-1)			/* a hue that is none */

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

/* n layers, grey, without names and cells.  NULL: no memory. */
struct layers *layers_new(size_t n);
void layers_free(struct layers *l);

/* Gives a layer its name and cells, in any order; equal places are added up.  Cells are copied.
 * -EINVAL: a cell outside the grid; -ENOMEM. */
int layer_fill(struct layer *l, const struct grid *g, const char *name, const struct layer_cell *cell, size_t n);

/* The same layers for columns that are sums of k.  NULL: no memory. */
struct layers *layers_fold(const struct layers *l, const struct grid *to, size_t k);

/* The grid's cells without those of its layers: n_rows * n_cols, to be freed.  NULL: no memory. */
__u64 *layers_rest(const struct grid *g);

/* Is more than one colour needed? */
int layers_drawn(const struct layers *l);	/* how many, the rest included; 1 without layers (NULL) */

#endif
