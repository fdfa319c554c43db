/* compare: compares two times, keys or measures of an instrumentation, or two instrumentations. */
#include "ui/cli/base/command.h"
#include "ui/cli/commands/commands.h"
#include "ui/cli/base/limit.h"
#include "ui/cli/base/range.h"
#include "ui/cli/base/selected.h"
#include "ui/cli/base/local.h"
#include "ui/cli/base/output.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SETTLE_S 2			/* newer data may not have been reported */

/* Options that are the daemon's parameters under another name. */
enum { OPT_SELECTED = 256, OPT_EXCLUDE, OPT_BY, OPT_WITH, OPT_WITH_START, OPT_WITH_MEASURE, OPT_WITH_SELECTED, OPT_WITH_EXCLUDE, OPT_PER,
       OPT_VIEW, OPT_NCOLS, OPT_ROW_BITS, OPT_TRANSFER, OPT_YSCALE, OPT_YMIN, OPT_YMAX, OPT_WIDTH, OPT_HEIGHT, OPT_SCALE, OPT_THEME, OPT_BEFORE,
       OPT_HOST };

static const struct setting {
	int key;
	const char *parameter;
} settings[] = {
	{ 'm', "measure" }, { OPT_SELECTED, "selected" }, { OPT_EXCLUDE, "exclude" }, { OPT_BY, "by" }, { OPT_WITH, "b_instrumentation" },
{ OPT_WITH_MEASURE, "b_measure" }, { OPT_WITH_SELECTED, "b_selected" },
	{ OPT_WITH_EXCLUDE, "b_exclude" }, { OPT_PER, "per" }, { OPT_VIEW, "view" }, { OPT_NCOLS, "ncols" }, { OPT_ROW_BITS, "row_bits" },
	{ OPT_TRANSFER, "transfer" }, { OPT_YSCALE, "yscale" }, { OPT_WIDTH, "width" },
	{ OPT_HEIGHT, "height" }, { OPT_SCALE, "scale" }, { OPT_THEME, "theme" },
};
#define N_SETTINGS (sizeof(settings) / sizeof(*settings))

struct options {
	const char *id, *ymin, *ymax, *out;
	const char *value[N_SETTINGS];	/* NULL: not given */
	struct range range;
	double before_s, with_start_s;	/* 0: not given */
	int json;
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "A:", 1 },
	RANGE_OPTIONS(1),
	{ "measure", 'm', "NAME", 0, "Which measure (default: the first)", 1 },
	{ "selected", OPT_SELECTED, "KEYS", 0, "Only events of these keys, comma-separated", 1 },
	{ "exclude", OPT_EXCLUDE, NULL, 0, "All keys except the selected ones", 1 },
	{ "by", OPT_BY, "FIELD", 0, "Keys are values of this field alone", 1 },
	{ NULL, 0, NULL, 0, "How B differs from A:", 2 },
	{ "before", OPT_BEFORE, "SPAN", 0, "Earlier by this: 90s, 10m, 1h, 1d", 2 },
	{ "with-start", OPT_WITH_START, "TIME", 0, "Begins at this time, as long as A", 2 },
	{ "with-measure", OPT_WITH_MEASURE, "NAME", 0, "With this measure", 2 },
	{ "with-selected", OPT_WITH_SELECTED, "KEYS", 0, "With these keys", 2 },
	{ "with-exclude", OPT_WITH_EXCLUDE, NULL, 0, "With all keys except its selected ones", 2 },
	{ "host", OPT_HOST, "NAME", 0, "A is this host, B all others: --by hostname --selected NAME --with-exclude", 2 },
	{ "with", OPT_WITH, "ID", 0, "From this instrumentation", 2 },
	{ NULL, 0, NULL, 0, "How:", 3 },
	{ "per", OPT_PER, "NAME", 0, "A cell is its share of its column's events (share, the default), or its events (count)", 3 },
	{ "ncols", OPT_NCOLS, "N", 0, "At most this many columns of time (default 240)", 3 },
	{ "row-bits", OPT_ROW_BITS, "N", 0, "2^N rows per octave of the values (default 2)", 3 },
	{ "json", 'j', NULL, 0, "Print the daemon's JSON", 3 },
	{ "output", 'o', "FILE", 0, "Draw it into this file (- is standard output): .png, .pdf or .svg", 4 },
	{ "view", OPT_VIEW, "NAME", 0, "difference (default), side or overlay", 4 },
	{ "transfer", OPT_TRANSFER, "NAME", 0, "From amount to colour: sqrt (default), linear, log, rank", 4 },
	{ "yscale", OPT_YSCALE, "NAME", 0, "log (default) or linear", 4 },
	{ "ymin", OPT_YMIN, "VALUE", 0, "Lowest value shown, with the measure's unit: 10ms", 4 },
	{ "ymax", OPT_YMAX, "VALUE", 0, "Highest value shown", 4 },
	{ "width", OPT_WIDTH, "PX", 0, "Width in pixels (default 1200)", 4 },
	{ "height", OPT_HEIGHT, "PX", 0, "Height in pixels (default 760)", 4 },
	{ "scale", OPT_SCALE, "N", 0, "1 (default) or 2 pixels per pixel", 4 },
	{ "theme", OPT_THEME, "NAME", 0, "light (default) or dark", 4 },
	{ 0 },
};

static const char **value_of(struct options *o, int key)
{
	for (size_t i = 0; i < N_SETTINGS; i++)
		if (settings[i].key == key)
			return &o->value[i];
	return NULL;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	const char **value = value_of(o, key);

	switch (key) {
	case 's':
	case 'e':
	case 'd': return range_take(&o->range, key, arg, state);
	case 'o': figure_check(o->out = arg, state); return 0;
	case 'j': o->json = 1; return 0;
	case OPT_BEFORE: o->before_s = take_span(state, "before", arg); return 0;
	case OPT_WITH_START: o->with_start_s = take_moment(state, "with-start", arg); return 0;
	case OPT_YMIN: o->ymin = arg; return 0;
	case OPT_YMAX: o->ymax = arg; return 0;
	case OPT_HOST:
		*value_of(o, OPT_BY) = "hostname";
		*value_of(o, OPT_SELECTED) = arg;
		*value_of(o, OPT_WITH_EXCLUDE) = "true";
		return 0;
	case OPT_EXCLUDE:
	case OPT_WITH_EXCLUDE: *value = "true"; return 0;
	default:
		if (value)
			*value = arg;
		return value ? 0 : take_one(key, arg, state, &o->id);
	}
}

static const struct argp argp = {
	options, parse_option, "ID",
	"Compare A and B: where and by how much two times, keys, measures or instrumentations differ, and if by more "
		"than they vary.\v"
	"Examples:\n"
	"  heatscope compare 1 --duration 10m --before 1h\n"
	"  heatscope compare 1 -d 300 --measure cputime --with-measure offcpu -o cpu.png\n"
	"  heatscope compare 1 --host db1\n"
	"  heatscope compare 1 --by hostname --selected db1 --with-selected db2 -o hosts.pdf\n"
	"  heatscope compare 1 --selected select --with-exclude --view overlay -o select.svg\n"
	"  heatscope compare 1 --before 1d --json | jq '.lines[] | {name, a, b, significant}'\n"
	"Shares are compared unless --per count is given: rates are rarely the same, and a busier hour is not a "
		"slower one.  Q is the rate of false alarms among the rows with no greater Q; * marks rows that "
		"differ by more than they vary (Q up to 0.05).",
	NULL, NULL, NULL
};

/* ---- which times ---- */

/* With --before, B is reckoned from A's times, so A's must be numbers already here. */
static int take_times(struct options *o, char reason[256])
{
	struct range *a = &o->range;

	if (!(o->before_s > 0))
		return 0;
	if (o->with_start_s > 0)
		return refuse_in(-EINVAL, reason, 256, "--before and --with-start both say when B begins: give one of "
			"them");
	range_settle(a, SETTLE_S);
	o->with_start_s = a->start_s - o->before_s;
	return 0;
}

/* ---- as text ---- */

/* NAN: the side has no events, or was not observed. */
static double number_of(const json_t *line, const char *name)
{
	return json_is_number(json_object_get(line, name)) ? json_number(line, name) : NAN;
}

static const char *amount(const json_t *line, double x, double least, const char *unit, char out[32])
{
	if (isnan(x))
		return "-";
	if (strcmp(json_text(line, "name"), "events"))
		return percentile_text(x, *json_text(line, "name") == 'p' ? least : 0, unit, out);
	snprintf(out, 32, "%.0f", x);
	return out;
}

static const char *chance(const json_t *line, char out[32])
{
	const json_t *q = json_object_get(line, "q");

	if (!json_is_number(q))
		snprintf(out, 32, "-");
	else
		snprintf(out, 32, json_number_value(q) < 0.0001 ? "<0.0001" : "%.4f", json_number_value(q));
	return out;
}

static void print_lines(const json_t *reply)
{
	struct table t = { .n_columns = 6, .right = { 0, 1, 1, 1, 1, 0 } };
	const char *unit = json_text(reply, "unit");
	double least = json_number(reply, "least");
	json_t *line;
	size_t i;

	table_add(&t, "", "A", "B", "A - B", "Q", "");
	json_array_foreach(json_object_get(reply, "lines"), i, line) {
		char a[32], b[32], size[32], difference[40], q[32];
		double d = number_of(line, "difference");

		snprintf(difference, sizeof(difference), "%s%s", d > 0 ? "+" : d < 0 ? "-" : "", amount(line, fabs(d), 0, unit, size));
		table_add(&t, json_text(line, "name"), amount(line, number_of(line, "a"), least, unit, a), amount(line, number_of(line, "b"), least, unit, b),
			  difference, chance(line, q), json_is_true(json_object_get(line, "significant")) ? "*" : "");
	}
	table_print(&t);
}

static void print_comparison(const json_t *reply)
{
	const json_t *a = json_object_get(reply, "a"), *b = json_object_get(reply, "b");

	char zone[AXIS_TEXT];

	show_print(stdout, "A  %s\nB  %s\n", json_text(a, "name"), json_text(b, "name"));
	if (json_number(a, "start_time") != json_number(b, "start_time"))		/* then their names say when */
		show_print(stdout, "   (times in %s)\n", local_zone(local_offset(json_number(a, "end_time")), zone));
	putchar('\n');
	print_lines(reply);
	show_print(stdout, "\n%s\n", json_text(reply, "sentence"));
	print_notes(a);
	print_notes(b);
}

/* B's keys are looked for in B's time, where that is another one. */
static void check_keys(struct client *c, struct options *o)
{
	const struct selection a = { *value_of(o, OPT_SELECTED), *value_of(o, OPT_BY) }, b = { *value_of(o, OPT_WITH_SELECTED), a.by };
	struct range range = o->range;

	selected_check(c, "compare", o->id, &a, &range);
	if (o->with_start_s > 0 && range.start_s > 0 && range.end_s > 0)
		range.end_s += o->with_start_s - range.start_s;
	if (o->with_start_s > 0)
		range.start_s = o->with_start_s;
	selected_check(c, "compare", *value_of(o, OPT_WITH) ?: o->id, &b, &range);
}

int run_compare(struct client *c, int argc, char **argv)
{
	struct options o = { .id = NULL };
	struct query_string p = { .len = 0 };
	char reason[256], with_start[32];
	json_t *reply;
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (take_times(&o, reason))
		return failed("compare", reason);
	range_put(&o.range, &p);
	query_string_put_zone(&p);
	if (o.with_start_s > 0)
		query_string_put(&p, "b_start_time", seconds_text(o.with_start_s, with_start));
	for (size_t i = 0; i < N_SETTINGS; i++)
		query_string_put(&p, settings[i].parameter, o.value[i]);
	err = limits_put(c, o.id, *value_of(&o, 'm'), (const struct limit[]){ { "ymin", "ymin", o.ymin }, { "ymax", "ymax", o.ymax } }, 2, &p);
	if (err)
		return failed("compare", inst_reason(c, err, o.id));
	if (o.out) {
		err = save_picture(c, "compare", o.id, "/value/compare", o.out, &p);
		if (!err)
			check_keys(c, &o);
		return err;
	}
	err = inst_get(c, o.id, "/value/compare", &p, &reply);
	if (err)
		return failed("compare", inst_reason(c, err, o.id));
	check_keys(c, &o);
	return print_reply(reply, o.json, print_comparison);
}
