/* receives.bpf.h - runs parse.h over the bytes that a server receives.
 *
 *      received() -> records complete events -> receive_feed(): a text by windows, else by headers, bytes and skips
 */
#ifndef HEATSCOPE_POSTGRESQL_RECEIVES_BPF_H
#define HEATSCOPE_POSTGRESQL_RECEIVES_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/postgresql/conns.bpf.h"
#include "collector/server/digests.bpf.h"
#include "collector/server/statement_text.bpf.h"

#define FRONT_STEPS 65536		/* of a receive, which is 8 kB at a time; a step takes a byte or more */
#define WANTED_TEXT (WANTED_FIELD(POSTGRESQL_STATEMENT) | WANTED_FIELD(POSTGRESQL_DIGEST) | WANTED_FIELD(POSTGRESQL_TABLE))

/* Returns the result of a step: bytes << 32 | flags. */
static __always_inline __u64 eaten(__u32 n, __u32 out)
{
	return (__u64)n << 32 | out;
}

static __always_inline __u8 window_byte(const struct window *w, __u32 at)
{
	return w->byte[at & (WINDOW - 1)];
}

static __always_inline __u32 window_u32(const struct window *w, __u32 at)
{
	return (__u32)window_byte(w, at) << 24 | (__u32)window_byte(w, at + 1) << 16 | (__u32)window_byte(w, at + 2) << 8 |
	       window_byte(w, at + 3);
}

static __always_inline int header_ahead(const struct stream *s, __u32 seen)
{
	return !s->left && !s->have && seen >= FRONT_HEADER;
}

/* Makes one step of the receiving machine, in a global function: the verifier checks it once.  Of the next `left`
 * bytes, the window has `seen`, from `at` on. */
__noinline __u64 front_step(struct front *c, const struct window *w, __u32 at, __u32 seen, __u32 left)
{
	__u32 n = 0, out = 0, blind;

	if (!c || !w)
		return eaten(left, 0);
	if (c->mode == FRONT_PLAIN && header_ahead(&c->in, seen)) {
		out = front_header(c, window_byte(w, at), window_u32(w, at + 1));
		n = FRONT_HEADER;
		if (front_text(c) || !c->in.left)
			return eaten(n, out);
	}
	blind = n < left ? front_blind(c) : 0;
	if (blind > left - n)
		blind = left - n;
	if (blind)
		return eaten(n + blind, out | front_skip(c, blind));
	if (n)
		return eaten(n, out);
	return eaten(1, front_byte(c, window_byte(w, at)));
}

/* Returns how many Executes are asked and not recorded; also a global function. */
__noinline __u32 front_left(struct front *c)
{
	return c ? asked_left(&c->asked) : 0;
}

/* Returns the place of the Execute that runs: its entry << 32 | how many of that entry are complete. */
__noinline __u64 front_running(struct front *c)
{
	__u32 nth, at;

	if (!c)
		return 0;
	at = asked_running(&c->asked, &nth);
	return (__u64)at << 32 | nth;
}

__noinline __u32 front_pass(struct front *c, __u32 n)
{
	return c ? front_skip(c, n) : 0;
}

/* ---- names ---- */

/* Finds the codes of the statement or portal that has this name on a connection. */
static __always_inline void named_find(struct server_conn *s, __u64 kind, struct statement_codes *ret_codes)
{
	struct named_key key = { .conn = s->turn.id, .name = s->front.name, .kind = kind };
	struct named_statement *is = bpf_map_lookup_elem(&named, &key);
	if (!is)
		codes_unknown(ret_codes);
	else
		named_codes(&s->front, is, ret_codes);
}

static __always_inline void statement_set(struct server_conn *s)
{
	struct named_key key = { .conn = s->turn.id, .name = s->front.name, .kind = NAME_STATEMENT };
	struct named_statement is;

	named_begin(&s->front, bpf_map_lookup_elem(&named, &key), &is);
	bpf_map_update_elem(&named, &key, &is, BPF_ANY);
}

static __always_inline void portal_set(struct server_conn *s)
{
	struct named_key key = { .conn = s->turn.id, .name = s->front.portal.name, .kind = NAME_PORTAL };
	struct named_statement is = { .codes = s->front.portal.codes };

	bpf_map_update_elem(&named, &key, &is, BPF_ANY);
}

static __always_inline void named_get(struct server_conn *s, __u64 kind)
{
	named_find(s, kind, &s->front.portal.codes);
	if (wanted & WANTED_FIELD(POSTGRESQL_DIGEST))
		bpf_map_lookup_elem(&digest_samples, &s->front.portal.codes.digest);	/* marks it as used */
}

static __always_inline void named_forget(struct server_conn *s)
{
	struct named_key key = { .conn = s->turn.id, .name = s->front.name, .kind = s->front.word };

	bpf_map_delete_elem(&named, &key);
}

static __always_inline __u64 startup_name(const struct front *c)
{
	__u64 code = name_code(&c->value);

	name_remember(&c->value, code);
	return code;
}

__noinline int names_found(struct server_conn *s, __u32 out)
{
	struct front *c = &s->front;

	if (!s)
		return 0;
	if (out & FRONT_REMEMBER)
		statement_set(s);
	if (out & FRONT_LOOKUP)
		named_get(s, NAME_STATEMENT);
	if (out & FRONT_PORTAL)
		named_get(s, NAME_PORTAL);
	if (out & FRONT_KEEP)
		portal_set(s);
	if (out & FRONT_FORGET)
		named_forget(s);
	if (out & FRONT_USER) {
		s->user = startup_name(c);
		if (!s->database)
			s->database = s->user;
	}
	if (out & FRONT_DATABASE)
		s->database = startup_name(c);
	return 0;
}

#define FRONT_NAMES (FRONT_REMEMBER | FRONT_LOOKUP | FRONT_PORTAL | FRONT_KEEP | FRONT_FORGET | FRONT_USER | FRONT_DATABASE)

/* ---- texts ---- */

/* Returns how many bytes of a window come before a NUL, at most n. */
__noinline __u32 window_text(const struct window *w, __u32 at, __u32 n)
{
	__u32 i;

	if (!w)
		return 0;
	for (i = 0; i < WINDOW; i++)
		if (i >= n || !w->byte[(at + i) & (WINDOW - 1)])
			break;
	return i;
}

__noinline int text_over(struct server_conn *s, int whole)
{
	__u64 code, table;

	if (!s)
		return 0;
	code = digest_code(&s->digest, whole);
	table = table_code(&s->digest.table, whole);
	name_remember(&s->digest.table.name, table);
	front_text_end(&s->front, code, digest_statement(&s->digest, whole), table,
		       statement_text_keep(s->turn.id, s->n_texts++, s->text, s->text_end, s->digested, whole));
	if (wanted & WANTED_FIELD(POSTGRESQL_DIGEST))
		digest_sample_keep(code, &s->digest.tokens);
	return 0;
}

static __always_inline void text_begin(struct feed *f)
{
	struct server_conn *s = f->s;
	__u64 rest = f->total - f->src.from;

	/* A prepared statement may be executed later, when an instrumentation asks for the table. */
	digest_begin(&s->digest, s->front.in.type == 'P' || (wanted & WANTED_FIELD(POSTGRESQL_TABLE)));
	s->text = (__u64)f->src.at + (f->at - f->src.from);
	s->text_end = (__u64)f->src.at + (rest < f->src.len ? rest : f->src.len);
}

/* Reads n bytes of a text, from w->byte[offset] on.  Returns bytes read; at the text's end, or at the end of the
 * part that is read, sets its code. */
__noinline __u32 text_read(struct server_conn *s, const struct window *w, __u32 offset, __u32 n)
{
	__u32 text;

	if (!s || !w)
		return 0;
	if (n > s->front.in.left)
		n = s->front.in.left;
	text = window_text(w, offset, n);
	digest_window(&s->digest, w, offset, text);
	s->digested += text;
	if (text < n || text == s->front.in.left)
		text_over(s, 1);
	else if (s->digested >= DIGEST_LOOK)
		text_over(s, 0);
	return text;
}

/* ---- receives ---- */

/* Gives up the position in the stream: all requests that are not recorded count as lost, and n more.  A receive that we
 * could not read or follow to its end counts as one request, as we do not know how many it had.  We find the position
 * again as in a connection older than the collector. */
static __noinline void conn_lost(struct server_conn *s, __u32 n)
{
	__sync_fetch_and_add(&counts.unreadable, n + front_left(&s->front));
	if (s->front.mode == FRONT_OPAQUE)
		count(&counts.opaque);
	else
		front_becomes(&s->front, FRONT_STRANGE);
	state_set(&s->turn, STATE_IDLE);
}

/* Acts on those findings of the parser that need no clock. */
__noinline int received_found(struct server_conn *s, __u32 out)
{
	if (!s)
		return 0;
	if (out & FRONT_CROWDED)
		count(&counts.crowded);
	if (out & FRONT_TEXT)
		s->digested = 0;
	if (out & FRONT_NAMES)
		names_found(s, out);
	if ((out & FRONT_ASKED) && STATE_KIND(s->turn.state) != STATE_WAITING) {
		event_data_first(s);
		state_set(&s->turn, STATE_WAITING);
	}
	return 0;
}

/* Acts on what the parser found in the bytes just taken or skipped. */
static __always_inline void received_some(struct feed *f, __u32 out)
{
	struct turn *turn = &f->s->turn;

	if (!out)
		return;
	if (out & FRONT_LOST) {
		f->failed = 1;
		return;
	}
	if (out & FRONT_BEGIN) {
		state_set(turn, STATE_IDLE);
		stamp_start(turn, f->t);
	}
	received_found(f->s, out);
}

static long receive_step(__u32 i, struct feed *f)
{
	__u64 offset = f->at - f->window_at, left = f->total - f->at, step;
	struct front *c = &f->s->front;
	__u32 seen, n;

	if (f->at >= f->total || f->failed)
		return 1;
	if (feed_short(f, FRONT_HEADER)) {
		if (feed_refill(f)) {
			f->failed = 1;
			return 1;
		}
		offset = 0;
	}
	seen = f->window_n - offset;
	if (front_text(c)) {
		if (!f->s->digested)
			text_begin(f);
		n = text_read(f->s, &f->window, offset, seen);
		step = eaten(n, n ? front_pass(c, n) : 0);
	} else {
		step = front_step(c, &f->window, offset, seen, left);
	}
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

/* Lets the parser see the first and last bytes of a receive, which may change the connection's mode. */
__noinline int receive_begins(struct front *c, const struct window *w, __u64 end, __u32 total)
{
	__u8 tail[FRONT_HEADER + 3] = { 0 };

	if (!c || !w)
		return 0;
	if (total >= FRONT_HEADER)
		bpf_probe_read_user(tail, FRONT_HEADER, (const void *)(end - FRONT_HEADER));
	front_receive(c, w->byte, tail, total);
	return 0;
}

static __noinline int receive_feed(struct server_conn *s, struct events *e, struct task_struct *t, int total)
{
	struct feed f = { .s = s, .e = e, .t = t, .total = total };
	struct front *c = &s->front;

	if (feed_open(&f)) {
		if (front_turns(c))
			turn_receive(s, t);
		else
			conn_lost(s, 1);
		return 0;
	}
	if (c->mode != FRONT_PLAIN)
		receive_begins(c, &f.window, f.src.len >= f.total ? (__u64)f.src.at + total : 0, total);
	if (front_turns(c)) {
		turn_receive(s, t);
		return 0;
	}
	bpf_loop(FRONT_STEPS, receive_step, &f, 0);
	if (f.failed || f.at < f.total)
		conn_lost(s, 1);
	return 0;
}

/* At an unknown socket: does its connection begin here? */
static __noinline struct server_conn *receive_first(struct sock *sk, __u64 inode, struct task_struct *t, int total)
{
	struct source src;
	__u8 head[8];

	if (total < 8 || source_open(&src, t, total) || src.len < 8 || bpf_probe_read_user(head, sizeof(head), src.at))
		return conn_make(sk, inode, t, 0);
	return conn_make(sk, inode, t, front_startup(head, sizeof(head)));
}

static __always_inline void received(struct events *e, struct server_conn *s, struct sock *sk, __u64 inode, struct task_struct *t, int ret)
{
	if (!s)
		s = receive_first(sk, inode, t, ret);
	if (!s || s->front.mode == FRONT_IGNORED)
		return;
	if (pending_take(&s->turn, STATE_RECORDED)) {
		if (front_turns(&s->front))
			emit(e, s);
		else
			round_record(s, e, 0);
		stamp_over(&s->turn, t);
	}
	if (ret <= 0)
		return;
	s->front.wanted = (wanted & WANTED_TEXT) != 0;
	s->front.counts = (wanted & WANTED_MEASURE(POSTGRESQL_ROWS)) != 0;
	s->text = 0;
	receive_feed(s, e, t, ret);
}

#endif
