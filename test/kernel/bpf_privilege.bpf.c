/* bpf_privilege.bpf.c - has one of each kind of object that a collector keeps using: a map, an iterator, a
 * tracepoint. */
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
struct task_struct;
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} __attribute__((preserve_access_index));

__u32 key = 0;

/* After the last task: writes the map's value of the key. */
SEC("iter/task")
int list(struct bpf_iter__task *ctx)
{
	__u64 *value = ctx->task ? 0 : bpf_map_lookup_elem(&some, &key);

	if (value)
		bpf_seq_write(ctx->meta->seq, value, sizeof(*value));
	return 0;
}
