/* bpf_mysql - a smoke test of mysql.queries with a real MariaDB server of the test's own.
 *
 * Starts a private server (own folder, socket, port), drives it with the `mariadb` client, and
 * checks: every packet is exactly one event of the right command and statement; the parts add up
 * to the latency in every slice.  Needs root and BTF; skipped (77) without, and for nothing else.
 *
 *      bpf_mysql --bench N         N statements, and the cost of an event
 *      bpf_mysql --watch COMMAND   the effects of a command on the server; %s in it is the server's folder
 */
#include "test/kit/child_fork.h"
#include "collector/probe/probe.h"
#include "collector/tracers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int n_tests, n_failed;

static void ok(int holds, const char *format, ...)
{
	va_list args;

	printf("%s %d - ", holds ? "ok" : "not ok", ++n_tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	n_failed += !holds;
}

static __s64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void sleep_until(__s64 wall_ns)
{
	struct timespec t = { wall_ns / 1000000000, wall_ns % 1000000000 };

	clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
}

/* ---- the server ---- */

static char dir[64];
static pid_t server;
static int port;

static int run(const char *format, ...)
{
	char command[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return system(command);
}

/* Starts it at `port`.  -EADDRINUSE: it ended, which it does where another program has the port. */
static int server_try(const char *option)
{
	char socket[128], datadir[128], sock_arg[160], port_arg[32], log_arg[160], cert_arg[128], key_arg[128];
	int i;

	snprintf(socket, sizeof(socket), "%s/s", dir);
	snprintf(datadir, sizeof(datadir), "--datadir=%s/data", dir);
	snprintf(sock_arg, sizeof(sock_arg), "--socket=%s", socket);
	snprintf(port_arg, sizeof(port_arg), "--port=%d", port);
	snprintf(log_arg, sizeof(log_arg), "--log-error=%s/log", dir);
	snprintf(cert_arg, sizeof(cert_arg), "--ssl-cert=%s/cert.pem", dir);
	snprintf(key_arg, sizeof(key_arg), "--ssl-key=%s/key.pem", dir);
	server = child_fork();
	if (!server) {
		execlp("mariadbd", "mariadbd", "--no-defaults", "--user=root", "--skip-grant-tables", datadir, sock_arg,
		       port_arg, log_arg, "--bind-address=127.0.0.1", "--innodb-buffer-pool-size=16M",
		       "--local-infile=1", "--max-allowed-packet=64M", cert_arg, key_arg, option, NULL);
		_exit(127);
	}
	for (i = 0; i < 300; i++) {
		if (waitpid(server, NULL, WNOHANG) == server) {
			server = 0;
			return -EADDRINUSE;
		}
		if (!run("mariadb --no-defaults --skip-ssl -h 127.0.0.1 -P %d -e 'do 1' >/dev/null 2>&1", port))
			return 0;
		usleep(100000);
	}
	return -ETIMEDOUT;
}

static int server_start(const char *option)
{
	int err = -EADDRINUSE;

	for (int i = 0; i < 5 && err == -EADDRINUSE; i++) {
		port = 20000 + (getpid() + i * 1997) % 12000;	/* below those of outgoing connections */
		err = server_try(option);
	}
	return err;
}

static void server_stop(void)
{
	if (server <= 0)
		return;
	kill(server, SIGTERM);
	waitpid(server, NULL, 0);
	server = 0;
}

/* ---- the events that the probe sees ---- */

struct seen {
	char command[32], statement[32];
	__u64 n, sum[MEASURES_MAX];
};

static struct seen seen[256];
static char seen_instance[LABEL_MAX + 1];	/* of the latest slice */
static int n_seen, n_batches, n_wrong_sums;
static __s64 next_slot;			/* the next slot; every slot comes once */
static int n_wrong_slots;
static __u64 n_lost;
static __u32 next_seq;

static struct seen *seen_find(const char *command, const char *statement)
{
	int i;

	for (i = 0; i < n_seen; i++)
		if (!strcmp(seen[i].command, command) && !strcmp(seen[i].statement, statement))
			return &seen[i];
	if (n_seen == 255)
		return &seen[255];
	snprintf(seen[n_seen].command, sizeof(seen->command), "%.31s", command);
	snprintf(seen[n_seen].statement, sizeof(seen->statement), "%.31s", statement);
	return &seen[n_seen++];
}

static __u64 seen_n(const char *command, const char *statement)
{
	__u64 n = 0;
	int i;

	for (i = 0; i < n_seen; i++)
		if (!strcmp(seen[i].command, command) && (!statement || !strcmp(seen[i].statement, statement)))
			n += seen[i].n;
	return n;
}

static void slice_take(const struct slice *s)
{
	char pid[LABEL_MAX + 1], command[LABEL_MAX + 1], statement[LABEL_MAX + 1];
	struct hist_reader r;
	struct seen *at;

	labels_text(&s->key, 0, pid);
	labels_text(&s->key, 1, command);
	labels_text(&s->key, 2, statement);
	if (atoi(pid) != server)
		return;			/* another server on this machine */
	labels_text(&s->key, 3, seen_instance);
	at = seen_find(command, statement);
	if (hist_reader_open(&r, s->ruler, s->hist, s->hist_len))
		return;
	if (!s->axis)
		at->n += r.count;
	at->sum[s->axis] += r.sum;
}

/* axes: latency cputime runqwait blocked unsplit offcpu, in each batch one slice of each per key */
static void sums_check(const struct batch *b)
{
	__u64 sum[6], n[6];
	size_t i, k;

	for (i = 0; i + 6 <= b->n_slices; i += 6) {
		for (k = 0; k < 6; k++) {
			struct hist_reader r = { 0 };

			hist_reader_open(&r, b->slice[i + k].ruler, b->slice[i + k].hist, b->slice[i + k].hist_len);
			sum[b->slice[i + k].axis] = r.sum;
			n[b->slice[i + k].axis] = r.count;
		}
		if (sum[0] != sum[1] + sum[2] + sum[3] + sum[4] || sum[5] != sum[2] + sum[3] || n[0] != n[5])
			n_wrong_sums++;
	}
	n_wrong_sums += b->n_slices % 6 != 0;
}

/* A second instrumentation: 100 ms slots, by process. */
static __u64 n_second, n_second_slots;

static void second_take(const struct batch *b)
{
	char pid[LABEL_MAX + 1];
	struct hist_reader r;
	size_t i;

	n_second_slots += b->run;
	for (i = 0; i < b->n_slices; i++) {
		labels_text(&b->slice[i].key, 0, pid);
		if (atoi(pid) == server &&
		    !hist_reader_open(&r, b->slice[i].ruler, b->slice[i].hist, b->slice[i].hist_len))
			n_second += r.count;
	}
}

static void batch_take(void *arg, const struct batch *b)
{
	size_t i;

	if (b->inst == 2) {
		second_take(b);
		return;
	}
	n_batches++;
	n_lost += b->loss.n;
	if (b->seq != next_seq++)
		n_wrong_slots++;
	if (b->slot == next_slot || !next_slot)
		next_slot = b->slot + b->run;
	else if (b->slot > next_slot)
		n_wrong_slots++;
	sums_check(b);
	for (i = 0; i < b->n_slices; i++)
		slice_take(&b->slice[i]);
}

static const struct batch_sink sink = { batch_take, NULL };
static void *probe;
static __s64 drained_ns;

/* Waits until the current slot has ended, and drains it. */
static void drain(void)
{
	__s64 end = (now_ns() / 1000000000 + 1) * 1000000000 + 20000000;

	sleep_until(end);
	drained_ns = now_ns();
	kernel_probe.drain(probe, drained_ns, &sink);
}

/* Drains until so many were seen, or 20 times.  A server may read the last command of a connection, its quit, long after
 * the client has ended. */
static void drain_until(const char *command, const char *statement, __u64 n)
{
	int left = 20;

	do
		drain();
	while (seen_n(command, statement) < n && --left);
}

static void seen_clear(void)
{
	memset(seen, 0, sizeof(seen));
	n_seen = 0;
}

static void seen_print(void)
{
	int i;

	for (i = 0; i < n_seen; i++)
		printf("#   %-12s %-10s %8llu  mean %10.0f ns: cpu %.0f runq %.0f blocked %.0f unsplit %.0f\n",
		       seen[i].command, seen[i].statement, (unsigned long long)seen[i].n,
		       (double)seen[i].sum[0] / seen[i].n, (double)seen[i].sum[1] / seen[i].n,
		       (double)seen[i].sum[2] / seen[i].n, (double)seen[i].sum[3] / seen[i].n,
		       (double)seen[i].sum[4] / seen[i].n);
}

static int client_by(const char *how, const char *sql)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/sql", dir);
	f = fopen(path, "w");
	if (!f)
		return -1;
	fputs(sql, f);
	fclose(f);
	return run("mariadb --no-defaults --skip-ssl -f %s < %s >/dev/null 2>&1", how, path);
}

static int client(const char *sql)
{
	char how[128];

	snprintf(how, sizeof(how), "-S %s/s", dir);
	return client_by(how, sql);
}

/* Waits until a client has written its first answer, a 1, to a file. */
static void until_answered(const char *file)
{
	for (int i = 0; i < 600 && run("grep -qsx 1 %s/%s", dir, file); i++)
		usleep(100000);
}

static int probe_start(void)
{
	static const char *const fields[] = { "pid", "command", "statement", "instance" };
	static const char *const measures[] = { "latency", "cputime", "runqwait", "blocked", "unsplit", "offcpu" };
	struct probe_conf conf = { .tracers = tracers, .source = "test", .incarnation = 1, .memory_limit = 128000000 };
	struct instrumentation in = { .id = 1, .n_fields = 4, .n_measures = 6, .granularity_ns = 1000000000,
				      .slot_ns = 1000000000, .ruler_bits = 3, .n_keys = 400, .n_slots = 12 };	/* other servers take keys too */
	char reason[REASON_MAX] = "";
	const struct metric *metric;
	size_t n, i;
	int err;

	for (i = 0; i < in.n_fields; i++)
		strcpy(in.field[i], fields[i]);
	for (i = 0; i < 6; i++)
		strcpy(in.measure[i], measures[i]);
	if (kernel_probe.open(&conf, &probe, reason))
		return -1;
	metric = kernel_probe.metrics(probe, &n);
	strcpy(in.module, metric->module);
	strcpy(in.stat, metric->stat);
	err = instrumentation_bind(&in, metric, reason);
	if (!err)
		err = kernel_probe.enable(probe, &in, now_ns(), reason);
	ok(!err, "mysql.queries is enabled%s%s", err ? ": " : "", reason);
	sleep_until((now_ns() / 1000000000 + 1) * 1000000000);
	return err;
}

/* ---- the cases ---- */

static void counts_text_statements(void)
{
	char sql[4000] = "";
	int i;

	for (i = 0; i < 20; i++)
		strcat(sql, "select 1;\n");
	strcat(sql, "create database d; use d; create table t (a int);\n");
	for (i = 0; i < 5; i++)
		strcat(sql, "insert into t values (1);\n");
	strcat(sql, "select sleep(0.1);\n/* c */ update t set a = 2;\nset @x = 1;\n");
	client(sql);
	drain_until("quit", NULL, 1);
	seen_print();
	/* with one more of the client's own: `use` asks for database() first */
	ok(seen_n("query", "select") == 22, "22 selects: %llu", (unsigned long long)seen_n("query", "select"));
	ok(seen_n("query", "insert") == 5, "5 inserts");
	ok(seen_n("query", "create") == 2, "2 creates");
	ok(seen_n("query", "update") == 1, "1 update after a comment");
	ok(seen_n("init_db", "none") == 1, "use is an init_db without statement");
	ok(seen_n("quit", "none") == 1, "quit is an event");
	ok(!seen_n("query", "unknown"), "no statement is unknown");
	seen_clear();
}

static void counts_tcp_connections(void)
{
	char how[64];

	char where[64];

	snprintf(how, sizeof(how), "-h 127.0.0.1 -P %d", port);
	client_by(how, "select 1;\nselect 2;\nselect no_such_column;\n");
	drain_until("quit", NULL, 1);
	seen_print();
	snprintf(where, sizeof(where), "127.0.0.1:%d", port);
	ok(!strcmp(seen_instance, where), "the instance is %s: %s", where, seen_instance);
	ok(seen_n("query", "select") == 3, "3 selects by TCP, one refused");
	ok(seen_n("quit", NULL) == 1, "one quit");
	seen_clear();
}

static void large_result_is_one_event(void)
{
	client("select repeat('x', 1000) from d.seq_1_to_20000;\n");
	drain_until("quit", NULL, 1);
	seen_print();
	ok(seen_n("query", "select") == 1, "a result of 20 MB is one event");
	seen_clear();
}

static void local_infile_is_one_event(void)
{
	char sql[256];

	run("seq 1 300000 > %s/rows", dir);
	snprintf(sql, sizeof(sql), "create or replace table d.l (a int) engine=memory;\n"
		 "load data local infile '%s/rows' into table d.l;\nselect count(*) from d.l;\n", dir);
	client(sql);
	drain_until("quit", NULL, 1);
	seen_print();
	ok(seen_n("query", "load") == 1, "load data local is one event, whatever its packets' numbers");
	ok(seen_n("query", "create") == 1 && seen_n("query", "select") == 1, "and its neighbours are");
	ok(seen_n("query", NULL) == 3, "no other query");
	seen_clear();
}

static void procedures_and_prepare_in_sql(void)
{
	client("prepare s from 'select 1';\nexecute s;\ndeallocate prepare s;\n"
	       "begin not atomic select 1; select 2; select 3; end;\n");
	drain_until("quit", NULL, 1);
	seen_print();
	ok(seen_n("query", "prepare") == 1 && seen_n("query", "execute") == 1 && seen_n("query", "deallocate") >= 1,
	   "the SQL statements prepare, execute, deallocate");
	seen_clear();
}

static void killed_query_is_one_event(void)
{
	char kill_sql[] = "select id into @k from information_schema.processlist where info like 'select sleep%';\nkill @k;\n";
	int i;

	run("mariadb --no-defaults --skip-ssl -S %s/s -e 'select sleep(30)' >/dev/null 2>&1 &", dir);
	for (i = 0; i < 50; i++) {
		usleep(100000);
		if (!run("mariadb --no-defaults --skip-ssl -S %s/s -N -e 'show processlist' | grep -q sleep.30", dir))
			break;
	}
	drain();
	seen_clear();
	client(kill_sql);
	drain_until("query", "select", 2);
	seen_print();
	ok(seen_n("query", "select") == 2, "a killed query is an event: %llu", (unsigned long long)seen_n("query", "select"));
	seen_clear();
}

static void encrypted_turns(void)
{
	char how[128];

	snprintf(how, sizeof(how), "-S %s/s --ssl", dir);
	client_by(how, "select 1;\nselect 2;\nselect 3;\n");
	drain_until("query", "select", 3);
	seen_print();
	ok(seen_n("query", "select") >= 3, "TLS: its queries are read in the server's memory");
	ok(!seen_n("encrypted", NULL), "TLS: handshake and login are no events");
	seen_clear();
}

static void compressed_turns(void)
{
	char how[128];

	snprintf(how, sizeof(how), "-S %s/s --compress", dir);
	client_by(how, "select 1;\nselect 2;\nselect 3;\n");
	drain_until("query", "select", 3);
	seen_print();
	ok(seen_n("query", "select") == 3, "CLIENT_COMPRESS: 3 commands");
	seen_clear();
}

/* The pool ends an event by its reply alone: no receive follows until the client asks again. */
static void counts_in_a_thread_pool(void)
{
	server_stop();
	ok(!server_start("--thread-handling=pool-of-threads"), "a server with a thread pool runs");
	drain();
	seen_clear();
	run("(echo 'select 1; select sleep(0.01); do 1;'; sleep 3) | mariadb --no-defaults --skip-ssl -n -S %s/s >/dev/null 2>&1 &", dir);
	drain_until("query", "do", 1);
	seen_print();
	ok(seen_n("query", "select") == 2 && seen_n("query", "do") == 1, "the last statement of an idle connection is counted");
	seen_clear();
}

/* With compression the reply's end cannot be seen, and a pool does not read again: so the age flush ends the event. */
static void idle_connection_is_flushed(void)
{
	__s64 begun = now_ns();

	run("(echo 'select 1;'; while [ -d %s -a ! -e %s/flushed ]; do sleep 0.1; done) | mariadb --no-defaults --skip-ssl --compress -nNB "
	    "-S %s/s >%s/idle 2>&1 &", dir, dir, dir, dir);
	until_answered("idle");
	drain();
	ok(seen_n("query", "select") == 0 || drained_ns - begun > 5000000000ll, "pending until its end is known");
	drain_until("query", "select", 1);
	run("touch %s/flushed", dir);
	seen_print();
	ok(seen_n("query", "select") == 1, "an idle connection's last event is flushed, into its own slot");
	seen_clear();
}

/* Only its length marks the end of an abstract name. */
static void abstract_socket_is_its_name(void)
{
	char name[64], option[80], how[80];

	snprintf(name, sizeof(name), "@heatscope-%d", getpid());
	snprintf(option, sizeof(option), "--socket=%s", name);
	snprintf(how, sizeof(how), "-S %s", name);
	server_stop();
	ok(!server_start(option), "a server on an abstract socket runs");
	drain();
	seen_clear();
	client_by(how, "select 1;\n");
	drain_until("query", "select", 1);
	ok(seen_n("query", "select") == 1, "its query is seen: %llu", (unsigned long long)seen_n("query", "select"));
	ok(!strcmp(seen_instance, name), "the instance is %s: %s", name, seen_instance);
	seen_clear();
}

static void two_instrumentations_see_the_same(void)
{
	struct instrumentation in = { .id = 2, .n_fields = 1, .n_measures = 1, .granularity_ns = 100000000,
				      .slot_ns = 100000000, .ruler_bits = 0, .n_keys = 8, .n_slots = 120 };
	char reason[REASON_MAX] = "";
	const struct metric *metric;
	__s64 asked_ns = now_ns(), enabled_ns, passed;
	size_t n;
	int err;

	strcpy(in.field[0], "pid");
	strcpy(in.measure[0], "latency");
	metric = kernel_probe.metrics(probe, &n);
	strcpy(in.module, metric->module);
	strcpy(in.stat, metric->stat);
	err = instrumentation_bind(&in, metric, reason);
	if (!err)
		err = kernel_probe.enable(probe, &in, now_ns(), reason);
	enabled_ns = now_ns();
	ok(!err, "a second instrumentation is enabled%s%s", err ? ": " : "", reason);
	usleep(200000);
	client("do 1;\ndo 2;\ndo 3;\n");
	drain_until("quit", NULL, 1);
	ok(n_second == 4 && seen_n("query", "do") == 3 && seen_n("quit", NULL) == 1, "both see 3 queries and a quit");
	passed = (drained_ns - enabled_ns) / (__s64)in.slot_ns;
	ok((__s64)n_second_slots >= passed - 1 && (__s64)n_second_slots <= (drained_ns - asked_ns) / (__s64)in.slot_ns + 1,
	   "the second one in slots of 100 ms: %llu, of %lld that have passed", (unsigned long long)n_second_slots, (long long)passed);
	kernel_probe.disable(probe, 2);
	seen_clear();
	client("do 1;\n");
	drain_until("quit", NULL, 1);
	ok(n_second == 4 && seen_n("query", "do") == 1, "the first one goes on without the second");
	seen_clear();
}

/* The connection and its first statement are older than the probe. */
static void attaches_in_the_middle(void)
{
	run("touch %s/go", dir);
	drain_until("quit", NULL, 1);
	seen_print();
	ok(seen_n("query", "do") == 2 && seen_n("quit", NULL) == 1, "a connection older than the probe: its next statements");
	seen_clear();
}

static void bench(int n)
{
	int fd = -1, i, at = 0;
	char path[128];
	FILE *f;
	union bpf_attr attr = { .enable_stats.type = BPF_STATS_RUN_TIME };

	fd = syscall(SYS_bpf, BPF_ENABLE_STATS, &attr, sizeof(attr));
	snprintf(path, sizeof(path), "%s/bench", dir);
	f = fopen(path, "w");
	for (i = 0; f && i < n; i++)
		fputs("select 1;\n", f);
	if (f)
		fclose(f);
	seen_clear();
	run("mariadb --no-defaults --skip-ssl -S %s/s < %s >/dev/null", dir, path);
	for (at = 0; at < 2; at++)
		drain();
	seen_print();
	kernel_probe.doctor(probe, stdout);
	ok(seen_n("query", "select") == (__u64)n, "%d selects: %llu", n, (unsigned long long)seen_n("query", "select"));
	close(fd);
}

/* Prints the events that a command of the caller's (with %s for the socket) causes in the server. */
static void watch(const char *command)
{
	seen_clear();
	run(command, dir);
	drain();
	drain();
	seen_print();
}

static void all_cases(void)
{
	attaches_in_the_middle();
	counts_text_statements();
	two_instrumentations_see_the_same();
	counts_tcp_connections();
	large_result_is_one_event();
	local_infile_is_one_event();
	procedures_and_prepare_in_sql();
	killed_query_is_one_event();
	encrypted_turns();
	compressed_turns();
	counts_in_a_thread_pool();
	idle_connection_is_flushed();
	abstract_socket_is_its_name();
}

int main(int argc, char **argv)
{
	int err;

	if (geteuid() || access("/sys/kernel/btf/vmlinux", R_OK)) {
		printf("1..0 # SKIP needs root and BTF\n");
		return 77;
	}
	snprintf(dir, sizeof(dir), "/tmp/heatscope-test-XXXXXX");
	if (!mkdtemp(dir) || setenv("TMPDIR", dir, 1))	/* a new server removes others' temporary files */
		return 99;
	err = run("mariadb-install-db --no-defaults --user=root --auth-root-authentication-method=normal "
		  "--skip-test-db --datadir=%s/data >%s/install 2>&1", dir, dir);
	if (!err)
		err = run("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout %s/key.pem "
			  "-out %s/cert.pem >/dev/null 2>&1", dir, dir);
	ok(!err, "a data directory is made");
	if (!err)
		err = server_start(getenv("SERVER_OPTION") ? getenv("SERVER_OPTION") : "--log-bin=b");
	ok(!err, "a server runs");
	if (!err && argc == 1) {
		run("(echo 'select 1; select sleep(2);'; while [ -d %s -a ! -e %s/go ]; do sleep 0.1; done; echo 'do 1; do 2;') | "
		    "mariadb --no-defaults --skip-ssl -nNB -S %s/s >%s/older 2>&1 &", dir, dir, dir, dir);
		until_answered("older");
	}
	if (!err)
		err = probe_start();
	if (!err && argc == 3 && !strcmp(argv[1], "--bench"))
		bench(atoi(argv[2]));
	else if (!err && argc == 3 && !strcmp(argv[1], "--watch"))
		watch(argv[2]);
	else if (!err)
		all_cases();
	if (probe && !err)
		kernel_probe.doctor(probe, stderr);
	ok(!n_wrong_sums, "the parts add up to the latency in every slice (%d batches)", n_batches);
	ok(!n_wrong_slots, "every slot once, in order");
	ok(!n_lost, "nothing is lost");
	if (probe)
		kernel_probe.close(probe);
	server_stop();
	run("rm -rf %s", dir);
	printf("1..%d\n", n_tests);
	return n_failed ? 1 : 0;
}
