/* The least that tells a latency from the sockets of a server: its name, a start per socket, two clocks, a histogram of powers of two.
 * No protocol, no connection's state, no key, no time.  What bench overhead calls "the least": nothing at these tracepoints can cost less. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "../../collector/quantize.h"
#include "../../collector/vm.h"

char LICENSE[] SEC("license") = "GPL";

#define MARIADBD 0x646264616972616dull	/* "mariadbd" */

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} starts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} hist SEC(".maps");

static __always_inline int is_server(void)
{
	const __u64 *name = (const __u64 *)bpf_get_current_task_btf()->group_leader->comm;

	return name[0] == MARIADBD && !name[1];
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(received, struct sock *sk, int ret, int flags)
{
	__u64 *start = ret > 0 && is_server() ? bpf_sk_storage_get(&starts, sk, 0, BPF_SK_STORAGE_GET_F_CREATE) : 0;

	if (start && !*start)
		*start = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(sent, struct sock *sk, int ret, int flags)
{
	__u64 *start = is_server() ? bpf_sk_storage_get(&starts, sk, 0, 0) : 0, *n;
	__u32 power;

	if (!start || !*start)
		return 0;
	power = highest_bit((bpf_ktime_get_ns() - *start) | 1);
	*start = 0;
	n = bpf_map_lookup_elem(&hist, &power);
	if (n)
		++*n;
	return 0;
}
