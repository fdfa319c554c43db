#include "aggregator/payload/picture_data.h"
#include "aggregator/payload/payload.h"
#include "collector/core/saturating.h"
#include "render/grid/crop.h"
#include "render/document/csv.h"
#include "render/document/html.h"
#include "render/document/narrative.h"
#include "render/encode/png_text.h"
#include "render/document/pages.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void picture_data_join(struct picture_data *p)
{
	size_t own = 0;

	while (!p->report.chart && own + 1 < p->n_maps && !p->map[own].drawn)
		own++;
	p->report.table = p->map[own].table;
	p->report.panel = p->panel;
	p->report.n_panels = 0;
	for (size_t i = 0; i < p->n_maps; i++) {
		const struct picture_data_map *m = &p->map[i];

		if (m->drawn)
			p->panel[p->report.n_panels++] = (struct report_panel){ m->title, m->grid, i != own && m->table.n_rows ? &m->table : NULL };
	}
}

/* Returns where `crop` ends the axis of the maps; 0: it does not. */
static __u64 cropped(const struct picture_data *p)
{
	const struct grid *grid[REPORT_PANELS_MAX];
	__u64 end;

	for (size_t i = 0; i < p->report.n_panels; i++)
		grid[i] = p->panel[i].grid;
	end = crop_end(grid, p->report.n_panels, (__u32)p->drawn.crop);
	return end > (__u64)p->drawn.ymin ? end : 0;
}

static void drawing(const struct picture_data *p, struct figure_options *ret)
{
	params_drawing(&p->drawn, ret);
	if (p->drawn.crop && !ret->ymax && strcmp(p->picture, "chart"))
		ret->ymax = cropped(p);
	ret->percentiles = ret->percentiles && !p->map[0].grid->weight;	/* weights have no ranks */
	ret->zone = &p->zone;
	ret->title = p->title;
	ret->subtitle = p->subtitle;
	ret->version = "heatscope " PACKAGE_VERSION;
}

int picture_data_csv(const struct picture_data *p, enum csv_table table, char **ret_text, size_t *ret_len)
{
	return csv_make(table, p->report.n_panels ? p->panel[0].grid : p->map[0].grid, &p->report.table, ret_text, ret_len);
}

/* ---- its origin ---- */

#define FACTS 9
#define SOURCES_TEXT 2048

/* Writes "db1" or, if known, "db1 (heatscope-collector 0.1.0, Linux 6.1.0 x86_64)"; or another entry of a list. */
static size_t put_one(const json_t *one, char *out, size_t room)
{
	const char *name = json_string_value(json_is_object(one) ? json_object_get(one, "source") : one);
	const char *version = json_string_value(json_object_get(one, "version")), *kernel = json_string_value(json_object_get(one, "kernel"));
	bool known = version && *version;

	if (!name)
		return 0;
	if (!known)
		return (size_t)snprintf(out, room, "%s", name);
	return (size_t)snprintf(out, room, "%s (heatscope-collector %s%s%s)", name, version, kernel && *kernel ? ", " : "", kernel ? kernel : "");
}

static void put_list(const json_t *list, char *out, size_t room)
{
	const json_t *one;
	size_t i, at = 0;

	*out = 0;
	json_array_foreach(list, i, one) {
		if (at && at < room)
			at += (size_t)snprintf(out + at, room - at, ", ");
		if (at < room)
			at += put_one(one, out + at, room - at);
	}
}

static const char *said(const json_t *in, const char *name)
{
	const char *text = json_string_value(json_object_get(in, name));

	return text ? text : "";
}

void picture_data_sources(const struct picture_data *p, char *out, size_t room)
{
	put_list(json_object_get(p->instrumentation, "sources"), out, room);
}

void picture_data_made(const struct picture_data *p, char *out, size_t room)
{
	char when[AXIS_TEXT];
	size_t at;

	axis_format_time(p->made_ns - p->made_ns % 1000000000, NULL, when);
	at = (size_t)snprintf(out, room, "%s UTC by %s", when, p->made_by);
	if (p->made_on && at < room)
		at += (size_t)snprintf(out + at, room - at, " on %s", p->made_on);
	if (p->author && at < room)
		snprintf(out + at, room - at, ", asked for by %s", p->author);
}

static int document(const struct picture_data *p, const struct figure_options *o,
		    int (*render)(const struct document *d, __u8 **ret_bytes, size_t *ret_len), __u8 **ret_bytes, size_t *ret_len)
{
	const struct grid *g = p->map[0].grid;
	const json_t *in = p->instrumentation;
	char metric[256], fields[512], measures[512], sources[SOURCES_TEXT], slot[AXIS_TEXT], column[AXIS_TEXT], made[512];
	const struct document_fact fact[FACTS] = {
		{ "Metric", metric }, { "Decomposed by", fields }, { "Measures", measures }, { "Only where", said(in, "predicate-text") },
		{ "Instrumentation", said(in, "id") }, { "Sources", sources }, { "Slot", slot }, { "Column", column }, { "Made", made },
	};
	struct document_fact known[FACTS];
	struct document d = { .report = &p->report, .options = o, .fact = known };

	snprintf(metric, sizeof(metric), "%s.%s", said(in, "module"), said(in, "stat"));
	put_list(json_object_get(in, "decomposition"), fields, sizeof(fields));
	put_list(json_object_get(in, "measures"), measures, sizeof(measures));
	picture_data_sources(p, sources, sizeof(sources));
	axis_format_span(g->slot_ns, slot);
	axis_format_span(g->col_ns, column);
	picture_data_made(p, made, sizeof(made));
	for (size_t i = 0; i < FACTS; i++)
		if (*fact[i].value)
			known[d.n_facts++] = fact[i];
	return render(&d, ret_bytes, ret_len);
}

/* ---- as JSON ---- */

static void put_signed(struct bytes *out, const char *name, __s64 n)
{
	writer_name(out, name);
	if (n < 0)
		writer_raw(out, "-");
	writer_number(out, n < 0 ? (__u64)-n : (__u64)n);
}

static void put_optional(struct bytes *out, const char *name, const char *text)
{
	if (text)
		writer_name_text(out, name, text);
}

/* ---- how it is drawn ---- */

static const char *yscale_name(int yscale) { return yscale == AXIS_LINEAR ? "linear" : "log"; }

/* utc_offset is the offset at the end: a reader that does not know zones uses it for all times. */
static void put_zone(struct bytes *out, const struct zone *z, __s64 to_ns)
{
	put_signed(out, "utc_offset", zone_offset(z, to_ns / 1000000000));
	if (z->n < 2 && !*z->name)
		return;
	writer_open(out, "zone", "{");
	writer_name_text(out, "name", z->name);
	writer_open(out, "shifts", "[");
	for (size_t i = 0; i < z->n; i++) {
		writer_open(out, NULL, "{");
		put_signed(out, "from", z->shift[i].from_s);
		put_signed(out, "utc_offset", z->shift[i].offset_s);
		writer_raw(out, "}");
	}
	writer_raw(out, "]}");
}

static void put_drawn(struct bytes *out, const struct picture_data *data)
{
	const struct grid *g = data->map[0].grid;
	const struct params *p = &data->drawn;

	writer_open(out, "drawn", "{");
	if (p->width)
		writer_name_number(out, "width", (__u64)p->width);
	if (p->height)
		writer_name_number(out, "height", (__u64)p->height);
	writer_name_number(out, "scale", (__u64)p->scale);
	writer_name_text(out, "transfer", shade_transfer_name((enum shade_transfer)p->transfer));
	writer_name_text(out, "weights", p->weighted ? "weight" : "count");
	writer_name_text(out, "yscale", yscale_name(p->yscale));
	writer_name_text(out, "theme", p->theme == PALETTE_DARK ? "dark" : "light");
	if (params_ramp(p) != PALETTE_USUAL)
		writer_name_text(out, "palette", palette_ramp_name(params_ramp(p)));
	if (p->ymin)
		writer_name_number(out, "ymin", (__u64)p->ymin);
	if (p->ymax)
		writer_name_number(out, "ymax", (__u64)p->ymax);
	if (p->crop)
		writer_name_real(out, "crop", (double)p->crop / 1e6);
	put_zone(out, &data->zone, g->from_ns + (__s64)(g->col_ns * g->n_cols));
	writer_raw(out, "}");
}

/* ---- tables ---- */

static void put_row(struct bytes *out, const struct report_row *row, bool runs)
{
	writer_open(out, NULL, "{");
	writer_name_text(out, "key", row->name);
	writer_name_real(out, "count", row->count);
	writer_name_real(out, "sum", row->sum);
	if (saturated(row->sum))
		writer_name_real(out, "mean", NAN);
	else
		writer_name_number(out, "mean", row->mean);
	writer_name_number(out, "p50", row->p50);
	writer_name_number(out, "p90", row->p90);
	writer_name_number(out, "p99", row->p99);
	writer_name_number(out, "p999", row->p999);
	writer_name_number(out, "max", row->max);
	if (runs) {
		writer_name_number(out, "running", row->running);
		writer_name_number(out, "oldest", row->oldest);
	}
	writer_raw(out, "}");
}

static void put_table(struct bytes *out, const struct report_table *t)
{
	writer_open(out, "table", "{");
	put_optional(out, "title", t->title);
	put_optional(out, "counted", t->counted);
	put_optional(out, "unit", t->unit);
	if (t->least)
		writer_name_number(out, "least", t->least);
	writer_name_flag(out, "counts_only", t->counts_only);
	writer_name_flag(out, "lower_bound", t->lower_bound);
	if (t->runs)
		put_signed(out, "running_ns", t->running_ns);
	writer_open(out, "rows", "[");
	for (size_t i = 0; i < t->n_rows; i++)
		put_row(out, &t->row[i], t->runs);
	writer_raw(out, "]}");
}

/* ---- maps ---- */

static void put_layer(struct bytes *out, const struct layer *l)
{
	writer_open(out, NULL, "{");
	writer_name_text(out, "name", l->name);
	put_signed(out, "hue", l->hue);
	writer_open(out, "cells", "[");
	for (size_t i = 0; i < l->n_cells; i++) {
		writer_open(out, NULL, "[");
		writer_number(out, l->cell[i].row);
		writer_raw(out, ",");
		writer_number(out, l->cell[i].col);
		writer_raw(out, ",");
		writer_number(out, l->cell[i].count);
		writer_raw(out, "]");
	}
	writer_raw(out, "]}");
}

static void put_layers(struct bytes *out, const struct layers *l)
{
	static const char *const shown[] = { [LAYERS_ALL] = "all", [LAYERS_ISOLATED] = "isolated", [LAYERS_EXCLUDED] = "excluded" };

	writer_open(out, "layers", "{");
	writer_name_text(out, "shown", shown[l->shown]);
	put_signed(out, "rest_hue", l->rest_hue);
	writer_open(out, "layer", "[");
	for (size_t i = 0; i < l->n; i++)
		put_layer(out, &l->layer[i]);
	writer_raw(out, "]}");
}

static void put_grid(struct bytes *out, const struct grid *g)
{
	writer_name_text(out, "unit", g->unit);
	writer_name_text(out, "counted", g->weight_unit);
	put_optional(out, "weight", g->weight);
	writer_name_text(out, "scope", metric_scope_name(g->point ? SCOPE_POINT : SCOPE_INTERVAL));
	payload_grid_exact(out, g);
}

static void put_annotations(struct bytes *out, const struct annotation_list *a)
{
	writer_open(out, "annotations", "[");
	for (size_t i = 0; i < a->n; i++) {
		writer_open(out, NULL, "{");
		put_signed(out, "from_ns", a->item[i].from_ns);
		put_signed(out, "to_ns", a->item[i].to_ns);
		writer_name_text(out, "kind", annotation_kind_name(a->item[i].kind));
		writer_name_text(out, "text", a->item[i].text);
		writer_raw(out, "}");
	}
	writer_raw(out, "]");
}

/* The first map's table is the report's. */
static void put_map(struct bytes *out, const struct picture_data *p, size_t i)
{
	const struct picture_data_map *m = &p->map[i];
	char text[NARRATIVE_TEXT];

	writer_open(out, NULL, "{");
	writer_name_text(out, "measure", m->measure);
	writer_name_text(out, "title", m->title);
	writer_name_flag(out, "drawn", m->drawn);
	put_grid(out, m->grid);
	if (m->grid->running) {
		writer_open(out, "running", "{");
		put_grid(out, m->grid->running);
		writer_raw(out, "}");
	}
	if (m->grid->annotations)
		put_annotations(out, m->grid->annotations);
	if (m->grid->layers)
		put_layers(out, m->grid->layers);
	narrative_text(m->grid, &m->table, &p->zone, text);
	put_optional(out, "narrative", *text ? text : NULL);
	if (i && m->table.n_rows)
		put_table(out, &m->table);
	writer_raw(out, "}");
}

/* ---- chart, bar ---- */

static void put_series(struct bytes *out, const struct chart_series *s, size_t n_values)
{
	writer_open(out, NULL, "{");
	writer_name_text(out, "key", s->name);
	put_optional(out, "total", s->total);
	writer_name_number(out, "colour", s->colour);
	put_signed(out, "hue", s->hue);
	writer_open(out, "values", "[");
	for (size_t i = 0; i < n_values; i++) {
		writer_comma(out);
		writer_real(out, s->value[i]);
	}
	writer_raw(out, "]}");
}

static void put_chart(struct bytes *out, const struct chart *ch)
{
	writer_open(out, "chart", "{");
	writer_name_text(out, "kind", ch->kind == CHART_LINES ? "lines" : "stacked");
	writer_name_text(out, "what", ch->what);
	writer_name_text(out, "unit", axis_unit_name(ch->unit));
	writer_open(out, "series", "[");
	for (size_t i = 0; i < ch->n_series; i++)
		put_series(out, &ch->series[i], ch->grid->n_cols);
	writer_raw(out, "]}");
}

static void put_bar(struct bytes *out, const struct bar *b)
{
	writer_open(out, "bar", "{");
	writer_name_text(out, "title", b->title);
	writer_name_text(out, "unit", b->unit);
	writer_open(out, "parts", "[");
	for (size_t i = 0; i < b->n; i++) {
		writer_open(out, NULL, "{");
		writer_name_text(out, "name", b->part[i].name);
		writer_name_real(out, "amount", b->part[i].amount);
		put_signed(out, "hue", b->part[i].hue);
		writer_raw(out, "}");
	}
	writer_raw(out, "]}");
}

/* ---- all of it ---- */

static void put_instrumentation(struct bytes *out, const json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT);

	writer_name(out, "instrumentation");
	writer_raw(out, text ? text : "{}");
	if (!text)
		out->err = -ENOMEM;
	free(text);
}

void picture_data_put(struct bytes *out, const struct picture_data *p)
{
	writer_raw(out, "{");
	writer_name_text(out, "schema", PICTURE_DATA_SCHEMA);
	writer_name_number(out, "version", PICTURE_DATA_VERSION);
	writer_name_text(out, "picture", p->picture);
	put_optional(out, "title", p->title);
	put_optional(out, "subtitle", p->subtitle);
	writer_name_text(out, "sentence", p->sentence);
	writer_name_text(out, "made_by", p->made_by);
	put_optional(out, "made_on", p->made_on);
	put_optional(out, "author", p->author);
	writer_name_number(out, "made_ns", (__u64)p->made_ns);
	put_instrumentation(out, p->instrumentation);
	put_drawn(out, p);
	writer_open(out, "maps", "[");
	for (size_t i = 0; i < p->n_maps; i++)
		put_map(out, p, i);
	writer_raw(out, "]");
	if (p->report.chart)
		put_chart(out, p->report.chart);
	if (p->report.bar)
		put_bar(out, p->report.bar);
	if (p->map[0].table.n_rows)
		put_table(out, &p->map[0].table);
	writer_raw(out, "}");
}

static int put_json(const struct picture_data *p, __u8 **ret_bytes, size_t *ret_len)
{
	struct bytes out = { 0 };

	picture_data_put(&out, p);
	*ret_bytes = (__u8 *)writer_take(&out, ret_len);
	return *ret_bytes ? 0 : -ENOMEM;
}

/* ---- in the requested form ---- */

int picture_data_draw(const struct picture_data *p, __u8 **ret_bytes, size_t *ret_len)
{
	bool report = !strcmp(p->picture, "report");
	struct figure_options o;

	drawing(p, &o);
	if (p->drawn.format == FORMAT_JSON)
		return put_json(p, ret_bytes, ret_len);
	if (p->drawn.format == FORMAT_HTML)
		return document(p, &o, html_render, ret_bytes, ret_len);
	if (report && p->drawn.format == FORMAT_PDF)
		return document(p, &o, pages_render, ret_bytes, ret_len);
	if (report)
		return report_render(&p->report, &o, ret_bytes, ret_len);
	if (!strcmp(p->picture, "chart"))
		return chart_render(p->report.chart, &o, ret_bytes, ret_len);
	return p->report.n_panels ? figure_render(p->panel[0].grid, &o, ret_bytes, ret_len) : -EINVAL;
}

/* ---- into a picture ---- */

/* Writes "Sat, 21 Nov 2026 14:05:00 GMT": PNG recommends the form of RFC 1123. */
static void put_date(__s64 ns, char out[64])
{
	static const char *const day[] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char *const month[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t s = ns / 1000000000;
	struct tm tm;

	*out = 0;
	if (gmtime_r(&s, &tm))
		snprintf(out, 64, "%s, %02d %s %d %02d:%02d:%02d GMT", day[tm.tm_wday], tm.tm_mday, month[tm.tm_mon], tm.tm_year + 1900,
			 tm.tm_hour, tm.tm_min, tm.tm_sec);
}

static size_t n_cells(const struct picture_data *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_maps; i++)
		for (const struct grid *g = p->map[i].grid; g; g = g->running)
			n += g->n_cols * g->n_rows;
	return n;
}

int picture_data_attach(const struct picture_data *p, __u8 **png, size_t *len)
{
	struct bytes json = { .most = PNG_TEXT_MAX + 1 };	/* including the NUL */
	struct png_text entry[2] = { { .keyword = "Creation Time" }, { .keyword = PICTURE_DATA_SCHEMA } };
	char date[64], *text;
	size_t n_text = 0;
	__u8 *with;
	int err;

	if (n_cells(p) > PICTURE_DATA_CELLS)
		return 0;
	picture_data_put(&json, p);
	if (json.err == -EFBIG) {
		bytes_fini(&json);
		return 0;
	}
	text = writer_take(&json, &n_text);
	if (!text)
		return -ENOMEM;
	put_date(p->made_ns, date);
	entry[0].text = date;
	entry[0].len = strlen(date);
	entry[1].text = text;
	entry[1].len = n_text;
	err = png_text_put(*png, *len, entry, 2, &with, len);
	if (!err) {
		free(*png);
		*png = with;
	}
	free(text);
	return err;
}
