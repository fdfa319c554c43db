/* watch: parses the options, chooses the instrumentation, and prints one frame as text; watch/ has the rest. */
#include "ui/cli/base/command.h"
#include "ui/cli/commands/commands.h"
#include "ui/cli/base/range.h"
#include "ui/cli/watch/ask.h"
#include "ui/cli/watch/live.h"
#include "ui/cli/watch/sixel.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- options --- */

enum { OPT_ONCE = 256, OPT_COLUMNS, OPT_LINES, OPT_COLOR, OPT_TRANSFER, OPT_PALETTE, OPT_YSCALE, OPT_THEME, OPT_SELECTED, OPT_GRAPHICS };

struct options {
	const char *id, *measure, *selected, *theme, *color;
	double duration_s, end_s;
	enum shade_transfer transfer;
	enum palette_ramp ramp;
	enum view_yscale yscale;
	enum graphics_wish graphics;
	bool once;
	long n_cols, n_lines;		/* 0: not given */
};

static const struct argp_option options[] = {
	{ "duration", 'd', "SPAN", 0, "Show at least this time: 90 (seconds), 10m, 1h30m (default 1m)", 0 },
	{ "end", 'e', "TIME", 0, "Stop at this time: " MOMENT_GRAMMAR, 0 },
	{ "measure", 'm', "NAME", 0, "Which measure (default: the first)", 0 },
	{ "selected", OPT_SELECTED, "KEY", 0, "Only this key", 0 },
	{ "transfer", OPT_TRANSFER, "NAME", 0, "Count to colour: log (default), linear, sqrt, rank, percent (of the column)", 0 },
	{ "palette", OPT_PALETTE, "NAME", 0, "ramp (default: yellow to blue), fire or grey", 0 },
	{ "yscale", OPT_YSCALE, "NAME", 0, "log or linear (default: as is usual for the measure)", 0 },
	{ "theme", OPT_THEME, "NAME", 0, "dark (default) or light", 0 },
	{ "once", OPT_ONCE, NULL, 0, "Print one frame as text, and exit", 0 },
	{ "columns", OPT_COLUMNS, "N", 0, "With --once: width (default 80)", 0 },
	{ "lines", OPT_LINES, "N", 0, "With --once: height (default 24)", 0 },
	{ "color", OPT_COLOR, "WHEN", 0, "always, never, or auto (default): with --once only on a terminal; NO_COLOR is "
	  "respected", 0 },
	{ "graphics", OPT_GRAPHICS, "NAME", 0, "The map as a picture: kitty or sixel, none, or auto (default): what the terminal says it "
	  "can show", 0 },
	{ 0 },
};

static long take_choice(struct argp_state *state, const char *option, const char *arg, const char *const *names)
{
	for (long i = 0; names[i]; i++)
		if (!strcmp(arg, names[i]))
			return i;
	argp_error(state, "--%s %s: not a valid value, see --help", option, arg);
	return 0;
}

static double take_decimal(struct argp_state *state, const char *option, const char *arg, double least, double most)
{
	char *end;
	double n = strtod(arg, &end);

	if (end == arg || *end || !(n >= least && n <= most))
		argp_error(state, "--%s %s: must be a number from %.10g to %.10g", option, arg, least, most);
	return n;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	static const char *const transfers[] = {
		[SHADE_LINEAR] = "linear", [SHADE_LOG] = "log", [SHADE_RANK] = "rank", [SHADE_SQRT] = "sqrt",
		[SHADE_PERCENT] = "percent", NULL,
	};
	static const char *const yscales[] = {
		[YSCALE_AUTO] = "auto", [YSCALE_LOG] = "log", [YSCALE_LINEAR] = "linear", NULL,
	};
	static const char *const palettes[] = {
		[PALETTE_USUAL] = "ramp", [PALETTE_FIRE] = "fire", [PALETTE_GREY] = "grey", NULL,
	};
	static const char *const themes[] = { "dark", "light", NULL }, *const colors[] = { "auto", "always", "never", NULL };
	static const char *const graphics[] = {
		[WISH_AUTO] = "auto", [WISH_NONE] = "none", [WISH_KITTY] = "kitty", [WISH_SIXEL] = "sixel", NULL,
	};
	struct options *o = state->input;

	switch (key) {
	case 'd': o->duration_s = take_span(state, "duration", arg); return 0;
	case 'e': o->end_s = take_moment(state, "end", arg); return 0;
	case 'm': o->measure = arg; return 0;
	case OPT_SELECTED: o->selected = arg; return 0;
	case OPT_TRANSFER: o->transfer = (enum shade_transfer)take_choice(state, "transfer", arg, transfers); return 0;
	case OPT_PALETTE: o->ramp = (enum palette_ramp)take_choice(state, "palette", arg, palettes); return 0;
	case OPT_YSCALE: o->yscale = (enum view_yscale)take_choice(state, "yscale", arg, yscales); return 0;
	case OPT_THEME: o->theme = themes[take_choice(state, "theme", arg, themes)]; return 0;
	case OPT_COLOR: o->color = colors[take_choice(state, "color", arg, colors)]; return 0;
	case OPT_GRAPHICS: o->graphics = (enum graphics_wish)take_choice(state, "graphics", arg, graphics); return 0;
	case OPT_ONCE: o->once = true; return 0;
	case OPT_COLUMNS: o->n_cols = (long)take_decimal(state, "columns", arg, LAYOUT_COLS_MIN, SCREEN_SIDE_MAX);
		return 0;
	case OPT_LINES: o->n_lines = (long)take_decimal(state, "lines", arg, LAYOUT_LINES_MIN, LAYOUT_LINES_MAX);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num || !*arg)
			argp_usage(state);
		o->id = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->once && (o->n_cols || o->n_lines))
			argp_error(state, "--columns and --lines go with --once; else the terminal has its size");
		if (o->once && o->graphics > WISH_NONE)
			argp_error(state, "--once prints text; 'heatscope render' draws pictures");
		if (o->graphics == WISH_SIXEL && !sixel_can())
			argp_error(state, "--graphics sixel: this heatscope was built without libsixel");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options, parse_option, "[ID]",
	"The live heat map of an instrumentation (default: the first) in the terminal. ? shows the keys, q ends.\v"
	"Examples:\n"
	"  heatscope watch 1\n"
	"  heatscope watch 1 --measure cputime --duration 10m\n"
	"  heatscope watch 1 --selected select\n"
	"  heatscope watch 1 --once --columns 120 --lines 40 --color always\n"
	"Half blocks in 24-bit colour where COLORTERM says truecolor, else 256 colours; with fewer, or NO_COLOR, the "
	"denser a character the more events. A picture, where the terminal can show one.", NULL, NULL, NULL
};

/* --- the watched instrumentation --- */

static int find_subject(struct client *c, struct options *o, struct subject *ret_subject)
{
	char path[512];
	json_t *json = NULL;
	int err = client_json(c, "GET", o->id ? inst_path(o->id, "", path) : "/ca/instrumentations", NULL, &json);

	if (!err && subject_read(o->id ? json : json_array_get(json, 0), ret_subject))
		err = refuse_in(-ENOENT, c->reason, sizeof(c->reason), "nothing is measured; 'heatscope create' "
			"switches a metric on");
	json_decref(json);
	return err;
}

static int set_view(struct client *c, const struct options *o, struct session *s)
{
	long measure = o->measure ? subject_measure(&s->subject, o->measure) : 0;
	struct view *v = &s->view;

	if (measure < 0)
		return refuse_in(-EINVAL, c->reason, sizeof(c->reason), "%s has no measure %s; 'heatscope show' lists "
			"them", s->subject.id, o->measure);
	if (o->selected && strlen(o->selected) >= sizeof(v->selected))
		return refuse_in(-EINVAL, c->reason, sizeof(c->reason), "--selected: no key is as long as this");
	*v = (struct view){ .measure = (size_t)measure, .end_s = o->end_s, .yscale = o->yscale, .transfer = o->transfer, .ramp = o->ramp,
			    .row_bits = 2, .isolated = o->selected != NULL };
	snprintf(v->selected, sizeof(v->selected), "%s", o->selected ?: "");
	s->theme = o->theme;
	return 0;
}

static struct look look_for(const struct options *o)
{
	struct look look = look_of((const char *(*)(const char *))getenv);

	if (!strcmp(o->color, "never") || (o->once && !strcmp(o->color, "auto") && !isatty(STDOUT_FILENO)))
		look.depth = DEPTH_PLAIN;
	if (!strcmp(o->color, "always") && look.depth < DEPTH_256)
		look.depth = DEPTH_256;
	if (!o->once && look.depth == DEPTH_PLAIN)
		look.depth = DEPTH_MONO;
	return look;
}

/* --- once --- */

static int ask_once(struct client *c, struct session *s, const struct layout *l)
{
	char path[512], whole[sizeof(path) + PARAMS_MAX];
	struct query_string p = { .len = 0 };
	json_t *json;
	int err;

	ask_parameters(&s->view, &s->subject, l->map_cols, s->theme, &p);
	ask_seconds("end_time", s->view.end_s, &p);
	snprintf(whole, sizeof(whole), "%s%s", inst_path(s->subject.id, "/value/grid", path), p.text);
	err = client_json(c, "GET", whole, NULL, &json);
	if (err)
		return err;
	map_free(s->map);
	s->map = NULL;
	err = map_read(json, &s->map);
	if (err)
		snprintf(c->reason, sizeof(c->reason), "heatscoped sent a map that cannot be read: %s", strerror(-err));
	json_decref(json);
	return err;
}

static int print_once(struct session *s, long n_cols, long n_lines)
{
	struct frame f = session_frame(s);
	struct bytes out = { 0 };
	struct screen screen;
	int err = screen_init(&screen, n_cols, n_lines);

	if (err)
		return err;
	f.summary = &s->map->all;
	frame_draw(&f, &screen);
	screen_print(&out, s->look, &screen);
	err = out.err ?: fwrite(out.data, 1, out.len, stdout) == out.len && !fflush(stdout) ? 0 : -errno;
	bytes_fini(&out);
	screen_fini(&screen);
	return err;
}

static int run_once(struct client *c, const struct options *o, struct session *s)
{
	long n_cols = o->n_cols ?: 80, n_lines = o->n_lines ?: 24;
	struct layout l = layout_of(n_cols, n_lines, s->look);
	int err;

	s->view.column_s = view_column_s(o->duration_s, s->subject.slot_s, l.map_cols);
	s->state = FRAME_ONCE;
	err = ask_once(c, s, &l);
	if (!err && view_see(&s->view, s->map, l.n_pixels))
		err = ask_once(c, s, &l);		/* with rows that fit */
	if (!err && (err = print_once(s, n_cols, n_lines)))
		snprintf(c->reason, sizeof(c->reason), "standard output: %s", strerror(-err));
	map_free(s->map);
	return err;
}

/* --- the command --- */

static bool can_be_live(const struct options *o)
{
	const char *term = getenv("TERM");

	if (o->once)
		return true;
	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
		show_print(stderr, "heatscope watch: standard %s is not a "
			"terminal; 'heatscope render' draws into a file, --once "
			"prints one frame\n", isatty(STDOUT_FILENO) ? "input" : "output");
	else if (!term || !*term || !strcmp(term, "dumb"))
		show_print(stderr, "heatscope watch: this terminal (TERM=%s) has no cursor to move; --once prints one frame\n",
			term ?: "");
	else
		return true;
	return false;
}

int run_watch(struct client *c, int argc, char **argv)
{
	struct options o = { .duration_s = 60, .theme = "dark", .color = "auto", .transfer = SHADE_LOG };
	struct session s = { .view.row_bits = 0 };
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (!can_be_live(&o))
		return EXIT_USAGE;
	setlocale(LC_CTYPE, "C.UTF-8");		/* for wcwidth(); what can be shown is the look's */
	s.look = look_for(&o);
	err = find_subject(c, &o, &s.subject) ?: set_view(c, &o, &s);
	if (err)
		return failed("watch", inst_reason(c, err, o.id ?: ""));
	err = o.once ? run_once(c, &o, &s) : live_run(c, o.duration_s, o.graphics, &s);
	return err ? failed("watch", inst_reason(c, err, s.subject.id)) : 0;
}
