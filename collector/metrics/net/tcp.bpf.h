/* tcp.bpf.h - reads the fields of a TCP connection from its socket; see tcp.h.  Each x.bpf.c includes it once. */
#ifndef HEATSCOPE_TCP_BPF_H
#define HEATSCOPE_TCP_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include "collector/trace/address.bpf.h"
#include "collector/ring/events.bpf.h"
#include "collector/trace/owner.bpf.h"
#include "collector/trace/inet.bpf.h"
#include "collector/metrics/net/tcp.h"
#include "collector/trace/vm.h"

static __always_inline void ends_fill(struct event *e, const struct sock *sk)
{
	struct inet_sock *inet = bpf_rdonly_cast((void *)sk, bpf_core_type_id_kernel(struct inet_sock));

	if (wanted & WANTED_FIELD(TCP_RADDR))
		e->field[TCP_RADDR] = sk->__sk_common.skc_family == AF_INET ?
			address_of_v4(&sk->__sk_common.skc_daddr) : address_of_v6(&sk->__sk_common.skc_v6_daddr);
	e->field[TCP_RPORT] = bpf_ntohs(sk->__sk_common.skc_dport);
	e->field[TCP_LPORT] = bpf_ntohs(inet->inet_sport);	/* skc_num is 0 once it is closed */
}

#endif
