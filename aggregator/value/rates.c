#include "aggregator/value/rates.h"
#include "aggregator/value/kind.h"
#include "render/color/hue.h"
#include "collector/core/saturating.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HUE_ALONE 205			/* of a single series */

/* ---- stacked amounts: events, or of a point metric the measure itself ---- */

static __u64 amount_of(const struct value *v, const struct layer_fold *counts, size_t key, size_t col)
{
	return v->grid[0]->point ? layer_fold_sum(counts, key, col) : layer_fold_count(counts, key, col);
}

static __u64 amount_of_all(const struct value *v, size_t col)
{
	const struct grid_column *c = &v->grid[0]->column[col];

	return v->grid[0]->point ? c->sum : c->count;
}

/* ---- which keys ---- */

struct choice {				/* a key and its amount */
	size_t key;
	__u64 amount;
};

static int by_amount(const void *a, const void *b)
{
	const struct choice *x = a, *y = b;

	if (x->amount != y->amount)
		return x->amount < y->amount ? 1 : -1;
	return (x->key > y->key) - (x->key < y->key);
}

static __u64 key_amount(const struct value *v, const struct layer_fold *counts, size_t key)
{
	__u64 sum = 0;

	for (size_t col = 0; col < v->grid[0]->n_cols; col++)
		sum = saturating_add(sum, amount_of(v, counts, key, col));
	return sum;
}

/* Chooses the largest keys, at most `room` of them; *ret_left: how many were left out.  -ENOMEM. */
static long choose_keys(const struct value *v, struct layer_fold *counts, struct choice *choice, size_t room, size_t *ret_left)
{
	size_t n_keys = counts ? layer_fold_finish(counts) : 0, n = 0;
	size_t most = v->p.n_select && !v->p.exclude ? n_keys : (size_t)v->p.top;
	struct choice *all = calloc(n_keys + 1, sizeof(*all));

	if (!all)
		return -ENOMEM;
	for (size_t key = 0; key < n_keys; key++)
		if (!layer_fold_other(counts, key))
			all[n++] = (struct choice){ key, key_amount(v, counts, key) };
	if (n)
		qsort(all, n, sizeof(*all), by_amount);
	most = most < room ? most : room;
	*ret_left = n > most ? n - most : 0;
	n = n < most ? n : most;
	if (n)
		memcpy(choice, all, n * sizeof(*all));
	free(all);
	return (long)n;
}

/* ---- values ---- */

void rates_fini(struct rates *r)
{
	free(r->series);
	free(r->name);
	free(r->total);
	free(r->sum);
	free(r->value);
	memset(r, 0, sizeof(*r));
}

/* If it is half-built, it can be freed. */
static int rates_begin(struct value *v, const char *show, size_t n_series, size_t n_cols, struct rates *ret_rates)
{
	struct rates r = { .chart = { .grid = v->grid[0] }, .show = show };

	r.series = calloc(n_series, sizeof(*r.series));
	r.name = calloc(n_series, sizeof(*r.name));
	r.total = calloc(n_series, sizeof(*r.total));
	r.sum = calloc(n_series, sizeof(*r.sum));
	r.value = calloc(n_series * n_cols, sizeof(*r.value));
	if (!r.series || !r.name || !r.total || !r.sum || !r.value) {
		rates_fini(&r);
		return -ENOMEM;
	}
	*ret_rates = r;
	ret_rates->chart.series = r.series;
	ret_rates->chart.what = ret_rates->what;
	return 0;
}

static double *values_of(struct rates *r, size_t i)
{
	return r->value + i * r->chart.grid->n_cols;
}

/* Returns the seconds of a column: the last one may be shorter. */
static double column_s(const struct value *v, size_t col)
{
	const struct grid *g = v->grid[0];
	__s64 from = g->from_ns + (__s64)(col * g->col_ns), left = v->head.rounded.to - from;

	return (double)(left < (__s64)g->col_ns ? left : (__s64)g->col_ns) / 1e9;
}

static double rate(const struct value *v, size_t col, __u64 amount)
{
	const struct grid *g = v->grid[0];

	if (grid_column_state(&g->column[col]) == GRID_UNOBSERVED)
		return NAN;
	if (g->point)
		return grid_shown(g, g->column[col].n_snapshots, (double)amount);
	return (double)amount / column_s(v, col);
}

static void set_total(struct rates *r, size_t i, __u64 amount)
{
	const struct grid *g = r->chart.grid;

	r->sum[i] = grid_shown(g, g->all.n_snapshots, (double)amount);
	if (g->point)
		axis_format(r->sum[i], r->chart.unit, r->total[i]);
	else
		axis_format_count(r->sum[i], r->total[i]);
	r->series[i].total = r->total[i];
	r->series[i].name = r->name[i];
	r->series[i].value = values_of(r, i);
}

/* Returns the amount of a column that belongs to no chosen key. */
static __u64 left_of(const struct value *v, const struct layer_fold *counts, const struct choice *choice, size_t n, size_t col)
{
	__u64 left = amount_of_all(v, col);

	for (size_t i = 0; i < n; i++) {
		__u64 amount = amount_of(v, counts, choice[i].key, col);

		left = left > amount ? left - amount : 0;
	}
	return left;
}

static void put_keys(struct value *v, const struct layer_fold *counts, struct rates *r, const struct choice *choice, size_t n)
{
	const char *name[CHART_SERIES_MAX];
	int hue[CHART_SERIES_MAX];

	for (size_t i = 0; i < n; i++) {
		double *value = values_of(r, i);

		snprintf(r->name[i], sizeof(r->name[i]), "%s", layer_fold_name(counts, choice[i].key));
		for (size_t col = 0; col < r->chart.grid->n_cols; col++)
			value[col] = rate(v, col, amount_of(v, counts, choice[i].key, col));
		set_total(r, i, choice[i].amount);
		name[i] = r->name[i];
	}
	hue_choose(name, r->sum, n, hue);
	for (size_t i = 0; i < n; i++)
		r->series[i].hue = hue[i];
}

/* Puts the last series: the rest, or, without keys, everything. */
static __u64 put_rest(struct value *v, const struct layer_fold *counts, struct rates *r, const struct choice *choice, size_t n, size_t n_left)
{
	double *value = values_of(r, n);
	__u64 sum = 0;

	for (size_t col = 0; col < r->chart.grid->n_cols; col++) {
		__u64 left = left_of(v, counts, choice, n, col);

		value[col] = rate(v, col, left);
		sum = saturating_add(sum, left);
	}
	if (n_left)
		snprintf(r->name[n], sizeof(r->name[n]), "other (%zu key%s)", n_left, n_left == 1 ? "" : "s");
	else
		snprintf(r->name[n], sizeof(r->name[n]), "%s", counts ? "other" : v->grid[0]->point ? v->in.measure[v->fold_axis[0]] : v->unit);
	set_total(r, n, sum);
	r->series[n].hue = counts ? LAYER_GREY : HUE_ALONE;
	return sum;
}

static void put_what(struct value *v, bool by_key, struct rates *r)
{
	const char *glue = " by ";
	bool point = v->grid[0]->point;
	size_t at = (size_t)snprintf(r->what, sizeof(r->what), "%s%s", point ? v->in.measure[v->fold_axis[0]] : v->unit,
				     point ? "" : " per second");

	for (size_t i = 0; i < v->in.n_fields && by_key && at < sizeof(r->what); i++) {
		if (v->drop & 1u << i)
			continue;
		at += (size_t)snprintf(r->what + at, sizeof(r->what) - at, "%s%s", glue, v->in.field[i]);
		glue = ", ";
	}
}

/* ---- what was under way at once ---- */

#define HUE_RUNNING 285

/* Returns how much of a column is known, in ns; 0: it was not observed, or lies in the future. */
static double known_of(const struct value *v, const struct grid *g, size_t col)
{
	double known_ns = (double)grid_known_ns(g, col), column_ns = column_s(v, col) * 1e9;

	if (grid_column_state(&g->column[col]) == GRID_UNOBSERVED)
		return 0;
	return known_ns < column_ns ? known_ns : column_ns;
}

/* Puts a row as a series: how many events were in it at once; its total is their mean. */
static void put_row(const struct value *v, struct rates *r, const struct grid *g, size_t row)
{
	double sum = 0, known = 0, *value = values_of(r, row);

	for (size_t col = 0; col < g->n_cols; col++) {
		double ns = known_of(v, g, col);

		value[col] = ns > 0 ? (double)g->cell[row * g->n_cols + col] / ns : NAN;
		sum += ns > 0 ? (double)g->cell[row * g->n_cols + col] : 0;
		known += ns;
	}
	r->sum[row] = known > 0 ? sum / known : 0;
	axis_format(r->sum[row], AXIS_COUNT, r->total[row]);
	snprintf(r->name[row], sizeof(r->name[row]), "%s", !strcmp(g->row_name[row], "running") ? "still running" : g->row_name[row]);
	r->series[row] = (struct chart_series){ .name = r->name[row], .total = r->total[row], .value = value };
}

/* Parts have their hues, the rest is grey, running events have the hue of the map. */
static void choose_hues(const struct value *v, struct rates *r, size_t n)
{
	const char *name[CHART_SERIES_MAX] = { NULL };
	int hue[CHART_SERIES_MAX];
	size_t n_parts = v->in.n_weights ? v->in.n_weights - 1 : 0;

	for (size_t i = 0; i < n_parts; i++)
		name[i] = r->name[i];
	hue_choose(name, r->sum, n_parts, hue);
	for (size_t i = 0; i < n; i++)
		r->series[i].hue = i < n_parts ? hue[i] : i == n_parts ? LAYER_GREY : HUE_RUNNING;
}

/* Leaves out the rows without events, unless all are empty. */
static size_t leave_empty_out(struct rates *r, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (r->sum[i] > 0 || (i + 1 == n && !kept)) {
			r->sum[kept] = r->sum[i];
			r->series[kept++] = r->series[i];
		}
	return kept;
}

int rates_make_active(struct value *v, const struct grid *g, struct rates *ret_rates)
{
	struct rates *r = ret_rates;
	size_t n = g->n_rows;
	int err = rates_begin(v, "active", n, g->n_cols, r);

	if (err)
		return err;
	r->chart.kind = CHART_STACKED;
	r->chart.unit = AXIS_COUNT;
	for (size_t i = 0; i < n; i++)
		put_row(v, r, g, i);
	choose_hues(v, r, n);
	r->chart.n_series = leave_empty_out(r, n);
	snprintf(r->what, sizeof(r->what), "%s at once, by part of their time", v->unit);
	return 0;
}

/* ---- rates ---- */

int value_counts_add(struct value *v, struct layer_fold **ret_counts)
{
	struct query q = value_query(v, v->fold_axis[0]);
	int err;

	if (!v->in.n_fields)
		return 0;
	q.n_select = v->p.n_select;
	err = layer_fold_new(&q, false, ret_counts);
	if (!err)
		value_take(v, q.axis, VALUE_BY_KEY, layer_fold_reader(*ret_counts));
	return err;
}

int rates_make_stacked(struct value *v, struct layer_fold *counts, struct rates *ret_rates)
{
	struct rates *r = ret_rates;
	struct choice choice[CHART_SERIES_MAX];
	size_t left = 0, n;
	int err = counts ? layer_fold_error(counts) : 0;
	long chosen = err ? err : choose_keys(v, counts, choice, CHART_SERIES_MAX - 1, &left);

	if (chosen < 0)
		return (int)chosen;
	n = (size_t)chosen;
	err = rates_begin(v, "rate", n + 1, v->grid[0]->n_cols, r);
	if (err)
		return err;
	r->chart.kind = CHART_STACKED;
	r->chart.unit = v->grid[0]->point ? axis_unit(v->grid[0]->unit) : AXIS_PER_S;
	put_keys(v, counts, r, choice, n);
	r->chart.n_series = n + (put_rest(v, counts, r, choice, n, left) || !n);
	put_what(v, counts, r);
	return 0;
}

/* ---- percentiles ---- */

/* A percentile of fewer events in a column means nothing; lines of a map have the same limit. */
#define P50_EVENTS 3
#define P90_EVENTS 10
#define P99_EVENTS 100

static double percentile_of(const struct grid_column *c, enum chart_colour which)
{
	__u64 least = which == CHART_P50 ? P50_EVENTS : which == CHART_P90 ? P90_EVENTS : which == CHART_P99 ? P99_EVENTS : 1;
	__u64 value = which == CHART_P50 ? c->p50 : which == CHART_P90 ? c->p90 : which == CHART_P99 ? c->p99 : c->max;

	return c->count < least || c->marks & GRID_IN_PROGRESS || grid_column_state(c) == GRID_UNOBSERVED ? NAN : (double)value;
}

/* The highest comes first, so that the legend has the order of the lines. */
int rates_make_lines(struct value *v, struct rates *ret_rates)
{
	static const struct { const char *name; enum chart_colour colour; } line[] = {
		{ "max", CHART_MAX }, { "p99", CHART_P99 }, { "p90", CHART_P90 }, { "p50", CHART_P50 },
	};
	const struct grid *g = v->grid[0];
	const __u64 whole[] = { g->all.max, g->all.p99, g->all.p90, g->all.p50 };
	struct rates *r = ret_rates;
	int err = rates_begin(v, "percentiles", 4, g->n_cols, r);
	char span[AXIS_TEXT];

	if (err)
		return err;
	r->chart.kind = CHART_LINES;
	r->chart.unit = axis_unit(g->unit);
	for (size_t i = 0; i < 4; i++) {
		snprintf(r->name[i], sizeof(r->name[i]), "%s", line[i].name);
		axis_format((double)whole[i], r->chart.unit, r->total[i]);
		r->sum[i] = (double)whole[i];
		for (size_t col = 0; col < g->n_cols; col++)
			values_of(r, i)[col] = percentile_of(&g->column[col], line[i].colour);
		r->series[i] = (struct chart_series){ .name = r->name[i], .total = r->total[i], .value = values_of(r, i),
						      .colour = line[i].colour };
	}
	r->chart.n_series = 4;
	axis_format_span(g->col_ns, span);
	snprintf(r->what, sizeof(r->what), "%s: p50, p90, p99 and max of every %s", v->in.measure[v->fold_axis[0]], span);
	return 0;
}

/* ---- JSON ---- */

static void put_values(struct bytes *out, const double *value, size_t n)
{
	writer_open(out, "values", "[");
	for (size_t col = 0; col < n; col++) {
		writer_comma(out);
		writer_real(out, value[col]);		/* NAN: null */
	}
	writer_raw(out, "]");
}

void rates_put(struct bytes *out, const struct rates *r)
{
	const struct grid *g = r->chart.grid;

	writer_name_text(out, "show", r->show);
	writer_name_text(out, "what", r->what);
	writer_name_seconds(out, "from", g->from_ns);
	writer_name_seconds(out, "column", (__s64)g->col_ns);
	writer_name_seconds(out, "slot", (__s64)g->slot_ns);
	writer_name_number(out, "ncols", g->n_cols);
	writer_open(out, "series", "[");
	for (size_t i = 0; i < r->chart.n_series; i++) {
		writer_open(out, NULL, "{");
		writer_name_text(out, "key", r->series[i].name);
		writer_name_real(out, "total", r->sum[i]);
		put_values(out, r->series[i].value, g->n_cols);
		writer_raw(out, "}");
	}
	writer_raw(out, "]");
	writer_open(out, "states", "[");
	for (size_t col = 0; col < g->n_cols; col++) {
		writer_comma(out);
		writer_text(out, grid_column_word(&g->column[col]));
	}
	writer_raw(out, "]");
}
