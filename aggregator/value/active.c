#include "aggregator/value/active.h"
#include "aggregator/value/kind.h"

#include <errno.h>
#include <stdio.h>

#define AFTER_COLUMNS 600 /* reads the time after the range as fine as it is kept */

/* ---- the request ---- */

static int active_refuse(const struct value *v, int axis, char *reason)
{
	const char *name = v->in.measure[axis];

	if (v->weight)
		snprintf(reason, PARAMS_REASON_MAX, "active has rows for all weights: leave out \"weight\"");
	else
		snprintf(reason, PARAMS_REASON_MAX,
			 "active needs a measure of the events' time, and %s is not one%s%s", name,
			 v->first_axis >= 0 && axis != v->first_axis ? ": use " : "",
			 v->first_axis >= 0 && axis != v->first_axis ? v->in.measure[v->first_axis] : "");
	return -EINVAL;
}

static void plan_after(const struct value *v, const struct catalog_inst *ci, struct plan *after)
{
	__s64 slot_ns = (__s64)v->in.slot_ns, to = v->head.rounded.to, now = v->now_ns / slot_ns * slot_ns;
	struct instrumentation in = v->in;
	struct plan_wish w = {.in = &in,
			      .kept_from = ci->kept_from,
			      .from_ns = to,
			      .to_ns = to + ACTIVE_AFTER_S * 1000000000ll,
			      .n_cols = AFTER_COLUMNS,
			      .n_series = 1,
			      .fixed = true};

	in.granularity_ns = v->in.slot_ns;
	w.to_ns = w.to_ns < now ? w.to_ns : now;
	if (w.to_ns <= to)
		return;
	plan_make(&w, after);
	if (after->from_ns < to) /* the time before that is in the range */
		after->n_parts = 0;
}

int value_active_add(struct value *v, struct value_active *a, const struct catalog_inst *ci, int axis, bool apart, char *reason)
{
	struct query q = value_query(v, axis);
	struct store_reader to;
	int err;

	if (axis || v->weight || v->first_axis || v->scope[0] == SCOPE_POINT || ruler_unit(v->in.ruler[0]) != UNIT_NS)
		return active_refuse(v, axis, reason);
	if ((v->p.format == FORMAT_CSV && !apart) || v->p.narrative)
		return params_refuse(reason, "active comes as JSON without a narrative: leave out \"%s\"",
			v->p.narrative ? "narrative" : "format");
	plan_after(v, ci, &a->after);
	err = active_new(&q, value_active_last(v, a), value_in_flight_axis(v), &a->active);
	if (err)
		return err;
	to = *active_reader(a->active);
	if (apart)
		to.slice = NULL;
	v->all_weights = true;
	value_take(v, -1, VALUE_WHOLE, &to);
	return 0;
}

__s64 value_active_last(const struct value *v, const struct value_active *a)
{
	return (a->after.n_parts ? a->after.to_ns : v->head.rounded.to) / (__s64)v->in.slot_ns - 1;
}

/* ---- reading ---- */

/* Reads sums of several slots only if there are very many slots. */
static int read_plan(const struct value *v, struct active *a, struct store *store, const struct plan *plan, const struct store_reader *slices)
{
	bool whole = !v->p.n_select;
	int err = 0;

	for (size_t i = 0; i < plan->n_parts && !err; i++) {
		const struct plan_part *part = &plan->part[i];
		__s64 per = (__s64)(plan_slot_ns(&v->in, part->tier) / v->in.slot_ns);
		int grain = (part->last - part->first) / per > PLAN_SLICES ? plan->grain : 1;
		const struct store_range range = {part->first, part->last, 0, -1, part->tier, whole, grain};

		active_width(a, per * (grain > 1 ? grain : 1));
		err = store->ops->read(store, v->in.id, &range, slices);
	}
	return err;
}

static int read_running(const struct value *v, struct active *a, struct store *store, const struct store_reader *slices)
{
	struct store_range range = {.axis = value_in_flight_axis(v), .whole = !v->p.n_select};

	if (!active_running_slots(a, &range.first, &range.last))
		return 0;
	return store->ops->read(store, v->in.id, &range, slices);
}

int value_active_read(struct value *v, const struct value_active *a, struct store *store, const struct store_reader *slices)
{
	struct store_range range = {.first = v->head.rounded.from / (__s64)v->in.slot_ns, .last = value_active_last(v, a)};
	struct store_reader cover = {.arg = a->active};
	int err;

	if (!a->active)
		return value_read_slices(v, store);
	cover.cover = active_reader(a->active)->cover;
	err = store->ops->read(store, v->in.id, &range, &cover);
	if (!err)
		err = read_plan(v, a->active, store, &v->plan, slices);
	if (!err)
		err = read_plan(v, a->active, store, &a->after, slices);
	return err ? err : read_running(v, a->active, store, slices);
}

int value_active_record(struct value *v, const struct value_active *a, __s64 first, __s64 last)
{
	const struct store_reader slices = {.arg = &v->slice_buffer, .slice = slice_buffer_recorder(&v->slice_buffer)->slice};
	__s64 from = v->head.rounded.from / (__s64)v->in.slot_ns;
	struct store_reader cover = {.arg = a->active};
	int axis = value_in_flight_axis(v), err;

	last = a->active ? value_active_last(v, a) : last;
	err = value_record_slices(v, first, last);
	if (err || !a->active)
		return err;
	cover.cover = active_reader(a->active)->cover;
	err = cube_read(v->services->cube, v->in.id, from, last, 0, 0, &cover);
	if (err || !active_running_slots(a->active, &from, &last))
		return err;
	v->slice_buffer.axes[axis] = true;
	return cube_read(v->services->cube, v->in.id, from, last, axis, 0, &slices);
}

/* ---- the result ---- */

int value_active_grid(const struct value *v, const struct value_active *a, struct grid **ret_grid)
{
	int err = active_error(a->active);

	return err ? err : active_grid(a->active, v->grid[0], ret_grid);
}

int value_active_put(struct value *v, const struct value_active *a)
{
	struct grid *g;
	int err = value_active_grid(v, a, &g);

	if (err)
		return err;
	g->annotations = v->grid[0]->annotations;
	v->grid[0]->annotations = NULL;
	grid_free(v->grid[0]);
	v->grid[0] = g;
	return 0;
}
