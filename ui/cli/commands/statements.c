/* slow, fsslow, snoop: print single statements that are kept of each second (exemplars), one per line. */
#include "ui/cli/base/command.h"
#include "ui/cli/commands/commands.h"
#include "ui/cli/base/limit.h"
#include "ui/cli/base/measure.h"
#include "ui/cli/base/range.h"
#include "ui/cli/base/local.h"
#include "collector/mysql/mysql.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STATEMENT_ROOM 4100		/* longer than any statement */
#define METRIC "mysql.queries"
#define KEPT 100			/* exemplars of a second: the maximum */
#define GIVEN 1000			/* exemplars of a reply: the maximum; of more, the slowest */
#define HELD_S 600			/* while it follows: longer than it may be stopped by Ctrl-Z */
#define LATE_S 10			/* s to wait for the report of a second; then it is printed without the report */

/* How the ends of statements are shown. */
struct clock {
	int offset_s, dated;
	char heading[AXIS_TEXT + 8];
	int width;			/* of the column */
};

struct options {
	const char *id;
	char over[32];
	long seconds, last, pid;
	int json, follow, full;
	struct clock clock;
};

/* The differences between the commands. */
struct view {
	const char *name, *over;	/* and which statements by default */
	const char *measures;		/* asked for, where the metric has them; the first is what `over` is of */
	const char *kind, *with_drawn;	/* of exemplars: worst, all; how the latter is said */
	int n_kept;
	const char *heading;		/* after TIME */
	void (*row)(const json_t *exemplar, const char *clock);
	struct argp argp;
};

enum { OPT_OVER = 256, OPT_ID, OPT_TEXT };

static const struct argp_option options[] = {
	{ "over", OPT_OVER, "VALUE", 0, "Only statements that took at least this long: 100ms, 1.5s", 0 },
	{ "follow", 'f', NULL, 0, "Print from now on, until Ctrl-C (the default)", 0 },
	{ "seconds", 's', "SPAN", 0, "Print for this time: 30 (seconds), 5m", 0 },
	{ "last", 'l', "SPAN", 0, "Instead print statements that heatscoped has kept of this time until now: 300 "
		"(seconds), 5m, 1h", 0 },
	{ "pid", 'p', "PID", 0, "Only this server's (default: of all named mariadbd or mysqld); not with --last", 0 },
	{ "id", OPT_ID, "ID", 0, "With --last: from this instrumentation (default: the first of " METRIC
		" that keeps exemplars)", 0 },
	{ "text", OPT_TEXT, "WHAT", 0, "Text of a statement: digest (the default), without its literals; or full, "
		"its first 1,023 bytes as it was sent, with everybody's data in it; with --last as the collector has "
		"kept it", 0 },
	{ "json", 'j', NULL, 0, "Print each as heatscoped's JSON, one a line", 0 },
	{ 0 },
};

/* The latency of METRIC is a time. */
static void take_over(struct argp_state *state, const char *text, char out[32])
{
	const struct limit over = { "over", NULL, text };
	char reason[256];

	if (limit_read(&over, UNIT_NS, "the latency", out, reason))
		argp_error(state, "%s", reason);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_OVER: take_over(state, arg, o->over); return 0;
	case 'f': o->follow = 1; return 0;
	case 's': o->seconds = take_seconds(state, "seconds", arg); return 0;
	case 'l': o->last = take_seconds(state, "last", arg); return 0;
	case 'p': o->pid = take_number(state, "pid", arg); return 0;
	case OPT_ID: o->id = arg; return 0;
	case OPT_TEXT:
		if (strcmp(arg, "digest") && strcmp(arg, "full"))
			argp_error(state, "--text %s: must be digest or full", arg);
		o->full = !strcmp(arg, "full");
		return 0;
	case 'j': o->json = 1; return 0;
	case ARGP_KEY_END:
		if (o->last && (o->follow || o->seconds || o->pid))
			argp_error(state, "give either --last, or --follow, --seconds and --pid");
		if (o->id && !o->last)
			argp_error(state, "--id needs --last");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

/* ---- rows ---- */

static double measure_of(const json_t *exemplar, const char *name)
{
	return json_number_value(json_object_get(json_object_get(exemplar, "measures"), name));
}

static const char *field_of(const json_t *exemplar, const char *name)
{
	return json_string_value(json_object_get(json_object_get(exemplar, "fields"), name)) ?: "";
}

/* As it was sent where that is kept, on one line; else without its literals; its command where it has no text. */
static const char *statement_of(const json_t *exemplar, char out[STATEMENT_ROOM])
{
	const char *text = json_string_value(json_object_get(exemplar, "text")) ?: field_of(exemplar, "digest");

	snprintf(out, STATEMENT_ROOM, "%s", strcmp(text, "none") ? text : field_of(exemplar, "command"));
	for (char *at = out; (at = strpbrk(at, "\n\t")); )
		*at = ' ';
	return out;
}

static double ms_of(const json_t *exemplar, const char *name)
{
	return measure_of(exemplar, name) / 1e6;
}

/* With dates where it began on another day. */
static struct clock clock_since(time_t from)
{
	char zone[AXIS_TEXT], first[AXIS_TEXT], last[AXIS_TEXT];
	struct clock c = { .offset_s = local_offset(moment_now()) };
	int len = snprintf(c.heading, sizeof(c.heading), "TIME(%s)", local_zone(c.offset_s, zone));

	local_time((double)from, c.offset_s, first);
	local_time(moment_now(), c.offset_s, last);
	c.dated = strncmp(first, last, strlen("2026-11-25")) != 0;
	c.width = c.dated ? (int)strlen("2026-11-25 12:00:03.250") : (int)strlen("12:00:03.250");
	c.width = len > c.width ? len : c.width;
	return c;
}

/* Writes the parts of its time off the CPU: "futex 200 ms, io 12.0 us". */
static void parts_text(const json_t *exemplar, char *out, size_t room)
{
	static const char *const part[] = { "runqwait", "io", "futex", "net", "sleep", "fault", "other", "unsplit" };
	char text[32];
	size_t at = 0;

	out[0] = 0;
	for (size_t i = 0; i < sizeof(part) / sizeof(*part) && at < room; i++)
		if (measure_of(exemplar, part[i]) > 0)
			at += (size_t)snprintf(out + at, room - at, "%s%s %s", at ? ", " : "", part[i],
					       time_text(measure_of(exemplar, part[i]), text));
}

static void slow_row(const json_t *e, const char *clock)
{
	char parts[256], statement[STATEMENT_ROOM];

	parts_text(e, parts, sizeof(parts));
	show_print(stdout, "%s %11.3f %10.3f %11.3f  %s\n", clock, ms_of(e, "latency"), ms_of(e, "cputime"), ms_of(e, "offcpu"),
	       statement_of(e, statement));
	if (*parts)
		show_print(stdout, "%*s %11s %s\n", (int)strlen(clock), "", "", parts);
}

static int has_measure(const json_t *exemplar, const char *name)
{
	return json_object_get(json_object_get(exemplar, "measures"), name) != NULL;
}

/* If the time in files is not measured: the time blocked for them, and how often; "-" if neither is measured. */
static void fsslow_row(const json_t *e, const char *clock)
{
	int fs = has_measure(e, "fs");
	const char *how_often = fs ? "n_fs" : "n_io";
	char number[32] = "-", statement[STATEMENT_ROOM];

	if (has_measure(e, how_often))
		snprintf(number, sizeof(number), "%.0f", measure_of(e, how_often));
	show_print(stdout, "%s %11.3f %10.3f %6s  %s\n", clock, ms_of(e, "latency"), ms_of(e, fs ? "fs" : "io"), number,
	       statement_of(e, statement));
}

/* "root@10.0.0.7"; "-" if the metric has no user. */
static const char *user_text(const json_t *exemplar, char out[520])
{
	const char *user = field_of(exemplar, "user"), *client = field_of(exemplar, "client");

	snprintf(out, 520, "%.255s%s%.255s", user, *client ? "@" : "", client);
	return *out ? out : "-";
}

/* A query is printed as its text alone; other commands stand before their text. */
static void snoop_row(const json_t *e, const char *clock)
{
	json_int_t connection = json_integer_value(json_object_get(e, "connection"));
	const char *database = field_of(e, "database"), *command = field_of(e, "command");
	char number[24] = "-", user[520], room[STATEMENT_ROOM];
	const char *statement = statement_of(e, room);
	int alone = !strcmp(command, "query") || !strcmp(command, statement);

	if (connection)
		snprintf(number, sizeof(number), "%lld", (long long)connection);
	show_print(stdout, "%s %7s %6s %-10s %-18s %11.3f %-6s  %s%s%s\n", clock, field_of(e, "pid"), number, *database ? database : "-",
	       user_text(e, user), ms_of(e, "latency"), field_of(e, "status"), alone ? "" : command, alone ? "" : ": ", statement);
}

/* ---- printing ---- */

static int by_time(const void *a, const void *b)
{
	double x = json_number_value(json_object_get(*(json_t *const *)a, "time"));
	double y = json_number_value(json_object_get(*(json_t *const *)b, "time"));

	return (x > y) - (x < y);
}

/* Prints the heads of the columns. */
static void print_heading(const struct view *v, const struct options *o)
{
	if (!o->json)
		show_print(stdout, "%-*s %s\n", o->clock.width, o->clock.heading, v->heading);
	fflush(stdout);
}

static void print_one(const struct view *v, const struct options *o, const json_t *exemplar)
{
	char clock[AXIS_TEXT], padded[2 * AXIS_TEXT];

	if (!o->json) {
		local_clock(json_number(exemplar, "time"), o->clock.offset_s, o->clock.dated, clock);
		snprintf(padded, sizeof(padded), "%-*s", o->clock.width, clock);
		v->row(exemplar, padded);
		return;
	}
	put_json(exemplar, JSON_COMPACT);
}

struct totals {				/* the counts so far, for the summary at the end */
	time_t until;			/* what ended before */
	double slot_s;			/* of the instrumentation: so often the worst are kept */
	double count, shown;		/* events as slow, sampled ones as often as they stand for */
	double missed, lost, sampled;
	double unreported_s;		/* printed without a report */
	int kept;			/* the worst of a slot */
	int observed;			/* some of the time was */
	int dropped;			/* some are no longer stored */
	int cut;			/* a range that cannot be halved had too many */
};

static int is_full(const json_t *reply) { return json_array_size(json_object_get(reply, "exemplars")) >= GIVEN; }

/* By their ends. */
static void print_rows(const struct view *v, const struct options *o, const json_t *reply, struct totals *t)
{
	const json_t *list = json_object_get(reply, "exemplars");
	size_t n = json_array_size(list), i;
	json_t **row = calloc(n + 1, sizeof(*row));
	double sampled = json_number(reply, "sampled");

	for (i = 0; row && i < n; i++)
		row[i] = json_array_get(list, i);
	if (row && n)
		qsort(row, n, sizeof(*row), by_time);
	for (i = 0; row && i < n; i++) {
		print_one(v, o, row[i]);
		t->shown += json_number_value(json_object_get(row[i], "weight"));
	}
	t->kept = (int)json_integer_value(json_object_get(reply, "kept"));
	t->count += json_number(reply, "count");
	t->missed += json_number(reply, "missed");
	t->lost += json_number(reply, "lost");
	t->sampled = sampled > t->sampled ? sampled : t->sampled;
	t->observed |= json_number(reply, "observed") > 0;
	t->dropped |= json_is_true(json_object_get(reply, "dropped"));
	t->cut |= is_full(reply);
	free(row);
	fflush(stdout);
}

/* For a past time, the events that were not sent may include some just below the requested limit. */
static void print_totals(const struct view *v, const struct options *o, const struct totals *t)
{
	if (o->last && !t->observed)
		show_print(stderr, "not observed: no collector reported in this time\n");
	else if (o->last && t->count <= 0 && t->lost <= 0)
		show_print(stderr, "no statement took so long in this time\n");
	if (t->count > t->shown)
		show_print(stderr, "%s%.0f more %s counted, but not printed: of each slot of %g s only the worst "
			"%d%s are%s%s\n",
			o->last && strcmp(o->over, "0") ? "at most " : "", t->count - t->shown, t->count - t->shown == 1 ? "is" : "are",
			t->slot_s, t->kept, v->with_drawn, t->cut ? ", without shorter columns only the slowest" : "",
			t->dropped ? ", and some of the data are not kept any more" : "");
	else if (t->dropped)
		show_print(stderr, "some of the data are not kept any more\n");
	if (t->missed > 0)
		show_print(stderr, "%.0f statements came too late to be considered\n", t->missed);
	if (t->lost > 0)
		show_print(stderr, "%.0f statements were lost\n", t->lost);
	if (t->sampled > 1)
		show_print(stderr, "statements were sampled, at worst one in %.0f\n", t->sampled);
	if (t->unreported_s > 0)
		show_print(stderr, "%.0f s had no report of the collector for %d s: their statements are not printed\n",
			t->unreported_s, LATE_S);
}

static int ask_exemplars(const struct view *v, const struct options *o, struct client *c, const char *id, time_t from,
			 time_t to, int most, json_t **ret_reply)
{
	struct query_string p = { .len = 0 };
	char start[32], end[32], n[16];

	snprintf(n, sizeof(n), "%d", most);
	snprintf(start, sizeof(start), "%lld", (long long)from);
	snprintf(end, sizeof(end), "%lld", (long long)to);
	query_string_put(&p, "start_time", start);
	query_string_put(&p, "end_time", end);
	query_string_put(&p, "ymin", o->over);
	query_string_put(&p, "kind", v->kind);
	query_string_put(&p, "n", n);
	return inst_get(c, id, "/value/exemplars", &p, ret_reply);
}

/* Those that ended in from..to.  heatscoped widens it to whole columns, of the granularity or of the tier that still has its
 * beginning.  Where there are more than one reply has, by halves, until they get no shorter. */
static int print_part(const struct view *v, const struct options *o, struct client *c, const char *id, time_t from, time_t to,
		      double before_s, struct totals *t)
{
	json_t *reply;
	int err = ask_exemplars(v, o, c, id, from, to, GIVEN, &reply);
	double length_s;

	if (err)
		return err;
	from = (time_t)json_number(reply, "start_time");
	to = (time_t)ceil(json_number(reply, "end_time"));
	length_s = (double)(to - from);
	if (is_full(reply) && length_s > 1 && length_s < before_s) {
		json_decref(reply);
		err = print_part(v, o, c, id, from, from + (to - from) / 2, length_s, t);
		return err || t->until >= to ? err : print_part(v, o, c, id, t->until, to, length_s, t);
	}
	print_rows(v, o, reply, t);
	t->until = to;
	json_decref(reply);
	return 0;
}

static int print_time(const struct view *v, const struct options *o, struct client *c, const char *id, time_t from, time_t to,
		      struct totals *t)
{
	return print_part(v, o, c, id, from, to, INFINITY, t);
}

/* ---- what heatscoped has kept ---- */

static int find_kept(struct client *c, char ret_id[MEASURE_ID])
{
	json_t *list, *inst;
	size_t i;
	int err = client_json(c, "GET", "/ca/instrumentations", NULL, &list);

	if (err)
		return err;
	err = -ENOENT;
	json_array_foreach(list, i, inst) {
		char name[80];

		client_metric_name(inst, name, sizeof(name));
		if (!err || strcmp(name, METRIC) || !json_integer_value(json_object_get(inst, "exemplars")))
			continue;
		snprintf(ret_id, MEASURE_ID, "%s", json_string_value(json_object_get(inst, "id")));
		err = 0;
	}
	json_decref(list);
	if (err)
		snprintf(c->reason, sizeof(c->reason), "no instrumentation of " METRIC " keeps exemplars; "
			 "'heatscope create " METRIC " --exemplars 5' makes one");
	return err;
}

/* A granularity beyond a second is made of slots of one. */
static int find_slot(struct client *c, const char *id, double *ret_slot_s)
{
	char path[512];
	json_t *inst;
	int err = client_json(c, "GET", inst_path(id, "", path), NULL, &inst);

	if (err)
		return err;
	*ret_slot_s = fmin(1, json_number(inst, "granularity"));
	json_decref(inst);
	return 0;
}

static int run_last(const struct view *v, const struct options *o, struct client *c)
{
	struct totals t = { 0 };
	char id[MEASURE_ID] = "";
	time_t now = time(NULL);
	int err = o->id ? 0 : find_kept(c, id);

	if (!err)
		err = find_slot(c, o->id ?: id, &t.slot_s);
	if (!err)
		print_heading(v, o);
	if (!err)
		err = print_time(v, o, c, o->id ?: id, now - o->last, now, &t);
	if (err)
		return failed(v->name, o->id ? inst_reason(c, err, o->id) : c->reason);
	print_totals(v, o, &t);
	return 0;
}

/* ---- from now on ---- */

/* The measures of the view that the metric has. */
static json_t *measures_wanted(const struct view *v, const json_t *have)
{
	json_t *wanted = names_of(v->measures), *name;
	size_t i, j;

	for (i = json_array_size(wanted); i-- > 0; ) {
		int found = 0;

		json_array_foreach(have, j, name)
			found |= json_equal(name, json_array_get(wanted, i));
		if (!found)
			json_array_remove(wanted, i);
	}
	return wanted;
}

/* Looks at every statement: a budget is for instrumentations that always run. */
static const char *const collector_options[] = { "--budget", "0", NULL }, *const full_options[] = { "--budget", "0", "--text", "full", NULL };

static int begin_measure(const struct view *v, const struct options *o, struct measure *m, char *ret_id,
			 time_t *ret_from)
{
	json_t *have, *body;
	char where[96];
	double from_s;
	int err = measure_start(m, o->full ? full_options : collector_options), at;

	err = err ?: measure_ready(m, METRIC, &have);
	if (err)
		return err;
	at = snprintf(where, sizeof(where), "latency >= %sns", o->over);
	if (o->pid)
		snprintf(where + at, sizeof(where) - (size_t)at, " and pid = %ld", o->pid);
	body = json_pack("{s:o, s:i, s:i, s:i}", "measures", measures_wanted(v, have), "exemplars", v->n_kept, "ruler-bits", 0,
			 "retention-time", HELD_S);
	json_decref(have);
	err = measure_create(m, METRIC, where, body, ret_id);
	json_decref(body);
	err = err ?: measure_active(m, ret_id, &from_s);
	if (!err)
		*ret_from = from_s > 0 ? (time_t)from_s : time(NULL);
	return err;
}

/* Has the collector reported every second of from..until? */
static int find_reported(const struct view *v, const struct options *o, struct client *c, const char *id, time_t from,
			 time_t until, int *ret_reported)
{
	json_t *reply;
	int err = ask_exemplars(v, o, c, id, from, until, 1, &reply);

	if (err)
		return err;
	*ret_reported = json_integer_value(json_object_get(reply, "minreporting")) > 0;
	json_decref(reply);
	return 0;
}

/* Prints the seconds from *from on that the collector has reported, and moves *from to the first that it has not.  On a busy
 * machine a report comes late; one that has not come after LATE_S is not waited for. */
static int print_reported(const struct view *v, const struct options *o, struct client *c, const char *id, time_t *from,
			  struct totals *t)
{
	const time_t now = time(NULL);
	time_t until = now;
	int reported = 0, err = 0;

	while (!err && !reported && until > *from && until > now - LATE_S) {
		err = find_reported(v, o, c, id, *from, until, &reported);
		until -= !reported;
	}
	if (err || until <= *from)
		return err;
	if (!reported)
		t->unreported_s += (double)(until - *from);
	err = print_time(v, o, c, id, *from, until, t);
	*from = until;
	return err;
}

static int run_follow(const struct view *v, const struct options *o)
{
	struct measure m = { .collector = 0 };
	struct totals t = { .slot_s = 1 };
	char id[MEASURE_ID];
	time_t from = 0;
	int err = begin_measure(v, o, &m, id, &from);
	const time_t end = time(NULL) + o->seconds;

	if (!err)
		print_heading(v, o);
	while (!err && measure_second() && (!o->seconds || time(NULL) <= end))
		err = print_reported(v, o, &m.client, id, &from, &t);
	if (!err)
		err = measure_end(&m);
	if (!err)
		err = print_time(v, o, &m.client, id, from, time(NULL) + 1, &t);
	measure_stop(&m);
	if (err)
		return failed(v->name, m.client.reason);
	print_totals(v, o, &t);
	return 0;
}

static int run_view(const struct view *v, struct client *c, int argc, char **argv)
{
	static const char *const servers[] = { MYSQL_SERVERS, NULL };
	struct options o = { .id = NULL };
	char reason[256];

	snprintf(o.over, sizeof(o.over), "%s", v->over);
	argp_parse(&v->argp, argc, argv, 0, NULL, &o);
	if (o.pid && measure_check_process(o.pid, servers, reason, sizeof(reason)))
		return failed(v->name, reason);
	o.clock = clock_since(time(NULL) - o.last);
	return o.last ? run_last(v, &o, c) : run_follow(v, &o);
}

/* ---- the commands ---- */

#define NEEDS "Needs no running heatscoped except for --last, and the privileges of the collector (root, or CAP_BPF " \
	"and CAP_PERFMON). Statements are printed without their literals, unless --text is full."
#define PARTS "latency,cputime,offcpu,runqwait,io,futex,net,sleep,fault,other,unsplit,n_io"

static const struct view slow = {
	"slow", "100000000", PARTS, "worst", "", KEPT,
	"LATENCY(ms)    CPU(ms)     OFF(ms)  QUERY", slow_row,
	{ options, parse_option, NULL,
	  "Single slow statements of this host's database servers: when each ended, how long it took, how much of "
	  "that on the CPU and off it, and what it waited for. At least 100 ms unless --over is given; of each "
	  "second the 100 slowest. " NEEDS "\vExamples:\n"
	  "  sudo heatscope slow\n"
	  "  sudo heatscope slow --over 20ms --seconds 10\n"
	  "  heatscope slow --last 1h --over 1s\n"
	  "  sudo heatscope slow --text full\n"
	  "  sudo heatscope slow --seconds 10 --json | jq .measures", NULL, NULL, NULL }
};

static const struct view fsslow = {
	"fsslow", "10000000", "latency,fs,io,n_fs,n_io", "worst", "", KEPT,
	"LATENCY(ms)     FS(ms)    I/O  QUERY", fsslow_row,
	{ options, parse_option, NULL,
	  "Single slow statements with their time in files and the number of calls of file systems (measures fs and "
	  "n_fs); from an instrumentation that does not keep these, the time blocked for files, and how often "
	  "(io and n_io). At least 10 ms unless --over is given; of each second the 100 slowest. " NEEDS "\vExamples:\n"
	  "  sudo heatscope fsslow --over 5ms\n"
	  "  heatscope fsslow --last 10m --json", NULL, NULL, NULL }
};

static const struct view snoop = {
	"snoop", "0", "latency,cputime", "all", ", and one of each decade,", 5,
	"    PID   CONN DATABASE   USER@HOST          LATENCY(ms) STATUS  QUERY", snoop_row,
	{ options, parse_option, NULL,
	  "Single statements of this host's database servers as they end: a sample. Of each second the five slowest, "
	  "and one drawn of each decade of latencies (below 10 us, 100 us, ...); the others are counted in "
	  "maps, not printed. " NEEDS "\vExamples:\n"
	  "  sudo heatscope snoop\n"
	  "  sudo heatscope snoop --seconds 10 --json\n"
	  "  heatscope snoop --last 60 --id 3", NULL, NULL, NULL }
};

int run_slow(struct client *c, int argc, char **argv)
{
	return run_view(&slow, c, argc, argv);
}

int run_fsslow(struct client *c, int argc, char **argv)
{
	return run_view(&fsslow, c, argc, argv);
}

int run_snoop(struct client *c, int argc, char **argv)
{
	return run_view(&snoop, c, argc, argv);
}
