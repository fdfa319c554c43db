#include "aggregator/payload/payload.h"
#include "collector/core/saturating.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Writes a sum, or its mean over so many snapshots. */
static void put_mean(struct bytes *out, __u64 sum, __u64 snapshots)
{
	if (snapshots > 1 && saturated((double)sum))
		writer_number(out, sum);	/* not less, or it would not say "at least" */
	else if (snapshots > 1 && sum % snapshots)
		writer_real(out, (double)sum / (double)snapshots);
	else
		writer_number(out, snapshots > 1 ? sum / snapshots : sum);
}

static void put_named_mean(struct bytes *out, const char *name, __u64 sum, __u64 snapshots)
{
	writer_name(out, name);
	put_mean(out, sum, snapshots);
}

/* The mean, or what is made of it; a sum that saturated has none. */
static void put_unless_bound(struct bytes *out, const char *name, __u64 sum, __u64 value, __u64 snapshots)
{
	if (saturated((double)sum))
		writer_name_real(out, name, NAN);
	else
		put_named_mean(out, name, value, snapshots);
}

void payload_head(struct bytes *out, const struct payload_head *head)
{
	writer_name_seconds(out, "start_time", head->rounded.from);
	writer_name_seconds(out, "duration", head->rounded.to - head->rounded.from);
	writer_name_seconds(out, "end_time", head->rounded.to);
	writer_name_seconds(out, "requested_start_time", head->asked.from);
	writer_name_seconds(out, "requested_duration", head->asked.to - head->asked.from);
	writer_name_seconds(out, "requested_end_time", head->asked.to);
	writer_name_number(out, "nsources", head->n_sources);
	writer_name_number(out, "minreporting", head->min_reporting);
	writer_name_real(out, "observed", head->observed);
	if (head->tier_ns)
		writer_name_seconds(out, "tier", (__s64)head->tier_ns);
	if (head->dropped) {
		writer_name(out, "dropped");
		writer_raw(out, "true");
	}
	if (head->delay_ms)
		writer_name_number(out, "delay", head->delay_ms);
	writer_name_text(out, "scope", metric_scope_name(head->scope));
	if (head->scope == SCOPE_POINT)
		writer_name_number(out, "snapshots", head->n_snapshots);
}

static void put_edge(struct bytes *out, __u64 edge)
{
	if (edge == GRID_NO_EDGE)
		writer_raw(out, "null");
	else
		writer_number(out, edge);
}

static void put_cells(struct bytes *out, const struct grid *g, size_t col, long row_shift, bool exact)
{
	writer_open(out, "cells", "[");
	for (size_t row = 0; row < g->n_rows; row++) {
		__u64 n = g->cell[row * g->n_cols + col];

		if (!n)
			continue;
		if (exact || !g->point) {
			writer_pair(out, (__u64)((long)row + row_shift), n);
			continue;
		}
		writer_open(out, NULL, "[");
		writer_number(out, (__u64)((long)row + row_shift));
		writer_raw(out, ",");
		put_mean(out, n, g->column[col].n_snapshots);
		writer_raw(out, "]");
	}
	writer_raw(out, "]");
}

/* Writes the running events: [[low, high, count], ...], with edges, because their grid has its own. */
static void put_running(struct bytes *out, const struct grid *g, size_t col)
{
	bool any = g->column[col].count > 0;

	if (any) {
		writer_name_number(out, "oldest", g->column[col].max);
		writer_open(out, "running", "[");
	}
	for (size_t row = 0; row < g->n_rows && any; row++) {
		__u64 n = g->cell[row * g->n_cols + col];

		if (!n)
			continue;
		writer_open(out, NULL, "[");
		writer_number(out, g->edge[row]);
		writer_raw(out, ",");
		put_edge(out, g->edge[row + 1]);
		writer_raw(out, ",");
		put_mean(out, n, g->column[col].n_snapshots);
		writer_raw(out, "]");
	}
	if (any)
		writer_raw(out, "]");
}

/* Writes all marks of a column; `state` shows only the most important one. */
static void put_marks(struct bytes *out, const struct grid_column *c, bool exact)
{
	static const struct { enum grid_mark mark; const char *name; } mark[] = {
		{ GRID_CLOCK_STEP, "clock_step" }, { GRID_IN_PROGRESS, "in_progress" }, { GRID_DROPPED, "dropped" },
	};

	for (size_t i = 0; i < (exact ? 3 : 1); i++)
		if (c->marks & mark[i].mark) {
			writer_name(out, mark[i].name);
			writer_raw(out, "true");
		}
	if (c->marks & GRID_SAMPLED)
		writer_name_number(out, "sampled", c->every);
}

/* Writes which part of a column is known, if that begins later or ends earlier than the column. */
static void put_known(struct bytes *out, const struct grid *g, size_t col)
{
	__u64 known_ns = grid_known_ns(g, col);

	if (known_ns && known_ns < g->col_ns)
		writer_name_seconds(out, "known", (__s64)known_ns);
}

/* s: NULL if it is not drawn. */
static void put_column(struct bytes *out, const struct grid *g, const struct shade *s, size_t col, __u64 index, long row_shift, bool exact)
{
	const struct grid_column *c = &g->column[col];
	__u64 snapshots = g->point && !exact ? c->n_snapshots : 0;

	writer_raw(out, "{");
	writer_name_number(out, "slot", index);
	writer_name_text(out, "state", grid_column_word(c));
	writer_name_number(out, "reporting", c->n_reporting);
	writer_name_number(out, "expected", c->n_expected);
	writer_name_number(out, "lost", c->lost);
	put_marks(out, c, exact);
	if (!exact)
		put_known(out, g, col);
	if (g->point)
		writer_name_number(out, "snapshots", c->n_snapshots);
	put_named_mean(out, "count", c->count, snapshots);
	put_named_mean(out, "sum", c->sum, snapshots);
	writer_name_number(out, "min", c->min);
	writer_name_number(out, "max", c->max);
	if (exact || !g->weight) {
		writer_name_number(out, "p50", c->p50);
		if (exact)
			writer_name_number(out, "p90", c->p90);
		writer_name_number(out, "p99", c->p99);
	}
	if (s && s->transfer == SHADE_PERCENT)
		writer_name_real(out, "share", shade_column(s, g, col, row_shift));
	put_cells(out, g, col, row_shift, exact);
	if (g->running && !exact)
		put_running(out, g->running, col);
	writer_raw(out, "}");
}

void payload_column(struct bytes *out, const struct grid *g, const struct shade *s, size_t col, __u64 index, long row_shift)
{
	put_column(out, g, s, col, index, row_shift, false);
}

static void put_edges(struct bytes *out, const struct grid *g)
{
	writer_open(out, "edge", "[");
	for (size_t i = 0; i <= g->n_rows; i++) {
		writer_comma(out);
		put_edge(out, g->edge[i]);
	}
	writer_raw(out, "]");
}

static void put_row_names(struct bytes *out, const struct grid *g)
{
	writer_open(out, "rows", "[");
	for (size_t i = 0; i < g->n_rows; i++) {
		writer_comma(out);
		writer_text(out, g->row_name[i]);
	}
	writer_raw(out, "]");
}

static void put_summary(struct bytes *out, const struct grid *g, bool exact)
{
	const struct grid_summary *s = &g->all;
	__u64 snapshots = g->point && !exact ? s->n_snapshots : 0;

	writer_open(out, "summary", "{");
	if (g->point && exact)
		writer_name_number(out, "snapshots", s->n_snapshots);
	put_named_mean(out, "count", s->count, snapshots);
	put_named_mean(out, "sum", s->sum, snapshots);
	writer_name_number(out, "min", s->min);
	writer_name_number(out, "max", s->max);
	put_unless_bound(out, "mean", s->sum, g->point || !s->count ? s->sum : s->sum / s->count, g->point ? s->count : 0);
	if (exact || !g->weight) {	/* weights have no ranks */
		put_unless_bound(out, "stddev", s->sum, s->stddev, 0);
		writer_name_number(out, "p50", s->p50);
		writer_name_number(out, "p90", s->p90);
		writer_name_number(out, "p99", s->p99);
		writer_name_number(out, "p999", s->p999);
	}
	writer_name_number(out, "lost", s->lost);
	writer_raw(out, "}");
}

static void put_matrix(struct bytes *out, const struct grid *g, const struct shade *s, bool exact)
{
	writer_name_number(out, "ncols", g->n_cols);
	writer_name_number(out, "nrows", g->n_rows);
	if (g->row_name && !exact)
		put_row_names(out, g);
	else
		put_edges(out, g);
	writer_open(out, "columns", "[");
	for (size_t col = 0; col < g->n_cols; col++) {
		writer_comma(out);
		put_column(out, g, s, col, col, 0, exact);
	}
	writer_raw(out, "]");
	put_summary(out, g, exact);
}

void payload_grid(struct bytes *out, const struct grid *g, const struct shade *s)
{
	writer_name_seconds(out, "from", g->from_ns);
	writer_name_seconds(out, "column", (__s64)g->col_ns);
	writer_name_seconds(out, "slot", (__s64)g->slot_ns);
	put_matrix(out, g, s, false);
}

void payload_grid_exact(struct bytes *out, const struct grid *g)
{
	writer_name_number(out, "from_ns", (__u64)g->from_ns);
	writer_name_number(out, "column_ns", g->col_ns);
	writer_name_number(out, "slot_ns", g->slot_ns);
	writer_name_number(out, "nsources", g->n_sources);
	put_matrix(out, g, NULL, true);
}

static void put_colour(struct bytes *out, __u32 rgb)
{
	char text[16];

	snprintf(text, sizeof(text), "\"#%06x\"", rgb & 0xffffff);
	writer_raw(out, text);
}

static void put_reals(struct bytes *out, const char *name, const double *x, size_t n)
{
	writer_open(out, name, "[");
	for (size_t i = 0; i < n; i++) {
		writer_comma(out);
		writer_real(out, x[i]);
	}
	writer_raw(out, "]");
}

void payload_shade(struct bytes *out, const struct shade *s, enum palette_theme theme, enum palette_ramp ramp)
{
	struct palette p;

	palette_make(theme, ramp, &p);
	writer_name_text(out, "transfer", shade_transfer_name(s->transfer));
	writer_name_text(out, "yscale", s->yscale == AXIS_LOG ? "log" : "linear");
	put_reals(out, "scale", s->scale, s->n_rows);
	put_reals(out, "levels", s->level, SHADE_LEVELS);
	writer_open(out, "palette", "[");
	for (size_t i = 0; i < PALETTE_COLOURS; i++) {
		writer_comma(out);
		put_colour(out, p.colour[i]);
	}
	writer_raw(out, "]");
	writer_name(out, "zero");
	put_colour(out, p.zero);
	writer_name(out, "unobserved");
	put_colour(out, p.unobserved);
	writer_name(out, "partial");
	put_colour(out, p.partial);
	writer_name(out, "running");
	put_colour(out, p.running);
}

/* A histogram without cells had no events. */
static __u64 value_at(const struct hist *h, __u32 p_millionths)
{
	return h->cell ? hist_percentile(h, p_millionths) : 0;
}

static void put_stats(struct bytes *out, const struct hist *h, __u64 snapshots)
{
	put_named_mean(out, "count", h->count, snapshots);
	put_named_mean(out, "sum", h->sum, snapshots);
	writer_name_number(out, "min", h->count ? h->min : 0);
	writer_name_number(out, "max", h->max);
	put_unless_bound(out, "mean", h->sum, snapshots ? h->sum : hist_mean(h), snapshots ? h->count : 0);
	put_unless_bound(out, "stddev", h->sum, h->cell ? hist_stddev(h) : 0, 0);
	writer_name_number(out, "p50", value_at(h, 500000));
	writer_name_number(out, "p90", value_at(h, 900000));
	writer_name_number(out, "p99", value_at(h, 990000));
	writer_name_number(out, "p999", value_at(h, 999000));
}

static const struct in_flight_total *running_of(const struct payload_running *running, const char *key)
{
	for (size_t i = 0; running && i < running->n; i++)
		if (!strcmp(running->total[i].text, key))
			return &running->total[i];
	return NULL;
}

static bool is_total(const struct key_total *total, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(total[i].text, key))
			return true;
	return false;
}

void payload_order(struct bytes *out, enum key_order order)
{
	const char *at = KEY_ORDERS;
	char name[16];

	for (int i = 0; i < (int)order; i++)
		at = strchr(at, ' ') + 1;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, " "), at);
	writer_name_text(out, "order", name);
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* Sums over all keys. */
struct key_sums {
	double count, sum;
};

static void put_key(struct bytes *out, const char *key, const struct hist *h, struct key_sums all, __u64 snapshots, bool measured,
		    const struct in_flight_total *running)
{
	writer_open(out, NULL, "{");
	writer_name_text(out, "key", key);
	put_stats(out, h, snapshots);
	writer_name_real(out, "share", share((double)h->count, all.count));
	writer_name_real(out, "sum_share", share((double)h->sum, all.sum));
	if (measured)
		writer_name_number(out, "running", running ? running->count : 0);
	if (running)
		writer_name_number(out, "oldest", running->oldest);
	writer_raw(out, "}");
}

void payload_running(struct bytes *out, const struct payload_running *running)
{
	__u64 count = 0, oldest = 0;

	for (size_t i = 0; i < running->n; i++) {
		count += running->total[i].count;
		oldest = running->total[i].oldest > oldest ? running->total[i].oldest : oldest;
	}
	writer_open(out, "running", "{");
	writer_name_seconds(out, "time", running->end_ns);
	writer_name_number(out, "count", count);
	writer_name_number(out, "oldest", oldest);
}

void payload_keys(struct bytes *out, const struct key_total *total, size_t n, __u64 snapshots, const struct payload_running *running)
{
	static const struct hist nothing;
	struct key_sums all = { 0, 0 };
	bool other = false;

	for (size_t i = 0; i < n; i++) {
		all.count += (double)total[i].hist.count;
		all.sum += (double)total[i].hist.sum;
		other = other || total[i].other;
	}
	writer_open(out, "keys", "[");
	for (size_t i = 0; i < n; i++)
		put_key(out, total[i].text, &total[i].hist, all, snapshots, running, running_of(running, total[i].text));
	for (size_t i = 0; running && i < running->n; i++) {
		other = other || running->total[i].other;
		if (!is_total(total, n, running->total[i].text))
			put_key(out, running->total[i].text, &nothing, all, snapshots, true, &running->total[i]);
	}
	writer_raw(out, "]");
	if (running) {
		payload_running(out, running);
		writer_raw(out, "}");
	}
	if (other) {
		writer_name(out, "lower_bound");
		writer_raw(out, "true");
	}
}

void payload_stats(struct bytes *out, const struct key_total *total, size_t n, __u64 snapshots)
{
	writer_raw(out, "{");
	for (size_t i = 0; i < n; i++) {
		writer_open(out, total[i].text, "{");
		put_stats(out, &total[i].hist, snapshots);
		writer_raw(out, "}");
	}
	writer_raw(out, "}");
}

/* Returns the last value that a cell's events can have. */
static __u64 cell_last(const struct hist *h, __u32 cell)
{
	__u64 last = ruler_last(h->ruler, cell);

	return cell + 1 == ruler_cells(h->ruler) && h->max < last ? h->max : last;
}

static void put_distribution(struct bytes *out, const struct hist *h, __u64 snapshots)
{
	writer_raw(out, "[");
	for (__u32 i = 0; i < ruler_cells(h->ruler); i++) {
		if (!h->cell[i])
			continue;
		writer_comma(out);
		writer_raw(out, "[[");
		writer_number(out, ruler_first(h->ruler, i));
		writer_raw(out, ",");
		writer_number(out, cell_last(h, i));
		writer_raw(out, "],");
		put_mean(out, h->cell[i], snapshots);
		writer_raw(out, "]");
	}
	writer_raw(out, "]");
}

void payload_raw(struct bytes *out, const struct key_total *total, size_t n, bool keyed, bool numeric,
		 __u64 snapshots)
{
	if (!n && !keyed) {
		writer_raw(out, numeric ? "[]" : "0");
		return;
	}
	if (keyed)
		writer_raw(out, "{");
	for (size_t i = 0; i < n; i++) {
		if (keyed)
			writer_name(out, total[i].text);
		if (numeric)
			put_distribution(out, &total[i].hist, snapshots);
		else
			put_mean(out, hist_total(&total[i].hist), snapshots);
	}
	if (keyed)
		writer_raw(out, "}");
}

/* Returns which part of a histogram lies in the cell.  Each of its buckets lies within one of the grid's rows. */
static double part_within(const struct hist *h, const struct grid *g, const double *share)
{
	__u32 cell, end;
	double part = 0;
	size_t row = 0;

	hist_used(h, &cell, &end);
	for (; cell < end; cell++) {
		while (row + 1 < g->n_rows && g->edge[row + 1] <= ruler_first(h->ruler, cell))
			row++;
		if (row < g->n_rows && h->cell[cell])
			part += (double)h->cell[cell] * share[row];
	}
	return part;
}

static void put_present_means(struct bytes *out, const struct key_total *total, size_t n, const struct grid *g,
			      const double *share, __u64 snapshots)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		double mean = part_within(&total[i].hist, g, share) / (double)snapshots;

		if (!(mean > 0))
			continue;
		writer_name_real(out, total[i].text, mean);
		sum += mean;
	}
	writer_raw(out, "}");
	writer_name_real(out, "total", sum);
}

static void put_present_events(struct bytes *out, const struct key_total *total, size_t n, const struct grid *g,
			       const double *share)
{
	__u64 sum = 0;

	for (size_t i = 0; i < n; i++) {
		double part = part_within(&total[i].hist, g, share);
		__u64 events = part < 1 ? part > 0 : (__u64)llround(part);

		if (!events)
			continue;
		writer_name_number(out, total[i].text, events);
		sum += events;
	}
	writer_raw(out, "}");
	writer_name_number(out, "total", sum);
}

void payload_present(struct bytes *out, const struct key_total *total, size_t n, const struct grid *g, const double *share,
		     __u64 snapshots)
{
	writer_open(out, "present", "{");
	if (snapshots)
		put_present_means(out, total, n, g, share, snapshots);
	else
		put_present_events(out, total, n, g, share);
}

void payload_annotations(struct bytes *out, const struct annotation_list *a)
{
	char id[24];

	if (!a)
		return;
	writer_open(out, "annotations", "[");
	for (size_t i = 0; i < a->n; i++) {
		snprintf(id, sizeof(id), "%llu", (unsigned long long)a->item[i].id);
		writer_open(out, NULL, "{");
		writer_name_text(out, "id", id);
		writer_name_text(out, "kind", annotation_kind_name(a->item[i].kind));
		writer_name_text(out, "text", a->item[i].text);
		writer_name_seconds(out, "start_time", a->item[i].from_ns);
		writer_name(out, "end_time");
		if (a->item[i].to_ns == ANNOTATION_OPEN)
			writer_raw(out, "null");
		else
			writer_seconds(out, a->item[i].to_ns);
		writer_raw(out, "}");
	}
	writer_raw(out, "]");
}
