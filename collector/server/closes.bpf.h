/* closes.bpf.h - gives the collector the events that no record program gets: the event that is pending when the server
 * closes a TCP connection (its storage ends with the socket, before the age flush), and the events of one run beyond
 * EVENTS_MAX.
 *
 *      inet_sock_set_state -> pending_take() -> event_file() -> the ring `filed` -> read by the collector
 *
 * A protocol that needs it includes it once.
 */
#ifndef HEATSCOPE_CLOSES_BPF_H
#define HEATSCOPE_CLOSES_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "collector/server/conns.bpf.h"

#define CLOSES_FIN_WAIT1 4		/* enum in include/net/tcp_states.h */
#define CLOSES_CLOSE 7
#define CLOSES_LAST_ACK 9

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, FILED_BYTES);
} filed SEC(".maps");

/* A global function: the verifier checks it once. */
__noinline int event_file(struct server_conn *s)
{
	struct event *e = s ? bpf_ringbuf_reserve(&filed, sizeof(*e), 0) : 0;

	if (!e) {
		count(&counts.crowded);
		return 0;
	}
	__builtin_memset(e, 0, sizeof(*e));
	event_fill(e, s);
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
	return 0;
}

/* Softirqs run this, too.  They interrupt no program that has taken the event. */
SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(closes, struct sock *sk, int before, int after)
{
	struct server_conn *s;

	if (after != CLOSES_FIN_WAIT1 && after != CLOSES_CLOSE && after != CLOSES_LAST_ACK)
		return 0;
	s = conn_at(sk);
	if (!s || !pending_take(&s->turn, STATE_RECORDED))
		return 0;
	event_file(s);
	count(&counts.flushed);
	return 0;
}

#endif
