/* grid, stream: write the cells of a map and how they are shaded, as JSON or CSV. */
#include "aggregator/value/grid.h"
#include "aggregator/value/kind.h"
#include "aggregator/value/reply.h"
#include "aggregator/value/in_flight.h"
#include "render/document/csv.h"
#include "render/document/narrative.h"

struct grid_value *grid_value_of(struct value *v)
{
	return (struct grid_value *)v;
}

/* ---- reading ---- */

static size_t grid_columns(const struct value *v)
{
	return (size_t)v->p.ncols;
}

static void grid_query(const struct value *v, struct query *q)
{
	q->row_bits = (__u32)v->p.row_bits;
}

static int grid_folds(struct value *v, const struct catalog_inst *ci, int axis, char *reason)
{
	struct query q = value_query(v, axis);
	int err = value_fold_add(v, &q, v->p.active);

	if (err)
		return err;
	return v->p.active ? value_active_add(v, &grid_value_of(v)->active, ci, axis, false, reason) : value_in_flight_fold(v);
}

static int grid_record(struct value *v, __s64 first, __s64 last)
{
	return value_active_record(v, &grid_value_of(v)->active, first, last);
}

static int grid_read(struct value *v, struct store *store)
{
	const struct store_reader slices = value_slices(v);

	return value_active_read(v, &grid_value_of(v)->active, store, &slices);
}

/* ---- the reply ---- */

static int reply_csv(struct value *v)
{
	v->type = "text/csv; charset=utf-8; header=present";
	return csv_make((enum csv_table)v->p.table, v->grid[0], NULL, (char **)&v->data, &v->len);
}

static void put_narrative(struct value *v, struct bytes *out)
{
	char text[NARRATIVE_TEXT];

	narrative_text(v->grid[0], NULL, &v->zone, text);
	writer_name_text(out, "narrative", text);
}

static int reply_json(struct value *v, struct shade *shade)
{
	struct bytes out = { 0 };
	const struct grid *const grids[] = { v->grid[0] };
	const struct shade_options shading = { .yscale = (enum axis_scale)v->p.yscale, .weighted = v->p.weighted,
					       .transfer = (enum shade_transfer)v->p.transfer };
	int err = shade_make(grids, 1, &shading, shade);

	if (err)
		return err;
	reply_begin(v, &out);
	if (v->grid[0]->running)
		writer_name_text(&out, "running", v->in.measure[value_in_flight_axis(v)]);
	payload_grid(&out, v->grid[0], shade);
	payload_annotations(&out, v->annotations);
	if (v->p.narrative)
		put_narrative(v, &out);
	writer_open(&out, "shade", "{");
	payload_shade(&out, shade, (enum palette_theme)v->p.theme, params_ramp(&v->p));
	writer_raw(&out, "}");
	return reply_end(v, &out);
}

static int grid_make(struct value *v)
{
	struct grid_value *g = grid_value_of(v);
	int err = value_grids(v);

	if (err)
		return err;
	value_join_running(v);
	if (g->active.active)
		err = value_active_put(v, &g->active);
	if (err)
		return err;
	return v->p.format == FORMAT_CSV ? reply_csv(v) : reply_json(v, &g->shade);
}

static void grid_value_free(struct value *v)
{
	active_free(grid_value_of(v)->active.active);
	shade_fini(&grid_value_of(v)->shade);
}

const struct value_kind value_grid = {
	.name = "grid", .size = sizeof(struct grid_value), .class = ADMISSION_MEDIUM, .shows_times = true, .columns = grid_columns,
	.query = grid_query, .folds = grid_folds, .record = grid_record, .read = grid_read, .make = grid_make, .free = grid_value_free,
};

const struct value_kind value_stream = {
	.name = "stream", .size = sizeof(struct grid_value), .class = ADMISSION_MEDIUM, .live = true, .columns = grid_columns,
	.query = grid_query, .folds = grid_folds, .record = grid_record, .read = grid_read, .make = grid_make, .free = grid_value_free,
};
