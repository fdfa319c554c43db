/* mysql_events.bpf.h - who is a server, the begin and end of what it is asked, and the event made of them.
 *
 *      stamp_start() ... stamp_end() -> emit(), or pending until pending_take()
 *
 * Included once, by mysql.bpf.c.
 */
#ifndef HEATSCOPE_MYSQL_EVENTS_BPF_H
#define HEATSCOPE_MYSQL_EVENTS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "events.bpf.h"
#include "mysql_conns.bpf.h"
#include "mysql_follow.h"
#include "parts.bpf.h"
#include "stamp.bpf.h"
#include "switch.bpf.h"

const volatile __u32 by_switch = 0;	/* this kernel needs the stopwatch at the scheduler */

/* ---- who and when ---- */

/* By the process' name, as two words to compare; the compiler makes numbers of the names. */
static __always_inline int is_server(struct task_struct *t)
{
	static const char server_name[][16] = { MYSQL_SERVERS };
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

/* A command starts, and t works at it. */
static __always_inline void stamp_start(struct mysql_conn *s, struct task_struct *t)
{
	stamp(&s->start, t);
	__builtin_memset(&s->blocked, 0, sizeof(s->blocked));
	__builtin_memset(&s->files, 0, sizeof(s->files));
	s->parted = (wanted & (MYSQL_PARTS | MYSQL_FILES)) != 0;
	if (s->parted)
		parts_begin(t, &s->start, s->id);
}

/* It may have ended. */
static __always_inline void stamp_end(struct mysql_conn *s, struct task_struct *t)
{
	stamp(&s->end, t);
	if (s->parted)
		parts_end(t, &s->end, s->id, &s->blocked, &s->files);
}

/* It has ended: what t does now is nobody's. */
static __always_inline void stamp_over(struct mysql_conn *s, struct task_struct *t)
{
	if (s->parted)
		parts_forget(t, s->id);
	s->parted = 0;
}

/* ---- events ---- */

static __always_inline __u64 clamp_to(__u64 value, __u64 most)
{
	if ((__s64)value < 0)
		return 0;
	return value > most ? most : value;
}

static __always_inline void parts_fill(struct event *e, const struct mysql_conn *s, int split, __u64 blocked_ns)
{
	int i;

	for (i = REASON_IO; i < N_REASONS; i++) {
		__u64 part = clamp_to(s->blocked.ns[i], blocked_ns);

		e->measure[MYSQL_IO - REASON_IO + i] = part;
		blocked_ns -= part;
	}
	e->measure[MYSQL_OTHER] = blocked_ns;
	e->measure[MYSQL_N_SWITCHES] = split ? s->blocked.n_switches : 0;
	e->measure[MYSQL_N_IO] = split ? s->blocked.n_io : 0;
}

/* A name that is in use is not forgotten. */
static __always_inline __u64 name_used(__u32 field, __u64 code)
{
	if (wanted & WANTED_FIELD(field))
		bpf_map_lookup_elem(&names, &code);
	return code;
}

static __always_inline void names_fill(struct event *e, const struct mysql_conn *s)
{
	__u64 client = s->client;

	e->field[MYSQL_TABLE] = name_used(MYSQL_TABLE, s->table);
	e->field[MYSQL_USER] = name_used(MYSQL_USER, s->conn.who.user);
	e->field[MYSQL_DATABASE] = name_used(MYSQL_DATABASE, s->conn.who.database);
	e->field[MYSQL_CLIENT] = client;
	if (client & ADDRESS_V6)
		bpf_map_lookup_elem(&addresses, &client);
}

/* What is gathered where somebody asks only. */
static __always_inline void asked_fill(struct event *e, const struct mysql_conn *s, int split, __u64 latency, __u64 blocked_ns)
{
	if (wanted & MYSQL_NAMES)
		names_fill(e, s);
	if (wanted & MYSQL_PARTS)
		parts_fill(e, s, split, blocked_ns);
	if (wanted & MYSQL_FILES) {
		e->measure[MYSQL_FS] = split ? clamp_to(s->files.ns, latency) : 0;
		e->measure[MYSQL_IO_BYTES] = split ? s->files.bytes : 0;
	}
	e->measure[MYSQL_ROWS] = follow_rows(&s->conn);
}

static __always_inline void event_fill(struct event *e, const struct mysql_conn *s)
{
	__u64 latency = clamp_to(s->end.ns - s->start.ns, ~0ull >> 1), off = 0, wait = 0;
	int split = s->start.split && s->end.split && s->start.thread == s->end.thread;

	if (split) {
		off = clamp_to(s->end.off - s->start.off, latency);
		wait = clamp_to(s->end.delay - s->start.delay, off);
	}
	e->end_ns = s->end.ns + wall_offset;
	e->connection = s->connection;
	e->field[MYSQL_COMMAND] = s->conn.command;
	e->field[MYSQL_STATEMENT] = s->conn.statement;
	e->field[MYSQL_DIGEST] = s->code;
	e->field[MYSQL_STATUS] = s->conn.result;
	e->field[MYSQL_INSTANCE] = s->instance;
	e->field[MYSQL_PID] = s->pid;
	e->field[MYSQL_EXECNAME] = s->execname;
	e->field[MYSQL_BLOCKED_IN] = MYSQL_ENDED;
	e->measure[MYSQL_LATENCY] = latency;
	e->measure[MYSQL_CPUTIME] = split ? latency - off : 0;
	e->measure[MYSQL_RUNQWAIT] = wait;
	e->measure[MYSQL_BLOCKED] = off - wait;
	e->measure[MYSQL_UNSPLIT] = split ? 0 : latency;
	e->measure[MYSQL_OFFCPU] = off;
	if (wanted & (MYSQL_NAMES | MYSQL_PARTS | MYSQL_FILES | WANTED_MEASURE(MYSQL_ROWS)))
		asked_fill(e, s, split, latency, off - wait);
}

static __noinline void emit(struct events *e, const struct mysql_conn *s)
{
	if (e->n >= EVENTS_MAX) {
		count(&counts.crowded);
		return;
	}
	event_fill(&e->event[e->n & (EVENTS_MAX - 1)], s);
	e->n++;
}

static __always_inline void state_set(struct mysql_conn *s, __u64 kind)
{
	*(volatile __u64 *)&s->state = STATE_NEXT(s->state, kind);
}

/* Takes a pending event away from the age flush: 1 if it was still there. */
static __always_inline int pending_take(struct mysql_conn *s, __u64 kind)
{
	__u64 seen = *(volatile __u64 *)&s->state;

	return STATE_KIND(seen) == STATE_PENDING &&
	       __sync_val_compare_and_swap(&s->state, seen, STATE_NEXT(seen, kind)) == seen;
}

#endif
