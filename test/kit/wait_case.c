#include "test/kit/wait_case.h"
#include "test/kit/child_fork.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define WAIT_US 2000

static int wait_fds[2], ask_fds[2];	/* of the case */

/* Starts a process that answers after a pause, until the other end of its pipe is closed. */
static void pipe_open(void)
{
	char byte;

	if (pipe(wait_fds) || pipe(ask_fds))
		abort();
	if (child_fork())
		return;
	close(ask_fds[1]);
	while (read(ask_fds[0], &byte, 1) == 1 && !usleep(WAIT_US) && write(wait_fds[1], &byte, 1) == 1)
		continue;
	_exit(0);
}

static void pipe_wait(void)
{
	char byte = 0;

	if (write(ask_fds[1], &byte, 1) != 1 || read(wait_fds[0], &byte, 1) != 1)
		abort();
}

static void socket_open(void)
{
	struct timeval limit = { .tv_usec = WAIT_US };

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, wait_fds) ||
	    setsockopt(wait_fds[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)))
		abort();
}

static void socket_wait(void)
{
	char byte;

	if (read(wait_fds[0], &byte, 1) != -1)
		abort();
}

static void futex_wait(void)
{
	struct timespec limit = { .tv_nsec = WAIT_US * 1000 };
	int word = 0;

	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0);
}

static void sleep_wait(void)
{
	usleep(WAIT_US);
}

#define BLOCK (256 * 1024)		/* so much that a disk needs longer than its reader to leave the CPU, as a rule */

static void file_open(void)
{
	static char block[BLOCK] __attribute__((aligned(4096)));
	char path[] = "/var/tmp/heatscope-sched-XXXXXX";

	wait_fds[0] = mkostemp(path, O_DIRECT);
	unlink(path);
	for (int i = 0; i < WAITS; i++)
		if (wait_fds[0] < 0 || write(wait_fds[0], block, BLOCK) != BLOCK)
			_exit(WAIT_CANNOT_OPEN);	/* a file system without direct I/O */
	fsync(wait_fds[0]);
	lseek(wait_fds[0], 0, SEEK_SET);
}

static void file_wait(void)
{
	static char block[BLOCK] __attribute__((aligned(4096)));

	if (read(wait_fds[0], block, BLOCK) != BLOCK)
		abort();
}

const struct wait_case wait_cases[] = {
	{ "an empty pipe", "other", pipe_open, pipe_wait, 0 },
	{ "nanosleep", "sleep", NULL, sleep_wait, 0 },
	{ "a futex", "futex", NULL, futex_wait, 0 },
	{ "direct reads of a file", "io", file_open, file_wait, 1 },
	{ "an empty socket", "net", socket_open, socket_wait, 0 },
};

const size_t n_wait_cases = sizeof(wait_cases) / sizeof(*wait_cases);
