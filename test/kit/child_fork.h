/* child_fork.h - forks a child that does not outlive its test.
 *
 * If a test ended early and left a child, the child would keep the test's output open, and `make check` would wait.
 */
#ifndef HEATSCOPE_CHILD_FORK_H
#define HEATSCOPE_CHILD_FORK_H

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

/* As fork(); when the thread that called it ends, however, the child is killed, also after an exec. */
static inline pid_t child_fork(void)
{
	pid_t parent = getpid(), pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
	}
	return pid;
}

#endif
