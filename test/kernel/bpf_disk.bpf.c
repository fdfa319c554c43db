/* bpf_disk.bpf.c - counts the completions of one disk that the kernel shows to BPF; see bpf_disk.c. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "collector/trace/vm.h"

enum { REQ_OP_READ, REQ_OP_WRITE };	/* linux/blk_types.h */

char LICENSE[] SEC("license") = "GPL";

char disk[32] = { 0 };			/* its name */
struct {
	__u64 n, bytes;
} shown[16] = { 0 };			/* per operation */
__u64 below = 0;			/* bytes written to other disks */

static __always_inline int is_ours(struct gendisk *d)
{
	char name[32] = { 0 };
	__u32 i;

	if (!d)
		return 0;
	bpf_probe_read_kernel_str(name, sizeof(name), &d->disk_name);
	for (i = 0; i < sizeof(name); i++)
		if (name[i] != disk[i])
			return 0;
	return 1;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(complete, struct request *rq, int error, unsigned int n_bytes)
{
	__u32 op = rq->cmd_flags & 15;

	if (!is_ours(rq->q->disk)) {
		if (op == REQ_OP_WRITE)
			__sync_fetch_and_add(&below, n_bytes);
		return 0;
	}
	if (!n_bytes && op <= REQ_OP_WRITE)
		return 0;
	__sync_fetch_and_add(&shown[op].n, 1);
	__sync_fetch_and_add(&shown[op].bytes, n_bytes);
	return 0;
}
