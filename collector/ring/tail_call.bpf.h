/* tail_call.bpf.h - jumps from an event program to the record programs, one after the other; see event.h.
 *
 *      tail_call_jump(ctx, bits)      jumps to the record program of the lowest bit; it returns if that program is not
 *      loaded
 *
 * Cost  With retpolines, on a machine where those are expensive, a jump to a place that is looked up takes 150 ns, a
 *       tenth of the cost of a query.  To a constant place of the array the JIT makes a direct jump, which the kernel
 *       rewrites when the array changes (arch/x86/net/bpf_jit_comp.c, emit_bpf_tail_call_direct).  So each of the first
 *       few places has a jump of its own.  With more of them, the verifier would have more to check after every path
 *       through an event program.
 *
 * Every object includes it once: the event program's map is given to its record programs.
 */
#ifndef HEATSCOPE_TAIL_CALL_BPF_H
#define HEATSCOPE_TAIL_CALL_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/ring/event.h"
#include "collector/core/quantize.h"

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, TAIL_CALL_MAX);
	__uint(key_size, 4);
	__uint(value_size, 4);
} chain SEC(".maps");

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
