/* stopwatch.bpf.c - measures one thread's system calls by number: how long it was blocked in them (from when it left
 * the CPU to when it was woken), how long they took in all, and the sum of their results.
 *
 * It measures in another way than the collector, which reads the scheduler's own sums and asks what a call is about:
 * the collector's times are compared with these.
 * A wait is dated by the run queue's clock, as the scheduler dates it: where a switch is expensive the tracepoints
 * come 1 us later.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "collector/trace/vm.h"

char LICENSE[] SEC("license") = "GPL";

#define CALLS 512			/* numbers of system calls; the last: none of them */

int thread = 0;
__u64 blocked_ns[CALLS] = { 0 };
__u64 whole_ns[CALLS] = { 0 }, returned[CALLS] = { 0 };
__u64 left_ns = 0, call = 0, begin_ns = 0;

static __always_inline __u64 queue_ns(struct task_struct *t)
{
	return t->se.cfs_rq->rq->clock;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(leaves, _Bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	struct pt_regs *regs;

	if (prev->pid != thread)
		return 0;
	regs = (struct pt_regs *)bpf_task_pt_regs(prev);
	call = call_number(regs);
	call = call < CALLS ? call : CALLS - 1;
	left_ns = preempt || !prev_state ? 0 : queue_ns(prev);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(woken, struct task_struct *t)
{
	if (t->pid != thread || !left_ns)
		return 0;
	blocked_ns[call & (CALLS - 1)] += queue_ns(t) - left_ns;
	left_ns = 0;
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(begins, struct pt_regs *regs, long id)
{
	struct task_struct *t = bpf_get_current_task_btf();

	if (t->pid == thread)
		begin_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(returns, struct pt_regs *regs, long ret)
{
	struct task_struct *t = bpf_get_current_task_btf();
	__u64 number = call_number(regs) & (CALLS - 1);

	if (t->pid != thread || !begin_ns)
		return 0;
	whole_ns[number] += bpf_ktime_get_ns() - begin_ns;
	if (ret > 0)
		returned[number] += ret;
	begin_ns = 0;
	return 0;
}
