/* sched.bpf.c - makes the events of cpu.thread_executions, cpu.offcpu and cpu.runqwait; see sched.h.
 *
 * Each metric has a program of its own at the switch, so unwanted metrics cost nothing.  When it runs,
 * `prev` is still on the CPU. The kernel has already charged prev's time, but has not yet added next's wait.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "collector/trace/process.bpf.h"
#include "collector/trace/block_reason.bpf.h"
#include "collector/metrics/sched.h"
#include "collector/trace/stack.bpf.h"

char LICENSE[] SEC("license") = "GPL";

__u64 unseen = 0;			/* waits that were lost because the kernel did not show us the switches */

/* The kernel does not show every switch to a program: for example, not one that happens while the program runs.
 * Then a thread is on a CPU, or off it, without a seen arrival or departure.  The kernel's own counters of the
 * thread show what was missed. */

static __always_inline __u64 queue_clock(const struct task_struct *t)
{
	return t->se.cfs_rq->rq->clock;
}

/* When it came to its CPU, by our clock; the kernel noted it by the run queue's clock. */
static __always_inline __u64 arrived_ns(const struct task_struct *t, __u64 now_ns)
{
	return now_ns - (queue_clock(t) - t->sched_info.last_arrival);
}

/* A thread's time in run queues, up to now: the kernel adds the wait since the thread was queued when it lets it run
 * or moves it to another queue. */
static __always_inline __u64 delay_until_now(const struct task_struct *t)
{
	__u64 queued = t->sched_info.last_queued, clock = queue_clock(t);

	return t->sched_info.run_delay + (queued && clock > queued ? clock - queued : 0);
}

/* Notes from before this attachment are not valid. */
static __always_inline __u64 attachment(void)
{
	return attached_ns + 1;
}

/* The reason that t leaves the CPU for; not looked up if no instrumentation wants it. */
static __always_inline __u64 left_for(struct task_struct *t, __u64 leave)
{
	if (leave == LEAVE_PREEMPTED)
		return REASON_NONE;
	if (!(wanted & WANTED_FIELD(SCHED_REASON)) || (leave != LEAVE_SLEEP && leave != LEAVE_UNINTERRUPTIBLE))
		return REASON_OTHER;
	return reason_of(t);
}

/* ---- on a CPU ---- */

struct running {			/* the thread that came to the CPU */
	__u64 attachment;
	__u64 runtime;			/* charged to it at that time */
	int thread, pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct running);
} running SEC(".maps");

static __always_inline __u64 runtime_of(const struct running *on, const struct task_struct *t)
{
	__u64 runtime = queue_clock(t) - t->sched_info.last_arrival;

	barrier_var(runtime);		/* one load must not serve pointers of two types */
	return on->thread == t->pid ? t->se.sum_exec_runtime - on->runtime : runtime;
}

static __always_inline void execution(struct events *e, const struct running *on, struct task_struct *t, __u64 leave)
{
	__u64 now_ns = bpf_ktime_get_ns();
	struct event *event = event_now(e, now_ns);

	process_gather(event, t, now_ns);
	event->field[SCHED_LEAVEREASON] = leave;
	event->field[SCHED_REASON] = left_for(t, leave);
	event->measure[EXECUTION_RUNTIME] = runtime_of(on, t);
	event_subsecond(event, EXECUTION_SUBSECOND);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(executions, int preempt, struct task_struct *prev, struct task_struct *next, unsigned int state)
{
	__u32 zero = 0;
	struct running *on = bpf_map_lookup_elem(&running, &zero);
	struct events *e = 0;
	__u32 weight = 0;
	struct run r;

	if (!on || run_begin(&r))
		return 0;
	if (prev->pid && on->attachment == attachment())
		weight = sample_weight(r.cpu);
	if (weight)
		e = run_events(&r);
	if (e) {
		e->weight = weight;
		execution(e, on, prev, leave_reason(preempt, state));
	}
	on->attachment = attachment();
	on->thread = next->pid;
	on->runtime = next->se.sum_exec_runtime;
	tail_call_run(ctx, &r, e);
	return 0;
}

/* ---- off the CPUs ---- */

struct off {
	__u64 since_ns;			/* 0: it is on a CPU, or its departure was not seen */
	__u64 delay;			/* its time in run queues at that time */
	__u64 stack;
	__u16 leave, reason;
	__u32 weight;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct off);
} offs SEC(".maps");

/* It came back at end_ns; `delay` is its time in run queues at that time. */
static __always_inline void offcpu_event(struct events *e, const struct off *off, struct task_struct *t, __u64 delay,
					 __u64 end_ns)
{
	__u64 time = end_ns - off->since_ns, wait = delay - off->delay;
	struct event *event;

	if (off->since_ns < attached_ns || end_ns < off->since_ns)
		return;
	event = event_now(e, end_ns);
	e->weight = off->weight;
	if (off->leave == LEAVE_PREEMPTED || wait > time)
		wait = time;		/* the queue has a different clock */
	process_gather(event, t, end_ns);
	event->field[SCHED_LEAVEREASON] = off->leave;
	event->field[SCHED_REASON] = off->reason;
	event->field[SCHED_STACK] = off->stack;
	event->measure[OFFCPU_TIME] = time;
	event->measure[OFFCPU_BLOCKED] = time - wait;
	event->measure[OFFCPU_RUNQWAIT] = wait;
	event_subsecond(event, OFFCPU_SUBSECOND);
}

static __always_inline void offcpu_leaves(void *ctx, const struct run *r, struct events *e, struct task_struct *t, __u64 leave)
{
	__u32 weight = leave == LEAVE_EXITED ? 0 : sample_weight(r->cpu);
	struct off *off = bpf_task_storage_get(&offs, t, 0, weight ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	__u64 now_ns;

	if (!off || (!weight && !off->since_ns))
		return;
	now_ns = bpf_ktime_get_ns();
	if (off->since_ns)		/* its return was not seen */
		offcpu_event(e, off, t, t->sched_info.run_delay, arrived_ns(t, now_ns));
	off->weight = weight;
	off->since_ns = weight ? now_ns : 0;
	off->delay = t->sched_info.run_delay;
	off->leave = leave;
	off->reason = left_for(t, leave);
	off->stack = weight && (wanted & WANTED_FIELD(SCHED_STACK)) ? stack_gather(ctx, t) : STACK_UNKNOWN;
	process_remember(t, now_ns);
}

static __always_inline void offcpu_comes(struct events *e, struct task_struct *t)
{
	struct off *off = bpf_task_storage_get(&offs, t, 0, 0);

	if (!off || !off->since_ns)
		return;
	offcpu_event(e, off, t, delay_until_now(t), bpf_ktime_get_ns());
	off->since_ns = 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(offcpu, int preempt, struct task_struct *prev, struct task_struct *next, unsigned int state)
{
	struct run r;
	struct events *e = events_here(&r);

	if (!e)
		return 0;
	if (prev->pid)
		offcpu_leaves(ctx, &r, e, prev, leave_reason(preempt, state));
	if (next->pid)
		offcpu_comes(e, next);
	tail_call_run(ctx, &r, e);
	return 0;
}

/* ---- in a run queue ---- */

struct wait {
	__u64 attachment;
	__u64 delay;			/* the thread's time in run queues when it last came to a CPU */
	__u64 nth;			/* how often it had come at that time */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wait);
} waits SEC(".maps");

static __always_inline void runqwait_event(struct events *e, struct task_struct *t, __u64 time, __u64 end_ns)
{
	struct event *event = event_now(e, end_ns);

	process_gather(event, t, end_ns);
	event->measure[RUNQWAIT_TIME] = time;
	event_subsecond(event, RUNQWAIT_SUBSECOND);
}

/* Its time in run queues when this wait began.  run_delay alone is not enough: if the thread was moved to another
 * queue since, it includes the first part of this wait.  If the last arrival was not seen (samples), run_delay is
 * used. */
static __always_inline __u64 delay_before(struct events *e, const struct wait *w, struct task_struct *t, __u64 now_ns)
{
	__u64 delay = t->sched_info.run_delay, nth = t->sched_info.pcount;

	if (!nth)
		return 0;
	if (every > 1 || !w || w->attachment != attachment())
		return delay;
	if (w->nth == nth)
		return w->delay;
	if (w->nth + 1 == nth)		/* its last arrival was not seen */
		runqwait_event(e, t, delay - w->delay, arrived_ns(t, now_ns));
	else
		__sync_fetch_and_add(&unseen, nth - w->nth);	/* the parts are not known */
	return delay;
}

static __always_inline void runqwait_comes(struct events *e, struct task_struct *t)
{
	struct wait *w = bpf_task_storage_get(&waits, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	__u64 now_ns = bpf_ktime_get_ns(), delay = delay_until_now(t);

	runqwait_event(e, t, delay - delay_before(e, w, t, now_ns), now_ns);
	if (!w)
		return;
	w->attachment = attachment();
	w->delay = delay;
	w->nth = t->sched_info.pcount + 1;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(runqwait, int preempt, struct task_struct *prev, struct task_struct *next, unsigned int state)
{
	struct events *e = 0;
	__u32 weight = 0;
	struct run r;

	if (run_begin(&r))
		return 0;
	if (prev->pid && (wanted & WANTED_FIELD(PROCESS_PSARGS)))
		process_remember(prev, bpf_ktime_get_ns());
	if (next->pid && next->sched_info.last_queued)
		weight = sample_weight(r.cpu);
	if (weight)
		e = run_events(&r);
	if (e) {
		e->weight = weight;
		runqwait_comes(e, next);
	}
	tail_call_run(ctx, &r, e);
	return 0;
}
