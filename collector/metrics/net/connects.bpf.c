/* connects.bpf.c - makes the events of tcp.connects; see tcp.h.
 *
 *      CLOSE -> SYN_SENT -> the socket's `begins`, in the context of the process that connects
 *      SYN_SENT -> ESTABLISHED or the end -> events (per CPU) --tail call--> record programs
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "collector/metrics/net/tcp.bpf.h"

char LICENSE[] SEC("license") = "GPL";

__u64 no_memory = 0;		/* connects for which there was no memory */

struct begin {
	__u64 ns;			/* 0: it does not connect, or we do not look at it */
	__u32 tgid;
	__u32 weight;			/* how many connects it stands for */
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct begin);
} begins SEC(".maps");

static __always_inline void connect_begin(const struct run *r, const struct sock *sk)
{
	struct task_struct *t = bpf_get_current_task_btf();
	__u32 weight = sample_weight(r->cpu);
	struct begin *b;

	if (!weight)
		return;
	b = bpf_sk_storage_get(&begins, (void *)sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!b) {
		__sync_fetch_and_add(&no_memory, weight);
		return;
	}
	b->ns = bpf_ktime_get_ns();
	b->tgid = t->tgid;
	b->weight = weight;
	process_remember(t, b->ns);
}

static __always_inline void connect_end(struct events *e, const struct sock *sk, int to)
{
	struct begin *b = bpf_sk_storage_get(&begins, (void *)sk, 0, 0);
	struct event *at = &e->event[0];
	__u64 now = bpf_ktime_get_ns();

	if (!b || !b->ns)
		return;
	if (b->ns >= attached_ns) {
		at->end_ns = now + wall_offset;
		at->measure[TCP_LATENCY] = now - b->ns;
		at->field[TCP_OUTCOME] = to == TCP_ESTABLISHED ? 0 : sk->sk_err > 0 ? sk->sk_err : TCP_CLOSED;
		ends_fill(at, sk);
		owner_gather(at, b->tgid, now);
		e->n = 1;
		e->weight = b->weight;
	}
	b->ns = 0;
}

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(state, const struct sock *sk, const int from, const int to)
{
	struct events *e = 0;
	struct run r;

	if (run_begin(&r))
		return 0;
	if (to == TCP_SYN_SENT && is_tcp(sk))
		connect_begin(&r, sk);
	/* Two sockets that connect to each other pass through SYN_RECV. */
	if ((from == TCP_SYN_SENT || from == TCP_SYN_RECV) && to != TCP_SYN_RECV && is_tcp(sk))
		e = run_events(&r);
	if (e)
		connect_end(e, sk, to);
	tail_call_run(ctx, &r, e);
	return 0;
}
