/* sched_clock.bpf.h - measures a thread's clocks (thread_clock.h) at the scheduler's tracepoints.
 *
 *      sched_switch: leaves the CPU ...  sched_wakeup: may run again ...  sched_switch: runs
 *                    |<---------------- off ------------------------------------>|
 *                                                    |<-------- delay --------->|
 *
 * Event programs use it only if the kernel's task_struct lacks a member that thread_clock.bpf.h reads: it costs time at
 * every switch and wake-up of the machine.  `off` and `delay` then count from the thread's first use of it, not from
 * the thread's begin; only differences of two stamps are used.
 */
#ifndef HEATSCOPE_SCHED_CLOCK_BPF_H
#define HEATSCOPE_SCHED_CLOCK_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/trace/thread_clock.h"
#include "collector/trace/vm.h"

struct stopwatch {
	__u64 off, delay;		/* sums of the ended absences, ns */
	__u64 left_ns, ready_ns;	/* off the CPU since (0: it runs); able to run since (0: it is not) */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct stopwatch);
} stopwatches SEC(".maps");

/* At sched_switch, for the thread that leaves the CPU.  runnable: it waits only for a CPU. */
static __always_inline void switch_leaves(struct task_struct *t, int runnable)
{
	struct stopwatch *w = bpf_task_storage_get(&stopwatches, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!w)
		return;
	w->left_ns = bpf_ktime_get_ns();
	w->ready_ns = runnable ? w->left_ns : 0;
}

/* At sched_wakeup. */
static __always_inline void switch_wakes(struct task_struct *t)
{
	struct stopwatch *w = bpf_task_storage_get(&stopwatches, t, 0, 0);

	if (w && w->left_ns && !w->ready_ns)
		w->ready_ns = bpf_ktime_get_ns();
}

/* At sched_switch, for the thread that runs from now on. */
static __always_inline void switch_comes(struct task_struct *t)
{
	struct stopwatch *w = bpf_task_storage_get(&stopwatches, t, 0, 0);
	__u64 now = bpf_ktime_get_ns();

	if (!w || !w->left_ns)
		return;
	w->off += now - w->left_ns;
	if (w->ready_ns)
		w->delay += now - w->ready_ns;
	w->left_ns = w->ready_ns = 0;
}

/* Reads the clocks, as stamp_clocks() does on other kernels.  Without memory for a stopwatch, `split` is 0. */
static __always_inline void switch_clocks(struct stamp *s, struct task_struct *t)
{
	struct stopwatch *w = bpf_task_storage_get(&stopwatches, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	s->thread = t->pid;
	s->split = w != 0;
	s->off = w ? w->off : 0;
	s->delay = w ? w->delay : 0;
}

#endif
