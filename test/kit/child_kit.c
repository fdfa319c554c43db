#include "test/kit/child_kit.h"
#include "test/kit/child_fork.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int to_child[2], to_test[2];

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

void child_go(void) { say(to_child[1]); }
void child_until_done(void) { hear(to_test[0]); }
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
