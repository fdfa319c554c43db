/* layer_fold.h - folds slices into the layers of a picture: counts per key, column and row.
 *
 *      cube or store --store_reader--> key -> column -> (lowest value of a bucket, events) --grid--> layers
 *
 * Keys    the query's selected keys, in their order, also those without events.  If the query selects none, or excludes
 *         the selected ones: all other keys that occur, by text.  The text of a key has only the fields that the query
 *         keeps (query.drop).
 * Laws    a layer's cells are its key's part of the grid's cells: same columns, same rows.
 * Errors  -E2BIG: more than LAYER_SPOTS_MAX buckets in all; -EBADMSG, -EINVAL: a slice; -ENOMEM.
 * Thread  any, one at a time per fold.
 */
#ifndef HEATSCOPE_LAYER_FOLD_H
#define HEATSCOPE_LAYER_FOLD_H

#include "render/grid/layer.h"
#include "aggregator/query/query.h"

#define LAYER_SPOTS_MAX (4u << 20)

struct layer_fold;			/* its fields are in layer_fold.c */

/* cells false: only counts per key and column.  The query's arrays are borrowed. */
int layer_fold_new(const struct query *q, bool cells, struct layer_fold **ret_fold);
void layer_fold_free(struct layer_fold *f);	/* NULL is fine */

const struct store_reader *layer_fold_reader(struct layer_fold *f);
int layer_fold_error(const struct layer_fold *f);

/* Call it after the last slice.  i: index in the order of the keys. */
size_t layer_fold_finish(struct layer_fold *f);	/* how many keys */
const char *layer_fold_name(const struct layer_fold *f, size_t i);
bool layer_fold_other(const struct layer_fold *f, size_t i);	/* one of its labels is `other` */
__u64 layer_fold_count(const struct layer_fold *f, size_t i, size_t col);
__u64 layer_fold_sum(const struct layer_fold *f, size_t i, size_t col);	/* sum of the axis, exact */

/* Makes the layers of the grid, which was folded by the same query. */
int layer_fold_layers(const struct layer_fold *f, const struct grid *g, struct layers **ret_layers);

#endif
