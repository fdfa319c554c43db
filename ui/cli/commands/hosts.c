/* hosts: compares the hosts of an instrumentation by small maps on one scale, those with the highest p99 first. */
#include "ui/cli/base/command.h"
#include "ui/cli/base/limit.h"
#include "ui/cli/base/output.h"
#include "ui/cli/base/range.h"
#include "ui/cli/base/selected.h"
#include "ui/cli/commands/commands.h"

#include <stdio.h>
#include <string.h>

/* Options that are the daemon's parameters under another name. */
enum { OPT_BY = 256, OPT_TOP, OPT_SELECTED, OPT_EXCLUDE, OPT_TRANSFER, OPT_PALETTE, OPT_YSCALE, OPT_YMIN, OPT_YMAX, OPT_WIDTH, OPT_SCALE, OPT_THEME };

static const struct setting {
	int key;
	const char *parameter;
} settings[] = {
	{ OPT_BY, "by" }, { 'm', "measure" }, { OPT_TOP, "top" }, { OPT_SELECTED, "selected" }, { OPT_EXCLUDE, "exclude" }, { OPT_TRANSFER, "transfer" },
	{ OPT_PALETTE, "palette" }, { OPT_YSCALE, "yscale" }, { OPT_WIDTH, "width" }, { OPT_SCALE, "scale" }, { OPT_THEME, "theme" },
};
#define N_SETTINGS (sizeof(settings) / sizeof(*settings))

struct options {
	const char *id, *ymin, *ymax, *out;
	const char *value[N_SETTINGS];	/* NULL: not given */
	struct range range;
	int json;
};

static const struct argp_option options[] = {
	RANGE_OPTIONS(1),
	{ "measure", 'm', "NAME", 0, "Which measure (default: the first)", 1 },
	{ "by", OPT_BY, "FIELD", 0, "A map for each value of this field (default: hostname)", 1 },
	{ "top", OPT_TOP, "N", 0, "So many, those with the highest p99 (default 12, at most 48)", 1 },
	{ "selected", OPT_SELECTED, "NAMES", 0, "Only these, comma-separated", 1 },
	{ "exclude", OPT_EXCLUDE, NULL, 0, "All except the selected ones", 1 },
	{ "json", 'j', NULL, 0, "Print the daemon's JSON", 2 },
	{ "output", 'o', "FILE", 0, "Draw the maps into this file (- is standard output): .png, .pdf or .svg", 3 },
	{ "transfer", OPT_TRANSFER, "NAME", 0, "From count to colour: log (default), sqrt, linear, rank, percent", 3 },
	{ "palette", OPT_PALETTE, "NAME", 0, "ramp (default), fire or grey", 3 },
	{ "yscale", OPT_YSCALE, "NAME", 0, "log (default) or linear", 3 },
	{ "ymin", OPT_YMIN, "VALUE", 0, "Lowest value shown, with the measure's unit: 10ms", 3 },
	{ "ymax", OPT_YMAX, "VALUE", 0, "Highest value shown", 3 },
	{ "width", OPT_WIDTH, "PX", 0, "Width in pixels (default 1200)", 3 },
	{ "scale", OPT_SCALE, "N", 0, "1 (default) or 2 pixels per pixel", 3 },
	{ "theme", OPT_THEME, "NAME", 0, "light (default) or dark", 3 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 's':
	case 'e':
	case 'd': return range_take(&o->range, key, arg, state);
	case 'o': figure_check(o->out = arg, state); return 0;
	case 'j': o->json = 1; return 0;
	case OPT_YMIN: o->ymin = arg; return 0;
	case OPT_YMAX: o->ymax = arg; return 0;
	default:
		for (size_t i = 0; i < N_SETTINGS; i++)
			if (settings[i].key == key) {
				o->value[i] = key == OPT_EXCLUDE ? "true" : arg;
				return 0;
			}
		return take_one(key, arg, state, &o->id);
	}
}

static const struct argp argp = {
	options, parse_option, "ID",
	"Compare the hosts of an instrumentation: their percentiles, or a small map of each, on one time axis, one value axis and "
		"one colour scale. Those with the highest p99 come first.\v"
	"Examples:\n"
	"  heatscope hosts 1 --duration 1h\n"
	"  heatscope hosts 1 -d 1h --top 24 -o hosts.png\n"
	"  heatscope hosts 1 --by label.role -o roles.svg\n"
	"The instrumentation must keep the field apart: heatscope create ... --by hostname\n",
	NULL, NULL, NULL
};

static void print_hosts(const json_t *reply)
{
	struct table t = { .n_columns = 6, .right = { 0, 1, 1, 1, 1, 1 } };
	const char *unit = json_text(reply, "unit");
	double more = json_number(reply, "more"), least = json_number(reply, "least");
	json_t *one;
	size_t i;

	table_add(&t, "HOST", "EVENTS", "P50", "P90", "P99", "MAX");
	json_array_foreach(json_object_get(reply, "keys"), i, one) {
		char n[32], p50[32], p90[32], p99[32], max[32];

		snprintf(n, sizeof(n), "%.0f", json_number(one, "count"));
		table_add(&t, json_text(one, "key"), n, percentile_text(json_number(one, "p50"), least, unit, p50), percentile_text(json_number(one, "p90"), least, unit, p90),
			  percentile_text(json_number(one, "p99"), least, unit, p99), value_text(json_number(one, "max"), unit, max));
	}
	if (t.n_rows > 1) {
		table_print(&t);
	} else {
		table_drop(&t);
		show_print(stdout, "%s\n", no_events_text(reply));
	}
	if (more > 0)
		show_print(stdout, "and %.0f more with a lower p99 (--top)\n", more);
	print_notes(reply);
}

static void check_keys(struct client *c, const struct options *o)
{
	selected_check(c, "hosts", o->id, &(struct selection){ o->value[3], o->value[0] }, &o->range);
}

int run_hosts(struct client *c, int argc, char **argv)
{
	struct options o = { .id = NULL };
	struct query_string p = { .len = 0 };
	json_t *reply;
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	range_put(&o.range, &p);
	query_string_put_zone(&p);
	if (!o.value[0])
		o.value[0] = "hostname";
	for (size_t i = 0; i < N_SETTINGS; i++)
		query_string_put(&p, settings[i].parameter, o.value[i]);
	err = limits_put(c, o.id, o.value[1], (const struct limit[]){ { "ymin", "ymin", o.ymin }, { "ymax", "ymax", o.ymax } }, 2, &p);
	if (err)
		return failed("hosts", inst_reason(c, err, o.id));
	if (o.out) {
		err = save_picture(c, "hosts", o.id, "/value/multiples", o.out, &p);
		if (!err)
			check_keys(c, &o);
		return err;
	}
	err = inst_get(c, o.id, "/value/multiples", &p, &reply);
	if (err)
		return failed("hosts", inst_reason(c, err, o.id));
	check_keys(c, &o);
	return print_reply(reply, o.json, print_hosts);
}
