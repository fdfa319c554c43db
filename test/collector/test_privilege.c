#include "collector/privilege.h"
#include "collector/core/instrumentation.h"
#include "collector/probe/need.h"
#include "test/kit/check.h"

#include <errno.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs in a process of its own, because dropped capabilities do not come back. */
static void in_a_child(int (*check)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(check());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static int drops(void)
{
	char reason[REASON_MAX] = "";

	if (privilege_drop(reason) || reason[0])
		return 1;
	if (need_missing(~0ull >> (63 - CAP_LAST_CAP)) != ~0ull >> (63 - CAP_LAST_CAP))
		return 2;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : 3;
}

TEST(no_capability_is_left)
{
	in_a_child(drops);
}

static int drops_twice(void)
{
	char reason[REASON_MAX];

	return privilege_drop(reason) || privilege_drop(reason);
}

TEST(capabilities_may_be_dropped_twice)
{
	in_a_child(drops_twice);
}

static int program_gains_nothing(void)
{
	char reason[REASON_MAX];

	if (privilege_drop(reason))
		return 1;
	execl("/bin/sh", "sh", "-c", "grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status", NULL);
	return 2;
}

TEST(a_program_that_is_started_gains_nothing)
{
	if (geteuid())
		skip();
	in_a_child(program_gains_nothing);
}

static void *idle(void *arg)
{
	pthread_barrier_wait(arg);
	pause();
	return NULL;
}

static int refuses_a_thread(void)
{
	char reason[REASON_MAX] = "";
	pthread_barrier_t ready;
	pthread_t thread;

	pthread_barrier_init(&ready, NULL, 2);
	if (pthread_create(&thread, NULL, idle, &ready))
		return 1;
	pthread_barrier_wait(&ready);
	return privilege_drop(reason) != -EBUSY || !strstr(reason, "all threads");
}

TEST(a_thread_that_keeps_capabilities_is_reported)
{
	if (geteuid())
		skip();
	in_a_child(refuses_a_thread);
}

TEST_MAIN()
