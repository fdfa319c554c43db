/* compare: compares two values of one shape, from request to reply.
 *
 *      A: the request's parameters      B: the same, except for those that begin with b_
 *      B is made first --rows--> A --difference.h--> JSON and one sentence, or a page (compare.h)
 *
 * B       b_measure, b_selected and b_exclude replace A's; b_instrumentation: another one, of any metric whose measure
 *         has the same unit; b_start_time: another time, as long as A's.  Columns are aligned by their offset from the
 *         start.
 * Tiers   Both are read in columns of one length, so in those of the coarser tier if A is kept finer than B.
 */
#include "aggregator/query/difference.h"
#include "aggregator/value/kind.h"
#include "aggregator/value/reply.h"
#include "render/document/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_ROOM 256
#define SENTENCE_ROOM 1024

struct compare_value {
	struct value v;
	struct value *other;		/* B, made before it */
};

static struct value *other_of(const struct value *v) { return ((const struct compare_value *)v)->other; }

/* ---- the request ---- */

/* A picture has at most one column per px. */
static size_t compared_columns(const struct value *v)
{
	size_t most = v->p.format == FORMAT_JSON ? (size_t)v->p.ncols
						 : compare_columns((enum compare_view)v->p.view, (unsigned)v->p.width);

	return (size_t)v->p.ncols < most ? (size_t)v->p.ncols : most;
}

static void compared_query(const struct value *v, struct query *q)
{
	q->row_bits = (__u32)v->p.row_bits;
	q->select_kept = true;
}

static const char *others_name(const char *name)
{
	return !strncmp(name, "b_", 2) ? name + 2 : NULL;
}

/* Is there a parameter for B alone? */
static bool is_replaced(const struct http_param *param, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (others_name(param[i].name) && !strcmp(others_name(param[i].name), name))
			return true;
	return false;
}

/* Makes B's parameters from A's; returns how many.  Names and values are borrowed. */
static size_t choose_params(const struct http_param *param, size_t n, struct http_param *ret_own)
{
	/* set elsewhere */
	static const char *const of_time[] = { "start_time", "end_time", "duration", "instrumentation" };
	size_t n_own = 0;

	for (size_t i = 0; i < n; i++) {
		const char *other = others_name(param[i].name), *name = other ? other : param[i].name;
		bool settled = !other && is_replaced(param, n, name);

		for (size_t k = 0; k < sizeof(of_time) / sizeof(*of_time); k++)
			settled = settled || !strcmp(name, of_time[k]);
		if (!settled)
			ret_own[n_own++] = param[i];
	}
	return n_own;
}

/* Computes B's interval from A's.  ci NULL: no such instrumentation. */
static int choose_interval(const struct value *v, const struct catalog_inst *ci, struct payload_head *ret_at, char *reason)
{
	struct params p = { .start_ns = v->p.has_b_start ? v->p.b_start_ns : v->head.rounded.from, .n_points = 1, .has_start = true,
			    .is_b_start = v->p.has_b_start, .duration_ns = v->head.rounded.to - v->head.rounded.from, .timeout_ms = v->p.timeout_ms };
	struct instrumentation in;

	if (!ci)
		return params_refuse(reason, "there is no instrumentation %lld", (long long)v->p.b_instrumentation);
	in = ci->in;
	if (v->in.retention_s > in.retention_s && v->services->keep)
		in.retention_s = v->in.retention_s;
	return params_interval(&p, &in, v->now_ns, &ret_at->asked, &ret_at->rounded, reason);
}

/* Do both have the same plan?  If not, sets a common granularity and aligned intervals: plan again. */
static bool settle_tiers(struct value *v, struct value *b)
{
	__u64 unit = plan_common_unit(v->in.granularity_ns, b->in.granularity_ns);
	__s64 step = (__s64)unit, from = v->head.rounded.from / step * step, length = (v->head.rounded.to - from + step - 1) / step * step;
	bool alike = v->in.granularity_ns == b->in.granularity_ns &&
		     v->head.rounded.to - v->head.rounded.from == b->head.rounded.to - b->head.rounded.from;

	v->in.granularity_ns = b->in.granularity_ns = unit;
	v->head.rounded = (struct interval_ns){ from, from + length };
	b->head.rounded.from = b->head.rounded.from / step * step;
	b->head.rounded.to = b->head.rounded.from + length;
	return alike;
}

/* Makes both sides read columns of the same length: of the coarser tier, if one side is no longer kept as fine. */
static void choose_common_tiers(struct value *v, const struct catalog_inst *ci, const struct catalog_inst *other_ci)
{
	do {
		value_choose_tiers(v, ci);
		value_choose_tiers(other_of(v), other_ci);
	} while (!settle_tiers(v, other_of(v)));
}

/* Makes the other side: a value of its own instrumentation, with B's parameters. */
static int compare_plan(struct value *v, const struct catalog_inst *ci, const struct http_param *param, size_t n_params, char *reason)
{
	const struct catalog_inst *other_ci = v->p.b_instrumentation ? catalog_find(v->services->catalog, (__u64)v->p.b_instrumentation) : ci;
	struct http_param *own = calloc(n_params + 1, sizeof(*own));
	struct payload_head at = v->head;
	struct value **other = &((struct compare_value *)v)->other;
	char why[PARAMS_REASON_MAX] = "";
	int err = own ? choose_interval(v, other_ci, &at, why) : -ENOMEM;

	if (!err)
		err = value_begin(v->services, other_ci, &value_side, VALUE_SIDE, own, choose_params(param, n_params, own), &at, other, why);
	if (!err) {
		(*other)->head.n_sources = catalog_n_sources(v->services->catalog, other_ci, v->now_ns);
		choose_common_tiers(v, ci, other_ci);
		err = value_complete(*other, other_ci, why);
	}
	if (err == -EINVAL)
		snprintf(reason, PARAMS_REASON_MAX, "B: %.*s", PARAMS_REASON_MAX - 4, why);
	free(own);
	return err;
}

/* Can A's and B's measures be compared? */
static int check_measures(const struct value *v, const struct value *b, char *reason)
{
	int a_axis = v->fold_axis[0], b_axis = b->fold_axis[0];
	__u64 a_ruler = v->in.ruler[a_axis], b_ruler = b->in.ruler[b_axis];

	if (v->scope[a_axis] == SCOPE_POINT || b->scope[b_axis] == SCOPE_POINT)
		return params_refuse(reason, "a measure of states at the end of each slot has no events to compare");
	if (strcmp(query_unit(&v->in, a_axis), query_unit(&b->in, b_axis)) || ruler_family(a_ruler) != ruler_family(b_ruler))
		return params_refuse(reason, "%s and %s have no common unit: choose two measures of the same unit",
			v->in.measure[a_axis], b->in.measure[b_axis]);
	return 0;
}

static int side_folds(struct value *v, const struct catalog_inst *ci, int axis, char *reason)
{
	struct query q = value_query(v, axis);

	return value_fold_add(v, &q, false);
}

static int compare_folds(struct value *v, const struct catalog_inst *ci, int axis, char *reason)
{
	int err = side_folds(v, ci, axis, reason);

	return err ? err : check_measures(v, other_of(v), reason);
}

/* Returns the time of both sides. */
static struct interval_ns compare_span(const struct value *v)
{
	const struct interval_ns a = v->head.rounded, b = other_of(v)->head.rounded;

	return (struct interval_ns){ a.from < b.from ? a.from : b.from, a.to > b.to ? a.to : b.to };
}

/* ---- B first, then A ---- */

static void on_other(struct value *other, void *arg)
{
	struct value *v = arg;

	if (other->status == 200) {
		value_read(v);
		return;
	}
	v->status = other->status;
	v->code = other->code;
	snprintf(v->reason, sizeof(v->reason), "%s", other->reason);
	v->done(v, v->arg);
}

static void compare_run(struct value *v)
{
	value_run(other_of(v), on_other, v);
}

/* Gives A the rows of B, too. */
static int make_grid(struct value *v)
{
	const struct grid_summary *all = &other_of(v)->grid[0]->all;

	if (all->count)
		fold_reach(v->fold[0], all->min, all->max);
	return value_grids(v);
}

/* ---- in words ---- */

/* Writes "latency of select, from 2026-11-21 14:00:00": title and time only if A and B differ in them. */
static void put_name(const struct value *v, const struct value *of, char out[NAME_ROOM])
{
	char time[AXIS_TEXT];
	size_t at = 0;

	if (of->in.id != v->in.id || other_of(v)->in.id != v->in.id)
		at += (size_t)snprintf(out, NAME_ROOM, "%.90s: ", of->title);
	at += (size_t)snprintf(out + at, NAME_ROOM - at, "%s", reply_measure_title(reply_measure(of, of->fold_axis[0])));
	for (size_t i = 0; i < of->p.n_select && i < 2 && at < NAME_ROOM - 80; i++)
		at += (size_t)snprintf(out + at, NAME_ROOM - at, "%s%.60s", i ? ", " : of->p.exclude ? " without " : " of ", of->p.select[i]);
	if (of->p.n_select > 2 && at < NAME_ROOM)
		at += (size_t)snprintf(out + at, NAME_ROOM - at, " and %zu more", of->p.n_select - 2);
	axis_format_time(of->head.rounded.from, &v->zone, time);
	if (v->head.rounded.from != other_of(v)->head.rounded.from && at < NAME_ROOM)
		snprintf(out + at, NAME_ROOM - at, ", from %s", time);
}

static const char *const line_name[DIFFERENCE_LINES] = {
	[LINE_EVENTS] = "events", [LINE_MEAN] = "mean", [LINE_P50] = "p50", [LINE_P90] = "p90", [LINE_P99] = "p99", [LINE_P999] = "p99.9",
};

/* Writes "p99 is 60 ms in A and 1.05 ms in B". */
static size_t say_line(const struct difference *d, int i, __u64 least, enum axis_unit unit, const char *glue, char *out, size_t room)
{
	char a[AXIS_TEXT], b[AXIS_TEXT];

	axis_format_percentile(d->line[i].a, i == LINE_MEAN ? 0 : (double)least, unit, a);
	axis_format_percentile(d->line[i].b, i == LINE_MEAN ? 0 : (double)least, unit, b);
	return (size_t)snprintf(out, room, "%s%s is %s in A and %s in B", glue, line_name[i], a, b);
}

/* Says of a side without events why it has none. */
static size_t say_missing(const struct value *of, const char *name, const char *glue, char *out, size_t room)
{
	if (of->grid[0]->all.count)
		return 0;
	if (of->head.observed > 0)
		return (size_t)snprintf(out, room, "%sthere are no events in %s", glue, name);
	return (size_t)snprintf(out, room, "%s%s was not observed: no collector reported in its time", glue, name);
}

/* Returns the length of the reason why A and B cannot be compared; 0: both have events. */
static size_t say_nothing(const struct value *v, char out[SENTENCE_ROOM])
{
	size_t at = say_missing(v, "A", "", out, SENTENCE_ROOM);

	return at + say_missing(other_of(v), "B", at ? "; " : "", out + at, SENTENCE_ROOM - at);
}

static void say(const struct value *v, const struct difference *d, char out[SENTENCE_ROOM])
{
	static const int order[] = { LINE_P50, LINE_P99, LINE_MEAN, LINE_P90, LINE_P999 };
	enum axis_unit unit = axis_unit(v->grid[0]->unit);
	size_t at = 0, n = 0;

	if (say_nothing(v, out))
		return;
	for (size_t i = 0; i < sizeof(order) / sizeof(*order) && n < 2; i++)
		if (d->line[order[i]].significant && d->line[order[i]].a != d->line[order[i]].b) {
			at += say_line(d, order[i], grid_least(v->grid[0]), unit, n ? ", " : "", out + at, SENTENCE_ROOM - at);
			n++;
		}
	if (!n)
		at += (size_t)snprintf(out, SENTENCE_ROOM, "neither mean nor percentiles differ by more than they vary over the time");
	if (!d->n_tests)
		snprintf(out + at, SENTENCE_ROOM - at, "; it is not known how much the cells vary: take a longer time");
	else
		snprintf(out + at, SENTENCE_ROOM - at, "; %.3g %% of the map differs by more than it varies",
			 100.0 * (double)d->n_significant / (double)d->n_tests);
}

/* ---- as JSON ---- */

static void put_side(struct bytes *out, const char *letter, const struct value *v, const struct value *of)
{
	const struct grid *g = of->grid[0];
	char id[32], name[NAME_ROOM];
	__u32 every = 0;

	snprintf(id, sizeof(id), "%llu", (unsigned long long)of->in.id);
	put_name(v, of, name);
	writer_open(out, letter, "{");
	writer_name_text(out, "instrumentation", id);
	writer_name_text(out, "name", name);
	writer_name_text(out, "measure", reply_measure(of, of->fold_axis[0]));
	writer_name_seconds(out, "start_time", of->head.rounded.from);
	writer_name_seconds(out, "end_time", of->head.rounded.to);
	writer_name_number(out, "nsources", of->head.n_sources);
	writer_name_number(out, "minreporting", of->head.min_reporting);
	writer_name_real(out, "observed", of->head.observed);
	writer_name_number(out, "lost", g->all.lost);
	for (size_t col = 0; col < g->n_cols; col++)
		every = g->column[col].marks & GRID_SAMPLED && g->column[col].every > every ? g->column[col].every : every;
	if (every)
		writer_name_number(out, "sampled", every);
	if (of->head.dropped)
		writer_name_flag(out, "dropped", true);
	writer_name_number(out, "count", g->all.count);
	writer_open(out, "rows", "[");
	for (size_t row = 0; row < g->n_rows; row++) {
		__u64 sum = 0;

		for (size_t col = 0; col < g->n_cols; col++)
			sum += g->cell[row * g->n_cols + col];
		writer_comma(out);
		writer_number(out, sum);
	}
	writer_raw(out, "],\"columns\":[");
	for (size_t col = 0; col < g->n_cols; col++) {
		writer_comma(out);
		writer_number(out, g->column[col].count);
	}
	writer_raw(out, "],\"states\":[");
	for (size_t col = 0; col < g->n_cols; col++) {
		writer_comma(out);
		writer_text(out, grid_column_word(&g->column[col]));
	}
	writer_raw(out, "]}");
}

static void put_test(struct bytes *out, const struct contrast *c, double q, bool significant)
{
	writer_name_real(out, "dispersion", c->dispersion);
	writer_name_real(out, "p", c->df ? c->p : NAN);		/* null: it could not be tested */
	writer_name_real(out, "q", c->df ? q : NAN);
	writer_name_flag(out, "significant", significant);
}

static void put_lines(struct bytes *out, const struct difference *d)
{
	writer_open(out, "lines", "[");
	for (int i = 0; i < DIFFERENCE_LINES; i++) {
		const struct difference_line *line = &d->line[i];

		writer_open(out, NULL, "{");
		writer_name_text(out, "name", line_name[i]);
		writer_name_real(out, "a", line->a);
		writer_name_real(out, "b", line->b);
		writer_name_real(out, "difference", line->a - line->b);
		put_test(out, &line->c, line->q, line->significant);
		writer_raw(out, "}");
	}
	writer_raw(out, "]");
}

static void put_numbers(struct bytes *out, const __u64 *n, size_t count)
{
	writer_raw(out, "[");
	for (size_t i = 0; i < count; i++) {
		writer_comma(out);
		if (n[i] == GRID_NO_EDGE)
			writer_raw(out, "null");
		else
			writer_number(out, n[i]);
	}
	writer_raw(out, "]");
}

/* Writes [row, column, events of A, events of B], except cells that are empty in both. */
static void put_cells(struct bytes *out, const struct grid *a, const struct grid *b)
{
	writer_open(out, "cells", "[");
	for (size_t i = 0; i < a->n_rows * a->n_cols; i++) {
		const __u64 cell[] = { i / a->n_cols, i % a->n_cols, a->cell[i], b->cell[i] };

		if (!a->cell[i] && !b->cell[i])
			continue;
		writer_comma(out);
		put_numbers(out, cell, 4);
	}
	writer_raw(out, "]");
}

static void put_patches(struct bytes *out, const struct difference *d)
{
	writer_open(out, "patches", "[");
	for (size_t i = 0; i < d->n_patches; i++) {
		const struct patch *p = &d->patch[i];

		if (!p->significant)
			continue;
		writer_open(out, NULL, "{");
		writer_name_number(out, "row", p->row);
		writer_name_number(out, "from", p->from);
		writer_name_number(out, "to", p->to);
		writer_name_text(out, "more", p->c.mean.in > p->c.mean.out ? "a" : "b");
		writer_name_real(out, "a", p->c.sum.in);
		writer_name_real(out, "b", p->c.sum.out);
		put_test(out, &p->c, p->q, true);
		writer_raw(out, "}");
	}
	writer_raw(out, "]");
	writer_name_number(out, "tests", d->n_tests);
	writer_name_number(out, "nsignificant", d->n_significant);
	writer_name_real(out, "rate", DIFFERENCE_Q);
}

static int reply_json(struct value *v, const struct difference *d, const char *sentence)
{
	const struct grid *a = v->grid[0];
	struct bytes out = { 0 };

	reply_begin(v, &out);
	writer_name_text(&out, "per", d->per == DIFFERENCE_SHARE ? "share" : "count");
	put_side(&out, "a", v, v);
	put_side(&out, "b", v, other_of(v));
	put_lines(&out, d);
	writer_name_seconds(&out, "column", (__s64)a->col_ns);
	writer_name_number(&out, "ncols", a->n_cols);
	writer_name_number(&out, "nrows", a->n_rows);
	writer_name(&out, "edge");
	put_numbers(&out, a->edge, a->n_rows + 1);
	put_cells(&out, a, other_of(v)->grid[0]);
	put_patches(&out, d);
	writer_name_text(&out, "sentence", sentence);
	return reply_end(v, &out);
}

/* ---- as a page ---- */

/* Returns each row's events, or its per cent of all events. */
static double *distribution_of(const struct grid *g, enum difference_per per)
{
	double *sum = calloc(g->n_rows, sizeof(*sum));

	for (size_t row = 0; sum && row < g->n_rows; row++) {
		for (size_t col = 0; col < g->n_cols; col++)
			sum[row] += (double)g->cell[row * g->n_cols + col];
		if (per == DIFFERENCE_SHARE && g->all.count)
			sum[row] *= 100 / (double)g->all.count;
	}
	return sum;
}

static size_t marks_of(const struct difference *d, struct compare_mark *out)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_patches; i++)
		if (d->patch[i].significant)
			out[n++] = (struct compare_mark){ d->patch[i].row, d->patch[i].from, d->patch[i].to,
							  d->patch[i].c.mean.in > d->patch[i].c.mean.out };
	return n;
}

static void lines_of(const struct value *v, const struct difference *d, struct compare_line out[DIFFERENCE_LINES])
{
	for (int i = 0; i < DIFFERENCE_LINES; i++)
		out[i] = (struct compare_line){ .name = i == LINE_EVENTS ? v->unit : line_name[i], .a = d->line[i].a, .b = d->line[i].b,
						.unit = i == LINE_EVENTS ? AXIS_COUNT : axis_unit(v->grid[0]->unit),
						.tested = d->line[i].c.df, .q = d->line[i].q, .significant = d->line[i].significant };
}

static int draw(struct value *v, const struct difference *d, const char *sentence, struct compare *page)
{
	char name[2][NAME_ROOM];
	struct compare_line line[DIFFERENCE_LINES];
	struct figure_options o;

	put_name(v, v, name[0]);
	put_name(v, other_of(v), name[1]);
	lines_of(v, d, line);
	page->name[0] = name[0];
	page->name[1] = name[1];
	page->n_lines = DIFFERENCE_LINES;
	page->line = line;
	params_drawing(&v->p, &o);
	o.percentiles = false;
	o.zone = &v->zone;
	o.title = v->title;
	o.subtitle = sentence;
	o.version = "heatscope " PACKAGE_VERSION;
	return compare_render(page, &o, (__u8 **)&v->data, &v->len);
}

static int reply_page(struct value *v, const struct difference *d, const char *sentence)
{
	struct compare_mark *mark = calloc(d->n_patches + 1, sizeof(*mark));
	double *of_a = distribution_of(v->grid[0], d->per), *of_b = distribution_of(other_of(v)->grid[0], d->per);
	struct compare page = { .view = (enum compare_view)v->p.view, .grid = { d->a, d->b }, .map = d->map, .share = d->per == DIFFERENCE_SHARE,
				.distribution = { of_a, of_b }, .mark = mark, .rate = DIFFERENCE_Q };
	int err = mark && of_a && of_b ? 0 : -ENOMEM;

	page.cell_unit = page.share ? 100.0 / DIFFERENCE_WHOLE : 1;
	page.n_marks = err ? 0 : marks_of(d, mark);
	if (!err)
		err = draw(v, d, sentence, &page);
	if (err == -EINVAL)
		snprintf(v->reason, sizeof(v->reason), "a picture of this width, height, ymin and ymax cannot be drawn");
	v->type = reply_type(v->p.format);
	free(mark);
	free(of_a);
	free(of_b);
	return err;
}

static int compare_make(struct value *v)
{
	struct grid *b;
	struct difference d;
	char sentence[SENTENCE_ROOM];
	int err = make_grid(v);

	if (!err)
		err = difference_align(other_of(v)->grid[0], v->grid[0], &b);
	if (err == -EINVAL)
		snprintf(v->reason, sizeof(v->reason), "the rulers of A and B do not nest: ask for fewer rows by row_bits");
	if (err)
		return err;
	grid_free(other_of(v)->grid[0]);
	other_of(v)->grid[0] = b;
	err = difference_make(v->grid[0], b, (enum difference_per)v->p.per, &d);
	if (err)
		return err;
	say(v, &d, sentence);
	err = v->p.format == FORMAT_JSON ? reply_json(v, &d, sentence) : reply_page(v, &d, sentence);
	difference_fini(&d);
	return err;
}

static void compare_free(struct value *v)
{
	value_free(other_of(v));
}

const struct value_kind value_compare = {
	.name = "compare", .size = sizeof(struct compare_value), .class = ADMISSION_LARGE, .shows_times = true, .columns = compared_columns,
	.query = compared_query, .plan = compare_plan, .folds = compare_folds, .span = compare_span, .run = compare_run,
	.make = compare_make, .free = compare_free,
};

const struct value_kind value_side = {
	.name = "side", .class = ADMISSION_LARGE, .columns = compared_columns, .query = compared_query, .folds = side_folds, .make = value_grids,
};
