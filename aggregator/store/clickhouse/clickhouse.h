/* clickhouse.h - declares what the files of this folder share; no other file includes it or knows ClickHouse's SQL.
 *
 *      row.c         rows in ClickHouse's format RowBinary (pure)
 *      request.c     one HTTP request at a time, its errors
 *      text.c        short texts by name: instrumentations, the state of each, the schema's version
 *      schema.c      makes and upgrades the tables
 *      clickhouse.c  opening, adding, instrumentations, identity
 *      read.c        reading
 *      roll.c        adding up to minutes and hours; roll_sums.c: the sums (pure)
 *      expire.c      dropping old data
 *      limit.c       keeping the tables below a size
 *
 *      add() -> rows of slots        one INSERT
 *      compact(): closed 10 minutes -> rows of minutes; closed hours -> rows of hours      SELECT, then one INSERT
 *
 * Once    There are no transactions.  A batch is the rows of one day, so of one part of one table: ClickHouse keeps all
 *         of them or none.  add() asks for the names of its batches first.  If an INSERT came through although its
 *         answer did not, the batch is sent again with the same names, and ReplacingMergeTree and FINAL keep one row
 *         of each name.
 * Days    Batches of one add() that belong to different days are in different parts.  If the server dies between two
 *         of them, add() fails, and the parts that were written stay: the senders send all batches again.
 * Tiers   A row of a minute or an hour has no batch's name.  State.rolled says how far each tier has been added up.
 *         Before it, read() takes the tier's rows, after it those of the finer tier, so it finds each event once.  Rows
 *         from `rolled` on are ignored: they are left of a roll-up whose end was not noted, and the next one replaces
 *         them.
 * Whole   Roll-ups also make rows of the sum of all keys, of all three tiers: most pictures need no other.
 * Order   Rows of slices are ordered by period (row.h), key and slot: one key of many slots and all keys of few slots are both
 *         in few places.
 * Steps   They make rows of 12 slots of tier 0, too, of each key and of the whole: a day of seconds is 7,200 of them.  read()
 *         takes the longest rows of which a whole number is one group of its `grain`.
 * Adding  heatscoped adds, as in its other stores; SELECTs give rows as they are.  So a histogram is one text of
 *         bytes, which the server need not understand.  (sumMap() of 18.16 takes about a microsecond per cell of two arrays;
 *         heatscoped 2.5 microseconds for a row of 20 cells, of which it makes five sums.)
 * Late    A batch of slots before `rolling`, which a roll-up raises before it reads, is also filed as rows of minutes and
 *         hours, with its name.  Roll-ups leave out the rows of such a batch.
 * Life    inst_delete() increments the instrumentation's life.  Rows of earlier lives are invisible at once, and a
 *         mutation removes them later.
 * Shared  Several heatscoped may use one database.  All call add and read.  One of them at a time, the leader, has two handles.
 *         By the first one it also calls inst_put, inst_delete, next_id and remember; by the second one, at the same time,
 *         expire, compact and shrink, and before and after them it reads.  No handle relies on a state of an earlier call.  The
 *         server answers an INSERT when each later SELECT sees its rows.  The races, and why each is closed:
 *         - add() and a roll-up.  The roll-up raises `rolling`, reads, writes its rows, and raises `rolled`.  add() reads
 *           the state, inserts, and reads the state again.  If its slot still is not before `rolling`, the roll-up reads
 *           later than the INSERT, and finds the rows.  Otherwise the roll-up may have missed them: add() puts a text
 *           `again`, and the next compact() or expire() adds these slots up once more.  Until then the tier may lack them.
 *         - Two add() of one batch, which was sent to two heatscoped.  Both read the state before they ask for names.  If
 *           A files it late, `rolling` was raised before A asked.  So A found the rows of B, or B finds `rolling`
 *           raised after its INSERT, and puts `again`.  Of two rows of one name the one that is late for more tiers stays.
 *         - A heatscoped that dies between its INSERT and `again`.  Its batch is sent to another one, which finds it
 *           known, before `rolling` and not late, and puts `again`.
 *         - read() and rows that are removed.  read() reads the state at its end once more: it reports all slots as dropped
 *           that are dropped then, and fails with -EAGAIN if the instrumentation was deleted.
 *         - read() and add().  Coverage is read before slices, so no slot counts as reported while its events are missing.
 *         - inst_delete() and a roll-up, whose rows are inserted after the earlier life's rows were removed.  compact() and
 *           expire() read the state at their end once more, and remove the rows of earlier lives if the life has risen.
 *         - add() and expire(), which drops the batch's slots meanwhile.  add() notes that something was dropped there.
 *         - A former leader that still writes.  The numbers of a state only rise or only fall, see text.c.  Rows of a
 *           roll-up have the version of the time before it read.  So if a former leader's INSERT comes late, the rows of the
 *           next leader stay, as long as their clocks differ by less than the lease.
 *         - Two that make one database.  The identity is a view, and the server makes only one of a name.
 *         - Two first batches with slots of different lengths.  The first one's length stays, and the other batch is
 *           refused, as long as the two clocks differ by less than the time between them.
 *         One case is left: slots cannot be added up again when their rows have been removed.  expire() removes them one
 *         call after it dropped them.  So the tiers lack a batch if its slot is rolled up, dropped and removed, by several
 *         calls of the leader, within one add().
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

#define SCHEMA 4			/* the version of the tables that this program makes */
#define FILED "filed_4"			/* the table of all rows but texts: programs of earlier versions do not know it by this name */

#define OWN_MAX 4096			/* nanoseconds: versions are the time, this exactly */

struct dropped_slots {			/* slots first..before-1 were dropped from a tier */
	__s64 first, before;		/* first >= before: nothing was dropped */
};

struct state {				/* of an instrumentation, as texts; numbers only rise, and `first` only falls */
	__u64 inst;
	__u32 life;
	__u64 slot_ns;			/* 0: nothing was added yet */
	__s64 rolling[TIERS];		/* roll-ups of slots before have begun; [0] is not used */
	__s64 rolled[TIERS];		/* slots before have been added up to rows of the tier; [0] is not used */
	struct dropped_slots dropped[TIERS];
	__s64 swept[TIERS];		/* rows of slots before are being removed */
	__s64 reach;			/* the slots that a batch reports, or its loss, are at most so far from its own */
};

#define AGAIN_NAME_MAX 100

struct again {				/* a wish: the minute and hour of this slot should be added up once more */
	__u64 inst;
	__s64 slot;
	char name[AGAIN_NAME_MAX];	/* of its text */
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
	struct state *state;		/* read by the present call, ascending */
	size_t n_states, states_room;
	struct again *again;		/* of these instrumentations */
	size_t n_again, again_room;
	__u64 version;			/* the last that was given */
	__u64 own;			/* a random number below OWN_MAX: what is left of its versions, divided by OWN_MAX */
	__u64 max_bytes;		/* 0: no limit */
	struct state *to_sweep;		/* as an earlier shrink() saw them: their rows can be removed now */
	size_t n_to_sweep;
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
void request_limit(struct clickhouse *q, bool limited);	/* requests may take two minutes; false: as long as they want */
int request_insert(struct clickhouse *q, const char *table, const char *columns);	/* q->rows */

/* --- text.c --- */

/* Names of texts, of one length, so that their order is that of the numbers. */
#define INST_NAME "inst.%020llu"

/* Returns a number above all that this handle gave before; no other handle gives it. */
__u64 version_next(struct clickhouse *q);

/* Reads the text of a name; "": there is none.  The caller frees it. */
int text_get(struct clickhouse *q, const char *name, char **ret_text);

struct named_text {
	const char *name, *text;
	__u64 version;			/* 0: one that replaces all earlier texts of the name */
};
int text_put(struct clickhouse *q, const struct named_text *text, size_t n);	/* all or none */
int text_each(struct clickhouse *q, const char *prefix, int (*each)(void *arg, const char *name, const char *text), void *arg);

/* Read the states, and wishes, of the batches' instrumentations; state_get() gives them until states_forget(). */
int states_load(struct clickhouse *q, const struct batch *batch, size_t n);
int states_load_all(struct clickhouse *q);
void states_forget(struct clickhouse *q);
int state_get(struct clickhouse *q, __u64 inst, struct state *ret_state);

/* Writes all numbers that have moved since state_get(). */
int state_put(struct clickhouse *q, const struct state *s);
int state_begin(struct clickhouse *q, struct state *s, __u64 slot_ns);	/* sets the length of slots, if it has none */
int state_end(struct clickhouse *q, const struct state *s);	/* of its life, and removes the instrumentation's text */

int again_put(struct clickhouse *q, const struct state *s, __s64 slot);
int again_remove(struct clickhouse *q, const struct again *a);

/* --- schema.c --- */

int schema_open(struct clickhouse *q);
int schema_identity(struct clickhouse *q, char ret_uuid[40]);

/* --- read.c --- */

int clickhouse_read(struct store *s, __u64 inst, const struct store_range *range, const struct store_reader *reader);

/* Appends a SELECT of source, firsts, lasts: the reported slots first..last-1 by source and hour, from rows of names. */
void sql_put_cover(struct clickhouse *q, const struct state *s, __s64 first, __s64 last);

/* Appends " FROM ... WHERE ...": the rows of all kinds that are filed under the slots first..last. */
void sql_put_filed(struct clickhouse *q, const struct state *s, __s64 first, __s64 last);

/* Appends "kind = ... AND period ...": those of one kind. */
void sql_put_kind(struct clickhouse *q, const struct state *s, enum row_kind kind, __s64 first, __s64 last);

/* Appends " FROM ... FINAL PREWHERE ... WHERE ...": the rows of a kind that are filed under the slots first..last.  Names and
 * coverage are read without FINAL, which takes longer than the rest: two rows of one name report the same slots. */
void sql_put_rows(struct clickhouse *q, const struct state *s, enum row_kind kind, __s64 first, __s64 last);

/* --- roll.c --- */

int clickhouse_compact(struct store *s, __u64 inst, __s64 slot);

/* Adds up to at least this slot, for reading the tier. */
int roll_until(struct clickhouse *q, struct state *s, int tier, __s64 slot);

/* Adds up all minutes whose slots are still there once more. */
int roll_minutes_again(struct clickhouse *q, const struct state *s);

/* Fulfils the wishes: adds up once more. */
int roll_again(struct clickhouse *q, const struct state *s);

/* After a roll-up: removes its rows if the instrumentation was deleted meanwhile.  life: as it was before. */
int roll_sweep(struct clickhouse *q, __u64 inst, __u32 life);

/* --- expire.c --- */

int clickhouse_expire(struct store *s, __u64 inst, const __s64 slot[TIERS]);

/* Drops each tier's slots before slot[tier], which stay readable for a roll-up until sweep(). */
int expire_state(struct clickhouse *q, struct state *s, const __s64 slot[TIERS]);

/* Removes rows before `horizon`, which an earlier call dropped. */
int sweep(struct clickhouse *q, struct state *s, const __s64 horizon[TIERS]);
int sweep_lives(struct clickhouse *q, const struct state *s);	/* removes the rows of earlier lives */
__s64 horizon_of(const struct state *s, int tier);		/* 0: nothing was dropped */

/* --- limit.c --- */

int clickhouse_limit(struct store *s, __u64 bytes);
int clickhouse_shrink(struct store *s);
int clickhouse_size(struct store *s, __u64 *ret_bytes);
int drop_empty_days(struct clickhouse *q);	/* whose rows have all been removed */

/* --- clickhouse.c --- */

struct clickhouse *clickhouse_of(struct store *s);	/* begins a call: clears the reason and the states */

#endif
