/* thd.bpf.h - reads statements in the server, at the end of each, and reports them to detail.bpf.h.
 *
 *      log_slow_statement(THD*) -> statement_ended(): text, user, database -> details of its thread's connection
 *
 * Layout  thd.h knows where the THD has them.  Its memory is read as a program's: nothing there is trusted.
 *
 * Included once, by mysql.bpf.c.
 */
#ifndef HEATSCOPE_MYSQL_THD_BPF_H
#define HEATSCOPE_MYSQL_THD_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/mysql/digests.bpf.h"
#include "collector/mysql/thd.h"

struct {				/* by executable */
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, DETAILS_MAX);
	__type(key, __u32);
	__type(value, struct mysql_thd);
} layouts SEC(".maps");

struct thd_text {			/* a LEX_STRING of the server's */
	const char *at;
	__u64 n;
};

static __always_inline __u64 thd_pointer(__u64 at)
{
	__u64 pointer = 0;

	bpf_probe_read_user(&pointer, sizeof(pointer), (void *)at);
	return pointer;
}

struct text_loop {			/* the state of a loop, which has to be on the stack */
	struct detail_thread *d;
	const char *text;		/* n bytes of it; no step changes them, so the verifier sees equal steps */
	__u64 n;
	__u32 failed, pad;
};

static long name_step(__u32 i, struct text_loop *g)
{
	struct detail_thread *d = g->d;

	name_byte(&d->name, d->name_bytes[i & (NAME_ROOM - 1)]);
	return 0;
}

static __always_inline __u64 detail_name_code(struct detail_thread *d, __u32 n)
{
	struct text_loop g = { .d = d };
	__u64 code;

	name_begin(&d->name);
	bpf_loop(n, name_step, &g, 0);
	code = name_code(&d->name);
	name_remember(&d->name, code);
	return code;
}

static __noinline __u64 detail_user(struct detail_thread *d, const struct mysql_thd *layout, __u64 thd)
{
	__u64 context = thd_pointer(thd + layout->user), at = context ? thd_pointer(context + layout->user_name) : 0;
	long n;

	if (!at)
		return context ? NAME_NONE : NAME_UNKNOWN;
	n = bpf_probe_read_user_str(d->name_bytes, NAME_ROOM + 1, (void *)at);
	return n > 0 ? detail_name_code(d, n - 1) : NAME_UNKNOWN;
}

static __noinline __u64 detail_database(struct detail_thread *d, const struct mysql_thd *layout, __u64 thd)
{
	struct thd_text text;
	__u64 n;

	if (bpf_probe_read_user(&text, sizeof(text), (void *)(thd + layout->database)))
		return NAME_UNKNOWN;
	n = text.at ? text.n : 0;
	if (n > NAME_ROOM)
		n = NAME_ROOM;
	barrier_var(n);
	if (n > NAME_ROOM || bpf_probe_read_user(d->name_bytes, n, text.at))
		return NAME_UNKNOWN;
	return detail_name_code(d, n);
}

/* ---- its text, in global functions: the verifier checks each once ---- */

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

/* At the end of a text of len bytes, as far as it was read. */
__noinline int detail_codes(struct detail_thread *d, struct mysql_detail *detail, __u64 len)
{
	int whole = len <= DIGEST_LOOK;

	if (!d || !detail)
		return 0;
	detail->statement = statement_code(&d->statement, len < STATEMENT_LOOK);
	if (!(wanted & MYSQL_TOKENS))
		return 0;
	detail->digest = digest_code(&d->digest, whole);
	detail->table = table_code(&d->digest.table, whole);
	name_remember(&d->digest.table.name, detail->table);
	return 0;
}

static long detail_step(__u32 i, struct text_loop *g)
{
	struct detail_thread *d = g->d;
	const struct window *window = (const struct window *)d->window;
	__u64 at = (__u64)i * WINDOW, n;

	if (at >= g->n)
		return 1;
	n = g->n - at < WINDOW ? g->n - at : WINDOW;
	barrier_var(n);
	if (n > WINDOW || bpf_probe_read_user(d->window, n, g->text + at)) {
		g->failed = 1;
		return 1;
	}
	if (i < STATEMENT_LOOK / WINDOW)
		statement_window(&d->statement, window, n);
	if (wanted & MYSQL_TOKENS)
		digest_window(&d->digest, window, 0, n);
	return 0;
}

/* Must the text be refused, because a literal might be taken for words? */
static __always_inline int detail_refuses(const struct mysql_thd *layout, __u64 thd)
{
	__u64 charset = thd_pointer(thd + layout->charset);
	__u8 number;

	return !charset || bpf_probe_read_user(&number, 1, (void *)charset) || charset_hides_backslash(number);
}

static __always_inline void detail_begin(struct detail_thread *d, const struct mysql_thd *layout, __u64 thd)
{
	__u64 sql_mode = thd_pointer(thd + layout->sql_mode);

	d->statement.state = STATEMENT_SPACE;
	d->statement.word = 0;
	digest_begin(&d->digest, (wanted & WANTED_FIELD(MYSQL_TABLE)) != 0);
	d->digest.plain = (sql_mode & SQL_MODE_NO_BACKSLASH_ESCAPES) != 0;
	d->digest.ansi = (sql_mode & SQL_MODE_ANSI_QUOTES) != 0;
}

static __noinline int detail_text(struct detail_thread *d, const struct mysql_thd *layout, __u64 thd, struct mysql_detail *detail)
{
	struct text_loop g = { .d = d };
	struct thd_text text;

	detail->statement = STATEMENT_UNKNOWN;
	detail->digest = DIGEST_UNKNOWN;
	detail->table = NAME_UNKNOWN;
	if (!(wanted & DETAIL_TEXT) || bpf_probe_read_user(&text, sizeof(text), (void *)(thd + layout->query)) || !text.at ||
	    detail_refuses(layout, thd))
		return 0;
	detail_begin(d, layout, thd);
	g.text = text.at;
	g.n = text.n < DIGEST_LOOK ? text.n : DIGEST_LOOK;
	bpf_loop(DIGEST_LOOK / WINDOW, detail_step, &g, 0);
	if (g.failed)
		return 0;
	detail_codes(d, detail, text.n);
	if (wanted & WANTED_FIELD(MYSQL_DIGEST))
		digest_sample_keep(detail->digest, &d->digest.tokens);
	return 0;
}

/* At the entry of the server's log_slow_statement(THD*). */
SEC("?uprobe")
int statement_ended(struct pt_regs *regs)
{
	struct detail_thread *d = bpf_task_storage_get(&detail_threads, bpf_get_current_task_btf(), 0, 0);
	__u32 index = bpf_get_attach_cookie(regs);
	const struct mysql_thd *layout = bpf_map_lookup_elem(&layouts, &index);
	struct mysql_detail detail;
	__u64 conn, thd = regs->di;
	struct run r;

	if (!layout || !d || !d->conn || run_begin(&r))
		return 0;
	conn = d->conn;
	detail_text(d, layout, thd, &detail);
	detail.user = detail_user(d, layout, thd);
	detail.database = detail_database(d, layout, thd);
	detail.ns = bpf_ktime_get_ns();
	bpf_map_update_elem(&details, &conn, &detail, BPF_ANY);
	run_end(&r);
	return 0;
}

#endif
