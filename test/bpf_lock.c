/* bpf_lock - lock.contention against a wait that is timed from outside.
 *
 * Two processes share their memory, so also the kernel's lock of it: one fills memory all the time, the other maps a
 * page now and then, and times that.  Needs root and BTF; skipped (77) without. */
#include "bpf_kit.h"
#include "child.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N_ROUNDS 60
#define N_SLOW 30			/* of them, surely waits */
#define SLOW_NS 100000
#define N_ROUNDS_MAX 3000

static struct quarrel {			/* shared with the child */
	long long waited_ns;
	int n_rounds;
} *seen;

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* Another process, in the same memory. */
static int fill(void *arg)
{
	for (;;) {
		void *at = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		munmap(at, 64 << 20);
	}
	return 0;
}

/* On a busy machine the filler is seldom there to wait for: it goes on until there was something to see. */
static void quarrel(void *arg)
{
	char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long long at, took;
	pid_t filler;
	int n_slow = 0;

	child_wait();
	filler = clone(fill, stack + 65536, CLONE_VM | SIGCHLD, NULL);
	while (seen->n_rounds < N_ROUNDS || (n_slow < N_SLOW && seen->n_rounds < N_ROUNDS_MAX)) {
		at = now_ns();
		munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
		took = now_ns() - at;
		n_slow += took > SLOW_NS;
		seen->waited_ns += took;
		seen->n_rounds++;
		usleep(1000);
	}
	kill(filler, SIGKILL);
	waitpid(filler, NULL, 0);
	child_done();
}

static void waits_for_the_memory_map(void)
{
	pid_t pid = child_start(quarrel, NULL);
	const char *label = child_label(pid);
	__u64 n, ns, waited_ns;

	kit_enable_where(1, "lock.contention", "pid,type,lock", "latency", "{\"eq\": [\"pid\", \"%d\"]}", pid);
	kit_enable_where(2, "lock.contention", "pid,execname", "count",
			 "{\"and\": [{\"eq\": [\"lock\", \"mmap_lock\"]}, {\"eq\": [\"type\", \"rwsem write\"]}]}");
	child_go();
	child_until_done();
	kit_drain();
	kit_print();
	n = kit_n(1, label, "rwsem write", "mmap_lock");
	ns = kit_total(1, 0, label, "rwsem write", "mmap_lock");
	waited_ns = (__u64)seen->waited_ns;
	ok(n > 10 && n <= 2 * (__u64)seen->n_rounds, "%llu waits for the mmap_lock in %d calls", n, 2 * seen->n_rounds);
	ok(ns <= waited_ns && ns > waited_ns / 10 * 7, "%.1f ms of the %.1f ms that the calls took", ns / 1e6, waited_ns / 1e6);
	ok(kit_n(2, label) == n, "the predicate by lock and type leaves the same");
	child_go();
	child_end(pid);
	kit_disable(2);
	kit_disable(1);
	kit_clear();
}

int main(void)
{
	kit_begin();
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	waits_for_the_memory_map();
	printf("# of the whole machine were lost: %llu\n", (unsigned long long)kit_lost());
	return kit_end();
}
