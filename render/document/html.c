#include "render/document/html.h"
#include "render/grid/crop.h"
#include "render/encode/markup.h"
#include "render/document/narrative.h"
#include "render/draw/sentence.h"
#include "render/document/text_table.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
	"body{background:var(--page);color:var(--text);font:16px/1.5 system-ui,sans-serif;margin:0}\n"
	"main{max-width:1248px;margin:0 auto;padding:24px}\n"
	"h1{font-size:1.5rem;margin:0 0 .25rem}\n"
	"h2{font-size:1.15rem;margin:2rem 0 .5rem}\n"
	"figure{margin:1.5rem 0}\n"
	"img{max-width:100%;height:auto;display:block}\n"
	"figcaption,caption,dt,.sentence{color:var(--muted)}\n"
	"caption{text-align:left;padding:.25rem 0}\n"
	".wide{overflow-x:auto}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
	"th,td{padding:.25rem .75rem;border-bottom:1px solid var(--rule);text-align:right;white-space:nowrap}\n"
	"th:first-child{text-align:left;padding-left:0;white-space:normal;overflow-wrap:anywhere;min-width:10rem}\n"
	"thead th{font-weight:normal;color:var(--muted)}\n"
	"tbody th{font-weight:600}\n"
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.5rem}\n"
	"dd{margin:0;overflow-wrap:anywhere}\n"
	"@media print{main{padding:0}}\n";

/* ---- elements ---- */

static void put_element(FILE *f, const char *name, const char *text)
{
	fprintf(f, "<%s>", name);
	markup_text(f, text);
	fprintf(f, "</%.*s>\n", (int)strcspn(name, " "), name);
}

/* Writes the colours of the page: those of the pictures. */
static void put_colours(FILE *f, enum palette_theme theme)
{
	struct palette p;

	palette_make(theme, PALETTE_USUAL, &p);
	fprintf(f, ":root{--page:#%06x;--text:#%06x;--muted:#%06x;--rule:#%06x}", p.page & 0xffffff, p.text & 0xffffff,
		p.muted & 0xffffff, p.rule & 0xffffff);
}

static void put_style(FILE *f)
{
	fputs("<style>\n:root{color-scheme:light dark}\n", f);
	put_colours(f, PALETTE_LIGHT);
	fputs("\n@media(prefers-color-scheme:dark){", f);
	put_colours(f, PALETTE_DARK);
	fprintf(f, "}\n%s</style>\n", style);
}

static void put_head(FILE *f, const struct figure_options *o)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"generator\" content=\"", f);
	markup_text(f, o->version ? o->version : "heatscope");
	fputs("\">\n", f);
	put_element(f, "title", o->title ? o->title : "heatscope");
	put_style(f);
	fputs("</head>\n<body>\n<main>\n", f);
}

/* Writes a table, under a heading unless that is NULL. */
static void put_table(FILE *f, const char *heading, const char *caption, const struct text_table *table)
{
	if (heading)
		put_element(f, "h2", heading);
	fputs("<div class=\"wide\">\n<table>\n", f);
	put_element(f, "caption", caption);
	fputs("<thead><tr>", f);
	for (size_t i = 0; i <= table->n_columns; i++)
		put_element(f, "th scope=\"col\"", table->head[i]);
	fputs("</tr></thead>\n<tbody>\n", f);
	for (size_t row = 0; row < table->n_rows; row++) {
		fputs("<tr>", f);
		put_element(f, "th scope=\"row\"", table->name[row]);
		for (size_t i = 0; i < table->n_columns; i++)
			put_element(f, "td", table->cell[row * table->n_columns + i]);
		fputs("</tr>\n", f);
	}
	fputs("</tbody>\n</table>\n</div>\n", f);
}

/* ---- the picture ---- */

/* Draws the maps and the chart: the page has title and table as text. */
static int draw_svg(const struct document *d, enum palette_theme theme, __u8 **ret_svg, size_t *ret_len)
{
	struct report r = *d->report;
	struct figure_options o = *d->options;

	r.table.n_rows = 0;
	o.format = FIGURE_SVG;
	o.scale = 1;
	o.height = 0;
	o.theme = theme;
	o.title = NULL;
	return report_render(&r, &o, ret_svg, ret_len);
}

static const char *report_description(const struct report *r)
{
	if (!r->n_panels)
		return "Chart, time across and values upwards.";
	return r->chart ? "Chart and heat maps, time across and values upwards." : "Heat maps, time across and values upwards.";
}

static int put_picture(FILE *f, const struct document *d)
{
	static const char type[] = "image/svg+xml";
	char sentence[SENTENCE_MAX], coverage[SENTENCE_MAX];
	__u8 *light = NULL, *dark = NULL;
	size_t n_light, n_dark;
	int err = draw_svg(d, PALETTE_LIGHT, &light, &n_light) ?: draw_svg(d, PALETTE_DARK, &dark, &n_dark);

	if (!err) {
		sentence_summary(report_grid(d->report), d->options->zone, sentence, sizeof(sentence));
		sentence_coverage(report_grid(d->report), coverage, sizeof(coverage));
		fputs("<figure>\n<picture>\n<source media=\"(prefers-color-scheme: dark)\" srcset=\"", f);
		markup_data(f, type, dark, n_dark);
		fprintf(f, "\">\n<img width=\"%u\" alt=\"%s ", d->options->width, report_description(d->report));
		markup_text(f, sentence);
		fputs("\" src=\"", f);
		markup_data(f, type, light, n_light);
		fputs("\">\n</picture>\n<figcaption>", f);
		markup_text(f, coverage);
		fputs("</figcaption>\n</figure>\n", f);
	}
	free(light);
	free(dark);
	return err;
}

/* ---- words and tables ---- */

/* Writes what lies beyond the value axis. */
static void put_cropped(FILE *f, const struct document *d)
{
	char sentence[SENTENCE_MAX], line[2 * SENTENCE_MAX];

	for (size_t i = 0; d->options->ymax && i < d->report->n_panels; i++) {
		const char *title = d->report->panel[i].title;

		crop_sentence(d->report->panel[i].grid, d->options->ymax, sentence, sizeof(sentence));
		if (!*sentence)
			continue;
		snprintf(line, sizeof(line), title ? "%s: %s" : "%s%s", title ? title : "", sentence);
		put_element(f, "p", line);
	}
}

static void put_narratives(FILE *f, const struct document *d)
{
	const struct report *r = d->report;

	if (r->n_panels)
		put_element(f, "h2", "In words");
	for (size_t i = 0; i < r->n_panels; i++) {
		char text[NARRATIVE_TEXT];

		narrative_text(r->panel[i].grid, i ? r->panel[i].table : &r->table, d->options->zone, text);
		if (!*text)
			continue;
		fputs("<p><b>", f);
		markup_text(f, r->panel[i].title ? r->panel[i].title : "");
		fputs("</b> ", f);
		markup_text(f, text);
		fputs("</p>\n", f);
	}
}

static int put_measures(FILE *f, const struct report *r)
{
	struct text_table s;
	int err = text_table_of_measures(r, &s);

	if (!err && s.n_rows)
		put_table(f, "Measures", r->panel[0].grid->point ?
			  "All of the time; counts are means over the slots observed" : "All of the time", &s);
	text_table_fini(&s);
	return err;
}

static int put_parts(FILE *f, const struct bar *b)
{
	struct text_table s;
	int err = text_table_of_parts(b, &s);

	if (!err && s.n_rows)
		put_table(f, "Parts", b->title ? b->title : "", &s);
	text_table_fini(&s);
	return err;
}

static int put_keys(FILE *f, const struct report_table *t)
{
	char caption[192];
	struct text_table s;
	int err = t ? text_table_of_keys(t, &s) : 0;

	if (err || !t)
		return err;
	snprintf(caption, sizeof(caption), "%zu keys, counted in %.60s%s", t->n_rows, t->counted ? t->counted : "events",
		 t->lower_bound ? "; some are in other, so counts are lower bounds" : "");
	if (s.n_rows)
		put_table(f, t->title ? t->title : "Keys", caption, &s);
	text_table_fini(&s);
	return 0;
}

static int put_all_keys(FILE *f, const struct report *r)
{
	int err = put_keys(f, &r->table);

	for (size_t i = 0; i < r->n_panels && !err; i++)
		err = put_keys(f, r->panel[i].table);
	return err;
}

static int put_gaps(FILE *f, const struct grid *g, const struct zone *zone)
{
	char name[AXIS_ZONE], caption[192];
	struct text_table s;
	int err = text_table_of_gaps(g, zone, &s);

	put_element(f, "h2", "Missing data");
	text_table_zone(g, zone, name);
	snprintf(caption, sizeof(caption), "Times are %s; %zu stretches%s", name, s.n_rows + s.n_more,
		 s.n_more ? ", of which the first 200 are listed" : "");
	if (!err && s.n_rows)
		put_table(f, NULL, caption, &s);
	else
		put_element(f, "p", "None: every expected source reported in every slot, and no event was lost.");
	text_table_fini(&s);
	return err;
}

/* ---- the page ---- */

static void put_facts(FILE *f, const struct document *d)
{
	if (!d->n_facts)
		return;
	put_element(f, "h2", "Origin");
	fputs("<dl>\n", f);
	for (size_t i = 0; i < d->n_facts; i++) {
		put_element(f, "dt", d->fact[i].name);
		put_element(f, "dd", d->fact[i].value);
	}
	fputs("</dl>\n", f);
}

static int put_page(FILE *f, const struct document *d)
{
	const struct report *r = d->report;
	char sentence[SENTENCE_MAX];
	int err;

	if (!r->n_panels && !r->chart)
		return -EINVAL;
	put_head(f, d->options);
	put_element(f, "h1", d->options->title ? d->options->title : "heatscope");
	sentence_summary(report_grid(r), d->options->zone, sentence, sizeof(sentence));
	put_element(f, "p class=\"sentence\"", sentence);
	err = put_picture(f, d);
	put_cropped(f, d);
	put_narratives(f, d);
	if (!err)
		err = put_measures(f, r);
	if (!err)
		err = put_parts(f, r->bar);
	if (!err)
		err = put_all_keys(f, r);
	if (!err)
		err = put_gaps(f, report_grid(r), d->options->zone);
	put_facts(f, d);
	fputs("</main>\n</body>\n</html>\n", f);
	return err;
}

int html_render(const struct document *d, __u8 **ret_bytes, size_t *ret_len)
{
	char *page = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&page, &len);
	int err = f ? put_page(f, d) : -ENOMEM;

	if (f && (ferror(f) | fclose(f)) && !err)
		err = -ENOMEM;
	if (err) {
		free(page);
		return err;
	}
	*ret_bytes = (__u8 *)page;
	*ret_len = len;
	return 0;
}
