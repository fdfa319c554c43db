#include "collector/probe/apart.h"
#include "collector/trace/wall.h"

#include <pthread.h>
#include <time.h>

struct apart {
	int (*work)(void *arg);
	void *arg;
	int ret;
	__u64 cpu_ns;
};

static void *run(void *arg)
{
	struct apart *a = arg;
	__u64 before_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	a->ret = a->work(a->arg);
	a->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;
	return NULL;
}

static struct timespec soon(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += APART_MS * 1000000l;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

int apart(int (*work)(void *arg), void *arg, void (*meanwhile)(void *arg), void *meanwhile_arg, __u64 *cpu_ns)
{
	struct apart a = { work, arg, 0, 0 };
	struct timespec until;
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, &a)) {
		run(&a);
		*cpu_ns += a.cpu_ns;
		return a.ret;
	}
	for (until = soon(); pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until); until = soon())
		meanwhile(meanwhile_arg);
	*cpu_ns += a.cpu_ns;
	return a.ret;
}
