/* record, replay, doctor: run the collector itself. */
#include "ui/cli/base/command.h"
#include "ui/cli/commands/commands.h"
#include "ui/cli/base/file.h"
#include "ui/cli/base/measure.h"
#include "ui/cli/base/range.h"
#include "collector/core/batch.h"
#include "collector/core/refuse.h"
#include "collector/core/slice.h"
#include "collector/core/source_name.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* --- record --- */

#define METRIC "mysql.queries"

struct record_options {
	const char *out, *metric, *by, *measures, *where;
	long seconds;
};

static const struct argp_option record_options[] = {
	{ "output", 'o', "FILE", 0, "The recording to write (required)", 0 },
	{ "seconds", 's', "SPAN", 0, "Stop after this time: 30 (seconds), 5m (default: at Ctrl-C)", 0 },
	{ "metric", 'm', "METRIC", 0, "The metric to record (default " METRIC ")", 0 },
	{ "by", 'b', "FIELDS", 0, "Keep these fields apart (default: command,statement for mysql.queries, none for "
		"others)", 0 },
	{ "measures", 'M', "LIST", 0, "Measures (default: all of the metric; for mysql.queries all except fs, n_fs, "
		"io_bytes, arrival, response, first and n_unseen)", 0 },
	{ "where", 'w', "EXPRESSION", 0, "Only events for which this holds, as for create", 0 },
	{ 0 },
};

static error_t parse_record(int key, char *arg, struct argp_state *state)
{
	struct record_options *o = state->input;

	switch (key) {
	case 'o': o->out = arg; return 0;
	case 'm': o->metric = arg; return 0;
	case 'b': o->by = arg; return 0;
	case 'M': o->measures = arg; return 0;
	case 'w': o->where = arg; return 0;
	case 's': o->seconds = take_seconds(state, "seconds", arg); return 0;
	case ARGP_KEY_END:
		if (!o->out)
			argp_error(state, "give -o FILE");
		if (!metric_dot(o->metric))
			argp_error(state, "%s: METRIC is MODULE.STAT, see 'heatscope metrics'", o->metric);
		if (!o->by)
			o->by = strcmp(o->metric, METRIC) ? "" : "command,statement";
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp record_argp = {
	record_options, parse_record, NULL,
	"Record this host into a file, without a running heatscoped. Needs the privileges of the collector (root, or "
		"CAP_BPF and CAP_PERFMON).\vExample: sudo heatscope record -o monday.hsr --seconds 60", NULL, NULL, NULL
};

/* The collector first writes to a file in the folder of FILE, until there is something to record, so that a refusal
 * leaves FILE unchanged. */
struct output {
	char path[4200];		/* what the collector opens */
	char target[4096];		/* FILE, symbolic links followed */
	int beside;			/* path is not target yet */
};

static int output_open(struct output *out, const char *file, char reason[256])
{
	char *whole = realpath(file, NULL);
	struct stat st;
	int there = whole && !stat(whole, &st);

	snprintf(out->target, sizeof(out->target), "%s", whole ?: file);
	free(whole);
	if (there && S_ISDIR(st.st_mode))
		return refuse_in(-EISDIR, reason, 256, "%.200s: is a folder; give -o FILE", file);
	out->beside = !there || S_ISREG(st.st_mode);	/* a device or a pipe is written to, not replaced */
	if (out->beside)
		snprintf(out->path, sizeof(out->path), "%s.%ld.part", out->target, (long)getpid());
	else
		snprintf(out->path, sizeof(out->path), "%s", out->target);
	return 0;
}

/* Gives it its name; the collector goes on writing to it. */
static int output_keep(struct output *out, char *reason, size_t room)
{
	if (out->beside && rename(out->path, out->target)) {
		int err = -errno;

		snprintf(reason, room, "%.200s: %s", out->target, strerror(-err));
		return err;
	}
	out->beside = 0;
	return 0;
}

static void output_close(const struct output *out)
{
	if (out->beside)
		unlink(out->path);
}

/* Chooses all measures except those that need a look at every system call or arrival of bytes on the host, and first,
 * which goes with them; at most as many as an instrumentation takes. */
static void measures_choose(json_t *measures)
{
	static const char *const costly[] = { "fs", "io_bytes", "n_fs", "arrival", "response", "first", "n_unseen" };
	size_t i, j;

	for (i = json_array_size(measures); i-- > 0; )
		for (j = 0; j < sizeof(costly) / sizeof(*costly); j++)
			if (!strcmp(json_string_value(json_array_get(measures, i)) ?: "", costly[j]))
				json_array_remove(measures, i);
	for (i = json_array_size(measures); i > MEASURES_MAX; i--)
		json_array_remove(measures, i - 1);
}

static int record_begin(struct measure *m, const struct record_options *o)
{
	json_t *measures, *body;
	char id[MEASURE_ID];
	int err = measure_ready(m, o->metric, &measures);

	if (err)
		return err;
	if (o->measures) {
		json_decref(measures);
		measures = names_of(o->measures);
	} else if (!strcmp(o->metric, METRIC)) {
		measures_choose(measures);
	}
	body = json_pack("{s:o, s:o}", "decomposition", names_of(o->by), "measures", measures);
	err = measure_create(m, o->metric, o->where, body, id);
	json_decref(body);
	return err ?: measure_active(m, id, NULL);	/* the seconds begin when the kernel counts */
}

int run_record(struct client *unused, int argc, char **argv)
{
	struct record_options o = { .metric = METRIC };
	const char *option[] = { "--record", NULL, NULL };
	struct measure m = { .collector = 0 };
	struct output out;
	char what[300];
	int err;

	argp_parse(&record_argp, argc, argv, 0, NULL, &o);
	if (output_open(&out, o.out, m.client.reason))
		return failed("record", m.client.reason);
	option[1] = out.path;
	snprintf(what, sizeof(what), "recording %.280s", o.out);
	err = measure_start(&m, option);
	if (!err)
		err = record_begin(&m, &o);
	if (!err)
		err = output_keep(&out, m.client.reason, sizeof(m.client.reason));
	if (!err) {
		measure_wait(what, o.seconds);
		err = measure_end(&m);
	}
	measure_stop(&m);
	output_close(&out);
	return err ? failed("record", m.client.reason) : 0;
}

/* --- replay --- */

struct replay_options {
	const char *file, *source, *socket;
	int follow_clock;
};

static const struct argp_option replay_options[] = {
	{ "source", 's', "NAME", 0, "Name the source (default: this host's name)", 0 },
	{ "socket", 'S', "PATH", 0, "heatscoped's ingest socket (default: the collector's default)", 0 },
	{ "follow-clock", 'f', NULL, 0, "Shift it to now and keep its pace", 0 },
	{ 0 },
};

static void take_source(struct replay_options *o, const char *name, struct argp_state *state)
{
	char reason[REASON_MAX];

	if (source_name_check(name, reason))
		argp_error(state, "--source: %s", reason);
	o->source = name;
}

static error_t parse_replay(int key, char *arg, struct argp_state *state)
{
	struct replay_options *o = state->input;

	switch (key) {
	case 's': take_source(o, arg, state); return 0;
	case 'S': o->socket = arg; return 0;
	case 'f': o->follow_clock = 1; return 0;
	default: return take_one(key, arg, state, &o->file);
	}
}

static const struct argp replay_argp = {
	replay_options, parse_replay, "FILE",
	"Send a recording to heatscoped, whose instrumentations of the recorded metric receive it. If there is none, "
		"the command makes one like the recorded one and prints its id.\vExamples:\n"
	"  heatscope replay monday.hsr --source db1\n"
	"  heatscope replay monday.hsr --follow-clock", NULL, NULL, NULL
};

/* How the instrumentations of the recorded metric are at the source that replays it. */
struct takers {
	int n, n_taking, n_refused;	/* refused: also those that are suspended */
	char reason[256];		/* why one cannot take the recording */
};

static void takers_add(struct takers *t, const json_t *inst, const char *source)
{
	json_t *state;
	size_t i;

	t->n++;
	json_array_foreach(json_object_get(inst, "sources"), i, state) {
		const char *word = json_text(state, "state"), *why = json_text(state, "reason");

		if (strcmp(json_text(state, "source"), source))
			continue;
		t->n_taking += !strcmp(word, "active") || !strcmp(word, "partial");
		if (strcmp(word, "failed") && strcmp(word, "suspended"))
			continue;
		t->n_refused++;
		snprintf(t->reason, sizeof(t->reason), "instrumentation %s does not take the recording: %.180s", json_text(inst, "id"), *why ? why : word);
	}
}

/* -errno: heatscoped does not say; see c->reason. */
static int takers_find(struct client *c, const json_t *request, const char *source, struct takers *ret)
{
	json_t *list, *inst;
	size_t i;
	int err = client_json(c, "GET", "/ca/instrumentations", NULL, &list);

	if (err)
		return err;
	*ret = (struct takers){ 0 };
	json_array_foreach(list, i, inst)
		if (json_equal(json_object_get(inst, "module"), json_object_get(request, "module")) &&
		    json_equal(json_object_get(inst, "stat"), json_object_get(request, "stat")))
			takers_add(ret, inst, source);
	json_decref(list);
	return 0;
}

/* Waits until the collector has said which of them it can feed, or has ended. */
static int takers_await(struct client *c, const json_t *request, const char *source, pid_t pid, struct takers *ret)
{
	const struct timespec nap = { .tv_nsec = 20000000 };
	int err = 0;

	for (int i = 0; i < 500 && !err && !program_has_ended(pid); i++, nanosleep(&nap, NULL)) {
		err = takers_find(c, request, source, ret);
		if (ret->n_taking || ret->n_refused == ret->n)
			break;
	}
	return err;
}

static int make_like(struct client *c, const json_t *request, pid_t pid)
{
	const struct timespec nap = { .tv_nsec = 20000000 };
	json_t *made;
	int err = 0;

	for (int i = 0; i < 250 && !program_has_ended(pid); i++, nanosleep(&nap, NULL)) {	/* until the collector has said hello */
		err = client_json(c, "POST", "/ca/instrumentations", request, &made);
		if (!err) {
			show_print(stdout, "%s\n", json_string_value(json_object_get(made, "id")));
			json_decref(made);
			return 0;
		}
		if (err != -EINVAL)	/* only a refusal may be temporary */
			break;
	}
	return program_has_ended(pid) ? 0 : err;
}

int run_replay(struct client *c, int argc, char **argv)
{
	struct replay_options o = { .file = NULL };
	const char *collect[14] = { "heatscope-collector", "--replay" };
	struct file_info info;
	struct takers before, after;
	char reason[256], source[SOURCE_MAX] = "";
	int n = 2, err;
	pid_t pid;

	argp_parse(&replay_argp, argc, argv, 0, NULL, &o);
	if (file_read(o.file, &info, reason))
		return failed("replay", reason);
	gethostname(source, sizeof(source) - 1);
	if (o.source)
		snprintf(source, sizeof(source), "%s", o.source);
	if (takers_find(c, info.request, source, &before))	/* before the collector begins to deliver */
		return failed("replay", c->reason);
	collect[n++] = o.file;
	if (program_is_quiet())
		collect[n++] = "--quiet";
	collect[n++] = "--once";
	collect[n++] = "--spool";
	collect[n++] = "";
	if (o.source)
		collect[n++] = "--source", collect[n++] = o.source;
	if (o.socket)
		collect[n++] = "--socket", collect[n++] = o.socket;
	if (o.follow_clock)
		collect[n++] = "--follow-clock";
	if (program_start(collect, -1, &pid))
		return failed("replay", "the collector did not start");
	after = before;
	err = before.n ? takers_await(c, info.request, source, pid, &after) : 0;
	if (!err && after.n == after.n_refused) {
		err = make_like(c, info.request, pid);
		if (!err && before.n)
			show_print(stderr, "heatscope replay: %s; made one like the recorded one\n", after.reason);
		err = err ?: takers_await(c, info.request, source, pid, &after);
	}
	if (!err && after.n == after.n_refused && !program_has_ended(pid))
		err = refuse_in(-EINVAL, c->reason, sizeof(c->reason), "%s", after.reason);
	if (!err && !after.n_taking && !program_has_ended(pid))
		show_print(stderr, "heatscope replay: no instrumentation has accepted the recording yet; it goes on waiting\n");
	json_decref(info.request);
	if (err)
		kill(pid, SIGTERM);
	return program_wait(pid) || err ? (err ? failed("replay", c->reason) : 1) : 0;
}

/* --- doctor --- */

static const struct argp doctor_argp = {
	NULL, NULL, NULL, "Print what works on this host, what does not, and why: kernel, BTF, capabilities, servers "
		"found, heatscoped.\vExample: sudo heatscope doctor", NULL, NULL, NULL
};

static void print_daemon(struct client *c)
{
	char place[CLIENT_PLACE_MAX];
	json_t *catalogue, *source;
	size_t i;

	show_print(stdout, "\nheatscoped\n");
	if (client_json(c, "GET", "/ca", NULL, &catalogue)) {
		show_print(stdout, "  %s\n", c->reason);
		return;
	}
	show_print(stdout, "  answers at %s\n", client_place(c, place));
	json_array_foreach(json_object_get(catalogue, "sources"), i, source)
		show_print(stdout, "  source %s: %s\n", json_string_value(json_object_get(source, "source")),
		       json_string_value(json_object_get(source, "state")));
	if (!json_array_size(json_object_get(catalogue, "sources")))
		show_print(stdout, "  no collector is connected\n");
	json_decref(catalogue);
}

int run_doctor(struct client *c, int argc, char **argv)
{
	static const char *const collect[] = { "heatscope-collector", "--doctor", NULL };
	pid_t pid;
	int err;

	argp_parse(&doctor_argp, argc, argv, 0, NULL, NULL);
	err = program_start(collect, -1, &pid);
	if (!err)
		err = program_wait(pid);
	print_daemon(c);
	return err ? 1 : 0;
}
