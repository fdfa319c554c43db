/* tcp.bpf.h - what both metrics of TCP connections read from a socket; see tcp.h.  Included once per x.bpf.c. */
#ifndef HEATSCOPE_TCP_BPF_H
#define HEATSCOPE_TCP_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include "address.bpf.h"
#include "events.bpf.h"
#include "process.bpf.h"
#include "tcp.h"
#include "vm.h"

#define AF_INET 2
#define AF_INET6 10
#define IPPROTO_TCP 6

/* enum of the kernel, and of its interface */
enum tcp_state { TCP_ESTABLISHED = 1, TCP_SYN_SENT, TCP_SYN_RECV, TCP_CLOSE = 7, TCP_LISTEN = 10 };

extern struct task_struct *bpf_task_from_pid(__s32 pid) __ksym;
extern void bpf_task_release(struct task_struct *t) __ksym;
extern void *bpf_rdonly_cast(void *obj, __u32 btf_id) __ksym;

static __always_inline int is_tcp(const struct sock *sk)
{
	__u16 family = sk->__sk_common.skc_family;

	return sk->sk_protocol == IPPROTO_TCP && (family == AF_INET || family == AF_INET6);
}

static __always_inline void ends_fill(struct event *e, const struct sock *sk)
{
	struct inet_sock *inet = bpf_rdonly_cast((void *)sk, bpf_core_type_id_kernel(struct inet_sock));

	if (wanted & WANTED_FIELD(TCP_RADDR))
		e->field[TCP_RADDR] = sk->__sk_common.skc_family == AF_INET ?
			address_of_v4(&sk->__sk_common.skc_daddr) : address_of_v6(&sk->__sk_common.skc_v6_daddr);
	e->field[TCP_RPORT] = bpf_ntohs(sk->__sk_common.skc_dport);
	e->field[TCP_LPORT] = bpf_ntohs(inet->inet_sport);	/* skc_num is 0 once it is closed */
}

/* The process of that id, if it is still there. */
static __always_inline void owner_fill(struct event *e, __u32 tgid, __u64 now_ns)
{
	struct task_struct *t;

	if (!(wanted & PROCESS_WANTED))
		return;
	t = tgid ? bpf_task_from_pid(tgid) : 0;
	if (t) {
		process_gather(e, t, now_ns);
		bpf_task_release(t);
		return;
	}
	e->field[PROCESS_PID] = tgid;
	e->field[PROCESS_PPID] = 0;
	e->field[PROCESS_EXECNAME] = e->field[PROCESS_PSARGS] = PROCESS_UNKNOWN;
	e->field[PROCESS_CGROUP] = e->field[PROCESS_UNIT] = e->field[PROCESS_CONTAINER] = PROCESS_UNKNOWN;
}

#endif
