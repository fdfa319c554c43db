/* bpf_lock - compares lock.contention with a wait that is timed from outside.
 *
 * Two processes share their memory, and so also the kernel's lock of it: one fills memory all the time, the other maps
 * a page now and then, and times that.  Needs root and BTF; skipped (77) without. */
#include "test/kit/bpf_kit.h"
#include "test/kit/child_kit.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N_ROUNDS 60
#define N_SLOW 30			/* slow calls, which are surely waits */
#define SLOW_NS 100000
#define N_ROUNDS_MAX 3000
#define LONGEST_NS 8000000000ll		/* less than the kit's ring holds, also on a busy machine */

static struct quarrel {			/* shared with the child */
	size_t bytes;			/* filled at a time, while the other waits */
	int n_enough;			/* slow ones */
	long long waited_ns;
	int n_rounds, n_slow;
} *seen;

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* Another process that shares the memory. */
static int fill(void *arg)
{
	for (;;) {
		void *at = mmap(NULL, seen->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		munmap(at, seen->bytes);
	}
	return 0;
}

/* On a busy machine the filler rarely holds the lock: so the loop goes on until there were enough waits. */
static void quarrel(void *arg)
{
	char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long long start, at, took;
	pid_t filler;

	child_wait();
	start = now_ns();
	filler = clone(fill, stack + 65536, CLONE_VM | SIGCHLD, NULL);
	while (seen->n_rounds < N_ROUNDS || (seen->n_slow < seen->n_enough && seen->n_rounds < N_ROUNDS_MAX && now_ns() - start < LONGEST_NS)) {
		at = now_ns();
		munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
		took = now_ns() - at;
		seen->n_slow += took > SLOW_NS;
		seen->waited_ns += took;
		seen->n_rounds++;
		usleep(1000);
	}
	kill(filler, SIGKILL);
	waitpid(filler, NULL, 0);
	child_done();
}

static pid_t quarrel_start(size_t bytes, int n_enough)
{
	*seen = (struct quarrel){ .bytes = bytes, .n_enough = n_enough };
	return child_start(quarrel, NULL);
}

static void waits_for_the_memory_map(void)
{
	pid_t pid = quarrel_start(64 << 20, N_SLOW);
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

#define N_SAMPLED 2000

/* The mmap_lock's waits that the metric reports. */
static __u64 sampled_quarrel(unsigned every, int n_enough)
{
	pid_t pid = quarrel_start(1 << 20, n_enough);
	const char *label = child_label(pid);

	kit_clear();
	kit_sample("lock.contention", every);
	child_go();
	child_until_done();
	kit_drain();
	child_go();
	child_end(pid);
	return kit_n(1, label, "mmap_lock");
}

static void sampled_waits_stand_for_all(void)
{
	const unsigned every = 4;
	double wrong = 6 * sqrt(N_SAMPLED * every);		/* six standard deviations */
	__u64 n;

	kit_enable(1, "lock.contention", "pid,lock", "latency");
	n = sampled_quarrel(KIT_NONE, N_SLOW);
	ok(!n, "none is picked at its begin, and none is an event at its end: %llu", n);
	n = sampled_quarrel(every, N_SAMPLED);
	/* A slow call is one that waited, unless another thread had the CPU. */
	ok(n % every == 0 && n > 0.7 * seen->n_slow - wrong && n < 2 * seen->n_rounds + wrong,
	   "one in %u stands for %llu waits, of %d calls, %d of them slow", every, n, 2 * seen->n_rounds, seen->n_slow);
	kit_disable(1);
	kit_clear();
}

int main(void)
{
	kit_begin();
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	waits_for_the_memory_map();
	sampled_waits_stand_for_all();
	printf("# of the whole machine were lost: %llu\n", (unsigned long long)kit_lost());
	return kit_end();
}
