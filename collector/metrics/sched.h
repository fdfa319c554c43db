/* sched.h - describes the events of cpu.thread_executions, cpu.offcpu and cpu.runqwait: threads come to the CPUs and
 * leave them.
 *
 *      woken ....... on a CPU ============ leaves it ............................ comes back
 *        | runqwait  |  thread_executions  |               offcpu                    |
 *        |           |      runtime        |        blocked         |    runqwait    |
 *
 * Event   cpu.thread_executions  a thread leaves a CPU (an execution that goes on is not an event yet)
 *         cpu.offcpu             a thread comes back that has left since we attached
 *         cpu.runqwait           a thread comes to a CPU, also its first time
 *         A CPU's idle thread has no events.
 * Slot    the slot of the switch.
 *
 * Measures, in ns
 *
 *      runtime    time that the kernel has charged to the thread since it came to the CPU: without stolen time, as in
 *                 /proc/PID/schedstat
 *      offcpu     from switch to switch, and its parts: offcpu = blocked + runqwait, exactly
 *      runqwait   ready and waiting, by the kernel's clock of its queues: the sum is schedstat's second figure
 *      subsecond  of the wall clock at the switch
 *
 * Fields  those of process.h; of thread_executions and offcpu also
 *
 *      leavereason  the thread's state when it left
 *      reason       the call in which a thread sleeps, as in block_reason.h.  REASON_NONE: it could go on.
 *                   REASON_OTHER: it is stopped, or ends, or left before the reason was asked for
 *
 *          and of offcpu
 *
 *      stack        where it left (stack.h).  STACK_UNKNOWN: it left before the stack was asked for
 */
#ifndef HEATSCOPE_SCHED_H
#define HEATSCOPE_SCHED_H

#include "collector/trace/process.h"
#include "collector/trace/stack.h"

enum execution_measure { EXECUTION_RUNTIME, EXECUTION_SUBSECOND };
enum offcpu_measure { OFFCPU_TIME, OFFCPU_BLOCKED, OFFCPU_RUNQWAIT, OFFCPU_SUBSECOND };
enum runqwait_measure { RUNQWAIT_TIME, RUNQWAIT_SUBSECOND };

enum sched_field { SCHED_LEAVEREASON = PROCESS_N_FIELDS, SCHED_REASON, SCHED_STACK };

enum leave_reason {
	LEAVE_PREEMPTED,		/* or gave the CPU away: it could go on */
	LEAVE_SLEEP,			/* until something happens, or a signal */
	LEAVE_UNINTERRUPTIBLE,		/* until something happens: disks, locks in the kernel */
	LEAVE_IDLE,			/* a kernel thread without work */
	LEAVE_STOPPED, LEAVE_TRACED, LEAVE_PARKED, LEAVE_FROZEN,
	LEAVE_EXITED,
	LEAVE_OTHER,
	LEAVE_N
};

/* Reads the task states of the kernel's sched.h, which have not changed since 4.14. */
static inline __u64 leave_reason(__u32 preempt, __u32 state)
{
	if (preempt || !state)
		return LEAVE_PREEMPTED;
	if (state & 0x01)
		return LEAVE_SLEEP;
	if (state & 0x02)
		return state & 0x400 ? LEAVE_IDLE : LEAVE_UNINTERRUPTIBLE;
	if (state & 0x04)
		return LEAVE_STOPPED;
	if (state & 0x08)
		return LEAVE_TRACED;
	if (state & (0x10 | 0x20 | 0x80))
		return LEAVE_EXITED;
	if (state & 0x40)
		return LEAVE_PARKED;
	if (state & 0x1000)		/* a lock in a kernel with PREEMPT_RT */
		return LEAVE_UNINTERRUPTIBLE;
	return state & 0x8000 ? LEAVE_FROZEN : LEAVE_OTHER;
}

#endif
