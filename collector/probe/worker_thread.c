#include "collector/probe/worker_thread.h"
#include "collector/trace/wall.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

struct job {
	int (*work)(void *arg);
	void *arg;
	int ret;
	__u64 cpu_ns;
};

static void *run(void *arg)
{
	struct job *j = arg;
	__s64 before_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	j->ret = j->work(j->arg);
	j->cpu_ns = (__u64)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns);
	return NULL;
}

static struct timespec soon(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += WORKER_PAUSE_MS * 1000000l;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

int worker_thread_run(int (*work)(void *arg), void *arg, void (*meanwhile)(void *arg), void *meanwhile_arg, __u64 *ret_cpu_ns)
{
	struct job j = { work, arg, 0, 0 };
	struct timespec until;
	pthread_t thread;

	if (!meanwhile || pthread_create(&thread, NULL, run, &j))
		run(&j);
	else
		for (until = soon(); pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until) == ETIMEDOUT; until = soon())
			meanwhile(meanwhile_arg);
	*ret_cpu_ns = j.cpu_ns;
	return j.ret;
}
