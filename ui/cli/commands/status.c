/* status: prints the state of heatscoped; off and on: switch all measuring off and on. */
#include "ui/cli/base/command.h"
#include "ui/cli/commands/commands.h"
#include "ui/cli/base/local.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct options {
	int json;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	if (key != 'j')
		return ARGP_ERR_UNKNOWN;
	o->json = 1;
	return 0;
}

/* "1.23 MB" */
static const char *bytes_text(double n, char out[32])
{
	static const char *const unit[] = { "bytes", "kB", "MB", "GB", "TB" };
	int i = 0;

	for (; n >= 1000 && i < 4; i++)
		n /= 1000;
	snprintf(out, 32, "%.*f %s", i && n < 100 ? 1 : 0, n, unit[i]);
	return out;
}

/* "3 d 4 h", "12 min", "5 s" */
static const char *span_text(double s, char out[32])
{
	long n = (long)s;

	if (n >= 86400)
		snprintf(out, 32, "%ld d %ld h", n / 86400, n % 86400 / 3600);
	else if (n >= 3600)
		snprintf(out, 32, "%ld h %ld min", n / 3600, n % 3600 / 60);
	else if (n >= 60)
		snprintf(out, 32, "%ld min", n / 60);
	else
		snprintf(out, 32, "%ld s", n);
	return out;
}

static void print_shards(const json_t *shards)
{
	const json_t *shard;
	char bytes[32];
	size_t i;

	json_array_foreach(shards, i, shard) {
		show_print(stdout, "shard        %s", json_text(shard, "address"));
		if (json_number(shard, "bytes") > 0)
			show_print(stdout, ", %s", bytes_text(json_number(shard, "bytes"), bytes));
		show_print(stdout, json_is_true(json_object_get(shard, "reachable")) ? "\n" : ", does not answer\n");
	}
}

static void print_server(const json_t *status)
{
	const json_t *counters = json_object_get(status, "counters"), *store = json_object_get(counters, "store");
	const json_t *file = json_object_get(status, "store"), *by_status = json_object_get(json_object_get(counters, "http"), "by_status");
	char up[32], memory[32], bytes[32];
	const char *code;
	json_t *n;

	show_print(stdout, "heatscoped   %s, process %.0f, up %s\n", json_text(status, "version"), json_number(status, "pid"),
	       span_text(json_number(status, "uptime"), up));
	show_print(stdout, "memory       %s, %.1f s of CPU time\n", bytes_text(json_number(status, "memory_bytes"), memory),
	       json_number(status, "cpu_seconds"));
	show_print(stdout, "store        %s", json_text(file, "database"));
	if (json_number(file, "bytes") > 0)		/* of a server it is measured every ten seconds */
		show_print(stdout, ", %s", bytes_text(json_number(file, "bytes"), bytes));
	show_print(stdout, "\n");
	if (*json_text(file, "failure"))
		show_print(stdout, "failure      batches are not stored, and come again: %s\n", json_text(file, "failure"));
	print_shards(json_object_get(file, "shards"));
	show_print(stdout, "events       %.0f in %.0f batches, %.0f lost\n", json_number(store, "events"), json_number(store, "batches"),
	       json_number(status, "lost_events"));
	if (json_number(store, "damaged") > 0)
		show_print(stdout, "damage       %.0f damaged pieces found in the store\n", json_number(store, "damaged"));
	show_print(stdout, "requests     %.0f:", json_number(json_object_get(counters, "http"), "requests"));
	json_object_foreach((json_t *)by_status, code, n)
		show_print(stdout, " %s x %.0f", code, json_number_value(n));
	show_print(stdout, "\n");
}

static void print_bus(const json_t *status)
{
	const json_t *bus = json_object_get(json_object_get(status, "counters"), "bus"), *group = json_object_get(bus, "group");
	size_t n = json_array_size(json_object_get(group, "others")) + 1;

	if (!bus)
		return;
	show_print(stdout, "bus          %s, ", json_text(bus, "url"));
	if (!json_is_true(json_object_get(bus, "connected")))
		show_print(stdout, "not connected: %s\n", json_text(bus, "reason"));
	else
		show_print(stdout, "%.0f messages\n", json_number(bus, "messages"));
	if (json_is_true(json_object_get(group, "shared")))
		show_print(stdout, "group        %zu heatscoped; this one %s, and takes %zu of 16 partitions\n", n,
			   json_is_true(json_object_get(group, "leads")) ? "leads" : "follows", json_array_size(json_object_get(group, "partitions")));
}

static void print_sources(const json_t *status)
{
	struct table t = { .n_columns = 6, .right = { 0, 0, 0, 1, 0, 0 } };
	json_t *source;
	size_t i;

	table_add(&t, "SOURCE", "STATE", "VERSION", "METRICS", "STATEMENTS", "LABELS");
	json_array_foreach(json_object_get(status, "sources"), i, source) {
		char n[32], labels[512];

		snprintf(n, sizeof(n), "%zu", json_array_size(json_object_get(source, "metrics")));
		table_add(&t, json_text(source, "source"), json_text(source, "state"), json_text(source, "version"), n,
			  strcmp(json_text(source, "text"), "full") ? "digests" : "full texts", source_labels(source, labels, sizeof(labels)));
	}
	if (t.n_rows == 1) {
		show_print(stdout, "no source has ever connected\n");
		table_drop(&t);
	} else {
		table_print(&t);
	}
}

/* Prints the instrumentations of the configuration file that are not on, and why. */
static void print_always(const json_t *status)
{
	json_t *always;
	size_t i;

	json_array_foreach(json_object_get(status, "always"), i, always)
		if (strcmp(json_text(always, "state"), "on"))
			show_print(stdout, "%s (configuration, line %.0f) is %s: %s\n", json_text(always, "name"), json_number(always, "line"),
			       json_text(always, "state"), json_text(always, "reason"));
}

static void print_webhooks(const json_t *status)
{
	json_t *hook;
	size_t i;

	json_array_foreach(json_object_get(status, "webhooks"), i, hook) {
		show_print(stdout, "webhook %s: %.0f delivered, %.0f waiting, %.0f given up",
			json_text(hook, "name"), json_number(hook, "delivered"),
		       json_number(hook, "waiting"), json_number(hook, "given_up"));
		show_print(stdout, *json_text(hook, "reason") ? ", the last one: %s\n" : "%s\n", json_text(hook, "reason"));
	}
}

static void print_otlp(const json_t *status)
{
	const json_t *otlp = json_object_get(status, "otlp");

	if (!json_is_object(otlp))
		return;
	show_print(stdout, "otlp: %.0f points sent, %.0f rejected, %.0f dropped", json_number(otlp, "sent"), json_number(otlp, "rejected"),
		   json_number(otlp, "dropped"));
	show_print(stdout, *json_text(otlp, "reason") ? ", the last failure: %s\n" : "%s\n", json_text(otlp, "reason"));
}

static void print_reports(const json_t *status)
{
	json_t *report;
	size_t i;

	json_array_foreach(json_object_get(status, "reports"), i, report) {
		double next = json_number(report, "next");
		char when[AXIS_TEXT], zone[AXIS_TEXT];
		int offset = local_offset(next);

		show_print(stdout, "report %s: next at %.16s %s, %.0f made, %.0f failed", json_text(report, "name"), local_time(next, offset, when),
		       local_zone(offset, zone), json_number(report, "made"), json_number(report, "failed"));
		show_print(stdout, *json_text(report, "reason") ? ", the last one: %s\n" : "%s\n", json_text(report, "reason"));
	}
}

static void print_instrumentations(const json_t *status)
{
	struct table t = { .n_columns = 4, .right = { 1, 0, 0, 0 } };
	json_t *inst, *source;
	size_t i, j;

	table_add(&t, "ID", "METRIC", "STATE", "SOURCES");
	json_array_foreach(json_object_get(status, "instrumentations"), i, inst) {
		char metric[80], sources[512] = "";
		size_t at = 0;

		client_metric_name(inst, metric, sizeof(metric));
		json_array_foreach(json_object_get(inst, "sources"), j, source)
			if (at < sizeof(sources))
				at += (size_t)snprintf(sources + at, sizeof(sources) - at, "%s%s: %s%s%s", at ? "; " : "",
						       json_text(source, "source"), json_text(source, "state"),
						       *json_text(source, "reason") ? ", " : "", json_text(source, "reason"));
		table_add(&t, json_text(inst, "id"), metric, json_text(inst, "state"), sources);
	}
	if (t.n_rows > 1)
		table_print(&t);
	else
		table_drop(&t);
}

int run_status(struct client *c, int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "json", 'j', NULL, 0, "Print the daemon's JSON", 0 },
		{ 0 },
	};
	static const struct argp argp = { options, parse_option, NULL, "The state of heatscoped: memory, store, requests, "
		"sources, instrumentations.\vExample: heatscope status", NULL, NULL, NULL };
	struct options o = { 0 };
	json_t *status;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (client_json(c, "GET", "/ca/admin/status", NULL, &status))
		return failed("status", c->reason);
	if (o.json)
		return print_json(status);
	print_server(status);
	print_bus(status);
	if (json_is_false(json_object_get(status, "enabled")))
		show_print(stdout, "everything is off: 'heatscope on' resumes measuring\n");
	print_always(status);
	print_webhooks(status);
	print_otlp(status);
	print_reports(status);
	show_print(stdout, "\n");
	print_sources(status);
	if (json_array_size(json_object_get(status, "instrumentations")))
		show_print(stdout, "\n");
	print_instrumentations(status);
	json_decref(status);
	return 0;
}

/* --- off, on --- */

static int switch_all(struct client *c, int argc, char **argv, const char *doc, bool on)
{
	const struct argp argp = { NULL, NULL, NULL, doc, NULL, NULL, NULL };
	json_t *body = json_pack("{s:b}", "enabled", on), *reply;
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	err = client_json(c, "PUT", "/ca/admin/measuring", body, &reply);
	json_decref(body);
	if (err)
		return failed(on ? "on" : "off", c->reason);
	show_print(stdout, on ? "on: all instrumentations that are not suspended are measured "
		"again\n" : "off: nothing is measured, also after a restart, until 'heatscope on'\n");
	json_decref(reply);
	return 0;
}

int run_off(struct client *c, int argc, char **argv)
{
	return switch_all(c, argc, argv, "Detach everything at once: no collector measures anything, whatever the "
		"instrumentations say, until 'heatscope on'. Recorded data stay.\vExample: heatscope off", false);
}

int run_on(struct client *c, int argc, char **argv)
{
	return switch_all(c, argc, argv, "Measure again after 'heatscope off'.\vExample: heatscope on", true);
}
