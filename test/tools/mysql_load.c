/* mysql_load - sends a MariaDB server a known mix of commands and says exactly what it has sent.
 *
 * The amounts that each command adds to the server's status variables were found by sending each alone to MariaDB
 * 10.11, one thread per connection and thread pool, TCP, Unix socket, TLS, compressed.  test/kernel/load_ground_truth
 * does it again.
 *
 *      command                     Questions  Queries  also
 *      query                           1         1     Com_ of its statement; errors too
 *        its 2nd, 3rd statement        1 each    1     those begun: one that fails ends the packet
 *      execute, bulk_execute           1         1     Com_stmt_execute, Com_ of its statement
 *        of an unknown statement       1         1     nothing
 *      prepare                         0         1     Com_stmt_prepare; errors too
 *      close                           0         1     Com_stmt_close
 *      reset                           0         1     Com_stmt_reset
 *      send_long_data                  1         1     Com_stmt_send_long_data
 *      fetch                           1         1     Com_stmt_fetch
 *      init_db                         1         1     Com_change_db; errors too
 *      field_list                      1         1     Com_show_fields
 *      process_info                    1         1     Com_show_processlist
 *      process_kill                    1         1     Com_kill
 *      set_option                      1         1     Com_set_option, as SET does
 *      change_user, reset_connection   1         1     Com_admin_commands
 *      binlog_dump                     1         1     Com_admin_commands
 *      quit                            1         1
 *      ping                            0         0     Com_admin_commands
 *      statistics                      0         0     Com_show_status, as SHOW STATUS does
 *      cut off before its end          0         0     Aborted_clients
 *
 * A command sent whole counts, whether its reply is read, it is killed or its connection is closed.
 */
#include "test/tools/mysql_compare.h"
#include "test/tools/mysql_cpu.h"
#include "test/tools/mysql_kind.h"

#include <argp.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KINDS_MAX 64
#define CONNECTIONS_MAX 500
#define SETTLE_POLLS 3000		/* times the server is looked at, 10 ms apart, until it is alone with us */

struct load {
	struct mysql_address address;
	__u64 n_commands, seed;
	unsigned n_connections;
	unsigned weight[KINDS_MAX];
	enum channel channel;
	int plain;			/* no connection hides its bytes */
	int check, pid;
	double cpu_seconds;
	const char *compare, *with;	/* files, instead of a load */
	__u64 n_failed;			/* sessions; atomic */
};

struct worker {
	struct load *load;
	pthread_t thread;
	unsigned id;
	struct tally tally;
};

/* --- one connection's work -------------------------------------------------------------------- */

static unsigned choose_kind(const struct load *l, struct session *s, unsigned total)
{
	unsigned at = session_random(s, total), kind = 0;

	/* `once` kinds are work_once()'s */
	while (kinds[kind].once || at >= l->weight[kind]) {
		at -= kinds[kind].once ? 0 : l->weight[kind];
		kind++;
	}
	return kind;
}

static unsigned total_weight(const struct load *l)
{
	unsigned total = 0;

	for (unsigned kind = 0; kind < n_kinds; kind++)
		total += kinds[kind].once ? 0 : l->weight[kind];
	return total;
}

/* Kinds that must run once are not left to chance: the first session begins with them. */
static int work_once(struct load *l, struct session *s)
{
	int err = 0;

	for (unsigned kind = 0; !err && kind < n_kinds; kind++)
		if (kinds[kind].once && l->weight[kind])
			err = kinds[kind].run(s);
	return err;
}

static int work(struct load *l, struct session *s)
{
	unsigned total = total_weight(l);
	__u64 share = l->n_commands / l->n_connections + (s->id < l->n_commands % l->n_connections);
	int err = s->id == 0 ? work_once(l, s) : 0;

	while (!err && total && mysql_tally_commands(s->tally) < share)
		err = kinds[choose_kind(l, s, total)].run(s);
	return err;
}

static void *worker_run(void *arg)
{
	struct worker *w = arg;
	struct load *l = w->load;
	struct session s, of = { .address = &l->address, .tally = &w->tally, .id = w->id,
				 .random = l->seed + (__u64)w->id * 0x632be59bd9b4e019ull };
	int err = session_open(&s, &of, l->channel, LOAD_DB);

	if (!err)
		err = work(l, &s);
	if (!err)
		err = session_quit(&s);
	if (err) {
		fprintf(stderr, "mysql_load: connection %u ended: %s\n", w->id, strerror(-err));
		session_drop(&s);
		__atomic_add_fetch(&l->n_failed, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static int run_workers(struct load *l, struct tally *ret_tally)
{
	struct worker *worker = calloc(l->n_connections, sizeof(*worker));
	unsigned n = 0;
	int err = worker ? 0 : -ENOMEM;

	for (; !err && n < l->n_connections; n++) {
		worker[n].load = l;
		worker[n].id = n;
		err = -pthread_create(&worker[n].thread, NULL, worker_run, &worker[n]);
		if (err)
			break;
	}
	for (unsigned i = 0; i < n; i++) {
		pthread_join(worker[i].thread, NULL);
		mysql_tally_add(ret_tally, &worker[i].tally);
	}
	free(worker);
	return err ? err : l->n_failed ? -ECANCELED : 0;
}

/* --- the server's own counters ----------------------------------------------------------------- */

static void take_status(void *arg, const char *name, const char *value)
{
	if (*value >= '0' && *value <= '9')
		json_object_set_new(arg, name, json_integer(strtoll(value, NULL, 10)));
}

static int read_status(struct session *control, json_t *status)
{
	return session_pairs(control, STATEMENT_SHOW, "show global status where variable_name in "
			     "('Queries', 'Questions', 'Threads_connected', 'Aborted_clients', 'Aborted_connects', "
			     "'Slow_queries', 'Connections') or variable_name like 'Com\\_%'", take_status, status);
}

static __s64 status_value(const json_t *status, const char *name)
{
	return json_integer_value(json_object_get(status, name));
}

/* Abandoned statements go on in the server, and a connection adds to the global counters for good
 * when it ends: the counters are final when no connection but ours is left. */
static int settle(struct session *control, json_t *status)
{
	int err = 0;

	for (int n = 0; !err && n < SETTLE_POLLS; n++) {
		err = read_status(control, status);
		if (status_value(status, "Threads_connected") == 1)
			return err;
		usleep(10000);
	}
	if (!err)
		fprintf(stderr, "mysql_load: --check: the server has other clients\n");
	return err ? err : -EBUSY;
}

static json_t *grown(json_t *before, json_t *after)
{
	json_t *object = json_object(), *value;
	const char *name;

	json_object_foreach(after, name, value) {
		json_int_t by = json_integer_value(value) - status_value(before, name);

		if (by)
			json_object_set_new(object, name, json_integer(by));
	}
	return object;
}

/* Two of the control connection's commands are not in what grew between the readings: the first
 * reading's own query was counted before it, the quit comes after the last.  Both are Questions
 * and Queries and nothing else. */
#define OUTSIDE_THE_READINGS 2

static int check_variable(json_t *server, const char *name, __u64 expected)
{
	__u64 counted = status_value(server, name);

	if (!strncmp(name, "Que", 3))
		counted += OUTSIDE_THE_READINGS;
	if (counted == expected)
		return 0;
	fprintf(stderr, "mysql_load: %s: the server counted %llu, expected %llu: %+lld\n", name, counted, expected,
		(long long)(counted - expected));
	return -EBADE;
}

static int check_variables(const struct tally *t, json_t *server)
{
	int err = check_variable(server, "Questions", mysql_tally_questions(t)), wrong;
	const char *name;
	__u64 expected;

	json_object_set_new(server, "questions",
			    json_integer(status_value(server, "Questions") + OUTSIDE_THE_READINGS));
	for (unsigned i = 0; mysql_tally_variable(t, i, &name, &expected); i++) {
		wrong = check_variable(server, name, expected);
		err = err ? err : wrong;
	}
	return err;
}

/* --- a run ------------------------------------------------------------------------------------ */

/* Kinds the server cannot do are left out of the mix. */
static void leave_out(struct load *l, __u64 capabilities)
{
	for (unsigned kind = 0; kind < n_kinds; kind++)
		if (kinds[kind].needs & ~capabilities)
			l->weight[kind] = 0;
	for (unsigned kind = 0; l->plain && kind < n_kinds; kind++)
		if (kinds[kind].needs & (MYSQL_CAP_COMPRESS | MYSQL_CAP_SSL))
			l->weight[kind] = 0;
}

static void print_json(json_t *object)
{
	json_dumpf(object, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(object);
}

static int run_load(struct load *l, struct session *control, json_t **ret_server)
{
	json_t *before = json_object(), *after = json_object();
	int err = l->check ? read_status(control, before) : 0;

	leave_out(l, control->m.greeting.capabilities);
	if (!err)
		err = kind_prepare(control, l->n_connections);
	if (!err)
		err = run_workers(l, control->tally);
	if (!err && l->check)
		err = settle(control, after);
	if (!err && l->check)
		*ret_server = grown(before, after);
	json_decref(before);
	json_decref(after);
	return err;
}

static int load(struct load *l)
{
	struct tally *tally = calloc(1, sizeof(*tally));
	struct session control = { 0 }, of = { .address = &l->address, .tally = tally, .random = l->seed };
	json_t *server = NULL, *object;
	int err = tally ? session_open(&control, &of, CHANNEL_PLAIN, NULL) : -ENOMEM;

	if (!err)
		err = run_load(l, &control, &server);
	if (!err)
		err = session_quit(&control);
	session_drop(&control);
	if (!err) {
		object = mysql_tally_to_json(tally);
		json_object_set_new(object, "seed", json_integer(l->seed));
		if (server) {
			err = check_variables(tally, server);
			json_object_set(object, "server", server);
		}
		print_json(object);
	}
	json_decref(server);
	free(tally);
	return err;
}

static int measure_cpu(struct load *l)
{
	struct tally *tally = calloc(1, sizeof(*tally));
	struct session s = { 0 }, of = { .address = &l->address, .tally = tally };
	struct cpu_use use;
	json_t *object;
	int err = tally ? session_open(&s, &of, l->channel, NULL) : -ENOMEM;

	if (!err)
		err = cpu_measure(&s, l->pid, l->cpu_seconds, &use);
	if (!err)
		err = session_quit(&s);
	session_drop(&s);
	if (err) {
		fprintf(stderr, "mysql_load: --cpu-bound: %s\n", strerror(-err));
	} else {
		object = mysql_tally_to_json(tally);
		json_object_set_new(object, "cpu", json_pack("{s:i,s:i,s:I,s:I,s:I,s:I}",
			"pid", use.pid, "tid", use.tid, "run_ns", (json_int_t)use.run_ns, "wait_ns", (json_int_t)use.wait_ns,
			"elapsed_ns", (json_int_t)use.elapsed_ns, "loops", (json_int_t)use.n_loops));
		print_json(object);
	}
	free(tally);
	return err;
}

/* --- the command line ------------------------------------------------------------------------- */

/* "ping=3,multi,text=90": only these; a name alone weighs 1. */
static int parse_mix(struct load *l, const char *mix)
{
	char *copy = strdup(mix), *at = copy, *item;
	int err = copy ? 0 : -ENOMEM;

	memset(l->weight, 0, sizeof(l->weight));
	while (!err && (item = strsep(&at, ","))) {
		char *weight = strchr(item, '='), *end = "";
		unsigned kind = 0;
		unsigned long value = 1;

		if (weight) {
			*weight++ = 0;
			value = strtoul(weight, &end, 10);
		}
		while (kind < n_kinds && strcmp(kinds[kind].name, item))
			kind++;
		if (kind == n_kinds || *end || value > 1000000)
			err = -EINVAL;
		else
			l->weight[kind] = value;
	}
	free(copy);
	return err;
}

static void list_kinds(void)
{
	for (unsigned kind = 0; kind < n_kinds; kind++)
		printf("%-16s %6u%s  %s\n", kinds[kind].name, kinds[kind].weight, kinds[kind].once ? " once" : "     ",
		       kinds[kind].help);
}

enum { OPT_SOCKET = 256, OPT_HOST, OPT_PORT, OPT_STATEMENTS, OPT_CONNECTIONS, OPT_MIX, OPT_KINDS, OPT_SEED,
       OPT_JSON, OPT_CHECK, OPT_TLS, OPT_PLAIN, OPT_COMPRESS, OPT_CPU, OPT_PID, OPT_COMPARE };

static const struct argp_option options[] = {
	{ "socket", OPT_SOCKET, "PATH", 0, "the server's Unix socket", 0 },
	{ "host", OPT_HOST, "ADDRESS", 0, "its IPv4 address (127.0.0.1)", 0 },
	{ "port", OPT_PORT, "N", 0, "its port (3306)", 0 },
	{ "statements", OPT_STATEMENTS, "N", 0, "send at least N commands (1000)", 0 },
	{ "connections", OPT_CONNECTIONS, "N", 0, "over N connections at once (4)", 0 },
	{ "mix", OPT_MIX, "KIND=WEIGHT,...", 0, "of these kinds only", 0 },
	{ "kinds", OPT_KINDS, NULL, 0, "list the kinds with their usual weights", 0 },
	{ "seed", OPT_SEED, "N", 0, "the same seed sends the same (1)", 0 },
	{ "tls", OPT_TLS, NULL, 0, "all connections with TLS", 0 },
	{ "plain", OPT_PLAIN, NULL, 0, "no connection with TLS or the compressed protocol", 0 },
	{ "compress", OPT_COMPRESS, NULL, 0, "all connections with the compressed protocol", 0 },
	{ "check", OPT_CHECK, NULL, 0, "compare with the server's Questions; it must have no other clients", 0 },
	{ "json", OPT_JSON, NULL, 0, "print the counts as JSON, which is done anyway", 0 },
	{ "cpu-bound", OPT_CPU, "SECONDS", 0, "instead, compute that long in the server, print its thread's time", 0 },
	{ "pid", OPT_PID, "PID", 0, "the server's process, for --cpu-bound over TCP", 0 },
	{ "compare", OPT_COMPARE, "COLLECTOR.json", 0, "instead, hold a collector's counts against LOAD.json", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct load *l = state->input;

	switch (key) {
	case OPT_SOCKET: l->address.socket = arg; break;
	case OPT_HOST: l->address.host = arg; break;
	case OPT_PORT: l->address.port = atoi(arg); break;
	case OPT_STATEMENTS: l->n_commands = strtoull(arg, NULL, 10); break;
	case OPT_CONNECTIONS: l->n_connections = atoi(arg); break;
	case OPT_SEED: l->seed = strtoull(arg, NULL, 10); break;
	case OPT_TLS: l->channel = CHANNEL_TLS; break;
	case OPT_PLAIN: l->plain = 1; break;
	case OPT_COMPRESS: l->channel = CHANNEL_COMPRESSED; break;
	case OPT_CHECK: l->check = 1; break;
	case OPT_JSON: break;
	case OPT_CPU: l->cpu_seconds = atof(arg); break;
	case OPT_PID: l->pid = atoi(arg); break;
	case OPT_MIX:
		if (parse_mix(l, arg))
			argp_error(state, "--mix: \"%s\" names no kind, see --kinds", arg);
		break;
	case OPT_KINDS:
		list_kinds();
		exit(0);
	case OPT_COMPARE: l->compare = arg; break;
	case ARGP_KEY_ARG:
		if (!l->compare || l->with)
			argp_error(state, "\"%s\" is one argument too many", arg);
		l->with = arg;
		break;
	case ARGP_KEY_END:
		if (l->compare && !l->with)
			argp_error(state, "--compare needs LOAD.json, what a load has printed");
		if (l->n_connections < 1 || l->n_connections > CONNECTIONS_MAX)
			argp_error(state, "--connections: 1 to %d", CONNECTIONS_MAX);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct argp argp = { options, parse_option, "[LOAD.json]",
		"Sends a MariaDB server a known mix of commands and prints exactly what it has sent.", 0, 0, 0 };
	struct load l = { .address = { .host = "127.0.0.1", .port = 3306 },
			  .n_commands = 1000, .n_connections = 4, .seed = 1 };

	for (unsigned kind = 0; kind < n_kinds; kind++)
		l.weight[kind] = kinds[kind].weight;
	signal(SIGPIPE, SIG_IGN);
	argp_parse(&argp, argc, argv, 0, NULL, &l);
	if (l.compare)
		return mysql_compare_files(l.compare, l.with, stdout) ? 1 : 0;
	return (l.cpu_seconds > 0 ? measure_cpu(&l) : load(&l)) ? 1 : 0;
}
