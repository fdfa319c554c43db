/* memory.bpf.h - reads the statement, user and database of an encrypted connection from the backend's own memory.
 *
 *      the first send of a turn: memory_take() -> is it a statement? -> its text, digest and table; once per connection
 *                                                its user and database
 *
 *      MyBEEntry -> entry -> text          MyProcPort -> port -> names        backend.h
 *
 * When    The server writes the text before it sends anything for its statement, and keeps it until the next one.
 * Ignored If the server has written no new text, the turn is no statement and no event (the handshake, the login, a
 *         Sync).
 * Hidden  The messages of a round are unknown, so the round is one event, whose command is `encrypted`.
 * Trust   none: any process may have the name of a server, and any bytes in its memory.
 *
 * Included once, by postgresql.bpf.c.
 */
#ifndef HEATSCOPE_POSTGRESQL_MEMORY_BPF_H
#define HEATSCOPE_POSTGRESQL_MEMORY_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/postgresql/backend.h"
#include "collector/postgresql/receives.bpf.h"

struct {				/* by the process that listens */
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LAYOUT_SERVERS_MAX);
	__type(key, __u32);
	__type(value, struct postgresql_backend);
} backends SEC(".maps");

#define MEMORY_NAME_ROOM 64		/* NAMEDATALEN; a power of 2 */

static __always_inline int memory_failed(void)
{
	count(&counts.unread_texts);
	return 1;
}

/* ---- names ---- */

struct name_bytes {
	struct name *name;
	char byte[MEMORY_NAME_ROOM];
};

static long name_step(__u32 i, struct name_bytes *n)
{
	name_byte(n->name, n->byte[i & (MEMORY_NAME_ROOM - 1)]);
	return 0;
}

/* Returns the code of the name that a pointer at this address points to. */
__noinline __u64 memory_name(struct server_conn *s, __u64 address)
{
	struct name_bytes bytes;
	__u64 at = 0;
	long n;

	if (!s || bpf_probe_read_user(&at, sizeof(at), (void *)address) || !at)
		return NAME_ENCRYPTED;
	bytes.name = &s->front.value;
	name_begin(bytes.name);
	n = bpf_probe_read_user_str(bytes.byte, sizeof(bytes.byte), (void *)at);
	if (n <= 0)
		return NAME_ENCRYPTED;
	bpf_loop(n - 1, name_step, &bytes, 0);
	return startup_name(&s->front);
}

/* Reads user and database, once per connection, because they stay the same. */
static __always_inline void memory_names(struct server_conn *s, const struct postgresql_backend *b)
{
	__u64 port = 0;

	if (s->user != NAME_ENCRYPTED || !b->user || bpf_probe_read_user(&port, sizeof(port), (void *)b->port) || !port)
		return;
	s->database = memory_name(s, port + b->database);
	s->user = memory_name(s, port + b->user);
}

/* ---- texts ---- */

struct text_loop {			/* the state of a loop, which has to be on the stack */
	struct server_conn *s;
	__u64 at;			/* at most n bytes, and a NUL before them or after them */
	__u32 n, failed;
};

static long text_step(__u32 i, struct text_loop *g)
{
	__u32 from = i * WINDOW, n, text;
	struct window window;

	if (from >= g->n)
		return 1;
	n = g->n - from < WINDOW ? g->n - from : WINDOW;
	barrier_var(n);
	if (n > WINDOW || bpf_probe_read_user(&window, n, (void *)(g->at + from))) {
		g->failed = 1;
		return 1;
	}
	text = window_text(&window, 0, n);
	digest_window(&g->s->digest, &window, 0, text);
	g->s->digested += text;
	return text < n;
}

/* Reads the text at an address, of at most n bytes. */
__noinline int memory_text(struct server_conn *s, __u64 at, __u32 n)
{
	struct text_loop g = { .s = s, .at = at, .n = n < DIGEST_LOOK ? n : DIGEST_LOOK };

	if (!s)
		return 0;
	digest_begin(&s->digest, (wanted & WANTED_FIELD(POSTGRESQL_TABLE)) != 0);
	s->digested = 0;
	bpf_loop(DIGEST_LOOK / WINDOW, text_step, &g, 0);
	if (g.failed)
		return memory_failed();
	s->text = at;
	s->text_end = at + s->digested;
	text_over(s, s->digested < g.n);
	s->event_data.codes = s->front.text;
	s->text = 0;
	return 1;
}

struct memory_entry {			/* the begin of the entry */
	__u32 changes, pid;
	__u64 type, process_begun, transaction_begun, begun;
};

_Static_assert(__builtin_offsetof(struct memory_entry, pid) == BACKEND_PID, "backend.h");
_Static_assert(__builtin_offsetof(struct memory_entry, begun) == BACKEND_BEGUN, "backend.h");

/* Takes the statement of the entry.  Returns 0 if the turn is no statement. */
static __always_inline int memory_statement(struct server_conn *s, const struct postgresql_backend *b, __u64 entry)
{
	struct memory_entry is;
	__u8 first, tracks, plain;
	__u64 text;
	__u32 pid;

	if (bpf_probe_read_user(&is, sizeof(is), (void *)entry) ||
	    bpf_probe_read_user(&pid, sizeof(pid), (void *)b->pid) || is.pid != pid)
		return memory_failed();
	if (bpf_probe_read_user(&tracks, 1, (void *)b->tracks) ||
	    bpf_probe_read_user(&plain, 1, (void *)b->plain_strings) ||
	    bpf_probe_read_user(&text, sizeof(text), (void *)(entry + b->text)) ||
	    bpf_probe_read_user(&first, 1, (void *)text))
		return memory_failed();
	if (!tracks)
		return 1;			/* it has no texts, so we cannot know */
	if (!first || is.begun == s->begun)
		return 0;
	s->begun = is.begun;
	if (!(wanted & WANTED_TEXT))
		return 1;
	if (plain)
		return memory_text(s, text, b->text_max);
	codes_unknown(&s->event_data.codes);
	return 1;
}

/* Takes the statement of a turn at its first send.  Returns 0 if the turn is no statement. */
__noinline int memory_take(struct server_conn *s)
{
	__u32 server = listening_pid(bpf_get_current_task_btf());
	const struct postgresql_backend *b = bpf_map_lookup_elem(&backends, &server);
	__u64 entry;

	if (!s || !b)
		return 1;
	if (bpf_probe_read_user(&entry, sizeof(entry), (void *)b->entry))
		return memory_failed();
	if (!entry || !memory_statement(s, b, entry))
		return 0;
	memory_names(s, b);
	return 1;
}

#endif
