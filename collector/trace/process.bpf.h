/* process.bpf.h - gathers the process fields of an event (process.h) in the kernel.
 *
 *      process storage  (of the group's first task)  name, arguments -> codes     one look-up, if wanted
 *      cgroup storage                                path -> codes                one look-up, if wanted
 *
 * The storages keep the codes.  An event makes a process' codes again only if it finds another name or a new exec.  At
 * most once a second, an event makes the codes of its control group again, and puts back texts that the maps have
 * forgotten: the maps evict the texts that were unused for longest.
 */
#ifndef HEATSCOPE_PROCESS_BPF_H
#define HEATSCOPE_PROCESS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "collector/ring/events.bpf.h"
#include "collector/trace/cgroup.bpf.h"
#include "collector/trace/process.h"
#include "collector/trace/text.bpf.h"
#include "collector/trace/vm.h"

#define PROCESS_CHECK_NS 1000000000ull
#define MAP_TYPE_CGRP_STORAGE 32	/* Linux 6.2; older headers lack it */

struct process {
	__u64 comm[2];			/* the name whose code is execname */
	__u64 execname;
	__u64 exec;			/* 1 + number of the exec whose arguments are in psargs; 0: they are not read */
	__u64 psargs;
	__u64 check_ns;			/* no check of the maps before then */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct process);
} processes SEC(".maps");

struct {
	__uint(type, MAP_TYPE_CGRP_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct cgroup_codes);
} cgroups SEC(".maps");

/* ---- name and arguments ---- */

static __noinline int process_name(struct process *p, struct task_struct *first)
{
	struct text text = { { 0 } };

	bpf_probe_read_kernel(&text, sizeof(p->comm), &first->comm);
	text.text[sizeof(p->comm) - 1] = 0;
	p->execname = text_remember(&text, 0);
	__builtin_memcpy(p->comm, &text, sizeof(p->comm));	/* last, because other threads compare with it */
	return 0;
}

struct args {
	struct text text;
	__u32 seen;			/* saw a byte other than NUL, from the end on */
};

static long args_step(__u32 i, struct args *a)
{
	__u32 at = TEXT_MAX - 1 - i;

	if (at >= TEXT_MAX)
		return 1;
	if (a->text.text[at])
		a->seen = 1;
	else if (a->seen)
		a->text.text[at] = ' ';
	return 0;
}

/* Reads the arguments.  Only the process itself can read its memory.  If that fails (paged out), the next event tries
 * again. */
static __noinline int process_args(struct process *p, struct task_struct *t)
{
	struct mm_struct *mm = t->mm;
	struct args a = { { { 0 } }, 0 };
	__u64 n;

	if (!mm)
		return -1;
	n = mm->arg_end - mm->arg_start;
	if (n > PROCESS_ARGS_MAX)
		n = PROCESS_ARGS_MAX;
	barrier_var(n);
	if (!n || bpf_probe_read_user(&a.text, n & 127, (void *)mm->arg_start))
		return -1;
	bpf_loop(TEXT_MAX, args_step, &a, 0);
	if (!a.text.text[0])
		return -1;
	text_cut(a.text.text);
	p->psargs = text_remember(&a.text, 0);
	p->exec = t->group_leader->self_exec_id + 1;
	return 0;
}

static __noinline int process_check(struct process *p, __u64 now_ns)
{
	p->check_ns = now_ns + PROCESS_CHECK_NS;
	if (!bpf_map_lookup_elem(&texts, &p->execname))
		p->comm[0] = p->comm[1] = 0;
	if (!bpf_map_lookup_elem(&texts, &p->psargs))
		p->exec = 0;
	return 0;
}

/* Returns the process with its name; NULL: no memory. */
static __always_inline struct process *process_of(struct task_struct *t, __u64 now_ns)
{
	struct task_struct *first = t->group_leader;
	struct process *p = bpf_task_storage_get(&processes, first, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	const __u64 *comm = (const __u64 *)first->comm;

	if (!p)
		return 0;
	if (now_ns > p->check_ns)
		process_check(p, now_ns);
	if (p->comm[0] != comm[0] || p->comm[1] != comm[1])
		process_name(p, first);
	if ((wanted & WANTED_FIELD(PROCESS_PSARGS)) && p->exec != first->self_exec_id + 1 &&
	    t == bpf_get_current_task_btf())
		process_args(p, t);
	return p;
}

static __always_inline void process_names(struct event *e, struct task_struct *t, __u64 now_ns)
{
	struct process *p = process_of(t, now_ns);

	e->field[PROCESS_EXECNAME] = e->field[PROCESS_PSARGS] = PROCESS_UNKNOWN;
	if (!p)
		return;
	e->field[PROCESS_EXECNAME] = p->execname;
	e->field[PROCESS_PSARGS] = p->exec == t->group_leader->self_exec_id + 1 ? p->psargs : p->execname;
}

/* ---- cgroup ---- */

static __always_inline void process_cgroup_unknown(struct event *e)
{
	e->field[PROCESS_CGROUP] = e->field[PROCESS_UNIT] = e->field[PROCESS_CONTAINER] = PROCESS_UNKNOWN;
	e->field[PROCESS_POD] = e->field[PROCESS_CONTAINER_NAME] = PROCESS_UNKNOWN;
}

static __always_inline void process_cgroup(struct event *e, struct task_struct *t, __u64 now_ns)
{
	struct cgroup *c = t->cgroups->dfl_cgrp;
	struct cgroup_codes *codes = bpf_cgrp_storage_get(&cgroups, c, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	process_cgroup_unknown(e);
	if (!codes)
		return;
	if (now_ns > codes->check_ns) {
		codes->check_ns = now_ns + CGROUP_CHECK_NS;
		cgroup_learn(codes, c);
	}
	e->field[PROCESS_CGROUP] = codes->path;
	e->field[PROCESS_UNIT] = codes->unit;
	e->field[PROCESS_CONTAINER] = codes->container;
	e->field[PROCESS_POD] = codes->pod;
	e->field[PROCESS_CONTAINER_NAME] = codes->name;
}

/* ---- the fields of an event ---- */

#define PROCESS_WANTED_NAMES (WANTED_FIELD(PROCESS_EXECNAME) | WANTED_FIELD(PROCESS_PSARGS))
#define PROCESS_WANTED_CGROUP \
	(WANTED_FIELD(PROCESS_CGROUP) | WANTED_FIELD(PROCESS_UNIT) | WANTED_FIELD(PROCESS_CONTAINER) | \
	 WANTED_FIELD(PROCESS_POD) | WANTED_FIELD(PROCESS_CONTAINER_NAME))

/* Reads a process' arguments while it is on the CPU, for events that come when it is not. */
static __always_inline void process_remember(struct task_struct *t, __u64 now_ns)
{
	if (wanted & WANTED_FIELD(PROCESS_PSARGS))
		process_of(t, now_ns);
}

/* Fills the wanted fields.  now_ns: CLOCK_MONOTONIC. */
static __always_inline void process_gather(struct event *e, struct task_struct *t, __u64 now_ns)
{
	__u64 bits = wanted;

	if (!(bits & PROCESS_WANTED))
		return;
	e->field[PROCESS_PID] = t->tgid;
	if (bits & WANTED_FIELD(PROCESS_PPID))
		e->field[PROCESS_PPID] = t->group_leader->real_parent->tgid;
	if (bits & PROCESS_WANTED_NAMES)
		process_names(e, t, now_ns);
	if (bits & PROCESS_WANTED_CGROUP)
		process_cgroup(e, t, now_ns);
}

#endif
