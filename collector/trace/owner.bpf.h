/* owner.bpf.h - finds the process that owns a socket, for events in any context; see owners.h.
 *
 *      listen(), connect(): the calling process -> `owners`
 *      an iterator over open files: each process that has the socket open -> `owners`
 *
 * An accepted connection inherits the owner of its listening socket.  Each x.bpf.c includes it once.
 */
#ifndef HEATSCOPE_OWNER_BPF_H
#define HEATSCOPE_OWNER_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/ring/events.bpf.h"
#include "collector/trace/process.bpf.h"
#include "collector/trace/vm.h"

extern struct task_struct *bpf_task_from_pid(__s32 pid) __ksym;
extern void bpf_task_release(struct task_struct *t) __ksym;

__u32 pass = 0;				/* number of the iterator's pass */

struct owner {
	__u32 tgid;			/* 0: no owner is known */
	__u32 pass;			/* the pass that found it */
	__u32 mark, pad;		/* mark: for the metric's own use */
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_CLONE);
	__type(key, int);
	__type(value, struct owner);
} owners SEC(".maps");

static __always_inline struct owner *owner_of(const struct sock *sk, __u64 flags)
{
	return bpf_sk_storage_get(&owners, (void *)sk, 0, flags);
}

/* Makes the current process the owner. */
static __always_inline void owner_is_current(const struct sock *sk)
{
	struct owner *o = owner_of(sk, BPF_SK_STORAGE_GET_F_CREATE);

	if (o)
		o->tgid = bpf_get_current_pid_tgid() >> 32;
}

/* Notes a process that has the socket open.  Processes come in the order of their ids; the first one becomes the
 * owner. */
static __always_inline void owner_is(const struct sock *sk, __u32 tgid)
{
	struct owner *o = owner_of(sk, BPF_SK_STORAGE_GET_F_CREATE);

	if (!o || o->pass == pass)
		return;
	o->pass = pass;
	o->tgid = tgid;
}

/* Fills the event's process fields with those of process `tgid`, if it still exists. */
static __always_inline void owner_gather(struct event *e, __u32 tgid, __u64 now_ns)
{
	struct task_struct *t;

	if (!(wanted & PROCESS_WANTED))
		return;
	t = tgid ? bpf_task_from_pid(tgid) : 0;
	if (t) {
		process_gather(e, t, now_ns);
		bpf_task_release(t);
		return;
	}
	e->field[PROCESS_PID] = tgid;
	e->field[PROCESS_PPID] = 0;
	e->field[PROCESS_EXECNAME] = e->field[PROCESS_PSARGS] = PROCESS_UNKNOWN;
	process_cgroup_unknown(e);
}

#endif
