/* exchange.bpf.h - reads the clocks at the begin and end of each turn, and makes an event of it; see exchange.h.
 *
 *      stamp_start() ... stamp_end() -> emit(), or pending until pending_take()
 *
 * The protocol's SERVER_NAMES, FIELD_BLOCKED_IN and struct server_conn come before; see protocol.bpf.h.
 */
#ifndef HEATSCOPE_EXCHANGE_BPF_H
#define HEATSCOPE_EXCHANGE_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/server/blocked_time.bpf.h"
#include "collector/server/protocol.bpf.h"
#include "collector/trace/thread_clock.bpf.h"
#include "collector/trace/sched_clock.bpf.h"
#include "collector/server/exchange.h"
#include "collector/server/arrival.bpf.h"
#include "collector/server/cgroup.bpf.h"

const volatile __u32 by_switch = 0;	/* this kernel needs the thread clocks that sched_switch keeps */
struct turn_counts counts = { 0 };

static __always_inline void count(__u64 *counter)
{
	__sync_fetch_and_add(counter, 1);
}

/* ---- servers and clocks ---- */

/* Compares the name of the process as two words; the compiler turns the names into numbers. */
static __always_inline int is_server(struct task_struct *t)
{
	static const char server_name[][16] = { SERVER_NAMES };
	const __u64 *name = (const __u64 *)t->group_leader->comm;
	__u64 a = name[0], b = name[1], is[2];
	__u32 i;

	for (i = 0; i < sizeof(server_name) / sizeof(server_name[0]); i++) {
		__builtin_memcpy(is, server_name[i], sizeof(is));
		if (a == is[0] && b == is[1])
			return 1;
	}
	return 0;
}

static __always_inline void clocks(struct stamp *s, struct task_struct *t)
{
	if (by_switch)
		switch_clocks(s, t);
	else
		stamp_clocks(s, t);
}

static __always_inline void stamp(struct stamp *s, struct task_struct *t)
{
	s->ns = bpf_ktime_get_ns();
	clocks(s, t);
}

/* Starts a turn at n->start. */
static __always_inline void turn_start(struct turn *n)
{
	arrival_start(n);
	n->first_ns = 0;
	n->firsts = !!(wanted & WANTED_MEASURE(TURN_FIRST));
	n->parted = wanted & (TURN_PARTS | TURN_FILES);
}

/* Starts a turn now; t works at it. */
static __always_inline void stamp_start(struct turn *n, struct task_struct *t)
{
	stamp(&n->start, t);
	turn_start(n);
	__builtin_memset(&n->blocked, 0, sizeof(n->blocked));
	if (n->parted)
		blocked_time_begin(t, &n->start, n->id);
}

/* Notes a send of the reply, whether it ends the turn or not. */
static __always_inline void stamp_first(struct turn *n)
{
	if (n->firsts && !n->first_ns)
		n->first_ns = bpf_ktime_get_ns();
}

/* Notes that the turn may have ended at n->end. */
static __always_inline void turn_end(struct turn *n)
{
	if (!n->first_ns)
		n->first_ns = n->end.ns;
}

static __always_inline void stamp_end(struct turn *n, struct task_struct *t)
{
	stamp(&n->end, t);
	turn_end(n);
	if (n->parted)
		blocked_time_end(t, &n->end, n->id, &n->blocked, &n->files);
}

/* Ends the turn: later work of t belongs to no turn. */
static __always_inline void stamp_over(struct turn *n, struct task_struct *t)
{
	if (n->parted)
		blocked_time_forget(t, n->id);
	n->parted = 0;
}

static __always_inline void state_set(struct turn *n, __u64 kind)
{
	*(volatile __u64 *)&n->state = STATE_NEXT(n->state, kind);
}

/* Takes a pending event.  Returns 1; 0: no event is pending, or the age flush was quicker. */
static __always_inline int pending_take(struct turn *n, __u64 kind)
{
	__u64 seen = *(volatile __u64 *)&n->state;

	return STATE_KIND(seen) == STATE_PENDING &&
	       __sync_val_compare_and_swap(&n->state, seen, STATE_NEXT(seen, kind)) == seen;
}

/* ---- events ---- */

static __always_inline __u64 clamp_to(__u64 value, __u64 most)
{
	if ((__s64)value < 0)
		return 0;
	return value > most ? most : value;
}

static __always_inline void parts_fill(struct event *e, const struct turn *n, int split, __u64 blocked_ns)
{
	int known = split && (n->parted & TURN_PARTS), i;

	for (i = REASON_IO; i < N_REASONS; i++) {
		__u64 part = known ? clamp_to(n->blocked.ns[i], blocked_ns) : 0;

		e->measure[TURN_IO - REASON_IO + i] = part;
		blocked_ns -= part;
	}
	e->measure[TURN_OTHER] = blocked_ns;
	e->measure[TURN_N_SWITCHES] = known ? n->blocked.n_switches : 0;
	e->measure[TURN_N_IO] = known ? n->blocked.n_io : 0;
}

static __always_inline void files_fill(struct event *e, const struct turn *n, int split, __u64 latency)
{
	int known = split && (n->parted & TURN_FILES);

	e->measure[TURN_FS] = known ? clamp_to(n->files.ns, latency) : 0;
	e->measure[TURN_IO_BYTES] = known ? n->files.bytes : 0;
	e->measure[TURN_N_FS] = known ? n->files.n : 0;
}

static __always_inline void arrival_fill(struct event *e, const struct turn *n, __u64 latency)
{
	int known = n->arrived && n->arrived <= n->start.ns;

	e->measure[TURN_ARRIVAL] = known ? n->start.ns - n->arrived : 0;
	e->measure[TURN_RESPONSE] = e->measure[TURN_ARRIVAL] + latency;
	e->measure[TURN_N_UNSEEN] = !known;
}

static __always_inline void measures_fill(struct event *e, const struct turn *n)
{
	__u64 latency = clamp_to(n->end.ns - n->start.ns, ~0ull >> 1), off = 0, wait = 0;
	int split = n->start.split && n->end.split && n->start.thread == n->end.thread;

	if (split) {
		off = clamp_to(n->end.off - n->start.off, latency);
		wait = clamp_to(n->end.delay - n->start.delay, off);
	}
	e->end_ns = n->end.ns + wall_offset;
	e->measure[TURN_LATENCY] = latency;
	e->measure[TURN_CPUTIME] = split ? latency - off : 0;
	e->measure[TURN_RUNQWAIT] = wait;
	e->measure[TURN_BLOCKED] = off - wait;
	e->measure[TURN_UNSPLIT] = split ? 0 : latency;
	e->measure[TURN_OFFCPU] = off;
	if (wanted & TURN_PARTS)
		parts_fill(e, n, split, off - wait);
	if (wanted & TURN_FILES)
		files_fill(e, n, split, latency);
	if (wanted & TURN_ARRIVALS)
		arrival_fill(e, n, latency);
	e->measure[TURN_FIRST] = n->firsts ? clamp_to(n->first_ns - n->start.ns, latency) : 0;
}

/* Gives each of n events an equal share of a turn's time. */
static __always_inline void measures_share(__u64 *m, __u32 n)
{
	int i;

	for (i = TURN_IO; i < TURN_AGE; i++)
		m[i] /= n;
	m[TURN_FS] /= n;
	m[TURN_IO_BYTES] /= n;
	m[TURN_N_FS] /= n;
	m[TURN_CPUTIME] /= n;
	m[TURN_RUNQWAIT] /= n;
	m[TURN_UNSPLIT] /= n;
	m[TURN_BLOCKED] /= n;
	if (wanted & TURN_PARTS)
		m[TURN_BLOCKED] = m[TURN_IO] + m[TURN_FUTEX] + m[TURN_NET] + m[TURN_SLEEP] + m[TURN_FAULT] +
				  m[TURN_OTHER];
	m[TURN_OFFCPU] = m[TURN_RUNQWAIT] + m[TURN_BLOCKED];
	m[TURN_LATENCY] = m[TURN_CPUTIME] + m[TURN_OFFCPU] + m[TURN_UNSPLIT];
	m[TURN_ARRIVAL] /= n;
	m[TURN_RESPONSE] = m[TURN_ARRIVAL] + m[TURN_LATENCY];
	m[TURN_FIRST] = clamp_to(m[TURN_FIRST] / n, m[TURN_LATENCY]);
}

static __always_inline void event_fill(struct event *e, const struct server_conn *s)
{
	measures_fill(e, &s->turn);
	event_fields(e, s);
	turn_cgroup_fill(e, &s->turn);
	e->field[FIELD_BLOCKED_IN] = TURN_ENDED;
	e->connection = s->turn.connection;
}

/* ---- turns that run at the end of a slot ---- */

__u64 running_end = 0;			/* CLOCK_MONOTONIC: the next end of a slot that a scan will report; 0: none */
__u64 running_scan = 1;			/* id of that scan; it changes when the scan is over */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RUNNING_BYTES);
} ended_late SEC(".maps");

/* Returns 1 to the first caller of a scan, and 0 to the others: each scan reports one turn per connection. */
static __always_inline int scan_take(struct turn *n)
{
	__u64 was = *(volatile __u64 *)&n->scan;

	return was != running_scan && __sync_val_compare_and_swap(&n->scan, was, running_scan) == was;
}

/* Reports a turn that ended after the end of a slot and before the scan of it. */
__noinline int report_ended(struct server_conn *s)
{
	struct turn_running *r;

	if (!s || !scan_take(&s->turn))
		return 0;
	r = bpf_ringbuf_reserve(&ended_late, sizeof(*r), 0);
	if (!r) {
		count(&counts.unreported);
		return 0;
	}
	__builtin_memset(r, 0, sizeof(*r));
	event_fill(&r->event, s);
	r->begin_ns = s->turn.start.ns;
	r->end_ns = s->turn.end.ns;
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	return 0;
}

/* Adds the event of the current turn to e.  A global function: the verifier checks it once, not once per path to it. */
__noinline int emit(struct events *e, struct server_conn *s)
{
	if (!e || !s)
		return 0;
	if (s->turn.start.ns < running_end && s->turn.end.ns >= running_end)
		report_ended(s);
	if (e->n >= EVENTS_MAX) {
		count(&counts.crowded);
		return 0;
	}
	event_fill(&e->event[e->n & (EVENTS_MAX - 1)], s);
	e->n++;
	return 0;
}

#endif
