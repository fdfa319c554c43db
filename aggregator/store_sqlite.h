/* store_sqlite.h - what the files store_sqlite*.c share; nobody else includes it or knows SQLite.
 *
 *      store_sqlite_db.c        the file: its schema, its statements, its checksums
 *      store_sqlite.c           adding, instrumentations, identity
 *      store_sqlite_read.c      reading
 *      store_sqlite_compact.c   the long-term layout, forgetting
 *
 *      add() -> hot: one row per slice   --compact()-->   chunk: sixty slots of a key in one block
 *
 * Why     Rows by slot are quick to add (a second's rows lie side by side), blocks by key are small
 *         and quick to scan.  A late slice of a slot that is in a chunk becomes a hot row again,
 *         and the next compact() puts it into its chunk.
 * Safety  WAL with synchronous=NORMAL: a killed process loses no commit; a power cut may lose the
 *         newest ones, never a part of one.  Rows carry a CRC of what they say and of where they
 *         are filed, for what SQLite's own structure does not notice; chunks have one in them.
 * Errors  0 or -errno, and then store.reason says more.
 */
#ifndef HEATSCOPE_STORE_SQLITE_H
#define HEATSCOPE_STORE_SQLITE_H

#include "chunk.h"
#include "store.h"
#include "sum.h"

#include <sqlite3.h>

enum sql {
	BEGIN, COMMIT, ROLLBACK,
	META_GET, META_PUT, ID_RAISE, HORIZON_GET, HORIZON_PUT,
	SOURCE_GET, SOURCE_ADD, KEY_GET, KEY_ADD, KEY_LABEL,
	SEEN_ADD, HOT_ADD, HOT_GET, HOT_PUT, HOT_DROP,
	COVER_NEAR, COVER_DROP, COVER_ADD, LOSS_ADD, STEP_ADD,
	HOT_READ, CHUNK_READ, COVER_READ, LOSS_READ, STEP_READ,
	HOT_OLDEST, HOT_GROUPS, CHUNK_GET, CHUNK_PUT,
	INST_PUT, INST_EACH,
	CHUNK_EXPIRE,
	EXPIRE_FIRST, EXPIRE_COVER, EXPIRE_LOSS, EXPIRE_STEP, EXPIRE_SEEN, EXPIRE_LAST,
	DELETE_FIRST, DELETE_HORIZON, DELETE_HOT, DELETE_CHUNK, DELETE_COVER, DELETE_LOSS, DELETE_STEP, DELETE_SEEN,
	DELETE_LAST, SOURCES_UNUSED,
	N_SQL,
};

struct sqlite {
	struct store store;
	sqlite3 *db;
	sqlite3_stmt *stmt[N_SQL];
	struct sum scratch;
	struct chunk old, made;		/* scratch of compact(); read() uses `old` */
	struct bytes frame;
};

/* --- store_sqlite_db.c --- */

int db_open(struct sqlite *q, const char *path);
void db_close(struct sqlite *q);

/* Binds: i a 64-bit integer, t a text, b bytes and their length.  What is bound must live until
 * the statement is done. */
sqlite3_stmt *db_bind(struct sqlite *q, enum sql which, const char *types, ...);

/* 1: a row; 0: the end; -errno.  After the latter two the statement is ready to be bound again. */
int db_step(struct sqlite *q, sqlite3_stmt *stmt);

/* Steps once and gives the first column; the row is not kept.  1, 0 or -errno. */
int db_fetch(struct sqlite *q, sqlite3_stmt *stmt, __s64 *ret_value);

int db_begin(struct sqlite *q);
int db_end(struct sqlite *q, int err);	/* commits if err is 0, else rolls back and returns it */

static inline __s64 col(sqlite3_stmt *stmt, int i)
{
	return sqlite3_column_int64(stmt, i);
}

/* What stands in the column `crc` of a row. */
__s64 slice_crc(__u64 inst, __s64 slot, const struct slice *s);
__s64 cover_crc(__u64 inst, const char *source, __s64 first, __s64 last);
__s64 loss_crc(__u64 inst, const char *source, const struct loss *l);
__s64 step_crc(__u64 inst, __s64 slot, __s64 step_ns);

void found_damage(struct sqlite *q, const char *what, __s64 slot);	/* counted, and into store.reason */

/* The slot before which expire() dropped all; the least number if it never did. */
int db_horizon(struct sqlite *q, __u64 inst, __s64 *ret_slot);

/* --- store_sqlite.c --- */

struct sqlite *sqlite_of(struct store *s);	/* clears the reason */

/* Binds HOT_GET, HOT_DROP, or HOT_ADD and HOT_PUT with the histogram of s. */
sqlite3_stmt *bind_hot(struct sqlite *q, enum sql which, __u64 inst, __s64 slot, __s64 key,
		       const struct slice *s);

/* The histogram of a hot row into `ret`, borrowed from the statement, whose row stays until it is
 * reset.  1; 0: no such row; -EBADMSG: its checksum is wrong. */
int hot_get(struct sqlite *q, sqlite3_stmt *stmt, __u64 inst, __s64 slot, const struct slice *name,
	    struct slice *ret);

/* --- the others --- */

int sqlite_read(struct store *s, __u64 inst, __s64 first, __s64 last, int axis, const struct store_reader *reader);
int sqlite_expire(struct store *s, __u64 inst, __s64 slot);
int sqlite_compact(struct store *s, __u64 inst, __s64 slot);
int sqlite_inst_delete(struct store *s, __u64 inst);

#endif
