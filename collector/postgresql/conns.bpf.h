/* conns.bpf.h - keeps the PostgreSQL part of a connection, and fills its events; see server/conns.bpf.h. */
#ifndef HEATSCOPE_POSTGRESQL_CONNS_BPF_H
#define HEATSCOPE_POSTGRESQL_CONNS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/postgresql/conn.h"
#include "collector/server/conns.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, PREPARED_MAX);
	__type(key, struct named_key);
	__type(value, struct named_statement);
} named SEC(".maps");

static __always_inline void conn_init(struct server_conn *s, int greeted)
{
	s->front.mode = greeted ? FRONT_STARTUP : FRONT_STRANGE;
	s->turn.connection = s->turn.pid;
}

/* Returns the parent of t's process: a connection's process is a child of the one that listens. */
static __always_inline __u32 listening_pid(struct task_struct *t)
{
	struct task_struct *parent = t->group_leader->real_parent;

	return parent && is_server(parent) ? parent->tgid : t->tgid;
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

#define WANTED_WHO (WANTED_FIELD(POSTGRESQL_DATABASE) | WANTED_FIELD(POSTGRESQL_USER) | WANTED_FIELD(POSTGRESQL_CLIENT))

static __always_inline void event_fields(struct event *e, const struct server_conn *s)
{
	e->field[POSTGRESQL_COMMAND] = s->event_data.command;
	e->field[POSTGRESQL_STATEMENT] = s->event_data.codes.statement;
	e->field[POSTGRESQL_DIGEST] = s->event_data.codes.digest;
	e->field[POSTGRESQL_TABLE] = name_used(POSTGRESQL_TABLE, s->event_data.codes.table);
	e->field[POSTGRESQL_STATUS] = s->event_data.status;
	e->field[POSTGRESQL_INSTANCE] = s->turn.instance;
	e->field[POSTGRESQL_PID] = s->turn.pid;
	e->field[POSTGRESQL_EXECNAME] = s->turn.execname;
	e->verbatim = s->event_data.codes.verbatim;
	if (wanted & WANTED_MEASURE(POSTGRESQL_ROWS))
		e->measure[POSTGRESQL_ROWS] = s->event_data.n_rows;
	if (!(wanted & WANTED_WHO))
		return;
	e->field[POSTGRESQL_DATABASE] = name_used(POSTGRESQL_DATABASE, s->database);
	e->field[POSTGRESQL_USER] = name_used(POSTGRESQL_USER, s->user);
	e->field[POSTGRESQL_CLIENT] = client_used(&s->turn);
}

/* Sets the data of the next event from the entry `at`. */
static __always_inline void event_data_at(struct server_conn *s, __u32 at)
{
	const struct asked *a = asked_at(&s->front.asked, at);

	s->event_data.codes = a->codes;
	s->event_data.command = a->command;
	s->event_data.status = STATUS_UNKNOWN;
	s->event_data.n_rows = 0;
}

/* Sets the data of the next event from the request that is answered first: the server works at that one. */
static __always_inline void event_data_first(struct server_conn *s)
{
	event_data_at(s, 0);
}

/* Sets the data for a turn of a connection whose bytes we cannot read. */
static __always_inline void event_data_unread(struct server_conn *s)
{
	int encrypted = s->front.mode == FRONT_ENCRYPTED;

	s->event_data = (struct event_data){ { DIGEST_NONE, STATEMENT_NONE, NAME_NONE, 0 }, encrypted ? COMMAND_ENCRYPTED : COMMAND_OPAQUE, STATUS_UNKNOWN, 0 };
	if (encrypted && s->user == NAME_UNKNOWN)
		s->user = s->database = NAME_ENCRYPTED;
}

/* ---- recording ---- */

/* Emits an event; a global function: the verifier checks it once. */
__noinline int emit_share(struct events *e, struct server_conn *s, __u32 shares)
{
	__u32 at = e ? e->n : 0;

	if (!e || !s)
		return 0;
	emit(e, s);
	if (e->n != at && shares > 1)
		measures_share(e->event[at & (EVENTS_MAX - 1)].measure, shares);
	return 0;
}

/* Emits n equal events, which have n_rows together.  One event stands for all of them if there are no others, and if
 * their rows can be shared equally or one run cannot emit so many events. */
static __always_inline void emit_many(struct events *e, struct server_conn *s, __u32 n, __u32 shares, __u64 n_rows)
{
	__u32 i, weight;

	if (n == shares && n > 1 && !e->n && (n > EVENTS_MAX || !(n_rows % n))) {
		weight = sample_weight(nesting_cpu());
		if (!weight)
			return;
		e->weight = weight * n;
		s->event_data.n_rows = n_rows / n;
		emit_share(e, s, shares);
		return;
	}
	for (i = 0; i < EVENTS_MAX && i < n; i++) {
		s->event_data.n_rows = asked_share(n_rows, n, i);
		emit_share(e, s, shares);
	}
	if (n > EVENTS_MAX)
		__sync_fetch_and_add(&counts.crowded, n - EVENTS_MAX);
}

struct recording {
	struct server_conn *s;
	struct events *e;
	struct asked_take take;
	__u32 at, shares;		/* the number of events before this entry; how many share the time */
};

static __always_inline __u32 overlap(__u32 from, __u32 to, __u32 at, __u32 n)
{
	__u32 low = from > at ? from : at, high = to < at + n ? to : at + n;

	return high > low ? high - low : 0;
}

/* Records one entry of the round. */
static long record_step(__u32 i, struct recording *r)
{
	struct asked_ring *ring = &r->s->front.asked;
	struct asked *a = asked_at(ring, i);
	__u32 end = r->take.from + r->take.n_ok, n;

	if (i >= ring->n)
		return 1;
	r->s->event_data.codes = a->codes;
	r->s->event_data.command = a->command;
	r->s->event_data.status = STATUS_OK;
	n = overlap(r->take.from, end, r->at, a->n);
	if (n) {
		emit_many(r->e, r->s, n, r->shares, a->unrecorded_rows);
		a->unrecorded_rows = 0;
	}
	r->s->event_data.status = ring->error;
	r->s->event_data.n_rows = 0;
	if (r->take.n_failed && end >= r->at && end < r->at + a->n)
		emit_share(r->e, r->s, r->shares);
	r->at += a->n;
	return a->rounds != 0;
}

/* Records the complete events of a round, with which the turn has ended. */
__noinline int round_record(struct server_conn *s, struct events *e, int whole)
{
	struct recording r = { .s = s, .e = e };

	if (!s || !e)
		return 0;
	r.take = asked_take(&s->front.asked, whole);
	r.shares = r.take.n_ok + r.take.n_failed;
	if (r.shares)
		bpf_loop(ASKED_MAX, record_step, &r, 0);
	return 0;
}

#endif
