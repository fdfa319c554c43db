/* nesting.bpf.h - keeps event buffers per CPU, one per nesting level, so that an interrupting program does not
 * overwrite the events of the interrupted one; see struct events_cpu.
 *
 *      event program: e = nesting_enter(cpu) ... tail call or nesting_leave(cpu, e)
 *      record program: e = nesting_here(cpu) ... tail call or nesting_leave(cpu, e)
 *
 * Programs at tracepoints and perf events are not preempted (kernel/trace/bpf_trace.c, __bpf_trace_run), so the program
 * that entered last leaves first.  Every way out of a program that has entered must leave, or the depth grows for ever.
 */
#ifndef HEATSCOPE_NESTING_BPF_H
#define HEATSCOPE_NESTING_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
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

/* NULL: more programs are interrupted than the kernel's contexts allow. */
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

/* began_ns 0: the run was not timed. */
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

#endif
