/* The least that tells a latency from the sockets of a server: its name, a start per socket, two clocks, a histogram of powers of two.
 * No protocol, no connection's state, no key, no time.  What bench overhead calls "the least": nothing at these tracepoints can cost less.
 * With `parts` it also looks once at the bytes of each receive and send, without which no protocol is followed, and tells the time on
 * the CPU and in the run queue, by the thread's own clocks: nothing that splits a command's time can cost less. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "../../collector/quantize.h"
#include "../../collector/stamp.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define MARIADBD 0x646264616972616dull	/* "mariadbd" */

#define LOOK 8

const volatile int parts = 0;

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct stamp);
} starts SEC(".maps");

struct hists {
	__u64 latency[64], off[64], delay[64];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct hists);
} hist SEC(".maps");

static __always_inline void stamp(struct stamp *s, struct task_struct *t)
{
	s->ns = bpf_ktime_get_ns();
	if (parts)
		stamp_clocks(s, t);
}

/* As much of a receive or send as its first look takes. */
static __always_inline __u64 bytes(struct task_struct *t)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(t);
	__u8 head[LOOK] = { 0 };

	if (parts && bpf_probe_read_user(head, sizeof(head), (const void *)regs->si))
		return 0;
	return 1 + head[3];
}

static __always_inline int is_server(struct task_struct *t)
{
	const __u64 *name = (const __u64 *)t->group_leader->comm;

	return name[0] == MARIADBD && !name[1];
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(received, struct sock *sk, int ret, int flags)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct stamp *start = ret > 0 && is_server(t) ? bpf_sk_storage_get(&starts, sk, 0, BPF_SK_STORAGE_GET_F_CREATE) : 0;

	if (start && bytes(t) && !start->ns)
		stamp(start, t);
	return 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(sent, struct sock *sk, int ret, int flags)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct stamp *start = is_server(t) ? bpf_sk_storage_get(&starts, sk, 0, 0) : 0, end;
	const __u32 zero = 0;
	struct hists *h;

	if (!start || !start->ns || !bytes(t))
		return 0;
	stamp(&end, t);
	h = bpf_map_lookup_elem(&hist, &zero);
	if (h) {
		h->latency[highest_bit((end.ns - start->ns) | 1) & 63]++;
		if (parts) {
			h->off[highest_bit((end.off - start->off) | 1) & 63]++;
			h->delay[highest_bit((end.delay - start->delay) | 1) & 63]++;
		}
	}
	start->ns = 0;
	return 0;
}
