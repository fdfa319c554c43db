#include "html.h"
#include "crop.h"
#include "markup.h"
#include "sentence.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define GAPS_MAX 200			/* stretches that are listed; the rest is counted */

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

/* The colours are those of the pictures. */
static void put_colours(FILE *f, enum palette_theme theme)
{
	struct palette p;

	palette_make(theme, &p);
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

static void begin_table(FILE *f, const char *caption, const char *const *head)
{
	fputs("<div class=\"wide\">\n<table>\n", f);
	put_element(f, "caption", caption);
	fputs("<thead><tr>", f);
	for (; *head; head++)
		put_element(f, "th scope=\"col\"", *head);
	fputs("</tr></thead>\n<tbody>\n", f);
}

static void end_table(FILE *f)
{
	fputs("</tbody>\n</table>\n</div>\n", f);
}

static void put_value(FILE *f, double value, const char *unit, bool known)
{
	char text[AXIS_TEXT];

	axis_format(value, axis_unit(unit), text);
	put_element(f, "td", known ? text : "–");
}

static void put_count(FILE *f, double count, const char *before)
{
	char text[AXIS_TEXT + 8], number[AXIS_TEXT];

	axis_format_count(count, number);
	snprintf(text, sizeof(text), "%s%s", before, number);
	put_element(f, "td", text);
}

/* ---- the picture ---- */

/* Title and table are the page's, as text: the picture is the maps and the chart. */
static int draw(const struct html *h, enum palette_theme theme, __u8 **ret_svg, size_t *ret_len)
{
	struct report r = *h->report;
	struct figure_options o = *h->options;

	r.n_rows = 0;
	o.format = FIGURE_SVG;
	o.scale = 1;
	o.height = 0;
	o.theme = theme;
	o.title = NULL;
	return report_render(&r, &o, ret_svg, ret_len);
}

static const struct grid *first_grid(const struct report *r)
{
	return r->n_panels ? r->panel[0].grid : r->chart->grid;
}

static const char *described(const struct report *r)
{
	if (!r->n_panels)
		return "Chart, time across and values upwards.";
	return r->chart ? "Chart and heat maps, time across and values upwards." : "Heat maps, time across and values upwards.";
}

static int put_picture(FILE *f, const struct html *h)
{
	static const char type[] = "image/svg+xml";
	char sentence[SENTENCE_MAX], coverage[SENTENCE_MAX];
	__u8 *light = NULL, *dark = NULL;
	size_t n_light, n_dark;
	int err = draw(h, PALETTE_LIGHT, &light, &n_light) ?: draw(h, PALETTE_DARK, &dark, &n_dark);

	if (!err) {
		sentence_summary(first_grid(h->report), h->options->utc_offset_s, sentence, sizeof(sentence));
		sentence_coverage(first_grid(h->report), coverage, sizeof(coverage));
		fputs("<figure>\n<picture>\n<source media=\"(prefers-color-scheme: dark)\" srcset=\"", f);
		markup_data(f, type, dark, n_dark);
		fprintf(f, "\">\n<img width=\"%u\" alt=\"%s ", h->options->width, described(h->report));
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

/* ---- tables ---- */

static void put_map(FILE *f, const struct report_panel *panel)
{
	const struct grid *g = panel->grid;
	const struct grid_summary *s = &g->all;
	bool any = s->count > 0, ranks = any && !g->weight;

	fputs("<tr>", f);
	put_element(f, "th scope=\"row\"", panel->title);
	put_count(f, grid_shown(g, s->n_snapshots, (double)s->count), "");
	put_value(f, any ? (double)s->sum / (double)s->count : 0, g->unit, any);
	put_value(f, (double)s->p50, g->unit, ranks);
	put_value(f, (double)s->p90, g->unit, ranks);
	put_value(f, (double)s->p99, g->unit, ranks);
	put_value(f, (double)s->p999, g->unit, ranks);
	put_value(f, (double)s->max, g->unit, any);
	put_count(f, (double)s->lost, "");
	fputs("</tr>\n", f);
}

static void put_maps(FILE *f, const struct report *r)
{
	static const char *const head[] = { "Measure", "Count", "Mean", "p50", "p90", "p99", "p99.9", "Max", "Lost", NULL };

	if (!r->n_panels)
		return;
	put_element(f, "h2", "Measures");
	begin_table(f, r->panel[0].grid->point ? "All of the time; counts are means over the slots observed" : "All of the time", head);
	for (size_t i = 0; i < r->n_panels; i++)
		put_map(f, &r->panel[i]);
	end_table(f);
}

/* What the value axis does not reach. */
static void put_cropped(FILE *f, const struct html *h)
{
	char sentence[SENTENCE_MAX], line[2 * SENTENCE_MAX];

	for (size_t i = 0; h->options->ymax && i < h->report->n_panels; i++) {
		crop_sentence(h->report->panel[i].grid, h->options->ymax, sentence, sizeof(sentence));
		if (!*sentence)
			continue;
		snprintf(line, sizeof(line), "%s: %s", h->report->panel[i].title, sentence);
		put_element(f, "p", line);
	}
}

static void put_bar(FILE *f, const struct bar *b)
{
	static const char *const head[] = { "Part", "Sum", "Share", NULL };
	double all = 0;

	for (size_t i = 0; b && i < b->n; i++)
		all += b->part[i].amount;
	if (!(all > 0))
		return;
	put_element(f, "h2", "Parts");
	begin_table(f, b->title ? b->title : "", head);
	for (size_t i = 0; i < b->n; i++) {
		fputs("<tr>", f);
		put_element(f, "th scope=\"row\"", b->part[i].name);
		put_value(f, b->part[i].amount, b->unit, true);
		put_value(f, 100 * b->part[i].amount / all, "%", true);
		fputs("</tr>\n", f);
	}
	end_table(f);
}

static void put_key(FILE *f, const struct report *r, const struct report_row *row, double all)
{
	const __u64 value[] = { row->mean, row->p50, row->p90, row->p99, row->p999, row->max };
	char share[AXIS_TEXT];

	fputs("<tr>", f);
	put_element(f, "th scope=\"row\"", row->name && *row->name ? row->name : "(all)");
	put_count(f, row->count, r->lower_bound ? "≥ " : "");
	axis_format(all > 0 ? 100 * row->count / all : 0, AXIS_PERCENT, share);
	put_element(f, "td", share);
	for (size_t i = 0; i < 6 && !r->counts_only; i++)
		put_value(f, (double)value[i], r->unit, row->count > 0);
	fputs("</tr>\n", f);
}

static void put_keys(FILE *f, const struct report *r)
{
	const char *const values[] = { "Key", "Count", "Share", "Mean", "p50", "p90", "p99", "p99.9", "Max", NULL };
	const char *const counts[] = { "Key", "Count", "Share", NULL };
	char caption[192];
	double all = 0;

	if (!r->n_rows)
		return;
	for (size_t i = 0; i < r->n_rows; i++)
		all += r->row[i].count;
	put_element(f, "h2", r->table_title ? r->table_title : "Keys");
	snprintf(caption, sizeof(caption), "%zu keys, counted in %.60s%s", r->n_rows, r->count_title ? r->count_title : "events",
		 r->lower_bound ? "; some are filed under other, so counts are at least so many" : "");
	begin_table(f, caption, r->counts_only ? counts : values);
	for (size_t i = 0; i < r->n_rows; i++)
		put_key(f, r, &r->row[i], all);
	end_table(f);
}

/* ---- what is missing ---- */

static const char *missing(const struct grid_column *c)
{
	switch (grid_column_state(c)) {
	case GRID_UNOBSERVED: return c->marks & GRID_DROPPED ? "no longer kept" : "not observed";
	case GRID_PARTIAL: return "partly lost";
	default: return c->marks & GRID_SAMPLED ? "sampled" : NULL;
	}
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void put_gap(FILE *f, const struct grid *g, size_t first, size_t end, int utc_offset_s, const char *what)
{
	char from[AXIS_TEXT], to[AXIS_TEXT];
	__u64 reporting = 0, expected = 0, lost = 0;
	__u32 every = 0;

	for (size_t col = first; col < end; col++) {
		reporting += g->column[col].n_reporting;
		expected += g->column[col].n_expected;
		lost += g->column[col].lost;
		every = g->column[col].every > every ? g->column[col].every : every;
	}
	axis_format_time(g->from_ns + (__s64)(first * g->col_ns), utc_offset_s, from);
	axis_format_time(g->from_ns + (__s64)(end * g->col_ns), utc_offset_s, to);
	fputs("<tr>", f);
	put_element(f, "th scope=\"row\"", what);
	put_element(f, "td", from);
	put_element(f, "td", to);
	fprintf(f, "<td>%llu of %llu</td>", (unsigned long long)reporting, (unsigned long long)expected);
	put_count(f, (double)lost, "");
	put_count(f, every ? every : 1, "1 in ");
	fputs("</tr>\n", f);
}

/* Stretches of columns that lack the same; returns how many.  f NULL: only counts. */
static size_t put_gaps(FILE *f, const struct grid *g, int utc_offset_s)
{
	size_t n = 0;

	for (size_t first = 0, end; first < g->n_cols; first = end) {
		const char *what = missing(&g->column[first]);

		for (end = first + 1; end < g->n_cols && same(missing(&g->column[end]), what); end++)
			;
		if (what && n++ < GAPS_MAX && f)
			put_gap(f, g, first, end, utc_offset_s, what);
	}
	return n;
}

static void put_missing(FILE *f, const struct grid *g, int utc_offset_s)
{
	static const char *const head[] = { "What", "From", "To", "Slots reported", "Lost", "Looked at", NULL };
	size_t n = put_gaps(NULL, g, utc_offset_s);
	char zone[AXIS_TEXT], caption[128];

	put_element(f, "h2", "What is missing");
	if (!n) {
		put_element(f, "p", "Nothing: every source that should have reported did, in every slot, and no event was lost.");
		return;
	}
	axis_format_zone(utc_offset_s, zone);
	snprintf(caption, sizeof(caption), "Times are %s; %zu stretches%s", zone, n, n > GAPS_MAX ? ", of which the first 200 are listed" : "");
	begin_table(f, caption, head);
	put_gaps(f, g, utc_offset_s);
	end_table(f);
}

/* ---- the page ---- */

static void put_facts(FILE *f, const struct html *h)
{
	if (!h->n_facts)
		return;
	put_element(f, "h2", "Where it comes from");
	fputs("<dl>\n", f);
	for (size_t i = 0; i < h->n_facts; i++) {
		put_element(f, "dt", h->fact[i].name);
		put_element(f, "dd", h->fact[i].value);
	}
	fputs("</dl>\n", f);
}

static int put_page(FILE *f, const struct html *h)
{
	char sentence[SENTENCE_MAX];
	int err;

	put_head(f, h->options);
	put_element(f, "h1", h->options->title ? h->options->title : "heatscope");
	if (!h->report->n_panels && !h->report->chart)
		return -EINVAL;
	sentence_summary(first_grid(h->report), h->options->utc_offset_s, sentence, sizeof(sentence));
	put_element(f, "p class=\"sentence\"", sentence);
	err = put_picture(f, h);
	put_cropped(f, h);
	put_maps(f, h->report);
	put_bar(f, h->report->bar);
	put_keys(f, h->report);
	put_missing(f, first_grid(h->report), h->options->utc_offset_s);
	put_facts(f, h);
	fputs("</main>\n</body>\n</html>\n", f);
	return err;
}

int html_render(const struct html *h, __u8 **ret_bytes, size_t *ret_len)
{
	char *page = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&page, &len);
	int err = f ? put_page(f, h) : -ENOMEM;

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
