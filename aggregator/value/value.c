#include "aggregator/value/value.h"
#include "aggregator/annotations/annotations.h"
#include "aggregator/base/clock.h"
#include "aggregator/catalog/resource.h"
#include "aggregator/query/active.h"
#include "aggregator/query/in_flight.h"
#include "aggregator/value/active.h"
#include "aggregator/value/compare.h"
#include "aggregator/value/composition.h"
#include "aggregator/value/exemplars.h"
#include "aggregator/value/explain.h"
#include "aggregator/value/layers.h"
#include "aggregator/value/reply.h"
#include "render/draw/chart.h"
#include "render/draw/image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP_S 315360000		/* ten years */
#define RUNNING_TAIL 60			/* slots before the end of the time that are looked at for the last one that was reported */
#define KEYS_GUESSED 16			/* of an instrumentation, where the cost of reading all is weighed */

/* ---- what is asked ---- */

size_t value_columns(const struct value *v)
{
	switch (v->kind) {
	case VALUE_GRID:
	case VALUE_STREAM: return (size_t)v->p.ncols;
	case VALUE_COMPARE:
	case VALUE_SIDE: return value_compare_columns(v);
	case VALUE_IMAGE:
	case VALUE_DETAILS: return (size_t)v->p.width;
	case VALUE_FIGURE:
	case VALUE_REPORT:
	case VALUE_CHART: return chart_columns((unsigned)v->p.width);
	default: return 1;
	}
}

static __u32 row_bits(const struct value *v)
{
	if (v->kind == VALUE_GRID || v->kind == VALUE_STREAM || value_is_compared(v))
		return (__u32)v->p.row_bits;
	if (v->kind == VALUE_CHART)
		return 0;
	/* On a linear axis the upper octaves are tall. */
	return (v->kind == VALUE_FIGURE || v->kind == VALUE_REPORT) && v->p.yscale == AXIS_LOG ? 3 : RULER_BITS_MAX;
}

int value_running_axis(const struct value *v)
{
	size_t i = 0;

	while (i < v->in.n_measures && v->scope[i] != SCOPE_POINT)
		i++;
	return v->weight || v->fold_axis[0] != v->first_axis || v->scope[0] == SCOPE_POINT || i >= v->in.n_measures ? -1 : (int)i;
}

bool value_attaches(const struct value *v)
{
	return v->p.format == FORMAT_PNG && v->p.data;
}

struct query value_query(const struct value *v, int axis)
{
	struct query q = {
		.inst = &v->in, .scope = v->scope[axis], .axis = axis, .weight = axis ? 0 : v->weight, .from_ns = v->head.rounded.from, .to_ns = v->head.rounded.to,
		.n_cols = value_columns(v), .row_bits = row_bits(v), .now_ns = v->now_ns,
		.select = (const char *const *)v->p.select, .n_select = v->p.n_select, .exclude = v->p.exclude,
		.drop = v->drop, .select_kept = value_is_compared(v), .cells_only = v->kind == VALUE_DETAILS || (v->kind == VALUE_IMAGE && !value_attaches(v)),
	};

	value_layers_select(v, &q);
	return q;
}

void value_image_options(const struct value *v, struct image_options *ret_options)
{
	*ret_options = (struct image_options){
		.width = (unsigned)v->p.width, .height = (unsigned)v->p.height, .n_rows = (unsigned)v->p.nbuckets,
		.ymin = (__u64)v->p.ymin, .ymax = (__u64)v->p.ymax, .yscale = AXIS_LINEAR,
		.transfer = (enum shade_transfer)v->p.transfer, .theme = (enum palette_theme)v->p.theme,
		.ramp = params_ramp(&v->p), .weighted = v->p.weighted, .hued = v->p.palette == PARAMS_HUE, .hue = v->p.n_hues ? v->p.hue[0] : hue_generated(0),
	};
}

static int add_fold(struct value *v, int axis)
{
	struct query q = value_query(v, axis);

	if (v->kind == VALUE_DETAILS)	/* its scale is that of the whole picture */
		q.n_select = 0;
	v->fold_axis[v->n_folds] = axis;
	return fold_new(&q, &v->fold[v->n_folds]) ?: (v->n_folds++, 0);
}

static int add_key_fold(struct value *v, int axis)
{
	struct query q = value_query(v, axis);

	if (v->kind == VALUE_REPORT)	/* its table is of events */
		q.weight = 0;
	v->key_axis[v->n_key_folds] = axis;
	return key_fold_new(&q, &v->key_fold[v->n_key_folds]) ?: (v->n_key_folds++, 0);
}

/* Only the columns under the pixel.  Which ones needs no data: a grid without any tells. */
static int add_details_fold(struct value *v, int axis)
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
	v->key_axis[0] = axis;
	return key_fold_new(&q, &v->key_fold[0]) ?: (v->n_key_folds++, 0);
}

/* Latency, on-CPU and off-CPU; without those, the first measures there are.  Weights have a map of their own: colours are
 * the same in all maps. */
static int add_report_folds(struct value *v)
{
	static const char *const wanted[] = { "latency", "cputime", "offcpu" };
	int err = 0;

	for (size_t i = 0; i < 3 && !v->weight && !err; i++) {
		int axis = instrumentation_axis(&v->in, wanted[i]);

		if (axis >= 0)
			err = add_fold(v, axis);
	}
	for (size_t i = 0; i < v->in.n_measures && i < (v->weight ? 1 : 3) && !v->n_folds && !err; i++)
		err = add_fold(v, (int)i);
	for (size_t i = 0, n = v->n_folds; i < n && !err; i++)
		err = add_key_fold(v, v->fold_axis[i]);
	return err;
}

/* What lies in a rectangle: these keep their own totals. */
static bool is_of_region(const struct value *v)
{
	return v->kind == VALUE_EXPLAIN || v->kind == VALUE_EXEMPLARS || v->kind == VALUE_COMPOSITION;
}

enum admission_class value_class(enum value_kind kind)
{
	switch (kind) {
	case VALUE_IMAGE: case VALUE_FIGURE: case VALUE_REPORT: case VALUE_CHART: case VALUE_FLAME: case VALUE_COMPARE: case VALUE_SIDE:
		return ADMISSION_LARGE;
	case VALUE_GRID: case VALUE_STREAM: case VALUE_EXPLAIN: case VALUE_EXEMPLARS: case VALUE_COMPOSITION:
		return ADMISSION_MEDIUM;
	default:
		return ADMISSION_SMALL;
	}
}

bool value_is_totals(const struct value *v)
{
	return v->kind == VALUE_KEYS || v->kind == VALUE_RAW || v->kind == VALUE_AVERAGE || v->kind == VALUE_PERCENTILE ||
	       v->kind == VALUE_FLAME || is_of_region(v);
}

static int add_folds(struct value *v, int axis)
{
	bool all = v->kind == VALUE_RAW && v->p.measure && !strcmp(v->p.measure, "*");
	int err;

	if (v->kind == VALUE_REPORT)
		return add_report_folds(v);
	err = add_fold(v, axis);
	v->cover_only = v->p.active || (value_is_totals(v) && v->kind != VALUE_EXEMPLARS);
	if (!err && v->kind == VALUE_DETAILS)
		err = add_details_fold(v, axis);
	if (!err && !is_of_region(v) && (value_is_totals(v) || (v->kind == VALUE_IMAGE && v->p.format == FORMAT_JSON)))
		err = add_key_fold(v, axis);
	for (size_t i = 0; i < v->in.n_measures && all && !err; i++)
		if ((int)i != axis)
			err = add_key_fold(v, (int)i);
	return err;
}

/* Is what runs to be seen above what has ended?  Its age is a first measure, so far. */
static int add_running(struct value *v)
{
	bool drawn = v->kind == VALUE_GRID || v->kind == VALUE_STREAM || v->kind == VALUE_FIGURE || v->kind == VALUE_REPORT;
	int axis = value_running_axis(v), err;

	if (!drawn || axis < 0 || v->p.active)
		return 0;
	err = add_fold(v, axis);
	v->runs = !err;
	return err;
}

/* What runs, by key: of the keys at the end of the time, of a rectangle where most of it is inside. */
static int add_running_keys(struct value *v)
{
	bool inside = v->kind == VALUE_EXPLAIN;
	int axis = value_running_axis(v);
	struct query q;

	if ((v->kind != VALUE_KEYS && !inside) || axis < 0)
		return 0;
	q = value_query(v, axis);
	return running_new(&q, inside ? RUNNING_SLOTS_MAX : RUNNING_TAIL, inside ? (__u64)v->p.ymin : 0,
			   inside && v->p.has_ymax ? (__u64)v->p.ymax : 0, &v->running);
}

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

	if (!v->in.n_measures) {
		snprintf(reason, PARAMS_REASON_MAX, "the instrumentation has no measures");
		return -EINVAL;
	}
	if (axis < 0 || (name && !strcmp(name, "*") && v->kind != VALUE_RAW))
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
	snprintf(reason, PARAMS_REASON_MAX, "weights are kept along %s, not along %s", v->in.measure[0], v->in.measure[axis]);
	return -EINVAL;
}

static bool is_one_number(const struct value *v)
{
	return v->kind == VALUE_AVERAGE || v->kind == VALUE_PERCENTILE;
}

/* A flame graph is of one field: stacks where there are some. */
static const char *choose_by(const struct value *v)
{
	if (v->p.by && *v->p.by)
		return v->p.by;
	if (v->kind != VALUE_FLAME || !v->in.n_fields)
		return NULL;
	for (size_t i = 0; i < v->in.n_fields; i++)
		if (!strcmp(v->in.field[i], "stack"))
			return v->in.field[i];
	return v->in.field[0];
}

static int choose_fields(struct value *v, char *reason)
{
	const char *by = choose_by(v);
	size_t keep = v->in.n_fields;

	if (is_one_number(v))
		v->drop = ~0u;
	if (!by)
		return 0;
	for (size_t i = 0; i < v->in.n_fields; i++)
		if (!strcmp(v->in.field[i], by))
			keep = i;
	if (keep == v->in.n_fields)
		return refuse_name(v, "by", by, v->in.field, v->in.n_fields, reason);
	v->drop = ~(1u << keep);
	return 0;
}

int value_expect(const struct services *services, const struct catalog_inst *ci, __s64 now_ns, struct fold *f)
{
	__s64 horizon = catalog_horizon(services->catalog, ci, now_ns);
	int err = 0;

	for (size_t i = 0; i < ci->n_sightings && !err; i++)
		if (ci->sighting[i].slot >= horizon)
			err = fold_expect(f, ci->sighting[i].source, ci->sighting[i].slot);
	return err;
}

/* A stream ends with the column that is going on: what comes next continues it.  Columns begin at whole multiples of their length since
 * the epoch, so the grids of streams that were opened at different moments have the same columns. */
static void reach_now(struct value *v)
{
	__s64 unit = (__s64)v->in.granularity_ns, n_units = (v->head.rounded.to - v->head.rounded.from + unit - 1) / unit;
	__s64 n_cols = (__s64)value_columns(v), per = n_cols ? (n_units + n_cols - 1) / n_cols : 1, column = per * unit;
	__s64 to = (v->now_ns / column + 1) * column;

	v->head.rounded.from = to - (n_units + per - 1) / per * column;
	v->head.rounded.to = to;
	v->head.asked = v->head.rounded;
}

bool value_is_both(const struct value *v)
{
	return v->kind == VALUE_IMAGE && v->p.format == FORMAT_JSON && !v->p.n_select && !v->p.isolate && !v->p.decompose_all;
}

/* Before there are folds: they are made for the interval that comes out of it. */
static void choose_tiers(struct value *v, const struct catalog_inst *ci)
{
	bool keys = value_is_totals(v) || v->kind == VALUE_DETAILS || v->kind == VALUE_REPORT ||
		    (v->kind == VALUE_CHART && !v->p.active) || v->p.decompose_all || (v->kind == VALUE_IMAGE && v->p.format == FORMAT_JSON && !value_is_both(v));
	struct plan_wish w = {
		.in = &v->in, .kept_from = ci->kept_from, .from_ns = v->head.rounded.from, .to_ns = v->head.rounded.to,
		.n_cols = value_is_totals(v) ? 0 : value_columns(v), .fixed = v->p.n_points > 1,
		.n_series = v->p.n_select && !v->p.exclude ? v->p.n_select : keys || v->p.exclude ? KEYS_GUESSED : 1,
	};

	plan_make(&w, &v->plan);
	v->in.granularity_ns = v->plan.unit_ns;
	v->head.rounded.from = v->plan.from_ns;
	v->head.rounded.to = v->plan.to_ns;
	v->head.tier_ns = plan_slot_ns(&v->in, v->plan.tier);
	w.from_ns = v->plan.from_ns;
	w.to_ns = v->plan.to_ns;
	w.n_cols = 0;
	plan_make(&w, &v->keys_plan);
}

/* On the loop's thread: a picture, made by a worker, tells where it comes from. */
static int describe(struct value *v, const struct services *services, const struct catalog_inst *ci)
{
	bool told = v->kind == VALUE_FIGURE || v->kind == VALUE_REPORT || v->kind == VALUE_CHART || v->kind == VALUE_IMAGE;

	if (!told)
		return 0;
	v->about = resource_instrumentation(services->catalog, ci, v->now_ns);
	return v->about ? 0 : -ENOMEM;
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

int value_new(struct services *services, const struct catalog_inst *ci, enum value_kind kind, const struct http_param *param,
	      size_t n_params, struct value **ret_value, char *reason)
{
	return value_new_at(services, ci, kind, param, n_params, NULL, ret_value, reason);
}

/* What the axis measures says how it is best shown. */
static void settle_axis(struct value *v, int axis)
{
	bool offset = !strcmp(v->in.measure[axis], "subsecond");	/* of the wall clock's second: always all of it */

	v->head.scope = v->scope[axis];
	if (!v->p.has_weighted && v->kind == VALUE_FLAME)
		v->p.weighted = ruler_unit(v->in.ruler[axis]) == UNIT_NS && !offset;
	if (!v->p.has_yscale && (offset || ruler_unit(v->in.ruler[axis]) == UNIT_PERCENT))
		v->p.yscale = AXIS_LINEAR;
	if (offset && !v->p.has_ymax && v->kind == VALUE_FIGURE)
		v->p.ymax = 1000000000;
	if (!v->p.has_chart)
		v->p.chart = v->kind == VALUE_REPORT && (!v->numeric || v->p.show == SHOW_ACTIVE);
}

static int first_axis(const struct value *v, const struct metric *m)
{
	for (size_t i = 0; i < m->n_fields; i++)
		if (m->field[i].arity == FIELD_NUMERIC)
			return instrumentation_axis(&v->in, m->field[i].name);
	return -1;
}

/* What is asked, up to the interval; `at` as for value_new_at(). */
static int begin(struct services *services, const struct catalog_inst *ci, enum value_kind kind, const struct http_param *param,
		 size_t n_params, const struct payload_head *at, struct value **ret_value, char *reason)
{
	struct value *v = calloc(1, sizeof(*v));
	int err;

	if (!v)
		return -ENOMEM;
	*v = (struct value){ .services = services, .kind = kind, .in = ci->in, .now_ns = now_ns(), .numeric = *ci->numeric };
	if (services->keep)		/* then nothing is too old, and nothing too long */
		v->in.retention_s = KEEP_S;
	for (size_t i = 0; i < v->in.n_measures; i++)
		v->scope[i] = metric_measure_scope(ci->metric, v->in.measure[i]);
	v->first_axis = first_axis(v, ci->metric);
	value_reader(v);
	reply_title(v, ci);
	err = params_read(kind, param, n_params, &v->p, reason);
	v->p.active = v->p.active || (kind == VALUE_CHART && v->p.show == SHOW_ACTIVE);
	if (!err)
		err = describe(v, services, ci);
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

/* Which measure, which keys, and the folds that are read for it. */
static int complete(struct value *v, const struct catalog_inst *ci, char *reason)
{
	int axis = 0, err = choose_axis(v, &axis, reason);

	if (!err)
		err = choose_weight(v, axis, reason);
	if (!err)
		settle_axis(v, axis);
	if (!err)
		err = choose_fields(v, reason);
	if (!err)
		err = add_folds(v, axis);
	if (!err)
		err = value_layers_add(v);
	if (!err)
		err = add_running(v);
	if (!err)
		err = value_explain_add(v, ci, axis, reason);
	if (!err)
		err = add_running_keys(v);
	if (!err)
		err = value_active_add(v, ci, axis, reason);
	if (!err)
		err = value_exemplars_add(v, reason);
	if (!err)
		err = value_composition_add(v, ci, axis, reason);
	for (size_t i = 0; i < v->n_folds && !err; i++)
		err = value_expect(v->services, ci, v->now_ns, v->fold[i]);
	if (!err)
		err = journal_take(v->services->journal, ci->in.id, v->head.rounded.from,
				   v->kind == VALUE_STREAM ? ANNOTATION_OPEN : v->head.rounded.to, JOURNAL_SHOWN, &v->annotations);
	return err;
}

/* Both sides are read in columns of the same length: of the coarser tier, where one is no longer kept as fine. */
static void choose_common_tiers(struct value *v, const struct catalog_inst *ci, const struct catalog_inst *other_ci)
{
	do {
		choose_tiers(v, ci);
		choose_tiers(v->other, other_ci);
	} while (!value_compare_settle(v));
}

/* The other side of a compare: an instrumentation's own value, but for what is said of it. */
static int add_other(struct value *v, const struct http_param *param, size_t n_params, const struct catalog_inst *ci, char *reason)
{
	const struct catalog_inst *other_ci = v->p.b_instrumentation ? catalog_find(v->services->catalog, (__u64)v->p.b_instrumentation) : ci;
	struct http_param *own = calloc(n_params + 1, sizeof(*own));
	struct payload_head at = v->head;
	char why[PARAMS_REASON_MAX] = "";
	int err = own ? value_compare_interval(v, other_ci, &at, why) : -ENOMEM;

	if (!err)
		err = begin(v->services, other_ci, VALUE_SIDE, own, value_compare_params(param, n_params, own), &at, &v->other, why);
	if (!err) {
		v->other->head.n_sources = catalog_n_sources(v->services->catalog, other_ci, v->now_ns);
		choose_common_tiers(v, ci, other_ci);
		err = complete(v->other, other_ci, why);
	}
	if (err == -EINVAL)
		snprintf(reason, PARAMS_REASON_MAX, "B: %.*s", PARAMS_REASON_MAX - 4, why);
	free(own);
	return err;
}

/* The zone of the times it shows, of both sides of a compare. */
static int choose_zone(struct value *v, char *reason)
{
	const struct value *b = v->other ? v->other : v;
	bool shows = v->kind == VALUE_FIGURE || v->kind == VALUE_REPORT || v->kind == VALUE_CHART || v->kind == VALUE_FLAME ||
		     v->kind == VALUE_COMPARE || v->kind == VALUE_IMAGE || v->kind == VALUE_GRID;
	__s64 from_ns = v->head.rounded.from < b->head.rounded.from ? v->head.rounded.from : b->head.rounded.from;
	__s64 to_ns = v->head.rounded.to > b->head.rounded.to ? v->head.rounded.to : b->head.rounded.to;

	return shows ? params_zone(&v->p, from_ns / 1000000000, to_ns / 1000000000, &v->zone, reason) : 0;
}

int value_new_at(struct services *services, const struct catalog_inst *ci, enum value_kind kind,
		 const struct http_param *param, size_t n_params, const struct payload_head *at, struct value **ret_value,
		 char *reason)
{
	struct value *v;
	int err = begin(services, ci, kind, param, n_params, at, &v, reason);

	if (err)
		return err;
	if (kind == VALUE_COMPARE)
		err = add_other(v, param, n_params, ci, reason);
	else
		choose_tiers(v, ci);
	if (!err && kind == VALUE_STREAM)
		reach_now(v);
	if (!err)
		err = complete(v, ci, reason);
	if (!err && kind == VALUE_COMPARE)
		err = value_compare_check(v, reason);
	if (!err)
		err = choose_zone(v, reason);
	if (err)
		value_free(v);
	else
		*ret_value = v;
	return err;
}

void value_free(struct value *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->n_folds; i++)
		fold_free(v->fold[i]);
	for (size_t i = 0; i < v->n_key_folds; i++)
		key_fold_free(v->key_fold[i]);
	for (size_t i = 0; i < REPORT_PANELS_MAX; i++) {
		layer_fold_free(v->layer_fold[i]);
		grid_free(v->grid[i]);
	}
	layer_fold_free(v->counts);
	value_free(v->other);
	value_explain_free(v->explain);
	running_free(v->running);
	active_free(v->active);
	grid_free(v->at_once);
	exemplar_fold_free(v->exemplars);
	annotations_free(v->annotations);
	json_decref(v->about);
	shade_fini(&v->shade);
	tape_fini(&v->tape);
	params_fini(&v->p);
	free(v->data);
	free(v);
}

