/* test_sched - the task state gives the reason why a thread left the CPU. */
#include "collector/metrics/sched.h"
#include "test/kit/check.h"

/* Task states, as the kernel's sched.h has them. */
static const struct {
	unsigned preempt, state;
	enum leave_reason reason;
} cases[] = {
	{ 0, 0x0000, LEAVE_PREEMPTED },			/* TASK_RUNNING: at the end of its slice, or by sched_yield() */
	{ 1, 0x0000, LEAVE_PREEMPTED },
	{ 1, 0x0001, LEAVE_PREEMPTED },			/* on its way to sleep, but it did not get there */
	{ 0, 0x0001, LEAVE_SLEEP },			/* TASK_INTERRUPTIBLE */
	{ 0, 0x2001, LEAVE_SLEEP },			/* ... | TASK_FREEZABLE */
	{ 0, 0x0002, LEAVE_UNINTERRUPTIBLE },
	{ 0, 0x0102, LEAVE_UNINTERRUPTIBLE },		/* TASK_KILLABLE */
	{ 0, 0x0402, LEAVE_IDLE },			/* TASK_IDLE: a worker without work */
	{ 0, 0x1000, LEAVE_UNINTERRUPTIBLE },		/* TASK_RTLOCK_WAIT */
	{ 0, 0x0104, LEAVE_STOPPED },
	{ 0, 0x0108, LEAVE_TRACED },
	{ 0, 0x0010, LEAVE_EXITED }, { 0, 0x0020, LEAVE_EXITED }, { 0, 0x0080, LEAVE_EXITED },
	{ 0, 0x0040, LEAVE_PARKED },
	{ 0, 0x8000, LEAVE_FROZEN },
	{ 0, 0x0200, LEAVE_OTHER },
};

TEST(state_says_why_it_left)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(leave_reason(cases[i].preempt, cases[i].state), cases[i].reason);
}

TEST_MAIN()
