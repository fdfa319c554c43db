/* render, report, chart, flame, export, describe: write pictures, numbers and words from heatscoped or a recording. */
#include "ui/cli/base/command.h"
#include "ui/cli/commands/commands.h"
#include "ui/cli/base/describe.h"
#include "ui/cli/base/file.h"
#include "ui/cli/base/key_table.h"
#include "ui/cli/base/limit.h"
#include "ui/cli/base/output.h"
#include "ui/cli/base/range.h"
#include "ui/cli/base/selected.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options that are the daemon's parameters under another name. */
enum {
	OPT_WIDTH = 256, OPT_HEIGHT, OPT_SCALE, OPT_TRANSFER, OPT_WEIGHTS, OPT_WEIGHT, OPT_YSCALE, OPT_YMIN, OPT_YMAX, OPT_CROP, OPT_THEME, OPT_FORMAT,
	OPT_SELECTED, OPT_ISOLATE, OPT_EXCLUDE, OPT_DECOMPOSE_ALL, OPT_HUES, OPT_PALETTE, OPT_BY, OPT_SHOW, OPT_TOP, OPT_CHART, OPT_BARE,
	OPT_NO_DATA, OPT_COLUMNS, OPT_KEYS, OPT_NCOLS, OPT_ROW_BITS, OPT_FOLDED, OPT_AUTHOR,
};

static const struct setting {
	int key;
	const char *parameter;
} settings[] = {
	{ 'm', "measure" }, { OPT_WIDTH, "width" },
	{ OPT_HEIGHT, "height" }, { OPT_SCALE, "scale" }, { OPT_TRANSFER, "transfer" }, { OPT_WEIGHTS, "weights" },
	{ OPT_WEIGHT, "weight" }, { OPT_YSCALE, "yscale" }, { OPT_CROP, "crop" }, { OPT_THEME, "theme" },
	{ OPT_SELECTED, "selected" }, { OPT_ISOLATE, "isolate" }, { OPT_EXCLUDE, "exclude" },
	{ OPT_DECOMPOSE_ALL, "decompose_all" }, { OPT_HUES, "hues" }, { OPT_PALETTE, "palette" }, { OPT_BY, "by" }, { OPT_SHOW, "show" },
	{ OPT_TOP, "top" }, { OPT_CHART, "chart" }, { OPT_NO_DATA, "data" }, { OPT_COLUMNS, "table" }, { OPT_NCOLS, "ncols" },
	{ OPT_ROW_BITS, "row_bits" }, { OPT_AUTHOR, "author" },
};
#define N_SETTINGS (sizeof(settings) / sizeof(*settings))

struct options {
	const char *id, *file, *out, *format;
	const char *value[N_SETTINGS];	/* NULL: not given */
	const char *ymin, *ymax;
	struct range range;
	const char *formats;		/* that can be written, as output.h */
	int one_format;			/* whatever the file is called: flame, export */
	int bare, keys;
	int numbers;			/* export: cells, columns or keys, no picture */
	int words;			/* describe */
	int author;			/* report: it names its author */
	int chart;
};

static const char **value_of(struct options *o, int key)
{
	for (size_t i = 0; i < N_SETTINGS; i++)
		if (settings[i].key == key)
			return &o->value[i];
	return NULL;
}

#define SOURCE_OPTIONS                                                                                        \
	{ "file", 'f', "RECORDING", 0, "Read a recording instead of a daemon's instrumentation", 0 },         \
	RANGE_OPTIONS(0)
#define COMMON_OPTIONS(formats)                                                                               \
	{ "output", 'o', "FILE", 0, "Write here (- is standard output); the ending chooses the format", 0 },  \
	SOURCE_OPTIONS,                                                                                       \
	{ "width", OPT_WIDTH, "PX", 0, "Width in pixels (default 1200)", 0 },                                 \
	{ "height", OPT_HEIGHT, "PX", 0, "Height in pixels", 0 },                                             \
	{ "scale", OPT_SCALE, "N", 0, "1 (default) or 2 pixels per pixel", 0 },                               \
	{ "theme", OPT_THEME, "NAME", 0, "light (default) or dark", 0 },                                      \
	{ "format", OPT_FORMAT, "NAME", 0, formats, 0 },                                                      \
	{ "by", OPT_BY, "FIELD", 0, "Keys are values of this field alone", 0 },                               \
	{ "yscale", OPT_YSCALE, "NAME", 0, "log (default) or linear", 0 },                                    \
	{ "ymin", OPT_YMIN, "VALUE", 0, "Lowest value shown, with the measure's unit: 10ms", 0 },            \
	{ "ymax", OPT_YMAX, "VALUE", 0, "Highest value shown", 0 },                                           \
	{ "selected", OPT_SELECTED, "KEYS", 0, "Highlight these keys, comma-separated, each in its own hue", 0 }, \
	{ "isolate", OPT_ISOLATE, NULL, 0, "Only the selected keys", 0 },                                     \
	{ "exclude", OPT_EXCLUDE, NULL, 0, "All keys except the selected ones", 0 },                          \
	{ "no-data", OPT_NO_DATA, NULL, 0, "A PNG without the numbers and keys that it was drawn from", 0 }
#define MAP_OPTIONS                                                                                           \
	{ "transfer", OPT_TRANSFER, "NAME", 0, "Count to colour: log (default), linear, sqrt, rank, percent (of the column)", 0 }, \
	{ "crop", OPT_CROP, "SHARE", 0, "End the value axis so that at most this share of the events (0 to 0.05) is "              \
		"above it", 0 },                                                                                                   \
	{ "weight", OPT_WEIGHT, "NAME", 0, "Colours are sums of this weight of the instrumentation, not counts", 0 }, \
	{ "weights", OPT_WEIGHTS, "NAME", 0, "Colours are count (default) or weight: time spent, by the middles of buckets", 0 }, \
	{ "decompose-all", OPT_DECOMPOSE_ALL, NULL, 0, "Every key in a hue of its own", 0 },                  \
	{ "hues", OPT_HUES, "DEGREES", 0, "Hues (0 to 359) of the background and of each key", 0 },           \
	{ "palette", OPT_PALETTE, "NAME", 0, "Colours of one layer: ramp (default), fire, grey or hue", 0 }

static const struct argp_option render_options[] = {
	COMMON_OPTIONS(OUTPUT_FIGURE "; with --bare " OUTPUT_BARE),
	MAP_OPTIONS,
	{ "measure", 'm', "NAME", 0, "Which measure (default: the first)", 0 },
	{ "bare", OPT_BARE, NULL, 0, "Cells alone, without axes and legend; PNG only", 0 },
	{ 0 },
};
static const struct argp_option report_options[] = {
	COMMON_OPTIONS("png, pdf (pages with the tables), svg, html (likewise), csv (the table) or json (all of it)"),
	MAP_OPTIONS,
	{ "chart", OPT_CHART, "BOOL", 0, "Draw a chart of rates: true or false (default: if no numeric field is "
		"decomposed)", 0 },
	{ "show", OPT_SHOW, "NAME", 0, "The chart: rate (events per second by key, the default) or active (how many "
		"events were in each part of their time at once)", 0 },
	{ "top", OPT_TOP, "N", 0, "How many keys the chart has, the rest is one (default 9)", 0 },
	{ "author", OPT_AUTHOR, "NAME", 0, "The author's name in the report (default: your login; '' for none)", 0 },
	{ 0 },
};
static const struct argp_option chart_options[] = {
	COMMON_OPTIONS(OUTPUT_CHART),
	{ "measure", 'm', "NAME", 0, "Which measure (default: the first)", 0 },
	{ "show", OPT_SHOW, "NAME", 0, "rate (events per second by key), percentiles, or active (how many events "
		"were in each part of their time at once); default: percentiles without keys, else rate", 0 },
	{ "top", OPT_TOP, "N", 0, "How many keys have their own colour (default 9)", 0 },
	{ 0 },
};

static const struct argp_option flame_options[] = {
	{ "output", 'o', "FILE", 0, "Write here (- is standard output)", 0 },
	{ "folded", OPT_FOLDED, NULL, 0, "Write a line per stack, for other tools, instead of a picture", 0 },
	SOURCE_OPTIONS,
	{ "ymin", OPT_YMIN, "VALUE", 0, "Only events from this value on, with the measure's unit: 10ms", 0 },
	{ "over", OPT_YMIN, "VALUE", OPTION_ALIAS, NULL, 0 },
	{ "ymax", OPT_YMAX, "VALUE", 0, "Only events below this value", 0 },
	{ "under", OPT_YMAX, "VALUE", OPTION_ALIAS, NULL, 0 },
	{ "measure", 'm', "NAME", 0, "Which measure (default: the first)", 0 },
	{ "weights", OPT_WEIGHTS, "NAME", 0, "Widths are weight, the sum of the measure (default for times), or count", 0 },
	{ "by", OPT_BY, "FIELD", 0, "Boxes are values of this field (default: stack, else the first)", 0 },
	{ "selected", OPT_SELECTED, "KEYS", 0, "Only these keys, comma-separated", 0 },
	{ "exclude", OPT_EXCLUDE, NULL, 0, "All keys except the selected ones", 0 },
	{ "width", OPT_WIDTH, "PX", 0, "Width in pixels (default 1200)", 0 },
	{ "theme", OPT_THEME, "NAME", 0, "light (default) or dark", 0 },
	{ 0 },
};

static const struct argp_option export_options[] = {
	{ "output", 'o', "FILE", 0, "Write here (default, and -: standard output)", 0 },
	SOURCE_OPTIONS,
	{ "columns", OPT_COLUMNS, NULL, 0, "A line per column of time: count, mean, percentiles, coverage, lost", 0 },
	{ "keys", OPT_KEYS, NULL, 0, "A line per key: count, mean, percentiles", 0 },
	{ "measure", 'm', "NAME", 0, "Which measure (default: the first)", 0 },
	{ "ncols", OPT_NCOLS, "N", 0, "At most this many columns of time (default 600)", 0 },
	{ "row-bits", OPT_ROW_BITS, "N", 0, "2^N rows per octave of the values (default 3)", 0 },
	{ "by", OPT_BY, "FIELD", 0, "Keys are values of this field alone", 0 },
	{ "selected", OPT_SELECTED, "KEYS", 0, "Only these keys, comma-separated", 0 },
	{ "exclude", OPT_EXCLUDE, NULL, 0, "All keys except the selected ones", 0 },
	{ 0 },
};

static const struct argp_option describe_options[] = {
	SOURCE_OPTIONS,
	{ "by", OPT_BY, "FIELD", 0, "Keys are values of this field alone", 0 },
	{ "selected", OPT_SELECTED, "KEYS", 0, "Only these keys, comma-separated", 0 },
	{ "exclude", OPT_EXCLUDE, NULL, 0, "All keys except the selected ones", 0 },
	{ 0 },
};

/* NULL for an unknown ending. */
static const char *format_of(const struct options *o)
{
	return o->format ? o->format : output_format(o->formats, o->out);
}

static void check_format(const struct options *o, struct argp_state *state)
{
	const char *command = o->bare ? "with --bare it" : "it";
	char endings[OUTPUT_ENDINGS_MAX];

	if (o->words)
		return;
	output_endings(o->formats, endings);
	if (o->one_format && output_is_other(o->formats, o->out))
		argp_error(state, "%s: it writes %s only", o->out, o->formats);
	if (!o->one_format && o->format && !output_has(o->formats, o->format))
		argp_error(state, "--format %s: %s must be %s", o->format, command, o->formats);
	if (!format_of(o))
		argp_error(state, "%s: %s must end in %s, or give --format", o->out, command, endings);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	const char **value = value_of(o, key);

	if (value) {
		*value = arg ? arg : key == OPT_NO_DATA ? "false" : key == OPT_COLUMNS ? "columns" : "true";
		return 0;
	}
	switch (key) {
	case 'o': o->out = arg; return 0;
	case 's':
	case 'e':
	case 'd': return range_take(&o->range, key, arg, state);
	case 'f': o->file = arg; return 0;
	case OPT_FORMAT: o->format = arg; return 0;
	case OPT_YMIN: o->ymin = arg; return 0;
	case OPT_YMAX: o->ymax = arg; return 0;
	case OPT_BARE: o->bare = 1; o->formats = OUTPUT_BARE; return 0;
	case OPT_KEYS: o->keys = 1; return 0;
	case OPT_FOLDED: o->format = o->formats = "folded"; return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num || !*arg)
			argp_usage(state);
		o->id = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->id == !o->file)
			argp_error(state, "give either an instrumentation's ID or --file");
		check_format(o, state);
		if (o->keys && *value_of(o, OPT_COLUMNS))
			argp_error(state, "give either --columns or --keys");
		if (o->keys && (*value_of(o, OPT_NCOLS) || *value_of(o, OPT_ROW_BITS)))
			argp_error(state, "--ncols and --row-bits are of cells and columns, not of --keys");
		if (o->numbers && !o->keys && *value_of(o, OPT_BY))
			argp_error(state, "--by needs --keys: cells and columns are of all keys together");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp render_argp = {
	render_options, parse_option, "[ID]",
	"Draw a heat map.\vExamples:\n"
	"  heatscope render 1 -o heatmap.png\n"
	"  heatscope render 1 --measure cputime --duration 600 -o oncpu.pdf\n"
	"  heatscope render 1 --selected select,update -o statements.svg\n"
	"  heatscope render 1 --weights weight --transfer linear -o timespent.png\n"
	"  heatscope render 1 --weight cputime -o computing.png\n"
	"  heatscope render 1 --crop 0.01 --yscale linear -o without-outliers.png\n"
	"  heatscope render --file monday.hsr -o monday.png", NULL, NULL, NULL
};
static const struct argp report_argp = {
	report_options, parse_option, "[ID]",
	"Maps of latency, time on the CPU and time off it on one time axis, and a table per key.\vExamples:\n"
	"  heatscope report 1 --duration 5m -o report.png\n"
	"  heatscope report 1 --start 2026-11-24 --duration 1d --author 'Ada, on call' -o tuesday.pdf\n"
	"  heatscope report 1 --format json | jq -r '.maps[].narrative'\n"
	"  heatscope report 1 --start 14:05 --duration 10m -o slow.html\n"
	"  heatscope report --file monday.hsr -o monday.pdf", NULL, NULL, NULL
};

static const struct argp chart_argp = {
	chart_options, parse_option, "[ID]",
	"Events per second by key, stacked, or percentiles as lines.\vExamples:\n"
	"  heatscope chart 1 --duration 600 -o rates.png\n"
	"  heatscope chart 1 --show percentiles -o percentiles.svg\n"
	"  heatscope chart 1 --show active -o active.png\n"
	"  heatscope chart 1 --format json | jq '.series[] | {key, total}'", NULL, NULL, NULL
};

static const struct argp flame_argp = {
	flame_options, parse_option, "[ID]",
	"Draw the stacks of an instrumentation by stack as a flame graph (SVG), or any other field as one row.\vExamples:\n"
	"  heatscope create cpu.offcpu --by stack --where 'execname = mariadbd' --keys 1000\n"
	"  heatscope flame 1 --over 10ms -o blocked.svg\n"
	"  heatscope flame 1 --folded | sort -nrk2 | head", NULL, NULL, NULL
};

static const struct argp export_argp = {
	export_options, parse_option, "[ID]",
	"The numbers of a heat map as CSV: a line per cell with time, low, high and count.\vExamples:\n"
	"  heatscope export 1 --duration 600 -o cells.csv\n"
	"  heatscope export 1 --columns --measure cputime\n"
	"  heatscope export --file monday.hsr --keys -o monday.csv", NULL, NULL, NULL
};

static const struct argp describe_argp = {
	describe_options, parse_option, "[ID]",
	"A heat map in words: its modes, shifts and worst minute for each measure, what was lost, and tables.\vExamples:\n"
	"  heatscope describe 1 --duration 1h\n"
	"  heatscope describe 1 --selected select,update\n"
	"  heatscope describe --file monday.hsr", NULL, NULL, NULL
};

/* The account name of the user; NULL: the account has no name. */
static const char *login_name(void)
{
	const struct passwd *account = getpwuid(getuid());

	return account ? account->pw_name : NULL;
}

/* Sets the defaults that differ from the daemon's; a bare map without layers is drawn in the ramp. */
static void set_defaults(struct options *o)
{
	const char **width = value_of(o, OPT_WIDTH), **palette = value_of(o, OPT_PALETTE);
	const char **author = value_of(o, OPT_AUTHOR);

	if (!*width)
		*width = "1200";
	if (o->author && !*author)
		*author = login_name();
	if (o->words && *value_of(o, OPT_SELECTED) && !*value_of(o, OPT_EXCLUDE))
		*value_of(o, OPT_ISOLATE) = "true";	/* what is said is of these alone */
	if (o->bare && !*palette && !*value_of(o, OPT_HUES))
		*palette = "ramp";
}

static int write_reply(const struct options *o, const struct reply *r, char reason[PARAMS_REASON_MAX])
{
	char *text = NULL;
	size_t len;
	int err;

	if (o->words)
		return describe_reply(r->data ?: "", r->len, reason);
	if (!o->keys)
		return output_write(o->out, format_of(o), r->data, r->len, reason);
	err = key_table_csv(r->data ?: "", r->len, &text, &len);
	if (err)
		snprintf(reason, 256, "%s", err == -ENOMEM ? strerror(ENOMEM) : "heatscoped sent keys that cannot be read: is it another version?");
	else
		err = output_write(o->out, "csv", text, len, reason);
	free(text);
	return err;
}

/* By default heatscoped draws percentiles where a measure alone is decomposed, else rates. */
static int rates_shown(struct client *c, struct options *o, int *ret_shown)
{
	const char *show = *value_of(o, OPT_SHOW);
	char path[512];
	json_t *inst;
	int err;

	*ret_shown = show && strcmp(show, "percentiles");
	if (show)
		return 0;
	err = client_json(c, "GET", inst_path(o->id, "", path), NULL, &inst);
	*ret_shown = strcmp(json_text(inst, "value-arity"), "numeric-decomposition") ||
		     json_array_size(json_object_get(inst, "decomposition")) > 1;
	json_decref(inst);
	return err;
}

/* Rates are numbers per second, active events are a number, all other charts show values of the measure. */
static int put_limits(struct client *c, struct options *o, struct query_string *p)
{
	const struct limit limit[] = { { "ymin", "ymin", o->ymin }, { "ymax", "ymax", o->ymax } };
	bool active = !strcmp(*value_of(o, OPT_SHOW) ?: "", "active");
	int rates = 0, err = o->chart && (o->ymin || o->ymax) ? rates_shown(c, o, &rates) : 0;
	char number[32];

	if (err || !rates)
		return err ?: limits_put(c, o->id, *value_of(o, 'm'), limit, 2, p);
	for (size_t i = 0; i < 2 && !err; i++) {
		if (!limit[i].text)
			continue;
		err = limit_read(&limit[i], active ? UNIT_NONE : UNIT_PER_S, active ? "how many" : "the rate", number, c->reason);
		if (!err)
			query_string_put(p, limit[i].parameter, number);
	}
	return err;
}

/* The keys of a flame graph are values of a field that heatscoped chooses, unless --by names it. */
static void check_keys(struct client *c, const char *command, struct options *o)
{
	const struct selection s = { *value_of(o, OPT_SELECTED), *value_of(o, OPT_BY) };

	if (s.by || !o->one_format || o->numbers || o->words)
		selected_check(c, command, o->id, &s, &o->range);
}

static int fetch_picture(struct client *c, const char *command, struct options *o, const char *resource, char reason[PARAMS_REASON_MAX])
{
	struct query_string p = { .len = 0 };
	char path[512], whole[sizeof(path) + PARAMS_MAX];
	struct reply r = { .len = 0 };
	int err;

	set_defaults(o);
	for (size_t i = 0; i < N_SETTINGS; i++)
		query_string_put(&p, settings[i].parameter, o->value[i]);
	range_put(&o->range, &p);
	query_string_put(&p, "format", format_of(o));
	query_string_put_zone(&p);
	err = put_limits(c, o, &p);
	snprintf(whole, sizeof(whole), "%s%s", inst_path(o->id, resource, path), p.text);
	err = err ?: client_request(c, "GET", whole, NULL, &r);
	if (err)
		snprintf(reason, 256, "%.255s", inst_reason(c, err, o->id));
	else
		err = write_reply(o, &r, reason);
	if (!err)
		check_keys(c, command, o);
	reply_fini(&r);
	return err;
}

static int fetch_from_file(const char *command, struct options *o, const char *resource, char reason[PARAMS_REASON_MAX])
{
	struct private p = { .pid = 0 };
	struct client c = { .url = p.url };
	struct range *range = &o->range;
	struct file_info info;
	char id[32];
	int err = file_read(o->file, &info, reason);

	if (err)
		return err;
	if (*info.cut)
		show_print(stderr, "%s\n", info.cut);
	err = file_serve(o->file, &info, &p, id, reason);
	o->id = id;
	if (!(range->end_s > 0) && !(range->start_s > 0 && range->duration_s > 0))
		range->end_s = (double)info.to_s;
	if (!(range->start_s > 0) && !(range->duration_s > 0))
		range->start_s = (double)info.from_s;
	if (!err)
		err = fetch_picture(&c, command, o, resource, reason);
	private_stop(&p);
	json_decref(info.request);
	return err;
}

struct picture {
	const struct argp *argp;
	const char *command, *resource;
	const char *formats;
	const char *format;		/* NULL: by the ending of the file's name */
};

static int is_text(const char *format)
{
	return !strcmp(format, "json") || !strcmp(format, "csv") || !strcmp(format, "folded");
}

static int run_picture(struct client *c, const struct picture *p, int argc, char **argv)
{
	struct options o = { .formats = p->formats, .format = p->format, .one_format = !!p->format, .numbers = p->argp == &export_argp, .words = p->argp == &describe_argp,
			     .author = p->argp == &report_argp, .chart = p->argp == &chart_argp };
	const char *resource = p->resource;
	char reason[PARAMS_REASON_MAX] = "";
	int err;

	argp_parse(p->argp, argc, argv, 0, NULL, &o);
	if ((!o.out || !strcmp(o.out, "-")) && isatty(STDOUT_FILENO) && !is_text(format_of(&o)))
		return failed(p->command, "standard output is a terminal; give -o FILE");
	if (o.bare)
		resource = "/value/heatmap/image";
	if (o.keys)
		resource = "/value/keys";
	err = o.file ? fetch_from_file(p->command, &o, resource, reason) : fetch_picture(c, p->command, &o, resource, reason);
	return err ? failed(p->command, reason) : 0;
}

int run_render(struct client *c, int argc, char **argv)
{
	return run_picture(c, &(struct picture){ &render_argp, "render", "/value/heatmap/figure", OUTPUT_FIGURE, NULL }, argc, argv);
}

int run_report(struct client *c, int argc, char **argv)
{
	return run_picture(c, &(struct picture){ &report_argp, "report", "/value/report", OUTPUT_REPORT, NULL }, argc, argv);
}

int run_chart(struct client *c, int argc, char **argv)
{
	return run_picture(c, &(struct picture){ &chart_argp, "chart", "/value/chart", OUTPUT_CHART, NULL }, argc, argv);
}

int run_flame(struct client *c, int argc, char **argv)
{
	return run_picture(c, &(struct picture){ &flame_argp, "flame", "/value/flame", OUTPUT_FLAME, "svg" }, argc, argv);
}

int run_export(struct client *c, int argc, char **argv)
{
	return run_picture(c, &(struct picture){ &export_argp, "export", "/value/grid", OUTPUT_EXPORT, "csv" }, argc, argv);
}

int run_describe(struct client *c, int argc, char **argv)
{
	return run_picture(c, &(struct picture){ &describe_argp, "describe", "/value/report", "", "json" }, argc, argv);
}
