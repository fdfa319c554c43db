/* details: lists the keys in the cell of an image under a pixel. */
#include "aggregator/value/image.h"
#include "aggregator/value/kind.h"
#include "aggregator/value/layers.h"
#include "aggregator/value/reply.h"

#include <errno.h>
#include <stdlib.h>

static void details_query(const struct value *v, struct query *q)
{
	q->cells_only = true;
	value_layers_narrow(v, q);
}

/* Reads only the columns under the pixel.  A grid without data is enough to find them. */
static int add_keys_under_pixel(struct value *v, int axis)
{
	struct query q = value_query(v, axis);
	struct image_options options;
	struct image_cell cell;
	__s64 col_ns = (__s64)query_col_ns(&q);
	struct grid *empty = grid_new((size_t)((q.to_ns - q.from_ns + col_ns - 1) / col_ns), 1);
	int err;

	if (!empty)
		return -ENOMEM;
	value_image_options(v, &options);
	if (!options.ymax)
		options.ymax = options.ymin + options.n_rows + 1;
	err = image_cell_at(empty, &options, (unsigned)v->p.x, (unsigned)v->p.y, &cell);
	grid_free(empty);
	if (err)
		return err;
	q.to_ns = q.from_ns + (__s64)(cell.last_col + 1) * col_ns;
	q.from_ns += (__s64)cell.first_col * col_ns;
	if (q.to_ns > v->head.rounded.to)
		q.to_ns = v->head.rounded.to;
	return value_key_fold_add(v, &q);
}

static int details_folds(struct value *v, const struct catalog_inst *ci, int axis, char *reason)
{
	struct query q = value_query(v, axis);
	int err;

	q.n_select = 0;			/* its scale is that of the whole picture */
	err = value_fold_add(v, &q, false);
	return err ? err : add_keys_under_pixel(v, axis);
}

/* Returns how many slots were observed in the columns under a pixel; 0 for events. */
static __u64 snapshots_under(const struct grid *g, const struct image_cell *cell)
{
	__u64 n = 0;

	for (size_t col = cell->first_col; g->point && col <= cell->last_col; col++)
		n += g->column[col].n_snapshots;
	return n;
}

static int find_cell(const struct value *v, const struct image_options *options, struct image_cell *ret_cell, double **ret_share)
{
	const struct grid *g = v->grid[0];
	double *share = calloc(g->n_rows + 1, sizeof(*share));
	int err = share ? image_cell_at(g, options, (unsigned)v->p.x, (unsigned)v->p.y, ret_cell) : -ENOMEM;

	if (!err)
		err = image_cell_shares(g, options, ret_cell, share);
	if (err)
		free(share);
	else
		*ret_share = share;
	return err;
}

static int details_make(struct value *v)
{
	struct bytes out = { 0 };
	struct image_options options;
	struct image_cell cell;
	__u64 ymax;
	double *share;
	size_t n;
	const struct key_total *total;
	const struct grid *g;
	int err = value_grids(v);

	if (err)
		return err;
	g = v->grid[0];
	value_image_options_of_grid(v, &options, &ymax);
	err = find_cell(v, &options, &cell, &share);
	if (err)
		return err;
	total = key_fold_totals(v->key_fold[0], KEYS_BY_COUNT, &n);
	reply_begin(v, &out);
	value_image_put_scale(&out, v, &options, ymax);
	writer_name_seconds(&out, "bucket_time", g->from_ns + (__s64)(cell.first_col * g->col_ns));
	writer_name_seconds(&out, "bucket_duration", (__s64)((cell.last_col - cell.first_col + 1) * g->col_ns));
	writer_name_real(&out, "bucket_ymin", cell.from);
	writer_name_real(&out, "bucket_ymax", cell.to);
	payload_present(&out, total, n, g, share, snapshots_under(g, &cell));
	free(share);
	return reply_end(v, &out);
}

const struct value_kind value_details = {
	.name = "details", .class = ADMISSION_SMALL, .columns = value_image_columns, .query = details_query, .reads_keys = value_always,
	.folds = details_folds, .make = details_make,
};
