/* report: draws a page of maps, each with a table by key, a chart of rates and a bar of how the time was spent. */
#include "aggregator/value/active.h"
#include "aggregator/value/composition.h"
#include "aggregator/value/kind.h"
#include "aggregator/value/layers.h"
#include "aggregator/value/picture.h"
#include "aggregator/value/rates.h"
#include "aggregator/value/reply.h"
#include "aggregator/value/in_flight.h"
#include "collector/core/saturating.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNNING_TAIL 60			/* looks for the last reported slot among so many at the end of the time */

struct report_value {
	struct value v;
	struct value_layers layers;
	struct layer_fold *counts;	/* for the chart; NULL: it shows none */
	struct value_active active;	/* for the chart alone: no fold has it, and it is read once more, from the
					 * store */
	struct grid *at_once;		/* the grid made of it */
	struct in_flight *running;	/* for the first table; NULL: not measured */
	struct composed_folds composed;
};

static struct report_value *report_of(struct value *v) { return (struct report_value *)v; }

/* ---- reading ---- */

static void report_settle(struct value *v, int axis)
{
	if (!v->p.has_chart)
		v->p.chart = !v->numeric || v->p.show == SHOW_ACTIVE;
}

static int add_map(struct value *v, int axis)
{
	struct query q = value_query(v, axis);

	return value_fold_add(v, &q, false);
}

static int add_table(struct value *v, int axis)
{
	struct query q = value_query(v, axis);

	q.weight = 0;			/* its table counts events */
	return value_key_fold_add(v, &q);
}

/* Adds latency and the times on and off the CPU; without these, the first measures there are.  Weights have a map of their own:
 * colours mean the same in all maps. */
static int add_maps(struct value *v)
{
	static const char *const wanted[] = { "latency", "cputime", "offcpu" };
	int err = 0;

	for (size_t i = 0; i < 3 && !v->weight && !err; i++) {
		int axis = instrumentation_axis(&v->in, wanted[i]);

		if (axis >= 0)
			err = add_map(v, axis);
	}
	for (size_t i = 0; i < v->in.n_measures && i < (v->weight ? 1 : 3) && !v->n_folds && !err; i++)
		err = add_map(v, (int)i);
	for (size_t i = 0, n = v->n_folds; i < n && !err; i++)
		err = add_table(v, v->fold_axis[i]);
	return err;
}

static int add_chart(struct value *v, const struct catalog_inst *ci, char *reason)
{
	struct report_value *r = report_of(v);

	if (v->p.chart && v->p.show == SHOW_ACTIVE)
		return value_active_add(v, &r->active, ci, 0, true, reason);
	return 0;
}

static int report_folds(struct value *v, const struct catalog_inst *ci, int axis, char *reason)
{
	struct report_value *r = report_of(v);
	int err = add_maps(v);

	if (!err && v->p.chart && v->p.show != SHOW_ACTIVE)
		err = value_counts_add(v, &r->counts);
	if (!err && value_layers_wanted(v))
		err = value_layers_add(v, &r->layers);
	if (!err)
		err = value_in_flight_fold(v);
	if (!err)
		err = value_in_flight_add(v, RUNNING_TAIL, 0, 0, &r->running);
	if (!err)
		err = add_chart(v, ci, reason);
	if (!err && v->in.n_weights && !axis)
		err = value_composition_folds(v, &r->composed);
	return err;
}

static bool report_needs_store(const struct value *v)
{
	return ((const struct report_value *)v)->active.active;
}

static int report_read(struct value *v, struct store *store)
{
	struct value_active *active = &report_of(v)->active;
	struct in_flight *running = report_of(v)->running;
	int err = value_read_slices(v, store);

	if (!err && running)
		err = value_in_flight_read(v, running, store);
	return err || !active->active ? err : value_active_read(v, active, store, active_reader(active->active));
}

/* The maps have recorded what runs. */
static int report_record(struct value *v, __s64 first, __s64 last)
{
	if (report_of(v)->running)
		value_in_flight_take(v, report_of(v)->running);
	return value_record_slices(v, first, last);
}

/* ---- tables ---- */

/* Each running event counts with the age of the oldest. */
static double time_of(const struct report_row *row) { return row->sum + (double)row->running * (double)row->oldest; }

static int by_time(const void *a, const void *b)
{
	const struct report_row *x = a, *y = b;
	double of_x = time_of(x), of_y = time_of(y);

	return of_x != of_y ? (of_x < of_y ? 1 : -1) : strcmp(x->name, y->name);
}

static struct report_row *find_row(struct report_row *row, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(row[i].name, *key ? key : "all"))
			return &row[i];
	return NULL;
}

/* Adds what ran at the end of the last slot: to the rows, and a row for each key without events that ended.  Its texts
 * are those of ret_total. */
static int add_running(const struct value *v, const struct in_flight *r, struct report_table *t, struct in_flight_total **ret_total)
{
	__s64 slot = in_flight_last(r);
	size_t n_total, n = t->n_rows;
	struct report_row *row;
	int err = in_flight_error(r);

	if (err || slot < 0)
		return err;
	err = in_flight_totals(r, slot, v->drop, ret_total, &n_total);
	row = err ? NULL : realloc((struct report_row *)t->row, (n + n_total + 1) * sizeof(*row));
	if (!row)
		return err ? err : -ENOMEM;
	for (size_t i = 0; i < n_total; i++) {
		const struct in_flight_total *one = &(*ret_total)[i];
		struct report_row *to = find_row(row, t->n_rows, one->text);

		if (!to) {
			to = &row[n++];
			*to = (struct report_row){ .name = *one->text ? one->text : "all" };
		}
		to->running = one->count;
		to->oldest = one->oldest;
		t->lower_bound = t->lower_bound || one->other;
	}
	if (n_total)
		qsort(row, n, sizeof(*row), by_time);
	t->row = row;
	t->n_rows = n;
	t->runs = true;
	t->running_ns = (slot + 1) * (__s64)v->in.slot_ns;
	return 0;
}

static int table_rows(const struct value *v, const struct key_fold *f, struct report_table *t)
{
	size_t n;
	const struct key_total *total = key_fold_totals((struct key_fold *)f, KEYS_BY_SUM, &n);
	struct report_row *row = calloc(n + 1, sizeof(*row));
	__u64 n_snapshots = v->head.n_snapshots > 1 ? v->head.n_snapshots : 1;

	if (!row)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct hist *h = &total[i].hist;

		t->lower_bound = t->lower_bound || total[i].other;
		row[i] = (struct report_row){
			.name = *total[i].text ? total[i].text : "all", .mean = hist_mean(h),
			.count = (double)h->count / (double)n_snapshots,
			.sum = (double)h->sum / (saturated((double)h->sum) ? 1 : (double)n_snapshots),
			.p50 = hist_percentile(h, 500000), .p90 = hist_percentile(h, 900000),
			.p99 = hist_percentile(h, 990000), .p999 = hist_percentile(h, 999000), .max = h->max,
		};
	}
	t->row = row;
	t->n_rows = n;
	return 0;
}

/* Writes "latency by statement". */
static void table_title(const struct value *v, size_t fold, char *out, size_t room)
{
	const char *measure = reply_measure(v, v->key_axis[fold]);
	size_t at = (size_t)snprintf(out, room, "%s", !strcmp(measure, "count") ? v->unit : reply_measure_title(measure));
	const char *glue = " by ";

	for (size_t i = 0; i < v->in.n_fields && at < room; i++) {
		if (v->drop & 1u << i)
			continue;
		at += (size_t)snprintf(out + at, room - at, "%s%s", glue, v->in.field[i]);
		glue = ", ";
	}
}

/* If all its values are the same, only the counts of a measure say something. */
static bool is_count(const struct value *v, size_t fold)
{
	return !strcmp(reply_measure(v, v->fold_axis[fold]), "count");
}

static int make_table(const struct value *v, size_t fold, char title[VALUE_TITLE], struct report_table *ret)
{
	table_title(v, fold, title, VALUE_TITLE);
	*ret = (struct report_table){ .title = title, .counted = v->unit, .unit = v->grid[fold]->unit, .least = grid_least(v->grid[fold]), .counts_only = is_count(v, fold) };
	return table_rows(v, v->key_fold[fold], ret);
}

/* ---- the page ---- */

static int make_grids(struct value *v)
{
	struct report_value *r = report_of(v);
	int err = value_grids(v);

	if (!err)
		err = value_layers_put(v, &r->layers);
	if (err)
		return err;
	value_join_running(v);
	return r->active.active ? value_active_grid(v, &r->active, &r->at_once) : 0;
}

static int make_rates(struct value *v, struct rates *ret_rates)
{
	struct report_value *r = report_of(v);

	if (!v->p.chart)
		return 0;
	return r->at_once ? rates_make_active(v, r->at_once, ret_rates) : rates_make_stacked(v, r->counts, ret_rates);
}

static int report_make(struct value *v)
{
	char title[REPORT_PANELS_MAX][VALUE_TITLE];
	struct picture_texts texts;
	struct rates rates = { .series = NULL };
	struct composed composed;
	struct picture_data p;
	struct in_flight_total *running = NULL;
	int err = make_grids(v);

	if (err)
		return err;
	if (v->in.n_weights)
		err = value_composition_bar(v, &report_of(v)->composed, &composed);
	if (!err)
		err = make_rates(v, &rates);
	picture_fill_data(v, "report", NULL, &texts, &p);
	p.report.chart = v->p.chart ? &rates.chart : NULL;
	p.report.bar = v->in.n_weights ? &composed.bar : NULL;
	for (size_t i = 0; i < v->n_folds && !err; i++) {
		p.map[i].drawn = !is_count(v, i) || !v->p.chart;
		err = make_table(v, i, title[i], &p.map[i].table);
	}
	if (!err && report_of(v)->running && !p.map[0].table.counts_only)
		err = add_running(v, report_of(v)->running, &p.map[0].table, &running);
	if (!err)
		err = picture_take(v, &p);
	for (size_t i = 0; i < v->n_folds; i++)
		free((struct report_row *)p.map[i].table.row);
	rates_fini(&rates);
	free(running);
	return err;
}

static void report_free(struct value *v)
{
	struct report_value *r = report_of(v);

	value_layers_fini(&r->layers);
	layer_fold_free(r->counts);
	active_free(r->active.active);
	in_flight_free(r->running);
	grid_free(r->at_once);
}

const struct value_kind value_report = {
	.name = "report", .size = sizeof(struct report_value), .class = ADMISSION_LARGE, .shows_times = true, .drawn_from = true,
	.columns = picture_columns, .query = picture_query, .reads_keys = value_always, .settle = report_settle, .folds = report_folds,
	.needs_store = report_needs_store, .record = report_record, .read = report_read, .make = report_make, .free = report_free,
};
