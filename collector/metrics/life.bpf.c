/* life.bpf.c - makes the events of proc.* and thread.creates; see life.h. */
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "collector/metrics/life.h"
#include "collector/trace/process.bpf.h"
#include "collector/trace/process_end.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Begins an event in e, of process t at this moment. */
static __always_inline struct event *life_event(struct events *e, struct task_struct *t, __u64 now_ns)
{
	struct event *event = event_now(e, now_ns);

	process_gather(event, t, now_ns);
	event->measure[LIFE_COUNT] = 1;
	event_subsecond(event, LIFE_SUBSECOND);
	return event;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(execs, struct task_struct *t, int old_pid, void *bprm)
{
	struct run r;
	struct events *e = events_here(&r);

	if (!e)
		return 0;
	life_event(e, t, bpf_ktime_get_ns());
	tail_call_run(ctx, &r, e);
	return 0;
}

static __always_inline int is_thread(const struct task_struct *t)
{
	return t->pid != t->tgid;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(forks, struct task_struct *parent, struct task_struct *t)
{
	struct run r;
	struct events *e = events_here(&r);

	if (!e)
		return 0;
	if (!is_thread(t))
		life_event(e, parent, bpf_ktime_get_ns());
	tail_call_run(ctx, &r, e);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(creates, struct task_struct *parent, struct task_struct *t)
{
	struct run r;
	struct events *e = events_here(&r);

	if (!e)
		return 0;
	if (is_thread(t))
		life_event(e, parent, bpf_ktime_get_ns());
	tail_call_run(ctx, &r, e);
	return 0;
}

static __always_inline void exit_event(struct events *e, struct task_struct *t)
{
	__u64 now_ns = bpf_ktime_get_ns();
	struct event *event = life_event(e, t, now_ns);

	event->field[LIFE_STATUS] = life_status(wait_status(t));
	event->measure[LIFE_WALLTIME] = now_ns - t->group_leader->start_time;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(exits, struct task_struct *t)
{
	struct run r;
	struct events *e = events_here(&r);

	if (!e)
		return 0;
	if (is_last(ctx, t))
		exit_event(e, t);
	tail_call_run(ctx, &r, e);
	return 0;
}
