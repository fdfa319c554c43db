/* metrics, create, clone, set, list, show, delete: print the available metrics, and manage instrumentations. */
#include "ui/cli/base/command.h"
#include "ui/cli/commands/commands.h"
#include "ui/cli/base/predicate.h"
#include "ui/cli/base/inst_state.h"
#include "ui/cli/base/local.h"
#include "ui/cli/base/range.h"
#include "render/grid/axis.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* --- options that several of these have --- */

struct options {
	int json, suspend, resume, wait;
	const char *by, *measures, *weights, *bits, *keys, *exemplars, *where, *predicate;
	char granularity[32], retention[32], idle_max[32], tiers[2 * 32];	/* in seconds, as texts; "": not given */
	char **arg;
	int n_args;
};

enum { OPT_BY = 256, OPT_MEASURES, OPT_WEIGHTS, OPT_GRANULARITY, OPT_RETENTION, OPT_TIERS, OPT_BITS, OPT_EXEMPLARS, OPT_KEYS,
	OPT_WHERE, OPT_PREDICATE, OPT_IDLE_MAX, OPT_SUSPEND, OPT_RESUME, OPT_WAIT };

/* "14d,365d" */
static void take_tiers(struct options *o, char *list, struct argp_state *state)
{
	char seconds[32];
	size_t len = 0;

	for (char *text; len < sizeof(o->tiers) && (text = strsep(&list, ",")); )
		len += (size_t)snprintf(o->tiers + len, sizeof(o->tiers) - len, "%s%s", len ? "," : "", take_span_text(state, "tiers", text, seconds));
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'j': o->json = 1; return 0;
	case OPT_BY: o->by = arg; return 0;
	case OPT_MEASURES: o->measures = arg; return 0;
	case OPT_WEIGHTS: o->weights = arg; return 0;
	case OPT_GRANULARITY: take_span_text(state, "granularity", arg, o->granularity); return 0;
	case OPT_RETENTION: take_span_text(state, "retention", arg, o->retention); return 0;
	case OPT_TIERS: take_tiers(o, arg, state); return 0;
	case OPT_IDLE_MAX: take_span_text(state, "idle-max", arg, o->idle_max); return 0;
	case OPT_SUSPEND: o->suspend = 1; return 0;
	case OPT_RESUME: o->resume = 1; return 0;
	case OPT_WAIT: o->wait = 1; return 0;
	case OPT_BITS: o->bits = arg; return 0;
	case OPT_EXEMPLARS: o->exemplars = arg; return 0;
	case OPT_KEYS: o->keys = arg; return 0;
	case OPT_WHERE: o->where = arg; return 0;
	case OPT_PREDICATE: o->predicate = arg; return 0;
	case ARGP_KEY_ARGS:
		o->arg = state->argv + state->next;
		o->n_args = state->argc - state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option json_option[] = {
	{ "json", 'j', NULL, 0, "Print the daemon's JSON", 0 },
	{ 0 },
};

static int has_empty(const struct options *o)
{
	for (int i = 0; i < o->n_args; i++)
		if (!*o->arg[i])
			return 1;
	return 0;
}

static void get_options(struct options *o, int argc, char **argv, const struct argp_option *options, const char *args,
			const char *doc, int least, int most)
{
	const struct argp argp = { options, parse_option, args, doc, NULL, NULL, NULL };

	memset(o, 0, sizeof(*o));
	argp_parse(&argp, argc, argv, 0, NULL, o);
	if (o->n_args < least || (most >= 0 && o->n_args > most) || has_empty(o)) {
		argp_help(&argp, stderr, ARGP_HELP_STD_USAGE, argv[0]);
		exit(EXIT_USAGE);
	}
}

/* --- metrics --- */

#define INDENT 14			/* of names, after the word that says what they are */

/* The width of standard output; for a file, that of most terminals. */
static int terminal_width(void)
{
	struct winsize size = { .ws_col = 0 };

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	return size.ws_col >= 40 ? size.ws_col : 80;
}

/* Prints "    fields    command, statement"; a list too long for one line goes on in further lines. */
static void print_fields(const json_t *catalogue, const json_t *metric, const char *arity, const char *head)
{
	int at = 0, width = terminal_width();
	json_t *field;
	size_t i;

	json_array_foreach(json_object_get(metric, "fields"), i, field) {
		const char *name = json_string_value(field);
		bool fits = at + 2 + (int)show_width(name) < width;

		if (strcmp(client_arity(catalogue, metric, name), arity))
			continue;
		if (at && fits)
			show_print(stdout, ", %s", name);
		else
			show_print(stdout, at ? ",\n    %-8s  %s" : "    %-8s  %s", at ? "" : head, name);
		at = (int)show_width(name) + (at && fits ? at + 2 : INDENT);
	}
	if (at)
		show_print(stdout, "\n");
}

static void print_metric(const json_t *catalogue, const json_t *metric)
{
	char name[80];

	client_metric_name(metric, name, sizeof(name));
	show_print(stdout, "%s  %s\n", name, json_string_value(json_object_get(metric, "label")));
	print_fields(catalogue, metric, "numeric", "measures");
	print_fields(catalogue, metric, "discrete", "fields");
}

static void print_refusals(const json_t *catalogue)
{
	json_t *source, *metric;
	size_t i, j;

	json_array_foreach(json_object_get(catalogue, "sources"), i, source) {
		json_array_foreach(json_object_get(source, "metrics"), j, metric) {
			const char *reason = json_string_value(json_object_get(metric, "reason"));

			if (reason && *reason)
				show_print(stdout, "%s cannot measure %s: %s\n",
					json_string_value(json_object_get(source, "source")),
				       json_string_value(json_object_get(metric, "metric")), reason);
		}
	}
}

int run_metrics(struct client *c, int argc, char **argv)
{
	json_t *catalogue, *metrics, *metric;
	struct options o;
	size_t i;

	get_options(&o, argc, argv, json_option, NULL,
		    "List the metrics that the connected collectors can measure.\vExample: heatscope metrics", 0, 0);
	if (client_json(c, "GET", "/ca", NULL, &catalogue))
		return failed("metrics", c->reason);
	if (o.json)
		return print_json(catalogue);
	metrics = json_object_get(catalogue, "metrics");
	if (!json_array_size(metrics))
		show_print(stdout, "no collector is connected that can measure anything ('heatscope doctor' says why)\n");
	json_array_foreach(metrics, i, metric)
		print_metric(catalogue, metric);
	print_refusals(catalogue);
	json_decref(catalogue);
	return 0;
}

/* --- create --- */

/* Sends a number as the user wrote it, so that the daemon's check quotes it. */
static void put_number(json_t *body, const char *name, const char *text)
{
	char *end;
	double value;

	if (!text || !*text)
		return;
	value = strtod(text, &end);
	if (*end || end == text || !isfinite(value))
		json_object_set_new(body, name, json_string(text));
	else if (fabs(value) < 1e15 && value == (double)(long long)value)
		json_object_set_new(body, name, json_integer((json_int_t)value));
	else
		json_object_set_new(body, name, json_real(value));
}

/* Options that create and clone share. */
static const struct argp_option shape_options[] = {
	{ "by", OPT_BY, "FIELDS", 0, "Keep these fields apart, comma-separated (decomposition)", 0 },
	{ "measures", OPT_MEASURES, "LIST", 0, "Measures to quantize, comma-separated; the first is the default one", 0 },
	{ "weights", OPT_WEIGHTS, "LIST", 0, "Parts of the first measure to add up along it, comma-separated: they "
		"explain the time of slow events", 0 },
	{ "granularity", OPT_GRANULARITY, "SPAN", 0, "Slot length, 10ms to 1h (default 1s)", 0 },
	{ "retention", OPT_RETENTION, "SPAN", 0, "How long to keep it: 3600 (seconds), 12h (default 1d)", 0 },
	{ "tiers", OPT_TIERS, "SPAN,SPAN", 0, "How long to keep its sums per minute and per hour (default: with --retention as "
	  "long, else 14d,365d)", 0 },
	{ "idle-max", OPT_IDLE_MAX, "SPAN", 0, "Delete it after so long without a request: 2h (default 0: never)", 0 },
	{ "bits", OPT_BITS, "N", 0, "Ruler bits: 2^N buckets per doubling, 0 to 7 (default 5: 3.1 % wide)", 0 },
	{ "keys", OPT_KEYS, "N", 0, "Most keys per source; the rest goes to `other` (default 64)", 0 },
	{ "exemplars", OPT_EXEMPLARS, "N", 0, "Keep the N worst events of each slot as they were, and one per decade, up to 100 (default 0: none)", 0 },
	{ "where", OPT_WHERE, "EXPRESSION", 0, "Count only events for which this holds: fields compared by = != < <= > >=, "
	  "joined by and, or, (); times in ns, us, ms, s", 0 },
	{ "predicate", OPT_PREDICATE, "JSON", 0, "The same in the form of the HTTP interface: {\"eq\": "
		"[\"statement\", \"select\"]}", 0 },
	{ "wait", OPT_WAIT, NULL, 0, "Return when every connected collector that can measure it has begun its first "
		"slot", 0 },
	{ "json", 'j', NULL, 0, "Print the new instrumentation as JSON", 0 },
	{ 0 },
};

static void put_shape(json_t *body, const struct options *o)
{
	if (o->by)
		json_object_set_new(body, "decomposition", names_of(o->by));
	if (o->measures)
		json_object_set_new(body, "measures", names_of(o->measures));
	if (o->weights)
		json_object_set_new(body, "weights", names_of(o->weights));
	put_number(body, "granularity", o->granularity);
	put_number(body, "retention-time", o->retention);
	if (*o->tiers)
		json_object_set_new(body, "tiers", json_string(o->tiers));
	put_number(body, "idle-max", o->idle_max);
	put_number(body, "ruler-bits", o->bits);
	put_number(body, "keys", o->keys);
	put_number(body, "exemplars", o->exemplars);
}

static int has_one_predicate(const struct options *o, const char *command)
{
	if (!o->where || !o->predicate)
		return 1;
	show_print(stderr, "heatscope %s: give either --where or --predicate\n", command);
	return 0;
}

#define ANSWER_S 10			/* a collector that has not answered by then is busy: the instrumentation is there */

#define START_TEXT (2 * AXIS_TEXT)

/* "2026-11-25 12:00:05 UTC+01:00", by the reader's clock. */
static const char *start_text(double from_s, char out[START_TEXT])
{
	char time[AXIS_TEXT], zone[AXIS_TEXT];
	int offset_s = local_offset(from_s);

	snprintf(out, START_TEXT, "%s %s", local_time(from_s, offset_s, time), local_zone(offset_s, zone));
	return out;
}

/* Waits for the collectors: some cannot measure it, or have no memory left.  Returns the exit status. */
static int finish_starting(struct client *c, const char *command, const char *id, const struct options *o)
{
	char text[START_TEXT];
	struct inst_state s;
	json_t *inst;
	int err = inst_await(c, id, o->wait ? INST_COUNTED : INST_ANSWERED, o->wait ? INST_COUNTED_S : ANSWER_S, NULL, &inst);

	if (err && (o->wait || err != -ETIMEDOUT)) {
		show_print(stderr, "heatscope %s: instrumentation %s is not measured: %s\n", command, id, c->reason);
		json_decref(inst);
		return 1;
	}
	s = inst_state_of(inst);
	if (s.n_failed)
		show_print(stderr, "heatscope %s: %u of its collectors cannot measure instrumentation %s: %s: %s\n", command, s.n_failed, id,
			   s.failed, s.failure);
	if (o->wait && s.counts_from_s > 0)
		show_print(stderr, "heatscope %s: instrumentation %s counts from %s on\n", command, id, start_text(s.counts_from_s, text));
	if (o->json)
		return print_json(inst);
	json_decref(inst);
	return 0;
}

/* Prints the new instrumentation, or why it was not created; prints the id first, so that it is known even if the
 * waiting fails. */
static int finish_making(struct client *c, const char *command, int err, json_t *made, const struct options *o)
{
	char id[32];

	if (err)
		return failed(command, c->reason);
	snprintf(id, sizeof(id), "%s", json_string_value(json_object_get(made, "id")));
	json_decref(made);
	if (!o->json)
		show_print(stdout, "%s\n", id);
	fflush(stdout);
	return finish_starting(c, command, id, o);
}

/* For a metric that no collector offers, says where to see the metrics that they offer. */
static void point_to_metrics(struct client *c, const char *metric)
{
	struct client asked = *c;
	json_t *catalogue;
	size_t at = strlen(c->reason);

	if (client_json(&asked, "GET", "/ca", NULL, &catalogue))
		return;
	if (!client_metric(catalogue, metric))
		snprintf(c->reason + at, sizeof(c->reason) - at, "; 'heatscope metrics' lists the metrics");
	json_decref(catalogue);
}

int run_create(struct client *c, int argc, char **argv)
{
	struct options o;
	json_t *body = json_object(), *made = NULL;
	const char *dot;
	int err;

	get_options(&o, argc, argv, shape_options, "METRIC",
		    "Switch a metric on and print the instrumentation's id.\vExamples:\n"
		    "  heatscope create mysql.queries --by statement\n"
		    "  heatscope create mysql.queries --where 'statement = select and latency > 10ms'\n"
		    "  heatscope create mysql.queries --by command,instance --measures latency,cputime,offcpu", 1, 1);
	if (!has_one_predicate(&o, "create"))
		return EXIT_USAGE;
	dot = metric_dot(o.arg[0]);
	if (!dot) {
		show_print(stderr, "heatscope create: %s: METRIC is MODULE.STAT, see 'heatscope metrics'\n", o.arg[0]);
		json_decref(body);
		return EXIT_USAGE;
	}
	json_object_set_new(body, "module", json_stringn(o.arg[0], (size_t)(dot - o.arg[0])));
	json_object_set_new(body, "stat", json_string(dot + 1));
	put_shape(body, &o);
	err = predicate_put(c, o.arg[0], o.where, o.predicate, body);
	if (!err)
		err = client_json(c, "POST", "/ca/instrumentations", body, &made);
	if (err == -EINVAL)
		point_to_metrics(c, o.arg[0]);
	json_decref(body);
	return finish_making(c, "create", err, made, &o);
}

/* --- clone, set --- */

/* The fields of the expression have the types of the other instrumentation's metric. */
static int put_clone_predicate(struct client *c, const struct options *o, json_t *body)
{
	char path[512], metric[80];
	json_t *other;
	int err;

	if (!o->where)
		return predicate_put(c, "", NULL, o->predicate, body);
	err = client_json(c, "GET", inst_path(o->arg[0], "", path), NULL, &other);
	if (err)
		return err;
	client_metric_name(other, metric, sizeof(metric));
	json_decref(other);
	return predicate_put(c, metric, o->where, NULL, body);
}

int run_clone(struct client *c, int argc, char **argv)
{
	struct options o;
	json_t *body = json_object(), *made = NULL;
	char path[512];
	int err;

	get_options(&o, argc, argv, shape_options, "ID",
		    "Make a copy of this instrumentation with the changes in the options, and print its "
		    	"id.\vExamples:\n"
		    "  heatscope clone 1 --where 'statement = select'\n"
		    "  heatscope clone 1 --by command --granularity 0.1", 1, 1);
	if (!has_one_predicate(&o, "clone"))
		return EXIT_USAGE;
	put_shape(body, &o);
	err = put_clone_predicate(c, &o, body);
	if (!err)
		err = client_json(c, "POST", inst_path(o.arg[0], "/clone", path), body, &made);
	json_decref(body);
	inst_reason(c, err, o.arg[0]);
	return finish_making(c, "clone", err, made, &o);
}

int run_set(struct client *c, int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "retention", OPT_RETENTION, "SPAN", 0, "How long to keep it: 3600 (seconds), 12h", 0 },
		{ "tiers", OPT_TIERS, "SPAN,SPAN", 0, "How long to keep its sums per minute and per hour", 0 },
		{ "idle-max", OPT_IDLE_MAX, "SPAN", 0, "Delete it after so long without a request: 2h; 0: never", 0 },
		{ "suspend", OPT_SUSPEND, NULL, 0, "Stop measuring it; recorded data stay", 0 },
		{ "resume", OPT_RESUME, NULL, 0, "Measure again", 0 },
		{ "wait", OPT_WAIT, NULL, 0, "Return when every connected collector that can measure it has begun "
			"its first slot", 0 },
		{ "json", 'j', NULL, 0, "Print the instrumentation as JSON", 0 },
		{ 0 },
	};
	struct options o;
	json_t *body = json_object(), *inst;
	char path[512];
	int err;

	get_options(&o, argc, argv, options, "ID",
		    "Change how long an instrumentation is kept, or whether it is measured.\vExamples:\n"
		    "  heatscope set 1 --retention 604800\n"
		    "  heatscope set 1 --suspend", 1, 1);
	put_shape(body, &o);
	if (o.suspend || o.resume)
		json_object_set_new(body, "enabled", json_boolean(o.resume));
	if ((o.suspend && o.resume) || !json_object_size(body)) {
		show_print(stderr, "heatscope set: give %s\n", o.suspend ? "either --suspend or --resume"
									: "a change: --retention, --tiers, "
										"--idle-max, --suspend or --resume");
		json_decref(body);
		return EXIT_USAGE;
	}
	err = client_json(c, "PUT", inst_path(o.arg[0], "", path), body, &inst);
	json_decref(body);
	if (err)
		return failed("set", inst_reason(c, err, o.arg[0]));
	if (o.resume || o.wait) {
		json_decref(inst);
		return finish_starting(c, "set", o.arg[0], &o);
	}
	if (o.json)
		return print_json(inst);
	json_decref(inst);
	return 0;
}

/* --- list, show, delete --- */

static void number_text(const json_t *object, const char *name, char out[32])
{
	snprintf(out, 32, "%.10g", json_number(object, name));
}

int run_list(struct client *c, int argc, char **argv)
{
	struct table t = { .n_columns = 9, .right = { 1, 0, 0, 0, 0, 1, 1, 1, 0 } };
	struct options o;
	json_t *list, *inst;
	size_t i;

	get_options(&o, argc, argv, json_option, NULL, "List the instrumentations.", 0, 0);
	if (client_json(c, "GET", "/ca/instrumentations", NULL, &list))
		return failed("list", c->reason);
	if (o.json)
		return print_json(list);
	table_add(&t, "ID", "METRIC", "BY", "MEASURES", "WHERE", "SLOT s", "KEPT s", "SOURCES", "STATE");
	json_array_foreach(list, i, inst) {
		char metric[80], by[256], measures[256], slot[32], kept[32], sources[32];

		client_metric_name(inst, metric, sizeof(metric));
		list_text(json_object_get(inst, "decomposition"), by, sizeof(by));
		list_text(json_object_get(inst, "measures"), measures, sizeof(measures));
		number_text(inst, "granularity", slot);
		number_text(inst, "retention-time", kept);
		number_text(inst, "nsources", sources);
		table_add(&t, json_string_value(json_object_get(inst, "id")), metric, by, measures,
			  json_string_value(json_object_get(inst, "predicate-text")), slot, kept, sources,
			  json_string_value(json_object_get(inst, "state")));
	}
	if (t.n_rows == 1) {
		show_print(stdout, "no instrumentations; make one: heatscope create mysql.queries --by statement\n");
		table_drop(&t);
	} else {
		table_print(&t);
	}
	json_decref(list);
	return 0;
}

static void print_instrumentation(const json_t *inst)
{
	char text[512], slot[32], kept[32], bits[32], keys[32], idle[32], from[START_TEXT];
	json_t *source, *tiers;
	size_t i;

	client_metric_name(inst, text, sizeof(text));
	show_print(stdout, "instrumentation  %s\nmetric           %s\n", json_string_value(json_object_get(inst, "id")), text);
	show_print(stdout, "decomposition    %s\n", list_text(json_object_get(inst, "decomposition"), text, sizeof(text)));
	show_print(stdout, "measures         %s\n", list_text(json_object_get(inst, "measures"), text, sizeof(text)));
	if (json_array_size(json_object_get(inst, "weights")))
		show_print(stdout, "weights          %s\n", list_text(json_object_get(inst, "weights"), text, sizeof(text)));
	if (*(json_text(inst, "predicate-text")))
		show_print(stdout, "predicate        %s\n", json_string_value(json_object_get(inst, "predicate-text")));
	number_text(inst, "granularity", slot);
	number_text(inst, "retention-time", kept);
	number_text(inst, "ruler-bits", bits);
	number_text(inst, "keys", keys);
	show_print(stdout, "slot             %s s, kept %s s\nruler            2^%s buckets per doubling\nkeys             at most %s per source\n",
	       slot, kept, bits, keys);
	if (json_integer_value(json_object_get(inst, "exemplars")))
		show_print(stdout, "exemplars        the %lld worst of each slot, and one per decade\n",
		       json_integer_value(json_object_get(inst, "exemplars")));
	number_text(inst, "idle-max", idle);
	if (strcmp(idle, "0"))
		show_print(stdout, "idle             at most %s s, then it is deleted\n", idle);
	tiers = json_object_get(inst, "tiers");
	if (json_integer_value(json_array_get(tiers, 1)) > json_integer_value(json_object_get(inst, "retention-time")))
		show_print(stdout, "kept             minutes %lld s, hours %lld s\n", json_integer_value(json_array_get(tiers, 0)),
		       json_integer_value(json_array_get(tiers, 1)));
	if (json_object_get(inst, "always"))
		show_print(stdout, "always           %s, line %lld\n", json_string_value(json_object_get(json_object_get(inst, "always"), "file")),
		       json_integer_value(json_object_get(json_object_get(inst, "always"), "line")));
	show_print(stdout, "state            %s\n", json_text(inst, "state"));
	json_array_foreach(json_object_get(inst, "sources"), i, source) {
		const char *reason = json_string_value(json_object_get(source, "reason"));

		double from_s = json_number(source, "counts_from");

		show_print(stdout, "source           %s: %s%s%s%s%s\n", json_string_value(json_object_get(source, "source")),
			   json_string_value(json_object_get(source, "state")), reason && *reason ? ", " : "", reason ?: "",
			   from_s > 0 ? ", counts from " : "", from_s > 0 ? start_text(from_s, from) : "");
	}
}

int run_show(struct client *c, int argc, char **argv)
{
	struct options o;
	char path[512];
	json_t *inst;
	int err;

	get_options(&o, argc, argv, json_option, "ID", "Show one instrumentation and the state of its sources.", 1, 1);
	err = client_json(c, "GET", inst_path(o.arg[0], "", path), NULL, &inst);
	if (err)
		return failed("show", inst_reason(c, err, o.arg[0]));
	return print_reply(inst, o.json, print_instrumentation);
}

/* With several arguments, names the one that failed. */
static const char *reason_about(struct client *c, int err, const char *id, char out[700])
{
	if (err == -ENOENT)
		return inst_reason(c, err, id);
	snprintf(out, 700, "%.100s: %s", id, c->reason);
	return out;
}

int run_delete(struct client *c, int argc, char **argv)
{
	struct options o;
	char path[512], text[700];
	json_t *none;
	int status = 0, err;

	get_options(&o, argc, argv, NULL, "ID...", "Switch instrumentations off and delete their data.", 1, -1);
	for (int i = 0; i < o.n_args; i++) {
		err = client_json(c, "DELETE", inst_path(o.arg[i], "", path), NULL, &none);
		if (err)
			status = failed("delete", reason_about(c, err, o.arg[i], text));
		json_decref(none);
	}
	return status;
}
