/* bpf_privilege.bpf.c - one of each thing that a collector keeps using: a map, an iterator, a tracepoint. */
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8);
	__type(key, __u32);
	__type(value, __u64);
} some SEC(".maps");

__u64 n_switches;

SEC("tp_btf/sched_switch")
int switches(void *ctx)
{
	__sync_fetch_and_add(&n_switches, 1);
	return 0;
}

struct seq_file;
struct bpf_iter_meta {
	struct seq_file *seq;
} __attribute__((preserve_access_index));
struct bpf_iter__bpf_map_elem {
	struct bpf_iter_meta *meta;
	void *map, *key, *value;
} __attribute__((preserve_access_index));

SEC("iter/bpf_map_elem")
int list(struct bpf_iter__bpf_map_elem *ctx)
{
	__u32 *key = ctx->key;

	if (key)
		bpf_seq_write(ctx->meta->seq, key, sizeof(*key));
	return 0;
}
