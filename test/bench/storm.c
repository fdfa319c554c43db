/* bench_storm - a thread on each CPU that makes system calls, and what they took: a line per CPU and tenth of a second.
 *
 *      bench_storm SECONDS [RATE]          RATE: calls per second, of all threads together; without, as many as they can
 *
 *      17372215341 0 812000 99871234       tenths since the epoch, CPU, getppid() calls, ns of the thread's time on the CPU
 *
 * On the CPU, so what else runs on the machine takes nothing from the figures but warm caches.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TENTH_NS 100000000ll
#define CALLS 500			/* between two looks at the clocks */
#define PACE_NS 1000000ll		/* with a rate: as many as are due, once in so long */

struct storm {
	pthread_t thread;
	int cpu;
	long long end_ns;
	double rate;			/* of this thread; 0: as many as it can */
};

static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;

static long long clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void print(const struct storm *s, long long tenth, long calls, long long cpu_ns)
{
	pthread_mutex_lock(&output);
	printf("%lld %d %ld %lld\n", tenth, s->cpu, calls, cpu_ns);
	fflush(stdout);
	pthread_mutex_unlock(&output);
}

/* How many calls come next. */
static long calls_due(const struct storm *s, long long start_ns, long long now_ns, long long n_done)
{
	struct timespec pause = { 0, PACE_NS };
	long long due;

	if (!s->rate)
		return CALLS;
	due = (long long)(s->rate * (double)(now_ns - start_ns) / 1e9) - n_done;
	if (due <= 0)
		nanosleep(&pause, NULL);
	return due > 0 ? due : 0;
}

static void *rage(void *arg)
{
	const struct storm *s = arg;
	long long start_ns = clock_ns(CLOCK_REALTIME), now_ns = start_ns, tenth = now_ns / TENTH_NS, total = 0;
	long long cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	long calls = 0, n, i;

	while (now_ns < s->end_ns) {
		n = calls_due(s, start_ns, now_ns, total);
		for (i = 0; i < n; i++)
			syscall(SYS_getppid);
		calls += n;
		total += n;
		now_ns = clock_ns(CLOCK_REALTIME);
		if (now_ns / TENTH_NS == tenth)
			continue;
		n = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
		print(s, tenth, calls, n);
		tenth = now_ns / TENTH_NS;
		cpu_ns += n;
		calls = 0;
	}
	return NULL;
}

static int start(struct storm *s)
{
	cpu_set_t set;
	int err = pthread_create(&s->thread, NULL, rage, s);

	CPU_ZERO(&set);
	CPU_SET(s->cpu, &set);
	return err ? err : pthread_setaffinity_np(s->thread, sizeof(set), &set);
}

int main(int argc, char **argv)
{
	int n_cpus = sysconf(_SC_NPROCESSORS_ONLN), i, err = 0;
	struct storm *storm = calloc(n_cpus, sizeof(*storm));

	if (argc < 2 || argc > 3 || atof(argv[1]) <= 0) {
		fprintf(stderr, "usage: bench_storm SECONDS [RATE]\n");
		return 2;
	}
	for (i = 0; storm && !err && i < n_cpus; i++) {
		storm[i] = (struct storm){ .cpu = i, .rate = argc == 3 ? atof(argv[2]) / n_cpus : 0,
					   .end_ns = clock_ns(CLOCK_REALTIME) + (long long)(atof(argv[1]) * 1e9) };
		err = start(&storm[i]);
	}
	if (!storm || err) {
		fprintf(stderr, "bench_storm: %s\n", strerror(err));
		return 1;
	}
	for (i = 0; i < n_cpus; i++)
		pthread_join(storm[i].thread, NULL);
	return 0;
}
