#include "aggregator/value/kind.h"
#include "aggregator/base/clock.h"
#include "aggregator/annotations/annotations.h"
#include "aggregator/catalog/resource.h"
#include "aggregator/value/reply.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP_S 315360000		/* ten years */
#define KEYS_GUESSED 16			/* keys of an instrumentation, to estimate the cost of reading all */

/* ---- kinds ---- */

static const struct value_kind *const kinds[VALUE_KINDS] = {
	[VALUE_RAW] = &value_raw, [VALUE_KEYS] = &value_keys, [VALUE_AVERAGE] = &value_average, [VALUE_PERCENTILE] = &value_percentile,
	[VALUE_GRID] = &value_grid, [VALUE_STREAM] = &value_stream, [VALUE_IMAGE] = &value_image, [VALUE_DETAILS] = &value_details,
	[VALUE_FIGURE] = &value_figure, [VALUE_REPORT] = &value_report, [VALUE_CHART] = &value_chart, [VALUE_FLAME] = &value_flame,
	[VALUE_EXPLAIN] = &value_explain, [VALUE_EXEMPLARS] = &value_exemplars, [VALUE_COMPOSITION] = &value_composition,
	[VALUE_COMPARE] = &value_compare, [VALUE_SIDE] = &value_side, [VALUE_MULTIPLES] = &value_multiples,
};

bool value_always(const struct value *v) { return true; }

const struct value_kind *value_kind_of(enum value_kind_id id)
{
	return kinds[id];
}

enum admission_class value_class(enum value_kind_id id)
{
	return kinds[id]->class;
}

/* ---- queries ---- */

static size_t columns_of(const struct value *v)
{
	return v->kind->columns ? v->kind->columns(v) : 1;
}

struct query value_query(const struct value *v, int axis)
{
	struct query q = {
		.inst = &v->in, .scope = v->scope[axis], .axis = axis, .weight = axis ? 0 : v->weight, .from_ns = v->head.rounded.from, .to_ns = v->head.rounded.to,
		.n_cols = columns_of(v), .row_bits = RULER_BITS_MAX, .now_ns = v->now_ns,
		.select = (const char *const *)v->p.select, .n_select = v->p.n_select, .exclude = v->p.exclude, .drop = v->drop,
	};

	if (v->kind->query)
		v->kind->query(v, &q);
	return q;
}

int value_in_flight_axis(const struct value *v)
{
	size_t i = 0;

	while (i < v->in.n_measures && v->scope[i] != SCOPE_POINT)
		i++;
	return v->weight || v->fold_axis[0] != v->first_axis || v->scope[0] == SCOPE_POINT || i >= v->in.n_measures ? -1 : (int)i;
}

bool value_is_offset(const struct value *v, int axis)
{
	return !strcmp(v->in.measure[axis], "subsecond");
}

/* ---- folds and takers ---- */

void value_take(struct value *v, int axis, enum value_keys keys, const struct store_reader *to)
{
	v->taker[v->n_takers++] = (struct value_taker){ axis, keys, *to };
	v->keys = keys > v->keys ? keys : v->keys;
}

int value_fold_add(struct value *v, const struct query *q, bool cover_only)
{
	struct store_reader to;
	int err = fold_new(q, &v->fold[v->n_folds]);

	v->fold_axis[v->n_folds] = q->axis;
	if (err)
		return err;
	to = *fold_reader(v->fold[v->n_folds]);
	if (cover_only)
		to.slice = NULL;
	value_take(v, q->axis, VALUE_WHOLE, &to);
	v->n_folds++;
	return 0;
}

int value_key_fold_add(struct value *v, const struct query *q)
{
	struct store_reader to = { .arg = NULL };
	int err = key_fold_new(q, &v->key_fold[v->n_key_folds]);

	if (err)
		return err;
	to.arg = v->key_fold[v->n_key_folds];
	to.slice = key_fold_reader(v->key_fold[v->n_key_folds])->slice;
	v->key_axis[v->n_key_folds++] = q->axis;
	value_take(v, q->axis, VALUE_BY_KEY, &to);
	return 0;
}

int value_totals_folds(struct value *v, const struct catalog_inst *ci, int axis, char *reason)
{
	struct query q = value_query(v, axis);
	int err = value_fold_add(v, &q, true);

	return err ? err : value_key_fold_add(v, &q);
}

int value_expect(const struct services *services, const struct catalog_inst *ci, __s64 now_ns, struct fold *f)
{
	__s64 horizon = catalog_horizon(services->catalog, ci, now_ns);
	int err = 0;

	for (size_t i = 0; i < ci->n_sightings && !err; i++)
		if (ci->sighting[i].slot >= horizon)
			err = fold_expect(f, ci->sighting[i].source, ci->sighting[i].first);
	return err;
}

/* ---- measure and keys ---- */

static int refuse_name(const struct value *v, const char *what, const char *name, const char (*have)[NAME_MAX_LEN],
		       size_t n, char *reason)
{
	size_t at = (size_t)snprintf(reason, PARAMS_REASON_MAX, "value \"%.64s\" for parameter \"%s\" is invalid: "
				     "instrumentation %llu has%s", name, what, (unsigned long long)v->in.id, n ? "" : " none");

	for (size_t i = 0; i < n && at < PARAMS_REASON_MAX; i++)
		at += (size_t)snprintf(reason + at, PARAMS_REASON_MAX - at, "%s %s", i ? "," : "", have[i]);
	return -EINVAL;
}

static int choose_axis(const struct value *v, int *ret_axis, char *reason)
{
	const char *name = v->p.measure;
	int axis = name && *name && strcmp(name, "*") ? instrumentation_axis(&v->in, name) : 0;

	if (!v->in.n_measures)
		return params_refuse(reason, "the instrumentation has no measures");
	if (axis < 0 || (name && !strcmp(name, "*") && !v->kind->all_measures))
		return refuse_name(v, v->p.is_b_measure ? "b_measure" : "measure", name, v->in.measure, v->in.n_measures, reason);
	*ret_axis = axis;
	return 0;
}

static int choose_weight(struct value *v, int axis, char *reason)
{
	const char *name = v->p.weight;
	int weight = name && *name ? instrumentation_weight(&v->in, name) : 0;

	if (weight < 0)
		return refuse_name(v, "weight", name, v->in.weight, v->in.n_weights, reason);
	v->weight = weight;
	if (!weight || !axis)
		return 0;
	return params_refuse(reason, "weights are kept along %s, not along %s", v->in.measure[0], v->in.measure[axis]);
}

static int choose_fields(struct value *v, char *reason)
{
	const char *by = v->p.by;
	size_t keep = v->in.n_fields;

	if (!by || !*by)
		return 0;
	for (size_t i = 0; i < v->in.n_fields; i++)
		if (!strcmp(v->in.field[i], by))
			keep = i;
	if (keep == v->in.n_fields)
		return refuse_name(v, "by", by, v->in.field, v->in.n_fields, reason);
	v->drop = ~(1u << keep);
	return 0;
}

/* Sets how the measure is shown best. */
static void settle_axis(struct value *v, int axis)
{
	v->head.scope = v->scope[axis];
	if (!v->p.has_yscale && (value_is_offset(v, axis) || ruler_unit(v->in.ruler[axis]) == UNIT_PERCENT))
		v->p.yscale = AXIS_LINEAR;
	if (v->kind->settle)
		v->kind->settle(v, axis);
}

/* ---- the slots to read ---- */

/* Columns begin at whole multiples of their length since the epoch, so the grids of streams that opened at different
 * moments have the same columns. */
static void reach_now(struct value *v)
{
	__s64 unit = (__s64)v->in.granularity_ns, n_units = (v->head.rounded.to - v->head.rounded.from + unit - 1) / unit;
	__s64 n_cols = (__s64)columns_of(v), per = n_cols ? (n_units + n_cols - 1) / n_cols : 1, column = per * unit;
	__s64 to = (v->now_ns / column + 1) * column;

	v->head.rounded.from = to - (n_units + per - 1) / per * column;
	v->head.rounded.to = to;
	v->head.asked = v->head.rounded;
}

static struct plan_wish wish_of(const struct value *v, const struct catalog_inst *ci)
{
	bool keys = v->kind->totals || v->p.decompose_all || (v->kind->reads_keys && v->kind->reads_keys(v));

	return (struct plan_wish){
		.in = &v->in, .kept_from = ci->kept_from, .from_ns = v->head.rounded.from, .to_ns = v->head.rounded.to,
		.n_cols = v->kind->totals ? 0 : columns_of(v), .fixed = v->p.n_points > 1,
		.n_series = v->p.n_select && !v->p.exclude ? v->p.n_select : keys || v->p.exclude ? KEYS_GUESSED : 1,
	};
}

/* Call it before the folds are made: they use the interval that results from it. */
void value_choose_tiers(struct value *v, const struct catalog_inst *ci)
{
	struct plan_wish w = wish_of(v, ci);

	plan_make(&w, &v->plan);
	v->in.granularity_ns = v->plan.unit_ns;
	v->head.rounded.from = v->plan.from_ns;
	v->head.rounded.to = v->plan.to_ns;
	v->head.tier_ns = plan_slot_ns(&v->in, v->plan.tier);
}

void value_plan_totals(const struct value *v, const struct catalog_inst *ci, struct plan *ret_plan)
{
	struct plan_wish w = wish_of(v, ci);

	w.n_cols = 0;
	plan_make(&w, ret_plan);
}

static int choose_interval(struct value *v, const struct payload_head *at, char *reason)
{
	if (!at)
		return params_interval(&v->p, &v->in, v->now_ns, &v->head.asked, &v->head.rounded, reason);
	v->head.asked = at->asked;
	v->head.rounded = at->rounded;
	v->head.delay_ms = at->delay_ms;
	return 0;
}

static int choose_zone(struct value *v, char *reason)
{
	struct interval_ns span = v->kind->span ? v->kind->span(v) : v->head.rounded;

	return v->kind->shows_times ? params_zone(&v->p, span.from / 1000000000, span.to / 1000000000, &v->zone, reason) : 0;
}

/* ---- from the request to the folds ---- */

static int first_axis(const struct value *v, const struct metric *m)
{
	for (size_t i = 0; i < m->n_fields; i++)
		if (m->field[i].arity == FIELD_NUMERIC)
			return instrumentation_axis(&v->in, m->field[i].name);
	return -1;
}

/* Runs on the loop's thread: the worker that draws the picture cannot ask the catalog. */
static int describe_origin(struct value *v, const struct services *services, const struct catalog_inst *ci)
{
	if (!v->kind->drawn_from)
		return 0;
	v->about = resource_instrumentation(services->catalog, ci, v->now_ns);
	return v->about ? 0 : -ENOMEM;
}

int value_begin(struct services *services, const struct catalog_inst *ci, const struct value_kind *kind, enum value_kind_id id,
		const struct http_param *param, size_t n_params, const struct payload_head *at, struct value **ret_value, char *reason)
{
	struct value *v = calloc(1, kind->size ? kind->size : sizeof(*v));
	int err;

	if (!v)
		return -ENOMEM;
	*v = (struct value){ .services = services, .kind = kind, .in = ci->in, .now_ns = now_ns(), .numeric = *ci->numeric };
	if (services->keep)		/* then nothing is too old or too long */
		v->in.retention_s = KEEP_S;
	for (size_t i = 0; i < v->in.n_measures; i++)
		v->scope[i] = metric_measure_scope(ci->metric, v->in.measure[i]);
	v->first_axis = first_axis(v, ci->metric);
	reply_title(v, ci);
	err = params_read(id, param, n_params, &v->p, reason);
	if (!err)
		err = describe_origin(v, services, ci);
	if (!err)
		err = choose_interval(v, at, reason);
	if (err) {
		value_free(v);
		return err;
	}
	v->head.n_sources = at ? at->n_sources : catalog_n_sources(services->catalog, ci, v->now_ns);
	*ret_value = v;
	return 0;
}

int value_complete(struct value *v, const struct catalog_inst *ci, char *reason)
{
	int axis = 0, err = choose_axis(v, &axis, reason);

	if (!err)
		err = choose_weight(v, axis, reason);
	if (!err)
		settle_axis(v, axis);
	if (!err)
		err = choose_fields(v, reason);
	if (!err)
		err = v->kind->folds(v, ci, axis, reason);
	for (size_t i = 0; i < v->n_folds && !err; i++)
		err = value_expect(v->services, ci, v->now_ns, v->fold[i]);
	if (!err)
		err = annotations_take(v->services->annotations, ci->in.id, v->head.rounded.from, v->kind->live ? ANNOTATION_OPEN : v->head.rounded.to,
				   ANNOTATIONS_SHOWN, &v->annotations);
	return err;
}

int value_new_at(struct services *services, const struct catalog_inst *ci, enum value_kind_id id,
		 const struct http_param *param, size_t n_params, const struct payload_head *at, struct value **ret_value,
		 char *reason)
{
	const struct value_kind *kind = value_kind_of(id);
	struct value *v;
	int err = value_begin(services, ci, kind, id, param, n_params, at, &v, reason);

	if (err)
		return err;
	if (kind->plan)
		err = kind->plan(v, ci, param, n_params, reason);
	else
		value_choose_tiers(v, ci);
	if (!err && kind->live)
		reach_now(v);
	if (!err)
		err = value_complete(v, ci, reason);
	if (!err)
		err = choose_zone(v, reason);
	if (err)
		value_free(v);
	else
		*ret_value = v;
	return err;
}

int value_new(struct services *services, const struct catalog_inst *ci, enum value_kind_id id, const struct http_param *param,
	      size_t n_params, struct value **ret_value, char *reason)
{
	return value_new_at(services, ci, id, param, n_params, NULL, ret_value, reason);
}

void value_free(struct value *v)
{
	if (!v)
		return;
	if (v->kind->free)
		v->kind->free(v);
	for (size_t i = 0; i < v->n_folds; i++)
		fold_free(v->fold[i]);
	for (size_t i = 0; i < v->n_key_folds; i++)
		key_fold_free(v->key_fold[i]);
	for (size_t i = 0; i < REPORT_PANELS_MAX; i++)
		grid_free(v->grid[i]);
	annotation_list_free(v->annotations);
	json_decref(v->about);
	slice_buffer_fini(&v->slice_buffer);
	params_fini(&v->p);
	free(v->data);
	free(v);
}

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
