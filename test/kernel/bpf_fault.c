/* bpf_fault - compares memory.faults with getrusage of a program whose faults are known.
 *
 * Needs root and BTF; skipped (77) without.
 *
 *      bpf_fault --bench [N]       the cost of a fault, with the collector and without */
#include "test/kit/bpf_kit.h"
#include "test/kit/child_kit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define N_PAGES 500

static struct shared {			/* with the child */
	long minor, major;
	long long took_ns, cpu_ns;
} *shared;

static char file[64];

static long long clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static char *map_new(size_t n)
{
	char *at = mmap(NULL, n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(99);
	madvise(at, n * 4096, MADV_NOHUGEPAGE);
	return at;
}

static void toucher(void *arg)
{
	struct rusage before, after;
	char *read_only, *written, *filled;
	int fd = open("/dev/zero", O_RDONLY), i;
	long long at, cpu_at;
	volatile char byte;

	read_only = map_new(N_PAGES);
	written = map_new(N_PAGES);
	filled = map_new(N_PAGES);
	child_wait();
	getrusage(RUSAGE_SELF, &before);
	at = clock_ns(CLOCK_MONOTONIC);
	cpu_at = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (i = 0; i < N_PAGES; i++)
		byte = read_only[i * 4096];
	for (i = 0; i < N_PAGES; i++)
		written[i * 4096] = 1;
	shared->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_at;
	shared->took_ns = clock_ns(CLOCK_MONOTONIC) - at;
	for (i = 0; i < N_PAGES; i++)	/* the kernel writes */
		if (read(fd, filled + i * 4096, 1) != 1)
			exit(99);
	getrusage(RUSAGE_SELF, &after);
	(void)byte;
	shared->minor = after.ru_minflt - before.ru_minflt;
	shared->major = after.ru_majflt - before.ru_majflt;
	child_done();
}

static void minor_faults(void)
{
	pid_t pid = child_start(toucher, NULL);
	const char *label = child_label(pid);
	__u64 n, took;

	kit_enable_where(1, "memory.faults", "pid,type,access,mode", "latency", "{\"eq\": [\"pid\", \"%d\"]}", pid);
	child_go();
	child_until_done();
	kit_drain();
	kit_print();
	n = kit_n(1, label, "minor");
	ok(n >= (__u64)shared->minor && n <= (__u64)shared->minor + 4, "%llu minor faults, by getrusage %ld and a few after it", n,
	   shared->minor);
	ok(kit_n(1, label, "minor", "read", "user") >= N_PAGES, "%d reads of the program", N_PAGES);
	ok(kit_n(1, label, "minor", "write", "user") >= N_PAGES, "%d writes of the program", N_PAGES);
	ok(kit_n(1, label, "minor", "write", "kernel") >= N_PAGES, "%d writes of the kernel's for it", N_PAGES);
	ok(!kit_n(1, label, NULL, "unknown"), "the begin of each was seen");
	took = kit_total(1, 0, label, "minor", "read", "user") + kit_total(1, 0, label, "minor", "write", "user");
	/* Another program may have had the CPU between two of them. */
	ok(took > (__u64)shared->cpu_ns / 20 && took < (__u64)shared->took_ns, "they took %llu us of the %lld us of the loops, %lld us on the CPU",
	   took / 1000, shared->took_ns / 1000, shared->cpu_ns / 1000);
	child_go();
	child_end(pid);
	kit_disable(1);
	kit_clear();
}

/* Reads a file that is not in memory. */
static void reader(void *arg)
{
	struct rusage before, after;
	int fd = open(file, O_RDONLY), i;
	volatile char byte;
	char *at = mmap(NULL, N_PAGES * 4096, PROT_READ, MAP_SHARED, fd, 0);

	madvise(at, N_PAGES * 4096, MADV_RANDOM);	/* no reading ahead */
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	child_wait();
	getrusage(RUSAGE_SELF, &before);
	for (i = 0; i < 100; i++)
		byte = at[i * 5 * 4096];
	getrusage(RUSAGE_SELF, &after);
	(void)byte;
	shared->major = after.ru_majflt - before.ru_majflt;
	child_done();
}

static void major_faults(void)
{
	int fd;
	pid_t pid;
	const char *label;

	snprintf(file, sizeof(file), "/var/tmp/heatscope-test-XXXXXX");
	fd = mkstemp(file);
	if (fd < 0 || ftruncate(fd, 0) || kit_run("head -c %d /dev/urandom > %s", N_PAGES * 4096, file) || fsync(fd))
		exit(99);
	pid = child_start(reader, NULL);
	label = child_label(pid);
	kit_enable_where(1, "memory.faults", "pid,type", "count,latency", "{\"eq\": [\"pid\", \"%d\"]}", pid);
	child_go();
	child_until_done();
	kit_drain();
	kit_print();
	ok(kit_n(1, label, "major") == (__u64)shared->major, "%llu major faults, by getrusage %ld", kit_n(1, label, "major"),
	   shared->major);
	if (!shared->major)
		printf("# this file system keeps its files in memory\n");
	child_go();
	child_end(pid);
	kit_disable(1);
	kit_clear();
	close(fd);
	unlink(file);
}

static double touch(int n)
{
	struct rusage a, b;
	int round, i;

	getrusage(RUSAGE_SELF, &a);
	for (round = 0; round < n / N_PAGES; round++) {
		char *at = map_new(N_PAGES);

		for (i = 0; i < N_PAGES; i++)
			at[i * 4096] = 1;
		munmap(at, N_PAGES * 4096);
	}
	getrusage(RUSAGE_SELF, &b);
	return ((b.ru_stime.tv_sec - a.ru_stime.tv_sec + b.ru_utime.tv_sec - a.ru_utime.tv_sec) * 1e9 +
		(b.ru_stime.tv_usec - a.ru_stime.tv_usec + b.ru_utime.tv_usec - a.ru_utime.tv_usec) * 1e3) / n;
}

static void bench(int n)
{
	static const char *const measures[] = { "count", "latency" };
	int i, m;

	for (m = 0; m < 2; m++) {
		for (i = 0; i < 5; i++) {
			double without = touch(n), with;

			kit_enable(1, "memory.faults", "execname", measures[m]);
			with = touch(n);
			kit_disable(1);
			printf("# memory.faults by execname: %s: %.0f ns of CPU time per fault, without it %.0f: %+.0f\n", measures[m],
			       with, without, with - without);
		}
	}
}

int main(int argc, char **argv)
{
	kit_begin();
	if (argc > 1 && !strcmp(argv[1], "--bench")) {
		bench(argc > 2 ? atoi(argv[2]) : 500000);
		return kit_end();
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(shared, 0, sizeof(*shared));
	minor_faults();
	major_faults();
	ok(!kit_lost(), "nothing is lost");
	return kit_end();
}
