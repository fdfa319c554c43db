/* clickhouse.h - declares what the files of this folder share; no other file includes it or knows ClickHouse's SQL.
 *
 *      row.c         rows in ClickHouse's format RowBinary (pure)
 *      request.c     one HTTP request at a time, its errors
 *      text.c        short texts by name: instrumentations, the state of each, the schema's version
 *      schema.c      makes and upgrades the tables
 *      clickhouse.c  opening, adding, instrumentations, identity
 *      read.c        reading
 *      roll.c        adding up to minutes and hours
 *      expire.c      dropping old data, keeping the tables below a size
 *
 *      add() -> rows of slots        one INSERT
 *      compact(): closed 10 minutes -> rows of minutes; closed hours -> rows of hours      INSERT SELECT
 *
 * Once    There are no transactions.  A batch is the rows of one day, so of one part of one table: ClickHouse keeps all
 *         of them or none.  add() asks for the names of its batches first.  If an INSERT came through although its
 *         answer did not, the batch is sent again with the same names, and ReplacingMergeTree and FINAL keep one row
 *         of each name.
 * Whole   Batches of one add() that belong to different days are in different parts.  If the server dies between two
 *         of them, add() fails, and the parts that were written stay: the senders send all batches again.
 * Tiers   A row of a minute or an hour has no batch's name.  State.rolled says how far each tier has been added up.
 *         Before it, read() takes the tier's rows, after it those of the finer tier, so it finds each event once.  Rows
 *         from `rolled` on are ignored: they are left of a roll-up whose end was not noted, and the next one replaces
 *         them.
 * Late    A batch of slots before `rolled` is also filed as rows of minutes and hours, with its name.
 * Life    inst_delete() increments the instrumentation's life.  Rows of earlier lives are invisible at once, and a
 *         mutation removes them later.
 * Damage  ClickHouse checks its blocks.  A query that meets a damaged one fails, so read() fails with -EBADMSG.
 * Time    Slots are at or after 1970.
 * Errors  0 or -errno, and then store.reason says more.  -EAGAIN: the server is away or overloaded; later it may work.
 * Thread  one call at a time, as store.h.
 */
#ifndef HEATSCOPE_CLICKHOUSE_H
#define HEATSCOPE_CLICKHOUSE_H

#include "aggregator/store/clickhouse/row.h"
#include "aggregator/store/store.h"

#include <curl/curl.h>

#define SCHEMA 1			/* the version of the tables that this program makes */

struct dropped_slots {			/* slots first..before-1 were dropped from a tier */
	__s64 first, before;		/* first == before: nothing was dropped */
};

struct state {				/* what is kept of an instrumentation, as a text */
	__u64 inst;
	__u32 life;
	__u64 slot_ns;			/* 0: nothing was added yet */
	__s64 rolled[TIERS];		/* slots before have been added up to rows of the tier; [0] is not used */
	struct dropped_slots dropped[TIERS];
	__s64 swept;			/* the day of tier 0's horizon when dropped rows were last removed */
};

struct clickhouse {
	struct store store;
	CURL *easy;
	struct curl_slist *headers;
	char *url;			/* http://HOST:PORT */
	char *database;
	char *settings;			/* of each request, as the end of its address */
	struct bytes sql;		/* the statement that is being written */
	struct bytes rows;		/* rows to insert */
	struct bytes hist;		/* scratch */
	struct state *state;		/* known ones */
	size_t n_states, states_room;
	__u64 version;			/* the last that was given */
	__u64 max_bytes;		/* 0: no limit */
};

/* --- request.c --- */

int request_open(struct clickhouse *q, const struct store_clickhouse_conf *conf);
void request_close(struct clickhouse *q);

/* Begin a statement in q->sql, and append to it. */
void sql_begin(struct clickhouse *q, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sql_put(struct clickhouse *q, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sql_put_text(struct clickhouse *q, const void *text, size_t len);	/* as a literal */

/* Takes one row; 0 or -errno.  If c->err is set then, the row was not complete: take() has done nothing, and is called
 * again with more bytes. */
typedef int (*row_take)(void *arg, struct cursor *c);

/* Runs q->sql, and gives each row of the answer to take(). */
int request_select(struct clickhouse *q, row_take take, void *arg);
int request_run(struct clickhouse *q);			/* without an answer */
int request_insert(struct clickhouse *q, const char *table, const char *columns);	/* q->rows */

/* --- text.c --- */

/* Names of texts, of one length, so that their order is that of the numbers. */
#define INST_NAME "inst.%020llu"
#define STATE_NAME "state.%020llu"

/* Returns a number above all that were given before, to decide which row replaces which. */
__u64 version_next(struct clickhouse *q);

/* Reads the text of a name; "": there is none.  The caller frees it. */
int text_get(struct clickhouse *q, const char *name, char **ret_text);

struct named_text {
	const char *name, *text;
};
int text_put(struct clickhouse *q, const struct named_text *text, size_t n);	/* all or none */
int text_each(struct clickhouse *q, const char *prefix, int (*each)(void *arg, const char *name, const char *text), void *arg);
int text_raise_version(struct clickhouse *q);		/* above the versions of another clock */

int state_get(struct clickhouse *q, __u64 inst, struct state *ret_state);
int state_put(struct clickhouse *q, const struct state *s);
void state_format(const struct state *s, char *out, size_t room);
void state_forget(struct clickhouse *q);		/* reads them again: it is not known what was written */
void state_know(struct clickhouse *q, const struct state *s);

/* --- schema.c --- */

int schema_open(struct clickhouse *q);

/* --- read.c --- */

int clickhouse_read(struct store *s, __u64 inst, const struct store_range *range, const struct store_reader *reader);

/* Appends a SELECT of source, firsts, lasts: the reported slots first..last-1 by source and hour, from rows of names. */
void sql_put_cover(struct clickhouse *q, const struct state *s, __s64 first, __s64 last);

/* Appends " FROM filed FINAL WHERE ...": the rows of a kind that are filed under the slots first..last. */
void sql_put_rows(struct clickhouse *q, const struct state *s, enum row_kind kind, __s64 first, __s64 last);

/* --- roll.c --- */

int clickhouse_compact(struct store *s, __u64 inst, __s64 slot);

/* Adds up to at least this slot, for reading the tier. */
int roll_until(struct clickhouse *q, struct state *s, int tier, __s64 slot);

/* --- expire.c --- */

int clickhouse_expire(struct store *s, __u64 inst, const __s64 slot[TIERS]);
int clickhouse_limit(struct store *s, __u64 bytes);
int clickhouse_shrink(struct store *s);
int sweep_lives(struct clickhouse *q, const struct state *s);	/* removes the rows of earlier lives */

/* --- clickhouse.c --- */

struct clickhouse *clickhouse_of(struct store *s);	/* clears the reason */

#endif
