/* stack.bpf.h - gathers the stack of the running thread; see stack.h.  Each x.bpf.c includes it once.
 *
 * Only the thread itself can read its stack: when it leaves the CPU, not when it comes back.  Meanwhile no other
 * program of the same metric may interrupt it on its CPU.
 */
#ifndef HEATSCOPE_STACK_BPF_H
#define HEATSCOPE_STACK_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/core/key.h"
#include "collector/trace/stack.h"
#include "collector/trace/vm.h"

struct stacks_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u64));
	__uint(value_size, sizeof(struct stack));
};

struct {				/* while stacks are wanted, it has a map of STACKS_MAX from stacks_new() */
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__array(values, struct stacks_map);
} stacks SEC(".maps");

struct {				/* scratch memory for one stack */
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stack);
} stack_here SEC(".maps");

struct stack_hashing {
	const struct stack *stack;
	__u64 hash;
};

static __always_inline __u64 stack_mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0x100000001b3ull;
	return hash ^ hash >> 29;	/* the high bits of addresses are nearly all equal */
}

static long stack_hash_user(__u32 i, struct stack_hashing *h)
{
	h->hash = stack_mix(h->hash, h->stack->user[i & (STACK_USER - 1)]);
	return 0;
}

static long stack_hash_kernel(__u32 i, struct stack_hashing *h)
{
	h->hash = stack_mix(h->hash, h->stack->kernel[i & (STACK_KERNEL - 1)]);
	return 0;
}

static __always_inline __u32 stack_frames(long bytes)
{
	return bytes > 0 ? (__u32)bytes / sizeof(__u64) : 0;
}

static __always_inline __u64 stack_code(const struct stack *s)
{
	struct stack_hashing h = { s, stack_mix(HASH_SEED, (__u64)s->exec << 32 | s->pid) };

	bpf_loop(s->n_user, stack_hash_user, &h, 0);
	h.hash = stack_mix(h.hash, s->n_user);
	bpf_loop(s->n_kernel, stack_hash_kernel, &h, 0);
	return h.hash;
}

/* Returns the code of the stack of t, the current task. */
static __noinline __u64 stack_gather(void *ctx, struct task_struct *t)
{
	const __u32 zero = 0;
	struct stack *s = bpf_map_lookup_elem(&stack_here, &zero);
	void *all = bpf_map_lookup_elem(&stacks, &zero);
	__u64 code;

	if (!s || !all)
		return STACK_UNKNOWN;
	s->n_kernel = stack_frames(bpf_get_stack(ctx, s->kernel, sizeof(s->kernel), 0));
	s->n_user = stack_frames(bpf_get_stack(ctx, s->user, sizeof(s->user), BPF_F_USER_STACK));
	if (!s->n_kernel && !s->n_user)
		return STACK_UNKNOWN;
	s->pid = s->n_user ? t->tgid : 0;
	s->exec = s->n_user ? t->group_leader->self_exec_id : 0;
	code = stack_code(s);
	if (bpf_map_lookup_elem(all, &code))
		return code;
	bpf_probe_read_kernel(s->comm, sizeof(s->comm), &t->group_leader->comm);
	bpf_map_update_elem(all, &code, s, BPF_ANY);
	return code;
}

#endif
