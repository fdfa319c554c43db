/* raw: prints total time, counts and percentiles per key, as a table or as the daemon's JSON. */
#include "ui/cli/base/command.h"
#include "ui/cli/commands/commands.h"
#include "ui/cli/base/range.h"
#include "render/grid/axis.h"

#include <stdio.h>

struct options {
	const char *id, *measure, *by, *order;
	struct range range;
	int json;
};

enum { OPT_BY = 256, OPT_ORDER };

static const struct argp_option options[] = {
	RANGE_OPTIONS(0),
	{ "measure", 'm', "NAME", 0, "Which measure (default: the first)", 0 },
	{ "by", OPT_BY, "FIELD", 0, "Add the keys up to this field's", 0 },
	{ "order", OPT_ORDER, "NAME", 0, "Sort by sum (the default: total time), count, mean, p50, p90, p99, p999, max or key", 0 },
	{ "json", 'j', NULL, 0, "Print the buckets as the daemon's JSON (value/raw)", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'd':
	case 's':
	case 'e': return range_take(&o->range, key, arg, state);
	case 'm': o->measure = arg; return 0;
	case OPT_BY: o->by = arg; return 0;
	case OPT_ORDER: o->order = arg; return 0;
	case 'j': o->json = 1; return 0;
	default: return take_one(key, arg, state, &o->id);
	}
}

static const struct argp argp = {
	options, parse_option, "ID",
	"Total time, counts, mean and percentiles per key, the most time first.\vExamples:\n"
	"  heatscope raw 1 --duration 5m\n"
	"  heatscope raw 1 --start 14:05 --end 14:10\n"
	"  heatscope raw 1 --measure cputime --by statement\n"
	"  heatscope raw 1 --order p99\n"
	"  heatscope raw 1 --json | jq .value", NULL, NULL, NULL
};

/* A mean need not be whole. */
static const char *number(const json_t *key, const char *name, char out[32])
{
	const json_t *value = json_object_get(key, name);

	if (json_is_real(value))
		snprintf(out, 32, json_real_value(value) < 0x1p63 ? "%.2f" : "%.0f", json_real_value(value));
	else
		snprintf(out, 32, "%lld", (long long)json_integer_value(value));
	return out;
}

static const char *amount(const json_t *key, const char *name, const char *unit, char out[32])
{
	return json_is_null(json_object_get(key, name)) ? "-" : value_text(json_number(key, name), unit, out);
}

/* Without events that ended a key has neither mean nor percentiles; without a sum that is known, no mean (null). */
static const char *ended(const json_t *key, const char *name, double least, const char *unit, char out[32])
{
	bool is_known = json_number(key, "count") > 0 && !json_is_null(json_object_get(key, name));

	return is_known ? percentile_text(json_number(key, name), least, unit, out) : "-";
}

/* "12.5 %" */
static const char *share(const json_t *key, const char *name, char out[32])
{
	snprintf(out, 32, "%.1f %%", 100 * json_number(key, name));
	return out;
}

/* The key comes last: a statement may be longer than the line. */
static void add_key(struct table *t, const json_t *key, const char *unit, double least, bool runs)
{
	char sum[32], part[32], count[32], mean[32], p50[32], p90[32], p99[32], p999[32], max[32], running[32], oldest[32];
	const char *name = json_string_value(json_object_get(key, "key"));
	const char *const now = json_object_get(key, "oldest") ? amount(key, "oldest", unit, oldest) : "-";

	name = name && *name ? name : "(all)";
	number(key, "running", running);
	table_add(t, amount(key, "sum", unit, sum), share(key, "sum_share", part), number(key, "count", count), ended(key, "mean", 0, unit, mean),
		  ended(key, "p50", least, unit, p50), ended(key, "p90", least, unit, p90), ended(key, "p99", least, unit, p99),
		  ended(key, "p999", least, unit, p999), ended(key, "max", 0, unit, max), runs ? running : name, now, name);
}

static void print_keys(const json_t *reply)
{
	bool runs = json_object_get(reply, "running");
	struct table t = { .n_columns = runs ? 12 : 10, .right = { 1, 1, 1, 1, 1, 1, 1, 1, 1, runs, runs } };
	const char *unit = json_string_value(json_object_get(reply, "unit"));
	json_t *key;
	size_t i;

	if (!json_array_size(json_object_get(reply, "keys"))) {
		show_print(stdout, "%s\n", no_events_text(reply));
		return;
	}
	table_add(&t, axis_sum_heading(unit ? axis_unit(unit) : AXIS_NS), "SHARE", "COUNT", "MEAN", "P50", "P90", "P99", "P99.9", "MAX",
		  runs ? "RUNNING" : "KEY", "OLDEST", "KEY");
	json_array_foreach(json_object_get(reply, "keys"), i, key)
		add_key(&t, key, unit, json_number(reply, "least"), runs);
	table_print(&t);
	if (json_is_true(json_object_get(reply, "lower_bound")))
		show_print(stdout, "more keys than the limit: the rest is in `other`, and each key's count is a "
			"lower bound\n");
}

int run_raw(struct client *c, int argc, char **argv)
{
	struct options o = { .id = NULL };
	struct query_string p = { .len = 0 };
	json_t *reply;
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	range_put(&o.range, &p);
	query_string_put(&p, "measure", o.measure);
	if (!o.json) {
		query_string_put(&p, "by", o.by);
		query_string_put(&p, "order", o.order);
	}
	err = inst_get(c, o.id, o.json ? "/value/raw" : "/value/keys", &p, &reply);
	if (err)
		return failed("raw", inst_reason(c, err, o.id));
	return print_reply(reply, o.json, print_keys);
}
