/* receives.bpf.h - runs parse.h over the bytes that a server receives, and finds where commands start.
 *
 *      received() -> a pending event ends -> receive_ahead(): a short command at once; else receive_rest(): by windows
 *
 * Included once, by mysql.bpf.c.
 */
#ifndef HEATSCOPE_MYSQL_RECEIVES_BPF_H
#define HEATSCOPE_MYSQL_RECEIVES_BPF_H

#include <linux/bpf.h>
#include <linux/errno.h>
#include <bpf/bpf_helpers.h>
#include "collector/mysql/memory.bpf.h"

/* ---- the parser, in global functions: the verifier checks each once, not once per path to it ---- */

__noinline __u64 attributes_step(struct conn *c, const struct window *w, __u32 offset, __u32 left)
{
	return c && w ? parse_attributes(c, w->byte[offset & (WINDOW - 1)], left) : parse_eaten(left, 0);
}

/* Makes one step: takes w->byte[offset], or skips up to `left` bytes unread. */
__noinline __u64 conn_step(struct conn *c, const struct window *w, __u32 offset, __u32 left)
{
	__u32 blind = c ? parse_blind(c) : ~0u;

	if (!c || !w)
		return parse_eaten(left, 0);
	if (text_follows_attributes(c))
		return attributes_step(c, w, offset, left);
	if (!blind)
		return parse_eaten(1, parse_byte(c, w->byte[offset & (WINDOW - 1)]));
	if (blind > left)
		blind = left;
	return parse_eaten(blind, parse_skip(c, blind));
}

/* Takes the begin of a command, and the rest of its receive if the parser needs none of it.  text 0: the whole text
 * is still to be read, from its first byte; 1: no more of it is, or it was read already. */
__noinline __u64 conn_command(struct conn *c, const struct command_head *head, int text, __u32 total)
{
	__u64 step = c && head ? parse_ahead(c, head->byte, text) : 0;
	__u32 eaten = step >> 32;

	if (!c || (step & PARSE_CANCEL) || eaten >= total)
		return parse_eaten(total, step);
	if (parse_blind(c) < total - eaten || (!text && command_has_text(c->command)))
		return step;
	return parse_eaten(total, step | parse_skip(c, total - eaten));
}

/* Takes a whole header in one receive, as MariaDB reads it. */
__noinline __u32 conn_header(struct conn *c, __u32 head)
{
	if (!c)
		return 0;
	__builtin_memcpy(c->head, &head, 4);
	c->have = 4;
	return header_end(c);
}

/* ---- receives ---- */

static __always_inline void prepared_lookup(struct server_conn *s)
{
	struct prepared_key key = { .conn = s->turn.id, .statement = s->conn.statement_id };
	struct prepared_statement *p = bpf_map_lookup_elem(&prepared, &key);

	s->conn.statement = p ? p->statement : STATEMENT_UNKNOWN;
	digest_set(s, p ? p->digest : DIGEST_UNKNOWN, p ? p->table : NAME_UNKNOWN);
	if (s->conn.statement == STATEMENT_CODE("use"))
		who_moves(&s->conn.who);
	if (wanted & WANTED_FIELD(MYSQL_DIGEST))
		bpf_map_lookup_elem(&digest_samples, &s->code);	/* marks it as used */
}

static __always_inline void prepared_forget(struct server_conn *s)
{
	struct prepared_key key = { .conn = s->turn.id, .statement = s->conn.statement_id };

	bpf_map_delete_elem(&prepared, &key);
}

/* Reads the window's part of a text, n bytes from offset on, of which the parser has seen nothing yet. */
__noinline int digest_read(struct server_conn *s, const struct window *w, __u32 offset, __u32 n)
{
	if (!s || !w)
		return 0;
	if (!s->digested) {
		if (s->conn.multibyte) {	/* its literals might be taken for words */
			s->digested = DIGEST_REFUSED;
			return 0;
		}
		digest_start(s);
	}
	if (n > s->conn.left)
		n = s->conn.left;
	if (n > DIGEST_LOOK - s->digested)
		n = DIGEST_LOOK - s->digested;
	digest_window(&s->digest, w, offset, n);
	s->digested += n;
	if (s->digested == DIGEST_LOOK && s->conn.left > n)
		digest_end(s, 0);		/* now, while we have its text */
	return 0;
}

static __always_inline void digest_feed(struct feed *f, __u32 offset, __u32 n)
{
	struct server_conn *s = f->s;
	__u64 rest = f->total - f->src.from;

	if (!s->digested) {
		s->text = (__u64)f->src.at + (f->at - f->src.from);
		s->text_end = (__u64)f->src.at + (rest < f->src.len ? rest : f->src.len);
	}
	digest_read(s, &f->window, offset, n);
}

/* Acts on the rare outcomes of a few bytes, in a function of its own: the stack frame must be small below
 * feed_step(). */
__noinline int outcome_rare(struct server_conn *s, __u32 out)
{
	if (!s)
		return 0;
	if (out & PARSE_NAME)
		name_remember(&s->conn.who.name, name_code(&s->conn.who.name));
	if (out & PARSE_LOOKUP)
		prepared_lookup(s);
	if (out & PARSE_CLOSE)
		prepared_forget(s);
	if (out & PARSE_CLIENT)
		s->turn.client = address_remember(&s->conn.proxy.address);
	if ((out & PARSE_CANCEL) && s->conn.mode == CONN_OPAQUE)
		count(&counts.opaque);
	return 0;
}

/* Acts on what the parser found in the bytes just taken or skipped. */
static __always_inline void outcome(struct server_conn *s, struct events *e, struct task_struct *t, __u32 out)
{
	if (out & PARSE_START) {
		if (STATE_KIND(s->turn.state) == STATE_WAITING && s->conn.sure && s->conn.mode == CONN_PLAIN)
			count(&counts.unanswered);
		state_set(&s->turn, STATE_IDLE);
		stamp_start(&s->turn, t);
		s->digested = 0;
		s->fingerprint = 0;
		s->known = 0;
		s->verbatim = 0;
		digest_set(s, DIGEST_NONE, NAME_NONE);
	}
	if (out & (PARSE_NAME | PARSE_LOOKUP | PARSE_CLOSE | PARSE_CANCEL | PARSE_CLIENT))
		outcome_rare(s, out);
	if (!(out & PARSE_DONE))
		return;
	if ((wanted & WANTED_MEASURE(MYSQL_ROWS)) || s->conn.follow.on)
		follow_begin(&s->conn, (wanted & WANTED_MEASURE(MYSQL_ROWS)) != 0);
	command_digest(s);
	if (!command_has_no_reply(s->conn.command)) {
		state_set(&s->turn, STATE_WAITING);
		return;
	}
	if (!s->conn.sure)
		command_doubted(s);
	stamp_end(&s->turn, t);
	emit(e, s);
	state_set(&s->turn, STATE_RECORDED);
	stamp_over(&s->turn, t);
}

static long feed_step(__u32 i, struct feed *f)
{
	__u64 offset = f->at - f->window_at, left = f->total - f->at, step;
	int wants;

	if (f->at >= f->total)
		return 1;
	if (offset >= f->window_n) {
		if (feed_refill(f)) {
			f->failed = 1;
			return 1;
		}
		offset = 0;
	}
	wants = digest_wants(f->s, f->window.byte[offset & (WINDOW - 1)]);
	if (wants)
		left = f->window_n - offset;
	if (wants & DIGEST_DUE)
		digest_feed(f, offset, left);
	step = conn_step(&f->s->conn, &f->window, offset, left);
	f->at += step >> 32;
	outcome(f->s, f->e, f->t, step);
	return 0;
}

/* Handles most receives quickly: a header alone, as MariaDB reads it, or the command after it.  Returns bytes taken. */
static __always_inline __u32 receive_ahead(struct server_conn *s, struct events *e, struct task_struct *t, __u32 total)
{
	struct conn *c = &s->conn;
	int header = c->mode == CONN_PLAIN && total == 4 && !c->left && !c->have, blind, whole;
	__u64 tokens = *(volatile __u64 *)&wanted & MYSQL_TOKENS;	/* once: it may change during this run */
	struct command_head head = { { 0 } };
	struct source src;
	__u64 step;

	if (!header && (!parse_can_ahead(c) || total < PARSE_AHEAD))
		return 0;
	if (source_open(&src, t, total) || src.len < (header ? 4 : PARSE_AHEAD))
		return 0;
	whole = !header && src.len >= total && body_can_ahead(c, total);
	if (!(whole && tokens) && bpf_probe_read_user(&head, header ? 4 : PARSE_AHEAD, src.at))
		return 0;
	if (header) {
		outcome(s, e, t, conn_header(c, *(__u32 *)head.byte));
		return total;
	}
	blind = head.byte[0] != COM_STMT_PREPARE && !tokens;
	if (whole && !blind && !body_ahead(s, &head, (__u64)src.at, total))
		return 0;
	step = conn_command(c, &head, blind || whole, total);
	outcome(s, e, t, step);
	return step >> 32;
}

__noinline __u32 records_next(struct records *r, __u8 byte, __u32 left)
{
	return r ? records_step(r, byte, left) : left;
}

static long records_walk(__u32 i, struct feed *f)
{
	__u64 offset = f->at - f->window_at;

	if (f->at >= f->total)
		return 1;
	if (offset >= f->window_n) {
		if (feed_refill(f))
			return 1;
		offset = 0;
	}
	f->at += records_next(&f->s->conn.records, f->window.byte[offset & (WINDOW - 1)], f->total - f->at);
	return 0;
}

#define RECORD_STEPS (8 * (RECORD_HEADER + 1))

/* Follows the records of a receive, RECORD_STEPS steps at most; the rest of it is lost. */
static __always_inline void records_take(struct feed *f)
{
	if (f->s->conn.mode != CONN_ENCRYPTED)
		return;
	bpf_loop(RECORD_STEPS, records_walk, f, 0);
	if (f->at < f->total)
		f->s->conn.records.lost = 1;
}

/* Handles a receive of a connection that we cannot read: the first one after a reply starts a turn. */
static __always_inline void turn_receive(struct server_conn *s, struct task_struct *t)
{
	__u64 kind = STATE_KIND(s->turn.state);

	if (kind == STATE_WAITING || (kind == STATE_PENDING && s->conn.held))	/* held: the server asked for data */
		return;
	state_set(&s->turn, STATE_IDLE);
	conn_begin_turn(&s->conn);
	s->verbatim = 0;
	digest_set(s, DIGEST_NONE, NAME_NONE);
	stamp_start(&s->turn, t);
	state_set(&s->turn, STATE_WAITING);
	memory_names(s);
}

/* Gives up the position in the stream: we find it again as in a connection older than the collector. */
static __always_inline void conn_lost(struct server_conn *s)
{
	count(&counts.unreadable);
	conn_becomes(&s->conn, CONN_STRANGE);
	state_set(&s->turn, STATE_IDLE);
}

/* Counts packets that are no longer parsed: where the next one begins, and how many of them began a command. */
struct hops {
	__u64 at, end;			/* user addresses */
	__u64 n;
};

static long hop(__u32 i, struct hops *h)
{
	__u32 head;

	if (h->at + sizeof(head) > h->end || bpf_probe_read_user(&head, sizeof(head), (const void *)h->at))
		return 1;
	h->n += head >> 24 == 0;	/* its number in its exchange */
	h->at += sizeof(head) + (head & 0xffffff);
	return 0;
}

/* Counts the commands of a receive that has more packets than steps, as of a client that does not wait for replies:
 * each of them is lost. */
static __noinline int commands_left(struct feed *f)
{
	const struct conn *c = &f->s->conn;
	struct hops h = { 0 };

	if (f->failed || c->mode != CONN_PLAIN || !c->sure || f->at < f->src.from)
		return 0;
	h.at = (__u64)f->src.at + (f->at - f->src.from) + c->left - c->have;
	h.end = (__u64)f->src.at + f->src.len;
	bpf_loop(HOPS_MAX, hop, &h, 0);
	__sync_fetch_and_add(&counts.unanswered, h.n);
	return 0;
}

static __noinline int receive_rest(struct server_conn *s, struct events *e, struct task_struct *t, int total,
				   __u32 eaten)
{
	struct feed f = { .s = s, .e = e, .t = t, .total = total, .at = eaten };
	struct conn *c = &s->conn;
	__u8 mode = c->mode;

	if (feed_open(&f)) {
		c->records.lost = 1;
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
		records_take(&f);
		turn_receive(s, t);
		return 0;
	}
	bpf_loop(FEED_STEPS, feed_step, &f, 0);
	if (f.failed || f.at < f.total) {
		commands_left(&f);
		conn_lost(s);
	}
	return 0;
}

static __always_inline void receive(struct server_conn *s, struct events *e, struct task_struct *t, __u32 total)
{
	__u32 eaten;

	s->conn.wanted = (wanted & (MYSQL_FIRST_WORD | MYSQL_TOKENS)) != 0;
	s->text = 0;
	eaten = receive_ahead(s, e, t, total);
	if (eaten < total)
		receive_rest(s, e, t, total, eaten);
}

__noinline int unanswered(struct server_conn *s)
{
	return s && STATE_KIND(s->turn.state) == STATE_WAITING && conn_drop_unanswered(&s->conn);
}

static __always_inline void received(struct events *e, struct server_conn *s, struct sock *sk, __u64 inode,
				     struct task_struct *t, int ret)
{
	if (!s)
		s = conn_make(sk, inode, t, 0);
	if (!s || s->conn.mode == CONN_IGNORED)
		return;
	memory_holds(s);
	if (!s->conn.held && pending_take(&s->turn, STATE_RECORDED)) {
		emit(e, s);
		stamp_over(&s->turn, t);
	}
	if (ret == -EAGAIN && unanswered(s)) {
		state_set(&s->turn, STATE_IDLE);
		stamp_over(&s->turn, t);
	}
	if (ret <= 0)
		return;
	if (!conn_turns(&s->conn) && memory_misses_name(&s->conn) && STATE_KIND(s->turn.state) != STATE_WAITING)
		memory_names(s);
	receive(s, e, t, ret);
}

#endif
