/* memory.bpf.h - reads command, statement, user and database from the server's own memory, if a connection's bytes hide
 * them.
 *
 *      a receive of such a connection: memory_names() -> user and database, as they are when the command begins
 *      each send of its reply: memory_take() -> command, status, statement, digest, table; a new text itself, too
 *
 *      thread_pointer(task) --layout.thread--> THD --layout.query--> { text, length }
 *
 * Hidden  within TLS, or on a compressed or opaque connection: all of a command.  On a connection that is older than
 *         the collector: user and database.  Connections of the X protocol are not read: between its statements the
 *         thread has no THD, or one of the server's own.
 * Whose   The thread that receives and sends for a connection has that connection's THD, also in a thread pool.
 * Trust   none: any process may be named like a server.  Its memory is read as that of any program.
 * Last    Of several statements in one packet the last counts.  Of a procedure its CALL counts, which sends the end of
 *         the reply.
 * Held    At a receive in the middle of a command (LOAD DATA LOCAL, the authentication within change_user) the THD has
 *         that command.  At other receives it has COM_SLEEP.
 * Login   The turns of handshake and login are no events, as on a plain connection.
 * No text The statement of a command without one (a ping) is `none`.
 * Alone   No other server's program interrupts it, as at all these tracepoints.
 *
 * Included once, by mysql.bpf.c.
 */
#ifndef HEATSCOPE_MYSQL_MEMORY_BPF_H
#define HEATSCOPE_MYSQL_MEMORY_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/mysql/digests.bpf.h"
#include "collector/mysql/thd.h"

struct {				/* by process */
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LAYOUT_SERVERS_MAX);
	__type(key, __u32);
	__type(value, struct mysql_thd);
} layouts SEC(".maps");

struct memory_reading {			/* one per CPU */
	struct statement statement;
	struct name name;
	char name_bytes[NAME_ROOM + 8];	/* the bytes that the name is made of */
	struct window window;		/* of a text */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct memory_reading);
} memory_readings SEC(".maps");

struct memory_text {			/* a text and its length, as the server has them */
	const char *at;
	__u64 n;
};

#define MEMORY_NAMES (WANTED_FIELD(MYSQL_USER) | WANTED_FIELD(MYSQL_DATABASE))
#define MEMORY_TEXT (WANTED_FIELD(MYSQL_STATEMENT) | MYSQL_TOKENS)

/* Are the commands of this connection hidden? */
static __always_inline int memory_hidden(const struct conn *c)
{
	return c->mode == CONN_ENCRYPTED || c->mode == CONN_OPAQUE || c->mode == CONN_COMPRESSED;
}

static __always_inline __u64 memory_pointer(__u64 at)
{
	__u64 pointer = 0;

	bpf_probe_read_user(&pointer, sizeof(pointer), (void *)at);
	return pointer;
}

static __always_inline const struct mysql_thd *memory_layout(const struct server_conn *s)
{
	__u32 pid = s->turn.pid;

	return bpf_map_lookup_elem(&layouts, &pid);
}

/* Returns the THD of the current thread; 0: it has none now. */
static __always_inline __u64 memory_thd(const struct mysql_thd *layout)
{
	struct task_struct *t = bpf_get_current_task_btf();

	return memory_pointer(thread_pointer(t) + layout->thread);
}

/* ---- names ---- */

static long name_step(__u32 i, struct memory_reading **m)
{
	name_byte(&(*m)->name, (*m)->name_bytes[i & (NAME_ROOM - 1)]);
	return 0;
}

static __always_inline __u64 memory_name_code(struct memory_reading *m, __u32 n)
{
	__u64 code;

	name_begin(&m->name);
	bpf_loop(n, name_step, &m, 0);
	code = name_code(&m->name);
	name_remember(&m->name, code);
	return code;
}

static __noinline __u64 memory_user(struct memory_reading *m, const struct mysql_thd *layout, __u64 thd)
{
	__u64 context = thd && layout->user ? memory_pointer(thd + layout->user) : 0;
	__u64 at = context ? memory_pointer(context + layout->user_name) : 0;
	long n;

	if (!at)
		return context ? NAME_NONE : NAME_UNKNOWN;
	n = bpf_probe_read_user_str(m->name_bytes, NAME_ROOM + 1, (void *)at);
	return n > 0 ? memory_name_code(m, n - 1) : NAME_UNKNOWN;
}

static __noinline __u64 memory_database(struct memory_reading *m, const struct mysql_thd *layout, __u64 thd)
{
	struct memory_text text;
	__u64 n;

	if (!thd || !layout->database || bpf_probe_read_user(&text, sizeof(text), (void *)(thd + layout->database)))
		return NAME_UNKNOWN;
	n = text.at ? text.n : 0;
	if (n > NAME_ROOM)
		n = NAME_ROOM;
	barrier_var(n);
	if (n > NAME_ROOM || bpf_probe_read_user(m->name_bytes, n, text.at))
		return NAME_UNKNOWN;
	return memory_name_code(m, n);
}

static __always_inline int memory_misses_name(const struct conn *c)
{
	int unknown = c->who.user == NAME_UNKNOWN || c->who.database == NAME_UNKNOWN;

	return memory_hidden(c) || (c->mode != CONN_MYSQLX && unknown);
}

static __always_inline void name_learn(__u64 *name, __u64 code, int hidden)
{
	if (code != NAME_UNKNOWN && (hidden || *name == NAME_UNKNOWN))
		*name = code;
}

/* Reads the user and database of s before a command, if the bytes have not shown them. */
__noinline int memory_names(struct server_conn *s)
{
	const __u32 zero = 0;
	struct memory_reading *m = bpf_map_lookup_elem(&memory_readings, &zero);
	const struct mysql_thd *layout;
	__u64 thd, user, database;
	struct who *w;
	int hidden;

	if (!s || !m || !(wanted & MEMORY_NAMES) || !memory_misses_name(&s->conn))
		return 0;
	layout = memory_layout(s);
	thd = layout ? memory_thd(layout) : 0;
	if (!thd)
		return 0;
	w = &s->conn.who;
	hidden = memory_hidden(&s->conn);
	user = memory_user(m, layout, thd);
	database = memory_database(m, layout, thd);
	name_learn(&w->user, user, hidden);
	name_learn(&w->next_user, user, hidden);
	name_learn(&w->database, database, hidden);
	name_learn(&w->next_database, database, hidden);
	return 0;
}

/* ---- the text, in global functions: the verifier checks each once ---- */

struct wording {
	struct statement *statement;
	const struct window *window;
};

static long word_step(__u32 i, struct wording *w)
{
	statement_byte(w->statement, w->window->byte[i & (WINDOW - 1)]);
	return statement_done(w->statement);
}

__noinline int statement_window(struct statement *statement, const struct window *window, __u32 n)
{
	struct wording w = { statement, window };

	if (statement && window && !statement_done(statement))
		bpf_loop(n, word_step, &w, 0);
	return 0;
}

struct text_loop {			/* the state of a loop, which has to be on the stack */
	struct server_conn *s;
	struct memory_reading *m;
	const char *text;		/* n bytes of it; no step changes them, so the verifier sees equal steps */
	__u64 n;
	__u32 failed, pad;
};

static long text_step(__u32 i, struct text_loop *g)
{
	__u64 at = (__u64)i * WINDOW, n;

	if (at >= g->n)
		return 1;
	n = g->n - at < WINDOW ? g->n - at : WINDOW;
	barrier_var(n);
	if (n > WINDOW || bpf_probe_read_user(&g->m->window, n, g->text + at)) {
		g->failed = 1;
		return 1;
	}
	if (i < STATEMENT_LOOK / WINDOW)
		statement_window(&g->m->statement, &g->m->window, n);
	if (wanted & MYSQL_TOKENS)
		digest_window(&g->s->digest, &g->m->window, 0, n);
	return 0;
}

/* Sets the codes of a text of len bytes, as far as it was read. */
__noinline int memory_codes(struct server_conn *s, struct memory_reading *m, __u64 len)
{
	int whole = len <= DIGEST_LOOK;

	if (!s || !m)
		return 0;
	s->conn.statement = statement_code(&m->statement, len < STATEMENT_LOOK);
	if (!(wanted & MYSQL_TOKENS))
		return 0;
	digest_set(s, digest_code(&s->digest, whole), table_code(&s->digest.table, whole));
	name_remember(&s->digest.table.name, s->table);
	if (wanted & WANTED_FIELD(MYSQL_DIGEST))
		digest_sample_keep(s->code, &s->digest.tokens);
	return 0;
}

/* Returns 1 if the text is not to be read: digest.h could take a literal in it for words. */
static __always_inline int memory_refuses(const struct mysql_thd *layout, __u64 thd)
{
	__u64 charset = memory_pointer(thd + layout->charset);
	__u32 number;

	return !charset || bpf_probe_read_user(&number, sizeof(number), (void *)charset) ||
	       (number < 256 && charset_hides_backslash(number));
}

static __always_inline void text_begin(struct server_conn *s, struct memory_reading *m, const struct mysql_thd *layout,
				       __u64 thd)
{
	__u64 sql_mode = memory_pointer(thd + layout->sql_mode);

	m->statement.state = STATEMENT_SPACE;
	m->statement.word = 0;
	digest_begin(&s->digest, (wanted & WANTED_FIELD(MYSQL_TABLE)) != 0);
	s->digest.plain = (sql_mode & SQL_MODE_NO_BACKSLASH_ESCAPES) != 0;
	s->digest.ansi = (sql_mode & SQL_MODE_ANSI_QUOTES) != 0;
}

static __always_inline void text_unknown(struct server_conn *s)
{
	s->conn.statement = STATEMENT_UNKNOWN;
	digest_set(s, DIGEST_UNKNOWN, NAME_UNKNOWN);
}

/* Reads the text of the statement that the current thread answers; the server keeps it until after the reply. */
static __noinline int text_take(struct server_conn *s, struct memory_reading *m, const struct mysql_thd *layout,
				__u64 thd)
{
	struct text_loop g = { .s = s, .m = m };
	struct memory_text text;

	if (bpf_probe_read_user(&text, sizeof(text), (void *)(thd + layout->query))) {
		count(&counts.unread_texts);
		return 0;
	}
	if (!text.at || ((__u64)text.at == s->text && (__u64)text.at + text.n == s->text_end))
		return 0;
	s->text = (__u64)text.at;
	s->text_end = s->text + text.n;
	if (memory_refuses(layout, thd)) {
		text_unknown(s);
		return 0;
	}
	text_begin(s, m, layout, thd);
	g.text = text.at;
	g.n = text.n < DIGEST_LOOK ? text.n : DIGEST_LOOK;
	bpf_loop(DIGEST_LOOK / WINDOW, text_step, &g, 0);
	if (g.failed) {
		count(&counts.unread_texts);
		return 0;
	}
	memory_codes(s, m, text.n);
	if (text_full)
		s->verbatim = statement_text_keep(s->turn.id, s->n_texts++, s->text, s->text_end,
						  text.n < DIGEST_LOOK ? text.n : DIGEST_LOOK, text.n <= DIGEST_LOOK);
	return 0;
}

/* Reads the command that the thread runs.  Returns 0 if that is not known. */
static __always_inline int memory_command(const struct mysql_thd *layout, __u64 thd, __u32 *ret)
{
	return layout->command && !bpf_probe_read_user(ret, sizeof(*ret), (void *)(thd + layout->command));
}

/* Can a client have sent this command? */
static __always_inline int command_is_clients(__u32 command)
{
	return command && command < 256 && command_possible(command);
}

/* Takes the command that the thread runs.  Returns 0 if that is a login. */
static __always_inline int command_take(struct server_conn *s, const struct mysql_thd *layout, __u64 thd)
{
	__u32 command;

	if (!memory_command(layout, thd, &command))
		return 1;
	if (command_is_clients(command))
		s->conn.command = command;
	return command != COM_CONNECT;
}

/* Holds the turn at a receive after a send if the server's command still runs: it has asked the client for data. */
__noinline int memory_holds(struct server_conn *s)
{
	const struct mysql_thd *layout;
	__u32 command = 0;
	__u64 thd;

	if (!s || STATE_KIND(s->turn.state) != STATE_PENDING || !memory_hidden(&s->conn))
		return 0;
	layout = memory_layout(s);
	thd = layout ? memory_thd(layout) : 0;
	if (thd && memory_command(layout, thd, &command) && command_is_clients(command))
		s->conn.held = 1;
	return 0;
}

/* Returns how the statement ends, as far as the server knows by now. */
static __always_inline __u32 memory_status(const struct mysql_thd *layout, __u64 thd)
{
	__u64 area = layout->area ? memory_pointer(thd + layout->area) : 0;
	__u32 at = layout->area_error ? layout->area_error : layout->area_state, word;

	if (!area || !at || bpf_probe_read_user(&word, sizeof(word), (void *)(area + at)))
		return STATUS_UNKNOWN;
	if (layout->area_error)
		return word ? STATUS_ERROR(word & 0xffff) : STATUS_OK;
	return word == AREA_OK || word == AREA_EOF ? STATUS_OK : STATUS_UNKNOWN;
}

/* Takes the command and its text, at a send of its reply.  Returns 0 if the turn is no command. */
__noinline int memory_take(struct server_conn *s)
{
	const __u32 zero = 0;
	struct memory_reading *m = bpf_map_lookup_elem(&memory_readings, &zero);
	const struct mysql_thd *layout;
	__u64 thd;
	int has_text;

	if (!s || !m)
		return 1;
	layout = memory_layout(s);
	thd = layout ? memory_thd(layout) : 0;
	if (!thd)
		return 1;
	if (!command_take(s, layout, thd))
		return 0;
	if (wanted & WANTED_FIELD(MYSQL_STATUS))
		s->conn.result = memory_status(layout, thd);
	if (!(wanted & MEMORY_TEXT))
		return 1;
	has_text = command_has_text(s->conn.command) || command_executes(s->conn.command);
	if (has_text || s->conn.command >= COMMAND_ENCRYPTED)
		text_take(s, m, layout, thd);
	if (has_text && s->conn.statement == STATEMENT_NONE)
		text_unknown(s);	/* of a prepare that failed, say */
	return 1;
}

#endif
