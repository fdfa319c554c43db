/* census.bpf.c - finds the listening sockets among the files of server processes.
 *
 *      iter/task_file: every open file of every process -> those of servers -> sockets that listen
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "collector/server/census_socket.h"
#include "collector/trace/file_socket.bpf.h"
#include "collector/trace/vm.h"

char LICENSE[] SEC("license") = "GPL";

#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define SOCK_STREAM 1
#define TCP_LISTEN 10			/* of Unix sockets too */

/* Names as two words each, to compare. */
const volatile __u64 name[CENSUS_NAMES][2] = { { 0 } };

static __always_inline int is_server(const struct task_struct *t)
{
	const __u64 *comm = (const __u64 *)t->group_leader->comm;
	__u64 a = comm[0], b = comm[1];

	for (int i = 0; i < CENSUS_NAMES; i++)
		if (name[i][0] && a == name[i][0] && b == name[i][1])
			return 1;
	return 0;
}

/* A worker's sockets are its parent's, which opened them: one entry for each, however many workers there are. */
static __always_inline __u32 listening_pid(const struct task_struct *t)
{
	const struct task_struct *parent = t->group_leader->real_parent;

	return is_server(parent) ? parent->tgid : t->tgid;
}

static __always_inline void address_put(const struct sock *sk, struct census_socket *c)
{
	if (c->family == AF_INET)
		bpf_probe_read_kernel(c->address, 4, &sk->__sk_common.skc_rcv_saddr);
	else if (bpf_core_field_exists(sk->__sk_common.skc_v6_rcv_saddr))
		bpf_probe_read_kernel(c->address, 16, &sk->__sk_common.skc_v6_rcv_saddr);
	c->port = sk->__sk_common.skc_num;
}

static __always_inline void path_put(struct sock *sk, struct census_socket *c)
{
	struct unix_sock *u = (struct unix_sock *)sk;
	struct unix_address *addr = BPF_CORE_READ(u, addr);
	__u32 n;

	if (!addr)
		return;
	n = BPF_CORE_READ(addr, len) - sizeof(addr->name[0].sun_family);
	n &= CENSUS_PATH - 1;		/* at most 108, but the verifier does not know */
	if (!bpf_probe_read_kernel(c->path, n, &addr->name[0].sun_path))
		c->path_len = n;
}

SEC("iter/task_file")
int census(struct bpf_iter__task_file *ctx)
{
	struct task_struct *t = ctx->task;
	struct census_socket c = { 0 };
	struct sock *sk = t && is_server(t) ? file_socket(ctx) : 0;

	if (!sk || sk->__sk_common.skc_state != TCP_LISTEN || sk->sk_type != SOCK_STREAM)
		return 0;
	c.pid = listening_pid(t);
	c.family = sk->__sk_common.skc_family;
	if (c.family == AF_UNIX)
		path_put(sk, &c);
	else if (c.family == AF_INET || c.family == AF_INET6)
		address_put(sk, &c);
	else
		return 0;
	bpf_seq_write(ctx->meta->seq, &c, sizeof(c));
	return 0;
}
