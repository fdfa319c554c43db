/* syscall.bpf.c - makes the events of syscall.syscalls; see syscall.h.
 *
 *      sys_enter -> the thread's `calls`      sys_exit -> events (per CPU) --tail call--> record programs
 *
 * Both run at every system call of the machine, so they gather only the wanted fields.  If task_struct lacks the clocks
 * that thread_clock.bpf.h reads, and only then, sched_clock.bpf.h is loaded too.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "collector/ring/events.bpf.h"
#include "collector/trace/process.bpf.h"
#include "collector/trace/thread_clock.bpf.h"
#include "collector/trace/sched_clock.bpf.h"
#include "collector/metrics/syscall.h"
#include "collector/trace/vm.h"

char LICENSE[] SEC("license") = "GPL";

/* Calls that return no result; -1: none such. */
const volatile __s32 sigreturn = -1, sigreturn_compat[2] = { -1, -1 };

const volatile __u32 by_switch = 0;	/* this kernel needs the stopwatch at the scheduler */

__u64 no_memory = 0;		/* calls for which there was no memory */

struct call {
	struct stamp start;		/* ns 0: no call is under way that we look at */
	__u64 code;
	__u32 weight, pad;		/* how many calls it stands for */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct call);
} calls SEC(".maps");

static __always_inline __u64 code_of(struct task_struct *t, long id)
{
	__u64 code = (__u32)id;

	if (call_is_32bit(t))
		code |= SYSCALL_COMPAT;
	return code;
}

static __always_inline void stamp(struct stamp *s, struct task_struct *t)
{
	s->ns = bpf_ktime_get_ns();
	if (!(wanted & WANTED_MEASURE(SYSCALL_CPUTIME)))
		return;
	if (by_switch)
		switch_clocks(s, t);
	else
		stamp_clocks(s, t);
}

static __always_inline void call_begin(const struct run *r, struct task_struct *t, long id)
{
	__u32 weight = sample_weight(r->cpu);
	struct call *c;

	if (!weight)
		return;
	c = bpf_task_storage_get(&calls, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!c) {
		__sync_fetch_and_add(&no_memory, weight);
		return;
	}
	c->code = code_of(t, id);
	c->weight = weight;
	stamp(&c->start, t);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(enter, struct pt_regs *regs, long id)
{
	struct run r;

	if (run_begin(&r))
		return 0;
	call_begin(&r, bpf_get_current_task_btf(), id);
	run_end(&r);
	return 0;
}

static __always_inline __u64 errno_of(__u64 code, long ret)
{
	if (ret >= 0 || ret < -SYSCALL_ERRNO_MAX)
		return 0;
	if (code & SYSCALL_COMPAT)
		return (__s32)code == sigreturn_compat[0] || (__s32)code == sigreturn_compat[1] ? 0 : -ret;
	return (__s32)code == sigreturn ? 0 : -ret;
}

static __always_inline __u64 cputime(const struct stamp *start, const struct stamp *end)
{
	__u64 latency = end->ns - start->ns, off = end->off - start->off;

	if (!start->split || !end->split)
		return 0;
	if ((__s64)off < 0)
		off = 0;
	return latency - (off < latency ? off : latency);
}

static __always_inline void call_end(struct events *e, const struct call *c, struct task_struct *t, long ret)
{
	struct event *at = &e->event[0];
	struct stamp end = { 0 };

	stamp(&end, t);
	if (wanted & WANTED_MEASURE(SYSCALL_CPUTIME))
		at->measure[SYSCALL_CPUTIME] = cputime(&c->start, &end);
	at->end_ns = end.ns + wall_offset;
	event_subsecond(at, SYSCALL_SUBSECOND);
	at->measure[SYSCALL_LATENCY] = end.ns - c->start.ns;
	at->field[SYSCALL_SYSCALL] = c->code;
	at->field[SYSCALL_ERRNO] = errno_of(c->code, ret);
	process_gather(at, t, end.ns);
	e->n = 1;
	e->weight = c->weight;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(leave, struct pt_regs *regs, long ret)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct events *e = 0;
	struct call *c;
	struct run r;

	if (run_begin(&r))
		return 0;
	c = bpf_task_storage_get(&calls, t, 0, 0);
	if (c && c->start.ns) {
		if (c->start.ns >= attached_ns)
			e = run_events(&r);
		if (e)
			call_end(e, c, t, ret);
		c->start.ns = 0;
		c->start.split = 0;
	}
	tail_call_run(ctx, &r, e);
	return 0;
}

SEC("?tp_btf/sched_switch")
int BPF_PROG(switched, _Bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	switch_leaves(prev, preempt || !prev_state);
	switch_comes(next);
	return 0;
}
