/* bpf_sched - compares cpu.thread_executions, cpu.offcpu and cpu.runqwait with the kernel's own accounts.
 *
 * Children work, sleep and compete for the CPUs.  /proc/PID/task/TID/schedstat and status give their times between two
 * moments in which all their threads are asleep; the metrics must have counted the same.  Needs root and BTF;
 * skipped (77) without.
 *
 *      bpf_sched --bench [N]       the cost of a switch of threads, with the collector and without, and of a sample */
#include "test/kit/bpf_kit.h"
#include "test/kit/child_kit.h"
#include "test/kit/child_fork.h"
#include "test/kit/wait_case.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXECUTIONS = 1, OFFCPU, RUNQWAIT, SAMPLES, WORKERS };

/* ---- the kernel's accounts ---- */

struct account {
	__u64 runtime, delay, arrivals;	/* of all threads together */
	__u64 switches;
};

static __u64 status_number(const char *path, const char *name)
{
	char line[256];
	FILE *f = fopen(path, "r");
	__u64 n = 0;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			n = strtoull(line + strlen(name) + 1, NULL, 10);
	if (f)
		fclose(f);
	return n;
}

static struct account account_of(pid_t pid)
{
	char path[64], file[512];
	unsigned long long runtime, delay, arrivals;
	struct account a = { 0 };
	struct dirent *task;
	FILE *f;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	while (d && (task = readdir(d))) {
		snprintf(file, sizeof(file), "%s/%s/schedstat", path, task->d_name);
		f = task->d_name[0] == '.' ? NULL : fopen(file, "r");
		if (f && fscanf(f, "%llu %llu %llu", &runtime, &delay, &arrivals) == 3) {
			a.runtime += runtime;
			a.delay += delay;
			a.arrivals += arrivals;
		}
		if (f)
			fclose(f);
		snprintf(file, sizeof(file), "%s/%s/status", path, task->d_name);
		a.switches += status_number(file, "voluntary_ctxt_switches") + status_number(file, "nonvoluntary_ctxt_switches");
	}
	if (d)
		closedir(d);
	return a;
}

/* The account of its work between child_wait() and child_done(); its other threads wait in a call before, in ppoll() after. */
static struct account account_while(pid_t pid, long others)
{
	struct account before, after;

	child_until_waits(pid, others);
	before = account_of(pid);
	child_go();
	child_until_done();
	child_until_waits(pid, SYS_ppoll);
	after = account_of(pid);
	return (struct account){ after.runtime - before.runtime, after.delay - before.delay, after.arrivals - before.arrivals,
				 after.switches - before.switches };
}

/* Within 1 %: not every switch is shown to a program. */
static int near(__u64 seen, __u64 known)
{
	return seen <= known + known / 100 && known <= seen + seen / 100 + 1;
}

/* ---- children ---- */

static __u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void spin(__u64 ns)
{
	__u64 until = now_ns() + ns;

	while (now_ns() < until)
		;
}

/* CPU time of this thread. */
static __u64 runtime_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

#define N_THREADS 5

static pthread_barrier_t begin, end;

static void *thread(void *arg)
{
	unsigned seed = (unsigned long)arg;
	int i;

	pthread_barrier_wait(&begin);
	for (i = 0; i < 100; i++) {
		spin(rand_r(&seed) % 4000000);
		usleep(rand_r(&seed) % 2000);
	}
	pthread_barrier_wait(&end);
	ppoll(NULL, 0, NULL, NULL);	/* pause() is this on newer processors */
	return NULL;
}

/* More threads than CPUs, so that they wait and are moved. */
static void busy(void *arg)
{
	pthread_t id;
	long i;

	pthread_barrier_init(&begin, NULL, N_THREADS + 1);
	pthread_barrier_init(&end, NULL, N_THREADS + 1);
	for (i = 0; i < N_THREADS; i++)
		pthread_create(&id, NULL, thread, (void *)i);
	child_wait();
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&end);
	child_done();
}

static void accounts_are_the_kernels(void)
{
	pid_t pid = child_start(busy, NULL);
	const char *label = child_label(pid);
	struct account a;
	__u64 n, sum, lost;

	child_until_waits(pid, SYS_futex);	/* what it does before is counted by schedstat alone */
	kit_enable_where(EXECUTIONS, "cpu.thread_executions", "pid,leavereason", "runtime", "{\"eq\": [\"pid\", \"%d\"]}", pid);
	kit_enable_where(RUNQWAIT, "cpu.runqwait", "pid", "runqwait", "{\"eq\": [\"pid\", \"%d\"]}", pid);
	a = account_while(pid, SYS_futex);
	kit_drain();
	kit_print();
	n = kit_n(EXECUTIONS, label);
	sum = kit_total(EXECUTIONS, 0, label);
	ok(near(n, a.switches), "%llu executions: %llu switches of context", n, a.switches);
	ok(near(n, a.arrivals), "as many as arrivals at a CPU: %llu", a.arrivals);
	ok(near(sum, a.runtime), "%llu ns on the CPUs: by schedstat %llu", sum, a.runtime);
	ok(kit_n(EXECUTIONS, label, "preempted") > 0 && kit_n(EXECUTIONS, label, "sleep") >= 5 * 99, "some were preempted, most slept");
	n = kit_n(RUNQWAIT, label);
	sum = kit_total(RUNQWAIT, 0, label);
	lost = kit_lost();		/* on a machine with much other work; it is not known which of them are ours */
	ok(near(n, a.arrivals) || (n < a.arrivals && n + lost >= a.arrivals), "%llu waits: %llu arrivals at a CPU, %llu were lost", n,
	   a.arrivals, lost);
	ok((near(sum, a.delay) || (lost && sum < a.delay)) && sum > 1000000, "%llu ns in run queues: by schedstat %llu", sum, a.delay);
	child_go();
	kill(pid, SIGKILL);
	child_end(pid);
	kit_drain();
	ok(kit_n(EXECUTIONS, label, "exited") == N_THREADS + 1, "each thread exits once");
	kit_disable(RUNQWAIT);
	kit_disable(EXECUTIONS);
	kit_clear();
}

static __u64 *slept_ns;			/* shared with the child */

static void sleeper(void *arg)
{
	__u64 at;
	int i;

	child_wait();
	for (i = 0; i < 50; i++) {
		at = now_ns();
		usleep(10000);
		*slept_ns += now_ns() - at;
		spin(500000);		/* it does not sleep again at once: it was preempted, or it slept */
	}
	child_done();
}

/* Compares the wait in the run queue that the metric reports with schedstat, over the same 50 sleeps. */
static void sleep_and_compare(__u64 *ret_wait, __u64 *ret_delay, __u64 *ret_skew)
{
	pid_t pid;
	const char *label;
	__u64 off;
	struct account a;

	*slept_ns = 0;
	pid = child_start(sleeper, NULL);
	label = child_label(pid);
	child_until_waits(pid, 0);		/* its wait for the pipe began before */
	kit_enable(OFFCPU, "cpu.offcpu", "pid,leavereason", "offcpu,blocked,runqwait");
	a = account_while(pid, 0);
	kit_drain();
	off = kit_total(OFFCPU, 0, label, "sleep");
	ok(kit_n(OFFCPU, label, "sleep") == 50, "asleep 50 times: %llu", kit_n(OFFCPU, label, "sleep"));
	ok(off >= 500000000 && off <= *slept_ns, "for %.3f ms: by its own clock %.3f", off / 1e6, *slept_ns / 1e6);
	*ret_wait = kit_total(OFFCPU, 2, label);
	ok(kit_total(OFFCPU, 0, label) == kit_total(OFFCPU, 1, label) + *ret_wait, "blocked and runqwait add up to it");
	/* For a preempted thread all of the time is wait, from switch to switch; the queue's clock is read a little
	 * before each. */
	*ret_skew = kit_n(OFFCPU, label, "preempted") * 10000;
	*ret_delay = a.delay;
	child_go();
	child_end(pid);
	kit_disable(OFFCPU);
	kit_clear();
}

#define TRIES 3

/* The host may take a virtual CPU away between the queue's clock and the switch, for as long as it likes: our wait
 * is then longer than that of schedstat.  A wrong report would be wrong every time. */
static void time_asleep(void)
{
	__u64 wait, delay, skew;
	int holds = 0, i;

	for (i = 0; i < TRIES && !holds; i++) {
		sleep_and_compare(&wait, &delay, &skew);
		holds = wait <= delay + skew && wait + 10000000 > delay;
	}
	ok(holds, "%.3f ms in the run queue: by schedstat %.3f, with that of the first time; %llu ns may be skew; try %d of %d", wait / 1e6,
	   delay / 1e6, skew, i, TRIES);
}

#define N_SAMPLED 3000

static void dozer(void *arg)
{
	int i;

	child_wait();
	for (i = 0; i < N_SAMPLED; i++)
		usleep(50);
	child_done();
}

static __u64 sampled_dozes(unsigned every)
{
	pid_t pid = child_start(dozer, NULL);
	const char *label = child_label(pid);

	kit_clear();
	kit_sample("cpu.offcpu", every);
	child_go();
	while (!child_is_done(500))	/* slower than the ring is long, on a busy machine */
		kit_drain();
	kit_drain();
	child_go();
	child_end(pid);
	return kit_n(OFFCPU, label, "sleep");
}

static void sampled_sleeps_stand_for_all(void)
{
	const unsigned every = 4;
	__u64 n;

	kit_enable(OFFCPU, "cpu.offcpu", "pid,leavereason", "offcpu");
	n = sampled_dozes(KIT_NONE);
	ok(n <= 1, "except for one from before, none is picked when it leaves, and none is an event when it comes back: %llu",
	   n);
	n = sampled_dozes(every);
	ok(kit_is_sample(n - n % every, N_SAMPLED, every), "one in %u of %d sleeps stands for %llu", every, N_SAMPLED, n);
	kit_disable(OFFCPU);
	kit_clear();
}

/* A caller of vfork() waits for its child, and no signal ends that wait. */
static void vforker(void *arg)
{
	child_wait();
	if (!vfork()) {
		usleep(30000);
		_exit(0);
	}
	wait(NULL);
	child_done();
}

/* Stops a process.  At the return it has left its CPU: the kernel says that it is stopped a little before. */
static void stop(pid_t pid)
{
	kill(pid, SIGSTOP);
	waitpid(pid, NULL, WUNTRACED);
	process_until_in(pid, PROCESS_IN_ANY);
}

/* No time is longer than what passed here meanwhile, however long a process waits for a CPU. */
static void uninterruptible_and_stopped(void)
{
	pid_t pid = child_start(vforker, NULL);
	const char *label = child_label(pid);
	__u64 off, began, ended, stopping, stopped, continued;

	kit_enable(OFFCPU, "cpu.offcpu", "pid,leavereason", "offcpu");
	began = now_ns();
	child_go();
	child_until_done();
	child_until_waits(pid, 0);
	stopping = now_ns();
	stop(pid);
	stopped = now_ns();
	usleep(40000);
	continued = now_ns();
	kill(pid, SIGCONT);
	child_go();
	child_end(pid);
	ended = now_ns();
	kit_drain();
	off = kit_total(OFFCPU, 0, label, "uninterruptible");
	ok(kit_n(OFFCPU, label, "uninterruptible") >= 1 && off > 30000000 && off <= ended - began, "uninterruptible for %.3f ms of %.3f",
	   off / 1e6, (ended - began) / 1e6);
	off = kit_total(OFFCPU, 0, label, "stopped");
	ok(kit_n(OFFCPU, label, "stopped") == 1 && off >= continued - stopped && off <= ended - stopping,
	   "stopped for %.3f ms: by the test's clock between %.3f and %.3f", off / 1e6, (continued - stopped) / 1e6, (ended - stopping) / 1e6);
	ok(!kit_n(OFFCPU, label, "exited"), "and has not come back from its end");
	kit_disable(OFFCPU);
	kit_clear();
}

/* ---- reasons ---- */

#define OURS "{\"eq\": [\"ppid\", \"%d\"]}", getpid()

static long *left_cpu;			/* how often the child left its CPU for the wait, as the kernel counts;
					 * shared with the test */

static long voluntary_switches(void)
{
	struct rusage r;

	getrusage(RUSAGE_THREAD, &r);
	return r.ru_nvcsw;
}

/* It computes in between, so that it is on a CPU when the next wait begins. */
static void waiter(void *arg)
{
	const struct wait_case *c = arg;
	long before;
	int i;

	if (c->open)
		c->open();
	child_wait();
	for (i = 0; i < WAITS; i++) {
		before = voluntary_switches();
		c->wait();
		*left_cpu += voluntary_switches() - before;
		spin(200000);
	}
	child_done();
}

/* The waits at the test's own pipe, by which the child is started and reports that it is done, are `other`. */
#define TOLD 2

static int are_waits(__u64 n, const char *reason)
{
	return n >= (__u64)*left_cpu && n <= (__u64)*left_cpu + (strcmp(reason, "other") ? 0 : TOLD);
}

static void wait_is_reported(const struct wait_case *c)
{
	pid_t pid;
	const char *label;
	__u64 came, left, others;
	int status;

	*left_cpu = 0;
	pid = child_start(waiter, (void *)c);
	label = child_label(pid);
	while (!child_waits(pid, 0)) {	/* until it has opened its files, and waits for the start */
		if (waitpid(pid, &status, WNOHANG) == pid) {
			int cannot = WIFEXITED(status) && WEXITSTATUS(status) == WAIT_CANNOT_OPEN;

			ok(cannot, cannot ? "%s # SKIP" : "%s: it waits for the start", c->what);
			return;
		}
		usleep(1000);
	}
	kit_drain();
	kit_clear();
	child_go();
	child_until_done();
	child_go();
	child_end(pid);
	kit_drain();
	came = kit_n(OFFCPU, label, NULL, c->reason);
	left = kit_n(EXECUTIONS, label, NULL, c->reason);
	ok(c->may_be_at_once ? *left_cpu > 0 : *left_cpu >= WAITS, "%s: %d waits, of which %ld left the CPU", c->what, WAITS, *left_cpu);
	ok(are_waits(came, c->reason), "off the CPU for `%s` %llu times", c->reason, came);
	ok(are_waits(left, c->reason), "and left it for that %llu times", left);
	others = kit_n(OFFCPU, label) - kit_n(OFFCPU, label, NULL, "preempted") - kit_n(OFFCPU, label, NULL, "other");
	ok(others == (strcmp(c->reason, "other") ? came : 0), "for nothing else, but `other` for the test's pipe: %llu", others);
	ok(kit_n(OFFCPU, label, "preempted") == kit_n(OFFCPU, label, NULL, "preempted") &&
	   kit_n(EXECUTIONS, label, "preempted") == kit_n(EXECUTIONS, label, NULL, "preempted"), "preempted is what could run");
}

static volatile sig_atomic_t continued;

static void on_continue(int signal) { continued = 1; }

/* Until it was stopped. */
static void spins(void *arg)
{
	signal(SIGCONT, on_continue);
	child_wait();
	while (!continued)
		;
	child_done();
}

/* It is in no system call then, and waits for no page. */
static void stopped_is_no_fault(void)
{
	pid_t pid = child_start(spins, NULL);
	const char *label = child_label(pid);
	__u64 before = account_of(pid).runtime;

	kit_clear();
	child_go();
	while (account_of(pid).runtime - before < 5000000)
		usleep(1000);		/* until it spins */
	stop(pid);
	kill(pid, SIGCONT);
	child_until_done();
	child_go();
	child_end(pid);
	kit_drain();
	ok(kit_n(OFFCPU, label, "stopped", "other") == 1 && kit_n(OFFCPU, label, "stopped") == 1,
	   "a stopped thread is `other`");
	ok(kit_n(EXECUTIONS, label, "exited", "other") == 1, "and so is one that ends");
}

static void threads_of_the_kernel_are_in_no_call(void)
{
	kit_enable_where(WORKERS, "cpu.offcpu", "leavereason,reason", "offcpu", "{\"eq\": [\"ppid\", \"2\"]}");
	kit_run("sync; sleep 0.5");
	kit_drain();
	ok(kit_n(WORKERS) > 0, "threads of the kernel come and go: %llu times", kit_n(WORKERS));
	ok(kit_n(WORKERS) == kit_n(WORKERS, NULL, "other") + kit_n(WORKERS, NULL, "preempted"),
	   "for no reason that only programs have");
	kit_disable(WORKERS);
}

/* A reason that only a predicate asks for is gathered. */
static void wait_is_chosen(void)
{
	pid_t pid = child_start(waiter, (void *)&wait_cases[1]);
	const char *label = child_label(pid);

	child_go();
	child_until_done();
	child_go();
	child_end(pid);
	kit_drain();
	ok(kit_n(OFFCPU, label) == WAITS, "a predicate chooses by it: %llu", kit_n(OFFCPU, label));
}

static void reason_it_left_for(void)
{
	size_t i;

	kit_enable_where(OFFCPU, "cpu.offcpu", "pid,leavereason,reason", "offcpu", OURS);
	kit_enable_where(EXECUTIONS, "cpu.thread_executions", "pid,leavereason,reason", "runtime", OURS);
	for (i = 0; i < n_wait_cases; i++)
		wait_is_reported(&wait_cases[i]);
	stopped_is_no_fault();
	kit_disable(EXECUTIONS);
	kit_disable(OFFCPU);
	threads_of_the_kernel_are_in_no_call();
	kit_enable_where(OFFCPU, "cpu.offcpu", "pid", "offcpu", "{\"eq\": [\"reason\", \"sleep\"]}");
	wait_is_chosen();
	kit_disable(OFFCPU);
	kit_clear();
}

/* ---- samples ---- */

/* It runs before all others: it is alone on its CPU, except for the time that the kernel reserves for others. */
static void spinner(void *arg)
{
	struct sched_param first = { .sched_priority = 1 };
	__u64 at;

	child_wait();
	sched_setscheduler(0, SCHED_FIFO, &first);
	at = runtime_ns();
	while (runtime_ns() - at < 1000000000)
		spin(1000000);
	child_done();
}

/* The sum over all CPUs, so it is the most that can have been stolen from one; in seconds. */
static double stolen(void)
{
	FILE *f = fopen("/proc/stat", "r");
	unsigned long long steal = 0;

	if (!f || fscanf(f, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &steal) != 1)
		steal = 0;
	if (f)
		fclose(f);
	return (double)steal / sysconf(_SC_CLK_TCK);
}

/* The second is one of CPU time; time that the hypervisor stole is sampled, but does not belong to it. */
static void ninety_nine_a_second(void)
{
	pid_t pid = child_start(spinner, NULL);
	const char *label = child_label(pid);
	double before, more;
	__u64 n;

	kit_enable(SAMPLES, "cpu.thread_samples", "pid,execname,mode", "count");
	before = stolen();
	child_go();
	child_until_done();
	more = 99 * (stolen() - before);
	kit_drain();
	n = kit_n(SAMPLES, label);
	ok(n >= 97 && n <= 101 + more, "%llu samples in a second of a spinning thread, %.0f more of stolen time", n, more);
	ok(!kit_n(SAMPLES, "0"), "none of an idle CPU");
	ok(kit_n(SAMPLES, label, NULL, "user") > n / 2, "most of them not in the kernel");
	kit_disable(SAMPLES);
	kit_clear();
	child_go();
	child_end(pid);
}

/* ---- cost ---- */

static __u64 cpu_ns(void)
{
	struct rusage us, children;

	getrusage(RUSAGE_SELF, &us);
	getrusage(RUSAGE_CHILDREN, &children);
	return (us.ru_utime.tv_sec + us.ru_stime.tv_sec + children.ru_utime.tv_sec + children.ru_stime.tv_sec) * 1000000000ull +
	       (us.ru_utime.tv_usec + us.ru_stime.tv_usec + children.ru_utime.tv_usec + children.ru_stime.tv_usec) * 1000ull;
}

/* CPU time per switch of two processes that wake each other, on one CPU. */
static double ping_pong(int n)
{
	int a[2], b[2], i;
	char byte = 0;
	__u64 at = cpu_ns();
	pid_t pid;

	if (pipe(a) || pipe(b))
		exit(99);
	pid = child_fork();
	if (!pid) {
		for (i = 0; i < n; i++)
			if (read(a[0], &byte, 1) != 1 || write(b[1], &byte, 1) != 1)
				_exit(1);
		_exit(0);
	}
	for (i = 0; i < n; i++)
		if (write(a[1], &byte, 1) != 1 || read(b[0], &byte, 1) != 1)
			exit(99);
	waitpid(pid, NULL, 0);
	for (i = 0; i < 2; i++) {
		close(a[i]);
		close(b[i]);
	}
	return (double)(cpu_ns() - at) / n / 2;
}

#define ROUNDS 7

static int up(const void *a, const void *b)
{
	return *(const double *)a < *(const double *)b ? -1 : 1;
}

/* In turns, so that other work on this machine affects both. */
static void bench_one(const char *metric, const char *fields, const char *measures, int n)
{
	double without[ROUNDS], more[ROUNDS];
	int i;

	for (i = 0; i < ROUNDS; i++) {
		without[i] = ping_pong(n);
		kit_enable(1, metric, fields, measures);
		more[i] = ping_pong(n) - without[i];
		kit_disable(1);
	}
	qsort(without, ROUNDS, sizeof(*without), up);
	qsort(more, ROUNDS, sizeof(*more), up);
	printf("# %s by %s: %s: %+.0f ns of CPU time per switch (%.0f .. %.0f), without it %.0f\n", metric, fields, measures,
	       more[ROUNDS / 2], more[1], more[ROUNDS - 2], without[ROUNDS / 2]);
}

static void bench(int n)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	setpriority(PRIO_PROCESS, 0, -20);
	bench_one("cpu.thread_executions", "", "runtime", n);
	bench_one("cpu.thread_executions", "pid,leavereason", "runtime", n);
	bench_one("cpu.thread_executions", "execname,psargs", "runtime", n);
	bench_one("cpu.thread_executions", "unit,container", "runtime,subsecond", n);
	bench_one("cpu.offcpu", "", "offcpu", n);
	bench_one("cpu.offcpu", "execname,leavereason", "offcpu,blocked,runqwait", n);
	bench_one("cpu.offcpu", "reason", "offcpu", n);
	bench_one("cpu.offcpu", "stack", "offcpu", n);
	bench_one("cpu.runqwait", "", "runqwait", n);
	bench_one("cpu.runqwait", "execname", "runqwait", n);
	kit_stats();
	kit_enable(1, "cpu.thread_samples", "execname", "count");
	spin(2000000000);
	kit_doctor();			/* the samples' program is one of them */
	kit_disable(1);
	kit_enable(1, "cpu.thread_samples", "stack", "count");
	spin(2000000000);
	kit_doctor();
	kit_disable(1);
}

int main(int argc, char **argv)
{
	kit_begin();
	if (argc > 1 && !strcmp(argv[1], "--bench")) {
		bench(argc > 2 ? atoi(argv[2]) : 200000);
		return kit_end();
	}
	slept_ns = mmap(NULL, sizeof(*slept_ns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	left_cpu = mmap(NULL, sizeof(*left_cpu), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	accounts_are_the_kernels();
	time_asleep();
	sampled_sleeps_stand_for_all();
	uninterruptible_and_stopped();
	reason_it_left_for();
	ninety_nine_a_second();
	printf("# of the whole machine were lost: %llu\n", (unsigned long long)kit_lost());
	return kit_end();
}
