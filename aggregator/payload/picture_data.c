#include "aggregator/payload/picture_data.h"
#include "render/grid/crop.h"
#include "render/document/csv.h"
#include "render/document/html.h"
#include "render/encode/png_text.h"
#include "render/document/pages.h"

#include <errno.h>
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
