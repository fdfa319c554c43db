/* inet.bpf.h - recognises IPv4 and IPv6 sockets. */
#ifndef HEATSCOPE_INET_BPF_H
#define HEATSCOPE_INET_BPF_H

#include <bpf/bpf_helpers.h>
#include "collector/trace/vm.h"

#define AF_INET 2
#define AF_INET6 10
#define IPPROTO_TCP 6
#define IPPROTO_UDP 17

/* an enum of the kernel, and part of its interface */
enum tcp_state { TCP_ESTABLISHED = 1, TCP_SYN_SENT, TCP_SYN_RECV, TCP_TIME_WAIT = 6, TCP_LISTEN = 10, TCP_NEW_SYN_RECV = 12 };

/* as in libbpf 1.5; libbpf 1.1 does not declare it */
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;

static __always_inline int is_inet(const struct sock *sk)
{
	__u16 family = sk->__sk_common.skc_family;

	return family == AF_INET || family == AF_INET6;
}

static __always_inline int is_tcp(const struct sock *sk)
{
	return is_inet(sk) && sk->sk_protocol == IPPROTO_TCP;
}

#endif
