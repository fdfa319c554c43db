/* annotate: manages notes at times, which all maps show. */
#include "ui/cli/base/command.h"
#include "ui/cli/commands/commands.h"
#include "ui/cli/base/range.h"
#include "ui/cli/base/local.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { OPT_AT = 256, OPT_UNTIL, OPT_INST, OPT_LIST, OPT_REMOVE };

struct options {
	const char *text, *inst, *remove;
	double at_s, until_s;		/* 0: not given */
	int list, json;
};

static const struct argp_option options[] = {
	{ "at", OPT_AT, "TIME", 0, "When: " MOMENT_GRAMMAR " (default: now)", 0 },
	{ "until", OPT_UNTIL, "TIME", 0, "Make it a range that ends at this time", 0 },
	{ "id", OPT_INST, "ID", 0, "For this instrumentation only (default: for all)", 0 },
	{ "list", OPT_LIST, NULL, 0, "List the notes, and the alerts that fired", 0 },
	{ "remove", OPT_REMOVE, "NOTE", 0, "Remove the note with this number", 0 },
	{ "json", 'j', NULL, 0, "Print the daemon's JSON", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_AT: o->at_s = take_moment(state, "at", arg); return 0;
	case OPT_UNTIL: o->until_s = take_moment(state, "until", arg); return 0;
	case OPT_INST: o->inst = arg; return 0;
	case OPT_LIST: o->list = 1; return 0;
	case OPT_REMOVE: o->remove = arg; return 0;
	case 'j': o->json = 1; return 0;
	case ARGP_KEY_ARG:
		if (o->text)
			argp_error(state, "one text only: put it in quotation marks");
		o->text = arg;
		return 0;
	case ARGP_KEY_END:
		if (!!o->text + o->list + !!o->remove != 1)
			argp_error(state, "either a text, or --list, or --remove NOTE");
		if (o->until_s > 0 && !(o->at_s > 0))
			argp_error(state, "--until needs --at, where the range begins");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options, parse_option, "TEXT",
	"Write a note at a time: every map, report and page of that time shows it.\v"
	"Examples:\n"
	"  heatscope annotate \"deploy 1.2.3\"\n"
	"  heatscope annotate \"backup\" --at 10m --until 1m --id 1\n"
	"  heatscope annotate --list\n"
	"  heatscope annotate --remove 7", NULL, NULL, NULL,
};

static const char *when_text(const json_t *time, int offset_s, char out[AXIS_TEXT])
{
	snprintf(out, AXIS_TEXT, "-");
	return json_is_number(time) ? local_time(json_number_value(time), offset_s, out) : out;
}

static void print_list(const json_t *all)
{
	struct table t = { .n_columns = 6 };
	char from[AXIS_TEXT], to[AXIS_TEXT], zone[AXIS_TEXT], from_heading[AXIS_TEXT + 8];
	int offset = local_offset(moment_now());
	json_t *a;
	size_t i;

	snprintf(from_heading, sizeof(from_heading), "FROM (%s)", local_zone(offset, zone));
	table_add(&t, "NOTE", "KIND", "ID", from_heading, "TO", "TEXT");
	json_array_foreach(all, i, a) {
		const json_t *end = json_object_get(a, "end_time"), *start = json_object_get(a, "start_time");

		when_text(start, offset, from);
		when_text(end, offset, to);
		table_add(&t, json_string_value(json_object_get(a, "id")), json_string_value(json_object_get(a, "kind")),
			  json_string_value(json_object_get(a, "instrumentation")) ?: "all", from,
			  json_is_null(end) ? "still" : json_equal(start, end) ? "" : to, json_string_value(json_object_get(a, "text")));
	}
	table_print(&t);
}

static int list_notes(struct client *c, const struct options *o)
{
	struct query_string p = { .len = 0 };
	char path[PARAMS_MAX + 32];
	json_t *all;

	query_string_put(&p, "instrumentation", o->inst);
	snprintf(path, sizeof(path), "/ca/annotations%s", p.text);
	if (client_json(c, "GET", path, NULL, &all))
		return failed("annotate", c->reason);
	return print_reply(all, o->json, print_list);
}

static int drop_note(struct client *c, const struct options *o)
{
	char path[64];
	struct reply r;

	if (!*o->remove || strspn(o->remove, "0123456789") != strlen(o->remove) || strlen(o->remove) > 18)
		return failed("annotate", "--remove needs a note's number; --list shows them");
	snprintf(path, sizeof(path), "/ca/annotations/%s", o->remove);
	if (client_request(c, "DELETE", path, NULL, &r))
		return failed("annotate", c->reason);
	reply_fini(&r);
	return 0;
}

static int write_note(struct client *c, const struct options *o)
{
	json_t *body = json_pack("{s:s?}", "text", o->text), *made;
	int err;

	if (!body)
		return failed("annotate", "the text is not UTF-8");
	if (o->inst)
		json_object_set_new(body, "instrumentation", json_string(o->inst));
	if (o->at_s > 0)
		json_object_set_new(body, o->until_s > 0 ? "start_time" : "time", json_real(o->at_s));
	if (o->until_s > 0)
		json_object_set_new(body, "end_time", json_real(o->until_s));
	err = client_json(c, "POST", "/ca/annotations", body, &made);
	json_decref(body);
	if (err)
		return failed("annotate", c->reason);
	return print_reply(made, o->json, print_id);
}

int run_annotate(struct client *c, int argc, char **argv)
{
	struct options o = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	return o.list ? list_notes(c, &o) : o.remove ? drop_note(c, &o) : write_note(c, &o);
}
