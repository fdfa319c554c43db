/* mysql.bpf.c - the events of mysql.queries, seen at the sockets of the servers.
 *
 *      sock_recv_length -> conn_receive, parse ---+
 *                                                 +--> events (per CPU) --tail call--> record programs
 *      sock_send_length -> reply, end stamp ------+
 *      iter/bpf_sk_storage_map -> what nobody ended for 5 s --> read by the collector
 *
 * Where the kernel has no socket tracepoints (before 6.3), sys_exit of the same calls stands for both.
 *
 * Needs nothing from the server: no symbols, no restart.  The bytes are in the server's own buffer
 * when the tracepoints fire, and its address is in the system call's registers.
 * What is counted, and why, is told in mysql.h, mysql_parse.h and mysql_conn.h.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "events.bpf.h"
#include "key.h"
#include "mysql_conns.bpf.h"
#include "mysql_digests.bpf.h"
#include "quantize.h"
#include "source.bpf.h"
#include "stamp.bpf.h"
#include "switch.bpf.h"
#include "text.bpf.h"
#include "vm.h"

char LICENSE[] SEC("license") = "GPL";

#define MSG_PEEK 2
#define EAGAIN 11
#define EINTR 4
#define S_IFMT 0170000
#define S_IFSOCK 0140000

#define FEED_STEPS 2048

const volatile __u32 by_switch = 0;	/* this kernel needs the stopwatch at the scheduler */

/* Names of server processes, 16 bytes each, as two words to compare. */
const volatile __u64 server_name[4][2] = { { 0 } };

__u64 flush_before = 0;			/* CLOCK_MONOTONIC: pending events that ended earlier are flushed */

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, PREPARED_MAX);
	__type(key, struct prepared_key);
	__type(value, struct prepared_statement);
} prepared SEC(".maps");

/* ---- who and when ---- */

static __always_inline int is_server(struct task_struct *t)
{
	const __u64 *name = (const __u64 *)t->group_leader->comm;
	__u64 a = name[0], b = name[1];
	int i;

	for (i = 0; i < 4; i++)
		if (server_name[i][0] && a == server_name[i][0] && b == server_name[i][1])
			return 1;
	return 0;
}

static __always_inline void stamp(struct stamp *s, struct task_struct *t)
{
	if (by_switch)
		switch_stamp(s, t);
	else
		stamp_now(s, t);
}

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

/* ---- events ---- */

static __always_inline __u64 clamp_to(__u64 value, __u64 most)
{
	if ((__s64)value < 0)
		return 0;
	return value > most ? most : value;
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
	e->field[MYSQL_COMMAND] = s->conn.command;
	e->field[MYSQL_STATEMENT] = s->conn.statement;
	e->field[MYSQL_DIGEST] = s->code;
	e->field[MYSQL_INSTANCE] = s->instance;
	e->field[MYSQL_PID] = s->pid;
	e->field[MYSQL_EXECNAME] = s->execname;
	e->measure[MYSQL_LATENCY] = latency;
	e->measure[MYSQL_CPUTIME] = split ? latency - off : 0;
	e->measure[MYSQL_RUNQWAIT] = wait;
	e->measure[MYSQL_BLOCKED] = off - wait;
	e->measure[MYSQL_UNSPLIT] = split ? 0 : latency;
	e->measure[MYSQL_OFFCPU] = off;
}

static __always_inline void emit(struct events *e, const struct mysql_conn *s)
{
	if (e->n >= EVENTS_MAX) {
		count(&counts.crowded);
		return;
	}
	event_fill(&e->event[e->n & (EVENTS_MAX - 1)], s);
	e->n++;
	count(&counts.events);
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

/* ---- the parser, in global functions: the verifier looks at each once, not once per path to it ---- */

/* One step: eats `byte`, or skips up to `left` bytes unseen.  Bytes eaten << 32 | PARSE_*. */
__noinline __u64 conn_step(struct conn *c, __u8 byte, __u32 left)
{
	__u32 blind = c ? parse_blind(c) : ~0u;

	if (!c)
		return (__u64)left << 32;
	if (!blind)
		return 1ull << 32 | parse_byte(c, byte);
	if (blind > left)
		blind = left;
	return (__u64)blind << 32 | parse_skip(c, blind);
}

/* A whole header in one receive, as MariaDB reads it. */
__noinline __u32 conn_header(struct conn *c, __u32 head)
{
	if (!c)
		return 0;
	__builtin_memcpy(c->head, &head, 4);
	c->have = 4;
	return header_end(c);
}

__noinline int conn_reply(struct conn *c, struct packet *p)
{
	return c && p ? reply_packet(c, p) : REPLY_MORE;
}

/* ---- receives ---- */

struct feed {
	struct mysql_conn *s;
	struct events *e;
	struct task_struct *t;
	struct source src;
	__u64 at, total;
	__u64 window_at, window_n;
	__u32 failed, pad;
	struct window window;
};

static __always_inline int feed_refill(struct feed *f)
{
	__u64 n;

	if (f->at >= f->src.from + f->src.len && source_next(&f->src))
		return -1;
	if (f->at < f->src.from || f->at >= f->src.from + f->src.len)
		return -1;
	n = f->src.from + f->src.len - f->at;
	if (n > f->total - f->at)
		n = f->total - f->at;
	if (n > WINDOW)
		n = WINDOW;
	if (bpf_probe_read_user(&f->window, n & 127, f->src.at + (f->at - f->src.from)))
		return -1;
	f->window_at = f->at;
	f->window_n = n;
	return 0;
}

static __always_inline void prepared_lookup(struct mysql_conn *s)
{
	struct prepared_key key = { .conn = s->id, .statement = s->conn.statement_id };
	struct prepared_statement *p = bpf_map_lookup_elem(&prepared, &key);

	s->conn.statement = p ? p->statement : STATEMENT_UNKNOWN;
	s->code = p ? p->digest : DIGEST_UNKNOWN;
	if (wanted & WANTED_FIELD(MYSQL_DIGEST))
		bpf_map_lookup_elem(&specimens, &s->code);	/* it is in use */
}

static __always_inline void prepared_forget(struct mysql_conn *s)
{
	struct prepared_key key = { .conn = s->id, .statement = s->conn.statement_id };

	bpf_map_delete_elem(&prepared, &key);
}

/* ---- digests ---- */

/* What is looked at of the text in the window, of which the parser has seen nothing yet. */
static __always_inline void digest_feed(struct feed *f, __u32 offset, __u32 n)
{
	struct mysql_conn *s = f->s;
	__u64 rest = f->total - f->src.from;

	if (s->digested != s->conn.at - 1)
		return;
	if (!s->digested) {
		if (digest_refuses(&s->conn, f->window.byte[offset & (WINDOW - 1)])) {
			s->digested = DIGEST_REFUSED;
			return;
		}
		s->digest.plain = (s->conn.status & SERVER_STATUS_NO_BACKSLASH_ESCAPES) != 0;
		s->text = (__u64)f->src.at + (f->at - f->src.from);
		s->text_end = (__u64)f->src.at + (rest < f->src.len ? rest : f->src.len);
	}
	if (n > s->conn.left)
		n = s->conn.left;
	if (n > DIGEST_LOOK - s->digested)
		n = DIGEST_LOOK - s->digested;
	digest_window(&s->digest, &f->window, offset, n);
	s->digested += n;
	if (s->digested == DIGEST_LOOK && s->conn.left > n)
		digest_end(s, 0);		/* now, while its text is at hand */
}

/* What the parser found in the byte or skip just done. */
static __always_inline void feed_outcome(struct feed *f, __u32 out)
{
	struct mysql_conn *s = f->s;

	if (out & PARSE_START) {
		if (STATE_KIND(s->state) == STATE_WAITING)
			count(&counts.unanswered);
		state_set(s, STATE_IDLE);
		stamp(&s->start, f->t);
		digest_begin(&s->digest);
		s->digested = 0;
		s->code = DIGEST_NONE;
	}
	if (out & PARSE_LOOKUP)
		prepared_lookup(s);
	if (out & PARSE_CLOSE)
		prepared_forget(s);
	if ((out & PARSE_CANCEL) && s->conn.mode == CONN_OPAQUE)
		count(&counts.opaque);
	if (!(out & PARSE_DONE))
		return;
	command_digest(s);
	if (!command_has_no_reply(s->conn.command)) {
		state_set(s, STATE_WAITING);
		return;
	}
	stamp(&s->end, f->t);
	emit(f->e, s);
	state_set(s, STATE_RECORDED);
}

static long feed_step(__u32 i, struct feed *f)
{
	__u64 offset = f->at - f->window_at, left = f->total - f->at, step;

	if (f->at >= f->total)
		return 1;
	if (offset >= f->window_n) {
		if (feed_refill(f)) {
			f->failed = 1;
			return 1;
		}
		offset = 0;
	}
	if (digest_wants(f->s)) {
		left = f->window_n - offset;
		digest_feed(f, offset, left);
	}
	step = conn_step(&f->s->conn, f->window.byte[offset & (WINDOW - 1)], left);
	f->at += step >> 32;
	feed_outcome(f, step);
	return 0;
}

/* The data of a connection that we cannot read: the first receive after a reply starts a turn. */
static __always_inline void turn_receive(struct mysql_conn *s, struct task_struct *t)
{
	if (STATE_KIND(s->state) == STATE_WAITING)
		return;
	state_set(s, STATE_IDLE);
	s->code = DIGEST_NONE;
	stamp(&s->start, t);
	state_set(s, STATE_WAITING);
}

/* We lost the place in the stream: find it again as in a connection older than we are. */
static __always_inline void conn_lost(struct mysql_conn *s)
{
	count(&counts.unreadable);
	conn_becomes(&s->conn, CONN_STRANGE);
	state_set(s, STATE_IDLE);
}

static __noinline int receive(struct mysql_conn *s, struct events *e, struct task_struct *t, int total)
{
	struct feed f = { .s = s, .e = e, .t = t, .total = total };
	struct conn *c = &s->conn;
	__u8 mode = c->mode;

	c->wanted = (wanted & WANTED_FIELD(MYSQL_STATEMENT)) != 0;
	s->text = 0;
	if (source_open(&f.src, t, total) || feed_refill(&f)) {
		if (conn_turns(c))
			turn_receive(s, t);
		else
			conn_lost(s);
		return 0;
	}
	conn_receive(c, f.window.byte, f.window_n < 5 ? f.window_n : 5, total);
	if (c->mode == CONN_OPAQUE && mode != CONN_OPAQUE)
		count(&counts.opaque);
	if (conn_turns(c)) {
		turn_receive(s, t);
		return 0;
	}
	if (total == 4 && f.window_n >= 4 && c->mode == CONN_PLAIN && !c->left && !c->have) {
		feed_outcome(&f, conn_header(c, *(__u32 *)f.window.byte));
		return 0;
	}
	bpf_loop(FEED_STEPS, feed_step, &f, 0);
	if (f.failed || f.at < f.total)
		conn_lost(s);
	return 0;
}

static __always_inline void received(struct events *e, struct sock *sk, __u64 inode, struct task_struct *t, int ret)
{
	struct mysql_conn *s = conn_find(sk, inode);

	if (!s && ret > 0)
		s = conn_make(sk, inode, t, 0);
	if (!s || s->conn.mode == CONN_IGNORED)
		return;
	if (!s->conn.held && pending_take(s, STATE_RECORDED))
		emit(e, s);
	if (ret > 0)
		receive(s, e, t, ret);
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(sock_recv, struct sock *sk, int ret, int flags)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct events *e = 0;
	struct run r;

	if (run_begin(&r))
		return 0;
	if (is_server(t) && !(flags & MSG_PEEK))
		e = run_events(&r);
	if (e)
		received(e, sk, 0, t, ret);
	chain_run(ctx, &r, e);
	return 0;
}

/* ---- sends ---- */

struct walk {
	struct conn *c;
	const char *at;			/* the send's bytes */
	__u64 pos, total;
	int verdict;			/* of the packet that ends at pos */
};

#define LOGIN_OK 7			/* bytes of an OK packet without a message */

struct packet_bytes {
	__u8 header[4];
	__u8 head[REPLY_HEAD];
};

static long walk_step(__u32 i, struct walk *w)
{
	struct packet_bytes bytes = { 0 };
	struct packet p;
	__u64 left = w->total - w->pos, n = left < sizeof(bytes) ? left : sizeof(bytes);

	if (w->pos >= w->total)
		return 1;
	barrier_var(n);			/* the compiler knows that n < 32, the verifier wants to be told */
	if (left < 4 || bpf_probe_read_user(&bytes, n & 31, w->at + w->pos))
		return 1;
	p.len = bytes_u24(bytes.header);
	if (p.len + 4 > left)
		return 1;
	p.n = p.len < REPLY_HEAD ? p.len : REPLY_HEAD;
	__builtin_memcpy(p.head, bytes.head, REPLY_HEAD);
	w->verdict = conn_reply(w->c, &p);
	w->pos += 4 + p.len;
	return 0;
}

static __always_inline void prepared_remember(struct mysql_conn *s, __u32 id)
{
	struct prepared_key key = { .conn = s->id, .statement = id };
	struct prepared_statement p = { s->conn.last_statement, s->last_code };

	bpf_map_update_elem(&prepared, &key, &p, BPF_ANY);
}

/* Is the reply complete with this send?  REPLY_* */
static __noinline int reply_seen(struct mysql_conn *s, struct task_struct *t, int total)
{
	struct walk w = { .c = &s->conn, .total = total };
	struct conn *c = &s->conn;
	struct source src;
	__u8 tail[REPLY_TAIL], stage = c->stage;

	if (c->mode != CONN_PLAIN || source_open(&src, t, total) || src.len < w.total) {
		c->unaligned = 1;
		return REPLY_MORE;
	}
	w.at = src.at;
	if (!c->unaligned) {
		bpf_loop(REPLY_PACKETS, walk_step, &w, 0);
		if (c->command == COM_STMT_PREPARE && stage == REPLY_FIRST && c->stage == REPLY_DEFINITIONS)
			prepared_remember(s, c->statement_id);
		if (w.pos == w.total)
			return w.verdict;
		c->unaligned = 1;
	}
	if (w.total < REPLY_TAIL || bpf_probe_read_user(tail, sizeof(tail), w.at + (w.total - REPLY_TAIL)))
		return REPLY_MORE;
	return reply_tail(tail) ? REPLY_DONE : REPLY_MORE;
}

static __always_inline int send_first(struct sock *sk, __u64 inode, struct task_struct *t, int total)
{
	struct source src;
	__u8 head[5];

	if (total < 5 || source_open(&src, t, total) || src.len < 5 ||
	    bpf_probe_read_user(head, sizeof(head), src.at) || !greeting(head, sizeof(head)))
		return 0;
	conn_make(sk, inode, t, 1);
	return 0;
}

/* The server's OK ends the login. */
static __always_inline int send_login(struct mysql_conn *s, struct task_struct *t, int total)
{
	struct packet_bytes bytes = { 0 };
	struct packet p = { .n = LOGIN_OK };
	struct source src;

	if (total < 5 || source_open(&src, t, total) || src.len < 5 ||
	    bpf_probe_read_user(&bytes, total < LOGIN_OK + 4 ? 5 : LOGIN_OK + 4, src.at) || bytes.head[0])
		return 0;
	__builtin_memcpy(p.head, bytes.head, REPLY_HEAD);
	s->conn.status = ok_status(&p);
	conn_becomes(&s->conn, s->conn.caps & CLIENT_COMPRESS ? CONN_COMPRESSED : CONN_PLAIN);
	return 0;
}

static __always_inline void send_reply(struct mysql_conn *s, struct events *e, struct task_struct *t, int ret)
{
	__u64 kind = STATE_KIND(s->state);
	int verdict = REPLY_DONE;

	if (kind == STATE_IDLE || ret == -EAGAIN || ret == -EINTR)
		return;
	if (kind == STATE_RECORDED || (kind == STATE_PENDING && !pending_take(s, STATE_WAITING))) {
		if (ret > 0)
			count(&counts.late_sends);
		return;
	}
	stamp(&s->end, t);
	if (ret > 0)
		verdict = reply_seen(s, t, ret);
	s->conn.held = verdict == REPLY_HELD;
	if (verdict == REPLY_DONE) {
		emit(e, s);
		state_set(s, STATE_RECORDED);
	} else {
		state_set(s, STATE_PENDING);
	}
}

static __always_inline void sent(struct events *e, struct sock *sk, __u64 inode, struct task_struct *t, int ret)
{
	struct mysql_conn *s = conn_find(sk, inode);

	if (!s)
		send_first(sk, inode, t, ret);
	else if (s->conn.mode == CONN_LOGIN)
		send_login(s, t, ret);
	else if (s->conn.mode != CONN_IGNORED)
		send_reply(s, e, t, ret);
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(sock_send, struct sock *sk, int ret, int flags)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct events *e = 0;
	struct run r;

	if (run_begin(&r))
		return 0;
	if (is_server(t))
		e = run_events(&r);
	if (e)
		sent(e, sk, 0, t, ret);
	chain_run(ctx, &r, e);
	return 0;
}

/* ---- kernels without the socket tracepoints: both, told by the system calls ---- */

/* The socket behind a descriptor, and its inode; 0: it is none. */
static __always_inline struct sock *socket_of(struct task_struct *t, __u32 fd, __u64 *ret_inode)
{
	struct fdtable *fdt = BPF_CORE_READ(t, files, fdt);
	struct file *file = 0;
	struct socket *socket;

	if (!fdt || fd >= BPF_CORE_READ(fdt, max_fds))
		return 0;
	bpf_probe_read_kernel(&file, sizeof(file), BPF_CORE_READ(fdt, fd) + fd);
	if (!file || (BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT) != S_IFSOCK)
		return 0;
	*ret_inode = BPF_CORE_READ(file, f_inode, i_ino);
	socket = BPF_CORE_READ(file, private_data);
	return socket ? BPF_CORE_READ(socket, sk) : 0;
}

static __always_inline void call_ended(struct events *e, struct task_struct *t, const struct pt_regs *regs, long ret)
{
	int peeks = 0, receives = 0;
	struct sock *sk;
	__u64 inode;

	switch (regs->orig_ax) {
	case SYS_RECVFROM:
		peeks = regs->r10 & MSG_PEEK;
		receives = 1;
		break;
	case SYS_RECVMSG:
		peeks = regs->dx & MSG_PEEK;
		receives = 1;
		break;
	case SYS_READ:
	case SYS_READV:
		receives = 1;
		break;
	case SYS_SENDTO:
	case SYS_SENDMSG:
	case SYS_WRITE:
	case SYS_WRITEV:
		break;
	default:
		return;
	}
	sk = peeks ? 0 : socket_of(t, regs->di, &inode);
	if (sk && receives)
		received(e, sk, inode, t, ret);
	else if (sk)
		sent(e, sk, inode, t, ret);
}

SEC("?tp_btf/sys_exit")
int BPF_PROG(call_ends, struct pt_regs *regs, long ret)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct events *e = 0;
	struct run r;

	if (run_begin(&r))
		return 0;
	if (is_server(t))
		e = run_events(&r);
	if (e)
		call_ended(e, t, regs, ret);
	chain_run(ctx, &r, e);
	return 0;
}

/* ---- the age flush ---- */

static __always_inline int flush_conn(struct seq_file *seq, struct mysql_conn *s)
{
	struct event e;
	__u64 seen;

	if (!s)
		return 0;
	seen = *(volatile __u64 *)&s->state;
	if (STATE_KIND(seen) != STATE_PENDING || s->conn.held || s->end.ns >= flush_before)
		return 0;
	__builtin_memset(&e, 0, sizeof(e));
	event_fill(&e, s);
	if (__sync_val_compare_and_swap(&s->state, seen, STATE_NEXT(seen, STATE_RECORDED)) != seen)
		return 0;
	count(&counts.events);
	bpf_seq_write(seq, &e, sizeof(e));
	return 0;
}

SEC("iter/bpf_sk_storage_map")
int flush(struct bpf_iter__bpf_sk_storage_map *ctx)
{
	return flush_conn(ctx->meta->seq, ctx->value);
}

SEC("?iter/bpf_map_elem")
int flush_calls(struct bpf_iter__bpf_map_elem *ctx)
{
	return flush_conn(ctx->meta->seq, ctx->value);
}
