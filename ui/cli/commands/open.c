/* open: prints or draws the data that a PNG of ours carries, as sentences, numbers, or another picture. */
#include "aggregator/payload/picture_data.h"
#include "ui/cli/base/command.h"
#include "ui/cli/commands/commands.h"
#include "ui/cli/base/describe.h"
#include "ui/cli/base/limit.h"
#include "ui/cli/base/output.h"
#include "render/encode/png_text.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_MAX (128u << 20)

enum {
	OPT_FORMAT = 256, OPT_TABLE, OPT_WIDTH, OPT_HEIGHT, OPT_SCALE, OPT_TRANSFER, OPT_WEIGHTS, OPT_YSCALE, OPT_YMIN, OPT_YMAX, OPT_CROP,
	OPT_THEME, OPT_PALETTE,
};

/* Options that are parameters of the picture, as of a daemon's. */
static const struct setting {
	int key;
	const char *parameter;
} settings[] = {
	{ 'm', "measure" }, { OPT_WIDTH, "width" }, { OPT_HEIGHT, "height" }, { OPT_SCALE, "scale" }, { OPT_TRANSFER, "transfer" },
	{ OPT_WEIGHTS, "weights" }, { OPT_YSCALE, "yscale" }, { OPT_CROP, "crop" }, { OPT_THEME, "theme" },
	{ OPT_PALETTE, "palette" },
};
#define N_SETTINGS (sizeof(settings) / sizeof(*settings))
#define N_LIMITS 2

struct options {
	const char *file, *out, *format, *table;
	struct limit limit[N_LIMITS];
	char number[N_LIMITS][32];	/* of these, once the picture has said their unit */
	struct http_param param[N_SETTINGS + N_LIMITS];
	size_t n_params;
	int json;
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "Draw it again (- is standard output); the ending chooses the format", 0 },
	{ "format", OPT_FORMAT, "NAME", 0, OUTPUT_REPORT, 0 },
	{ "json", 'j', NULL, 0, "Print all of its data, schema " PICTURE_DATA_SCHEMA, 0 },
	{ "table", OPT_TABLE, "NAME", 0, "As CSV: cells (default), columns or keys", 0 },
	{ "measure", 'm', "NAME", 0, "Only this map of several", 0 },
	{ "width", OPT_WIDTH, "PX", 0, "Width in pixels", 0 },
	{ "height", OPT_HEIGHT, "PX", 0, "Height in pixels", 0 },
	{ "scale", OPT_SCALE, "N", 0, "1 or 2 pixels per pixel", 0 },
	{ "transfer", OPT_TRANSFER, "NAME", 0, "Count to colour: log, linear, sqrt, rank, percent (of the column)", 0 },
	{ "weights", OPT_WEIGHTS, "NAME", 0, "Colours are count or weight: time spent", 0 },
	{ "yscale", OPT_YSCALE, "NAME", 0, "log or linear", 0 },
	{ "ymin", OPT_YMIN, "VALUE", 0, "Lowest value shown, with the measure's unit: 10ms", 0 },
	{ "ymax", OPT_YMAX, "VALUE", 0, "Highest value shown", 0 },
	{ "crop", OPT_CROP, "SHARE", 0, "At most this share of the events (0 to 0.05) is above the value axis", 0 },
	{ "theme", OPT_THEME, "NAME", 0, "light or dark", 0 },
	{ "palette", OPT_PALETTE, "NAME", 0, "ramp, fire or grey", 0 },
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

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	char endings[OUTPUT_ENDINGS_MAX];

	if (arg && setting_add(o, key, arg))
		return 0;
	switch (key) {
	case 'o': o->out = arg; return 0;
	case OPT_FORMAT: o->format = arg; return 0;
	case OPT_TABLE: o->table = arg; return 0;
	case 'j': o->json = 1; return 0;
	case OPT_YMIN: o->limit[0] = (struct limit){ "ymin", "ymin", arg }; return 0;
	case OPT_YMAX: o->limit[1] = (struct limit){ "ymax", "ymax", arg }; return 0;
	case ARGP_KEY_END:
		if (o->out && !o->format && !output_format(OUTPUT_REPORT, o->out))
			argp_error(state, "%s: must end in %s, or give --format", o->out, output_endings(OUTPUT_REPORT, endings));
		if (o->format && !output_has(OUTPUT_REPORT, o->format))
			argp_error(state, "--format %s: must be " OUTPUT_REPORT, o->format);
		if (!o->out && !o->format && (o->n_params || o->limit[0].text || o->limit[1].text || o->table))
			argp_error(state, "give -o FILE to draw it again");
		return 0;
	default: return take_one(key, arg, state, &o->file);
	}
}

static const struct argp argp = {
	options, parse_option, "FILE",
	"Read the data in a PNG of `heatscope render`, `report` or `chart`: a summary, all of its numbers, or "
		"another picture of them. It needs no heatscoped. Without an option the picture stays as it was "
		"drawn.\vExamples:\n"
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

/* In the unit of the map that is drawn, or the first. */
static int read_limits(struct options *o, const struct picture_data *p, char *reason)
{
	const struct grid *g = p->n_maps ? p->map[0].grid : NULL;
	char why[256];
	int err = 0;

	for (size_t i = 0; i < N_LIMITS && !err; i++) {
		if (!o->limit[i].text)
			continue;
		err = limit_read(&o->limit[i], amount_unit(g && g->unit ? g->unit : ""), g ? p->map[0].measure : "it", o->number[i], why);
		if (err)
			snprintf(reason, PARAMS_REASON_MAX, "%s", why);
		o->param[o->n_params++] = (struct http_param){ o->limit[i].parameter, o->number[i] };
	}
	return err;
}

static int read_picture_data(struct options *o, struct picture_data *p, char *reason)
{
	__u8 *png = NULL;
	char *json = NULL;
	size_t len = 0;
	int err = read_file(o->file, &png, &len, reason);

	if (!err)
		err = png_text_get(png, len, PICTURE_DATA_SCHEMA, &json, &len, reason);
	free(png);
	if (!err)
		err = picture_data_get(json, len, o->param, o->n_params, p, reason);
	if (!err && (o->limit[0].text || o->limit[1].text)) {
		err = read_limits(o, p, reason);
		picture_data_fini(p);
		err = err ?: picture_data_get(json, len, o->param, o->n_params, p, reason);
	}
	free(json);
	if (err == -ENOMEM)
		snprintf(reason, PARAMS_REASON_MAX, "%s", strerror(ENOMEM));
	return err;
}

/* ---- another picture ---- */

static int table_of(const struct options *o, const struct picture_data *p, enum csv_table *ret, char *reason)
{
	static const char *const name[] = { [CSV_CELLS] = "cells", [CSV_COLUMNS] = "columns", [CSV_KEYS] = "keys" };

	*ret = CSV_CELLS;
	for (enum csv_table i = CSV_CELLS; i <= CSV_KEYS && o->table; i++) {
		*ret = i;
		if (!strcmp(o->table, name[i]))
			break;
		if (i == CSV_KEYS)
			return params_refuse(reason, "--table must be cells, columns or keys");
	}
	if (*ret == CSV_KEYS && !p->report.table.n_rows)
		return params_refuse(reason, "there is no table of keys in it: only a report has one");
	return 0;
}

static int make_picture(const struct options *o, struct picture_data *p, const char *format, __u8 **ret_data,
			size_t *ret_len, char *reason)
{
	enum csv_table table;
	int err;

	if (!strcmp(format, "csv"))
		return table_of(o, p, &table, reason) ?: picture_data_csv(p, table, (char **)ret_data, ret_len);
	err = picture_data_draw(p, ret_data, ret_len);
	if (!err && !strcmp(format, "png"))
		err = picture_data_attach(p, ret_data, ret_len);
	if (err == -EINVAL)
		snprintf(reason, PARAMS_REASON_MAX, "a picture of this width, height, ymin and ymax cannot be drawn");
	return err;
}

static enum value_format format_of(const char *name)
{
	return !strcmp(name, "pdf") ? FORMAT_PDF : !strcmp(name, "svg") ? FORMAT_SVG : !strcmp(name, "html") ? FORMAT_HTML :
	       !strcmp(name, "json") ? FORMAT_JSON : FORMAT_PNG;
}

static int draw_picture(const struct options *o, struct picture_data *p, char *reason)
{
	const char *format = o->format ? o->format : output_format(OUTPUT_REPORT, o->out);
	char why[256] = "";
	__u8 *data = NULL;
	size_t len = 0;
	int err;

	if ((!o->out || !strcmp(o->out, "-")) && isatty(STDOUT_FILENO) && strcmp(format, "csv") && strcmp(format, "json"))
		return params_refuse(reason, "standard output is a terminal; give -o FILE");
	p->drawn.format = format_of(format);
	err = make_picture(o, p, format, &data, &len, reason);
	if (!err) {
		err = output_write(o->out, format, data, len, why);
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
	struct picture_data p;
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	err = read_picture_data(&o, &p, reason);
	if (err) {
		snprintf(whole, sizeof(whole), "%.200s: %s", o.file, reason);
		return failed("open", whole);
	}
	if (o.out || o.format) {
		err = draw_picture(&o, &p, reason);
	} else if (o.json) {
		print_json(json_incref(p.json));
	} else {
		describe_print(&p);
	}
	picture_data_fini(&p);
	return err ? failed("open", *reason ? reason : strerror(-err)) : 0;
}
