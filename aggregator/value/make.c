#include "aggregator/value/kind.h"

#include <errno.h>

int value_grids(struct value *v)
{
	for (size_t i = 0; i < v->n_folds; i++) {
		v->grid[i] = fold_grid(v->fold[i]);
		if (!v->grid[i])
			return -ENOMEM;
		v->grid[i]->weight_unit = v->unit;
		v->grid[i]->annotations = annotation_list_copy(v->annotations);
		if (v->annotations && !v->grid[i]->annotations)
			return -ENOMEM;
		fold_free(v->fold[i]);	/* frees a histogram per column: the grid has all that is needed of them */
		v->fold[i] = NULL;
	}
	return 0;
}

void value_join_running(struct value *v)
{
	if (!v->runs)
		return;
	v->n_folds--;
	v->grid[0]->running = v->grid[v->n_folds];
	v->grid[v->n_folds] = NULL;
}
