/* protocol.bpf.h - lists in order the functions that a protocol gives to server.bpf.h.  A new protocol starts
 * here.
 *
 *      x/x.h           the event: its fields, measures, names of the servers' processes
 *      x/conn.h        SERVER_NAMES, FIELD_BLOCKED_IN, struct server_conn, which begins with a struct turn
 *      x/digest.h      digest_byte(), if its requests are texts; included before digests.bpf.h
 *      x/x.bpf.h ...   the functions below
 *      x/x.bpf.c       includes them, then server.bpf.h
 *      x/x.c           its struct server_protocol and its struct tracer (server_tracer.h), a row in tracers.c
 *
 * Life of a connection, and the functions called at each step:
 *
 *      at an unknown socket -> received(), sent() with s NULL -> conn_make(): listening_pid(), then conn_init()
 *      receive  -> received(): ends what is pending, reads the request, stamp_start()
 *      send     -> sent(): reads the reply, stamp_end(), emit() when it is complete -> event_fields()
 *      no send for 5 s, or the end of a slot -> conn_held(), conn_follows(): is the request answered? -> event_fields()
 *      the process ends -> conn_dies(): emit() or count what is not answered
 *
 * Thread   a function may run on several CPUs at once, for different connections; t is the current task.
 */
#ifndef HEATSCOPE_PROTOCOL_BPF_H
#define HEATSCOPE_PROTOCOL_BPF_H

#include "collector/ring/events.bpf.h"

struct server_conn;
struct sock;
struct task_struct;

/* 1. Returns the process that listens for t's connections: t's own, or its parent's. */
static __always_inline __u32 listening_pid(struct task_struct *t);

/* 2. Fills in a new connection: all of s is 0 except its turn, which is filled.  greeted: the connection begins now. */
static __always_inline void conn_init(struct server_conn *s, int greeted);

/* 3. A server's thread t has received ret bytes, or -errno.  s NULL: at a socket that may become a connection, by
 *    conn_make().  inode: of the socket's file, where system calls stand for the socket tracepoints; else 0. */
static __always_inline void received(struct events *e, struct server_conn *s, struct sock *sk, __u64 inode,
				     struct task_struct *t, int ret);

/* 4. A server's thread t has sent ret bytes, or -errno; the other arguments are as in received(). */
static __always_inline void sent(struct events *e, struct server_conn *s, struct sock *sk, __u64 inode,
				     struct task_struct *t, int ret);

/* 5. Fills the event's fields and the protocol's own measures.  exchange.bpf.h has filled the others as if one thread
 *    served only this turn; the protocol may replace them. */
static __always_inline void event_fields(struct event *e, const struct server_conn *s);

/* 6. Returns 1 if the server waits for its client in the middle of a request, so its last send ends nothing. */
static __always_inline int conn_held(const struct server_conn *s);

/* 7. Returns 1 if the protocol reads this connection's replies, so it knows which send ends a reply. */
static __always_inline int conn_follows(const struct server_conn *s);

/* 8. Returns 1 if the end of the connection ends its pending reply, too: nothing says that the reply goes on. */
static __always_inline int conn_completes(const struct server_conn *s);

/* 9. The server's process ends, of which t is the last thread, and so does the connection.  Emits the request that runs,
 *    with what is known of its result, and counts the others that have no answer as unreadable.  s may be a copy. */
static __always_inline void conn_dies(struct events *e, struct server_conn *s, struct task_struct *t);

#endif
