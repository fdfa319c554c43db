#include "aggregator/value/active.h"
#include "aggregator/query/active.h"

#include <errno.h>
#include <stdio.h>

#define AFTER_COLUMNS 600 /* what is after the range is wanted as fine as it is kept */

/* ---- what is asked ---- */

static int refuse(const struct value *v, int axis, char *reason)
{
	const char *name = v->in.measure[axis];

	if (v->weight)
		snprintf(reason, PARAMS_REASON_MAX, "active has rows for all weights: leave out \"weight\"");
	else
		snprintf(reason, PARAMS_REASON_MAX,
			 "active is of the time that events took, and %s is no such time%s%s", name,
			 v->first_axis >= 0 && axis != v->first_axis ? ": ask for " : "",
			 v->first_axis >= 0 && axis != v->first_axis ? v->in.measure[v->first_axis] : "");
	return -EINVAL;
}

static void plan_after(struct value *v, const struct catalog_inst *ci)
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
	plan_make(&w, &v->after);
	if (v->after.from_ns < to) /* what is before is in the range */
		v->after.n_parts = 0;
}

int value_active_add(struct value *v, const struct catalog_inst *ci, int axis, char *reason)
{
	struct query q = value_query(v, axis);

	v->active_apart = v->kind == VALUE_REPORT && v->p.show == SHOW_ACTIVE && v->p.chart;
	if (!v->p.active && !v->active_apart)
		return 0;
	if (axis || v->weight || v->first_axis || v->scope[0] == SCOPE_POINT || ruler_unit(v->in.ruler[0]) != UNIT_NS)
		return refuse(v, axis, reason);
	if ((v->p.format == FORMAT_CSV && !v->active_apart) || v->p.narrative) {
		snprintf(reason, PARAMS_REASON_MAX, "active comes as JSON without a narrative: leave out \"%s\"",
			 v->p.narrative ? "narrative" : "format");
		return -EINVAL;
	}
	plan_after(v, ci);
	return active_new(&q, value_active_last(v), value_running_axis(v), &v->active);
}

__s64 value_active_last(const struct value *v)
{
	return (v->after.n_parts ? v->after.to_ns : v->head.rounded.to) / (__s64)v->in.slot_ns - 1;
}

/* ---- reading ---- */

/* Sums of several slots only where there are very many of them. */
static int read_plan(struct value *v, struct store *store, const struct plan *plan, const struct store_reader *slices)
{
	bool whole = !v->p.n_select;
	int err = 0;

	for (size_t i = 0; i < plan->n_parts && !err; i++) {
		const struct plan_part *part = &plan->part[i];
		__s64 per = (__s64)(plan_slot_ns(&v->in, part->tier) / v->in.slot_ns);
		int grain = (part->last - part->first) / per > PLAN_SLICES ? plan->grain : 1;
		const struct store_range range = {part->first, part->last, 0, -1, part->tier, whole, grain};

		active_width(v->active, per * (grain > 1 ? grain : 1));
		err = store->ops->read(store, v->in.id, &range, slices);
	}
	return err;
}

static int read_running(struct value *v, struct store *store, const struct store_reader *slices)
{
	struct store_range range = {.axis = value_running_axis(v), .whole = !v->p.n_select};

	if (!active_running_slots(v->active, &range.first, &range.last))
		return 0;
	return store->ops->read(store, v->in.id, &range, slices);
}

int value_active_read(struct value *v, struct store *store, const struct store_reader *slices)
{
	const struct store_reader cover = {.arg = v->active, .cover = active_reader(v->active)->cover};
	struct store_range range = {.first = v->head.rounded.from / (__s64)v->in.slot_ns, .last = value_active_last(v)};
	int err = store->ops->read(store, v->in.id, &range, &cover);

	if (!err)
		err = read_plan(v, store, &v->plan, slices);
	if (!err)
		err = read_plan(v, store, &v->after, slices);
	return err ? err : read_running(v, store, slices);
}

int value_active_record(struct value *v)
{
	const struct store_reader cover = {.arg = v->active, .cover = active_reader(v->active)->cover};
	const struct store_reader slices = {.arg = &v->tape, .slice = tape_recorder(&v->tape)->slice};
	__s64 first = v->head.rounded.from / (__s64)v->in.slot_ns, last = value_active_last(v);
	int axis = value_running_axis(v);
	int err = cube_read(v->services->cube, v->in.id, first, last, 0, 0, &cover);

	if (err || !active_running_slots(v->active, &first, &last))
		return err;
	v->tape.axes[axis] = true;
	return cube_read(v->services->cube, v->in.id, first, last, axis, 0, &slices);
}

/* ---- what comes out ---- */

int value_active_put(struct value *v)
{
	struct grid *g;
	int err = v->active ? active_grid(v->active, v->grid[0], &g) : 0;

	if (err || !v->active)
		return err;
	if (v->active_apart) {
		v->at_once = g;
		return 0;
	}
	g->annotations = v->grid[0]->annotations;
	v->grid[0]->annotations = NULL;
	grid_free(v->grid[0]);
	v->grid[0] = g;
	return 0;
}
