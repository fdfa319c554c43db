/* bpf_fs - compares fs.logical_ops with a child that makes a known number of operations on files.
 *
 * On tmpfs and on the file system of /var/tmp; decomposed by file system, only the test's own children.
 *
 *      bpf_fs --bench N            N times getppid, pread of a file and of a socket, with the collector and without
 */
#include "test/kit/bpf_kit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHILDREN "{\"eq\": [\"ppid\", \"%d\"]}", getpid()

static char dir[64];			/* where the child works */

static void child(void (*live)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		live();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	kit_drain();
}

/* The name of its file system type, as in /proc/mounts. */
static const char *type_of(const char *path)
{
	static char line[1024], type[64], best[64];
	char point[512];
	size_t longest = 0;
	FILE *f = fopen("/proc/mounts", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %511s %63s", point, type) == 2 && !strncmp(path, point, strlen(point)) &&
		    strlen(point) >= longest) {
			longest = strlen(point);
			strcpy(best, type);
		}
	if (f)
		fclose(f);
	return best;
}

/* ---- the child's operations ---- */

static const char *file_path(const char *name)
{
	static char path[2][128];
	static int at;

	snprintf(path[at ^= 1], sizeof(path[0]), "%s/%s", dir, name);
	return path[at];
}

static void known_operations(void)
{
	static char buffer[8192];
	struct iovec iov[2] = { { buffer, 100 }, { buffer, 200 } };
	struct stat st;
	struct statfs fs;
	int fd = syscall(SYS_openat, AT_FDCWD, file_path("a"), O_RDWR | O_CREAT | O_TRUNC, 0600), other, i;
	void *at;

	for (i = 0; i < 100; i++)
		syscall(SYS_write, fd, buffer, 1000 + i);
	for (i = 0; i < 50; i++)
		syscall(SYS_pread64, fd, buffer, 4096, 0);
	for (i = 0; i < 10; i++)
		syscall(SYS_preadv, fd, iov, 2, 0, 0);
	for (i = 0; i < 5; i++)
		syscall(SYS_pwritev, fd, iov, 2, 0, 0);
	syscall(SYS_read, fd, buffer, 4096);		/* at the end: nothing */
	for (i = 0; i < 3; i++)
		syscall(SYS_fsync, fd);
	syscall(SYS_fdatasync, fd);
	for (i = 0; i < 7; i++) {
		syscall(SYS_fstat, fd, &st);
		syscall(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH);
		syscall(SYS_newfstatat, AT_FDCWD, file_path("a"), &st, 0);	/* by path: not counted */
	}
	fstatfs(fd, &fs);
	for (i = 0; i < 4; i++) {
		other = syscall(SYS_openat, AT_FDCWD, file_path("a"), O_RDONLY);
		syscall(SYS_close, other);
	}
	syscall(SYS_openat, AT_FDCWD, file_path("missing"), O_RDONLY);
	at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	munmap(at, 4096);
	at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(at, 4096);
	other = syscall(SYS_openat, AT_FDCWD, file_path("b"), O_RDWR | O_CREAT, 0600);
	copy_file_range(fd, &(off_t){ 0 }, other, NULL, 5000, 0);
	syscall(SYS_ftruncate, other, 100);
	syscall(SYS_fallocate, other, 0, 0, 10000);
	syscall(SYS_fchmod, other, 0640);
	ioctl(other, FIONREAD, &i);
	syscall(SYS_close, other);
	other = syscall(SYS_openat, AT_FDCWD, dir, O_RDONLY | O_DIRECTORY);
	while (syscall(SYS_getdents64, other, buffer, sizeof(buffer)) > 0)
		;
	syscall(SYS_close, other);
	syscall(SYS_close, fd);
	unlink(file_path("a"));
	unlink(file_path("b"));
}

static void on_other_things(void)
{
	char byte = 0;
	int pair[2], ends[2], i, null = open("/dev/null", O_RDWR), event = eventfd(1, 0);
	int memory = syscall(SYS_memfd_create, "m", 0);
	__u64 eight = 1;

	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	i = pipe(ends);
	for (i = 0; i < 20; i++)
		if (write(pair[0], &byte, 1) != 1 || read(pair[1], &byte, 1) != 1 || write(ends[1], &byte, 1) != 1 ||
		    read(ends[0], &byte, 1) != 1 || write(null, &byte, 1) != 1 || write(memory, &byte, 1) != 1 ||
		    write(event, &eight, 8) != 8 || read(event, &eight, 8) != 8)
			abort();
	i = read(-1, &byte, 1);
	i = read(10000, &byte, 1);
	i = fsync(memory);
}

static void reads_proc(void)
{
	char buffer[4096];
	int fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/stat", O_RDONLY), i;

	for (i = 0; i < 9; i++)
		syscall(SYS_pread64, fd, buffer, sizeof(buffer), 0);
	syscall(SYS_close, fd);
}

static void sends_a_file(void)
{
	char buffer[8192] = "";
	int pair[2], fd = open(file_path("a"), O_RDWR | O_CREAT, 0600);

	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	if (pwrite(fd, buffer, 8000, 0) != 8000 || sendfile(pair[0], fd, &(off_t){ 0 }, 8000) != 8000)
		abort();
	unlink(file_path("a"));
}

/* ---- the cases ---- */

static void counts_and_bytes(const char *where)
{
	const char *type;
	__u64 read_bytes = 50 * 4096 + 10 * 300, written = 100 * 1000 + 99 * 50 + 5 * 300;
	int at_all;

	snprintf(dir, sizeof(dir), "%s/heatscope-fs-XXXXXX", where);
	if (!mkdtemp(dir)) {
		ok(1, "%s # SKIP cannot be written", where);
		return;
	}
	type = type_of(dir);
	kit_clear();
	child(known_operations);
	kit_print();
	ok(kit_n(1, type, "write") == 105, "%s: 105 writes: %llu", type, kit_n(1, type, "write"));
	ok(kit_total(1, 1, type, "write") == written, "%s: their bytes: %llu", type, kit_total(1, 1, type, "write"));
	ok(kit_n(1, type, "read") == 61, "%s: 61 reads: %llu", type, kit_n(1, type, "read"));
	ok(kit_total(1, 1, type, "read") == read_bytes, "%s: their bytes: %llu", type, kit_total(1, 1, type, "read"));
	ok(kit_n(1, type, "sync") == 4, "%s: 4 syncs: %llu", type, kit_n(1, type, "sync"));
	ok(kit_n(1, type, "create") == 2, "%s: 2 files are made: %llu", type, kit_n(1, type, "create"));
	ok(kit_n(1, type, "open") == 5, "%s: 5 opens, one of them of the directory: %llu", type, kit_n(1, type, "open"));
	ok(kit_n(1, type, "close") == 7, "%s: 7 closes: %llu", type, kit_n(1, type, "close"));
	ok(kit_n(1, type, "stat") == 15, "%s: 15 stats by descriptor: %llu", type, kit_n(1, type, "stat"));
	at_all = kit_n(1, type, "readdir") >= 2 && kit_n(1, type, "map") == 1 && kit_n(1, type, "truncate") == 1 &&
		 kit_n(1, type, "allocate") == 1 && kit_n(1, type, "setattr") == 1 && kit_n(1, type, "ioctl") == 1;
	ok(at_all, "%s: readdir, map, truncate, allocate, setattr, ioctl", type);
	ok(kit_n(1, type, "copy") == 1 && kit_total(1, 1, type, "copy") == 5000, "%s: a copy of 5000 bytes", type);
	ok(kit_n(1, NULL, NULL) == kit_n(1, type, NULL), "%s: and nothing of another type", type);
	ok(kit_total(1, 1, type, NULL) == read_bytes + written + 5000, "%s: other operations have no size", type);
	rmdir(dir);
}

static void other_things_are_no_files(void)
{
	kit_clear();
	child(on_other_things);
	kit_print();
	ok(!kit_n(1, NULL, "read") && !kit_n(1, NULL, "write") && !kit_n(1, NULL, "sync"),
	   "sockets, pipes, devices, event descriptors, memfds, and what is not open");
}

static void proc_is_a_file_system(void)
{
	kit_clear();
	child(reads_proc);
	ok(kit_n(1, "proc", "read") == 9 && kit_n(1, "proc", "open") == 1 && kit_n(1, "proc", "close") == 1,
	   "9 reads of /proc: %llu", kit_n(1, "proc", "read"));
}

static void sendfile_reads(void)
{
	kit_clear();
	snprintf(dir, sizeof(dir), "/dev/shm");
	child(sends_a_file);
	ok(kit_n(1, "tmpfs", "read") == 1 && kit_total(1, 1, "tmpfs", "read") == 8000, "sendfile reads its file");
}

static void predicates_choose(void)
{
	kit_enable_where(2, "fs.logical_ops", "execname,optype", "latency",
			 "{\"and\": [{\"eq\": [\"ppid\", \"%d\"]}, {\"eq\": [\"fstype\", \"proc\"]}, {\"ne\": [\"optype\", \"close\"]}]}",
			 getpid());
	kit_clear();
	child(reads_proc);
	ok(kit_n(2, "bpf_fs", "read") == 9 && kit_n(2, "bpf_fs", "open") == 1 && kit_n(2, NULL, NULL) == 10,
	   "by type and operation: %llu", kit_n(2, NULL, NULL));
	ok(kit_n(1, "proc", NULL) == 11, "the other one goes on");
	kit_disable(2);
}

#define N_SAMPLED 40000

static void reads_often(void)
{
	char buffer[64];
	int fd = open("/proc/self/stat", O_RDONLY), i;

	for (i = 0; i < N_SAMPLED; i++)
		if (syscall(SYS_lseek, fd, 0, SEEK_SET) || syscall(SYS_read, fd, buffer, sizeof(buffer)) != sizeof(buffer))
			abort();
	syscall(SYS_close, fd);
}

static void samples_stand_for_all(void)
{
	const unsigned every = 16;
	__u64 n;

	kit_clear();
	kit_sample("fs.logical_ops", KIT_NONE);
	child(reads_often);
	ok(!kit_n(1, NULL, NULL), "none is picked at its begin, and none is an event at its end: %llu", kit_n(1, NULL, NULL));
	kit_sample("fs.logical_ops", every);
	child(reads_often);
	n = kit_n(1, "proc", "read");
	ok(kit_is_sample(n, N_SAMPLED, every), "one in %u of %d reads stands for %llu", every, N_SAMPLED, n);
	ok(kit_total(1, 1, "proc", "read") == n * 64, "and for their bytes");
	kit_sample("fs.logical_ops", 1);
	kit_clear();
}

/* ---- by hand ---- */

#define ROUNDS 1000

static int bench_file, bench_pair[2];

static void do_getppid(void)
{
	syscall(SYS_getppid);
}

static void do_pread(void)
{
	char buffer[64];

	syscall(SYS_pread64, bench_file, buffer, sizeof(buffer), 0);
}

static void do_socket(void)
{
	char byte;

	syscall(SYS_read, bench_pair[1], &byte, 1);
}

/* The best of many short rounds: other programs run on this machine too. */
static double best_ns(void (*act)(void), int n)
{
	double best = 1e9, ns;
	struct timespec a, b;
	int i, round;

	n /= ROUNDS;
	for (round = 0; round < ROUNDS; round++) {
		clock_gettime(CLOCK_MONOTONIC, &a);
		for (i = 0; i < n; i++)
			act();
		clock_gettime(CLOCK_MONOTONIC, &b);
		ns = ((b.tv_sec - a.tv_sec) * 1e9 + b.tv_nsec - a.tv_nsec) / n;
		best = ns < best ? ns : best;
	}
	return best;
}

static void bench_all(const char *how, int n)
{
	printf("# %s: getppid %.0f ns, pread of a file %.0f ns, read of an empty socket %.0f ns\n", how, best_ns(do_getppid, n),
	       best_ns(do_pread, n), best_ns(do_socket, n));
}

static void bench(int n)
{
	bench_file = open("/proc/self/exe", O_RDONLY);
	socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, bench_pair);
	bench_all("without", n);
	kit_enable(1, "fs.logical_ops", "optype", "latency");
	bench_all("by optype", n);
	kit_disable(1);
	kit_enable(1, "fs.logical_ops", "execname,fstype,optype", "latency,size");
	bench_all("by execname, fstype, optype with size", n);
	kit_disable(1);
	kit_enable(1, "mysql.queries", "command", "latency");
	bench_all("mysql.queries, of others' calls", n);
	kit_disable(1);
	kit_enable(1, "mysql.queries", "command", "latency,fs,io_bytes");
	bench_all("mysql.queries with fs, of others' calls", n);
	kit_disable(1);
	kit_stats();
	kit_enable(1, "fs.logical_ops", "execname,fstype,optype", "latency,size");
	best_ns(do_pread, n);
	kit_drain();
	kit_doctor();
}

int main(int argc, char **argv)
{
	kit_begin();
	if (argc == 3 && !strcmp(argv[1], "--bench")) {
		bench(atoi(argv[2]));
		return kit_end();
	}
	kit_enable_where(1, "fs.logical_ops", "fstype,optype", "latency,size", CHILDREN);
	counts_and_bytes("/dev/shm");
	counts_and_bytes("/var/tmp");
	other_things_are_no_files();
	proc_is_a_file_system();
	sendfile_reads();
	samples_stand_for_all();
	predicates_choose();
	ok(!kit_lost(), "nothing is lost");
	kit_doctor();
	return kit_end();
}
