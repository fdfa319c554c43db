/* conn_end.bpf.h - records what is not recorded yet of a connection that ends.
 *
 *      TCP    inet_sock_set_state -> closes(): its state is at the socket
 *      Unix   no tracepoint shows the end of the socket; sched_process_exit -> dies(): the process' files, which are
 *             still open, each socket's storage -> a copy of the state
 *
 *      closed by its server -> the pending event
 *      the process ends     -> conn_dies(): also the request that runs, and what waits after it
 *
 * The storage ends with the socket, so the age flush would come too late.  The events go to the collector
 * (filed.bpf.h): these programs call no record program, because record programs are attached to a tracepoint with other
 * arguments.
 *
 * Hidden  Within TLS, or if we do not know the protocol, the last bytes of a client may be a goodbye without an answer.
 *         Such a turn is an event only if the process was killed or ended with an error.
 * Race    The age flush may take a pending event after its copy was made and before the socket ends, a few
 *         microseconds.  So events of that age are left to the flush.
 * Calls   On kernels without the socket tracepoints dies() finds the states of TCP connections, too, by their inodes.
 */
#ifndef HEATSCOPE_CONN_END_BPF_H
#define HEATSCOPE_CONN_END_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "collector/server/conns.bpf.h"
#include "collector/server/filed.bpf.h"
#include "collector/trace/process_end.bpf.h"

#define TCP_FIN_WAIT1 4			/* enum in include/net/tcp_states.h */
#define TCP_CLOSE 7
#define TCP_LAST_ACK 9

#define FILES_MAX (1u << 20)		/* of a process that ends, of those we look at */
#define STORAGES_MAX 16			/* maps with a storage at a socket, of those we look at */

/* Hands over the events of one connection, and makes space for those of the next one. */
static __always_inline void events_hand(struct events *e)
{
	__u32 i;

#pragma clang loop unroll(disable)
	for (i = 0; i < EVENTS_MAX && i < e->n; i++)
		event_hand(e, i);
	e->n = e->weight = 0;
	__builtin_memset(e->more, 0, sizeof(e->more));
}

/* Takes the pending event of a connection whose reply may be complete. */
static __always_inline int pending_emit(struct events *e, struct server_conn *s)
{
	if (!pending_take(&s->turn, STATE_RECORDED))
		return 0;
	emit(e, s);
	count(&counts.flushed);
	return 1;
}

/* Records what a connection has left when its process ends. */
static __always_inline void conn_end(struct events *e, struct server_conn *s, struct task_struct *t)
{
	__u64 kind = STATE_KIND(s->turn.state);

	if (kind == STATE_PENDING && conn_completes(s))
		pending_emit(e, s);
	else if (kind != STATE_IDLE && (conn_follows(s) || conn_held(s) || wait_status(t)))
		conn_dies(e, s, t);
	events_hand(e);
}

/* Ends a run without record programs. */
static __always_inline void run_leave(const struct run *r, struct events *e)
{
	if (e)
		nesting_leave(r->cpu, e);
	else
		run_end(r);
}

/* ---- TCP ---- */

static __always_inline int is_ending(const struct server_conn *s, const struct task_struct *t)
{
	return (t->flags & PF_EXITING) && (__u32)t->tgid == s->turn.pid;
}

/* Softirqs run this, too, but never while another program has taken the event. */
SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(closes, struct sock *sk, int before, int after)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct server_conn *s;
	struct events *e;
	struct run r;

	if (after != TCP_FIN_WAIT1 && after != TCP_CLOSE && after != TCP_LAST_ACK)
		return 0;
	s = conn_at(sk);
	if (!s)
		return 0;
	e = events_here(&r);
	if (e && is_ending(s, t))
		conn_end(e, s, t);
	else if (e && conn_completes(s) && pending_emit(e, s))
		events_hand(e);
	run_leave(&r, e);
	return 0;
}

/* ---- Unix ---- */

struct {				/* the state that dies() looks at */
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct server_conn);
} conn_copies SEC(".maps");

struct ending {				/* a process that ends */
	struct events *e;
	struct task_struct *t;
	struct server_conn *copy;
	struct file **files;
};

/* Copies the state of a socket's connection.  Returns 0; -1: it has none. */
static __always_inline int conn_copy(struct server_conn *ret, struct sock *sk)
{
	struct bpf_local_storage *storage = BPF_CORE_READ(sk, sk_bpf_storage);
	struct hlist_node *node = storage ? BPF_CORE_READ(storage, list.first) : 0;
	const __u32 begin = bpf_core_field_offset(struct bpf_local_storage_data, data);
	struct bpf_local_storage_data *data;
	__u32 i;

#pragma clang loop unroll(disable)
	for (i = 0; i < STORAGES_MAX && node; i++) {
		data = (void *)node - bpf_core_field_offset(struct bpf_local_storage_elem, snode) +
		       bpf_core_field_offset(struct bpf_local_storage_elem, sdata);
		if ((__u64)BPF_CORE_READ(data, smap) == (__u64)&conns)
			return bpf_probe_read_kernel(ret, sizeof(*ret), (void *)data + begin) ? -1 : 0;
		node = BPF_CORE_READ(node, next);
	}
	return -1;
}

/* Returns the connection of a file, a copy of its state or the state itself; NULL: none, or it is left to closes(). */
static __always_inline struct server_conn *conn_of_ending(const struct ending *d, struct file *file)
{
	struct server_conn *s = d->copy;
	struct sock *sk;
	__u64 inode;

	sk = file ? socket_of_file(file, &inode) : 0;
	if (!sk)
		return 0;
	if (by_call)
		return bpf_map_lookup_elem(&call_conns, &inode);
	if (BPF_CORE_READ(sk, __sk_common.skc_family) != AF_UNIX || conn_copy(s, sk))
		return 0;
	return STATE_KIND(s->turn.state) == STATE_PENDING && s->turn.end.ns < flush_before ? 0 : s;
}

static long file_dies(__u32 i, struct ending *d)
{
	struct server_conn *s;
	struct file *file = 0;

	bpf_probe_read_kernel(&file, sizeof(file), &d->files[i]);
	s = conn_of_ending(d, file);
	if (s && s->turn.pid == (__u32)d->t->tgid)
		conn_end(d->e, s, d->t);
	return 0;
}

static __always_inline void files_die(struct events *e, struct task_struct *t)
{
	struct fdtable *table = BPF_CORE_READ(t, files, fdt);
	__u32 n = table ? BPF_CORE_READ(table, max_fds) : 0;
	const __u32 zero = 0;
	struct ending d = { .e = e, .t = t, .copy = bpf_map_lookup_elem(&conn_copies, &zero) };

	if (!n || !d.copy)
		return;
	d.files = BPF_CORE_READ(table, fd);
	bpf_loop(n < FILES_MAX ? n : FILES_MAX, file_dies, &d, 0);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(dies, struct task_struct *t)
{
	struct events *e;
	struct run r;

	if (!is_server(t) || !is_last(ctx, t))
		return 0;
	e = events_here(&r);
	if (e)
		files_die(e, t);
	run_leave(&r, e);
	return 0;
}

#endif
