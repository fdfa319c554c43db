/* tail_call.bpf.h - from an event program to the record programs, one after the other; see event.h.
 *
 *      chain_jump(ctx, bits)      to the record program of the lowest bit; it returns where that is not there
 *
 * Cost  With retpolines a jump to a place that is looked up takes 150 ns on a machine where those are dear, a tenth of what a query costs.
 *       To a constant place of the array the JIT makes a direct jump, which the kernel writes anew when the array changes
 *       (arch/x86/net/bpf_jit_comp.c, emit_bpf_tail_call_direct).  So the first few places have each a jump of their own; more of them
 *       would be more for the verifier to look at, behind every way through an event program.
 *
 * Included once per object: the event program's map is given to its record programs.
 */
#ifndef HEATSCOPE_CHAIN_BPF_H
#define HEATSCOPE_CHAIN_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/ring/event.h"
#include "collector/core/quantize.h"

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, CHAIN_MAX);
	__uint(key_size, 4);
	__uint(value_size, 4);
} chain SEC(".maps");

static __always_inline void chain_jump(void *ctx, __u32 bits)
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
