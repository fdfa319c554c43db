/* perf.bpf.h - declares the argument of a program at a perf event: struct bpf_perf_event_data of x86-64.
 *
 * linux/bpf_perf_event.h would bring its own struct pt_regs, which differs from vm.h's.
 */
#ifndef HEATSCOPE_PERF_BPF_H
#define HEATSCOPE_PERF_BPF_H

#include <linux/types.h>

enum { PERF_REG_CS = 17, PERF_REGS = 21 };

struct perf_data {
	__u64 reg[PERF_REGS];
	__u64 sample_period;
	__u64 addr;
};

/* Was the CPU in user mode?  The two lowest bits of the code segment are the ring. */
static __always_inline int perf_in_user(const struct perf_data *data)
{
	return (data->reg[PERF_REG_CS] & 3) != 0;
}

#endif
