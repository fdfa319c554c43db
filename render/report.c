#include "report.h"
#include "crop.h"
#include "explain.h"
#include "legend.h"
#include "panel.h"
#include "sentence.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PANEL_HEIGHT 200		/* where the report may choose */
#define PANEL_HEIGHT_MIN 80
#define CHART_HEIGHT 150
#define LEGEND_ABOVE 6			/* px between the time axis and the layers' names */
#define PANEL_TITLE 22
#define PANEL_GAP 12
#define TABLE_LINE 21
#define N_COLUMNS 7

struct job {
	const struct report *report;
	const struct figure_options *options;
	size_t n;
	const struct grid *grid[REPORT_PANELS_MAX];
	struct grid *folded[REPORT_PANELS_MAX];	/* those of ours; NULL: the caller's */
	struct shade shade[REPORT_PANELS_MAX];
	struct tints tints[REPORT_PANELS_MAX];
	struct legend legend;		/* of the first grid's layers */
	double legend_height;
};

/* Between the margins. */
static double inner_width(unsigned width)
{
	return width - 24.0 - PLOT_RIGHT;
}

static size_t table_rows(const struct report *r)
{
	return r->n_rows < REPORT_ROWS_MAX ? r->n_rows : REPORT_ROWS_MAX;
}

static unsigned table_height(const struct report *r)
{
	size_t lines = table_rows(r) + 1 + (r->n_rows > REPORT_ROWS_MAX);

	return r->n_rows ? PANEL_TITLE + 14 + lines * TABLE_LINE : 0;
}

/* The chart with its title and legend, up to what comes below it. */
static unsigned chart_height(const struct report *r, unsigned width)
{
	if (!r->chart)
		return 0;
	return PANEL_TITLE + CHART_HEIGHT + 8 + LEGEND_LINE * chart_legend_lines(r->chart, inner_width(width)) + PANEL_GAP;
}

/* Everything but the frames of the panels. */
static unsigned fixed_height(const struct report *r, unsigned width)
{
	unsigned gaps = r->n_panels ? (r->n_panels - 1) * PANEL_GAP : 0;

	return EXPLAIN_HEAD + chart_height(r, width) + r->n_panels * PANEL_TITLE + gaps + PLOT_TIME + 4 + EXPLAIN_KEY + 10 +
	       bar_height(r->bar, inner_width(width)) + table_height(r) + EXPLAIN_FOOTER + 10;
}

static int report_valid(const struct report *r, const struct figure_options *o)
{
	unsigned least;

	if ((!r->n_panels && !r->chart) || r->n_panels > REPORT_PANELS_MAX || (r->chart && !chart_valid(r->chart, o->width)))
		return 0;
	for (size_t i = 0; i < r->n_panels; i++) {
		const struct grid *a = r->panel[0].grid, *b = r->panel[i].grid;

		if (a->n_cols != b->n_cols || a->from_ns != b->from_ns || a->col_ns != b->col_ns || !b->n_rows || !b->n_cols)
			return 0;
	}
	least = fixed_height(r, o->width) + r->n_panels * PANEL_HEIGHT_MIN;
	return o->width >= FIGURE_WIDTH_MIN && o->width <= FIGURE_SIDE_MAX && o->height <= FIGURE_SIDE_MAX &&
	       least <= FIGURE_SIDE_MAX && (!o->height || o->height >= least) &&
	       (o->scale == 1 || o->scale == 2) && (!o->ymax || o->ymin < o->ymax);
}

/* --- table ------------------------------------------------------------------------------------ */

static void table_cell(struct canvas *c, unsigned column, double left, double right, double y, const char *text)
{
	double step = (right - left) * 0.68 / N_COLUMNS;

	canvas_text(c, CANVAS_RIGHT, right - (N_COLUMNS - 1 - column) * step, y, text);
}

static void table_head(struct canvas *c, const struct report *r, double left, double right, double y)
{
	const char *const head[N_COLUMNS] = { r->count_title ? r->count_title : "count", "mean", "p50", "p90",
					      "p99", "p99.9", "max" };

	canvas_font(c, CANVAS_TEXT, false);
	canvas_colour(c, c->palette.muted);
	if (r->counts_only) {
		table_cell(c, N_COLUMNS - 2, left, right, y, head[0]);
		table_cell(c, N_COLUMNS - 1, left, right, y, "share");
	}
	for (unsigned i = 0; i < N_COLUMNS && !r->counts_only; i++)
		table_cell(c, i, left, right, y, head[i]);
	canvas_colour(c, c->palette.axis);
	canvas_line(c, left, y + 6.5, right, y + 6.5);
}

static void put_row_count(const struct report *r, const struct report_row *row, char *out, size_t room)
{
	char text[AXIS_TEXT];

	axis_format_count(row->count, text);
	snprintf(out, room, "%s%s", r->lower_bound ? "≥ " : "", text);
}

/* A row of a table without values: how many, and which part of all. */
static void table_count(struct canvas *c, const struct report *r, const struct report_row *row, double left, double right,
			double y)
{
	char text[AXIS_TEXT + 8];
	double sum = 0;

	put_row_count(r, row, text, sizeof(text));
	table_cell(c, N_COLUMNS - 2, left, right, y, text);
	for (size_t i = 0; i < r->n_rows; i++)
		sum += r->row[i].count;
	axis_format(sum > 0 ? 100 * row->count / sum : 0, AXIS_PERCENT, text);
	table_cell(c, N_COLUMNS - 1, left, right, y, text);
}

static void table_values(struct canvas *c, const struct report *r, const struct report_row *row, double left, double right,
			 double y)
{
	const __u64 value[N_COLUMNS] = { 0, row->mean, row->p50, row->p90, row->p99, row->p999, row->max };
	char text[AXIS_TEXT + 8];

	put_row_count(r, row, text, sizeof(text));
	table_cell(c, 0, left, right, y, text);
	for (unsigned i = 1; i < N_COLUMNS; i++) {
		axis_format((double)value[i], axis_unit(r->unit), text);
		table_cell(c, i, left, right, y, row->count > 0 ? text : "–");
	}
}

static void table_row(struct canvas *c, const struct report *r, const struct report_row *row, double left,
		      double right, double y)
{
	canvas_colour(c, c->palette.text);
	canvas_text_within(c, left, y, (right - left) * 0.24, row->name && *row->name ? row->name : "(all)");
	(r->counts_only ? table_count : table_values)(c, r, row, left, right, y);
	canvas_colour(c, c->palette.rule);
	canvas_line(c, left, y + 6.5, right, y + 6.5);
}

static void table_rest(struct canvas *c, const struct report *r, double left, double y)
{
	char text[96], count[AXIS_TEXT];
	double sum = 0;

	for (size_t i = REPORT_ROWS_MAX; i < r->n_rows; i++)
		sum += r->row[i].count;
	axis_format_count(sum, count);
	snprintf(text, sizeof(text), "and %zu more with %s %.24s", r->n_rows - REPORT_ROWS_MAX, count,
		 r->count_title ? r->count_title : "events");
	canvas_colour(c, c->palette.muted);
	canvas_text(c, CANVAS_LEFT, left, y, text);
}

static void draw_table(struct canvas *c, const struct report *r, double y)
{
	double left = 24, right = c->width - PLOT_RIGHT;

	if (!r->n_rows)
		return;
	canvas_font(c, CANVAS_TEXT + 1, true);
	canvas_colour(c, c->palette.text);
	canvas_text(c, CANVAS_LEFT, left, y + 16, r->table_title ? r->table_title : "");
	y += PANEL_TITLE + 14;
	table_head(c, r, left, right, y);
	for (size_t i = 0; i < table_rows(r); i++)
		table_row(c, r, &r->row[i], left, right, y += TABLE_LINE);
	if (r->n_rows > REPORT_ROWS_MAX)
		table_rest(c, r, left, y + TABLE_LINE);
}

/* --- page ------------------------------------------------------------------------------------- */

static void draw_subhead(struct canvas *c, double y, const char *text)
{
	canvas_font(c, CANVAS_TEXT + 1, true);
	canvas_colour(c, c->palette.text);
	canvas_text(c, CANVAS_LEFT, PLOT_LEFT, y + 14, text ? text : "");
}

/* The chart has an axis of its own: the range of the maps is not its. */
static double draw_chart(struct canvas *c, const struct job *j, double y)
{
	const struct chart *chart = j->report->chart;
	struct figure_options o = *j->options;
	double below = y + PANEL_TITLE + CHART_HEIGHT + (j->n ? 8 : PLOT_TIME + 4);

	if (!chart)
		return y;
	o.ymin = o.ymax = 0;
	draw_subhead(c, y, chart->what);
	chart_draw(c, chart, &o, y + PANEL_TITLE, CHART_HEIGHT, !j->n);
	chart_legend(c, chart, below, inner_width(c->width));
	return y + chart_height(j->report, c->width) + (j->n ? 0 : PLOT_TIME + 4 - 8);
}

/* The map's title, and what its axis does not reach. */
static void draw_title(struct canvas *c, const struct report_panel *panel, const struct figure_options *o, double y)
{
	char cropped[SENTENCE_MAX] = "";
	double x = PLOT_LEFT;

	draw_subhead(c, y, panel->title);
	if (o->ymax)
		crop_sentence(panel->grid, o->ymax, cropped, sizeof(cropped));
	x += canvas_text_width(c, panel->title ? panel->title : "") + 16;
	canvas_font(c, CANVAS_TEXT, false);
	canvas_colour(c, c->palette.muted);
	canvas_text_within(c, x, y + 14, c->width - PLOT_RIGHT - x, cropped);
}

static double draw_panels(struct canvas *c, const struct job *j, double y, double height)
{
	struct panel p = { .options = j->options, .x = PLOT_LEFT, .height = height,
			   .width = c->width - PLOT_LEFT - PLOT_RIGHT };

	panel_range(j->grid, j->n, j->options, &p.range);
	for (size_t i = 0; i < j->n; i++) {
		draw_title(c, &j->report->panel[i], j->options, y);
		p.grid = j->grid[i];
		p.shade = &j->shade[i];
		p.tints = &j->tints[i];
		p.y = y + PANEL_TITLE;
		p.time_labels = i + 1 == j->n;
		panel_draw(c, &p);
		y += PANEL_TITLE + height + PANEL_GAP;
	}
	return y - PANEL_GAP + PLOT_TIME + 4;
}

/* Maps, and the legend of their layers. */
static double draw_maps(struct canvas *c, const struct job *j, double y)
{
	double room = c->height - fixed_height(j->report, c->width) - j->legend_height, height;

	if (!j->n)
		return y;
	height = room / j->n;
	if (height < PANEL_HEIGHT_MIN - LEGEND_LINE)
		c->err = -EINVAL;
	if (c->err)
		return y;
	explain_legend(c, &j->shade[0], j->grid[0], &j->tints[0], &j->legend, c->width - PLOT_RIGHT, 14);
	y = draw_panels(c, j, y, height);
	if (j->legend.n)
		y += LEGEND_ABOVE;
	legend_draw(c, j->legend.item, j->legend.n, 24, y, inner_width(c->width));
	return y + j->legend_height - (j->legend.n ? LEGEND_ABOVE : 0);
}

static void draw(struct canvas *c, const struct job *j)
{
	struct figure_options o = *j->options;
	const struct grid *first = j->n ? j->grid[0] : j->report->chart->grid;
	char summary[SENTENCE_MAX];
	double y;

	o.percentiles = o.percentiles && j->n;
	sentence_summary(first, o.utc_offset_s, summary, sizeof(summary));
	canvas_describe(c, o.subtitle, summary);
	explain_head(c, &o, 24, c->width - EXPLAIN_LEGEND_WIDTH - 24 - 36);
	y = draw_maps(c, j, draw_chart(c, j, EXPLAIN_HEAD));
	explain_key(c, &o, j->n ? j->grid : &first, j->n ? j->n : 1, 24, y);
	y += EXPLAIN_KEY + 10;
	bar_draw(c, j->report->bar, 24, y, inner_width(c->width));
	draw_table(c, j->report, y + bar_height(j->report->bar, inner_width(c->width)));
	explain_footer(c, first, j->n ? &j->shade[0] : NULL, &o, 24, c->height - EXPLAIN_FOOTER - 6);
}

static void job_fini(struct job *j)
{
	for (size_t i = 0; i < j->n; i++) {
		shade_fini(&j->shade[i]);
		tints_fini(&j->tints[i]);
		grid_free(j->folded[i]);
	}
	legend_fini(&j->legend);
}

static int job_init(struct job *j, const struct report *r, const struct figure_options *o)
{
	size_t k = r->n_panels ? panel_fold(r->panel[0].grid->n_cols, o->width - PLOT_LEFT - PLOT_RIGHT) : 1;
	struct shade_options shading;
	int err = 0;

	figure_shading(o, &shading);
	*j = (struct job){ .report = r, .options = o, .n = r->n_panels };
	for (size_t i = 0; i < j->n && !err; i++) {
		if (k > 1)
			err = grid_fold(r->panel[i].grid, k, &j->folded[i]);
		j->grid[i] = k > 1 ? j->folded[i] : r->panel[i].grid;
	}
	if (!err && j->n)
		err = shade_make(j->grid, j->n, &shading, j->shade);
	for (size_t i = 0; i < j->n && !err; i++)
		err = tints_make(j->grid[i], o->theme, &j->tints[i]);
	if (!err && j->n)
		err = legend_make(j->grid[0], &j->tints[0], &j->legend);
	j->legend_height = legend_lines(j->legend.item, j->legend.n, inner_width(o->width)) * LEGEND_LINE;
	if (j->legend.n)
		j->legend_height += LEGEND_ABOVE;
	if (err)
		job_fini(j);
	return err;
}

static __s64 end_ns(const struct grid *g)
{
	return g->from_ns + (__s64)(g->col_ns * g->n_cols);
}

int report_render(const struct report *r, const struct figure_options *o, __u8 **ret_bytes, size_t *ret_len)
{
	struct canvas c;
	struct job j;
	int err;

	if (!report_valid(r, o))
		return -EINVAL;
	err = job_init(&j, r, o);
	if (err)
		return err;
	err = canvas_init(&c, o, o->height ? o->height : (unsigned)(fixed_height(r, o->width) + j.legend_height + r->n_panels * PANEL_HEIGHT),
			  end_ns(j.n ? j.grid[0] : r->chart->grid));
	if (!err) {
		draw(&c, &j);
		err = canvas_bytes(&c, ret_bytes, ret_len);
		canvas_fini(&c);
	}
	job_fini(&j);
	return err;
}
