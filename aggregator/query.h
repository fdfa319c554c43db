/* query.h - folds slices into what people read: a grid, a raw value, the keys of a cell.
 *
 *      cube or store --store_reader--> fold: keys dropped, slots summed, rows coarser --> grid
 *
 * Pure    no loop, file or clock: slices come in through a store_reader, time as now_ns.
 * Thread  any, one at a time per fold.
 */
#ifndef HEATSCOPE_QUERY_H
#define HEATSCOPE_QUERY_H

#include "../collector/instrumentation.h"
#include "../render/grid.h"
#include "store.h"

struct query {
	const struct instrumentation *inst;
	int axis;			/* which measure */
	int weight;			/* 0 = events; n = measure n-1's sums where the slices have it */
	__s64 from_ns, to_ns;		/* half-open, multiples of a slot */
	size_t n_cols;			/* columns wanted at most; slots are summed, never skipped */
	__u32 row_bits;			/* rows per octave = 2^row_bits, at most the ruler's */
	__s64 now_ns;
	const char *const *select;	/* label texts of keys, one text per key, fields joined by "," */
	size_t n_select;		/* 0: every key */
	bool exclude;			/* all but the selected */
};

struct fold;				/* a grid in the making; its fields are in query.c */

int fold_new(const struct query *q, struct fold **ret_fold);
void fold_free(struct fold *f);
const struct store_reader *fold_reader(struct fold *f);	/* give this to cube_read() or a store's read */
struct grid *fold_grid(struct fold *f);	/* finishes it; the caller frees the grid; NULL: no memory */

/* A histogram per key over the whole range, e.g. for the key list, the report's table, `details`. */
struct key_total {
	char text[KEY_BYTES_MAX];	/* labels joined by "," */
	struct hist hist;
};
struct key_fold;
int key_fold_new(const struct query *q, struct key_fold **ret_fold);
void key_fold_free(struct key_fold *f);
const struct store_reader *key_fold_reader(struct key_fold *f);
/* Sorted by falling count; valid until key_fold_free(). */
const struct key_total *key_fold_totals(struct key_fold *f, size_t *ret_n);

#endif
