/* bpf_syscall - compares syscall.syscalls with children that make a known number of system calls.
 *
 * Decomposed by process, so other programs on the machine do not matter.
 *
 *      bpf_syscall --bench N       N times getppid, with the collector and without, and the cost of an event
 *      bpf_syscall --count COMMAND the calls of a command, to be compared with strace -f -c
 */
#include "test/kit/bpf_kit.h"
#include "test/kit/child_fork.h"
#include "test/kit/child_kit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ull
#define CHILDREN_OF "{\"eq\": [\"ppid\", \"%d\"]}"
#define CHILDREN CHILDREN_OF, getpid()

/* Runs a child to its end; returns its process as a label. */
static const char *child(void (*live)(void))
{
	static char label[16];
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		live();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	snprintf(label, sizeof(label), "%d", pid);
	return label;
}

static void sleep_ms(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000l };

	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL);
}

/* ---- counts ---- */

static void known_calls(void)
{
	char byte = 0;
	int i, null = open("/dev/null", O_RDWR);

	for (i = 0; i < 1000; i++)
		syscall(SYS_getppid);
	for (i = 0; i < 300; i++)
		syscall(SYS_write, null, &byte, 1);
	for (i = 0; i < 20; i++)
		syscall(SYS_read, -1, &byte, 1);
	for (i = 0; i < 50; i++)
		syscall(SYS_openat, AT_FDCWD, "/nowhere/at/all", O_RDONLY);
	for (i = 0; i < 7; i++)
		syscall(SYS_fsync, null);
	for (i = 0; i < 3; i++)
		syscall(4000);
}

static void counts_by_name_and_errno(void)
{
	const char *pid = child(known_calls);

	kit_drain();
	ok(kit_n(1, pid, "getppid", "0") == 1000, "1000 getppid: %llu", kit_n(1, pid, "getppid", "0"));
	ok(kit_n(1, pid, "write", "0") == 300, "300 write: %llu", kit_n(1, pid, "write", "0"));
	ok(kit_n(1, pid, "read", "EBADF") == 20 && !kit_n(1, pid, "read", "0"), "20 read, EBADF");
	ok(kit_n(1, pid, "openat", "ENOENT") == 50 && kit_n(1, pid, "openat", "0") == 1, "50 openat, ENOENT, and one that found its file");
	ok(kit_n(1, pid, "fsync", "EINVAL") == 7, "7 fsync, EINVAL");
	ok(kit_n(1, pid, "syscall 4000", "ENOSYS") == 3, "3 calls that do not exist");
	ok(!kit_n(1, pid, "exit_group", NULL), "exit_group does not return, and is not counted");
	ok(!kit_n(1, pid, "clone", NULL) && !kit_n(1, pid, "fork", NULL),
	   "the child's return from fork is not counted");
	kit_clear();
}

/* ---- time ---- */

static void sleeps(void)
{
	int i;

	for (i = 0; i < 5; i++)
		sleep_ms(20);
}

static void works(void)
{
	static char buffer[4 << 20];
	struct rusage use;

	do {
		syscall(SYS_getrandom, buffer, sizeof(buffer), 0);
		getrusage(RUSAGE_SELF, &use);
	} while (use.ru_stime.tv_usec < 100000 && !use.ru_stime.tv_sec);
}

static void splits_the_time(void)
{
	const char *pid = child(sleeps);
	__u64 latency, cpu;

	kit_drain();
	latency = kit_total(1, 0, pid, "clock_nanosleep");
	cpu = kit_total(1, 1, pid, "clock_nanosleep");
	ok(latency >= 100 * MS && cpu < latency / 2, "5 sleeps of 20 ms: %llu us, %llu us of it on a CPU", latency / 1000, cpu / 1000);
	kit_clear();
	pid = child(works);
	kit_drain();
	kit_drain();
	latency = kit_total(1, 0, pid, "getrandom");
	cpu = kit_total(1, 1, pid, "getrandom");
	ok(cpu >= 80 * MS && cpu <= latency, "work of 100 ms: %llu us, %llu us of it on a CPU", latency / 1000, cpu / 1000);
	kit_clear();
}

/* Within which of all seconds the calls have ended: the sums of the least and the most that it can be; shared with the child. */
static struct { __u64 least, most; } *subseconds;

/* Calls 1/4 s into a second of the wall clock, or as long after it as it gets no CPU. */
static void calls_at_a_quarter(void)
{
	struct timespec t = { kit_now_ns() / KIT_SECOND + 1, 250000000 };
	int i;

	clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
	for (i = 0; i < 10; i++) {
		__s64 before = kit_now_ns(), after;

		syscall(SYS_getppid);
		after = kit_now_ns();
		if (before / KIT_SECOND == after / KIT_SECOND) {
			subseconds->least += before % KIT_SECOND;
			subseconds->most += after % KIT_SECOND;
		} else {
			subseconds->most += KIT_SECOND;
		}
	}
}

static void subsecond_is_the_wall_clocks(void)
{
	const char *pid;
	__u64 sum;

	subseconds = mmap(NULL, sizeof(*subseconds), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid = child(calls_at_a_quarter);
	kit_drain();
	sum = kit_total(1, 2, pid, "getppid");
	/* The collector's idea of the wall clock may be a little off. */
	ok(kit_n(1, pid, "getppid") == 10 && sum + 10 * MS >= subseconds->least && sum <= subseconds->most + 10 * MS,
	   "10 calls a quarter into the second: %llu us on average, by the wall clock %llu to %llu", sum / 10000, subseconds->least / 10000,
	   subseconds->most / 10000);
	munmap(subseconds, sizeof(*subseconds));
	kit_clear();
}

/* ---- calls that end in unusual ways ---- */

static void on_signal(int signal)
{
}

static void is_interrupted(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct timespec long_time = { 10, 0 };
	pid_t parent = getpid(), other;

	sigaction(SIGUSR1, &action, NULL);
	other = fork();
	if (!other) {
		process_until_in(parent, SYS_clock_nanosleep);
		kill(parent, SIGUSR1);
		_exit(0);
	}
	if (!syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &long_time, NULL))
		return;
	syscall(SYS_getpgid, 0);	/* the sleep failed, so the process still runs */
}

static void interrupted_calls_are_reported_as_such(void)
{
	const char *pid = child(is_interrupted);

	kit_drain();
	ok(kit_n(1, pid, "clock_nanosleep", "ERESTART_RESTARTBLOCK") == 1, "an interrupted sleep");
	ok(kit_n(1, pid, "getpgid", "0") == 1, "the program goes on after it");
	ok(kit_n(1, pid, "rt_sigreturn", "0") == 1, "the return from a signal's handler is no error");
	kit_clear();
}

static void killed_calls_return_before_their_thread_ends(void)
{
	char pid[16];
	pid_t killed;

	fflush(stdout);
	killed = child_fork();
	if (!killed) {
		ppoll(NULL, 0, NULL, NULL);
		_exit(0);
	}
	process_until_in(killed, SYS_ppoll);
	kill(killed, SIGKILL);
	waitpid(killed, NULL, 0);
	snprintf(pid, sizeof(pid), "%d", killed);
	kit_drain();
	ok(kit_n(1, pid, "ppoll", NULL) == 1 && kit_n(1, pid, "ppoll", "ERESTARTNOHAND") == 1,
	   "a call that a killed process was in: interrupted");
	kit_clear();
}

static void *thread(void *arg)
{
	syscall(SYS_getpgid, 0);
	syscall(SYS_exit, 0);
	return NULL;
}

static void runs_threads(void)
{
	pthread_t id[4];
	int i;

	for (i = 0; i < 4; i++)
		pthread_create(&id[i], NULL, thread, NULL);
	for (i = 0; i < 4; i++)
		pthread_join(id[i], NULL);
}

static void threads_are_their_process(void)
{
	const char *pid = child(runs_threads);

	kit_drain();
	ok(kit_n(1, pid, "getpgid", "0") == 4, "4 threads, a call each");
	ok(!kit_n(1, pid, "exit", NULL), "exit does not return, and is not counted");
	ok(kit_n(1, pid, "clone3", "0") + kit_n(1, pid, "clone", "0") == 4, "making 4 threads is 4 calls");
	kit_clear();
}

static void executes(void)
{
	execl("/bin/true", "true", NULL);
}

static void execve_belongs_to_the_new_program(void)
{
	const char *pid = child(executes);

	kit_drain();
	ok(kit_n(1, pid, "execve", "0") == 1, "one execve");
	ok(kit_n(1, pid, "openat", NULL) > 0, "and what the new program calls");
	kit_clear();
}

static void is_filtered(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(*code), code };
	int i;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return;
	for (i = 0; i < 5; i++)
		syscall(SYS_getpgid, 0);
	syscall(SYS_getsid, 0);
}

static void refused_calls_are_not_counted(void)
{
	const char *pid = child(is_filtered);

	kit_drain();
	ok(kit_n(1, pid, "getsid", "0") == 1, "a process with a seccomp filter");
	ok(!kit_n(1, pid, "getpgid", NULL), "calls that it refuses are not counted: %llu",
	   kit_n(1, pid, "getpgid", NULL));
	kit_clear();
}

#ifdef __x86_64__
static void calls_as_32_bit(void)
{
	int i, number;

	for (i = 0; i < 5; i++) {
		number = 20;			/* getpid there, writev here */
		__asm__ volatile("int $0x80" : "+a"(number) : : "memory", "r8", "r9", "r10", "r11");
	}
	syscall(SYS_getsid, 0);
}

static void calls_of_32_bit_programs_have_other_numbers(void)
{
	const char *pid = child(calls_as_32_bit);

	kit_drain();
	if (kit_n(1, pid, "getsid", "0"))
		ok(kit_n(1, pid, "getpid (32-bit)", "0") == 5 && !kit_n(1, pid, "writev", NULL), "5 calls of 32-bit programs");
	else
		ok(1, "calls of 32-bit programs # SKIP this kernel has none");
	kit_clear();
}
#endif

/* It is in a read() when we attach, until the instrumentation counts. */
static void early(void *arg)
{
	child_wait();
	syscall(SYS_getsid, 0);
	child_done();
}

/* Before any metric is enabled. */
static pid_t early_start(void)
{
	pid_t pid = child_start(early, NULL);

	child_until_waits(pid, 0);
	return pid;
}

static void calls_under_way_are_not_counted(pid_t early)
{
	const char *pid = child_label(early);

	child_go();
	child_until_done();
	kit_drain();
	ok(kit_n(1, pid, "getsid", "0") == 1 && kit_n(1, pid, "write", "0") == 1, "a process that is older than the instrumentation");
	ok(!kit_n(1, pid, "read", NULL), "the call that it was in is not counted");
	child_go();
	child_end(early);
	kit_clear();
}

static void predicates_and_fewer_fields(void)
{
	const char *pid;

	kit_enable_where(2, "syscall.syscalls", "", "latency", CHILDREN);
	kit_enable_where(3, "syscall.syscalls", "execname,syscall", "latency",
			 "{\"and\": [" CHILDREN_OF ", {\"eq\": [\"syscall\", \"getppid\"]}, {\"eq\": [\"errno\", \"0\"]}]}", getpid());
	kit_clear();
	pid = child(known_calls);
	kit_drain();
	ok(kit_n(1, pid, "getppid") == 1000 && kit_n(2, NULL) >= 1380 && kit_n(3, "bpf_syscall", "getppid") == 1000 && kit_n(3, NULL, NULL) == 1000,
	   "three instrumentations of the same calls: %llu, %llu, %llu", kit_n(1, pid, "getppid"),
	   kit_n(2, NULL), kit_n(3, "bpf_syscall", "getppid"));
	kit_disable(2);
	kit_disable(3);
	kit_clear();
}

/* ---- samples ---- */

#define N_SAMPLED 100000

static void calls_often(void)
{
	int i;

	for (i = 0; i < N_SAMPLED; i++)
		syscall(SYS_getppid);
}

static void samples_stand_for_all(void)
{
	const unsigned every = 16;
	const char *pid;

	kit_clear();
	kit_sample("syscall.syscalls", KIT_NONE);
	pid = child(calls_often);
	kit_drain();
	ok(!kit_n(1, pid), "none is picked at its begin, and none is an event at its end: %llu", kit_n(1, pid));
	kit_sample("syscall.syscalls", every);
	pid = child(calls_often);
	kit_drain();
	ok(kit_is_sample(kit_n(1, pid, "getppid", "0"), N_SAMPLED, every), "one in %u of %d calls stands for %llu", every, N_SAMPLED,
	   kit_n(1, pid, "getppid", "0"));
	kit_sample("syscall.syscalls", 1);
}

/* ---- by hand ---- */

#define ROUNDS 1000

/* The best of many short rounds: other programs run on this machine too. */
static double getppid_ns(int n)
{
	double best = 1e9, ns;
	struct timespec a, b;
	int i, round;

	n /= ROUNDS;
	for (round = 0; round < ROUNDS; round++) {
		clock_gettime(CLOCK_MONOTONIC, &a);
		for (i = 0; i < n; i++)
			syscall(SYS_getppid);
		clock_gettime(CLOCK_MONOTONIC, &b);
		ns = ((b.tv_sec - a.tv_sec) * 1e9 + b.tv_nsec - a.tv_nsec) / n;
		best = ns < best ? ns : best;
	}
	return best;
}

static void bench(int n)
{
	static const struct { const char *fields, *measures; } cases[] = {
		{ "", "latency" }, { "syscall", "latency" }, { "pid", "latency" }, { "ppid", "latency" }, { "execname", "latency" },
		{ "psargs", "latency" }, { "cgroup", "latency" }, { "container", "latency" }, { "syscall", "latency,cputime" },
		{ "execname,syscall,errno", "latency" }, { "psargs,cgroup,syscall,errno", "latency" },
		{ "psargs,cgroup,syscall,errno", "latency,cputime,subsecond" },
	};
	double without = getppid_ns(n);
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		kit_enable(1, "syscall.syscalls", cases[i].fields, cases[i].measures);
		printf("# getppid: %.0f ns without, %.0f ns by \"%s\" with %s\n", without, getppid_ns(n), cases[i].fields,
		       cases[i].measures);
		kit_disable(1);
	}
	kit_enable(1, "syscall.syscalls", "syscall", "latency");
	kit_stats();
	getppid_ns(n);
	kit_drain();
	kit_doctor();
}

static void count(const char *command)
{
	kit_enable(1, "syscall.syscalls", "execname,syscall,errno", "latency");
	kit_run("%s", command);
	kit_drain();
	kit_print();
}

int main(int argc, char **argv)
{
	pid_t early;

	kit_begin();
	if (argc == 3 && !strcmp(argv[1], "--bench")) {
		bench(atoi(argv[2]));
		return kit_end();
	}
	if (argc == 3 && !strcmp(argv[1], "--count")) {
		count(argv[2]);
		return kit_end();
	}
	early = early_start();
	kit_enable_where(1, "syscall.syscalls", "pid,syscall,errno", "latency,cputime,subsecond", CHILDREN);
	calls_under_way_are_not_counted(early);
	counts_by_name_and_errno();
	splits_the_time();
	subsecond_is_the_wall_clocks();
	interrupted_calls_are_reported_as_such();
	killed_calls_return_before_their_thread_ends();
	threads_are_their_process();
	execve_belongs_to_the_new_program();
	refused_calls_are_not_counted();
#ifdef __x86_64__
	calls_of_32_bit_programs_have_other_numbers();
#endif
	samples_stand_for_all();
	predicates_and_fewer_fields();
	ok(!kit_lost(), "nothing is lost");
	kit_doctor();
	return kit_end();
}
