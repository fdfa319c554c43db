/* lock.bpf.c - makes the events of lock.contention; see lock.h.
 *
 *      contention_begin -> waits of the thread, or spins of the CPU -> contention_end -> events
 *
 * These programs run wherever the kernel takes locks, also while it holds others.  A program that interrupts another on
 * its CPU cannot damage its data: the data is in task storage and preallocated hashes, and no program runs inside
 * itself.  While the collector reads a map of ours, it may hold a lock of that map, so we ignore its spinning waits.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "collector/metrics/lock.h"
#include "collector/trace/process.bpf.h"

char LICENSE[] SEC("license") = "GPL";

const volatile int collector = 0;	/* its process */
__u64 unseen = 0;			/* waits whose end was not seen, or for which there was no space */

struct wait {
	__u64 lock;			/* 0: none */
	__u64 since_ns;
	__u32 flags, weight;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wait);
} waits SEC(".maps");

#define SPINS 4				/* nesting levels: a thread, a softirq, an interrupt and an NMI */

struct spins {
	struct wait wait[SPINS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct spins);
} spins SEC(".maps");

/* ---- begin ---- */

static __always_inline void wait_begins(struct wait *w, __u64 lock, __u32 flags)
{
	w->weight = sample_weight(nesting_cpu());
	w->since_ns = w->weight ? bpf_ktime_get_ns() : 0;
	w->flags = flags;
	w->lock = lock;
}

static __always_inline int spin_begins(__u64 lock, __u32 flags)
{
	__u32 zero = 0, i;
	struct spins *s = bpf_map_lookup_elem(&spins, &zero);

	if (!s)
		return 0;
	for (i = 0; i < SPINS; i++) {
		if (s->wait[i].lock)
			continue;
		wait_begins(&s->wait[i], lock, flags);
		return 0;
	}
	for (i = 0; i < SPINS; i++)	/* a wait that is still here has ended unseen */
		s->wait[i].lock = 0;
	__sync_fetch_and_add(&unseen, SPINS);
	wait_begins(&s->wait[0], lock, flags);
	return 0;
}

SEC("tp_btf/contention_begin")
int BPF_PROG(begins, void *at, unsigned int flags)
{
	struct task_struct *t = bpf_get_current_task_btf();
	__u64 lock = (__u64)at;
	struct wait *w;

	if (lock_spins(flags))
		return t->tgid == collector ? 0 : spin_begins(lock, flags);
	w = bpf_task_storage_get(&waits, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (w && w->lock != lock)	/* a mutex begins to spin, and later begins again to sleep */
		wait_begins(w, lock, flags);
	return 0;
}

/* ---- end ---- */

static __always_inline struct wait *spin_of(__u64 lock)
{
	__u32 zero = 0, i;
	struct spins *s = bpf_map_lookup_elem(&spins, &zero);

	for (i = 0; s && i < SPINS; i++)
		if (s->wait[i].lock == lock)
			return &s->wait[i];
	return 0;
}

/* Identifies locks by their addresses. */
static __always_inline __u64 lock_name(struct task_struct *t, __u64 lock)
{
	struct mm_struct *mm = t->mm;

	return mm && (__u64)__builtin_preserve_access_index(&mm->mmap_lock) == lock ? LOCK_MMAP : LOCK_ANY;
}

static __always_inline void wait_ends(struct events *e, const struct wait *w, struct task_struct *t)
{
	__u64 now_ns = bpf_ktime_get_ns();
	struct event *event = event_now(e, now_ns);

	e->weight = w->weight;
	process_gather(event, t, now_ns);
	event->field[LOCK_TYPE] = lock_type(w->flags);
	event->field[LOCK_LOCK] = lock_name(t, w->lock);
	event->measure[LOCK_LATENCY] = now_ns - w->since_ns;
	event->measure[LOCK_COUNT] = 1;
	event_subsecond(event, LOCK_SUBSECOND);
}

SEC("tp_btf/contention_end")
int BPF_PROG(ends, void *at, int ret)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct events *e = 0;
	struct wait *w;
	struct run r;

	if (run_begin(&r))
		return 0;
	w = spin_of((__u64)at);
	if (!w)
		w = bpf_task_storage_get(&waits, t, 0, 0);
	if (w && w->lock == (__u64)at) {
		if (w->weight && w->since_ns > attached_ns)
			e = run_events(&r);
		if (e)
			wait_ends(e, w, t);
		w->lock = 0;
	}
	tail_call_run(ctx, &r, e);
	return 0;
}
