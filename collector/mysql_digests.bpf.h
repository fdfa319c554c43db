/* mysql_digests.bpf.h - the digests of the texts that servers are sent: mysql_digest.h, fed by windows of them.
 *
 *      digest_ahead(), or digest_wants() -> digest_window() ... -> digest_end() at the last byte that is looked at -> conn's code
 *                                                                     `--> specimens: the first text of a code, for its label
 *
 * Functions that are not inlined are global ones: the verifier looks at each once, not once per path to it.
 * Included once, by mysql.bpf.c.
 */
#ifndef HEATSCOPE_MYSQL_DIGESTS_BPF_H
#define HEATSCOPE_MYSQL_DIGESTS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "mysql_conns.bpf.h"
#include "digests.bpf.h"
#include "verbatim.bpf.h"

/* Is the next byte one of a text that is digested? */
static __always_inline int digest_wants(const struct server_conn *s)
{
	const struct conn *c = &s->conn;

	return c->mode == CONN_PLAIN && c->begun && c->left && c->at && command_has_text(c->command) && s->digested < DIGEST_LOOK &&
	       (c->command == COM_STMT_PREPARE || (wanted & MYSQL_TOKENS));
}

/* What begins like this is not read as a text: its literals might be taken for words. */
static __always_inline int digest_refuses(const struct conn *c, __u8 first)
{
	return c->multibyte || ((c->caps & CLIENT_QUERY_ATTRIBUTES) && c->command == COM_QUERY && first);
}

/* It is what a statement with a text is remembered by. */
static __always_inline void digest_set(struct server_conn *s, __u64 code, __u64 table)
{
	s->code = code;
	s->table = table;
}

/* The host reads a specimen as by default: where a backslash escapes nothing, it would take literals for words. */
static __always_inline int specimen_may(const struct digest *d)
{
	return (wanted & WANTED_FIELD(MYSQL_DIGEST)) && !d->plain;
}

/* The text is read from here on. */
static __always_inline void digest_start(struct server_conn *s)
{
	digest_begin(&s->digest, s->conn.command == COM_STMT_PREPARE || (wanted & WANTED_FIELD(MYSQL_TABLE)));
	s->digest.plain = (s->conn.status & SERVER_STATUS_NO_BACKSLASH_ESCAPES) != 0;
}

#define AHEAD_WINDOWS 8

/* A text that came whole; one per CPU: a server's receive is not cut into by another server's receive. */
struct whole_text {
	struct window window[AHEAD_WINDOWS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct whole_text);
} whole_texts SEC(".maps");

/* Does this receive begin with a text that is digested, and end with it? */
static __always_inline int digest_can_ahead(const struct conn *c, __u8 command, __u32 total)
{
	return command_has_text(command) && (command == COM_STMT_PREPARE || (wanted & MYSQL_TOKENS)) && c->left == total && !c->continued &&
	       total <= AHEAD_WINDOWS * WINDOW;
}

/* The whole text of such a command, n bytes from address `at` on, without stepping through it.  0: it cannot be read at once. */
__noinline int digest_ahead(struct server_conn *s, __u8 command, __u64 at, __u32 n)
{
	const __u32 zero = 0;
	struct whole_text *text = bpf_map_lookup_elem(&whole_texts, &zero);
	__u32 i;

	if (!s || !text || n > sizeof(*text) || bpf_probe_read_user(text, n, (const void *)at))
		return 0;
	s->conn.command = command;
	if (digest_refuses(&s->conn, text->window[0].byte[0])) {
		s->digested = DIGEST_REFUSED;
		return 1;
	}
	digest_start(s);
	for (i = 0; i < AHEAD_WINDOWS && i * WINDOW < n; i++)
		digest_window(&s->digest, &text->window[i], 0, n - i * WINDOW < WINDOW ? n - i * WINDOW : WINDOW);
	s->text = at;
	s->text_end = at + n;
	s->digested = n;
	return 1;
}

/* All of the text has come, or as much of it as is looked at: which is it?  Once for a text. */
__noinline int digest_end(struct server_conn *s, int whole)
{
	if (!s)
		return 0;
	if (!s->digested)
		digest_start(s);
	s->code = digest_code(&s->digest, whole);
	s->table = table_code(&s->digest.table, whole);
	name_remember(&s->digest.table.name, s->table);
	if (specimen_may(&s->digest))
		specimen_keep(s->code, s->text, s->text_end, s->digested, whole);
	if (text_full && s->conn.command == COM_QUERY)
		s->verbatim = verbatim_keep(s->turn.id, s->n_texts++, s->text, s->text_end, s->digested, whole);
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
