/* bpf_life - compares proc.* and thread.creates with programs whose forks, execs, exits and threads are known.
 *
 * Needs root and BTF; skipped (77) without. */
#include "test/kit/bpf_kit.h"
#include "test/kit/child_kit.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EXECS = 1, FORKS, EXITS, CREATES, TOGETHER };

static void shell(void *script)
{
	child_wait();
	execl("/bin/sh", "sh", "-c", script, NULL);
	_exit(127);
}

/* Thousands of other programs may come and go, but only those of interest fit in the keys. */
#define OF_EITHER(field) "{\"or\": [{\"eq\": [\"" field "\", \"%s\"]}, {\"eq\": [\"" field "\", \"%s\"]}]}"

static void loop_of_a_shell(void)
{
	pid_t pid = child_start(shell, "i=0; while [ $i -lt 50 ]; do /bin/true; i=$((i+1)); done; /bin/false; exit 3");
	const char *sh = child_label(pid), *we = child_label(getpid());

	kit_enable_where(EXECS, "proc.execs", "ppid,execname,psargs", "count", OF_EITHER("ppid"), sh, we);
	kit_enable_where(FORKS, "proc.forks", "pid,execname", "count", "{\"eq\": [\"pid\", \"%s\"]}", sh);
	kit_enable_where(EXITS, "proc.exits", "ppid,execname,status", "count", OF_EITHER("ppid"), sh, we);
	child_go();
	child_end(pid);
	kit_drain();
	ok(kit_n(EXECS, sh, "true", "/bin/true") == 50, "50 execs of true, by their parent");
	ok(kit_n(EXECS, sh) == 51, "and one of false");
	ok(kit_n(EXECS, we, "sh") == 1, "one of the shell, which has its new name by then");
	ok(kit_n(FORKS, sh, "sh") == 51, "51 forks of the shell");
	ok(kit_n(EXITS, sh, "true", "0") == 50, "50 exits of true with status 0");
	ok(kit_n(EXITS, sh, "false", "1") == 1, "false exits with 1");
	ok(kit_n(EXITS, we, "sh", "3") == 1, "the shell exits with 3");
	kit_disable(EXITS);
	kit_disable(FORKS);
	kit_disable(EXECS);
	kit_clear();
}

/* When its program began and when it was about to end, by its own clock. */
static volatile __s64 *lives_from_to;

static void killed(void *arg)
{
	lives_from_to[0] = kit_now_ns();
	child_wait();
	usleep(300000);
	lives_from_to[1] = kit_now_ns();
	kill(getpid(), SIGTERM);
}

static void exit_says_signal_and_life_time(void)
{
	__s64 made, ended, lived, offset, killed_ns;
	pid_t pid;

	lives_from_to = mmap(NULL, 2 * sizeof(*lives_from_to), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	made = kit_now_ns();
	pid = child_start(killed, NULL);
	kit_enable_where(EXITS, "proc.exits", "pid,status", "walltime,subsecond", "{\"eq\": [\"pid\", \"%s\"]}", child_label(pid));
	child_go();
	child_end(pid);
	ended = kit_now_ns();
	killed_ns = lives_from_to[1];
	kit_drain();
	ok(kit_n(EXITS, child_label(pid), "SIGTERM") == 1, "a signal is its name");
	lived = kit_total(EXITS, 0, child_label(pid));
	ok(lived >= killed_ns - lives_from_to[0] && lived <= ended - made, "it lived %.1f ms: by its clock %.1f, by ours %.1f", lived / 1e6,
	   (killed_ns - lives_from_to[0]) / 1e6, (ended - made) / 1e6);
	offset = kit_total(EXITS, 1, child_label(pid));
	ok((offset - killed_ns % KIT_SECOND + KIT_SECOND) % KIT_SECOND <= ended - killed_ns,
	   "and ended %.1f ms into a second: between %.1f and %.1f", offset / 1e6, killed_ns % KIT_SECOND / 1e6,
	   ended % KIT_SECOND / 1e6);
	munmap((void *)lives_from_to, 2 * sizeof(*lives_from_to));
	kit_disable(EXITS);
	kit_clear();
}

static void statuses_can_be_asked_for(void)
{
	pid_t pid = child_start(shell, "/bin/true; /bin/false; sh -c 'exit 42'; sh -c 'kill -9 $$'; kill -PIPE $$");
	const char *sh = child_label(pid), *we = child_label(getpid());

	kit_enable_where(EXITS, "proc.exits", "ppid,status", "count", "{\"or\": [{\"eq\": [\"status\", \"42\"]}, "
			 "{\"eq\": [\"status\", \"SIGKILL\"]}, {\"eq\": [\"status\", \"SIGPIPE\"]}]}");
	child_go();
	child_end(pid);
	kit_drain();
	ok(kit_n(EXITS, sh, "42") == 1 && kit_n(EXITS, sh, "SIGKILL") == 1 && kit_n(EXITS, we, "SIGPIPE") == 1,
	   "exits with 42 and by two signals");
	ok(kit_n(EXITS, sh) == 2, "and no others");
	kit_disable(EXITS);
	kit_clear();
}

#define N_THREADS 40

static pthread_barrier_t together;

/* Ends only the thread: in the last thread, libc's function would call exit(), where a leak checker forks. */
static void *end_of_thread(void)
{
	syscall(SYS_exit, 0);
	return NULL;
}

static void *thread(void *arg)
{
	pthread_barrier_wait(&together);
	return end_of_thread();
}

/* All end at the same time, the first one among them. */
static void threads(void *arg)
{
	pthread_t id[N_THREADS];
	int i;

	pthread_barrier_init(&together, NULL, N_THREADS + 1);
	child_wait();
	for (i = 0; i < N_THREADS; i++)
		pthread_create(&id[i], NULL, thread, NULL);
	pthread_barrier_wait(&together);
	end_of_thread();
}

static void threads_of_a_program(void)
{
	static const char ours[] = "{\"eq\": [\"execname\", \"bpf_life\"]}";
	int i, n = 0, n_forks = 0, n_ends = 0;

	kit_enable_where(CREATES, "thread.creates", "pid,execname", "count", ours);
	kit_enable_where(FORKS, "proc.forks", "pid", "count", ours);
	kit_enable_where(EXITS, "proc.exits", "pid", "count", ours);
	for (i = 0; i < 10; i++) {
		pid_t pid = child_start(threads, NULL);

		child_go();
		child_end(pid);
		kit_drain();
		n += kit_n(CREATES, child_label(pid)) == N_THREADS;
		n_forks += kit_n(FORKS, child_label(pid));
		n_ends += kit_n(EXITS, child_label(pid)) == 1;
	}
	ok(n == 10, "%d threads, each time", N_THREADS);
	ok(!n_forks, "which are no forks");
	ok(n_ends == 10, "and end as one process");
	kit_disable(EXITS);
	kit_disable(FORKS);
	kit_disable(CREATES);
	kit_clear();
}

#define N_TOGETHER 7			/* more than have a jump of their own (chain.bpf.h) */
#define N_EXITS 20
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/* How many of the instrumentations have counted each exit since the last call. */
static int have_counted(const char *sh)
{
	int i, n = 0;

	kit_drain();
	for (i = 0; i < N_TOGETHER; i++)
		n += kit_n(TOGETHER + i, sh, "3") == N_EXITS;
	kit_clear();
	return n;
}

/* Each program calls the next one that is present. */
static void many_instrumentations_count_the_same(void)
{
	static const char script[] = "i=0; while [ $i -lt " TEXT(N_EXITS) " ]; do (exit 3); i=$((i+1)); done";
	static const int goes[] = { 0, 3, 4, 6 };
	pid_t pid = child_start(shell, (void *)script);
	const char *sh = child_label(pid);
	size_t i;

	for (i = 0; i < N_TOGETHER; i++)
		kit_enable_where(TOGETHER + i, "proc.exits", "ppid,status", "count", "{\"eq\": [\"status\", \"3\"]}");
	child_go();
	child_end(pid);
	ok(have_counted(sh) == N_TOGETHER, "%d instrumentations count the same %d exits", N_TOGETHER, N_EXITS);
	for (i = 0; i < sizeof(goes) / sizeof(*goes); i++) {
		int n;

		kit_disable(TOGETHER + goes[i]);
		pid = child_start(shell, (void *)script);
		sh = child_label(pid);
		child_go();
		child_end(pid);
		n = have_counted(sh);
		ok(n == N_TOGETHER - 1 - (int)i, "without number %d: %d of them", goes[i], n);
	}
	kit_disable(TOGETHER + 1);
	kit_disable(TOGETHER + 2);
	kit_disable(TOGETHER + 5);
}

static void programs_load_while_others_are_drained(void)
{
	pid_t pid = child_start(shell, "i=0; while [ $i -lt 50 ]; do (sleep 0.02); i=$((i+1)); done");
	unsigned before;

	kit_enable_where(FORKS, "proc.forks", "pid", "count", "{\"eq\": [\"pid\", \"%s\"]}", child_label(pid));
	before = kit_drained_meanwhile();
	child_go();
	kit_enable(TOGETHER, "mysql.queries", "command", "latency");
	ok(kit_drained_meanwhile() > before, "drained %u times while the programs of another metric were loaded", kit_drained_meanwhile() - before);
	child_end(pid);
	kit_drain();
	ok(kit_n(FORKS) == 50, "each fork of that time is counted");
	kit_disable(TOGETHER);
	kit_disable(FORKS);
	kit_clear();
}

int main(void)
{
	kit_begin();
	loop_of_a_shell();
	exit_says_signal_and_life_time();
	statuses_can_be_asked_for();
	threads_of_a_program();
	many_instrumentations_count_the_same();
	programs_load_while_others_are_drained();
	ok(!kit_lost(), "nothing is lost");
	return kit_end();
}
