/* digests.bpf.h - computes the digests of the texts that servers receive: it gives digest.h one window of bytes at a
 * time.
 *
 *      body_ahead(), or digest_wants() -> digest_window() ... -> digest_end() at the last byte read -> conn's code
 *           `--> known: the text of this fingerprint that was read before -----------------------------------^
 *                                                                     `--> digest_samples: first tokens, for the label
 *
 * Functions that are not inlined are global: the verifier checks each once, not once per path to it.  Included once, by
 * mysql.bpf.c.
 */
#ifndef HEATSCOPE_MYSQL_DIGESTS_BPF_H
#define HEATSCOPE_MYSQL_DIGESTS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/mysql/conns.bpf.h"
#include "collector/server/digests.bpf.h"
#include "collector/mysql/fingerprint.h"
#include "collector/server/statement_text.bpf.h"

/* Does the next byte belong to a text that is digested? */
static __always_inline int digest_wants(const struct server_conn *s)
{
	const struct conn *c = &s->conn;

	return c->mode == CONN_PLAIN && c->begun && c->left && c->at && command_has_text(c->command) && s->digested < DIGEST_LOOK &&
	       (c->command == COM_STMT_PREPARE || (wanted & MYSQL_TOKENS));
}

/* A text that begins like this is not read: its literals might be taken for words. */
static __always_inline int digest_refuses(const struct conn *c, __u8 first)
{
	return c->multibyte || (attributes_begin(c, first) && first);
}

/* Remembers the code and table of a statement with a text. */
static __always_inline void digest_set(struct server_conn *s, __u64 code, __u64 table)
{
	s->code = code;
	s->table = table;
}

/* Nothing has confirmed that this is a command, and no reply will. */
static __always_inline void command_doubted(struct server_conn *s)
{
	s->conn.command = COMMAND_OPAQUE;
	s->conn.statement = STATEMENT_NONE;
	digest_set(s, DIGEST_NONE, NAME_NONE);
}

/* Reading of the text begins here. */
static __always_inline void digest_start(struct server_conn *s)
{
	digest_begin(&s->digest, s->conn.command == COM_STMT_PREPARE || (wanted & WANTED_FIELD(MYSQL_TABLE)));
	s->digest.plain = (s->conn.status & SERVER_STATUS_NO_BACKSLASH_ESCAPES) != 0;
	s->digest.ansi = (s->conn.status & SERVER_STATUS_ANSI_QUOTES) != 0;
}

#define AHEAD_WINDOWS 8

/* A body that came whole, its command first.  One per CPU: no other server's receive interrupts a server's receive. */
struct whole_body {
	struct window window[AHEAD_WINDOWS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct whole_body);
} whole_bodies SEC(".maps");

/* Is this receive a whole body, which can be read at once? */
static __always_inline int body_can_ahead(const struct conn *c, __u32 total)
{
	return c->left == total && !c->continued && total <= sizeof(struct whole_body);
}

/* ---- texts that differ only in their numbers (fingerprint.h) ---- */

const volatile __u64 fingerprint_salt = 0;	/* a multiple of 4 */

#define KNOWN_BITS 8
#define KNOWN_MAX (1 << KNOWN_BITS)	/* of a CPU */

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

/* The fingerprint includes the command.  seed: the other things that the digest and its table depend on. */
__noinline __u64 body_fingerprint(const struct whole_body *body, __u32 n, __u64 seed, __u32 ansi)
{
	struct sketching s = { .body = body, .n = n };

	if (!body)
		return 0;
	fingerprint_begin(&s.fingerprint, seed ^ fingerprint_salt, ansi);
	bpf_loop((n + FINGERPRINT_RUN - 1) / FINGERPRINT_RUN, fingerprint_step, &s, 0);
	return fingerprint_end(&s.fingerprint);
}

/* Was such a text read before, and is its entry still there?  The lookup marks the entry as used. */
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
	__u32 i;

	if (digest_refuses(&s->conn, body->window[0].byte[1])) {
		s->digested = DIGEST_REFUSED;
		return;
	}
	digest_start(s);
	s->text = at + 1;
	s->text_end = at + n;
	s->digested = n - 1;
	s->fingerprint = body_fingerprint(body, n, s->digest.plain + 2 * (s->digest.table.state != TABLE_OFF),
				     s->digest.ansi);
	s->known = known_find(s);
	for (i = 0; !s->known && i < AHEAD_WINDOWS && i * WINDOW < n; i++)
		digest_window(&s->digest, &body->window[i], !i, (n - i * WINDOW < WINDOW ? n - i * WINDOW : WINDOW) - !i);
}

struct command_head {
	__u8 byte[PARSE_AHEAD];
};

/* Reads a whole body, n bytes from address `at` on: its head, and the digest of its text, if it has one, without
 * stepping through it.  0: it cannot be read. */
__noinline int body_ahead(struct server_conn *s, struct command_head *ret_head, __u64 at, __u32 n)
{
	const __u32 zero = 0;
	struct whole_body *body = bpf_map_lookup_elem(&whole_bodies, &zero);

	if (!s || !ret_head || !body || n > sizeof(*body) || bpf_probe_read_user(body, n, (const void *)at))
		return 0;
	__builtin_memcpy(ret_head, body, sizeof(*ret_head));
	s->conn.command = ret_head->byte[0];
	if (command_has_text(s->conn.command))
		digest_ahead(s, body, at, n);
	return 1;
}

/* Sets what the bytes of a text say about it. */
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

/* All of the text has come, or as much of it as is read: finds its code.  Once per text. */
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

/* The command has come whole. */
__noinline int command_digest(struct server_conn *s)
{
	struct conn *c = &s->conn;

	if (!s)
		return 0;
	if (command_has_text(c->command)) {
		if (s->digested == c->at - 1)
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
