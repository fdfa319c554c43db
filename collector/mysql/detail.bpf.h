/* detail.bpf.h - with --detail, takes from the server itself what it knows of a statement, where the connection's
 * bytes hide it.
 *
 *      a receive of a connection that hides it: detail_receive() -> its thread works for it
 *      the end of a statement: statement_ended(), a probe in the server (thd.bpf.h), on that thread
 *           -> details, by connection
 *      the event, which is made at the next receive or by its age: detail_fill() -> its fields
 *
 * Hidden  all of a command within TLS, of a compressed or opaque one; user and database of a connection that is older
 *         than the collector.
 * Whose   The program in the server does not know the socket, but it knows the thread: the thread that received a
 *         connection's last bytes works for it.  Where another thread continues the work (some thread pools), nothing
 *         is reported.
 * Last    Of several statements in one packet, and of those that a procedure executes before its CALL ends, the last
 *         counts.
 * Cut     The program in the server, unlike those at the tracepoints, may be preempted: its data belongs to its thread.
 *
 * Included once, by conns.bpf.h.
 */
#ifndef HEATSCOPE_MYSQL_DETAIL_BPF_H
#define HEATSCOPE_MYSQL_DETAIL_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/server/conns.bpf.h"

const volatile __u32 detail = 0;	/* 1: --detail */

struct detail_thread {
	__u64 conn;			/* id of the connection that it works for, which hides something; 0: none */
	struct statement statement;
	struct digest digest;
	struct name name;
	char name_bytes[NAME_ROOM + 8];	/* the bytes that the name is made of */
	__u8 window[64];		/* of a text */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct detail_thread);
} detail_threads SEC(".maps");

struct {				/* by connection */
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, CALL_CONNS_MAX);
	__type(key, __u64);
	__type(value, struct mysql_detail);
} details SEC(".maps");

#define DETAIL_NAMES (WANTED_FIELD(MYSQL_USER) | WANTED_FIELD(MYSQL_DATABASE))
#define DETAIL_TEXT (WANTED_FIELD(MYSQL_STATEMENT) | MYSQL_TOKENS)

/* ---- the connections ---- */

/* Are the commands of this connection hidden? */
static __always_inline int detail_hidden(const struct conn *c)
{
	return conn_turns(c) || c->mode == CONN_COMPRESSED;
}

static __always_inline int detail_misses(const struct conn *c)
{
	if (detail_hidden(c))
		return (wanted & (DETAIL_NAMES | DETAIL_TEXT)) != 0;
	return (wanted & DETAIL_NAMES) && (c->who.user == NAME_UNKNOWN || c->who.database == NAME_UNKNOWN);
}

/* Detail of the command of s that began last; NULL: the server has reported none. */
static __always_inline const struct mysql_detail *detail_of(const struct server_conn *s)
{
	__u64 id = s->turn.id;
	const struct mysql_detail *d = bpf_map_lookup_elem(&details, &id);

	return d && d->ns >= s->turn.start.ns ? d : 0;
}

static __always_inline void detail_name(__u64 *name, __u64 code)
{
	if (*name == NAME_UNKNOWN)
		*name = code;
}

/* Before the next command: learns from the server whose connection it is.  A change that the last command asks for
 * is applied to the values known before that command. */
static __always_inline void detail_learn(struct server_conn *s)
{
	const struct mysql_detail *d = detail_of(s);
	struct who *w = &s->conn.who;

	if (!d)
		return;
	detail_name(&w->user, d->user);
	detail_name(&w->next_user, d->user);
	detail_name(&w->database, d->database);
	detail_name(&w->next_database, d->database);
}

/* t receives bytes of s. */
static __noinline int detail_receive(struct server_conn *s, struct task_struct *t)
{
	int misses = detail_misses(&s->conn);
	struct detail_thread *d = bpf_task_storage_get(&detail_threads, t, 0, misses ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);

	if (d)
		d->conn = misses ? s->turn.id : 0;
	if (misses && !detail_hidden(&s->conn))
		detail_learn(s);
	return 0;
}

/* Fills in the fields that the server has reported. */
static __noinline int detail_fill(struct event *e, const struct server_conn *s)
{
	const struct mysql_detail *d = detail_of(s);

	if (!d)
		return 0;
	e->field[MYSQL_STATEMENT] = d->statement;
	e->field[MYSQL_DIGEST] = d->digest;
	e->field[MYSQL_TABLE] = name_used(MYSQL_TABLE, d->table);
	e->field[MYSQL_USER] = name_used(MYSQL_USER, d->user);
	e->field[MYSQL_DATABASE] = name_used(MYSQL_DATABASE, d->database);
	return 0;
}

#endif
