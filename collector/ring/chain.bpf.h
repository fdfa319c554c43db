/* chain.bpf.h - passes the events of a CPU from the event program to one record program after another; see event.h.
 *
 *      event program: e = nesting_enter(cpu) ... tail_call_jump(ctx, bits), nesting_leave(cpu, e)
 *      record program: e = nesting_here(cpu) ... tail_call_jump(ctx, bits), nesting_leave(cpu, e)
 *
 * Nesting Events are kept per CPU and nesting level (struct events_cpu), so an interrupting program does not overwrite
 *         those of the interrupted one.  The program that entered last leaves first, because programs at tracepoints
 *         and perf events are not preempted (kernel/trace/bpf_trace.c, __bpf_trace_run).  A program that has entered
 *         must leave on every path, or the nesting level grows for ever.
 * Cost    The first few places have a jump of their own.  Such a jump to a constant place is direct: the kernel
 *         rewrites it when the array changes (arch/x86/net/bpf_jit_comp.c, emit_bpf_tail_call_direct).  A jump to a
 *         place that is looked up takes 150 ns with retpolines, a tenth of the cost of a query.  Jumps of their own
 *         for all places would give the verifier too much to check after every path through an event program.
 *
 * Every object includes it once: the maps of an event program are given to its record programs.
 */
#ifndef HEATSCOPE_CHAIN_BPF_H
#define HEATSCOPE_CHAIN_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/core/quantize.h"
#include "collector/ring/event.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct events_cpu);
} events SEC(".maps");

static __always_inline struct events_cpu *nesting_cpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&events, &zero);
}

/* Enters a level and returns its events; NULL: more programs are interrupted than the kernel's contexts allow. */
static __always_inline struct events *nesting_enter(struct events_cpu *cpu)
{
	__u32 depth = cpu->depth;

	if (depth >= EVENTS_DEPTH)
		return 0;
	cpu->depth = depth + 1;
	return &cpu->events[depth];
}

static __always_inline struct events *nesting_here(struct events_cpu *cpu)
{
	__u32 depth = cpu->depth - 1;

	return depth < EVENTS_DEPTH ? &cpu->events[depth] : 0;
}

#define RUN_LONGEST_NS 65536		/* a run that took longer was interrupted: that is not our cost */

/* Adds the time of a run; began_ns 0: it was not timed. */
static __always_inline void nesting_time(struct events_cpu *cpu, __u64 began_ns)
{
	__u64 took_ns = began_ns ? bpf_ktime_get_ns() - began_ns : 0;

	if (took_ns && took_ns <= RUN_LONGEST_NS) {
		cpu->timed_ns += took_ns;
		cpu->n_timed++;
	}
}

static __always_inline void nesting_leave(struct events_cpu *cpu, struct events *e)
{
	nesting_time(cpu, e->began_ns);
	cpu->depth--;
}

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, TAIL_CALL_MAX);
	__uint(key_size, 4);
	__uint(value_size, 4);
} chain SEC(".maps");

/* Jumps to the record program of the lowest bit; returns if that program is not loaded. */
static __always_inline void tail_call_jump(void *ctx, __u32 bits)
{
	switch (bits & -bits) {
	case 1 << 0:
		bpf_tail_call_static(ctx, &chain, 0);
		break;
	case 1 << 1:
		bpf_tail_call_static(ctx, &chain, 1);
		break;
	case 1 << 2:
		bpf_tail_call_static(ctx, &chain, 2);
		break;
	case 1 << 3:
		bpf_tail_call_static(ctx, &chain, 3);
		break;
	default:
		bpf_tail_call(ctx, &chain, highest_bit(bits & -bits));
	}
}

#endif
