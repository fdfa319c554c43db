/* process_end.bpf.h - finds the end of a process at sched_process_exit, which every thread passes.
 *
 *      is_last(ctx, t): once per process, before its files are closed; wait_status(t): how it ended
 */
#ifndef HEATSCOPE_PROCESS_END_BPF_H
#define HEATSCOPE_PROCESS_END_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "collector/trace/vm.h"

#define SIGNAL_GROUP_EXIT 4		/* signal->flags: include/linux/sched/signal.h */

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

/* Returns what wait() would say; 0: the process ended by itself, without an error. */
static __always_inline __u32 wait_status(const struct task_struct *t)
{
	return t->signal->flags & SIGNAL_GROUP_EXIT ? t->signal->group_exit_code : t->exit_code;
}

#endif
