/* thread_clock.bpf.h - reads a thread's clocks without a hook in the scheduler.
 *
 * It gives the same times as sched_clock.bpf.h.  It needs se.cfs_rq and sched_info of struct task_struct; need_split()
 * says whether a kernel has them, and sched_clock.bpf.h replaces it on kernels that do not.
 */
#ifndef HEATSCOPE_THREAD_CLOCK_BPF_H
#define HEATSCOPE_THREAD_CLOCK_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "collector/trace/thread_clock.h"
#include "collector/trace/vm.h"

/* Sets all of s but the time, or `split` to 0 without those members.  t: the current task, or at sched_switch the
 * thread that leaves the CPU.  While a task runs, exec_start - sum_exec_runtime is constant; it grows exactly by the
 * time in which the task does not run.  clock - clock_task is stolen time, which differs per CPU. */
static __always_inline void stamp_clocks(struct stamp *s, struct task_struct *t)
{
	struct rq *rq = 0;

	s->thread = t->pid;
	s->split = 0;
	if (!bpf_core_field_exists(t->se.cfs_rq) || !bpf_core_field_exists(t->se.exec_start) ||
	    !bpf_core_field_exists(rq->clock_task) || !bpf_core_field_exists(t->sched_info.run_delay))
		return;
	rq = t->se.cfs_rq->rq;
	s->off = t->se.exec_start + (rq->clock - rq->clock_task) - t->se.sum_exec_runtime;
	s->delay = t->sched_info.run_delay;
	s->split = 1;
}

#endif
