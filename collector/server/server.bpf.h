/* server.bpf.h - observes a server's events at its sockets, in any protocol.
 *
 *      sock_recv_length -> received() ---+
 *                                        +--> events (per CPU) --tail call--> record programs
 *      sock_send_length -> sent() -------+
 *      sys_enter, sys_exit -> the thread's file operations, only while they are asked for
 *      sk_data_ready -> when bytes reached a connection's queue, only while that is asked for
 *      sched_switch -> why a server's thread left the CPU, only while that is asked for
 *      inet_sock_set_state, sched_process_exit -> what a connection has left when it ends (conn_end.bpf.h)
 *      iter/bpf_sk_storage_map -> events not ended for 5 s, and turns that run now --> read by the collector
 *
 * A kernel before 6.3 has no socket tracepoints: sys_exit of the same calls replaces both.  If a kernel cannot iterate
 * over a map, the collector finds the connections by the servers' files.
 *
 * Cost  Both tracepoints fire at every socket of the machine.  A connection's state is stored at its socket, so the
 *       program looks there first, and only then asks whose process it is.  Most runs pass.
 *
 * The server needs no symbols and no restart: when the tracepoints fire, the bytes are in its own buffer, whose address
 * is in the system call's registers.
 *
 * protocol.bpf.h lists the functions of a protocol, whose x.bpf.c includes this file last.  server_tracer.h is the
 * host's side.
 */
#ifndef HEATSCOPE_SERVER_BPF_H
#define HEATSCOPE_SERVER_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "collector/server/conns.bpf.h"
#include "collector/server/conn_end.bpf.h"
#include "collector/trace/file_socket.bpf.h"
#include "collector/server/files.bpf.h"
#include "collector/server/user_bytes.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define MSG_PEEK 2

__u64 running_since = 0;		/* CLOCK_MONOTONIC: turns that ended later are reported as running too */

/* ---- the sockets ---- */

/* Is it a socket that we do not follow, of no server?  The process matters only at an unknown socket, if bytes went
 * through it. */
static __always_inline int is_strange(const struct server_conn *s, int ret)
{
	return !s && (ret <= 0 || !is_server(bpf_get_current_task_btf()));
}

/* Has this receive nothing to do?  Without bytes it only ends a pending event, or a waiting one that has no reply. */
static __always_inline int is_idle(const struct server_conn *s, int ret)
{
	__u64 kind = s ? STATE_KIND(s->turn.state) : STATE_IDLE;

	return s && ret <= 0 && kind != STATE_PENDING && kind != STATE_WAITING;
}

/* Begins the arrival times of a connection, after the receive that has made it. */
static __noinline int arrival_first(struct sock *sk)
{
	struct server_conn *s = conn_at(sk);

	if (s)
		arrival_receive(&s->turn, sk);
	return 0;
}

/* Notes the control group of a connection, after the receive or send that has made it. */
static __always_inline void cgroup_first(struct sock *sk)
{
	struct server_conn *s = conn_at(sk);

	if (s)
		turn_cgroup_note(&s->turn);
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(sock_recv, struct sock *sk, int ret, int flags)
{
	struct server_conn *s = conn_at(sk);
	struct events *e;
	struct run r;

	if (is_strange(s, ret) || is_idle(s, ret) || (flags & MSG_PEEK))
		return run_pass();
	if (s && ret > 0 && arrivals_now())
		arrival_receive(&s->turn, sk);
	if (s && ret > 0)
		turn_cgroup_receive(&s->turn);
	e = events_here(&r);
	if (e)
		received(e, s, sk, 0, bpf_get_current_task_btf(), ret);
	if (!s && arrivals_now())
		arrival_first(sk);
	if (!s)
		cgroup_first(sk);
	tail_call_run(ctx, &r, e);
	return 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(sock_send, struct sock *sk, int ret, int flags)
{
	struct server_conn *s = conn_at(sk);
	struct events *e;
	struct run r;

	if (is_strange(s, ret))
		return run_pass();
	e = events_here(&r);
	if (e)
		sent(e, s, sk, 0, bpf_get_current_task_btf(), ret);
	if (!s)
		cgroup_first(sk);
	tail_call_run(ctx, &r, e);
	return 0;
}

/* Runs in the thread or the interrupt that brings the bytes. */
SEC("?tp_btf/sk_data_ready")
int BPF_PROG(data_ready, const struct sock *sk)
{
	struct server_conn *s = conn_at((struct sock *)sk);

	if (s)
		arrival_ready(&s->turn, (struct sock *)sk);
	return 0;
}

/* ---- the scheduler ---- */

SEC("?tp_btf/sched_switch")
int BPF_PROG(switched, _Bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	if (is_server(prev))
		switch_leaves(prev, preempt || !prev_state);
	if (is_server(next))
		switch_comes(next);
	return 0;
}

SEC("?tp_btf/sched_wakeup")
int BPF_PROG(woken, struct task_struct *t)
{
	if (is_server(t))
		switch_wakes(t);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(left, _Bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	struct blocked_time *p = is_server(prev) ? blocked_time_of(prev) : 0;
	struct stamp now;

	if (!p)
		return 0;
	clocks(&now, prev);
	blocked_time_leave(p, prev, &now, preempt || !prev_state);
	return 0;
}

/* ---- files ---- */

SEC("tp_btf/sys_enter")
int BPF_PROG(file_begins, struct pt_regs *regs, long id)
{
	file_call_begins(bpf_get_current_task_btf(), regs, id);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(file_ends, struct pt_regs *regs, long ret)
{
	file_call_ends(bpf_get_current_task_btf(), call_number(regs), ret);
	return 0;
}

/* ---- kernels without the socket tracepoints: the system calls report both ---- */

/* Notes the control group of a connection that the call has made.  A global function, which the verifier checks once. */
__noinline int call_cgroup_first(__u64 inode)
{
	struct server_conn *s = bpf_map_lookup_elem(&call_conns, &inode);

	if (s && !s->turn.cgroup.check_ns)
		turn_cgroup_note(&s->turn);
	return 0;
}

static __always_inline void call_ended(struct events *e, struct task_struct *t, const struct pt_regs *regs, long ret)
{
	int peeks = 0, receives = 0;
	struct server_conn *s;
	struct sock *sk;
	__u64 inode;

	switch (call_number(regs)) {
	case __NR_recvfrom:
		peeks = call_argument(regs, 3) & MSG_PEEK;
		receives = 1;
		break;
	case __NR_recvmsg:
		peeks = call_argument(regs, 2) & MSG_PEEK;
		receives = 1;
		break;
	case __NR_read:
	case __NR_readv: receives = 1; break;
	case __NR_sendto:
	case __NR_sendmsg:
	case __NR_write:
	case __NR_writev:
	case __NR_sendfile:
		break;
	default:
		return;
	}
	sk = peeks ? 0 : socket_of_file(file_of(t, call_argument(regs, 0)), &inode);
	if (!sk || !inode)
		return;
	s = bpf_map_lookup_elem(&call_conns, &inode);
	if (!s && ret <= 0)
		return;
	if (s && receives && ret > 0)
		turn_cgroup_receive(&s->turn);
	if (receives)
		received(e, s, sk, inode, t, ret);
	else
		sent(e, s, sk, inode, t, ret);
	call_cgroup_first(inode);
}

SEC("?tp_btf/sys_exit")
int BPF_PROG(call_ends, struct pt_regs *regs, long ret)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct events *e;
	struct run r;

	if (!is_server(t))
		return run_pass();
	e = events_here(&r);
	if (e)
		call_ended(e, t, regs, ret);
	tail_call_run(ctx, &r, e);
	return 0;
}

/* ---- the connections that exist already ---- */

/* Returns the connection of the file that an iterator is at; NULL: it has none. */
static __always_inline struct server_conn *conn_of_file(const struct bpf_iter__task_file *ctx)
{
	struct task_struct *t = ctx->task;
	struct sock *sk;
	__u64 inode;

	if (!t || !is_server(t))
		return 0;
	if (by_call)
		return socket_of_file(ctx->file, &inode) ? bpf_map_lookup_elem(&call_conns, &inode) : 0;
	sk = file_socket(ctx);
	return sk ? conn_at(sk) : 0;
}

/* ---- the age flush ---- */

static __always_inline int flush_conn(struct seq_file *seq, struct server_conn *s)
{
	struct event e;
	__u64 seen, flushed;

	if (!s)
		return 0;
	seen = *(volatile __u64 *)&s->turn.state;
	if (STATE_KIND(seen) != STATE_PENDING || conn_held(s) || s->turn.end.ns >= flush_before)
		return 0;
	__builtin_memset(&e, 0, sizeof(e));
	event_fill(&e, s);
	flushed = STATE_NEXT(seen, STATE_RECORDED);
	if (__sync_val_compare_and_swap(&s->turn.state, seen, flushed) != seen)
		return 0;
	if (!bpf_seq_write(seq, &e, sizeof(e)))
		count(&counts.flushed);
	else if (__sync_val_compare_and_swap(&s->turn.state, flushed, STATE_NEXT(flushed, STATE_PENDING)) != flushed)
		count(&counts.crowded);		/* no space: the iterator comes again, but the next command first */
	return 0;
}

SEC("?iter/bpf_sk_storage_map")
int flush(struct bpf_iter__bpf_sk_storage_map *ctx)
{
	return flush_conn(ctx->meta->seq, ctx->value);
}

SEC("?iter/bpf_map_elem")
int flush_calls(struct bpf_iter__bpf_map_elem *ctx)
{
	return flush_conn(ctx->meta->seq, ctx->value);
}

SEC("?iter/task_file")
int flush_files(struct bpf_iter__task_file *ctx)
{
	return flush_conn(ctx->meta->seq, conn_of_file(ctx));
}

/* ---- turns that run ---- */

/* Does the turn run?  If we cannot follow a reply, its last send may have completed it. */
static __always_inline int is_running(const struct server_conn *s, __u64 kind)
{
	return kind == STATE_WAITING || (kind == STATE_PENDING && (conn_follows(s) || conn_held(s)));
}

extern struct task_struct *bpf_task_from_pid(__s32 pid) __ksym __weak;	/* since Linux 6.2 */
extern void bpf_task_release(struct task_struct *t) __ksym __weak;

#define TASK_SLEEPS 3			/* __state: interruptible, or not */

static __always_inline __u64 reason_now(struct task_struct *t)
{
	unsigned int state = t->__state;

	if (!state)
		return REASON_NONE;
	return state & TASK_SLEEPS ? reason_of(t) : REASON_OTHER;
}

static __always_inline __u64 blocked_in(const struct server_conn *s)
{
	__u64 reason = REASON_OTHER;
	struct task_struct *t;

	if (!bpf_task_from_pid)
		return reason;
	t = bpf_task_from_pid(s->turn.start.thread);
	if (!t)
		return reason;
	if ((__u32)t->tgid == s->turn.pid)
		reason = reason_now(t);
	bpf_task_release(t);
	return reason;
}

static __always_inline int report_running(struct seq_file *seq, struct server_conn *s)
{
	struct turn_running r;
	__u64 seen, in = TURN_ENDED;

	if (!s || *(volatile __u64 *)&s->turn.scan == running_scan)
		return 0;
	seen = *(volatile __u64 *)&s->turn.state;
	__builtin_memset(&r, 0, sizeof(r));
	if (!is_running(s, STATE_KIND(seen))) {
		r.end_ns = s->turn.end.ns;
		if (STATE_KIND(seen) == STATE_IDLE || r.end_ns < running_since)
			return 0;
	} else if (wanted & WANTED_FIELD(FIELD_BLOCKED_IN)) {
		in = blocked_in(s);
	}
	event_fill(&r.event, s);
	r.event.field[FIELD_BLOCKED_IN] = in;
	r.begin_ns = s->turn.start.ns;
	if (*(volatile __u64 *)&s->turn.state != seen || !scan_take(&s->turn))
		return 0;
	if (bpf_seq_write(seq, &r, sizeof(r)))
		*(volatile __u64 *)&s->turn.scan = 0;	/* no space: the iterator comes again */
	return 0;
}

SEC("?iter/bpf_sk_storage_map")
int running(struct bpf_iter__bpf_sk_storage_map *ctx)
{
	return report_running(ctx->meta->seq, ctx->value);
}

SEC("?iter/bpf_map_elem")
int running_calls(struct bpf_iter__bpf_map_elem *ctx)
{
	return report_running(ctx->meta->seq, ctx->value);
}

SEC("?iter/task_file")
int running_files(struct bpf_iter__task_file *ctx)
{
	return report_running(ctx->meta->seq, conn_of_file(ctx));
}

#endif
