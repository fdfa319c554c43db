/* open: what a PNG of ours was drawn from, as words, numbers, or another picture. */
#include "aggregator/parcel.h"
#include "command.h"
#include "output.h"
#include "render/axis.h"
#include "render/note.h"
#include "render/sentence.h"
#include "render/utf8.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_MAX (128u << 20)
#define TEXT_MAX 512

enum {
	OPT_JSON = 256, OPT_FORMAT, OPT_TABLE, OPT_WIDTH, OPT_HEIGHT, OPT_SCALE, OPT_TRANSFER, OPT_WEIGHTS, OPT_YSCALE, OPT_YMIN, OPT_YMAX, OPT_CROP,
	OPT_THEME,
};

/* Options that are parameters of the picture, as of a daemon's. */
static const struct setting {
	int key;
	const char *parameter;
} settings[] = {
	{ 'm', "measure" }, { OPT_WIDTH, "width" }, { OPT_HEIGHT, "height" }, { OPT_SCALE, "scale" }, { OPT_TRANSFER, "transfer" },
	{ OPT_WEIGHTS, "weights" }, { OPT_YSCALE, "yscale" }, { OPT_YMIN, "ymin" }, { OPT_YMAX, "ymax" }, { OPT_CROP, "crop" }, { OPT_THEME, "theme" },
};
#define N_SETTINGS (sizeof(settings) / sizeof(*settings))

struct options {
	const char *file, *out, *format, *table;
	struct http_param param[N_SETTINGS];
	size_t n_params;
	int json;
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "Draw it anew (- is standard output); the ending tells the format", 0 },
	{ "format", OPT_FORMAT, "NAME", 0, "png, pdf, svg, html or csv", 0 },
	{ "json", OPT_JSON, NULL, 0, "Print all of its data, schema " PARCEL_SCHEMA, 0 },
	{ "table", OPT_TABLE, "NAME", 0, "As CSV: cells (default), columns or keys", 0 },
	{ "measure", 'm', "NAME", 0, "This map of several, alone", 0 },
	{ "width", OPT_WIDTH, "PX", 0, "Width in pixels", 0 },
	{ "height", OPT_HEIGHT, "PX", 0, "Height in pixels", 0 },
	{ "scale", OPT_SCALE, "N", 0, "1 or 2 pixels per pixel", 0 },
	{ "transfer", OPT_TRANSFER, "NAME", 0, "Count to colour: log, linear, sqrt, rank, percent (of the column)", 0 },
	{ "weights", OPT_WEIGHTS, "NAME", 0, "Colours are count or weight: time spent", 0 },
	{ "yscale", OPT_YSCALE, "NAME", 0, "log or linear", 0 },
	{ "ymin", OPT_YMIN, "VALUE", 0, "Lowest value shown, in ns", 0 },
	{ "ymax", OPT_YMAX, "VALUE", 0, "Highest value shown, in ns", 0 },
	{ "crop", OPT_CROP, "SHARE", 0, "At most this share of the events (0 to 0.05) is above the value axis", 0 },
	{ "theme", OPT_THEME, "NAME", 0, "light or dark", 0 },
	{ 0 },
};

static int setting_add(struct options *o, int key, const char *value)
{
	for (size_t i = 0; i < N_SETTINGS; i++)
		if (settings[i].key == key && o->n_params < N_SETTINGS) {
			o->param[o->n_params++] = (struct http_param){ settings[i].parameter, value };
			return 1;
		}
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	if (arg && setting_add(o, key, arg))
		return 0;
	switch (key) {
	case 'o': o->out = arg; return 0;
	case OPT_FORMAT: o->format = arg; return 0;
	case OPT_TABLE: o->table = arg; return 0;
	case OPT_JSON: o->json = 1; return 0;
	case ARGP_KEY_END:
		if (o->out && !o->format && !output_format(o->out))
			argp_error(state, "%s: must end in " OUTPUT_ENDINGS ", or give --format", o->out);
		if (o->format && !output_known(o->format))
			argp_error(state, "--format must be png, pdf, svg, html or csv");
		if (!o->out && !o->format && (o->n_params || o->table))
			argp_error(state, "give -o FILE to draw it anew");
		return 0;
	default: return take_one(key, arg, state, &o->file);
	}
}

static const struct argp argp = {
	options, parse, "FILE",
	"What a PNG of `heatscope render`, `report` or `chart` was drawn from: a summary, all of its numbers, or another picture of "
	"them. Nothing is asked of heatscoped. What is not said stays as it was drawn.\vExamples:\n"
	"  heatscope open monday.png\n"
	"  heatscope open monday.png -o dark.pdf --theme dark --transfer linear\n"
	"  heatscope open monday.png --measure cputime -o cells.csv\n"
	"  heatscope open monday.png --json | jq '.maps[0].summary'", NULL, NULL, NULL
};

/* ---- the file ---- */

static int read_file(const char *path, __u8 **ret_data, size_t *ret_len, char *reason)
{
	FILE *f = fopen(path, "rb");
	size_t len = 0, room = 0, n = 1;
	__u8 *data = NULL;
	int err = f ? 0 : -errno;

	while (!err && n && len <= FILE_MAX) {
		__u8 *more = len == room ? realloc(data, room = 2 * room + 65536) : data;

		err = more ? 0 : -ENOMEM;
		data = more ? more : data;
		n = err ? 0 : fread(data + len, 1, room - len, f);
		len += n;
	}
	if (!err && ferror(f))
		err = -errno;
	if (!err && len > FILE_MAX)
		err = -EFBIG;
	if (f)
		fclose(f);
	if (err) {
		free(data);
		snprintf(reason, PARAMS_REASON_MAX, "%s", strerror(-err));
		return err;
	}
	*ret_data = data;
	*ret_len = len;
	return 0;
}

static int read_parcel(const struct options *o, struct parcel *p, char *reason)
{
	__u8 *png = NULL;
	char *json = NULL;
	size_t len = 0;
	int err = read_file(o->file, &png, &len, reason);

	if (!err)
		err = note_get(png, len, PARCEL_SCHEMA, &json, &len, reason);
	free(png);
	if (!err)
		err = parcel_get(json, len, o->param, o->n_params, p, reason);
	free(json);
	if (err == -ENOMEM)
		snprintf(reason, PARAMS_REASON_MAX, "%s", strerror(ENOMEM));
	return err;
}

/* ---- words: what comes from a file may be anything, but no control character reaches the terminal ---- */

static void line(const char *name, const char *value)
{
	char clean[TEXT_MAX];

	utf8_clean(value, clean, sizeof(clean));
	if (*clean)
		printf("%-16s %s\n", name, clean);
}

static const char *text_of(const struct parcel *p, const char *name)
{
	const char *text = json_string_value(json_object_get(p->instrumentation, name));

	return text ? text : "";
}

static void print_origin(const struct parcel *p)
{
	const struct grid *g = p->map[0].grid;
	char text[TEXT_MAX], slot[AXIS_TEXT], column[AXIS_TEXT];

	snprintf(text, sizeof(text), "%.200s%s%.200s", p->title ? p->title : "", p->subtitle ? "; " : "", p->subtitle ? p->subtitle : "");
	line("what", text);
	line("when", p->sentence);
	sentence_coverage(g, text, sizeof(text));
	line("coverage", text);
	axis_format_span(g->slot_ns, slot);
	axis_format_span(g->col_ns, column);
	snprintf(text, sizeof(text), "%zu of %s, of slots of %s", g->n_cols, column, slot);
	line("columns", text);
	snprintf(text, sizeof(text), "%.20s, %.60s.%.60s", text_of(p, "id"), text_of(p, "module"), text_of(p, "stat"));
	line("instrumentation", text);
	parcel_sources(p, text, sizeof(text));
	line("sources", text);
	parcel_made(p, text, sizeof(text));
	line("made", text);
	line("picture", p->picture);
}

/* Sums of a weight have no ranks. */
static const char *rank_text(const struct grid *g, __u64 value, char out[32])
{
	return g->weight ? "-" : value_text((double)value, g->unit, out);
}

static void print_maps(const struct parcel *p)
{
	struct table t = { .n_columns = 9, .right = { 0, 1, 1, 1, 1, 1, 1, 1, 1 } };

	table_add(&t, "MEASURE", "COUNT", "MEAN", "P50", "P90", "P99", "P99.9", "MAX", "LOST");
	for (size_t i = 0; i < p->n_maps; i++) {
		const struct grid *g = p->map[i].grid;
		const struct grid_summary *s = &g->all;
		char name[TEXT_MAX], count[AXIS_TEXT], lost[AXIS_TEXT], mean[32], p50[32], p90[32], p99[32], p999[32], max[32];

		utf8_clean(p->map[i].measure, name, sizeof(name));
		axis_format_count(grid_shown(g, s->n_snapshots, (double)s->count), count);
		axis_format_count((double)s->lost, lost);
		table_add(&t, name, count, value_text(s->count ? (double)s->sum / (double)s->count : 0, g->unit, mean),
			  rank_text(g, s->p50, p50), rank_text(g, s->p90, p90), rank_text(g, s->p99, p99), rank_text(g, s->p999, p999),
			  value_text((double)s->max, g->unit, max), lost);
	}
	putchar('\n');
	table_print(&t);
}

static void print_keys(const struct report *r)
{
	struct table t = { .n_columns = 6, .right = { 0, 1, 1, 1, 1, 1 } };

	if (!r->n_rows)
		return;
	table_add(&t, "KEY", "COUNT", "MEAN", "P50", "P99", "MAX");
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct report_row *row = &r->row[i];
		char name[TEXT_MAX], count[AXIS_TEXT], mean[32], p50[32], p99[32], max[32];

		utf8_clean(row->name, name, sizeof(name));
		axis_format_count(row->count, count);
		table_add(&t, name, count, value_text((double)row->mean, r->unit, mean), value_text((double)row->p50, r->unit, p50),
			  value_text((double)row->p99, r->unit, p99), value_text((double)row->max, r->unit, max));
	}
	putchar('\n');
	table_print(&t);
}

/* ---- another picture ---- */

static int table_of(const struct options *o, const struct parcel *p, enum csv_table *ret, char *reason)
{
	static const char *const name[] = { [CSV_CELLS] = "cells", [CSV_COLUMNS] = "columns", [CSV_KEYS] = "keys" };

	*ret = CSV_CELLS;
	for (enum csv_table i = CSV_CELLS; i <= CSV_KEYS && o->table; i++) {
		*ret = i;
		if (!strcmp(o->table, name[i]))
			break;
		if (i == CSV_KEYS) {
			snprintf(reason, PARAMS_REASON_MAX, "--table must be cells, columns or keys");
			return -EINVAL;
		}
	}
	if (*ret == CSV_KEYS && !p->report.n_rows) {
		snprintf(reason, PARAMS_REASON_MAX, "there is no table of keys in it: only a report has one");
		return -EINVAL;
	}
	return 0;
}

static int make(const struct options *o, struct parcel *p, const char *format, __u8 **ret_data, size_t *ret_len, char *reason)
{
	enum csv_table table;
	int err;

	if (!strcmp(format, "csv"))
		return table_of(o, p, &table, reason) ?: parcel_csv(p, table, (char **)ret_data, ret_len);
	if (!strcmp(format, "html"))
		err = parcel_html(p, ret_data, ret_len);
	else
		err = parcel_draw(p, ret_data, ret_len);
	if (!err && !strcmp(format, "png"))
		err = parcel_attach(p, ret_data, ret_len);
	if (err == -EINVAL)
		snprintf(reason, PARAMS_REASON_MAX, "a picture of this width, height, ymin and ymax cannot be drawn");
	return err;
}

static int draw(const struct options *o, struct parcel *p, char *reason)
{
	const char *format = o->format ? o->format : output_format(o->out);
	char why[256] = "";
	__u8 *data = NULL;
	size_t len = 0;
	int err;

	if ((!o->out || !strcmp(o->out, "-")) && isatty(STDOUT_FILENO) && strcmp(format, "csv")) {
		snprintf(reason, PARAMS_REASON_MAX, "standard output is a terminal; give -o FILE");
		return -EINVAL;
	}
	p->drawn.format = !strcmp(format, "pdf") ? FORMAT_PDF : !strcmp(format, "svg") ? FORMAT_SVG : FORMAT_PNG;
	err = make(o, p, format, &data, &len, reason);
	if (!err) {
		err = output_write(o->out, data, len, why);
		if (err)
			snprintf(reason, PARAMS_REASON_MAX, "%s", why);
	}
	free(data);
	return err;
}

int run_open(struct client *c, int argc, char **argv)
{
	struct options o = { .file = NULL };
	char reason[PARAMS_REASON_MAX] = "", whole[PARAMS_REASON_MAX + 256];
	struct parcel p;
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	err = read_parcel(&o, &p, reason);
	if (err) {
		snprintf(whole, sizeof(whole), "%.200s: %s", o.file, reason);
		return failed("open", whole);
	}
	if (o.out || o.format) {
		err = draw(&o, &p, reason);
	} else if (o.json) {
		print_json(json_incref(p.json));
	} else {
		print_origin(&p);
		print_maps(&p);
		print_keys(&p.report);
	}
	parcel_fini(&p);
	return err ? failed("open", *reason ? reason : strerror(-err)) : 0;
}
