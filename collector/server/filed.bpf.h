/* filed.bpf.h - files events that no record program can count: it hands them to the collector, which counts them.
 *
 *      event_file(), event_hand() -> the ring buffer `filed` -> filed_read() in server_tracer.c
 *
 * There are two kinds of such events: those of a connection that ends (conn_end.bpf.h), and those beyond EVENTS_MAX of
 * one run, which Redis and HTTP file; of other protocols they are counted as crowded.
 */
#ifndef HEATSCOPE_FILED_BPF_H
#define HEATSCOPE_FILED_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/server/conns.bpf.h"

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

/* Hands the collector e's i-th event, and those that it stands for.  A global function. */
__noinline int event_hand(struct events *e, __u32 i)
{
	struct filed *f;
	__u32 n;

	if (!e || i >= EVENTS_MAX)
		return 0;
	n = e->weight ? e->weight : 1 + e->more[i];
	f = bpf_ringbuf_reserve(&filed, sizeof(*f), 0);
	if (!f) {
		__sync_fetch_and_add(&counts.crowded, n);
		return 0;
	}
	f->event = e->event[i];
	f->n = n;
	bpf_ringbuf_submit(f, BPF_RB_NO_WAKEUP);
	return 0;
}

#endif
