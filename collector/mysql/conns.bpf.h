/* conns.bpf.h - keeps the MySQL part of a connection, and fills its event; see server/conns.bpf.h. */
#ifndef HEATSCOPE_MYSQL_CONNS_BPF_H
#define HEATSCOPE_MYSQL_CONNS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/mysql/conn.h"
#include "collector/mysql/follow.h"
#include "collector/server/conns.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, PREPARED_MAX);
	__type(key, struct prepared_key);
	__type(value, struct prepared_statement);
} prepared SEC(".maps");

struct {				/* instances that have said the X protocol's hello */
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MYSQLX_MAX);
	__type(key, __u64);
	__type(value, __u32);
} mysqlx SEC(".maps");

/* A connection that is older than the collector is of the X protocol if a later one to the same instance is. */
static __always_inline void conn_init(struct server_conn *s, int greeted)
{
	__u64 instance = s->turn.instance;

	s->conn.mode = greeted ? CONN_LOGIN : CONN_STRANGE;
	if (!greeted && bpf_map_lookup_elem(&mysqlx, &instance))
		conn_becomes(&s->conn, CONN_MYSQLX);
}

static __always_inline void conn_is_mysqlx(struct server_conn *s)
{
	__u64 instance = s->turn.instance;
	const __u32 one = 1;

	conn_becomes(&s->conn, CONN_MYSQLX);
	bpf_map_update_elem(&mysqlx, &instance, &one, BPF_ANY);
}

static __always_inline __u32 listening_pid(struct task_struct *t)
{
	return t->tgid;
}

static __always_inline int conn_held(const struct server_conn *s)
{
	return s->conn.held;
}

static __always_inline int conn_follows(const struct server_conn *s)
{
	return s->conn.mode == CONN_PLAIN && !s->conn.unaligned;
}

static __always_inline int conn_completes(const struct server_conn *s)
{
	return !conn_follows(s) && !conn_held(s);
}

static __always_inline void names_fill(struct event *e, const struct server_conn *s)
{
	e->field[MYSQL_TABLE] = name_used(MYSQL_TABLE, s->table);
	e->field[MYSQL_USER] = name_used(MYSQL_USER, s->conn.who.user);
	e->field[MYSQL_DATABASE] = name_used(MYSQL_DATABASE, s->conn.who.database);
	e->field[MYSQL_CLIENT] = client_used(&s->turn);
}

static __always_inline void event_fields(struct event *e, const struct server_conn *s)
{
	e->field[MYSQL_COMMAND] = s->conn.command;
	e->field[MYSQL_STATEMENT] = s->conn.statement;
	e->field[MYSQL_DIGEST] = s->code;
	e->verbatim = s->verbatim;
	e->field[MYSQL_STATUS] = s->conn.result;
	e->field[MYSQL_INSTANCE] = s->turn.instance;
	e->field[MYSQL_PID] = s->turn.pid;
	e->field[MYSQL_EXECNAME] = s->turn.execname;
	if (wanted & MYSQL_NAMES)
		names_fill(e, s);
	if (wanted & WANTED_MEASURE(MYSQL_ROWS))
		e->measure[MYSQL_ROWS] = follow_rows(&s->conn);
}

#endif
