/* bpf_quantize.bpf.c - runs ruler_cell() in the kernel. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/core/quantize.h"

char LICENSE[] SEC("license") = "GPL";

#define N_VALUES 4096

__u64 ruler = 0;
__u64 n_values = 0;
__u64 value[N_VALUES] = { 0 };
__u32 cell[N_VALUES] = { 0 };

static long step(__u32 i, void *ctx)
{
	if (i >= n_values || i >= N_VALUES)
		return 1;
	cell[i] = ruler_cell(ruler, value[i]);
	return 0;
}

SEC("raw_tp")
int quantize(void *ctx)
{
	bpf_loop(N_VALUES, step, 0, 0);
	return 0;
}
