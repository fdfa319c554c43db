/* sched_clock.bpf.h - measures a thread's clocks at the scheduler's tracepoints.
 *
 *      sched_switch: leaves the CPU ...  sched_wakeup: may run again ...  sched_switch: runs
 *                    |<---------------- off ------------------------------------>|
 *                                                    |<-------- delay --------->|
 *
 * It replaces thread_clock.bpf.h where the kernel's task_struct lacks the members that thread_clock.bpf.h reads.  It
 * costs time at every switch and wake-up of the machine, so no other kernel gets it.
 */
#ifndef HEATSCOPE_SWITCH_BPF_H
#define HEATSCOPE_SWITCH_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/trace/thread_clock.h"
#include "collector/trace/vm.h"

struct stopwatch {
	__u64 off, delay;		/* sums so far */
	__u64 left_ns, ready_ns;	/* off the CPU since; able to run since (0: it is not) */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct stopwatch);
} stopwatches SEC(".maps");

static __always_inline void switch_leaves(struct task_struct *t, int runnable)
{
	struct stopwatch *w = bpf_task_storage_get(&stopwatches, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!w)
		return;
	w->left_ns = bpf_ktime_get_ns();
	w->ready_ns = runnable ? w->left_ns : 0;
}

static __always_inline void switch_wakes(struct task_struct *t)
{
	struct stopwatch *w = bpf_task_storage_get(&stopwatches, t, 0, 0);

	if (w && w->left_ns && !w->ready_ns)
		w->ready_ns = bpf_ktime_get_ns();
}

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

/* Replaces stamp_clocks().  split (thread_clock.h): off and delay are set, as the thread has a stopwatch. */
static __always_inline void switch_clocks(struct stamp *s, struct task_struct *t)
{
	struct stopwatch *w = bpf_task_storage_get(&stopwatches, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	s->thread = t->pid;
	s->split = w != 0;
	s->off = w ? w->off : 0;
	s->delay = w ? w->delay : 0;
}

#endif
