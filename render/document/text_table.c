#include "render/document/text_table.h"
#include "collector/core/saturating.h"
#include "render/draw/canvas.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BETWEEN 18			/* px between columns */
#define NAME_MIN 0.2			/* of the width */

/* ---- cells ---- */

static int text_table_init(struct text_table *s, size_t n_rows, const char *const *head)
{
	memset(s, 0, sizeof(*s));
	for (; head[s->n_columns]; s->n_columns++)
		s->head[s->n_columns] = head[s->n_columns];
	s->n_columns--;			/* the first is the names' */
	s->name = calloc(n_rows + 1, sizeof(*s->name));
	s->cell = calloc(n_rows * s->n_columns + 1, sizeof(*s->cell));
	if (s->name && s->cell)
		return 0;
	text_table_fini(s);
	return -ENOMEM;
}

void text_table_fini(struct text_table *s)
{
	free(s->name);
	free(s->cell);
	memset(s, 0, sizeof(*s));
}

/* Adds a row, and returns its first cell. */
static char (*add_row(struct text_table *s, const char *name))[TEXT_TABLE_TEXT]
{
	s->name[s->n_rows] = name && *name ? name : "(all)";
	return &s->cell[s->n_rows++ * s->n_columns];
}

static void put_count(char *cell, double count, const char *before)
{
	char number[AXIS_TEXT];

	axis_format_count(count, number);
	snprintf(cell, TEXT_TABLE_TEXT, "%s%s", before, number);
}

static void put_value(char *cell, double value, const char *unit, bool known)
{
	char text[AXIS_TEXT];

	axis_format(value, axis_unit(unit), text);
	snprintf(cell, TEXT_TABLE_TEXT, "%s", known ? text : "–");
}

static void put_percentile(char *cell, double value, double least, const char *unit, bool known)
{
	char text[AXIS_TEXT];

	axis_format_percentile(value, least, axis_unit(unit), text);
	snprintf(cell, TEXT_TABLE_TEXT, "%s", known ? text : "–");
}

static void put_share(char *cell, double part, double whole)
{
	put_value(cell, whole > 0 ? 100 * part / whole : 0, "%", true);
}

/* ---- keys ---- */

/* The base of a share: the sum, or the count if there are only counts. */
static double share_base(const struct report_table *t, const struct report_row *row)
{
	return t->counts_only ? row->count : row->sum;
}

static void put_key(const struct report_table *t, const struct report_row *row, double all,
		    char (*cell)[TEXT_TABLE_TEXT])
{
	const __u64 value[] = { row->mean, row->p50, row->p90, row->p99, row->p999, row->max };

	if (!t->counts_only)
		put_value(*cell++, row->sum, t->unit, true);
	else
		put_count(*cell++, row->count, t->lower_bound ? "≥ " : "");
	put_share(*cell++, share_base(t, row), all);
	if (t->counts_only)
		return;
	put_count(*cell++, row->count, t->lower_bound ? "≥ " : "");
	for (size_t k = 0; k < 6; k++)	/* mean and max are exact */
		put_percentile(*cell++, (double)value[k], k && k < 5 ? (double)t->least : 0, t->unit, row->count > 0 && (k || !saturated(row->sum)));
	if (!t->runs)
		return;
	put_count(*cell++, (double)row->running, "");
	put_value(*cell, (double)row->oldest, t->unit, row->running > 0);
}

int text_table_of_keys(const struct report_table *t, struct text_table *ret)
{
	const char *counted = t->counted ? t->counted : "count";
	const char *const head[] = { "key", t->counts_only ? counted : axis_sum_name(axis_unit(t->unit)), "share", t->counts_only ? NULL : counted, "mean",
				     "p50", "p90", "p99", "p99.9", "max", t->runs ? "running" : NULL, "oldest", NULL };
	double all = 0;
	int err = text_table_init(ret, t->n_rows, head);

	for (size_t i = 0; i < t->n_rows; i++)
		all += share_base(t, &t->row[i]);
	for (size_t i = 0; i < t->n_rows && !err; i++)
		put_key(t, &t->row[i], all, add_row(ret, t->row[i].name));
	return err;
}

/* ---- measures ---- */

int text_table_of_measures(const struct report *r, struct text_table *ret)
{
	static const char *const head[] = { "measure", "count", "mean", "p50", "p90", "p99", "p99.9", "max", "lost", NULL };
	int err = text_table_init(ret, r->n_panels, head);

	for (size_t i = 0; i < r->n_panels && !err; i++) {
		const struct grid *g = r->panel[i].grid;
		const struct grid_summary *s = &g->all;
		const __u64 rank[] = { s->p50, s->p90, s->p99, s->p999 };
		bool any = s->count > 0;
		char (*cell)[TEXT_TABLE_TEXT] = add_row(ret, r->panel[i].title);

		put_count(cell[0], grid_shown(g, s->n_snapshots, (double)s->count), "");
		put_value(cell[1], any ? (double)s->sum / (double)s->count : 0, g->unit, any && !saturated((double)s->sum));
		for (size_t k = 0; k < 4; k++)	/* sums of a weight have no ranks */
			put_percentile(cell[2 + k], (double)rank[k], (double)grid_least(g), g->unit, any && !g->weight);
		put_value(cell[6], (double)s->max, g->unit, any);
		put_count(cell[7], (double)s->lost, "");
	}
	return err;
}

/* ---- parts ---- */

int text_table_of_parts(const struct bar *b, struct text_table *ret)
{
	static const char *const head[] = { "part", "sum", "share", NULL };
	double all = 0;
	int err = text_table_init(ret, b ? b->n : 0, head);

	for (size_t i = 0; b && i < b->n; i++)
		all += b->part[i].amount;
	for (size_t i = 0; b && i < b->n && all > 0 && !err; i++) {
		char (*cell)[TEXT_TABLE_TEXT] = add_row(ret, b->part[i].name);

		put_value(cell[0], b->part[i].amount, b->unit, true);
		put_share(cell[1], b->part[i].amount, all);
	}
	return err;
}

/* ---- gaps ---- */

static const char *missing_word(const struct grid_column *c)
{
	switch (grid_column_state(c)) {
	case GRID_UNOBSERVED: return c->marks & GRID_DROPPED ? "no longer kept" : "not observed";
	case GRID_PARTIAL: return "partly lost";
	default: return c->marks & GRID_SAMPLED ? "sampled" : NULL;
	}
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void put_gap(const struct grid *g, size_t first, size_t end, const struct zone *zone,
		    char (*cell)[TEXT_TABLE_TEXT])
{
	char from[AXIS_TEXT], to[AXIS_TEXT], reported[AXIS_TEXT], should[AXIS_TEXT];
	__u64 reporting = 0, expected = 0, lost = 0;
	__u32 every = 0;

	for (size_t col = first; col < end; col++) {
		reporting += g->column[col].n_reporting;
		expected += g->column[col].n_expected;
		lost += g->column[col].lost;
		every = g->column[col].every > every ? g->column[col].every : every;
	}
	axis_format_time(g->from_ns + (__s64)(first * g->col_ns), zone, from);
	axis_format_time(g->from_ns + (__s64)(end * g->col_ns), zone, to);
	axis_format_count((double)reporting, reported);
	axis_format_count((double)expected, should);
	snprintf(cell[0], TEXT_TABLE_TEXT, "%s", from);
	snprintf(cell[1], TEXT_TABLE_TEXT, "%s", to);
	snprintf(cell[2], TEXT_TABLE_TEXT, "%.20s of %.20s", reported, should);
	put_count(cell[3], (double)lost, "");
	put_count(cell[4], every ? every : 1, "1 in ");
}

void text_table_zone(const struct grid *g, const struct zone *zone, char ret_text[AXIS_ZONE])
{
	axis_format_zone(zone, g->from_ns, g->from_ns + (__s64)(g->col_ns * g->n_cols), ret_text);
}

int text_table_of_gaps(const struct grid *g, const struct zone *zone, struct text_table *ret)
{
	static const char *const head[] = { "what", "from", "to", "slots reported", "lost", "looked at", NULL };
	int err = text_table_init(ret, TEXT_TABLE_GAPS_MAX, head);

	for (size_t first = 0, end; first < g->n_cols && !err; first = end) {
		const char *what = missing_word(&g->column[first]);

		for (end = first + 1; end < g->n_cols && same_text(missing_word(&g->column[end]), what); end++)
			;
		if (what && ret->n_rows == TEXT_TABLE_GAPS_MAX)
			ret->n_more++;
		else if (what)
			put_gap(g, first, end, zone, add_row(ret, what));
	}
	return err;
}

/* ---- drawn ---- */

/* A narrow table leaves these out, the first one first. */
static const char *const dispensable[] = { "p90", "p99.9", "p50", "mean", "oldest", "share", "running" };

static void leave_out(const struct text_table *s, const char *head, double wide[TEXT_TABLE_COLUMNS], double *all)
{
	for (size_t i = 0; i < s->n_columns; i++)
		if (!strcmp(s->head[i + 1], head)) {
			*all -= wide[i];
			wide[i] = 0;
		}
}

/* Finds the right ends of columns: each column is as wide as its widest text, narrower if the names need the space.  A
 * width of 0 says that the column is left out. */
static void place_columns(struct canvas *c, const struct text_table *s, double width, double wide[TEXT_TABLE_COLUMNS],
			  double end[TEXT_TABLE_COLUMNS])
{
	double all = 0, right = width, squeeze;

	for (size_t i = 0; i < s->n_columns; i++) {
		wide[i] = canvas_text_width(c, s->head[i + 1]);
		for (size_t row = 0; row < s->n_rows; row++)
			wide[i] = fmax(wide[i], canvas_text_width(c, s->cell[row * s->n_columns + i]));
		wide[i] = fmax(wide[i] + BETWEEN, width * 0.65 / TEXT_TABLE_COLUMNS);
		all += wide[i];
	}
	for (size_t i = 0; i < sizeof(dispensable) / sizeof(*dispensable) && all > width * (1 - NAME_MIN); i++)
		leave_out(s, dispensable[i], wide, &all);
	squeeze = fmin(1, width * (1 - NAME_MIN) / all);
	for (size_t i = s->n_columns; i-- > 0; right -= wide[i] *= squeeze)
		end[i] = right;
}

double text_table_draw(struct canvas *c, const struct text_table *s, size_t from, size_t to, double x, double y,
		       double width)
{
	double end[TEXT_TABLE_COLUMNS] = { 0 }, wide[TEXT_TABLE_COLUMNS] = { 0 }, names;

	canvas_font(c, CANVAS_TEXT, false);
	place_columns(c, s, width, wide, end);
	names = end[0] - fmax(wide[0], BETWEEN);
	canvas_colour(c, c->palette.muted);
	canvas_text(c, CANVAS_LEFT, x, y, s->head[0]);
	for (size_t i = 0; i < s->n_columns; i++)
		if (wide[i] > 0)
			canvas_text(c, CANVAS_RIGHT, x + end[i], y, s->head[i + 1]);
	canvas_colour(c, c->palette.axis);
	canvas_line(c, x, y + 6.5, x + width, y + 6.5);
	for (size_t row = from; row < to; row++) {
		y += TEXT_TABLE_LINE;
		canvas_colour(c, c->palette.text);
		canvas_text_within(c, x, y, names, s->name[row]);
		for (size_t i = 0; i < s->n_columns; i++)
			if (wide[i] > 0)
				canvas_text(c, CANVAS_RIGHT, x + end[i], y, s->cell[row * s->n_columns + i]);
		canvas_colour(c, c->palette.rule);
		canvas_line(c, x, y + 6.5, x + width, y + 6.5);
	}
	return y;
}
