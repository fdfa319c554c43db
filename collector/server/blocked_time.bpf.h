/* blocked_time.bpf.h - measures how long a turn was blocked for each reason (block_reason.h), without reading a clock.
 *
 *      begin          leaves: futex       leaves: io              end
 *        |---- on ----|........off........|-- on --|....off....|---|
 *                                         ^ the time off up to here was futex     ^ and the rest io
 *
 * A thread's time off the CPU grows only while it is off (thread_clock.h).  So the length of an absence is known when
 * the thread leaves the next time, or at the end: no program has to run when it comes back.  The time in the run queue
 * meanwhile is not blocked time.
 *
 * It also keeps the turn's file operations, which files.bpf.h adds.
 */
#ifndef HEATSCOPE_BLOCKED_TIME_BPF_H
#define HEATSCOPE_BLOCKED_TIME_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/metrics/fs.h"
#include "collector/trace/block_reason.bpf.h"
#include "collector/trace/thread_clock.h"

struct blocked_time {			/* of a thread's work since blocked_time_begin() */
	__u64 owner;			/* what the thread works at: a turn (id of its connection) or, in Redis, a
					 * service (its number); 0: nothing */
	__u64 off, delay;		/* a stamp's; the time before it has been added to the reasons */
	__u64 reason;			/* the reason of the time after it */
	struct blocked blocked;
	__u64 call, call_ns;		/* its current operation on a file, and its begin; call_ns 0: no operation that
					 * counts */
	struct fs_spent files;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct blocked_time);
} thread_parts SEC(".maps");

static __always_inline void blocked_time_add(struct blocked_time *p, const struct stamp *now)
{
	__s64 blocked = (now->off - p->off) - (now->delay - p->delay);

	if (blocked > 0)
		p->blocked.ns[p->reason & (REASON_SLOTS - 1)] += blocked;
	p->off = now->off;
	p->delay = now->delay;
}

/* Begins the blocked time of a turn or service.  This function and the next are not inlined, because their callers have
 * little stack left. */
static __noinline int blocked_time_begin(struct task_struct *t, const struct stamp *now, __u64 owner)
{
	struct blocked_time *p = bpf_task_storage_get(&thread_parts, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!p)
		return 0;
	__builtin_memset(&p->blocked, 0, sizeof(p->blocked));
	__builtin_memset(&p->files, 0, sizeof(p->files));
	p->call_ns = 0;
	p->off = now->off;
	p->delay = now->delay;
	p->reason = REASON_OTHER;
	p->owner = now->split ? owner : 0;
	return 0;
}

/* Returns the blocked time since the begin; all 0 if t does not work for the owner.  It may be called again,
 * later: then it returns the time up to then. */
static __noinline int blocked_time_end(struct task_struct *t, const struct stamp *now, __u64 owner,
				       struct blocked *ret_blocked, struct fs_spent *ret_files)
{
	struct blocked_time *p = bpf_task_storage_get(&thread_parts, t, 0, 0);

	if (!p || p->owner != owner) {
		__builtin_memset(ret_blocked, 0, sizeof(*ret_blocked));
		__builtin_memset(ret_files, 0, sizeof(*ret_files));
		return 0;
	}
	blocked_time_add(p, now);
	p->reason = REASON_OTHER;
	*ret_blocked = p->blocked;
	*ret_files = p->files;
	return 0;
}

static __always_inline void blocked_time_forget(struct task_struct *t, __u64 owner)
{
	struct blocked_time *p = bpf_task_storage_get(&thread_parts, t, 0, 0);

	if (p && p->owner == owner)
		p->owner = 0;
}

/* Returns the blocked time of t's work; NULL: t works at nothing. */
static __always_inline struct blocked_time *blocked_time_of(struct task_struct *t)
{
	struct blocked_time *p = bpf_task_storage_get(&thread_parts, t, 0, 0);

	return p && p->owner ? p : 0;
}

/* At sched_switch, when t leaves the CPU.  now: t's clocks, without the current time; could_run: t waits only for a
 * CPU. */
static __always_inline void blocked_time_leave(struct blocked_time *p, struct task_struct *t, const struct stamp *now,
					       int could_run)
{
	blocked_time_add(p, now);
	p->reason = could_run ? REASON_OTHER : reason_of(t);
	p->blocked.n_switches += !could_run;
	p->blocked.n_io += p->reason == REASON_IO;
}

#endif
