/* events.bpf.h - how an event program hands its events to the record programs; see event.h.
 *
 *      e = events_here(); e->n = 0; fill e->event[e->n++]; chain_run(ctx, e)
 *
 * Included once by every x.bpf.c; x.c finds the maps and variables in its skeleton (tracer.h).
 */
#ifndef HEATSCOPE_EVENTS_BPF_H
#define HEATSCOPE_EVENTS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "event.h"
#include "quantize.h"

__u64 wall_offset = 0;			/* CLOCK_REALTIME - CLOCK_MONOTONIC */
__u64 wanted = 0;			/* what some instrumentation keeps: WANTED_FIELD(), WANTED_MEASURE() */
__u32 active = 0;			/* record programs in the chain */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct events);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, CHAIN_MAX);
	__uint(key_size, 4);
	__uint(value_size, 4);
} chain SEC(".maps");

static __always_inline struct events *events_here(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&events, &zero);
}

/* Does not come back, unless there is nothing to record. */
static __always_inline void chain_run(void *ctx, struct events *e)
{
	__u32 bits = active;

	if (!e->n || !bits)
		return;
	e->active = bits;
	bpf_tail_call(ctx, &chain, highest_bit(bits & -bits));
}

#endif
