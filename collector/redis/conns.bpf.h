/* conns.bpf.h - keeps the Redis part of a connection, and fills its events; see server/conns.bpf.h. */
#ifndef HEATSCOPE_REDIS_CONNS_BPF_H
#define HEATSCOPE_REDIS_CONNS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/redis/conn.h"
#include "collector/server/conns.bpf.h"
#include "collector/server/filed.bpf.h"
#include "collector/redis/service.bpf.h"

const volatile __u32 text_full = 0;	/* prefixes of keys may be read */

static __always_inline void conn_init(struct server_conn *s, int greeted)
{
	if (greeted)
		front_open(&s->front);
	else
		front_lose(&s->front);
}

static __always_inline __u32 listening_pid(struct task_struct *t)
{
	return t->tgid;
}

static __always_inline int conn_held(const struct server_conn *s)
{
	return 0;
}

static __always_inline int conn_follows(const struct server_conn *s)
{
	return s->front.mode == FRONT_PLAIN;
}

static __always_inline int conn_completes(const struct server_conn *s)
{
	return !conn_follows(s);
}

/* Fills the parts of blocked time, as exchange.bpf.h does for a thread with one connection. */
static __always_inline void served_parts(struct event *e, const struct server_conn *s, __u64 blocked_ns)
{
	int known = (s->turn.parted & TURN_PARTS) != 0, i;

	for (i = REASON_IO; i < N_REASONS; i++) {
		__u64 part = known ? clamp_to(s->served.blocked.ns[i], blocked_ns) : 0;

		e->measure[TURN_IO - REASON_IO + i] = part;
		blocked_ns -= part;
	}
	e->measure[TURN_OTHER] = blocked_ns;
	e->measure[TURN_N_SWITCHES] = known ? s->served.blocked.n_switches : 0;
	e->measure[TURN_N_IO] = known ? s->served.blocked.n_io : 0;
}

/* Fills the measures of a turn whose thread also serves other connections.  Not inlined: the iterators have an event in
 * their stack frame. */
static __noinline int served_fill(struct event *e, const struct server_conn *s)
{
	__u64 latency = e->measure[TURN_LATENCY], ns = clamp_to(s->served.ns, latency), off, wait;
	int known = (s->turn.parted & TURN_FILES) != 0;

	off = clamp_to(s->served.off, ns);
	wait = clamp_to(s->served.delay, off);
	e->measure[TURN_CPUTIME] = ns - off;
	e->measure[TURN_RUNQWAIT] = wait;
	e->measure[TURN_BLOCKED] = off - wait;
	e->measure[TURN_UNSPLIT] = latency - ns;
	e->measure[TURN_OFFCPU] = off;
	if (wanted & TURN_PARTS)
		served_parts(e, s, off - wait);
	if (wanted & TURN_FILES) {
		e->measure[TURN_FS] = known ? clamp_to(s->served.files.ns, latency) : 0;
		e->measure[TURN_IO_BYTES] = known ? s->served.files.bytes : 0;
		e->measure[TURN_N_FS] = known ? s->served.files.n : 0;
	}
	if (s->shares > 1)
		measures_share(e->measure, s->shares);
	return 0;
}

#define WANTED_WHO (WANTED_FIELD(REDIS_PREFIX) | WANTED_FIELD(REDIS_CLIENT))

static __always_inline void event_fields(struct event *e, const struct server_conn *s)
{
	served_fill(e, s);
	e->field[REDIS_COMMAND] = s->data.code;
	e->field[REDIS_STATUS] = s->data.status;
	e->field[REDIS_WAITS] = s->data.waits;
	e->field[REDIS_DATABASE] = s->data.database;
	e->field[REDIS_INSTANCE] = s->turn.instance;
	e->field[REDIS_PID] = s->turn.pid;
	e->field[REDIS_EXECNAME] = s->turn.execname;
	e->verbatim = 0;
	if (!(wanted & WANTED_WHO))
		return;
	e->field[REDIS_PREFIX] = name_used(REDIS_PREFIX, s->data.prefix);
	e->field[REDIS_CLIENT] = client_used(&s->turn);
}

/* Sets the data of the next event from the command that is answered next: the server works at that one. */
static __always_inline void data_first(struct server_conn *s)
{
	const struct asked *a = asked_first(&s->front.asked);

	s->shares = 1;
	s->data.prefix = a ? a->prefix : NAME_UNKNOWN;
	s->data.code = a ? a->code : COMMAND_UNKNOWN;
	s->data.status = STATUS_UNKNOWN;
	s->data.waits = a && a->waits ? WAITS_DATA : WAITS_NO;
	s->data.database = s->front.database;
}

/* Sets the data for a turn of a connection whose bytes we cannot read. */
static __always_inline void data_unread(struct server_conn *s)
{
	int encrypted = s->front.mode == FRONT_ENCRYPTED;

	s->shares = 1;
	s->data.prefix = encrypted ? NAME_ENCRYPTED : NAME_UNKNOWN;
	s->data.code = encrypted ? COMMAND_ENCRYPTED : COMMAND_OPAQUE;
	s->data.status = STATUS_UNKNOWN;
	s->data.waits = WAITS_NO;
	s->data.database = encrypted ? DATABASE_ENCRYPTED : DATABASE_UNKNOWN;
}

/* ---- recording ---- */

/* Adds the command that now has its reply to the tally of this send.  The last entry is for all those that find no
 * other one: they count, but their command, prefix, status and database are unknown. */
static __always_inline void tally_add(struct server_conn *s)
{
	const struct done *d = &s->front.done;
	struct tally *y;
	__u32 i;

	s->n_done++;
	for (i = 0; i < TALLY_MAX - 1 && i < s->n_tally; i++) {
		y = &s->tally[i];
		if (y->done.code == d->code && y->done.status == d->status && y->done.prefix == d->prefix &&
		    y->done.database == d->database && y->done.waits == d->waits) {
			y->n++;
			return;
		}
	}
	barrier_var(i);			/* else the verifier does not see the bound */
	y = &s->tally[i & (TALLY_MAX - 1)];
	if (i < TALLY_MAX - 1)
		y->done = *d;
	else
		y->done = (struct done){ .prefix = NAME_UNKNOWN, .code = COMMAND_UNKNOWN, .status = STATUS_UNKNOWN };
	y->n = i < s->n_tally ? y->n + 1 : 1;
	s->n_tally = i + 1;
}

static __always_inline void tally_clear(struct server_conn *s)
{
	s->n_tally = s->n_done = 0;
}

/* Emits the i-th entry of the tally as one event that stands for its commands.  If e has no space for it, files it. */
__noinline int emit_tally(struct events *e, struct server_conn *s, __u32 i, int waited)
{
	struct tally *y;
	__u32 at;

	if (!e || !s || i >= TALLY_MAX)
		return 0;
	y = &s->tally[i];
	s->data = y->done;
	if (s->data.waits)
		s->data.waits = waited ? WAITS_DATA : WAITS_READY;
	at = e->n;
	if (at >= EVENTS_MAX) {
		event_file(s, y->n);
		return 0;
	}
	emit(e, s);
	e->more[at & (EVENTS_MAX - 1)] = y->n - 1;
	return 0;
}

#endif
