/* composition: prints the parts of the time of the events in a rectangle of a heat map, as a table. */
#include "ui/cli/base/command.h"
#include "ui/cli/commands/commands.h"
#include "ui/cli/base/limit.h"
#include "ui/cli/base/range.h"
#include "ui/cli/base/selected.h"

#include <stdio.h>
#include <string.h>

struct options {
	const char *id, *ymin, *ymax, *selected;
	struct range range;
	int json;
};

enum { OPT_YMIN = 256, OPT_YMAX, OPT_SELECTED };

static const struct argp_option options[] = {
	RANGE_OPTIONS(0),
	LIMIT_OPTIONS(OPT_YMIN, OPT_YMAX),
	{ "selected", OPT_SELECTED, "KEYS", 0, "Only events of these keys, comma-separated", 0 },
	{ "json", 'j', NULL, 0, "Print the daemon's JSON", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 's':
	case 'e':
	case 'd': return range_take(&o->range, key, arg, state);
	case OPT_YMIN: o->ymin = arg; return 0;
	case OPT_YMAX: o->ymax = arg; return 0;
	case OPT_SELECTED: o->selected = arg; return 0;
	case 'j': o->json = 1; return 0;
	default: return take_one(key, arg, state, &o->id);
	}
}

static const struct argp argp = {
	options, parse_option, "ID",
	"The parts of the time of the events in a rectangle of time and value: the sum of each weight that the "
		"instrumentation keeps.\v"
	"Examples:\n"
	"  heatscope create mysql.queries --by statement --weights cputime,runqwait,io,futex,net\n"
	"  heatscope composition 1 --ymin 10ms\n"
	"  heatscope composition 1 --start 14:05 --end 14:10 --ymin 50ms --ymax 1s\n"
	"  heatscope composition 1 --selected select --json | jq '.parts[] | {weight, share}'\n"
	"Buckets are taken as a whole: the line above the table has their lowest and highest value.", NULL, NULL, NULL
};

static const char *edge(const json_t *reply, const char *name, char out[32])
{
	const json_t *value = json_object_get(reply, name);

	if (json_is_null(value))
		snprintf(out, 32, "no limit");
	else
		value_text(json_number_value(value), json_string_value(json_object_get(reply, "unit")), out);
	return out;
}

static void add_part(struct table *t, const json_t *reply, const char *name, const json_t *part)
{
	const char *unit = json_string_value(json_object_get(reply, "unit"));
	char sum[32], share[32];

	if (unit && !strcmp(unit, "ns"))
		snprintf(sum, sizeof(sum), "%.3f", json_number(part, "sum") / 1e6);
	else
		value_text(json_number(part, "sum"), unit, sum);
	snprintf(share, sizeof(share), "%.1f %%", 100 * json_number(part, "share"));
	table_add(t, name, sum, share);
}

static void print_composition(const json_t *reply)
{
	struct table t = { .n_columns = 3, .right = { 0, 1, 1 } };
	const char *measure = json_string_value(json_object_get(reply, "measure")), *unit = json_string_value(json_object_get(reply, "unit"));
	char from[32], to[32], sum[32];
	json_t *part;
	size_t i;

	show_print(stdout, "%.0f events of %s %s to %s: %s\n", json_number(reply, "count"), measure, edge(reply, "ymin", from), edge(reply, "ymax", to),
	       value_text(json_number(reply, "sum"), unit, sum));
	table_add(&t, "PART", unit && !strcmp(unit, "ns") ? "MS" : "SUM", "SHARE");
	json_array_foreach(json_object_get(reply, "parts"), i, part)
		add_part(&t, reply, json_string_value(json_object_get(part, "weight")), part);
	add_part(&t, reply, "rest", json_object_get(reply, "rest"));
	table_print(&t);
	if (json_object_get(reply, "unweighed"))
		show_print(stdout, "%.0f events of this time came without weights\n", json_number(reply, "unweighed"));
	print_notes(reply);
}

int run_composition(struct client *c, int argc, char **argv)
{
	struct options o = { .id = NULL };
	struct query_string p = { .len = 0 };
	json_t *reply;
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	range_put(&o.range, &p);
	query_string_put(&p, "selected", o.selected);
	err = limits_put(c, o.id, NULL, (const struct limit[]){ { "ymin", "ymin", o.ymin }, { "ymax", "ymax", o.ymax } }, 2, &p)
		?: inst_get(c, o.id, "/value/composition", &p, &reply);
	if (err)
		return failed("composition", inst_reason(c, err, o.id));
	selected_check(c, "composition", o.id, &(struct selection){ o.selected, NULL }, &o.range);
	return print_reply(reply, o.json, print_composition);
}
