#include "render/document/report.h"
#include "render/grid/crop.h"
#include "render/draw/caption.h"
#include "render/document/maps.h"
#include "render/draw/sentence.h"
#include "render/document/text_table.h"
#include <errno.h>
#include <stdio.h>

#define PANEL_HEIGHT 200		/* if the report chooses it */
#define PANEL_HEIGHT_MIN 80
#define CHART_HEIGHT 150
#define LEGEND_ABOVE 6			/* px between the time axis and the layers' names */
#define PANEL_TITLE 22
#define PANEL_GAP 12

struct job {
	const struct report *report;
	const struct figure_options *options;
	struct maps maps;
	struct text_table table;	/* the table */
	double legend_height;
};

/* The width between the margins. */
static double inner_width(unsigned width)
{
	return width - 24.0 - PLOT_RIGHT;
}

static size_t table_rows(const struct report *r)
{
	return r->table.n_rows < REPORT_ROWS_MAX ? r->table.n_rows : REPORT_ROWS_MAX;
}

static unsigned table_height(const struct report *r)
{
	size_t lines = table_rows(r) + 1 + (r->table.n_rows > REPORT_ROWS_MAX);

	return r->table.n_rows ? PANEL_TITLE + 14 + lines * TEXT_TABLE_LINE : 0;
}

/* The height of the chart with its title, its legend and the space below. */
static unsigned chart_height(const struct report *r, unsigned width)
{
	if (!r->chart)
		return 0;
	return PANEL_TITLE + CHART_HEIGHT + 8 + LEGEND_LINE * chart_legend_lines(r->chart, inner_width(width)) + PANEL_GAP;
}

/* The height of everything but the frames of the panels. */
static unsigned fixed_height(const struct report *r, unsigned width)
{
	unsigned gaps = r->n_panels ? (r->n_panels - 1) * PANEL_GAP : 0;

	return CAPTION_HEAD + chart_height(r, width) + r->n_panels * PANEL_TITLE + gaps + PLOT_TIME + 4 +
	       CAPTION_KEY + 10 + bar_height(r->bar, inner_width(width)) + table_height(r) + CAPTION_FOOTER + 10;
}

bool report_valid(const struct report *r, const struct figure_options *o)
{
	if ((!r->n_panels && !r->chart) || r->n_panels > REPORT_PANELS_MAX || (r->chart && !chart_valid(r->chart, o->width)))
		return false;
	for (size_t i = 0; i < r->n_panels; i++) {
		const struct grid *a = r->panel[0].grid, *b = r->panel[i].grid;

		if (a->n_cols != b->n_cols || a->from_ns != b->from_ns || a->col_ns != b->col_ns || !b->n_rows || !b->n_cols)
			return false;
	}
	return o->width >= FIGURE_WIDTH_MIN && o->width <= FIGURE_SIDE_MAX && o->height <= FIGURE_SIDE_MAX &&
	       (o->scale == 1 || o->scale == 2) && (!o->ymax || o->ymin < o->ymax);
}

const struct grid *report_grid(const struct report *r)
{
	return r->n_panels ? r->panel[0].grid : r->chart->grid;
}

static bool page_valid(const struct report *r, const struct figure_options *o)
{
	unsigned least = fixed_height(r, o->width) + r->n_panels * PANEL_HEIGHT_MIN;

	return least <= FIGURE_SIDE_MAX && (!o->height || o->height >= least);
}

/* --- table ------------------------------------------------------------------------------------ */

static void table_rest(struct canvas *c, const struct report *r, double left, double y)
{
	char text[160], number[AXIS_TEXT], total[AXIS_TEXT];
	double count = 0, sum = 0;

	for (size_t i = REPORT_ROWS_MAX; i < r->table.n_rows; i++) {
		count += r->table.row[i].count;
		sum += r->table.row[i].sum;
	}
	axis_format_count(count, number);
	axis_format(sum, axis_unit(r->table.unit), total);
	snprintf(text, sizeof(text), "and %zu more with %s%s%s %.24s", r->table.n_rows - REPORT_ROWS_MAX,
		 r->table.counts_only ? "" : total, r->table.counts_only ? "" : " in ", number, r->table.counted ? r->table.counted : "events");
	canvas_colour(c, c->palette.muted);
	canvas_text(c, CANVAS_LEFT, left, y, text);
}

static void draw_table(struct canvas *c, const struct job *j, double y)
{
	const struct report *r = j->report;

	if (!r->table.n_rows)
		return;
	canvas_font(c, CANVAS_TEXT + 1, true);
	canvas_colour(c, c->palette.text);
	canvas_text(c, CANVAS_LEFT, 24, y + 16, r->table.title ? r->table.title : "");
	y = text_table_draw(c, &j->table, 0, table_rows(r), 24, y + PANEL_TITLE + 14, inner_width(c->width));
	if (r->table.n_rows > REPORT_ROWS_MAX)
		table_rest(c, r, 24, y + TEXT_TABLE_LINE);
}

/* --- page ------------------------------------------------------------------------------------- */

static void draw_subhead(struct canvas *c, double y, const char *text)
{
	canvas_font(c, CANVAS_TEXT + 1, true);
	canvas_colour(c, c->palette.text);
	canvas_text(c, CANVAS_LEFT, PLOT_LEFT, y + 14, text ? text : "");
}

/* Draws the chart on its own axis: the range of the maps does not apply to it. */
static double draw_chart(struct canvas *c, const struct job *j, double y)
{
	const struct chart *chart = j->report->chart;
	struct figure_options o = *j->options;
	double below = y + PANEL_TITLE + CHART_HEIGHT + (j->maps.n ? 8 : PLOT_TIME + 4);

	if (!chart)
		return y;
	o.ymin = o.ymax = 0;
	draw_subhead(c, y, chart->what);
	chart_draw(c, chart, &o, y + PANEL_TITLE, CHART_HEIGHT, !j->maps.n);
	chart_legend(c, chart, below, inner_width(c->width));
	return y + chart_height(j->report, c->width) + (j->maps.n ? 0 : PLOT_TIME + 4 - 8);
}

/* Draws the title of a map, and what lies beyond its axis. */
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
	for (size_t i = 0; i < j->maps.n; i++) {
		draw_title(c, &j->report->panel[i], j->options, y);
		maps_draw(c, &j->maps, i, j->options, y + PANEL_TITLE, height, i + 1 == j->maps.n);
		y += PANEL_TITLE + height + PANEL_GAP;
	}
	return y - PANEL_GAP + PLOT_TIME + 4;
}

/* Draws the maps, and the legend of their layers. */
static double draw_maps(struct canvas *c, const struct job *j, double y)
{
	double room = c->height - fixed_height(j->report, c->width) - j->legend_height, height;

	if (!j->maps.n)
		return y;
	height = room / j->maps.n;
	if (height < PANEL_HEIGHT_MIN - LEGEND_LINE)
		c->err = -EINVAL;
	if (c->err)
		return y;
	caption_legend(c, &j->maps.shade[0], j->maps.grid[0], &j->maps.ramps[0], &j->maps.legend, c->width - PLOT_RIGHT,
		       14);
	y = draw_panels(c, j, y, height);
	if (j->maps.legend.n)
		y += LEGEND_ABOVE;
	legend_draw(c, j->maps.legend.item, j->maps.legend.n, 24, y, inner_width(c->width));
	return y + j->legend_height - (j->maps.legend.n ? LEGEND_ABOVE : 0);
}

static void draw_report(struct canvas *c, const struct job *j)
{
	struct figure_options o = *j->options;
	const struct grid *first = j->maps.n ? j->maps.grid[0] : j->report->chart->grid;
	char summary[SENTENCE_MAX];
	double y;

	o.percentiles = o.percentiles && j->maps.n;
	sentence_summary(first, o.zone, summary, sizeof(summary));
	canvas_describe(c, o.subtitle, summary);
	caption_head(c, &o, 24, c->width - CAPTION_LEGEND_WIDTH - 24 - 36);
	y = draw_maps(c, j, draw_chart(c, j, CAPTION_HEAD));
	caption_key(c, &o, j->maps.n ? j->maps.grid : &first, j->maps.n ? j->maps.n : 1, 24, y);
	y += CAPTION_KEY + 10;
	bar_draw(c, j->report->bar, 24, y, inner_width(c->width));
	draw_table(c, j, y + bar_height(j->report->bar, inner_width(c->width)));
	caption_footer(c, first, j->maps.n ? &j->maps.shade[0] : NULL, &o, 24, c->height - CAPTION_FOOTER - 6);
}

static void job_fini(struct job *j)
{
	maps_fini(&j->maps);
	text_table_fini(&j->table);
}

static int job_init(struct job *j, const struct report *r, const struct figure_options *o)
{
	const struct legend *l = &j->maps.legend;
	int err;

	*j = (struct job){ .report = r, .options = o };
	err = maps_init(&j->maps, r, o);
	if (!err)
		err = text_table_of_keys(&r->table, &j->table);
	if (err) {
		job_fini(j);
		return err;
	}
	j->legend_height = legend_lines(l->item, l->n, inner_width(o->width)) * LEGEND_LINE + (l->n ? LEGEND_ABOVE : 0);
	return 0;
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

	if (!report_valid(r, o) || !page_valid(r, o))
		return -EINVAL;
	err = job_init(&j, r, o);
	if (err)
		return err;
	err = canvas_init(&c, o, o->height ? o->height : (unsigned)(fixed_height(r, o->width) + j.legend_height + r->n_panels * PANEL_HEIGHT),
			  end_ns(j.maps.n ? j.maps.grid[0] : r->chart->grid));
	if (!err) {
		draw_report(&c, &j);
		err = canvas_bytes(&c, ret_bytes, ret_len);
		canvas_fini(&c);
	}
	job_fini(&j);
	return err;
}
