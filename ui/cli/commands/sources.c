/* sources: lists the sources with what is wrong with them, those first that need attention. */
#include "ui/cli/base/command.h"
#include "ui/cli/base/local.h"
#include "ui/cli/commands/commands.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define ABOUT_ROOM 512
#define LABELS_ROOM 512

struct options {
	int json, troubled;
	const char *label;
};

static const struct argp_option option_table[] = {
	{ "troubled", 't', NULL, 0, "Only those that need attention", 0 },
	{ "label", 'l', "NAME=VALUE", 0, "Only hosts with this label", 0 },
	{ "json", 'j', NULL, 0, "Print the daemon's JSON", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 't': o->troubled = 1; return 0;
	case 'j': o->json = 1; return 0;
	case 'l':
		if (!strchr(arg, '='))
			argp_error(state, "--label %s: must be NAME=VALUE", arg);
		o->label = arg;
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

/* "12 s", "3 min", "2 h", "5 d": rounded down. */
static const char *age_text(double s, char out[32])
{
	static const struct { double s; const char *unit; } units[] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" } };

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (s >= units[i].s) {
			snprintf(out, 32, "%.0f %s", (double)(long)(s / units[i].s), units[i].unit);
			return out;
		}
	snprintf(out, 32, s < 10 ? "%.1f s" : "%.0f s", s);
	return out;
}

/* One sentence about what is wrong, or when it last reported. */
static void about(const json_t *source, double now_s, int offset_s, char out[ABOUT_ROOM])
{
	const char *state = json_text(source, "state"), *reason = json_text(source, "reason");
	double clock_s = json_number(source, "clock_offset"), since_s = json_number(source, "away_since");
	char age[32], when[AXIS_TEXT];

	*out = 0;
	if (!strcmp(state, "late"))
		snprintf(out, ABOUT_ROOM, "its newest data are late by %s", age_text(json_number(source, "late"), age));
	else if (!strcmp(state, "away"))
		snprintf(out, ABOUT_ROOM, since_s > 0 ? "since %s, %s" : "not connected", local_time(since_s, offset_s, when),
			 age_text(now_s - since_s, age));
	else if (!strcmp(state, "losing"))
		snprintf(out, ABOUT_ROOM, "%.0f events lost, the last ones %s ago", json_number(source, "lost"),
			 age_text(now_s - json_number(source, "lost_at"), age));
	else if (!strcmp(state, "clock"))
		snprintf(out, ABOUT_ROOM, "its clock is %s by %s", clock_s < 0 ? "slow" : "fast",
			 age_text(fabs(clock_s) < 60 ? fabs(clock_s) : round(fabs(clock_s)), age));
	else
		snprintf(out, ABOUT_ROOM, "%s", reason);
}

static bool is_listed(const struct options *o, const json_t *source)
{
	const char *state = json_text(source, "state"), *equals = o->label ? strchr(o->label, '=') : NULL;
	char name[64] = "";

	if (o->troubled && (!strcmp(state, "reporting") || !strcmp(state, "idle") || !strcmp(state, "starting")))
		return false;
	if (!o->label)
		return true;
	snprintf(name, sizeof(name), "%.*s", (int)(equals - o->label), o->label);
	return !strcmp(json_text(json_object_get(source, "labels"), name), equals + 1);
}

static void print_counts(const json_t *reply)
{
	const char *state;
	json_t *n;
	bool some = false;

	json_object_foreach(json_object_get(reply, "counts"), state, n) {
		if (!json_integer_value(n))
			continue;
		show_print(stdout, "%s%lld %s", some ? ", " : "", json_integer_value(n), state);
		some = true;
	}
	show_print(stdout, some ? "\n" : "no source has ever connected\n");
}

static void print_sources(const struct options *o, const json_t *reply)
{
	struct table t = { .n_columns = 5 };
	const char *ours = json_text(reply, "version");
	double now_s = json_number(reply, "time");
	int offset_s = local_offset(now_s);
	json_t *source;
	size_t i;

	table_add(&t, "SOURCE", "STATE", "VERSION", "LABELS", "");
	json_array_foreach(json_object_get(reply, "sources"), i, source) {
		char text[ABOUT_ROOM], labels[LABELS_ROOM], version[64];

		if (!is_listed(o, source))
			continue;
		about(source, now_s, offset_s, text);
		snprintf(version, sizeof(version), "%.40s%s", json_text(source, "version"), strcmp(json_text(source, "version"), ours) &&
			 *json_text(source, "version") ? " (not ours)" : "");
		table_add(&t, json_text(source, "source"), json_text(source, "state"), version, source_labels(source, labels, sizeof(labels)), text);
	}
	if (t.n_rows > 1)
		table_print(&t);
	else
		table_drop(&t);
}

int run_sources(struct client *c, int argc, char **argv)
{
	static const struct argp argp = { option_table, parse_option, NULL, "How each source is: doubled (two collectors send under its name), late, away, losing events, clock (it differs), "
		"failing (something is not measured), starting, reporting, idle. Those that need attention come first.\v"
		"Examples:\n"
		"  heatscope sources --troubled\n"
		"  heatscope sources --label role=db\n", NULL, NULL, NULL };
	struct options o = { 0 };
	json_t *reply;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (client_json(c, "GET", "/ca/sources", NULL, &reply))
		return failed("sources", c->reason);
	if (o.json)
		return print_json(reply);
	print_counts(reply);
	print_sources(&o, reply);
	json_decref(reply);
	return 0;
}
