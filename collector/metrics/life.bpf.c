/* life.bpf.c - makes the events of proc.* and thread.creates; see life.h. */
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "collector/metrics/life.h"
#include "collector/trace/process.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define SIGNAL_GROUP_EXIT 4

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

struct process_key {
	__u64 start_time;
	__u32 pid, pad;
};

/* Threads that end together may all see that no other is left.  Since 6.16 the tracepoint says which of them is the
 * last (kernel/exit.c, do_exit); before, it is the first one that enters its process here. */
struct trace_event_raw_sched_process_exit {
	_Bool group_dead;
} __attribute__((preserve_access_index));

const volatile __u32 no_group_dead = 0;	/* for tests: as if the tracepoint did not say it */

struct {				/* reported exits; a process is here while its threads end together */
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct process_key);
	__type(value, __u32);
} ended SEC(".maps");

static __always_inline int is_first_report(struct task_struct *t)
{
	struct process_key key = { .start_time = t->group_leader->start_time, .pid = t->tgid };
	__u32 one = 1;

	return !bpf_map_update_elem(&ended, &key, &one, BPF_NOEXIST);
}

static __always_inline int is_last(__u64 *ctx, struct task_struct *t)
{
	if (!no_group_dead && bpf_core_field_exists(struct trace_event_raw_sched_process_exit, group_dead))
		return ctx[1] & 1;
	return !t->signal->live.counter && is_first_report(t);
}

static __always_inline __u32 wait_status(const struct task_struct *t)
{
	return t->signal->flags & SIGNAL_GROUP_EXIT ? t->signal->group_exit_code : t->exit_code;
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
