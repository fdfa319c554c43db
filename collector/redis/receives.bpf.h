/* receives.bpf.h - parses a server's receives: runs parse.h over the bytes in its buffer.
 *
 *      received() -> records an event that is pending -> receive_feed(): by numbers, bytes and skips
 */
#ifndef HEATSCOPE_REDIS_RECEIVES_BPF_H
#define HEATSCOPE_REDIS_RECEIVES_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/redis/conns.bpf.h"
#include "collector/server/feed.bpf.h"

#define FRONT_STEPS 65536		/* of a receive, which is 16 kB at a time or one long argument */

const volatile struct command_row rows[COMMAND_ROWS] = { 0 };	/* filled by the collector */

/* Returns the result of a step: bytes that it took << 32 | the parser's flags. */
static __always_inline __u64 eaten(__u32 n, __u32 out)
{
	return (__u64)n << 32 | out;
}

static __always_inline __u8 window_byte(const struct window *w, __u32 at)
{
	return w->byte[at & (WINDOW - 1)];
}

/* Returns the next 8 bytes of the window, which must have as many from `at` on. */
static __always_inline __u64 window_u64(const struct window *w, __u32 at)
{
	__u64 bytes;

	if (at > WINDOW - 8)
		at = WINDOW - 8;
	__builtin_memcpy(&bytes, &w->byte[at], 8);
	return bytes;
}

/* Finds a word in the table, in a global function: the verifier checks it once. */
__noinline __u64 row_find(__u64 hash)
{
	const struct command_row *table = (const struct command_row *)rows, *row;

	barrier_var(table);		/* else clang takes the zeros above for the table, from 18 on */
	row = command_find(table, hash);
	return row ? (__u64)row->code | (__u64)row->kind << 16 | (__u64)row->key << 24 | 1ull << 32 : 0;
}

__noinline __u32 command_named(struct front *c)
{
	__u64 found = c ? row_find(c->in.hash) : 0;
	struct command_row row = { .code = found, .kind = found >> 16, .key = found >> 24 };

	return c ? front_command(c, found ? &row : 0) : 0;
}

__noinline __u32 command_asked(struct front *c)
{
	return c ? front_ask(c) : 0;
}

/* Makes one step of the parser.  Of the next `left` bytes, the window has `seen`, from `at` on. */
__noinline __u64 front_step(struct front *c, const struct window *w, __u32 at, __u32 seen, __u32 left)
{
	__u32 n, out;

	if (!c || !w)
		return eaten(left, 0);
	n = front_blind(c);
	if (n) {
		if (n > left)
			n = left;
		return eaten(n, front_skip(c, n));
	}
	if (seen >= 8 && at <= WINDOW - 8) {
		out = front_ahead(c, window_u64(w, at), &n);
		if (n)
			return eaten(n, out);
	}
	return eaten(1, front_byte(c, window_byte(w, at)));
}

/* ---- receives ---- */

/* Gives up the position in the stream.  All commands that are not recorded count as lost, and n more: bytes that we
 * could not read or follow count as one command.  Those of a trial are counted already. */
static __noinline void conn_lost(struct server_conn *s, __u32 n)
{
	struct front *c = &s->front;

	if (c->mode == FRONT_PLAIN) {
		__sync_fetch_and_add(&counts.unreadable, n + c->asked.left + s->n_done);
		state_set(&s->turn, STATE_IDLE);
		c->searching = 1;
		if (c->opaque)
			count(&counts.opaque);
	}
	tally_clear(s);
	front_lose(c);
}

/* Acts on what the parser found in the bytes just taken or skipped. */
__noinline int received_found(struct server_conn *s, __u32 out)
{
	if (!s)
		return 0;
	if (out & FRONT_PREFIX)
		name_remember(&s->front.name, s->front.in.prefix);
	if (s->front.mode != FRONT_PLAIN)
		return 0;
	if (out & FRONT_UNANSWERED)
		count(&counts.unanswered);
	if (out & FRONT_ASKED) {
		data_first(s);
		state_set(&s->turn, STATE_WAITING);
	}
	return 0;
}

struct receiving {
	struct feed feed;		/* first: the functions of feed.bpf.h get it */
	struct thread_service *thread;
	const struct stamp *now;
};

static long receive_step(__u32 i, struct receiving *r)
{
	struct feed *f = &r->feed;
	struct server_conn *s = f->s;
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
	step = front_step(&s->front, &f->window, offset, f->window_n - offset, f->total - f->at);
	f->at += step >> 32;
	out = step;
	if (out & FRONT_WORD)
		out |= command_named(&s->front);
	if (out & FRONT_ENDED)
		out |= command_asked(&s->front);
	if (!out)
		return 0;
	if (out & FRONT_LOST) {
		f->failed = 1;
		return 1;
	}
	if ((out & FRONT_BEGIN) && s->front.mode == FRONT_PLAIN)
		served_begin(s, r->thread, r->now);
	received_found(s, out);
	return 0;
}

/* Handles a receive of a connection that we cannot read: the first one after a reply starts a turn. */
static __always_inline void turn_receive(struct server_conn *s, const struct thread_service *h, const struct stamp *now)
{
	if (STATE_KIND(s->turn.state) == STATE_WAITING)
		return;
	state_set(&s->turn, STATE_IDLE);
	data_unread(s);
	served_begin(s, h, now);
	state_set(&s->turn, STATE_WAITING);
}

/* A global function, which the verifier checks once. */
__noinline int receive_feed(struct server_conn *s, struct thread_service *h, const struct stamp *now, int total)
{
	struct receiving r = { .feed = { .s = s, .t = bpf_get_current_task_btf(), .total = total },
			       .thread = h, .now = now };
	struct front *c = &s->front;
	int read;

	if (!s || !now)
		return 0;
	read = !feed_open(&r.feed);
	if (read)
		front_receive(c, r.feed.window.byte, total);
	if (front_turns(c))
		turn_receive(s, h, now);
	if (c->mode == FRONT_ENCRYPTED || c->mode == FRONT_IGNORED)
		return 0;
	if (read && front_reads(c))
		bpf_loop(FRONT_STEPS, receive_step, &r, 0);
	if (!read || (front_reads(c) && (r.feed.failed || r.feed.at < r.feed.total)))
		conn_lost(s, 1);
	else
		__sync_fetch_and_add(&counts.unreadable, front_received(c));
	return 0;
}

/* At an unknown socket: has this receive the client's first bytes, and has the server sent nothing?  rcv_nxt shows
 * whether bytes came while we read the counters. */
static __always_inline int is_first_receive(struct sock *sk, int total)
{
	__u16 family = BPF_CORE_READ(sk, __sk_common.skc_family);
	struct tcp_sock *tcp = (struct tcp_sock *)sk;
	__u32 next, unread;
	__u64 received;

	if ((family != AF_INET && family != AF_INET6) || BPF_CORE_READ(sk, sk_type) != SOCK_STREAM)
		return 0;
	next = BPF_CORE_READ(tcp, rcv_nxt);
	received = BPF_CORE_READ(tcp, bytes_received);
	unread = next - BPF_CORE_READ(tcp, copied_seq);
	return next == BPF_CORE_READ(tcp, rcv_nxt) && received - unread == (__u64)total &&
	       !BPF_CORE_READ(tcp, bytes_sent);
}

static __always_inline void received(struct events *e, struct server_conn *s, struct sock *sk, __u64 inode,
				     struct task_struct *t, int ret)
{
	struct thread_service *h;
	struct stamp now;

	if (!s) {
		s = conn_make(sk, inode, t, is_first_receive(sk, ret));
		if (s)
			s->front.unused = BPF_CORE_READ(sk, __sk_common.skc_family) == AF_UNIX;
	}
	if (!s || s->front.mode == FRONT_IGNORED)
		return;
	if (ret <= 0 && STATE_KIND(s->turn.state) != STATE_PENDING)
		return;				/* it serves no connection: the thread's service goes on */
	stamp(&now, t);
	h = service_switch(t, &now, 0);
	service_take(s);
	if (pending_take(&s->turn, STATE_RECORDED))
		emit(e, s);
	if (ret <= 0)
		return;
	s->front.wanted = text_full && (wanted & WANTED_FIELD(REDIS_PREFIX));
	receive_feed(s, h, &now, ret);
	if (h)
		service_begin(s, h, t, &now);
}

#endif
