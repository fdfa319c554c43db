/* receives.bpf.h - parses a server's receives: runs parse.h over the bytes in its buffer.
 *
 *      received() -> records an event that is pending -> receive_feed(): by windows, lines and skips
 */
#ifndef HEATSCOPE_HTTP_RECEIVES_BPF_H
#define HEATSCOPE_HTTP_RECEIVES_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/http/conns.bpf.h"
#include "collector/http/feed_line.bpf.h"
#include "collector/server/digest_samples.bpf.h"

#define PROXY_STEPS 512			/* of a receive: a header has at most 107 bytes, or 32 that are read */

struct conn_head {
	__u8 byte[CONN_HEAD];
	__u32 n;
};

/* ---- the parser, in global functions: the verifier checks each once ---- */

__noinline __u32 request_take(struct conn *c, __u8 byte)
{
	return c ? request_byte(c, byte) : 0;
}

/* Takes up to `seen` bytes of the window, from `at` on.  Stops where the caller has to act. */
__noinline __u64 request_step(struct conn *c, const struct window *w, __u32 at, __u32 seen)
{
	__u32 i, out = 0;

	if (!c || !w)
		return eaten(seen, 0);
	if (message_skips(&c->in)) {
		i = line_skip(&c->in, w, at, seen);
		if (i)
			return eaten(i, c->in.head > HEAD_MAX ? ASK_LOST : 0);
	}
#pragma clang loop unroll(disable)
	for (i = 0; i < MESSAGE_RUN && i < seen && !out && !message_skips(&c->in) && !message_blind(&c->in); i++)
		out = request_take(c, window_byte(w, at + i));
	if (!i) {
		out = request_take(c, window_byte(w, at));
		i = 1;
	}
	return eaten(i, out);
}

__noinline __u32 request_pass(struct conn *c, __u64 n)
{
	return c ? request_skip(c, n) : 0;
}

__noinline int request_malformed(struct conn *c)
{
	return c ? request_refused(c) : 0;
}

__noinline __u32 head_lines(const struct conn_head *head)
{
	return head ? head_empty(head->byte, head->n) : 0;
}

static __always_inline void head_take_lines(struct conn_head *head)
{
	__u32 empty = head_lines(head);

	if (empty && empty <= head->n)
		head->n = head_strip(head->byte, head->n, empty);
}

/* Returns is_request(). */
__noinline int head_begins(struct conn_head *head)
{
	if (!head)
		return 0;
	head_take_lines(head);
	return is_request(head->byte, head->n);
}

__noinline int receive_mode(struct conn *c, struct conn_head *head, int is_new)
{
	if (!c || !head)
		return 0;
	conn_receive(c, is_tls_record(head->byte, head->n), head_begins(head), is_new);
	return 0;
}

/* ---- the header of a proxy ---- */

__noinline __u32 proxy_take(struct conn *c, __u8 byte, __u32 left)
{
	return c ? conn_proxy_take(c, byte, left) : left;
}

__noinline int proxy_starts(struct conn *c, const struct conn_head *head)
{
	if (!c || !head || !is_proxy_header(head->byte, head->n))
		return 0;
	conn_proxy_begin(c, head->byte);
	return 1;
}

static long proxy_step(__u32 i, struct feed *f)
{
	struct conn *c = &f->s->conn;
	int ready;

	if (f->at >= f->total || c->mode != CONN_PROXY)
		return 1;
	ready = feed_ready(f);
	if (ready < 0)
		conn_becomes(c, CONN_OPAQUE);
	if (ready <= 0)
		return ready < 0;
	f->at += proxy_take(c, window_byte(&f->window, f->at - f->window_at), f->total - f->at);
	return 0;
}

/* Reads a PROXY header, or the rest of one, which may be all of the receive. */
static __noinline int proxy_read(struct feed *f)
{
	struct server_conn *s = f->s;

	bpf_loop(PROXY_STEPS, proxy_step, f, 0);
	if (s->conn.has_client)
		s->turn.client = address_remember(&s->conn.proxy.address);
	s->conn.has_client = 0;
	return 0;
}

/* ---- receives ---- */

/* Acts on those findings of the parser that need no clock.  Returns 1: the position is lost. */
__noinline int received_found(struct server_conn *s, __u32 out)
{
	struct conn *c;

	if (!s)
		return 0;
	c = &s->conn;
	if (out & ASK_LOST) {
		if (!request_malformed(c))
			return 1;
		out |= ASK_HEAD;
	}
	if (out & ASK_PATH)
		digest_sample_keep(c->path_code, &c->path.tokens);
	if (out & ASK_HOST)
		name_remember(&c->host, c->host_code);
	if ((out & ASK_HEAD) && conn_counts(s) && STATE_KIND(s->turn.state) != STATE_WAITING) {
		event_data_first(s);
		state_set(&s->turn, STATE_WAITING);
	}
	return 0;
}

/* Acts on what the parser found in the bytes just taken or skipped. */
static __always_inline void received_some(struct feed *f, __u32 out)
{
	struct server_conn *s = f->s;

	if (!out)
		return;
	if ((out & ASK_BEGIN) && conn_counts(s) && !s->conn.asked.n) {
		state_set(&s->turn, STATE_IDLE);
		stamp_start(&s->turn, f->t);
	}
	f->failed = received_found(s, out);
}

static long receive_step(__u32 i, struct feed *f)
{
	struct conn *c = &f->s->conn;
	__u64 blind, step;
	int ready;

	if (f->at >= f->total || f->failed)
		return 1;
	blind = message_blind(&c->in);
	if (blind) {
		if (blind > f->total - f->at)
			blind = f->total - f->at;
		f->at += blind;
		received_some(f, request_pass(c, blind));
		return 0;
	}
	ready = feed_ready(f);
	f->failed = ready < 0;
	if (ready <= 0)
		return ready < 0;
	step = request_step(c, &f->window, f->at - f->window_at, f->window_n - (f->at - f->window_at));
	f->at += step >> 32;
	received_some(f, step);
	return 0;
}

/* Handles a receive of a connection that we cannot read: the first one after a reply starts a turn. */
static __always_inline void turn_receive(struct server_conn *s, struct task_struct *t)
{
	if (STATE_KIND(s->turn.state) == STATE_WAITING)
		return;
	state_set(&s->turn, STATE_IDLE);
	event_data_unread(s);
	stamp_start(&s->turn, t);
	state_set(&s->turn, STATE_WAITING);
}

/* Handles a receive by a call that we do not know, such as splice: its bytes may be those of a body. */
static __always_inline void receive_unread(struct server_conn *s, struct task_struct *t, __u32 total)
{
	__u64 blind = message_blind(&s->conn.in);

	s->conn.begins = 0;
	if (s->conn.mode == CONN_PROXY)
		conn_becomes(&s->conn, CONN_OPAQUE);
	if (!conn_reads(&s->conn))
		s->conn.answered = 0;
	if (conn_turns(&s->conn))
		turn_receive(s, t);
	else if (!conn_reads(&s->conn))
		return;
	else if (blind >= total)
		request_pass(&s->conn, total);
	else
		position_lost(s, 1);
}

/* Copies the window's first bytes. */
static __always_inline void head_fill(struct conn_head *head, const struct feed *f)
{
	head->n = f->window_n < CONN_HEAD ? f->window_n : CONN_HEAD;
	__builtin_memcpy(head->byte, f->window.byte, CONN_HEAD);
}

/* Hides a known value from the verifier: with and without a PROXY header the loop below is then one and the same to it. */
__noinline __u32 unknown_place(__u32 at)
{
	barrier_var(at);
	return at;
}

static __noinline int receive_feed(struct server_conn *s, struct task_struct *t, int total, int is_new)
{
	struct feed f = { .s = s, .t = t, .total = total };
	struct conn *c = &s->conn;
	struct conn_head head;
	__u8 mode = c->mode;

	if (feed_open(&f)) {
		receive_unread(s, t, total);
		return 0;
	}
	if (c->mode != CONN_PLAIN) {
		head_fill(&head, &f);
		if (is_new && proxy_starts(c, &head))
			f.at = PROXY_HEAD;
		if (c->mode == CONN_PROXY) {
			proxy_read(&f);
			if (f.at >= f.total)
				return 0;
			if (feed_refill(&f)) {
				c->begins = 0;
				return 0;
			}
			head_fill(&head, &f);
		}
		receive_mode(c, &head, is_new | c->begins);
		c->begins = 0;
		if (mode == CONN_OPAQUE && c->mode == CONN_PROBATION)
			count(&counts.unreadable);	/* no turn and no event */
	}
	if (conn_turns(c)) {
		turn_receive(s, t);
		return 0;
	}
	if (!conn_reads(c))
		return 0;
	f.at = unknown_place(f.at);
	f.window_at = unknown_place(f.window_at);
	bpf_loop(MESSAGE_STEPS, receive_step, &f, 0);
	if (f.failed || f.at < f.total)
		position_lost(s, 1);
	return 0;
}

/* Makes a connection of an unknown socket, or not.  A request or a PROXY header as its first bytes shows that the server
 * accepted it. */
static __noinline struct server_conn *receive_first(struct sock *sk, __u64 inode, struct task_struct *t, int total, int is_new)
{
	struct conn_head head = { .n = total < CONN_HEAD ? total : CONN_HEAD };
	struct source src;

	if (!is_new || source_open(&src, t, total) || src.len < head.n || bpf_probe_read_user(head.byte, head.n & 31, src.at))
		return conn_make(sk, inode, t, 0);
	return conn_make(sk, inode, t, is_proxy_header(head.byte, head.n) || head_begins(&head));
}

static __always_inline void received(struct events *e, struct server_conn *s, struct sock *sk, __u64 inode, struct task_struct *t, int ret)
{
	int is_new = 0;

	if (!s) {
		is_new = socket_is_new(sk, ret);
		s = receive_first(sk, inode, t, ret, is_new);
	}
	if (!s || s->conn.mode == CONN_IGNORED)
		return;
	if (pending_take(&s->turn, STATE_RECORDED)) {
		emit(e, s);
		stamp_over(&s->turn, t);
		if (conn_reads(&s->conn)) {
			conn_becomes(&s->conn, CONN_IGNORED);	/* its reply ended with the connection */
			return;
		}
	}
	if (ret <= 0)
		return;
	s->conn.wants_path = (wanted & WANTED_FIELD(HTTP_PATH)) != 0;
	s->conn.wants_host = (wanted & WANTED_FIELD(HTTP_HOST)) != 0;
	receive_feed(s, t, ret, is_new);
}

#endif
