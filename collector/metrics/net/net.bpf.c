/* net.bpf.c - makes the events of net.packets; see net.h.
 *
 *      net_dev_queue, netif_receive_skb -> events (per CPU) --tail call--> record programs
 *      inet_sock_set_state, iter/task_file -> `owners` of sockets; outgoing packets -> `flows`, for incoming ones
 *
 * One template of the kernel makes both tracepoints, so their arguments have one type, and one chain serves both.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include "collector/trace/address.bpf.h"
#include "collector/ring/events.bpf.h"
#include "collector/trace/file_socket.bpf.h"
#include "collector/trace/inet.bpf.h"
#include "collector/metrics/net/net.h"
#include "collector/trace/owner.bpf.h"
#include "collector/metrics/net/packet.h"
#include "collector/trace/process.bpf.h"
#include "collector/trace/text.bpf.h"
#include "collector/trace/vm.h"

char LICENSE[] SEC("license") = "GPL";

#define FLOWS_MAX 16384

#define WANTED_ENDS (WANTED_FIELD(NET_LADDR) | WANTED_FIELD(NET_RADDR) | WANTED_FIELD(NET_LPORT) | \
		     WANTED_FIELD(NET_RPORT) | WANTED_FIELD(NET_PROTOCOL) | PROCESS_WANTED)

struct flow {				/* as seen from this host */
	struct packet_end local, remote;
	__u64 protocol;			/* 0: no IP */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, FLOWS_MAX);
	__type(key, struct flow);
	__type(value, __u32);		/* the process */
} flows SEC(".maps");

/* ---- ends ---- */

/* Reads the ends from n bytes; they stay all zero if it is no IP. */
static __noinline int flow_read(struct flow *f, const void *at, __u32 n, __u64 ethertype_out)
{
	__u8 head[PACKET_HEAD] = { 0 };
	struct packet p = { .protocol = 0 };

	__builtin_memset(f, 0, sizeof(*f));
	if (n > sizeof(head))
		n = sizeof(head);
	barrier_var(n);
	if (n > sizeof(head) || bpf_probe_read_kernel(head, n, at) || packet_parse(head, n, (__u32)(ethertype_out >> 1), &p))
		return -1;
	f->local = ethertype_out & 1 ? p.from : p.to;
	f->remote = ethertype_out & 1 ? p.to : p.from;
	f->protocol = p.protocol;
	return 0;
}

/* ---- processes ---- */

static __always_inline void flow_learn(const struct flow *f, __u32 tgid)
{
	__u32 *known = bpf_map_lookup_elem(&flows, f);

	if (!known || *known != tgid)
		bpf_map_update_elem(&flows, f, &tgid, BPF_ANY);
}

static __always_inline __u32 flow_owner(const struct flow *f)
{
	__u32 *known = bpf_map_lookup_elem(&flows, f);

	return known ? *known : 0;
}

/* A datagram goes out in the context of its sender; the kernel's own sockets have no file. */
static __always_inline __u32 sender_of(struct sock *sk)
{
	struct owner *o;

	if (is_tcp(sk)) {
		o = owner_of(sk, 0);
		return o ? o->tgid : 0;
	}
	return sk->sk_socket && sk->sk_socket->file ? bpf_get_current_pid_tgid() >> 32 : 0;
}

static __always_inline __u32 process_of_packet(struct sk_buff *skb, const struct flow *f, int out)
{
	struct sock *sk = skb->sk;
	__u32 tgid = 0;

	if (out && sk && sk->__sk_common.skc_state != TCP_TIME_WAIT && sk->__sk_common.skc_state != TCP_NEW_SYN_RECV &&
	    is_inet(sk))
		tgid = sender_of(sk);
	if (!f->protocol)
		return tgid;
	if (tgid)
		flow_learn(f, tgid);
	return tgid ?: flow_owner(f);
}

/* ---- packets ---- */

static __always_inline __u64 nic_of(struct sk_buff *skb)
{
	struct text text = { { 0 } };

	bpf_probe_read_kernel_str(&text, sizeof(skb->dev->name), &skb->dev->name);
	return text_remember(&text, 0);
}

static __always_inline __u64 packets_of(struct sk_buff *skb)
{
	struct skb_shared_info *shared = bpf_rdonly_cast(skb->head + skb->end, bpf_core_type_id_kernel(struct skb_shared_info));
	__u16 n = shared->gso_segs;

	return n ? n : 1;
}

/* The bytes that can be read at once: the rest of the packet is elsewhere. */
static __always_inline __u32 head_len(struct sk_buff *skb, __u32 before)
{
	__u32 n = skb->len - skb->data_len;

	return n > before ? n - before : 0;
}

static __always_inline void packet(struct events *e, struct sk_buff *skb, int out)
{
	/* An incoming packet begins with its network header; an outgoing one has another header before it. */
	unsigned char *at = out ? skb->head + skb->network_header : skb->data;
	__u32 ethertype = bpf_ntohs(skb->protocol), before = at - skb->data;
	__u64 now = bpf_ktime_get_ns(), bits = wanted;
	struct event *event = event_now(e, now);
	struct flow f;

	event->measure[NET_SIZE] = skb->len - (before <= skb->len ? before : 0);
	if (bits & WANTED_MEASURE(NET_PACKETS))
		event->measure[NET_PACKETS] = packets_of(skb);
	event->field[NET_DIRECTION] = out ? NET_OUT : NET_IN;
	if (bits & WANTED_FIELD(NET_NIC))
		event->field[NET_NIC] = nic_of(skb);
	if (!(bits & WANTED_ENDS))
		return;
	event->field[NET_PROTOCOL] = flow_read(&f, at, head_len(skb, before), ethertype << 1 | out) ? NET_ETHERTYPE | ethertype : f.protocol;
	if (bits & WANTED_FIELD(NET_LADDR))
		event->field[NET_LADDR] = f.protocol ? address_remember(&f.local.address) : ADDRESS_NONE;
	if (bits & WANTED_FIELD(NET_RADDR))
		event->field[NET_RADDR] = f.protocol ? address_remember(&f.remote.address) : ADDRESS_NONE;
	event->field[NET_LPORT] = f.local.port;
	event->field[NET_RPORT] = f.remote.port;
	if (bits & PROCESS_WANTED)
		owner_gather(event, process_of_packet(skb, &f, out), now);
}

SEC("tp_btf/netif_receive_skb")
int BPF_PROG(receive, struct sk_buff *skb)
{
	struct run r;
	struct events *e = events_here(&r);

	if (!e)
		return 0;
	packet(e, skb, 0);
	tail_call_run(ctx, &r, e);
	return 0;
}

SEC("tp_btf/net_dev_queue")
int BPF_PROG(send, struct sk_buff *skb)
{
	struct run r;
	struct events *e = events_here(&r);

	if (!e)
		return 0;
	packet(e, skb, 1);
	tail_call_run(ctx, &r, e);
	return 0;
}

/* ---- owners ---- */

static __noinline int flow_of_socket(const struct sock *sk)
{
	struct owner *o = owner_of(sk, 0);
	struct flow f = { .protocol = IPPROTO_TCP };

	if (!o || !o->tgid)
		return 0;
	if (sk->__sk_common.skc_family == AF_INET) {
		__u8 from[4], to[4];

		bpf_probe_read_kernel(from, 4, &sk->__sk_common.skc_rcv_saddr);
		bpf_probe_read_kernel(to, 4, &sk->__sk_common.skc_daddr);
		packet_v4_address(&f.local.address, from);
		packet_v4_address(&f.remote.address, to);
	} else {
		bpf_probe_read_kernel(&f.local.address, 16, &sk->__sk_common.skc_v6_rcv_saddr);
		bpf_probe_read_kernel(&f.remote.address, 16, &sk->__sk_common.skc_v6_daddr);
	}
	f.local.port = sk->__sk_common.skc_num;
	f.remote.port = bpf_ntohs(sk->__sk_common.skc_dport);
	flow_learn(&f, o->tgid);
	return 0;
}

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(state, const struct sock *sk, const int from, const int to)
{
	if (!(wanted & PROCESS_WANTED) || !is_tcp(sk))
		return 0;
	if (to == TCP_LISTEN || to == TCP_SYN_SENT)
		owner_is_current(sk);
	if (from == TCP_SYN_RECV && to == TCP_ESTABLISHED)
		flow_of_socket(sk);
	return 0;
}

SEC("iter/task_file")
int open_sockets(struct bpf_iter__task_file *ctx)
{
	struct task_struct *t = ctx->task;
	struct sock *sk = t ? file_socket(ctx) : 0;

	if (sk && is_tcp(sk) && (wanted & PROCESS_WANTED))
		owner_is(sk, t->tgid);
	return 0;
}
