/* conns.bpf.h - keeps the HTTP part of a connection, and fills its events; see server/conns.bpf.h. */
#ifndef HEATSCOPE_HTTP_CONNS_BPF_H
#define HEATSCOPE_HTTP_CONNS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "collector/http/conn.h"
#include "collector/server/conns.bpf.h"

static __always_inline void conn_init(struct server_conn *s, int greeted)
{
	s->conn.mode = CONN_STRANGE;
}

/* Returns the process of t, or its parent if that is a server, too: then t's process is a worker. */
static __always_inline __u32 listening_pid(struct task_struct *t)
{
	struct task_struct *parent = t->group_leader->real_parent;

	return parent && is_server(parent) ? parent->tgid : t->tgid;
}

/* Returns 1 if we follow the reply to its end, however long the server waits within it. */
static __always_inline int conn_held(const struct server_conn *s)
{
	return conn_reads(&s->conn) && s->conn.out.state != AT_CLOSE;
}

static __always_inline int conn_follows(const struct server_conn *s)
{
	return conn_reads(&s->conn);
}

/* Also a reply that ends with the connection. */
static __always_inline int conn_completes(const struct server_conn *s)
{
	return !conn_held(s);
}

static __always_inline void event_fields(struct event *e, const struct server_conn *s)
{
	__u64 status = s->event_data.status;

	e->field[HTTP_METHOD] = s->event_data.method;
	e->field[HTTP_PATH] = s->event_data.path;
	e->field[HTTP_STATUS] = status;
	e->field[HTTP_CLASS] = status / 100;
	e->field[HTTP_HOST] = name_used(HTTP_HOST, s->event_data.host);
	e->field[HTTP_INSTANCE] = s->turn.instance;
	e->field[HTTP_PID] = s->turn.pid;
	e->field[HTTP_EXECNAME] = s->turn.execname;
	if (wanted & WANTED_FIELD(HTTP_CLIENT))
		e->field[HTTP_CLIENT] = client_used(&s->turn);
}

/* Sets the data of the next event from the request that is answered first. */
static __always_inline void event_data_first(struct server_conn *s)
{
	const struct asked *a = asked_at(&s->conn.asked, 0);

	s->event_data.method = a->method;
	s->event_data.path = a->path;
	s->event_data.host = a->host;
	s->event_data.status = STATUS_UNKNOWN;
}

/* Sets the data for a turn of a connection whose bytes we cannot read. */
static __always_inline void event_data_unread(struct server_conn *s)
{
	int encrypted = s->conn.mode == CONN_ENCRYPTED;

	s->event_data.method = encrypted ? METHOD_ENCRYPTED : METHOD_OPAQUE;
	s->event_data.path = PATH_NONE;
	s->event_data.host = encrypted ? NAME_ENCRYPTED : NAME_NONE;
	s->event_data.status = STATUS_UNKNOWN;
}

/* Do its requests count as events?  Only if we understand the connection for certain. */
static __always_inline int conn_counts(const struct server_conn *s)
{
	return s->conn.mode == CONN_PLAIN;
}

/* Gives up the position in the stream.  All requests that are not recorded count as lost, and n more: a receive
 * that we could not read or follow to its end counts as one, as we do not know how many requests it had. */
static __noinline void position_lost(struct server_conn *s, __u32 n)
{
	if (conn_counts(s)) {
		__sync_fetch_and_add(&counts.unreadable, n + s->conn.asked.n);
		state_set(&s->turn, STATE_IDLE);
	}
	conn_lost(&s->conn);
	if (s->conn.mode == CONN_OPAQUE)
		count(&counts.opaque);
}

/* Are the ret bytes that were just received the first ones of this TCP connection?  Softirqs may change these
 * counters meanwhile, so it reads them until they agree. */
static __always_inline int tcp_is_new(struct sock *sk, int ret)
{
	struct tcp_sock *tcp = (struct tcp_sock *)sk;
	__u32 next, copied;
	__u64 received;
	int i;

	for (i = 0; i < 3; i++) {
		next = BPF_CORE_READ(tcp, rcv_nxt);
		received = BPF_CORE_READ(tcp, bytes_received);
		copied = BPF_CORE_READ(tcp, copied_seq);
		if (next == BPF_CORE_READ(tcp, rcv_nxt))
			return received - (__u32)(next - copied) == (__u64)ret;
	}
	return 0;
}

static __always_inline int socket_is_new(struct sock *sk, int ret)
{
	return BPF_CORE_READ(sk, __sk_common.skc_family) == AF_UNIX || tcp_is_new(sk, ret);
}

#endif
