#include "parcel.h"
#include "../render/crop.h"
#include "../render/csv.h"
#include "../render/html.h"
#include "../render/note.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void parcel_join(struct parcel *p)
{
	p->report.panel = p->panel;
	p->report.n_panels = 0;
	for (size_t i = 0; i < p->n_maps; i++)
		if (p->map[i].drawn)
			p->panel[p->report.n_panels++] = (struct report_panel){ p->map[i].title, p->map[i].grid };
}

/* Where the axis of the maps ends by `crop`; 0: it does not. */
static __u64 cropped(const struct parcel *p)
{
	const struct grid *grid[REPORT_PANELS_MAX];
	__u64 end;

	for (size_t i = 0; i < p->report.n_panels; i++)
		grid[i] = p->panel[i].grid;
	end = crop_end(grid, p->report.n_panels, (__u32)p->drawn.crop);
	return end > (__u64)p->drawn.ymin ? end : 0;
}

static void drawing(const struct parcel *p, struct figure_options *ret)
{
	params_drawing(&p->drawn, ret);
	if (p->drawn.crop && !ret->ymax && strcmp(p->picture, "chart"))
		ret->ymax = cropped(p);
	ret->percentiles = ret->percentiles && !p->map[0].grid->weight;	/* which have no ranks */
	ret->utc_offset_s = (int)p->drawn.utc_offset_s;
	ret->title = p->title;
	ret->subtitle = p->subtitle;
	ret->version = "heatscope " PACKAGE_VERSION;
}

int parcel_draw(const struct parcel *p, __u8 **ret_bytes, size_t *ret_len)
{
	struct figure_options o;

	drawing(p, &o);
	if (!strcmp(p->picture, "report"))
		return report_render(&p->report, &o, ret_bytes, ret_len);
	if (!strcmp(p->picture, "chart"))
		return chart_render(p->report.chart, &o, ret_bytes, ret_len);
	return p->report.n_panels ? figure_render(p->panel[0].grid, &o, ret_bytes, ret_len) : -EINVAL;
}

int parcel_csv(const struct parcel *p, enum csv_table table, char **ret_text, size_t *ret_len)
{
	return csv_make(table, p->report.n_panels ? p->panel[0].grid : p->map[0].grid, &p->report, ret_text, ret_len);
}

/* ---- HTML ---- */

#define FACTS 8

/* "db1, db2": the names of the sources, or a list of words. */
static void put_list(const json_t *list, char *out, size_t room)
{
	const json_t *one;
	size_t i, at = 0;

	*out = 0;
	json_array_foreach(list, i, one) {
		const json_t *name = json_is_object(one) ? json_object_get(one, "source") : one;
		const char *text = json_string_value(name);

		if (text && at < room)
			at += (size_t)snprintf(out + at, room - at, "%s%s", at ? ", " : "", text);
	}
}

static const char *said(const json_t *in, const char *name)
{
	const char *text = json_string_value(json_object_get(in, name));

	return text ? text : "";
}

void parcel_sources(const struct parcel *p, char *out, size_t room)
{
	put_list(json_object_get(p->instrumentation, "sources"), out, room);
}

void parcel_made(const struct parcel *p, char *out, size_t room)
{
	char when[AXIS_TEXT];

	axis_format_time(p->made_ns - p->made_ns % 1000000000, 0, when);
	snprintf(out, room, "%s UTC by %s", when, p->made_by);
}

int parcel_html(const struct parcel *p, __u8 **ret_bytes, size_t *ret_len)
{
	const struct grid *g = p->map[0].grid;
	char metric[256], fields[512], sources[2048], slot[AXIS_TEXT], column[AXIS_TEXT], made[128];
	struct figure_options o;
	const struct html_fact fact[FACTS] = {
		{ "Metric", metric }, { "Decomposed by", fields }, { "Only where", said(p->instrumentation, "predicate-text") },
		{ "Instrumentation", said(p->instrumentation, "id") }, { "Sources", sources }, { "Slot", slot }, { "Column", column },
		{ "Made", made },
	};
	struct html_fact known[FACTS];
	struct html h = { .report = &p->report, .options = &o, .fact = known };

	drawing(p, &o);
	snprintf(metric, sizeof(metric), "%s.%s", said(p->instrumentation, "module"), said(p->instrumentation, "stat"));
	put_list(json_object_get(p->instrumentation, "decomposition"), fields, sizeof(fields));
	parcel_sources(p, sources, sizeof(sources));
	axis_format_span(g->slot_ns, slot);
	axis_format_span(g->col_ns, column);
	parcel_made(p, made, sizeof(made));
	for (size_t i = 0; i < FACTS; i++)
		if (*fact[i].value)
			known[h.n_facts++] = fact[i];
	return html_render(&h, ret_bytes, ret_len);
}

/* ---- into a picture ---- */

/* "Sat, 21 Nov 2026 14:05:00 GMT": PNG would have it as in RFC 1123. */
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

static size_t n_cells(const struct parcel *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_maps; i++)
		for (const struct grid *g = p->map[i].grid; g; g = g->running)
			n += g->n_cols * g->n_rows;
	return n;
}

int parcel_attach(const struct parcel *p, __u8 **png, size_t *len)
{
	struct bytes json = { .most = NOTE_MAX + 1 };	/* with the NUL */
	struct note note[2] = { { .keyword = "Creation Time" }, { .keyword = PARCEL_SCHEMA } };
	char date[64], *text;
	size_t n_text = 0;
	__u8 *with;
	int err;

	if (n_cells(p) > PARCEL_CELLS)
		return 0;
	parcel_put(&json, p);
	if (json.err == -EFBIG) {
		bytes_fini(&json);
		return 0;
	}
	text = writer_take(&json, &n_text);
	if (!text)
		return -ENOMEM;
	put_date(p->made_ns, date);
	note[0].text = date;
	note[0].len = strlen(date);
	note[1].text = text;
	note[1].len = n_text;
	err = note_put(*png, *len, note, 2, &with, len);
	if (!err) {
		free(*png);
		*png = with;
	}
	free(text);
	return err;
}
