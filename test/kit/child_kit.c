#include "test/kit/child_kit.h"
#include "test/kit/child_fork.h"

#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int to_child[2], to_test[2];
static int wait_fd;			/* the child's to_child[0], which we have closed */

static void say(int fd)
{
	if (write(fd, "x", 1) != 1)
		abort();
}

static void hear(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		_exit(1);		/* the test is gone */
}

pid_t child_start(void (*act)(void *arg), void *arg)
{
	pid_t pid;

	fflush(stdout);
	if (pipe(to_child) || pipe(to_test))
		abort();
	wait_fd = to_child[0];
	pid = child_fork();
	if (pid) {
		close(to_child[0]);
		close(to_test[1]);
		return pid;
	}
	close(to_child[1]);
	close(to_test[0]);
	act(arg);
	_exit(0);
}

int child_end(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	close(to_child[1]);
	close(to_test[0]);
	return status;
}

/* ---- where a process is ---- */

/* Reads the call that a thread waits in, and its first argument: -1: in none, but it has left its CPU.  The kernel reports
 * it only of a thread that has left its CPU.  False: it runs, or is about to, or has ended. */
static int call_read(pid_t pid, pid_t thread, long *ret_call, unsigned long *ret_first)
{
	char path[64];
	int has_left;
	FILE *f;

	*ret_first = 0;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, thread);
	f = fopen(path, "r");
	has_left = f && fscanf(f, "%ld %lx", ret_call, ret_first) >= 1;
	if (f)
		fclose(f);
	return has_left;
}

int process_is_in(pid_t pid, long call)
{
	unsigned long first;
	long now;

	return call_read(pid, pid, &now, &first) && (call == PROCESS_IN_ANY || now == call);
}

int child_waits(pid_t pid, long others)
{
	char path[64];
	struct dirent *task;
	int waits;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	waits = d != NULL;
	while (waits && (task = readdir(d))) {
		pid_t thread = atoi(task->d_name);
		unsigned long first;
		long call;

		if (!thread)
			continue;
		waits = call_read(pid, thread, &call, &first) &&
			(thread == pid ? call == SYS_read && first == (unsigned long)wait_fd : call == others);
	}
	if (d)
		closedir(d);
	return waits;
}

#define LOOKS 12000			/* in a minute */

void process_until_in(pid_t pid, long call)
{
	for (int i = 0; i < LOOKS && !process_is_in(pid, call); i++)
		usleep(5000);
}

void child_until_waits(pid_t pid, long others)
{
	for (int i = 0; i < LOOKS && !child_waits(pid, others); i++)
		usleep(5000);
}

/* ---- what test and child say to each other ---- */

void child_go(void) { say(to_child[1]); }
void child_until_done(void) { hear(to_test[0]); }

int child_is_done(int ms)
{
	struct pollfd test = { .fd = to_test[0], .events = POLLIN };

	if (poll(&test, 1, ms) != 1)
		return 0;
	child_until_done();
	return 1;
}

void child_wait(void) { hear(to_child[0]); }

void child_done(void)
{
	say(to_test[1]);
	hear(to_child[0]);
}

const char *child_label(pid_t pid)
{
	static char text[4][16];
	static int at;

	at = (at + 1) % 4;
	snprintf(text[at], sizeof(text[at]), "%d", pid);
	return text[at];
}
