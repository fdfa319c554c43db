/* sends.bpf.h - reads a server's sends, and records the requests whose replies they complete.
 *
 *      sent() -> send_turn(); send_replies() -> reply.h up to the end of a reply -> reply_ready() -> ...
 *
 * The bytes of sendfile and splice are not in the server's memory.  They are a body, whose length is known.
 */
#ifndef HEATSCOPE_HTTP_SENDS_BPF_H
#define HEATSCOPE_HTTP_SENDS_BPF_H

#include <linux/bpf.h>
#include <linux/errno.h>
#include <bpf/bpf_helpers.h>
#include "collector/http/receives.bpf.h"
#include "collector/server/filed.bpf.h"

__noinline __u64 reply_step(struct conn *c, const struct window *w, __u32 at, __u32 seen)
{
	__u32 i, out = 0;

	if (!c || !w)
		return eaten(seen, 0);
	if (message_skips(&c->out)) {
		i = line_skip(&c->out, w, at, seen);
		if (i)
			return eaten(i, c->out.head > HEAD_MAX ? REPLY_LOST : 0);
	}
#pragma clang loop unroll(disable)
	for (i = 0; i < MESSAGE_RUN && i < seen && !out && !message_skips(&c->out) && !message_blind(&c->out); i++)
		out = reply_byte(c, window_byte(w, at + i));
	if (!i) {
		out = reply_byte(c, window_byte(w, at));
		i = 1;
	}
	return eaten(i, out);
}

__noinline __u32 reply_pass(struct conn *c, __u64 n)
{
	return c ? reply_skip(c, n) : 0;
}

/* Records the oldest request, which is answered.  If another one has come, the server works at that from now on. */
__noinline int reply_ready(struct server_conn *s, struct events *e)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct conn *c;

	if (!s || !e)
		return 0;
	c = &s->conn;
	if (!conn_counts(s)) {
		reply_over(c);
		return 0;
	}
	stamp_end(&s->turn, t);
	event_data_first(s);
	s->event_data.status = c->status;
	if (e->n < EVENTS_MAX)
		emit(e, s);
	else
		event_file(s, 1);
	stamp_over(&s->turn, t);
	reply_over(c);
	state_set(&s->turn, STATE_RECORDED);
	if (!conn_counts(s) || (!c->asked.n && c->in.state == AT_START))
		return 0;
	stamp_start(&s->turn, t);
	if (!c->asked.n)
		return 0;
	event_data_first(s);
	state_set(&s->turn, STATE_WAITING);
	return 0;
}

static __always_inline void replied_some(struct feed *f, __u32 out)
{
	if (!out)
		return;
	f->failed = (out & REPLY_LOST) != 0;
	f->ready = !f->failed && (out & REPLY_END);
}

static long reply_feed_step(__u32 i, struct feed *f)
{
	struct conn *c = &f->s->conn;
	__u64 blind, step;
	int ready;

	if (f->at >= f->total || f->failed || f->ready)
		return 1;
	blind = message_blind(&c->out);
	if (blind) {
		if (blind > f->total - f->at)
			blind = f->total - f->at;
		f->at += blind;
		replied_some(f, reply_pass(c, blind));
		return 0;
	}
	ready = feed_ready(f);
	f->failed = ready < 0;
	if (ready <= 0)
		return ready < 0;
	step = reply_step(c, &f->window, f->at - f->window_at, f->window_n - (f->at - f->window_at));
	f->at += step >> 32;
	replied_some(f, step);
	return 0;
}

/* Reads the bytes of a send from `at` on, up to the end of a reply.  Returns that place << 32 | 1; 0: the send ends
 * before. */
__noinline __u64 send_reply(struct server_conn *s, __u32 at, __u32 total)
{
	struct feed f = { .s = s, .t = bpf_get_current_task_btf(), .at = at, .total = total };

	if (!s)
		return 0;
	if (source_open(&f.src, f.t, total))
		f.src.len = 0;			/* sendfile: only a body can be skipped */
	bpf_loop(MESSAGE_STEPS, reply_feed_step, &f, 0);
	if (f.failed || (f.at < f.total && !f.ready)) {
		position_lost(s, 0);
		return 0;
	}
	return f.ready ? f.at << 32 | 1 : 0;
}

struct replying {
	struct server_conn *s;
	struct events *e;
	__u64 seen;
	__u32 total;
};

static long replies_step(__u32 i, struct replying *r)
{
	if (r->seen >> 32 >= r->total || !conn_reads(&r->s->conn))
		return 1;
	r->seen = send_reply(r->s, r->seen >> 32, r->total);
	if (!(r->seen & 1))
		return 1;
	reply_ready(r->s, r->e);
	return 0;
}

static __always_inline void send_replies(struct server_conn *s, struct events *e, struct task_struct *t, __u32 total)
{
	struct replying r = { .s = s, .e = e, .total = total };

	pending_take(&s->turn, STATE_WAITING);
	bpf_loop(ASKED_MAX, replies_step, &r, 0);
	if (s->conn.status >= 200)
		stamp_first(&s->turn);		/* a reply goes on in the next send */
	if (s->conn.out.state != AT_CLOSE || !conn_counts(s) || STATE_KIND(s->turn.state) != STATE_WAITING)
		return;
	s->event_data.status = s->conn.status;
	stamp_end(&s->turn, t);
	state_set(&s->turn, STATE_PENDING);
}

static __always_inline void send_turn(struct server_conn *s, struct task_struct *t)
{
	if (STATE_KIND(s->turn.state) != STATE_WAITING && !pending_take(&s->turn, STATE_WAITING))
		return;
	stamp_end(&s->turn, t);
	state_set(&s->turn, STATE_PENDING);
}

/* Handles a failed send: the client is gone.  The event of the current request ends now; later requests get no
 * reply. */
static __always_inline void send_failed(struct server_conn *s, struct events *e, struct task_struct *t, int error)
{
	if (error != -EPIPE && error != -ECONNRESET)
		return;
	pending_take(&s->turn, STATE_WAITING);
	if (STATE_KIND(s->turn.state) == STATE_WAITING) {
		stamp_end(&s->turn, t);
		if (conn_counts(s))
			s->event_data.status = s->conn.status;
		emit(e, s);
		stamp_over(&s->turn, t);
		state_set(&s->turn, STATE_RECORDED);
	}
	conn_becomes(&s->conn, CONN_IGNORED);
}

static __always_inline void conn_dies(struct events *e, struct server_conn *s, struct task_struct *t)
{
	__u32 left = conn_counts(s) ? s->conn.asked.n : 0, at = e->n;

	if (s->conn.mode == CONN_IGNORED)
		return;
	send_failed(s, e, t, -EPIPE);
	if (left && e->n != at)
		left--;
	__sync_fetch_and_add(&counts.unreadable, left);
}

static __noinline int send_strange(struct server_conn *s, struct task_struct *t, __u32 total)
{
	__u8 head[CONN_HEAD] = { 0 };
	struct source src;
	__u32 n = total < CONN_HEAD ? total : CONN_HEAD;

	if (source_open(&src, t, total) || src.len < n || bpf_probe_read_user(head, n & 31, src.at))
		n = 0;
	conn_sent(&s->conn, head, n);
	return 0;
}

static __always_inline void sent(struct events *e, struct server_conn *s, struct sock *sk, __u64 inode, struct task_struct *t, int ret)
{
	if (!s || s->conn.mode == CONN_IGNORED)
		return;
	if (ret <= 0) {
		send_failed(s, e, t, ret);
	} else if (conn_reads(&s->conn)) {
		send_replies(s, e, t, ret);
	} else {
		if (conn_turns(&s->conn))
			send_turn(s, t);
		if (s->conn.mode != CONN_ENCRYPTED)
			send_strange(s, t, ret);
	}
}

#endif
