/* fslatency: prints how long the servers' reads and writes of files take, as two distributions. */
#include "ui/cli/base/command.h"
#include "ui/cli/commands/commands.h"
#include "ui/cli/base/distribution.h"
#include "ui/cli/base/measure.h"
#include "ui/cli/base/range.h"
#include "collector/core/saturating.h"
#include "collector/mysql/mysql.h"

#include <stdio.h>
#include <time.h>

#define METRIC "fs.logical_ops"

struct options {
	long seconds, pid;
	int json;
	time_t from, to;		/* what it was measured in */
};

static const struct argp_option options[] = {
	{ "seconds", 's', "SPAN", 0, "Stop after this time: 30 (seconds), 5m (default: at Ctrl-C)", 0 },
	{ "pid", 'p', "PID", 0, "Only this process, of any name (default: all named mariadbd or mysqld)", 0 },
	{ "json", 'j', NULL, 0, "Print the counts as JSON", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 's': o->seconds = take_seconds(state, "seconds", arg); return 0;
	case 'p': o->pid = take_number(state, "pid", arg); return 0;
	case 'j': o->json = 1; return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options, parse_option, NULL,
	"How long this host's database servers take for reads and writes of files, in ns, cached or not: a "
		"distribution of each. It counts all their threads, also those that serve no query. Needs no running "
		"heatscoped, and the privileges of the collector (root, or CAP_BPF and CAP_PERFMON).\vExamples:\n"
	"  sudo heatscope fslatency --seconds 10\n"
	"  sudo heatscope fslatency --pid $(pidof -s mariadbd)\n"
	"  sudo heatscope fslatency --seconds 10 --json | jq .read.count", NULL, NULL, NULL
};

/* ---- measuring ---- */

static void where_text(const struct options *o, char out[256])
{
	static const char *const names[] = { MYSQL_SERVERS };
	int at = snprintf(out, 256, "(optype = read or optype = write) and (");

	if (o->pid)
		at += snprintf(out + at, 256 - at, "pid = %ld", o->pid);
	for (size_t i = 0; !o->pid && i < sizeof(names) / sizeof(*names); i++)
		at += snprintf(out + at, 256 - at, "%sexecname = %s", i ? " or " : "", names[i]);
	snprintf(out + at, 256 - at, ")");
}

/* Counts every call: a budget is for instrumentations that always run. */
static const char *const collector_options[] = { "--budget", "0", NULL };

static int begin_measure(struct measure *m, const struct options *o, char *ret_id)
{
	json_t *measures, *body;
	char where[256];
	int err = measure_start(m, collector_options);

	err = err ?: measure_ready(m, METRIC, &measures);
	if (err)
		return err;
	json_decref(measures);
	where_text(o, where);
	body = json_pack("{s:[s,s], s:i}", "decomposition", "optype", "latency", "ruler-bits", 0);
	err = measure_create(m, METRIC, where, body, ret_id);
	json_decref(body);
	return err ?: measure_active(m, ret_id, NULL);
}

/* One of the instrumentation's values, of all of the time. */
static int get_value(struct measure *m, const char *id, const char *value, const struct options *o, json_t **ret_reply)
{
	char path[512], rest[128];

	snprintf(rest, sizeof(rest), "%s&start_time=%lld&end_time=%lld", value, (long long)o->from, (long long)o->to);
	return client_json(&m->client, "GET", inst_path(id, rest, path), NULL, ret_reply);
}

/* ---- printing ---- */

static const char *const names[] = { "read", "write" };

#define N_NAMES (sizeof(names) / sizeof(*names))

static void print_one(const char *name, const json_t *buckets)
{
	struct distribution d = { { 0 } };
	json_t *bucket;
	size_t i;

	json_array_foreach(buckets, i, bucket)
		distribution_add(&d, saturating_from(json_number_value(json_array_get(json_array_get(bucket, 0), 0))),
				 saturating_from(json_number_value(json_array_get(bucket, 1))));
	distribution_print(&d, name, stdout);
}

/* whole: a grid of one column; its summary has the lost events, which the counts lack. */
static int print_latency(const struct options *o, const json_t *reply, const json_t *whole)
{
	json_t *value = json_object_get(reply, "value"), *stats = json_object_get(reply, "stats"), *all = json_object();
	json_int_t lost = json_integer_value(json_object_get(json_object_get(whole, "summary"), "lost"));
	json_t *buckets, *sums;

	if (!o->json)
		show_print(stdout, "filesystem I/O: %lld; latency (ns):\n", (long long)json_integer_value(json_object_get(json_object_get(whole, "summary"), "count")));
	for (size_t i = 0; i < N_NAMES; i++) {
		buckets = json_object_get(value, names[i]);
		sums = json_object_get(stats, names[i]);
		if (!o->json)
			print_one(names[i], buckets);
		else
			json_object_set_new(all, names[i], json_pack("{s:o, s:o, s:o}",
				"count", json_incref(json_object_get(sums, "count")) ?: json_integer(0),
				"sum", json_incref(json_object_get(sums, "sum")) ?: json_integer(0),
				"buckets", json_incref(buckets) ?: json_array()));
	}
	json_object_set_new(all, "lost", json_integer(lost));
	if (o->json)
		return print_json(all);
	if (lost)
		show_print(stderr, "%lld calls were lost\n", (long long)lost);
	json_decref(all);
	return 0;
}

int run_fslatency(struct client *unused, int argc, char **argv)
{
	struct options o = { .from = time(NULL) - 1 };
	struct measure m = { .collector = 0 };
	json_t *reply = NULL, *whole = NULL;
	char id[MEASURE_ID];
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.pid && measure_check_process(o.pid, NULL, m.client.reason, sizeof(m.client.reason)))
		return failed("fslatency", m.client.reason);
	err = begin_measure(&m, &o, id);
	if (!err) {
		measure_wait("measuring", o.seconds);
		err = measure_end(&m);
	}
	o.to = time(NULL) + 2;
	if (!err)
		err = get_value(&m, id, "/value/raw?stats=true", &o, &reply);
	if (!err)
		err = get_value(&m, id, "/value/grid?ncols=1&row_bits=0", &o, &whole);
	measure_stop(&m);
	if (!err)
		err = print_latency(&o, reply, whole);
	else
		err = failed("fslatency", m.client.reason);
	json_decref(reply);
	json_decref(whole);
	return err;
}
