/* alerts: lists, adds and removes the rules that heatscoped watches. */
#include "ui/cli/base/command.h"
#include "ui/cli/commands/commands.h"
#include "ui/cli/base/range.h"
#include "ui/cli/base/local.h"

#include <stdio.h>
#include <string.h>

enum { OPT_ADD = 256, OPT_INST, OPT_MEASURE, OPT_KEY, OPT_PERCENTILE, OPT_SHARE, OPT_SHAPE, OPT_ABOVE, OPT_WINDOW, OPT_FOR, OPT_WEBHOOK, OPT_REMOVE };

struct options {
	const char *add, *inst, *measure, *key, *percentile, *share, *above, *window, *hold, *webhook, *remove;
	char window_s[32];		/* in seconds */
	int shape, json;
};

static const struct argp_option options[] = {
	{ "add", OPT_ADD, "NAME", 0, "Add an alert with this name", 0 },
	{ "id", OPT_INST, "ID", 0, "For this instrumentation", 0 },
	{ "measure", OPT_MEASURE, "MEASURE", 0, "For this measure (default: the first)", 0 },
	{ "key", OPT_KEY, "KEY", 0, "For this key (default: all together)", 0 },
	{ "percentile", OPT_PERCENTILE, "P", 0, "Fires when this percentile, 0 to 1, is above --above", 0 },
	{ "share", OPT_SHARE, "S", 0, "Fires when more than this share, 0 to 1, of the events is above --above", 0 },
	{ "shape", OPT_SHAPE, NULL, 0, "Fires when the distribution differs from the hour before", 0 },
	{ "above", OPT_ABOVE, "VALUE", 0, "A value with the measure's unit: 100ms, 4KiB, 90", 0 },
	{ "window", OPT_WINDOW, "SPAN", 0, "Length of a window: 10 (seconds), 1m (default 10, for shapes 60)", 0 },
	{ "for", OPT_FOR, "N", 0, "Windows in a row until it fires, and until it is over (default 3)", 0 },
	{ "webhook", OPT_WEBHOOK, "NAME", 0, "Send to this webhook of heatscoped's configuration when it fires and "
		"when it is over", 0 },
	{ "remove", OPT_REMOVE, "ALERT", 0, "Remove the alert with this number", 0 },
	{ "json", 'j', NULL, 0, "Print the daemon's JSON", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_ADD: o->add = arg; return 0;
	case OPT_INST: o->inst = arg; return 0;
	case OPT_MEASURE: o->measure = arg; return 0;
	case OPT_KEY: o->key = arg; return 0;
	case OPT_PERCENTILE: o->percentile = arg; return 0;
	case OPT_SHARE: o->share = arg; return 0;
	case OPT_SHAPE: o->shape = 1; return 0;
	case OPT_ABOVE: o->above = arg; return 0;
	case OPT_WINDOW: o->window = take_span_text(state, "window", arg, o->window_s); return 0;
	case OPT_FOR: o->hold = arg; return 0;
	case OPT_WEBHOOK: o->webhook = arg; return 0;
	case OPT_REMOVE: o->remove = arg; return 0;
	case 'j': o->json = 1; return 0;
	case ARGP_KEY_ARG: argp_error(state, "unexpected argument \"%s\": there are only options", arg); return 0;
	case ARGP_KEY_END:
		if (o->add && o->remove)
			argp_error(state, "either --add or --remove");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options, parse_option, NULL,
	"Alerts and their states: ok, pending, firing, or no data. A firing alert is a range on the maps, and stays "
		"there.\v"
	"Examples:\n"
	"  heatscope alerts\n"
	"  heatscope alerts --add slow --id 1 --percentile 0.99 --above 100ms\n"
	"  heatscope alerts --add \"many slow\" --id 1 --share 0.01 --above 50ms --key select\n"
	"  heatscope alerts --add shape --id 1 --shape --webhook ops\n"
	"  heatscope alerts --remove 2\n"
	"  heatscope annotate --list", NULL, NULL, NULL,
};

static void print_alerts(const json_t *all)
{
	struct table t = { .n_columns = 6 };
	char since[AXIS_TEXT], zone[AXIS_TEXT], since_heading[AXIS_TEXT + 8];
	int offset = local_offset(moment_now());
	json_t *a;
	size_t i;

	snprintf(since_heading, sizeof(since_heading), "SINCE (%s)", local_zone(offset, zone));
	table_add(&t, "ALERT", "NAME", "ID", "STATE", since_heading, "WHAT");
	json_array_foreach(all, i, a) {
		double s = json_number(a, "since");

		strcpy(since, "-");
		if (s > 0)
			local_time(s, offset, since);
		table_add(&t, json_string_value(json_object_get(a, "id")), json_string_value(json_object_get(a, "name")),
			  json_string_value(json_object_get(a, "instrumentation")), json_string_value(json_object_get(a, "state")), since,
			  json_string_value(json_object_get(a, "sentence")));
	}
	table_print(&t);
}

/* Prints the notifications that could not be delivered to webhooks. */
static void print_given_up(const json_t *all)
{
	json_t *a;
	size_t i;

	json_array_foreach(all, i, a) {
		const json_t *deliveries = json_object_get(a, "deliveries");
		json_int_t n = json_integer_value(json_object_get(deliveries, "given_up"));

		if (n)
			show_print(stdout, "alert %s: %lld messages to the webhook %s were given up, the last one: "
				"%s\n",
			       json_string_value(json_object_get(a, "id")), (long long)n, json_string_value(json_object_get(a, "webhook")),
			       json_string_value(json_object_get(deliveries, "reason")));
	}
}

static int list_alerts(struct client *c, const struct options *o)
{
	json_t *all;

	if (client_json(c, "GET", "/ca/alerts", NULL, &all))
		return failed("alerts", c->reason);
	if (o->json)
		return print_json(all);
	print_alerts(all);
	print_given_up(all);
	json_decref(all);
	return 0;
}

static void put_value(json_t *body, const char *name, const char *text)
{
	if (text)
		json_object_set_new(body, name, json_string(text));
}

static int add_alert(struct client *c, const struct options *o)
{
	json_t *body = json_pack("{s:s}", "name", o->add), *made;
	int err;

	if (!body)
		return failed("alerts", "the name is not UTF-8");
	put_value(body, "instrumentation", o->inst);
	put_value(body, "measure", o->measure);
	put_value(body, "key", o->key);
	put_value(body, "percentile", o->percentile);
	put_value(body, "share", o->share);
	put_value(body, "above", o->above);
	put_value(body, "window", o->window);
	put_value(body, "for", o->hold);
	put_value(body, "webhook", o->webhook);
	if (o->shape)
		json_object_set_new(body, "shape", json_true());
	err = client_json(c, "POST", "/ca/alerts", body, &made);
	json_decref(body);
	if (err)
		return failed("alerts", c->reason);
	return print_reply(made, o->json, print_id);
}

static int drop_alert(struct client *c, const struct options *o)
{
	char path[64];
	struct reply r;

	if (!*o->remove || strspn(o->remove, "0123456789") != strlen(o->remove) || strlen(o->remove) > 18)
		return failed("alerts", "--remove needs an alert's number; without options they are listed");
	snprintf(path, sizeof(path), "/ca/alerts/%s", o->remove);
	if (client_request(c, "DELETE", path, NULL, &r))
		return failed("alerts", c->reason);
	reply_fini(&r);
	return 0;
}

int run_alerts(struct client *c, int argc, char **argv)
{
	struct options o = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	return o.add ? add_alert(c, &o) : o.remove ? drop_alert(c, &o) : list_alerts(c, &o);
}
