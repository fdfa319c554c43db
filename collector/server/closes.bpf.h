/* closes.bpf.h - files events that no record program can count: it hands them to the collector, which counts them.
 *
 *      event_file() -> the ring buffer `filed` -> filed_read() in server_tracer.c
 *
 * There are two kinds of such events.  When a server closes a TCP connection, its last event may still be pending: the
 * storage ends with the socket, so the age flush would come too late.  And one run may finish more than EVENTS_MAX
 * events: Redis files the rest; of other protocols the rest is counted as crowded.  The program `closes` calls no
 * record program, because record programs are attached to a tracepoint with other arguments.
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

/* Hands the collector an event that stands for n equal ones.  Without space, counts n as crowded.  A global function:
 * the verifier checks it once. */
__noinline int event_file(struct server_conn *s, __u32 n)
{
	struct filed *f = s ? bpf_ringbuf_reserve(&filed, sizeof(*f), 0) : 0;

	if (!f) {
		__sync_fetch_and_add(&counts.crowded, n);
		return 0;
	}
	__builtin_memset(f, 0, sizeof(*f));
	event_fill(&f->event, s);
	f->n = n;
	bpf_ringbuf_submit(f, BPF_RB_NO_WAKEUP);
	return 0;
}

/* Takes the pending event of a TCP connection that closes.  Softirqs run this, too, but never while another program has
 * taken the event. */
SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(closes, struct sock *sk, int before, int after)
{
	struct server_conn *s;

	if (after != CLOSES_FIN_WAIT1 && after != CLOSES_CLOSE && after != CLOSES_LAST_ACK)
		return 0;
	s = conn_at(sk);
	if (!s || !pending_take(&s->turn, STATE_RECORDED))
		return 0;
	event_file(s, 1);
	count(&counts.flushed);
	return 0;
}

#endif
