/* bench_event - causes events of one kind, and prints how long one takes: ns per event.
 *
 *      bench_event syscall N          getppid(), which does nothing else
 *      bench_event switch N           two threads of one CPU hand a byte to and fro: 2 N context switches
 *      bench_event disk FILE N        reads of 4 KiB past the page cache, one after another
 *      bench_event function N         calls of a function that does nothing, once its standard input has ended
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 4096

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static double run_syscalls(long n)
{
	double start = now_ns();
	long i;

	for (i = 0; i < n; i++)
		syscall(SYS_getppid);
	return (now_ns() - start) / n;
}

struct ends {
	int from, to;
	long n;
};

static void *echo(void *arg)
{
	const struct ends *e = arg;
	char byte;
	long i;

	for (i = 0; i < e->n && read(e->from, &byte, 1) == 1; i++)
		if (write(e->to, &byte, 1) != 1)
			break;
	return NULL;
}

static double run_switches(long n)
{
	int there[2], back[2];
	struct ends other;
	pthread_t thread;
	char byte = 0;
	double start;
	long i;

	if (pipe(there) || pipe(back))
		return -1;
	other = (struct ends){ there[0], back[1], n };
	if (pthread_create(&thread, NULL, echo, &other))
		return -1;
	start = now_ns();
	for (i = 0; i < n; i++)
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			return -1;
	start = (now_ns() - start) / (2 * n);
	pthread_join(thread, NULL);
	return start;
}

static double run_reads(const char *path, long n)
{
	int fd = open(path, O_RDONLY | O_DIRECT);
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END), at = 0;
	double start = now_ns();
	void *block;
	long i;

	if (size < BLOCK || posix_memalign(&block, BLOCK, BLOCK))
		return -1;
	for (i = 0; i < n; i++) {
		if (pread(fd, block, BLOCK, at) != BLOCK)
			return -1;
		at = (at + 7 * BLOCK) % (size / BLOCK * BLOCK);
	}
	return (now_ns() - start) / n;
}

/* Its frame makes it begin with a push, as most functions do, which the kernel emulates where a probe is. */
__attribute__((noinline)) static void called(void)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory");
}

static double run_calls(long n)
{
	double start;
	long i;

	while (getchar() != EOF)
		;
	start = now_ns();
	for (i = 0; i < n; i++)
		called();
	return (now_ns() - start) / n;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 2 ? argv[1] : "";
	double ns = -2;

	if (!strcmp(kind, "syscall") && argc == 3)
		ns = run_syscalls(atol(argv[2]));
	else if (!strcmp(kind, "switch") && argc == 3)
		ns = run_switches(atol(argv[2]));
	else if (!strcmp(kind, "disk") && argc == 4)
		ns = run_reads(argv[2], atol(argv[3]));
	else if (!strcmp(kind, "function") && argc == 3)
		ns = run_calls(atol(argv[2]));
	if (ns == -2) {
		fprintf(stderr, "usage: bench_event syscall N | switch N | disk FILE N | function N\n");
		return 2;
	}
	if (ns < 0) {
		fprintf(stderr, "bench_event: %s: %s\n", kind, strerror(errno));
		return 1;
	}
	printf("%.1f\n", ns);
	return 0;
}
