/* sends.bpf.h - reads a server's sends, and finds the sends that complete Executes and rounds.
 *
 *      sent() -> send_startup(): is it encrypted from now on?  send_turn();
 *                send_reply() -> message by message, or its tail
 */
#ifndef HEATSCOPE_POSTGRESQL_SENDS_BPF_H
#define HEATSCOPE_POSTGRESQL_SENDS_BPF_H

#include <linux/bpf.h>
#include <linux/errno.h>
#include <bpf/bpf_helpers.h>
#include "collector/postgresql/memory.bpf.h"

#define REPLY_STEPS 64			/* of a send that answers one event, if no instrumentation asks for its
					 * status or rows; most messages are one step */
#define REPLY_STEPS_ALL 16384		/* of any other; the server sends 8 kB at a time */
#define TAG_RUN 32			/* bytes of a tag that one step takes */
#define SEND_ROUNDS 4			/* rounds that one send ends, of those we look at; as a rule it is one */

/* Takes the window's part of a tag, up to TAG_RUN bytes from `at` on. */
static __always_inline __u64 tag_step(struct front *c, const struct window *w, __u32 at, __u32 seen)
{
	__u32 i, out = 0;

#pragma clang loop unroll(disable)
	for (i = 0; i < TAG_RUN && i < seen && back_tag(c); i++)
		out = back_tag_byte(c, window_byte(w, at + i));
	return eaten(i, out);
}

/* Makes one step of the sending machine: a header and the bytes skipped after it, a tag, or a byte. */
__noinline __u64 back_step(struct front *c, const struct window *w, __u32 at, __u32 seen, __u32 left)
{
	__u32 n = 0, out = 0, blind;

	if (!c || !w)
		return eaten(left, 0);
	if (header_ahead(&c->out, seen)) {
		out = back_header(c, window_byte(w, at), window_u32(w, at + 1));
		n = FRONT_HEADER;
		if (out || !c->out.left)
			return eaten(n, out);
	}
	blind = n < left ? back_blind(c) : 0;
	if (blind > left - n)
		blind = left - n;
	if (blind)
		return eaten(n + blind, out | back_skip(c, blind));
	if (n)
		return eaten(n, out);
	if (back_tag(c))
		return tag_step(c, w, at, seen < left ? seen : left);
	return eaten(1, back_byte(c, window_byte(w, at)));
}

/* Records the round that is answered.  If the next round was asked before this answer, the server works at it from here
 * on. */
__noinline int round_ready(struct server_conn *s, struct events *e)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct asked_ring *r;

	if (!s || !e)
		return 0;
	r = &s->front.asked;
	stamp_end(&s->turn, t);
	round_record(s, e, 1);
	front_round_over(&s->front);
	stamp_over(&s->turn, t);
	state_set(&s->turn, STATE_RECORDED);
	s->front.answered = !s->front.open;
	if (r->n || s->front.open)
		stamp_start(&s->turn, t);
	if (!r->n)
		return 0;
	event_data_first(s);
	state_set(&s->turn, STATE_WAITING);
	return 0;
}

static long send_step(__u32 i, struct feed *f)
{
	__u64 offset = f->at - f->window_at, left = f->total - f->at, step;

	if (f->at >= f->total || f->failed)
		return 1;
	if (feed_short(f, FRONT_HEADER)) {
		if (feed_refill(f)) {
			f->failed = 1;
			return 1;
		}
		offset = 0;
	}
	step = back_step(&f->s->front, &f->window, offset, f->window_n - offset, left);
	f->at += step >> 32;
	f->ready = step & BACK_READY;
	if (step & BACK_STREAMS)
		state_set(&f->s->turn, STATE_IDLE);
	if (step & BACK_LOST)
		f->failed = 1;
	return f->ready || f->s->front.mode != FRONT_PLAIN || f->s->front.streams;
}

/* Reads the end of a send whose messages we do not follow. */
static __always_inline void send_tail(struct feed *f)
{
	__u32 n = f->total < BACK_TAIL ? f->total : BACK_TAIL, i;
	__u8 tail[8] = { 0 };

	if (f->src.len < f->total || bpf_probe_read_user(tail, n & 7, f->src.at + (f->total - n)))
		return;
	for (i = 0; i < BACK_TAIL; i++)
		if (i < n)
			f->ready |= back_tail(&f->s->front, tail[i]);
	f->at = f->total;
}

/* May the messages after the first ones pass unread?  Only if nothing but the end of the round depends on them. */
static __always_inline int may_let_go(struct front *c)
{
	return !c->counts && !(wanted & WANTED_FIELD(POSTGRESQL_STATUS)) && front_left(c) <= 1 && !c->open;
}

/* Reads the messages of a send from `at` on, up to a ReadyForQuery: returns where that ends << 32 | 1; or 0 at its
 * end. */
__noinline __u64 send_messages(struct server_conn *s, __u32 at, __u32 total)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct feed f = { .s = s, .t = t, .at = at, .total = total };
	struct front *c = &s->front;
	int lets_go;

	if (!s)
		return 0;
	if (source_open(&f.src, t, total) || (!c->loose && feed_refill(&f))) {
		back_lets_go(c);
		return 0;
	}
	lets_go = may_let_go(c);
	if (!c->loose)
		bpf_loop(lets_go ? REPLY_STEPS : REPLY_STEPS_ALL, send_step, &f, 0);
	if (f.at < f.total && !f.ready && c->mode == FRONT_PLAIN && !c->loose && !c->streams && !lets_go)
		f.failed = 1;
	if (f.failed)
		conn_lost(s, 0);
	else if (f.at < f.total && !f.ready && c->mode == FRONT_PLAIN && !c->loose && !c->streams)
		back_lets_go(c);
	if (c->loose)
		send_tail(&f);
	return f.at << 32 | f.ready;
}

/* Reads a send of a reply.  It may end the turn of the complete Executes, if the server then waits for its client. */
static __always_inline void send_reply(struct server_conn *s, struct events *e, struct task_struct *t, __u32 total)
{
	__u64 seen = 0;
	__u32 i;

	pending_take(&s->turn, STATE_WAITING);
	if (STATE_KIND(s->turn.state) == STATE_WAITING)
		stamp_first(&s->turn);
	for (i = 0; i < SEND_ROUNDS && seen >> 32 < total; i++) {
		s->front.answered = 1;		/* also an open round, by bytes after the end of the one before */
		seen = send_messages(s, seen >> 32, total);
		if (!(seen & 1))
			break;
		round_ready(s, e);
	}
	if (i == SEND_ROUNDS && seen >> 32 < total)
		conn_lost(s, 0);
	if (STATE_KIND(s->turn.state) != STATE_WAITING || !asked_waits(&s->front.asked))
		return;
	stamp_end(&s->turn, t);
	state_set(&s->turn, STATE_PENDING);
}

static __always_inline void send_turn(struct server_conn *s, struct task_struct *t)
{
	int first = STATE_KIND(s->turn.state) == STATE_WAITING;

	if (!first && !pending_take(&s->turn, STATE_WAITING))
		return;
	stamp_end(&s->turn, t);
	if (first && s->front.mode == FRONT_ENCRYPTED && !memory_take(s)) {
		stamp_over(&s->turn, t);
		state_set(&s->turn, STATE_IDLE);
		return;
	}
	state_set(&s->turn, STATE_PENDING);
}

/* Handles a failed send: the client is gone.  The server's current work ends with that, and its result stays unknown;
 * the other requests are lost. */
static __always_inline void send_failed(struct server_conn *s, struct events *e, struct task_struct *t, int error)
{
	struct asked_ring *r = &s->front.asked;
	__u64 running;
	__u32 left, at;
	int waits;

	if (error != -EPIPE && error != -ECONNRESET)
		return;
	pending_take(&s->turn, STATE_WAITING);
	waits = STATE_KIND(s->turn.state) == STATE_WAITING;
	if (!waits && (front_turns(&s->front) || !front_left(&s->front)))
		return;
	stamp_end(&s->turn, t);
	if (front_turns(&s->front)) {
		emit(e, s);
	} else {
		if (waits && asked_waits(r))
			round_record(s, e, 0);
		left = front_left(&s->front);
		running = front_running(&s->front);
		at = running >> 32;
		if (left && waits && !r->skips && (__u32)running < asked_at(r, at)->n) {
			event_data_at(s, at);
			emit_share(e, s, 1);
			left--;
		}
		__sync_fetch_and_add(&counts.unreadable, left);
	}
	stamp_over(&s->turn, t);
	front_becomes(&s->front, FRONT_IGNORED);
	state_set(&s->turn, STATE_RECORDED);
}

/* As if the client were gone.  An error that the server sent before it closed is the status of the request that ran. */
static __always_inline void conn_dies(struct events *e, struct server_conn *s, struct task_struct *t)
{
	send_failed(s, e, t, -EPIPE);
}

/* Reads the answer to a startup packet that asked for encryption: it is one byte. */
static __always_inline void send_startup(struct server_conn *s, struct task_struct *t, int total)
{
	struct source src;
	__u8 answer = 0;

	if (!s->front.negotiates || source_open(&src, t, total) || bpf_probe_read_user(&answer, 1, src.at))
		return;
	s->front.negotiates = 0;
	if (answer == 'S' || answer == 'G')
		front_becomes(&s->front, FRONT_ENCRYPTED);
}

static __always_inline void sent(struct events *e, struct server_conn *s, struct sock *sk, __u64 inode, struct task_struct *t, int ret)
{
	if (!s)
		return;
	if (ret <= 0)
		send_failed(s, e, t, ret);
	else if (s->front.mode == FRONT_PLAIN && !s->front.streams)
		send_reply(s, e, t, ret);
	else if (front_turns(&s->front))
		send_turn(s, t);
	else if (s->front.mode == FRONT_STARTUP)
		send_startup(s, t, ret);
}

#endif
