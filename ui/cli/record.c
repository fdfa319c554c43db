/* record, replay, doctor: what runs the collector itself. */
#include "command.h"
#include "file.h"
#include "private.h"
#include "collector/slice.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
	{ "seconds", 's', "N", 0, "Stop after N seconds (default: at Ctrl-C)", 0 },
	{ "metric", 'm', "METRIC", 0, "What to record (default " METRIC ")", 0 },
	{ "by", 'b', "FIELDS", 0, "Keep these fields apart (default: command,statement of mysql.queries, none of others)", 0 },
	{ "measures", 'M', "LIST", 0, "Measures (default: all the metric has; of mysql.queries all but fs and io_bytes)", 0 },
	{ "where", 'w', "EXPRESSION", 0, "Only events for which this holds, as for create", 0 },
	{ 0 },
};

static error_t parse_record(int key, char *arg, struct argp_state *state)
{
	struct record_options *o = state->input;
	char *end;

	switch (key) {
	case 'o': o->out = arg; return 0;
	case 'm': o->metric = arg; return 0;
	case 'b': o->by = arg; return 0;
	case 'M': o->measures = arg; return 0;
	case 'w': o->where = arg; return 0;
	case 's':
		o->seconds = strtol(arg, &end, 10);
		if (*end || o->seconds < 1)
			argp_error(state, "--seconds: \"%s\" is not a number of seconds", arg);
		return 0;
	case ARGP_KEY_END:
		if (!o->out)
			argp_error(state, "give -o FILE");
		if (!metric_dot(o->metric))
			argp_error(state, "%s: METRIC is MODULE.STAT, see 'heatscope metrics'", o->metric);
		if (!o->by)
			o->by = strcmp(o->metric, METRIC) ? "" : "command,statement";
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp record_argp = {
	record_options, parse_record, NULL,
	"Record this host into a file, without a running heatscoped. Needs what the collector needs (root, or CAP_BPF "
	"and CAP_PERFMON).\vExample: heatscope record -o monday.hsr --seconds 60", NULL, NULL, NULL
};

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	interrupted = 1;
}

static const char *arity_of(const json_t *catalogue, const char *field)
{
	const json_t *info = json_object_get(json_object_get(catalogue, "fields"), field);
	const char *type = json_string_value(json_object_get(info, "type"));

	return json_string_value(json_object_get(json_object_get(json_object_get(catalogue, "types"), type ?: ""), "arity")) ?: "";
}

/* All numeric fields of the metric; NULL while the catalogue does not have it. */
static json_t *measures_of(const json_t *catalogue, const char *name)
{
	json_t *metric, *field, *measures;
	char full[80];
	size_t i, j;

	json_array_foreach(json_object_get(catalogue, "metrics"), i, metric) {
		snprintf(full, sizeof(full), "%s.%s", json_string_value(json_object_get(metric, "module")),
			 json_string_value(json_object_get(metric, "stat")));
		if (strcmp(full, name))
			continue;
		measures = json_array();
		json_array_foreach(json_object_get(metric, "fields"), j, field)
			if (!strcmp(arity_of(catalogue, json_string_value(field)), "numeric"))
				json_array_append(measures, field);
		return measures;
	}
	return NULL;
}

/* Once the collector has said what it can do; NULL if that is not among it, or it ends, or 10 s are over. */
static json_t *wait_measures(struct client *c, const char *metric, pid_t *collector)
{
	const struct timespec nap = { .tv_nsec = 50000000 };
	json_t *catalogue, *measures = NULL;
	size_t n_sources = 0;

	for (int tries = 0; tries < 200 && !measures && !n_sources; tries++, nanosleep(&nap, NULL)) {
		if (waitpid(*collector, NULL, WNOHANG) == *collector) {
			*collector = 0;
			return NULL;
		}
		if (client_json(c, "GET", "/ca", NULL, &catalogue))
			return NULL;
		n_sources = json_array_size(json_object_get(catalogue, "sources"));
		measures = measures_of(catalogue, metric);
		json_decref(catalogue);
	}
	return measures;
}

/* All but those for which every system call of the host is looked at, and not more than an instrumentation may have. */
static void measures_choose(json_t *measures)
{
	static const char *const dear[] = { "fs", "io_bytes" };
	size_t i, j;

	for (i = json_array_size(measures); i-- > 0; )
		for (j = 0; j < sizeof(dear) / sizeof(*dear); j++)
			if (!strcmp(json_string_value(json_array_get(measures, i)) ?: "", dear[j]))
				json_array_remove(measures, i);
	for (i = json_array_size(measures); i > MEASURES_MAX; i--)
		json_array_remove(measures, i - 1);
}

static int enable_recording(struct client *c, const struct record_options *o, pid_t *collector)
{
	const char *dot = strchr(o->metric, '.');
	json_t *measures = wait_measures(c, o->metric, collector), *body, *made = NULL;
	int err;

	if (!measures) {
		if (*collector)
			snprintf(c->reason, sizeof(c->reason), "the collector can not measure %s here; 'heatscope doctor' says why",
				 o->metric);
		else
			snprintf(c->reason, sizeof(c->reason), "the collector ended; it has said why");
		return -ENODEV;
	}
	if (o->measures) {
		json_decref(measures);
		measures = names_of(o->measures);
	} else if (!strcmp(o->metric, METRIC)) {
		measures_choose(measures);
	}
	body = json_pack("{s:s%, s:s, s:o, s:o}", "module", o->metric, (size_t)(dot - o->metric), "stat", dot + 1,
			 "decomposition", names_of(o->by), "measures", measures);
	err = put_predicate(c, o->metric, o->where, NULL, body);
	if (!err)
		err = client_json(c, "POST", "/ca/instrumentations", body, &made);
	json_decref(body);
	json_decref(made);
	return err;
}

/* Where the collector writes: beside FILE until there is something to record, so that a refusal leaves FILE as it was. */
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
	if (there && S_ISDIR(st.st_mode)) {
		snprintf(reason, 256, "%.200s: is a folder; give -o FILE", file);
		return -EISDIR;
	}
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

/* Until the time is over, Ctrl-C, or the collector's end; progress once a second on a terminal. */
static void wait_recording(const struct record_options *o)
{
	const struct timespec second = { .tv_sec = 1 };

	for (long s = 1; !interrupted && (!o->seconds || s <= o->seconds); s++) {
		nanosleep(&second, NULL);
		if (isatty(STDERR_FILENO))
			fprintf(stderr, "\rrecording %s: %ld s", o->out, s);
	}
	if (isatty(STDERR_FILENO))
		fputc('\n', stderr);
}

int run_record(struct client *unused, int argc, char **argv)
{
	struct record_options o = { .metric = METRIC };
	struct output out;
	struct private p = { .pid = 0 };
	struct client c = { .url = p.url };
	const struct sigaction on_signal = { .sa_handler = interrupt };
	pid_t collector = 0;
	int err;

	argp_parse(&record_argp, argc, argv, 0, NULL, &o);
	if (output_open(&out, o.out, p.reason))
		return failed("record", p.reason);
	const char *collect[] = { "heatscope-collector", "--record", out.path, "--spool", "", "--socket", p.ingest, NULL };
	sigaction(SIGINT, &on_signal, NULL);
	sigaction(SIGTERM, &on_signal, NULL);
	err = private_start(&p);
	if (err)
		return failed("record", p.reason);
	err = program_start(collect, 0, &collector);
	if (!err)
		err = enable_recording(&c, &o, &collector);
	if (!err)
		err = output_keep(&out, c.reason, sizeof(c.reason));
	if (!err)
		wait_recording(&o);
	if (collector > 0) {
		kill(collector, SIGTERM);
		if (program_wait(collector) && !err)
			err = -EIO, snprintf(c.reason, sizeof(c.reason), "the collector failed");
	}
	private_stop(&p);
	output_close(&out);
	return err ? failed("record", c.reason) : 0;
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

static error_t parse_replay(int key, char *arg, struct argp_state *state)
{
	struct replay_options *o = state->input;

	switch (key) {
	case 's': o->source = arg; return 0;
	case 'S': o->socket = arg; return 0;
	case 'f': o->follow_clock = 1; return 0;
	default: return take_one(key, arg, state, &o->file);
	}
}

static const struct argp replay_argp = {
	replay_options, parse_replay, "FILE",
	"Feed a recording to heatscoped, whose instrumentations of the recorded metric receive it; if there is none, "
	"one like the recorded is made and its id printed.\vExamples:\n"
	"  heatscope replay monday.hsr --source db1\n"
	"  heatscope replay monday.hsr --follow-clock", NULL, NULL, NULL
};

/* Is there an instrumentation of this metric already? */
static int has_metric(struct client *c, const json_t *request)
{
	json_t *list, *inst;
	int found = 0;
	size_t i;

	if (client_json(c, "GET", "/ca/instrumentations", NULL, &list))
		return 0;
	json_array_foreach(list, i, inst)
		found |= json_equal(json_object_get(inst, "module"), json_object_get(request, "module")) &&
			 json_equal(json_object_get(inst, "stat"), json_object_get(request, "stat"));
	json_decref(list);
	return found;
}

static int make_like(struct client *c, const json_t *request)
{
	const struct timespec nap = { .tv_nsec = 20000000 };
	json_t *made;
	int err = 0;

	for (int i = 0; i < 250; i++, nanosleep(&nap, NULL)) {	/* until the collector has said hello */
		err = client_json(c, "POST", "/ca/instrumentations", request, &made);
		if (!err) {
			printf("%s\n", json_string_value(json_object_get(made, "id")));
			json_decref(made);
			return 0;
		}
		if (err != -EINVAL)	/* not a refusal that may pass */
			break;
	}
	return err;
}

int run_replay(struct client *c, int argc, char **argv)
{
	struct replay_options o = { .file = NULL };
	const char *collect[12] = { "heatscope-collector", "--replay" };
	struct file_info info;
	char reason[256];
	pid_t pid;
	int n = 2;

	argp_parse(&replay_argp, argc, argv, 0, NULL, &o);
	if (file_read(o.file, &info, reason))
		return failed("replay", reason);
	collect[n++] = o.file;
	collect[n++] = "--once";
	collect[n++] = "--spool";
	collect[n++] = "";
	if (o.source)
		collect[n++] = "--source", collect[n++] = o.source;
	if (o.socket)
		collect[n++] = "--socket", collect[n++] = o.socket;
	if (o.follow_clock)
		collect[n++] = "--follow-clock";
	if (program_start(collect, 0, &pid))
		return failed("replay", "the collector did not start");
	if (!has_metric(c, info.request) && make_like(c, info.request)) {
		kill(pid, SIGTERM);
		program_wait(pid);
		return failed("replay", c->reason);
	}
	json_decref(info.request);
	return program_wait(pid) ? 1 : 0;
}

/* --- doctor --- */

static const struct argp doctor_argp = {
	NULL, NULL, NULL, "Say what works on this host, what does not, and why: kernel, BTF, capabilities, servers found, "
	"heatscoped.\vExample: sudo heatscope doctor", NULL, NULL, NULL
};

static void print_daemon(struct client *c)
{
	json_t *catalogue, *source;
	size_t i;

	printf("\nheatscoped\n");
	if (client_json(c, "GET", "/ca", NULL, &catalogue)) {
		printf("  %s\n", c->reason);
		return;
	}
	printf("  answers at %s\n", c->url);
	json_array_foreach(json_object_get(catalogue, "sources"), i, source)
		printf("  source %s: %s\n", json_string_value(json_object_get(source, "source")),
		       json_string_value(json_object_get(source, "state")));
	if (!json_array_size(json_object_get(catalogue, "sources")))
		printf("  no collector is connected\n");
	json_decref(catalogue);
}

int run_doctor(struct client *c, int argc, char **argv)
{
	static const char *const collect[] = { "heatscope-collector", "--doctor", NULL };
	pid_t pid;
	int err;

	argp_parse(&doctor_argp, argc, argv, 0, NULL, NULL);
	err = program_start(collect, 0, &pid);
	if (!err)
		err = program_wait(pid);
	print_daemon(c);
	return err ? 1 : 0;
}
