/* explain: prints how a rectangle of a heat map differs from the rest, as a ranked table and a sentence. */
#include "ui/cli/base/command.h"
#include "ui/cli/commands/commands.h"
#include "ui/cli/base/limit.h"
#include "ui/cli/base/range.h"
#include "ui/cli/base/selected.h"

#include "collector/core/slice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
	const char *id, *ymin, *ymax, *measure, *top, *selected;
	double baseline_start_s, baseline_end_s;	/* 0: not given */
	struct range range;
	int json, all;
};

enum { OPT_YMIN = 256, OPT_YMAX, OPT_BASELINE, OPT_TOP, OPT_SELECTED, OPT_ALL };

static const struct argp_option options[] = {
	RANGE_OPTIONS(0),
	LIMIT_OPTIONS(OPT_YMIN, OPT_YMAX),
	{ "measure", 'm', "NAME", 0, "Which measure is the axis (default: the first)", 0 },
	{ "baseline", OPT_BASELINE, "START,END", 0, "Compare with this time, too", 0 },
	{ "selected", OPT_SELECTED, "KEYS", 0, "Only events of these keys, comma-separated", 0 },
	{ "top", OPT_TOP, "N", 0, "At most this many values (default 20)", 0 },
	{ "all", OPT_ALL, NULL, 0, "Also values that are rarer inside, or not significant", 0 },
	{ "json", 'j', NULL, 0, "Print the daemon's JSON", 0 },
	{ 0 },
};

static void take_baseline(struct argp_state *state, struct options *o, const char *text)
{
	const char *comma = strchr(text, ',');
	char start[64];

	if (!comma || (size_t)(comma - text) >= sizeof(start))
		argp_error(state, "--baseline %s: must be two times with a comma", text);
	snprintf(start, sizeof(start), "%.*s", (int)(comma - text), text);
	o->baseline_start_s = take_moment(state, "baseline", start);
	o->baseline_end_s = take_moment(state, "baseline", comma + 1);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 's':
	case 'e':
	case 'd': return range_take(&o->range, key, arg, state);
	case 'm': o->measure = arg; return 0;
	case OPT_YMIN: o->ymin = arg; return 0;
	case OPT_YMAX: o->ymax = arg; return 0;
	case OPT_BASELINE: take_baseline(state, o, arg); return 0;
	case OPT_SELECTED: o->selected = arg; return 0;
	case OPT_TOP: o->top = arg; return 0;
	case OPT_ALL: o->all = 1; return 0;
	case 'j': o->json = 1; return 0;
	default: return take_one(key, arg, state, &o->id);
	}
}

static const struct argp argp = {
	options, parse_option, "ID",
	"Values of the fields, and measures, by which the events in a rectangle of time and value differ from the "
		"rest of that time; requests that were still running inside come first.\v"
	"Examples:\n"
	"  heatscope explain 1 --ymin 10ms\n"
	"  heatscope explain 1 -s 14:05 -e 14:10 --ymin 50ms --ymax 1s\n"
	"  heatscope explain 1 --duration 30 --baseline -2h,-1h\n"
	"  heatscope explain 1 --ymin 10ms --json | jq -r .sentence\n"
	"EXCESS is how many events are inside beyond what their share outside predicts, q the rate of false alarms "
		"among the rows with no greater q.  A significant value (q up to 0.05) need not be the cause.",
		NULL, NULL, NULL
};

static const char *count(double n, char out[32])
{
	snprintf(out, 32, fabs(n) < 100 && n != floor(n) ? "%.1f" : "%.0f", n);
	return out;
}

static const char *share(double x, char out[32])
{
	snprintf(out, 32, "%.1f %%", 100 * x);
	return out;
}

static const char *signed_value(double x, const char *unit, char out[32])
{
	char size[32];

	snprintf(out, 32, "%s%.30s", x < 0 ? "-" : "", value_text(fabs(x), unit, size));
	return out;
}

static const char *chance(const json_t *one, char out[32])
{
	const json_t *q = json_object_get(one, "q");

	if (!json_is_number(q))
		snprintf(out, 32, "-");
	else if (json_number_value(q) < 0.0001)
		snprintf(out, 32, "<0.0001");
	else
		snprintf(out, 32, "%.4f", json_number_value(q));
	return out;
}

/* A value that is rarer inside is left out: the values that are more frequent inside say the same. */
static int is_shown(const struct options *o, const json_t *one)
{
	int rarer = json_object_get(one, "value") && json_number(one, "excess") <= 0;

	return o->all || (json_is_true(json_object_get(one, "significant")) && !rarer);
}

/* Prints a table of n rows and its heading, nothing if n is 0; returns n. */
static size_t print_rows(struct table *t, size_t n)
{
	if (n)
		table_print(t);
	else
		table_drop(t);
	return n;
}

static size_t print_values(const struct options *o, const json_t *reply)
{
	struct table t = { .n_columns = 9, .right = { 0, 1, 1, 1, 1, 1, 1, 1, 0 } };
	json_t *one;
	size_t i, n = 0;

	table_add(&t, "FIELD", "INSIDE", "SHARE", "OUTSIDE", "SHARE", "EXCESS", "IN ALL", "Q", "VALUE");
	json_array_foreach(json_object_get(reply, "values"), i, one) {
		char in[32], in_share[32], out[32], out_share[32], excess[32], sum[32], q[32];

		if (!is_shown(o, one))
			continue;
		n++;
		table_add(&t, json_text(one, "field"), count(json_number(one, "inside"), in), share(json_number(one, "inside_share"), in_share),
			  count(json_number(one, "outside"), out), share(json_number(one, "outside_share"), out_share),
			  count(json_number(one, "excess"), excess), signed_value(json_number(one, "sum_excess"), json_text(reply, "unit"), sum),
			  chance(one, q), json_text(one, "value"));
	}
	return print_rows(&t, n);
}

static size_t print_measures(const struct options *o, const json_t *reply, int after)
{
	struct table t = { .n_columns = 6, .right = { 0, 0, 1, 1, 1, 1 } };
	json_t *one;
	size_t i, n = 0;

	table_add(&t, "MEASURE", "BY", "INSIDE", "OUTSIDE", "EXCESS", "Q");
	json_array_foreach(json_object_get(reply, "measures"), i, one) {
		char in[32], out[32], excess[32], q[32];
		const char *unit = json_text(one, "unit");

		if (!is_shown(o, one))
			continue;
		n++;
		table_add(&t, json_text(one, "measure"), json_text(one, "by"), value_text(json_number(one, "inside_mean"), unit, in),
			  value_text(json_number(one, "outside_mean"), unit, out), signed_value(json_number(one, "excess"), unit, excess), chance(one, q));
	}
	if (n && after)
		putchar('\n');
	return print_rows(&t, n);
}

#define LISTED 5			/* values of a field */

/* Is it one of the first of its field?  nth counts them. */
static int is_listed(const struct options *o, const json_t *list, size_t i, size_t *nth)
{
	const json_t *one = json_array_get(list, i), *before = i ? json_array_get(list, i - 1) : NULL;

	*nth = before && !strcmp(json_text(one, "field"), json_text(before, "field")) ? *nth + 1 : 0;
	return o->all || *nth < LISTED;
}

/* Prints what still runs, and its age. */
static size_t print_running(const struct options *o, const json_t *reply)
{
	struct table t = { .n_columns = 5, .right = { 0, 1, 1, 1, 0 } };
	const json_t *list = json_object_get(json_object_get(reply, "running"), "values");
	size_t n = json_array_size(list), nth = 0;

	table_add(&t, "FIELD", "RUNNING", "SHARE", "OLDEST", "VALUE");
	for (size_t i = 0; i < n; i++) {
		const json_t *one = json_array_get(list, i);
		char running[32], part[32], oldest[32];

		if (is_listed(o, list, i, &nth))
			table_add(&t, json_text(one, "field"), count(json_number(one, "count"), running), share(json_number(one, "share"), part),
				  value_text(json_number(one, "oldest"), json_text(reply, "unit"), oldest), json_text(one, "value"));
	}
	return print_rows(&t, n);
}

/* Prints what has ended inside, whether or not it differs from the outside. */
static size_t print_contents(const struct options *o, const json_t *reply)
{
	struct table t = { .n_columns = 6, .right = { 0, 1, 1, 1, 1, 0 } };
	const json_t *list = json_object_get(reply, "contents");
	size_t n = json_array_size(list), nth = 0;

	table_add(&t, "FIELD", "INSIDE", "SHARE", "IN ALL", "SHARE", "VALUE");
	for (size_t i = 0; i < n; i++) {
		const json_t *one = json_array_get(list, i);
		char inside[32], part[32], sum[32], sum_part[32];

		if (is_listed(o, list, i, &nth))
			table_add(&t, json_text(one, "field"), count(json_number(one, "count"), inside), share(json_number(one, "share"), part),
				  signed_value(json_number(one, "sum"), json_text(reply, "unit"), sum), share(json_number(one, "sum_share"), sum_part),
				  json_text(one, "value"));
	}
	return print_rows(&t, n);
}

static int by_sum(const void *a, const void *b)
{
	double more = json_number(*(json_t *const *)b, "sum") - json_number(*(json_t *const *)a, "sum");

	return more > 0 ? 1 : more < 0 ? -1 : 0;
}

/* "the latency inside, 395 s, was 99.9 % futex, 0.1 % cputime": greatest first, down to a thousandth. */
static void print_composition(const json_t *reply)
{
	const json_t *composition = json_object_get(reply, "composition"), *parts = json_object_get(composition, "parts");
	const json_t *part[MEASURES_MAX] = { NULL };
	size_t n = 0;
	char sum[32], part_share[32];

	if (json_number(composition, "sum") <= 0)
		return;
	for (size_t i = 0; i < json_array_size(parts) && n < MEASURES_MAX; i++)
		part[n++] = json_array_get(parts, i);
	qsort(part, n, sizeof(*part), by_sum);
	show_print(stdout, "the %s inside, %s, was", json_text(composition, "measure"), value_text(json_number(composition, "sum"), json_text(composition, "unit"), sum));
	for (size_t i = 0; i < n && json_number(part[i], "share") >= 0.001; i++)
		show_print(stdout, "%s %s %s", i ? "," : "", share(json_number(part[i], "share"), part_share), json_text(part[i], "weight"));
	show_print(stdout, "\n");
}

static void print_explanation(const struct options *o, const json_t *reply)
{
	size_t running = print_running(o, reply), n;

	if (running)
		putchar('\n');
	n = print_values(o, reply);
	n += print_measures(o, reply, n > 0);
	if (!n)
		n = print_contents(o, reply);
	show_print(stdout, n ? "\n%s\n" : "%s\n", json_text(reply, "sentence"));
	print_composition(reply);
	print_notes(reply);
}

int run_explain(struct client *c, int argc, char **argv)
{
	struct options o = { .id = NULL };
	struct query_string p = { .len = 0 };
	char baseline[32];
	json_t *reply;
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	range_put(&o.range, &p);
	query_string_put(&p, "measure", o.measure);
	if (o.baseline_start_s > 0)
		query_string_put(&p, "baseline_start", seconds_text(o.baseline_start_s, baseline));
	if (o.baseline_end_s > 0)
		query_string_put(&p, "baseline_end", seconds_text(o.baseline_end_s, baseline));
	query_string_put(&p, "selected", o.selected);
	query_string_put(&p, "top", o.top);
	err = limits_put(c, o.id, o.measure, (const struct limit[]){ { "ymin", "ymin", o.ymin }, { "ymax", "ymax", o.ymax } }, 2, &p)
		?: inst_get(c, o.id, "/value/explain", &p, &reply);
	if (err)
		return failed("explain", inst_reason(c, err, o.id));
	selected_check(c, "explain", o.id, &(struct selection){ o.selected, NULL }, &o.range);
	if (o.json)
		return print_json(reply);
	print_explanation(&o, reply);
	json_decref(reply);
	return 0;
}
