/* perf.bpf.h - declares the argument of a program at a perf event: struct bpf_perf_event_data.
 *
 * linux/bpf_perf_event.h would bring its own struct pt_regs, which differs from machine.h's.
 */
#ifndef HEATSCOPE_PERF_BPF_H
#define HEATSCOPE_PERF_BPF_H

#include <linux/types.h>
#include "collector/trace/machine.h"

struct perf_data {
	__u64 reg[PERF_REGS];
	__u64 sample_period;
	__u64 addr;
};

#endif
