/* sends.bpf.h - reads a server's sends, and records the commands that they answer.
 *
 *      sent() -> send_turn(), or send_replies(): by numbers, bytes and skips -> replies_record()
 */
#ifndef HEATSCOPE_REDIS_SENDS_BPF_H
#define HEATSCOPE_REDIS_SENDS_BPF_H

#include <linux/bpf.h>
#include <linux/errno.h>
#include <bpf/bpf_helpers.h>
#include "collector/redis/receives.bpf.h"

#define REPLY_STEPS 131072		/* of a send: 64 kB or one long text */

/* Makes one step of the parser of replies. */
__noinline __u64 back_step(struct front *c, const struct window *w, __u32 at, __u32 seen, __u32 left)
{
	__u32 n, out;

	if (!c || !w)
		return eaten(left, 0);
	n = back_blind(c);
	if (n) {
		if (n > left)
			n = left;
		return eaten(n, back_skip(c, n));
	}
	if (seen >= 8 && at <= WINDOW - 8) {
		out = back_ahead(c, window_u64(w, at), &n);
		if (n)
			return eaten(n, out);
	}
	return eaten(1, back_byte(c, window_byte(w, at)));
}

static __always_inline __u16 reply_status(const struct front *c)
{
	__u64 found;

	if (c->out.top == '!')
		return STATUS_OTHER;
	if (c->out.top != '-')
		return STATUS_OK;
	found = row_find(c->out.hash);
	return found ? (__u16)found : STATUS_OTHER;
}

/* Takes a complete reply. */
__noinline __u32 reply_found(struct server_conn *s)
{
	struct front *c = s ? &s->front : 0;
	__u32 out;

	if (!c)
		return 0;
	out = back_reply(c, reply_status(c));
	if ((out & BACK_DONE) && c->mode != FRONT_TRIAL)
		tally_add(s);
	return out;
}

static long send_step(__u32 i, struct feed *f)
{
	__u64 offset = f->at - f->window_at, step;
	__u32 out;

	if (f->at >= f->total || f->failed)
		return 1;
	if (feed_short(f, 8)) {
		if (feed_refill(f)) {
			f->failed = 1;
			return 1;
		}
		offset = 0;
	}
	step = back_step(&f->s->front, &f->window, offset, f->window_n - offset, f->total - f->at);
	f->at += step >> 32;
	out = step;
	if (out & BACK_REPLY)
		out |= reply_found(f->s);
	f->failed = (out & BACK_LOST) != 0;
	return !front_reads(&f->s->front);
}

/* Ends the turn of the commands that the send answers, and records them.  If others wait, the next turn begins. */
static __noinline int replies_record(struct server_conn *s, struct events *e, const struct thread_service *h,
				     const struct stamp *now)
{
	int waited = served_waited(s);
	__u32 i;

	s->turn.end = *now;
	turn_end(&s->turn);
	s->shares = s->n_done;
#pragma clang loop unroll(disable)
	for (i = 0; i < TALLY_MAX && i < s->n_tally; i++)
		emit_tally(e, s, i, waited);
	tally_clear(s);
	state_set(&s->turn, STATE_RECORDED);
	served_begin(s, h, now);
	if (!s->front.asked.n)
		return 0;
	data_first(s);
	state_set(&s->turn, STATE_WAITING);
	return 0;
}

static __noinline int send_replies(struct server_conn *s, struct events *e, const struct thread_service *h,
				   const struct stamp *now, __u32 total)
{
	struct feed f = { .s = s, .t = bpf_get_current_task_btf(), .total = total };
	struct front *c = &s->front;

	tally_clear(s);
	f.failed = feed_open(&f);
	if (!f.failed)
		bpf_loop(REPLY_STEPS, send_step, &f, 0);
	if (f.failed || (f.at < total && front_reads(c))) {
		conn_lost(s, 1);
		return 0;
	}
	front_tried(c);
	if (s->n_done)
		replies_record(s, e, h, now);
	if (c->out.top)
		stamp_first(&s->turn);		/* a reply goes on in the next send */
	return 0;
}

static __always_inline void send_turn(struct server_conn *s, const struct stamp *now)
{
	if (STATE_KIND(s->turn.state) != STATE_WAITING && !pending_take(&s->turn, STATE_WAITING))
		return;
	s->turn.end = *now;
	turn_end(&s->turn);
	state_set(&s->turn, STATE_PENDING);
}

/* Handles a failed send: the client is gone, and its commands are lost. */
static __always_inline void send_failed(struct server_conn *s, int error)
{
	if (error != -EPIPE && error != -ECONNRESET)
		return;
	conn_lost(s, 0);
	front_becomes(&s->front, FRONT_IGNORED);
}

/* The command that is answered next may have run, or wait for data: its result is unknown. */
static __always_inline void conn_dies(struct events *e, struct server_conn *s, struct task_struct *t)
{
	__u32 left = s->front.mode == FRONT_PLAIN ? s->front.asked.left : 0;

	if (s->front.mode == FRONT_IGNORED)
		return;
	if (STATE_KIND(s->turn.state) == STATE_WAITING) {
		stamp(&s->turn.end, t);
		turn_end(&s->turn);
		emit(e, s);
		state_set(&s->turn, STATE_RECORDED);
		left -= !!left;
	}
	__sync_fetch_and_add(&counts.unreadable, left);
	front_becomes(&s->front, FRONT_IGNORED);
}

static __always_inline void sent(struct events *e, struct server_conn *s, struct sock *sk, __u64 inode,
				 struct task_struct *t, int ret)
{
	struct thread_service *h;
	struct stamp now;

	if (!s && BPF_CORE_READ(sk, __sk_common.skc_family) == AF_UNIX)
		s = conn_make(sk, inode, t, 0);		/* its next receive is not its first one */
	if (!s || s->front.mode == FRONT_IGNORED)
		return;
	front_sent(&s->front, ret > 0 ? ret : 0);
	if (ret <= 0) {
		send_failed(s, ret);
		return;
	}
	stamp(&now, t);
	h = service_switch(t, &now, 1);
	service_take(s);
	if (front_turns(&s->front))
		send_turn(s, &now);
	if (front_reads(&s->front))
		send_replies(s, e, h, &now, ret);
}

#endif
