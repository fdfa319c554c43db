/* perf.bpf.h - what a program at a perf event is given: struct bpf_perf_event_data of x86-64.
 *
 * linux/bpf_perf_event.h would bring a struct pt_regs of its own, which is not vm.h's.
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

/* Was the program running, or the kernel for it?  The two lowest bits of the code segment are the ring. */
static __always_inline int perf_in_user(const struct perf_data *data)
{
	return (data->reg[PERF_REG_CS] & 3) != 0;
}

#endif
