#include "test/tools/mysql_cpu.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#define THREADS_MAX 4096
#define TRIAL_LOOPS 20000		/* long enough to time, short compared with any run */

struct thread {
	int tid;
	unsigned long long run_ns, wait_ns;
};

static __u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static int read_schedstat(int pid, int tid, struct thread *ret_thread)
{
	char path[64];
	FILE *f;
	int n;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", pid, tid);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	ret_thread->tid = tid;
	n = fscanf(f, "%llu %llu", &ret_thread->run_ns, &ret_thread->wait_ns);
	fclose(f);
	return n == 2 ? 0 : -EBADMSG;
}

/* Threads of pid into thread[THREADS_MAX]; how many, or -errno. */
static int read_threads(int pid, struct thread *thread)
{
	char path[64];
	struct dirent *entry;
	int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return -ESRCH;
	while (n < THREADS_MAX && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && !read_schedstat(pid, atoi(entry->d_name), &thread[n]))
			n++;
	closedir(dir);
	return n;
}

static void find_busiest(const struct thread *before, int n, struct cpu_use *use)
{
	struct thread after;

	use->run_ns = 0;
	for (int i = 0; i < n; i++) {
		if (read_schedstat(use->pid, before[i].tid, &after) || after.run_ns - before[i].run_ns < use->run_ns)
			continue;
		use->tid = after.tid;
		use->run_ns = after.run_ns - before[i].run_ns;
		use->wait_ns = after.wait_ns - before[i].wait_ns;
	}
}

static int compute(struct session *s, __u64 n_loops, __u64 *ret_ns)
{
	__u64 start = now_ns();
	int err = session_query(s, STATEMENT_SELECT, "select benchmark(%llu, sha2('heatscope', 512))", n_loops);

	*ret_ns = now_ns() - start;
	return err;
}

static int socket_peer(int fd)
{
	struct ucred peer = { 0 };
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) ? 0 : peer.pid;
}

int cpu_measure(struct session *s, int pid, double seconds, struct cpu_use *ret_use)
{
	struct thread *thread = calloc(THREADS_MAX, sizeof(*thread));
	struct cpu_use use = { .pid = pid ? pid : socket_peer(s->m.fd) };
	__u64 trial_ns, elapsed_ns;
	int n = 0, err = thread ? 0 : -ENOMEM;

	if (!err && use.pid <= 0)
		err = -ESRCH;
	if (!err) {
		n = read_threads(use.pid, thread);
		err = n < 0 ? n : 0;
	}
	if (!err)
		err = compute(s, TRIAL_LOOPS, &trial_ns);
	if (!err) {
		use.n_loops = 1 + seconds * 1e9 / trial_ns * TRIAL_LOOPS;
		err = compute(s, use.n_loops, &elapsed_ns);
	}
	if (!err) {
		use.elapsed_ns = trial_ns + elapsed_ns;
		find_busiest(thread, n, &use);
		*ret_use = use;
	}
	free(thread);
	return err;
}
