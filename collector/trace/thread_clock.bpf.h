/* thread_clock.bpf.h - reads a thread's clocks without a hook in the scheduler.
 *
 * It is exact, compared with sched_clock.bpf.h.  It needs se.cfs_rq and sched_info of struct task_struct: without them
 * `split` stays 0, and the time is reported as unsplit.
 */
#ifndef HEATSCOPE_THREAD_CLOCK_BPF_H
#define HEATSCOPE_THREAD_CLOCK_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "collector/trace/thread_clock.h"
#include "collector/trace/vm.h"

/* Time off the CPU: while a task runs, exec_start - sum_exec_runtime is constant; it grows exactly
 * by the time in which the task did not run.  clock - clock_task: stolen time, which differs per CPU.
 * Sets all but the time; also works for a thread that leaves the CPU, at sched_switch. */
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
