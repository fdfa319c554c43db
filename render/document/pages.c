#include "render/document/pages.h"
#include "render/grid/crop.h"
#include "render/draw/caption.h"
#include "render/document/maps.h"
#include "render/document/narrative.h"
#include "render/draw/sentence.h"
#include "render/document/text_table.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>

#define MARGIN 24			/* px around the content of a page */
#define LEFT 24				/* of text; frames begin at PLOT_LEFT */
#define FOOT 34				/* the line at a page's foot, and the space above it */
#define HEADING 40
#define LINE 19				/* of a paragraph */
#define NAMES 160			/* px for the names of named lines */
#define SUBHEAD 22
#define ROWS_TOGETHER 12		/* rows that begin a table on its page, or all */
#define SMALL_MIN 70			/* of the maps of an overview */
#define CHART_MIN 150
#define CHART_MAX 300
#define MAP_MIN 160
#define HEIGHT_MIN 480

struct pages {
	struct canvas c;		/* its width and height exclude the margins */
	const struct document *d;
	struct maps maps;
	unsigned n;			/* the current page */
	double y;			/* of the next content */
};

/* ---- a page ---- */

static double width_of(const struct pages *p)
{
	return p->c.width - LEFT - PLOT_RIGHT;
}

static double bottom_of(const struct pages *p)
{
	return p->c.height - FOOT;
}

static void draw_foot(struct pages *p)
{
	const struct figure_options *o = p->d->options;
	char text[128];
	double y = p->c.height - 6;

	snprintf(text, sizeof(text), "%.60s%spage %u", o->version ? o->version : "", o->version ? "  ·  " : "", p->n);
	canvas_font(&p->c, CANVAS_TEXT, false);
	canvas_colour(&p->c, p->c.palette.rule);
	canvas_line(&p->c, LEFT, y - 17.5, p->c.width - PLOT_RIGHT, y - 17.5);
	canvas_colour(&p->c, p->c.palette.muted);
	canvas_text(&p->c, CANVAS_RIGHT, p->c.width - PLOT_RIGHT, y, text);
	canvas_text_within(&p->c, LEFT, y, width_of(p) - 240, o->title ? o->title : "");
}

static void next_page(struct pages *p)
{
	if (p->n++)
		canvas_page(&p->c);
	p->y = 0;
	draw_foot(p);
}

/* Begins the next page if the rest of this one is lower than `height`. */
static void need_height(struct pages *p, double height)
{
	if (p->y + height > bottom_of(p))
		next_page(p);
}

/* Needs the height of a whole paragraph, and sets its font. */
static void need_lines(struct pages *p, double width, const char *text)
{
	canvas_font(&p->c, CANVAS_TEXT + 1, false);
	need_height(p, (canvas_paragraph_lines(&p->c, width, text) + 1) * LINE);
	canvas_font(&p->c, CANVAS_TEXT + 1, false);	/* a new page sets another font */
}

static void put_heading(struct pages *p, const char *text, bool go_on)
{
	char whole[256];

	snprintf(whole, sizeof(whole), "%.200s%s", text, go_on ? ", continued" : "");
	canvas_font(&p->c, CANVAS_TITLE, true);
	canvas_colour(&p->c, p->c.palette.text);
	canvas_text_within(&p->c, LEFT, p->y + 22, width_of(p), whole);
	if (!go_on)
		canvas_outline(&p->c, p->n, text);
	p->y += HEADING;
}

static void put_paragraph(struct pages *p, const char *text)
{
	if (!*text)
		return;
	need_lines(p, width_of(p), text);
	canvas_colour(&p->c, p->c.palette.text);
	p->y = canvas_paragraph(&p->c, LEFT, p->y + 14, width_of(p), LINE, text) + LINE - 6;
}

/* Writes a name and its text. */
static void put_named(struct pages *p, const char *name, const char *text)
{
	if (!*text)
		return;
	need_lines(p, width_of(p) - NAMES, text);
	canvas_colour(&p->c, p->c.palette.muted);
	canvas_text_within(&p->c, LEFT, p->y + 14, NAMES - 10, name);
	canvas_colour(&p->c, p->c.palette.text);
	p->y = canvas_paragraph(&p->c, LEFT + NAMES, p->y + 14, width_of(p) - NAMES, LINE, text) + LINE - 12;
}

/* Writes a line of small print; it may be cut. */
static void put_note(struct pages *p, const char *text)
{
	need_height(p, LINE);
	canvas_font(&p->c, CANVAS_TEXT, false);
	canvas_colour(&p->c, p->c.palette.muted);
	canvas_text_within(&p->c, LEFT, p->y + 14, width_of(p), text);
	p->y += LINE;
}

/* Writes a table on as many pages as it needs. */
static void put_table(struct pages *p, const char *heading, const struct text_table *s)
{
	size_t n = s->n_rows < PAGES_KEYS_MAX ? s->n_rows : PAGES_KEYS_MAX;

	for (size_t from = 0, to; from < n; from = to) {
		size_t room;

		need_height(p, HEADING + (n < ROWS_TOGETHER ? n + 1 : ROWS_TOGETHER) * TEXT_TABLE_LINE);
		put_heading(p, heading, from > 0);
		room = (size_t)((bottom_of(p) - p->y) / TEXT_TABLE_LINE) - 1;
		to = from + room < n ? from + room : n;
		p->y = text_table_draw(&p->c, s, from, to, LEFT, p->y + 12, width_of(p)) + TEXT_TABLE_LINE;
	}
}

/* ---- the parts ---- */

static void put_title(struct pages *p)
{
	const struct figure_options *o = p->d->options;
	const struct grid *g = report_grid(p->d->report);
	char text[SENTENCE_MAX];

	canvas_font(&p->c, CANVAS_TITLE + 7, true);
	canvas_colour(&p->c, p->c.palette.text);
	canvas_text_within(&p->c, LEFT, 28, width_of(p), o->title ? o->title : "heatscope");
	p->y = 40;
	if (o->subtitle)
		put_note(p, o->subtitle);
	sentence_summary(g, o->zone, text, sizeof(text));
	put_paragraph(p, text);
	p->y -= 8;
	sentence_coverage(g, text, sizeof(text));
	put_note(p, text);
	p->y += 10;
}

/* Writes each map in words. */
static void put_narratives(struct pages *p)
{
	const struct report *r = p->d->report;

	for (size_t i = 0; i < r->n_panels; i++) {
		char text[NARRATIVE_TEXT];

		narrative_text(r->panel[i].grid, i ? r->panel[i].table : &r->table, p->d->options->zone, text);
		put_named(p, r->panel[i].title ? r->panel[i].title : "", text);
	}
	p->y += 6;
}

static int put_measures(struct pages *p)
{
	struct text_table s;
	int err = text_table_of_measures(p->d->report, &s);

	if (!err)
		put_table(p, "Measures", &s);
	text_table_fini(&s);
	return err;
}

/* Draws all maps on one time axis if they fit on the page. */
static void put_overview(struct pages *p)
{
	size_t n = p->maps.n;
	double room = bottom_of(p) - p->y - HEADING - PLOT_TIME - CAPTION_KEY - 8, height;

	if (!n || room / n - SUBHEAD < SMALL_MIN)
		return;
	put_heading(p, "Overview", false);
	height = floor(fmin(room / n - SUBHEAD, CHART_MAX));
	for (size_t i = 0; i < n; i++) {
		canvas_font(&p->c, CANVAS_TEXT, true);
		canvas_colour(&p->c, p->c.palette.text);
		canvas_text_within(&p->c, PLOT_LEFT, p->y + 17, width_of(p) - PLOT_LEFT, p->d->report->panel[i].title ?: "");
		maps_draw(&p->c, &p->maps, i, p->d->options, p->y + SUBHEAD, height, i + 1 == n);
		p->y += SUBHEAD + height;
	}
	p->y += PLOT_TIME + 4;
	caption_key(&p->c, p->d->options, p->maps.grid, n, LEFT, p->y);
	p->y += CAPTION_KEY + 4;
}

static void put_chart(struct pages *p)
{
	const struct chart *chart = p->d->report->chart;
	struct figure_options o = *p->d->options;
	double legend, height;

	if (!chart) {
		put_overview(p);
		return;
	}
	legend = chart_legend_lines(chart, width_of(p)) * LEGEND_LINE + PLOT_TIME + 12;
	need_height(p, HEADING + CHART_MIN + legend);
	put_heading(p, chart->what, false);
	height = floor(fmin(bottom_of(p) - p->y - legend, CHART_MAX));
	o.ymin = o.ymax = 0;		/* of the maps */
	chart_draw(&p->c, chart, &o, p->y, height, true);
	chart_legend(&p->c, chart, p->y + height + PLOT_TIME + 4, width_of(p));
	p->y += height + legend;
}

/* The height of a map: its whole table fits below it, else the map has the page alone. */
static double map_height(const struct pages *p, const struct report_table *t, double legend)
{
	double words = PLOT_TIME + 4 + legend + CAPTION_KEY + 4 + 3 * LINE, page = bottom_of(p) - p->y;
	double table = t && t->n_rows ? HEADING + (double)(t->n_rows + 1) * TEXT_TABLE_LINE : 0;

	return floor(fmax(table + words < page * 0.6 ? page - words - table : page - words, MAP_MIN));
}

static void put_map(struct pages *p, size_t i, const struct report_table *t)
{
	const struct figure_options *o = p->d->options;
	const struct legend *l = &p->maps.legend;
	double legend = i ? 0 : legend_lines(l->item, l->n, width_of(p)) * LEGEND_LINE, height;

	caption_legend(&p->c, &p->maps.shade[i], p->maps.grid[i], &p->maps.ramps[i], l, p->c.width - PLOT_RIGHT, 0);
	p->y = CAPTION_HEAD - 12;
	height = map_height(p, t, legend);
	maps_draw(&p->c, &p->maps, i, o, p->y, height, true);
	p->y += height + PLOT_TIME + 4;
	if (legend > 0)
		legend_draw(&p->c, l->item, l->n, LEFT, p->y, width_of(p));
	p->y += legend;
	caption_key(&p->c, o, &p->maps.grid[i], 1, LEFT, p->y);
	p->y += CAPTION_KEY + 4;
}

static int put_keys(struct pages *p, const struct report_table *t)
{
	struct text_table s;
	char more[96];
	int err = t ? text_table_of_keys(t, &s) : 0;

	if (err || !t)
		return err;
	put_table(p, t->title ? t->title : "Keys", &s);
	snprintf(more, sizeof(more), "and %zu more keys", s.n_rows > PAGES_KEYS_MAX ? s.n_rows - PAGES_KEYS_MAX : 0);
	if (s.n_rows > PAGES_KEYS_MAX)
		put_note(p, more);
	text_table_fini(&s);
	return 0;
}

/* Writes what lies beyond the value axis. */
static void put_cropped(struct pages *p, const struct grid *g)
{
	char text[SENTENCE_MAX] = "";

	if (p->d->options->ymax)
		crop_sentence(g, p->d->options->ymax, text, sizeof(text));
	if (*text)
		put_note(p, text);
}

/* Draws each map on its own page; the report's table follows the first. */
static int put_panels(struct pages *p)
{
	const struct report *r = p->d->report;
	int err = 0;

	for (size_t i = 0; i < r->n_panels && !err; i++) {
		const struct report_table *t = i ? r->panel[i].table : &r->table;
		char text[NARRATIVE_TEXT];

		next_page(p);
		put_heading(p, r->panel[i].title ? r->panel[i].title : "", false);
		put_map(p, i, t);
		put_cropped(p, r->panel[i].grid);
		narrative_text(r->panel[i].grid, t, p->d->options->zone, text);
		put_paragraph(p, text);
		err = put_keys(p, t);
	}
	return err || r->n_panels ? err : put_keys(p, &r->table);
}

static int put_parts(struct pages *p)
{
	const struct bar *b = p->d->report->bar;
	double height = bar_height(b, width_of(p));
	struct text_table s;
	int err = text_table_of_parts(b, &s);

	if (!err && s.n_rows) {
		need_height(p, HEADING + height + (s.n_rows + 3) * TEXT_TABLE_LINE);
		bar_draw(&p->c, b, LEFT, p->y, width_of(p));
		p->y += height + 8;
		put_table(p, "Parts", &s);
	}
	text_table_fini(&s);
	return err;
}

static int put_gaps(struct pages *p)
{
	const struct figure_options *o = p->d->options;
	const char *what = "Missing data";
	char name[AXIS_ZONE], text[160];
	struct text_table s;
	int err = text_table_of_gaps(report_grid(p->d->report), o->zone, &s);

	if (!err && s.n_rows) {
		put_table(p, what, &s);
		text_table_zone(report_grid(p->d->report), o->zone, name);
		snprintf(text, sizeof(text), s.n_more ? "Times are %s; %zu more stretches are not listed" : "Times are %s", name, s.n_more);
		put_note(p, text);
	} else if (!err) {
		need_height(p, HEADING + 2 * LINE);
		put_heading(p, what, false);
		put_paragraph(p, "None: every expected source reported in every slot, and no event was lost.");
	}
	text_table_fini(&s);
	return err;
}

static void put_facts(struct pages *p)
{
	const struct document *d = p->d;

	if (!d->n_facts)
		return;
	need_height(p, HEADING + 4 * LINE);
	put_heading(p, "Origin", false);
	for (size_t i = 0; i < d->n_facts; i++)
		put_named(p, d->fact[i].name, d->fact[i].value);
}

static int put_all(struct pages *p)
{
	int err;

	next_page(p);
	put_title(p);
	put_narratives(p);
	err = put_measures(p);
	put_chart(p);
	if (!err)
		err = put_panels(p);
	if (!err)
		err = put_parts(p);
	if (!err)
		err = put_gaps(p);
	put_facts(p);
	return err;
}

/* ---- the document ---- */

/* Begins the PDF: the content lies within the margins and has the width of the options. */
static int begin_pages(struct pages *p, const struct document *d)
{
	const struct grid *g = report_grid(d->report);
	struct figure_options o = *d->options;
	unsigned height;
	int err;

	o.width += 2 * MARGIN;
	o.format = FIGURE_PDF;
	o.scale = 1;
	height = o.height ? o.height : (unsigned)fmax(round(o.width / M_SQRT2), HEIGHT_MIN);
	if (height < HEIGHT_MIN)
		return -EINVAL;
	*p = (struct pages){ .d = d };
	err = canvas_init(&p->c, &o, height, g->from_ns + (__s64)(g->col_ns * g->n_cols));
	if (err)
		return err;
	cairo_translate(p->c.cr, MARGIN, MARGIN);
	p->c.width -= 2 * MARGIN;
	p->c.height -= 2 * MARGIN;
	return 0;
}

int pages_render(const struct document *d, __u8 **ret_bytes, size_t *ret_len)
{
	struct pages p;
	int err = report_valid(d->report, d->options) ? begin_pages(&p, d) : -EINVAL;

	if (err)
		return err;
	err = maps_init(&p.maps, d->report, d->options);
	if (!err)
		err = put_all(&p);
	if (!err)
		err = canvas_bytes(&p.c, ret_bytes, ret_len);
	maps_fini(&p.maps);
	canvas_fini(&p.c);
	return err;
}
