/* accepts.bpf.c - makes the events of tcp.accepts; see tcp.h.
 *
 *      CLOSE -> LISTEN, iter/task_file -> `owners` of listening sockets, which their connections inherit
 *      SYN_RECV -> ESTABLISHED -> events (per CPU) --tail call--> record programs
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "collector/trace/file_socket.bpf.h"
#include "collector/metrics/net/tcp.bpf.h"

char LICENSE[] SEC("license") = "GPL";

static __always_inline void accepted(struct events *e, const struct sock *sk)
{
	struct owner *o = owner_of(sk, 0);
	struct event *at = &e->event[0];
	struct tcp_sock *tcp;
	__u64 now;

	if (o && o->mark)		/* it connects, to a socket that connects too */
		return;
	now = bpf_ktime_get_ns();
	tcp = bpf_rdonly_cast((void *)sk, bpf_core_type_id_kernel(struct tcp_sock));
	at->end_ns = now + wall_offset;
	at->measure[TCP_LATENCY] = (tcp->srtt_us >> 3) * 1000ull;
	ends_fill(at, sk);
	owner_gather(at, o ? o->tgid : 0, now);
	e->n = 1;
}

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(state, const struct sock *sk, const int from, const int to)
{
	struct events *e = 0;
	struct owner *o;
	struct run r;

	if (run_begin(&r))
		return 0;
	if (to == TCP_LISTEN && is_tcp(sk))
		owner_is_current(sk);
	if (from == TCP_SYN_SENT && to == TCP_SYN_RECV && is_tcp(sk)) {
		o = owner_of(sk, BPF_SK_STORAGE_GET_F_CREATE);
		if (o)
			o->mark = 1;
	}
	if (from == TCP_SYN_RECV && to == TCP_ESTABLISHED && is_tcp(sk))
		e = run_events(&r);
	if (e)
		accepted(e, sk);
	tail_call_run(ctx, &r, e);
	return 0;
}

SEC("iter/task_file")
int open_sockets(struct bpf_iter__task_file *ctx)
{
	struct task_struct *t = ctx->task;
	struct sock *sk = t ? file_socket(ctx) : 0;

	if (sk && sk->__sk_common.skc_state == TCP_LISTEN && is_tcp(sk))
		owner_is(sk, t->tgid);
	return 0;
}
