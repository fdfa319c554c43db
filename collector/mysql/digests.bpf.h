/* digests.bpf.h - computes the digest of each statement that a MySQL client sends, and keeps it in the connection.
 *
 *      a command in one receive:        body_ahead() reads it at once, command_digest() sets the code
 *      its bytes have been read before: known_find() takes code and table of the same fingerprint, no byte is digested
 *      a longer command:                digest_wants()? digest_window() per window of bytes, then digest_end()
 *
 * The code is that of digest.h; digest_samples keeps the first tokens of a code, for its label.  mysql.bpf.c includes
 * this file.  Functions that are not inlined are global: the verifier checks each once, not once per path to it.
 */
#ifndef HEATSCOPE_MYSQL_DIGESTS_BPF_H
#define HEATSCOPE_MYSQL_DIGESTS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/mysql/conns.bpf.h"
#include "collector/server/digests.bpf.h"
#include "collector/mysql/fingerprint.h"
#include "collector/server/statement_text.bpf.h"

enum { DIGEST_WANTS = 1, DIGEST_DUE = 2 };

/* Does a text that is digested include the next byte?  byte: the next one.  Returns DIGEST_* bits: DIGEST_WANTS, the
 * text has begun, or may begin here; DIGEST_DUE, the byte has not been read yet. */
__noinline int digest_wants(const struct server_conn *s, __u8 byte)
{
	const struct conn *c = &s->conn;

	if (!s || c->mode != CONN_PLAIN || !c->begun || !c->left || !c->at || !text_known(c) ||
	    !command_has_text(c->command) || s->digested >= DIGEST_LOOK ||
	    (c->command != COM_STMT_PREPARE && !(wanted & MYSQL_TOKENS)))
		return 0;
	if (s->digested != text_at(c) || (c->at == 1 && text_has_attributes(c, byte)))
		return DIGEST_WANTS;
	return DIGEST_WANTS | DIGEST_DUE;
}

/* Sets code and table of the current command. */
static __always_inline void digest_set(struct server_conn *s, __u64 code, __u64 table)
{
	s->code = code;
	s->table = table;
}

/* Makes the command opaque: nothing has confirmed that it is one, and no reply will. */
static __always_inline void command_doubted(struct server_conn *s)
{
	s->conn.command = COMMAND_OPAQUE;
	s->conn.statement = STATEMENT_NONE;
	digest_set(s, DIGEST_NONE, NAME_NONE);
}

/* Starts the digest, before the first byte of the text. */
static __always_inline void digest_start(struct server_conn *s)
{
	digest_begin(&s->digest, s->conn.command == COM_STMT_PREPARE || (wanted & WANTED_FIELD(MYSQL_TABLE)));
	s->digest.plain = (s->conn.status & SERVER_STATUS_NO_BACKSLASH_ESCAPES) != 0;
	s->digest.ansi = (s->conn.status & SERVER_STATUS_ANSI_QUOTES) != 0;
}

#define AHEAD_WINDOWS 8

/* The bytes of a whole command, from its first one on.  One per CPU is enough: no receive interrupts another one. */
struct whole_body {
	struct window window[AHEAD_WINDOWS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct whole_body);
} whole_bodies SEC(".maps");

/* Has this receive the whole command, so that body_ahead() can read it? */
static __always_inline int body_can_ahead(const struct conn *c, __u32 total)
{
	return c->left == total && !c->continued && total <= sizeof(struct whole_body);
}

/* ---- texts that differ only in their numbers (fingerprint.h) ---- */

const volatile __u64 fingerprint_salt = 0;	/* a multiple of 4 */

#define KNOWN_BITS 8
#define KNOWN_MAX (1 << KNOWN_BITS)	/* texts per CPU */

struct known_text {
	__u64 fingerprint, code, table;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, KNOWN_MAX);
	__type(key, __u32);
	__type(value, struct known_text);
} known_texts SEC(".maps");

static __always_inline struct known_text *known_at(__u64 fingerprint)
{
	__u32 at = fingerprint_place(fingerprint, KNOWN_BITS);

	return bpf_map_lookup_elem(&known_texts, &at);
}

struct sketching {
	struct fingerprint fingerprint;
	const struct whole_body *body;
	__u32 n;
};

#define FINGERPRINT_RUN 16		/* bytes of a step: a call costs more than a byte; the verifier checks each */

static long fingerprint_step(__u32 i, struct sketching *s)
{
	__u32 at = i * FINGERPRINT_RUN, k;

#pragma clang loop unroll(disable)
	for (k = 0; k < FINGERPRINT_RUN && at + k < s->n; k++)
		fingerprint_byte(&s->fingerprint, ((const __u8 *)s->body)[(at + k) & (sizeof(*s->body) - 1)]);
	return 0;
}

/* Computes the fingerprint of a command's bytes.  seed: all else that the code and the table depend on. */
__noinline __u64 body_fingerprint(const struct whole_body *body, __u32 n, __u64 seed, __u32 ansi)
{
	struct sketching s = { .body = body, .n = n };

	if (!body)
		return 0;
	fingerprint_begin(&s.fingerprint, seed ^ fingerprint_salt, ansi);
	bpf_loop((n + FINGERPRINT_RUN - 1) / FINGERPRINT_RUN, fingerprint_step, &s, 0);
	return fingerprint_end(&s.fingerprint);
}

/* Takes code and table of a text with the same fingerprint, if one was read before.  The maps must still have the texts
 * of both; these lookups also keep the maps from evicting them. */
static __always_inline int known_find(struct server_conn *s)
{
	const struct known_text *k = s->fingerprint ? known_at(s->fingerprint) : 0;
	__u64 code, table;

	if (!k || k->fingerprint != s->fingerprint)
		return 0;
	code = k->code;
	table = k->table;
	if ((wanted & WANTED_FIELD(MYSQL_DIGEST)) && !bpf_map_lookup_elem(&digest_samples, &code))
		return 0;
	if (table > NAME_ENCRYPTED && !bpf_map_lookup_elem(&names, &table))
		return 0;
	digest_set(s, code, table);
	return 1;
}

static __always_inline void known_keep(const struct server_conn *s)
{
	struct known_text *k = s->fingerprint ? known_at(s->fingerprint) : 0;

	if (!k)
		return;
	k->fingerprint = s->fingerprint;
	k->code = s->code;
	k->table = s->table;
}

static __always_inline void digest_ahead(struct server_conn *s, const struct whole_body *body, __u64 at, __u32 n)
{
	__u32 from = text_has_attributes(&s->conn, body->window[0].byte[1]) ? 1 + NO_ATTRIBUTES : 1, i;

	if (s->conn.multibyte) {	/* its literals might be taken for words */
		s->digested = DIGEST_REFUSED;
		return;
	}
	digest_start(s);
	s->text = at + from;
	s->text_end = at + n;
	s->digested = n - from;
	s->fingerprint = body_fingerprint(body, n, s->digest.plain + 2 * (s->digest.table.state != TABLE_OFF),
				     s->digest.ansi);
	s->known = known_find(s);
	for (i = 0; !s->known && i < AHEAD_WINDOWS && i * WINDOW < n; i++)
		digest_window(&s->digest, &body->window[i], !i,
			      (n - i * WINDOW < WINDOW ? n - i * WINDOW : WINDOW) - !i);
}

struct command_head {
	__u8 byte[PARSE_AHEAD];
};

/* Reads a whole body, n bytes from address `at` on, without stepping through it: its head, and the digest of its text,
 * if it has one.  Returns 0 if the bytes cannot be read, or begin with attributes. */
__noinline int body_ahead(struct server_conn *s, struct command_head *ret_head, __u64 at, __u32 n)
{
	const __u32 zero = 0;
	struct whole_body *body = bpf_map_lookup_elem(&whole_bodies, &zero);

	if (!s || !ret_head || !body || n > sizeof(*body) || bpf_probe_read_user(body, n, (const void *)at))
		return 0;
	__builtin_memcpy(ret_head, body, sizeof(*ret_head));
	s->conn.command = ret_head->byte[0];
	if (text_has_attributes(&s->conn, ret_head->byte[1]) && ret_head->byte[1])
		return 0;
	if (command_has_text(s->conn.command))
		digest_ahead(s, body, at, n);
	return 1;
}

/* Sets code and table, after the last byte that is read of the text. */
static __always_inline void text_read(struct server_conn *s, int whole)
{
	if (!s->digested)
		digest_start(s);
	s->code = digest_code(&s->digest, whole);
	s->table = table_code(&s->digest.table, whole);
	name_remember(&s->digest.table.name, s->table);
	if (wanted & WANTED_FIELD(MYSQL_DIGEST))
		digest_sample_keep(s->code, &s->digest.tokens);
	known_keep(s);
}

/* Ends the digest, once per text: all of the text has come (`whole`), or as much of it as is read. */
__noinline int digest_end(struct server_conn *s, int whole)
{
	if (!s)
		return 0;
	if (!s->known)
		text_read(s, whole);
	if (text_full && s->conn.command == COM_QUERY)
		s->verbatim = statement_text_keep(s->turn.id, s->n_texts++, s->text, s->text_end, s->digested, whole);
	return 0;
}

/* Sets the digest of a command that has come whole. */
__noinline int command_digest(struct server_conn *s)
{
	struct conn *c = &s->conn;

	if (!s)
		return 0;
	if (command_has_text(c->command)) {
		if (c->multibyte && c->set.chained)	/* the text goes on after the `set` */
			digest_set(s, DIGEST_UNKNOWN, NAME_UNKNOWN);
		else if (text_known(c) && s->digested == text_at(c))
			digest_end(s, 1);
		else if (s->digested != DIGEST_LOOK)
			digest_set(s, DIGEST_UNKNOWN, NAME_UNKNOWN);
		if (c->command == COM_STMT_PREPARE) {
			s->last_code = s->code;
			s->last_table = s->table;
		}
	} else if (command_executes(c->command) && c->statement_id == STATEMENT_ID_LAST) {
		digest_set(s, s->last_code ? s->last_code : DIGEST_UNKNOWN, s->last_table);
	} else if (command_executes(c->command) && s->code == DIGEST_NONE) {
		digest_set(s, DIGEST_UNKNOWN, NAME_UNKNOWN);
	}
	return 0;
}

#endif
