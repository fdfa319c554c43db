/* sends.bpf.h - reads a server's sends, and finds the send that completes a reply.
 *
 *      sent() -> send_first(): a greeting; send_login(): its OK;
 *                send_reply() -> reply_seen(): packet by packet, or its tail
 *
 * Included once, by mysql.bpf.c.
 */
#ifndef HEATSCOPE_MYSQL_SENDS_BPF_H
#define HEATSCOPE_MYSQL_SENDS_BPF_H

#include <linux/bpf.h>
#include <linux/errno.h>
#include <bpf/bpf_helpers.h>
#include "collector/mysql/memory.bpf.h"
#include "collector/server/user_bytes.bpf.h"

/* ---- sends ---- */

struct packet_bytes {
	__u8 header[4];
	__u8 head[REPLY_HEAD];
};

/* A copy of a part of a reply.  One per CPU is enough: no send interrupts another one. */
struct reply_window {
	__u8 byte[REPLY_WINDOW];
	struct packet_bytes beyond;	/* so that a packet's head can be read wherever it begins */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct reply_window);
} reply_window SEC(".maps");

struct walk {
	struct conn *c;
	const char *at;			/* the send's bytes */
	__u64 pos, total;
	struct reply_window *window;
	__u64 window_at, window_n;	/* the bytes of the send that the window holds */
	__u32 verdict, pad;		/* of the packet that ends at pos */
};

/* ---- reply.h and follow.h, in global functions: the verifier checks each once, not once per step ---- */

__noinline int reply_next(struct conn *c, const struct packet_bytes *bytes, __u32 len)
{
	struct packet p = { .len = len, .n = len < REPLY_HEAD ? len : REPLY_HEAD };

	if (!c || !bytes)
		return REPLY_MORE;
	p.head = bytes->head;
	return reply_packet(c, &p);
}

__noinline __u32 follow_next(struct conn *c, const struct packet_bytes *at, __u32 left)
{
	return c && at ? follow_step(c, at->header, left) : left;
}

#define LOGIN_OK 7			/* bytes of an OK packet without a message */

static __always_inline int walk_refill(struct walk *w)
{
	__u64 n = w->total - w->pos;

	if (n > REPLY_WINDOW)
		n = REPLY_WINDOW;
	barrier_var(n);			/* the compiler knows that n fits, the verifier does not */
	if (n > REPLY_WINDOW || bpf_probe_read_user(w->window->byte, n, w->at + w->pos))
		return -1;
	w->window_at = w->pos;
	w->window_n = n;
	return 0;
}

static long walk_step(__u32 i, struct walk *w)
{
	__u64 left = w->total - w->pos, offset = w->pos - w->window_at;
	const struct packet_bytes *bytes;
	__u32 len;

	if (w->pos >= w->total || left < 4)
		return 1;
	if (offset + sizeof(*bytes) > w->window_n && w->window_at + w->window_n < w->total) {
		if (walk_refill(w))
			return 1;
		offset = 0;
	}
	bytes = (const struct packet_bytes *)(w->window->byte + (offset & (REPLY_WINDOW - 1)));
	len = bytes_u24(bytes->header);
	if (len + 4 > left)
		return 1;
	w->verdict = reply_next(w->c, bytes, len);
	w->pos += 4 + len;
	return 0;
}

static __always_inline void prepared_remember(struct server_conn *s, __u32 id)
{
	struct prepared_key key = { .conn = s->turn.id, .statement = id };
	struct prepared_statement p = { s->conn.last_statement, s->last_code, s->last_table };

	bpf_map_update_elem(&prepared, &key, &p, BPF_ANY);
}

static long follow_walk(__u32 i, struct walk *w)
{
	__u64 offset = w->pos - w->window_at;

	if (w->pos >= w->total)
		return 1;
	if (offset + FOLLOW_HEAD > w->window_n && w->window_at + w->window_n < w->total) {
		if (walk_refill(w))
			return 1;
		offset = 0;
	}
	w->pos += follow_next(w->c, (const struct packet_bytes *)(w->window->byte + (offset & (REPLY_WINDOW - 1))),
			      w->total - w->pos);
	return 0;
}

_Static_assert(REPLY_WINDOW / 4 < 256, "packets that are counted by their numbers");

/* Recognizes a small reply that comes whole, as most do: its first and last packets show that, without a step for each
 * packet between them. */
static __always_inline int walk_ahead(struct walk *w)
{
	__u64 n = w->total, tail = n - REPLY_TAIL;
	__u8 seq;

	if (n < REPLY_TAIL || n > REPLY_WINDOW || !w->window_n)
		return 0;
	seq = w->window->byte[3];
	if (walk_step(0, w) || w->pos >= n)
		return 0;
	barrier_var(tail);
	if (reply_ahead(w->c, seq, &w->window->byte[tail & (REPLY_WINDOW - 1)]) != REPLY_DONE)
		return 0;
	w->pos = n;
	w->verdict = REPLY_DONE;
	return 1;
}

/* Goes through the packets of a send, as many as are read. */
static __always_inline void walk(struct walk *w)
{
	if (!w->c->follow.on) {
		if (!walk_ahead(w))
			bpf_loop(REPLY_PACKETS - !!w->pos, walk_step, w, 0);
		return;
	}
	bpf_loop(FOLLOW_STEPS, follow_walk, w, 0);
	w->verdict = follow_verdict(w->c);
}

__noinline int reply_first_send(struct server_conn *s, const struct packet_bytes *bytes, __u32 n, __u32 total)
{
	if (!s || !bytes)
		return 0;
	reply_begin(&s->conn, bytes->header, n, total);
	if (s->conn.mode == CONN_PLAIN)
		return 1;
	digest_set(s, DIGEST_NONE, NAME_NONE);
	if (s->conn.mode == CONN_OPAQUE)
		count(&counts.opaque);
	return 0;
}

/* Reads the begin of a send.  Returns 0 if it is the first after a command and does not answer it. */
static __always_inline int walk_begin(struct walk *w, struct server_conn *s)
{
	if (walk_refill(w))
		w->window_n = 0;
	return !s->conn.fresh ||
	       reply_first_send(s, (const struct packet_bytes *)w->window->byte, w->window_n, w->total);
}

/* Returns REPLY_*: whether the reply is complete with this send. */
static __noinline int reply_seen(struct server_conn *s, struct task_struct *t, int total)
{
	struct walk w = { .c = &s->conn, .total = total };
	struct conn *c = &s->conn;
	const __u32 zero = 0;
	struct source src;
	__u8 tail[REPLY_TAIL], stage = c->stage;

	w.window = bpf_map_lookup_elem(&reply_window, &zero);
	if (!w.window)
		return REPLY_MORE;
	if (c->mode != CONN_PLAIN)
		return REPLY_MORE;
	if (source_open(&src, t, total)) {
		reply_unfollowed(c);
		return REPLY_MORE;
	}
	w.at = src.at;
	if (src.len < w.total) {
		w.total = src.len;
		walk_begin(&w, s);
		reply_unfollowed(c);
		return REPLY_MORE;
	}
	if (!c->unaligned) {
		if (!walk_begin(&w, s))
			return REPLY_MORE;
		walk(&w);
		if (c->mode != CONN_PLAIN)
			return REPLY_MORE;
		if (c->command == COM_STMT_PREPARE && stage == REPLY_FIRST && c->stage == REPLY_DEFINITIONS)
			prepared_remember(s, c->statement_id);
		if (w.pos == w.total)
			return w.verdict;
		reply_unfollowed(c);
	}
	if (w.total < REPLY_TAIL || bpf_probe_read_user(tail, sizeof(tail), w.at + (w.total - REPLY_TAIL)))
		return REPLY_MORE;
	return reply_ends(c, tail);
}

struct greeting_bytes {
	__u8 byte[GREETING_LOOK];
};

__noinline __u64 greeting_number(const struct greeting_bytes *g, __u32 n)
{
	return g ? greeting_connection(g->byte, n) : 0;
}

__noinline __u64 greeting_offers(const struct greeting_bytes *g, __u32 n)
{
	return g ? greeting_capabilities(g->byte, n) : 0;
}

/* Reads the begin of a server's first send into the window.  Returns how many bytes; 0: it is too short, or cannot be
 * read. */
static __always_inline __u32 first_read(struct reply_window *w, struct task_struct *t, int total)
{
	struct source src;
	__u64 n;

	if (total < 5 || source_open(&src, t, total))
		return 0;
	n = src.len < GREETING_LOOK ? src.len : GREETING_LOOK;
	barrier_var(n);
	if (n > GREETING_LOOK || bpf_probe_read_user(w->byte, n & (2 * GREETING_LOOK - 1), src.at))
		return 0;
	return n;
}

/* As first_read(), but 0 if the send is no greeting. */
static __always_inline __u32 greeting_read(struct reply_window *w, struct task_struct *t, int total)
{
	__u32 n = first_read(w, t, total);

	return n && greeting(w->byte, n, total) ? n : 0;
}

static __always_inline void greeting_take(struct server_conn *s, const struct reply_window *w, __u32 n)
{
	__u64 offers = greeting_offers((const struct greeting_bytes *)w->byte, n);

	s->turn.connection = greeting_number((const struct greeting_bytes *)w->byte, n);
	s->conn.server_caps = offers;
	s->conn.caps_known = offers != 0;
}

static __always_inline int send_first(struct sock *sk, __u64 inode, struct task_struct *t, int total)
{
	const __u32 zero = 0;
	struct reply_window *w = bpf_map_lookup_elem(&reply_window, &zero);
	__u32 n = w ? first_read(w, t, total) : 0;
	int x = n && (__u32)total == n && mysqlx_hello(w->byte, n);
	struct server_conn *s = x || (n && greeting(w->byte, n, total)) ? conn_make(sk, inode, t, 1) : 0;

	if (s && x)
		conn_is_mysqlx(s);
	else if (s)
		greeting_take(s, w, n);
	return 0;
}

/* Handles a send of a server that waits for the PROXY header before it greets. */
static __noinline int send_late_greeting(struct server_conn *s, struct task_struct *t, int total)
{
	const __u32 zero = 0;
	struct reply_window *w = bpf_map_lookup_elem(&reply_window, &zero);
	__u32 n = w ? greeting_read(w, t, total) : 0;

	if (n)
		greeting_take(s, w, n);
	return 0;
}

/* Handles a send during the login, which the server's OK ends. */
static __always_inline int send_login(struct server_conn *s, struct task_struct *t, int total)
{
	struct packet_bytes bytes = { 0 };
	struct packet p = { .n = LOGIN_OK, .head = bytes.head };
	struct source src;

	if (!s->conn.logged)
		return s->conn.caps_known ? 0 : send_late_greeting(s, t, total);
	if (total < 5 || source_open(&src, t, total) || src.len < 5 ||
	    bpf_probe_read_user(&bytes, total < LOGIN_OK + 4 ? 5 : LOGIN_OK + 4, src.at) || bytes.head[0])
		return 0;
	login_end(&s->conn, ok_status(&p));
	return 0;
}

/* The reply ends before it is complete. */
static __always_inline void command_cut(struct server_conn *s)
{
	if (!s->conn.sure)
		command_doubted(s);
	reply_cut(&s->conn);
}

static __always_inline void send_reply(struct server_conn *s, struct events *e, struct task_struct *t, int ret)
{
	__u64 kind = STATE_KIND(s->turn.state);
	int verdict = REPLY_DONE;

	if (kind == STATE_IDLE || ret == -EAGAIN || ret == -EINTR)
		return;
	if (kind == STATE_RECORDED || (kind == STATE_PENDING && !pending_take(&s->turn, STATE_WAITING))) {
		if (ret > 0)
			count(&counts.late_sends);
		return;
	}
	stamp_end(&s->turn, t);
	if (memory_hidden(&s->conn) && !memory_take(s)) {
		state_set(&s->turn, STATE_IDLE);
		stamp_over(&s->turn, t);
		return;
	}
	if (ret > 0)
		verdict = reply_seen(s, t, ret);
	else if (s->conn.mode == CONN_PLAIN)
		command_cut(s);
	if (s->conn.command == COMMAND_UNKNOWN)
		digest_set(s, DIGEST_NONE, NAME_NONE);
	if (s->conn.mode == CONN_IGNORED) {
		state_set(&s->turn, STATE_IDLE);
		stamp_over(&s->turn, t);
		return;
	}
	s->conn.held = verdict == REPLY_HELD;
	if (verdict == REPLY_DONE) {
		emit(e, s);
		state_set(&s->turn, STATE_RECORDED);
		stamp_over(&s->turn, t);
	} else {
		state_set(&s->turn, STATE_PENDING);
	}
}

/* The memory of the server is not read: of a hidden command we do not know what it was. */
static __always_inline void conn_dies(struct events *e, struct server_conn *s, struct task_struct *t)
{
	if (s->conn.mode == CONN_LOGIN || s->conn.mode == CONN_PROXY || s->conn.mode == CONN_IGNORED)
		return;
	if (STATE_KIND(s->turn.state) != STATE_WAITING && !pending_take(&s->turn, STATE_WAITING))
		return;
	stamp_end(&s->turn, t);
	if (s->conn.mode == CONN_PLAIN)
		command_cut(s);
	if (s->conn.command == COMMAND_UNKNOWN)
		digest_set(s, DIGEST_NONE, NAME_NONE);
	emit(e, s);
	state_set(&s->turn, STATE_RECORDED);
	stamp_over(&s->turn, t);
}

static __always_inline void sent(struct events *e, struct server_conn *s, struct sock *sk, __u64 inode,
				 struct task_struct *t, int ret)
{
	if (!s)
		send_first(sk, inode, t, ret);
	else if (s->conn.mode == CONN_LOGIN || s->conn.mode == CONN_PROXY)
		send_login(s, t, ret);
	else if (s->conn.mode != CONN_IGNORED)
		send_reply(s, e, t, ret);
}

#endif
