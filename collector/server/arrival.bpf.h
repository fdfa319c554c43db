/* arrival.bpf.h - measures how long a request waited in its socket's receive queue before the server read it.
 *
 *      sk_data_ready -> data_ready(): if the queue was empty, sets `ready` to now
 *      a receive     -> arrival_take(): its oldest byte came at `ready` -> arrival_leave(): is the queue empty now?
 *                    -> stamp_start(): arrival_start()
 *
 * A request arrives when the oldest byte of its first receive reaches the queue.  That time is unknown if
 *
 *      - we have not yet seen the connection's queue empty while sk_data_ready was attached;
 *      - a Unix socket's bytes were read before the kernel reported them;
 *      - a receive left bytes in the queue, and they may have come at several times;
 *      - bytes came at several times, and some are of an earlier request: in the same receive, or not answered yet.
 *
 * Pipelined requests that came together all have that time, whenever the server begins each.
 *
 * Race  sk_data_ready may run on another CPU, after a receive and before our program.  Both change `ready` by
 *       compare-and-swap.  The first receive sets `ready_since`, so that data_ready() takes part, and then reads the
 *       queue.  If that is not empty, the receive clears `ready_since`: the next one tries again.
 *
 * Functions that are not inlined are global: the verifier checks each once, not once per path to it.
 */
#ifndef HEATSCOPE_ARRIVAL_BPF_H
#define HEATSCOPE_ARRIVAL_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "collector/server/exchange.h"
#include "collector/trace/vm.h"

#define AF_UNIX 1

#define READY_SEVERAL 1ull		/* more bytes came later than `ready` */
#define READY_UNKNOWN 2ull		/* the oldest byte may be one of these */
#define READY_AT(ns) ((ns) << 2)
#define READY_NS(ready) ((ready) >> 2)
#define READY_TRIES 4

__u32 arrivals = 0;			/* number of the current attachment of data_ready; 0: it is not attached */

static __always_inline __u32 arrivals_now(void)
{
	return *(volatile __u32 *)&arrivals;
}

static __always_inline int queue_is_empty(struct sock *sk)
{
	struct tcp_sock *tcp = (struct tcp_sock *)sk;

	if (BPF_CORE_READ(sk, __sk_common.skc_family) == AF_UNIX)
		return !BPF_CORE_READ(sk, sk_receive_queue.qlen);
	return BPF_CORE_READ(tcp, rcv_nxt) == BPF_CORE_READ(tcp, copied_seq);
}

/* Notes that bytes have come to the queue of this connection's socket. */
static __always_inline void arrival_ready(struct turn *n, struct sock *sk)
{
	__u32 since = arrivals_now(), i;

	if (!since || *(volatile __u32 *)&n->ready_since != since || queue_is_empty(sk))
		return;
	for (i = 0; i < READY_TRIES; i++) {
		__u64 seen = *(volatile __u64 *)&n->ready;
		__u64 next = seen ? seen | READY_SEVERAL : READY_AT(bpf_ktime_get_ns());

		if (next == seen || __sync_val_compare_and_swap(&n->ready, seen, next) == seen)
			return;
	}
	*(volatile __u32 *)&n->ready_since = 0;
}

/* Sets `arriving` to the time at which the oldest byte of a receive came; 0: it is unknown.  Returns 1 if we knew the
 * queue before the receive. */
__noinline int arrival_take(struct turn *n)
{
	__u64 ready, kind, came;
	__u32 since = arrivals_now(), known;

	if (!n)
		return 0;
	ready = *(volatile __u64 *)&n->ready;
	kind = STATE_KIND(n->state);
	came = READY_NS(ready);
	known = n->ready_since;
	if (known != since || (ready & READY_UNKNOWN))
		came = 0;
	if ((ready & READY_SEVERAL) && kind != STATE_PENDING && kind != STATE_RECORDED)
		came = 0;		/* the oldest byte may be of an earlier request */
	if (kind == STATE_WAITING && n->arriving != came)
		came = 0;		/* the next request's bytes came then, or before */
	n->arriving = came;
	n->several = !!(ready & READY_SEVERAL);
	if (known != since)
		__sync_val_compare_and_swap(&n->ready_since, known, since);
	return known == since;
}

/* Sets `ready` after a receive.  empty: it left no bytes in the queue; known: the result of arrival_take(); seen:
 * `ready`, read before `empty`. */
__noinline int arrival_leave(struct turn *n, __u64 seen, int known, int empty)
{
	__u64 ready;

	if (!n)
		return 0;
	if (empty) {
		if (seen && __sync_val_compare_and_swap(&n->ready, seen, 0) != seen)
			*(volatile __u32 *)&n->ready_since = 0;
	} else if (!known) {
		*(volatile __u32 *)&n->ready_since = 0;
	} else {
		ready = *(volatile __u64 *)&n->ready;
		if (ready & READY_SEVERAL)
			__sync_val_compare_and_swap(&n->ready, ready, ready | READY_UNKNOWN);
	}
	return 0;
}

/* At a receive of a connection, before it is parsed. */
static __always_inline void arrival_receive(struct turn *n, struct sock *sk)
{
	int known = arrival_take(n);
	__u64 seen = *(volatile __u64 *)&n->ready;

	arrival_leave(n, seen, known, queue_is_empty(sk));
}

/* Sets the arrival of a turn that starts. */
static __always_inline void arrival_start(struct turn *n)
{
	n->arrived = n->arriving;
	n->arriving &= (__u64)n->several - 1;	/* several: the arrival of the next turn is unknown, 0 */
}

#endif
