/* render and report: pictures, from heatscoped or from a recording. */
#include "command.h"
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
	const char *id, *file, *out, *format, *duration, *start, *end, *measure, *width, *height, *transfer, *yscale,
		*theme, *selected;
	int bare;
};

enum { OPT_WIDTH = 256, OPT_HEIGHT, OPT_TRANSFER, OPT_YSCALE, OPT_THEME, OPT_SELECTED, OPT_BARE, OPT_FORMAT };

#define COMMON_OPTIONS                                                                                      \
	{ "output", 'o', "FILE", 0, "Write here (- is standard output); .png or .pdf tells the format", 0 },  \
	{ "file", 'f', "RECORDING", 0, "Draw a recording instead of a daemon's instrumentation", 0 },       \
	{ "duration", 'd', "S", 0, "How many seconds (default 60)", 0 },                                    \
	{ "start", 's', "TIME", 0, "From this Unix time on", 0 },                                           \
	{ "end", 'e', "TIME", 0, "Up to this Unix time", 0 },                                               \
	{ "width", OPT_WIDTH, "PX", 0, "Width in pixels (default 1200)", 0 },                               \
	{ "height", OPT_HEIGHT, "PX", 0, "Height in pixels", 0 },                                           \
	{ "transfer", OPT_TRANSFER, "NAME", 0, "Count to colour: log (default), linear, rank", 0 },         \
	{ "yscale", OPT_YSCALE, "NAME", 0, "log (default) or linear", 0 },                                  \
	{ "theme", OPT_THEME, "NAME", 0, "light (default) or dark", 0 },                                    \
	{ "format", OPT_FORMAT, "NAME", 0, "png or pdf", 0 }

static const struct argp_option render_options[] = {
	COMMON_OPTIONS,
	{ "measure", 'm', "NAME", 0, "Which measure (default: the first)", 0 },
	{ "selected", OPT_SELECTED, "KEYS", 0, "Only these keys, comma-separated", 0 },
	{ "bare", OPT_BARE, NULL, 0, "Cells alone, without axes and legend", 0 },
	{ 0 },
};
static const struct argp_option report_options[] = { COMMON_OPTIONS, { 0 } };

/* NULL for an ending that is neither. */
static const char *format_of(const struct options *o)
{
	const char *slash = o->out ? strrchr(o->out, '/') : NULL, *name = slash ? slash + 1 : o->out;
	const char *dot = name ? strrchr(name, '.') : NULL;

	if (o->format)
		return o->format;
	if (!dot || !strcasecmp(dot, ".png"))
		return "png";
	return strcasecmp(dot, ".pdf") ? NULL : "pdf";
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o': o->out = arg; return 0;
	case 'f': o->file = arg; return 0;
	case 'd': o->duration = arg; return 0;
	case 's': o->start = arg; return 0;
	case 'e': o->end = arg; return 0;
	case 'm': o->measure = arg; return 0;
	case OPT_WIDTH: o->width = arg; return 0;
	case OPT_HEIGHT: o->height = arg; return 0;
	case OPT_TRANSFER: o->transfer = arg; return 0;
	case OPT_YSCALE: o->yscale = arg; return 0;
	case OPT_THEME: o->theme = arg; return 0;
	case OPT_SELECTED: o->selected = arg; return 0;
	case OPT_FORMAT: o->format = arg; return 0;
	case OPT_BARE: o->bare = 1; return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num || !*arg)
			argp_usage(state);
		o->id = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->id == !o->file)
			argp_error(state, "give either an instrumentation's ID or --file");
		if (!format_of(o))
			argp_error(state, "%s: must end in .png or .pdf, or give --format", o->out);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp render_argp = {
	render_options, parse, "[ID]",
	"Draw a heat map.\vExamples:\n"
	"  heatscope render 1 -o heatmap.png\n"
	"  heatscope render 1 --measure cputime --duration 600 -o oncpu.pdf\n"
	"  heatscope render --file monday.hsr -o monday.png", NULL, NULL, NULL
};
static const struct argp report_argp = {
	report_options, parse, "[ID]",
	"Latency, on-CPU and off-CPU maps on one time axis, and a table per key.\vExamples:\n"
	"  heatscope report 1 --duration 300 -o report.png\n"
	"  heatscope report --file monday.hsr -o monday.pdf", NULL, NULL, NULL
};

static int write_out(const struct options *o, const struct reply *r, char reason[256])
{
	int to_stdout = !o->out || !strcmp(o->out, "-");
	FILE *f = to_stdout ? stdout : fopen(o->out, "wb");
	int err = !f || fwrite(r->data, 1, r->len, f) != r->len || fflush(f) ? -errno : 0;

	if (f && !to_stdout && fclose(f) && !err)
		err = -errno;
	if (err)
		snprintf(reason, 256, "%.200s: %s", to_stdout ? "standard output" : o->out, strerror(-err));
	return err;
}

static int fetch(struct client *c, const struct options *o, const char *resource, char reason[256])
{
	struct params p = { .len = 0 };
	char path[512], whole[2600];
	struct reply r;
	int err;

	params_put(&p, "start_time", o->start);
	params_put(&p, "end_time", o->end);
	params_put(&p, "duration", o->duration || (o->start && o->end) ? o->duration : "60");
	params_put(&p, "measure", o->measure);
	params_put(&p, "width", o->width ? o->width : "1200");
	params_put(&p, "height", o->height);
	params_put(&p, "transfer", o->transfer);
	params_put(&p, "yscale", o->yscale);
	params_put(&p, "theme", o->theme);
	params_put(&p, "selected", o->selected);
	params_put(&p, "format", format_of(o));
	snprintf(whole, sizeof(whole), "%s%s", inst_path(o->id, resource, path), p.text);
	err = client_request(c, "GET", whole, NULL, &r);
	if (err)
		snprintf(reason, 256, "%.255s", c->reason);
	else
		err = write_out(o, &r, reason);
	reply_fini(&r);
	return err;
}

static int fetch_from_file(struct options *o, const char *resource, char reason[256])
{
	struct private p = { .pid = 0 };
	struct client c = { .url = p.url };
	char id[32], start[32], end[32];
	struct file_info info;
	int err = file_read(o->file, &info, reason);

	if (err)
		return err;
	err = file_serve(o->file, &info, &p, id, reason);
	snprintf(start, sizeof(start), "%lld", info.from_s);
	snprintf(end, sizeof(end), "%lld", info.to_s);
	o->id = id;
	if (!o->start && !o->end && !o->duration) {
		o->start = start;
		o->end = end;
	} else if (!o->start && !o->end) {
		o->end = end;
	}
	if (!err)
		err = fetch(&c, o, resource, reason);
	private_stop(&p);
	json_decref(info.request);
	return err;
}

static int run(struct client *c, const struct argp *argp, const char *command, const char *resource, int argc, char **argv)
{
	struct options o = { .id = NULL };
	char reason[256] = "";
	int err;

	argp_parse(argp, argc, argv, 0, NULL, &o);
	if ((!o.out || !strcmp(o.out, "-")) && isatty(STDOUT_FILENO))
		return failed(command, "standard output is a terminal; give -o FILE");
	if (o.bare)
		resource = "/value/heatmap/image";
	err = o.file ? fetch_from_file(&o, resource, reason) : fetch(c, &o, resource, reason);
	return err ? failed(command, reason) : 0;
}

int run_render(struct client *c, int argc, char **argv)
{
	return run(c, &render_argp, "render", "/value/heatmap/figure", argc, argv);
}

int run_report(struct client *c, int argc, char **argv)
{
	return run(c, &report_argp, "report", "/value/report", argc, argv);
}
