/* net.bpf.c - the events of net.packets; what is counted, and why, is told in net.h.
 *
 *      net_dev_queue, netif_receive_skb -> events (per CPU) --tail call--> record programs
 *      inet_sock_set_state, iter/task_file -> `owners` of sockets; what goes out -> `flows`, for what comes in
 *
 * Both tracepoints are of one template of the kernel's, so their arguments are one type and one chain serves both.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include "address.bpf.h"
#include "events.bpf.h"
#include "inet.bpf.h"
#include "net.h"
#include "owner.bpf.h"
#include "process.bpf.h"
#include "text.bpf.h"
#include "vm.h"

char LICENSE[] SEC("license") = "GPL";

#define ETH_P_IP 0x0800
#define ETH_P_IPV6 0x86dd
#define FRAGMENT_OFFSET 0x1fff
#define FLOWS_MAX 16384

#define WANTED_ENDS (WANTED_FIELD(NET_LADDR) | WANTED_FIELD(NET_RADDR) | WANTED_FIELD(NET_LPORT) | \
		     WANTED_FIELD(NET_RPORT) | WANTED_FIELD(NET_PROTOCOL) | PROCESS_WANTED)

struct end {
	struct address address;		/* IPv4 is written as IPv6 */
	__u16 port, pad[3];
};

struct flow {				/* as seen from this host */
	struct end local, remote;
	__u64 protocol;			/* 0: no IP */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, FLOWS_MAX);
	__type(key, struct flow);
	__type(value, __u32);		/* the process */
} flows SEC(".maps");

/* ---- headers ---- */

struct headers {
	union {
		__u8 byte[40];
		struct {
			__u8 version_len, tos;
			__u16 len, id, fragment;
			__u8 ttl, protocol;
			__u16 check;
			__u8 from[4], to[4];
		} v4;
		struct {
			__u8 version, flow[3];
			__u16 len;
			__u8 protocol, hops;
			struct address from, to;
		} v6;
	};
};

static __always_inline void end_v4(struct end *end, const __u8 byte[4])
{
	end->address.byte[10] = end->address.byte[11] = 0xff;
	__builtin_memcpy(end->address.byte + 12, byte, 4);
}

static __always_inline void ports_read(struct end *from, struct end *to, __u64 protocol, const void *at)
{
	__u16 ports[2];

	if ((protocol != IPPROTO_TCP && protocol != IPPROTO_UDP) || bpf_probe_read_kernel(ports, sizeof(ports), at))
		return;
	from->port = bpf_ntohs(ports[0]);
	to->port = bpf_ntohs(ports[1]);
}

/* A packet's ends, from where its network header lies.  f is zeroed. */
static __noinline int flow_read(struct flow *f, const void *at, __u32 ethertype, int out)
{
	struct end *from = out ? &f->local : &f->remote, *to = out ? &f->remote : &f->local;
	struct headers h = { 0 };

	if (ethertype == ETH_P_IP) {
		if (bpf_probe_read_kernel(&h, sizeof(h.v4), at))
			return -1;
		f->protocol = h.v4.protocol;
		end_v4(from, h.v4.from);
		end_v4(to, h.v4.to);
		if (!(h.v4.fragment & bpf_htons(FRAGMENT_OFFSET)))
			ports_read(from, to, f->protocol, at + (h.v4.version_len & 15) * 4);
		return 0;
	}
	if (ethertype != ETH_P_IPV6 || bpf_probe_read_kernel(&h, sizeof(h.v6), at))
		return -1;
	f->protocol = h.v6.protocol;
	from->address = h.v6.from;
	to->address = h.v6.to;
	ports_read(from, to, f->protocol, at + sizeof(h.v6));
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

/* Datagrams go out in the context of who sends them; the kernel's own sockets have no file. */
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

static __always_inline void packet(struct events *e, struct sk_buff *skb, int out)
{
	/* What comes in begins with its network header; what goes out has another before it. */
	unsigned char *at = out ? skb->head + skb->network_header : skb->data;
	__u32 ethertype = bpf_ntohs(skb->protocol), before = at - skb->data;
	__u64 now = bpf_ktime_get_ns(), bits = wanted;
	struct event *event = event_now(e, now);
	struct flow f = { 0 };

	event->measure[NET_SIZE] = skb->len - (before <= skb->len ? before : 0);
	if (bits & WANTED_MEASURE(NET_PACKETS))
		event->measure[NET_PACKETS] = packets_of(skb);
	event->field[NET_DIRECTION] = out ? NET_OUT : NET_IN;
	if (bits & WANTED_FIELD(NET_NIC))
		event->field[NET_NIC] = nic_of(skb);
	if (!(bits & WANTED_ENDS))
		return;
	event->field[NET_PROTOCOL] = flow_read(&f, at, ethertype, out) ? NET_ETHERTYPE | ethertype : f.protocol;
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
	struct events *e = events_here();

	if (!e)
		return 0;
	packet(e, skb, 0);
	chain_run(ctx, e);
	return 0;
}

SEC("tp_btf/net_dev_queue")
int BPF_PROG(send, struct sk_buff *skb)
{
	struct events *e = events_here();

	if (!e)
		return 0;
	packet(e, skb, 1);
	chain_run(ctx, e);
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
		end_v4(&f.local, from);
		end_v4(&f.remote, to);
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
int look(struct bpf_iter__task_file *ctx)
{
	struct task_struct *t = ctx->task;
	struct file *file = ctx->file;
	struct socket *socket = t && file ? bpf_sock_from_file(file) : 0;
	struct sock *sk = socket ? socket->sk : 0;

	if (sk && is_tcp(sk) && (wanted & PROCESS_WANTED))
		owner_is(sk, t->tgid);
	return 0;
}
