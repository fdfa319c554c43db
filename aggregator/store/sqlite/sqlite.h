/* sqlite.h - declares what the files of this folder share; no other file includes it or uses SQLite.
 *
 *      sql.c       the schema and the statements
 *      db.c        the file, its statements, its checksums
 *      sqlite.c    adding, instrumentations, identity
 *      read.c      reading
 *      compact.c   the long-term layout, adding up
 *      expire.c    dropping old data
 *      limit.c     keeping the file below a size
 *      upgrade.c   files of the version before
 *
 *      add() -> hot, tier 0: one row per slice
 *      compact(): 300 slots of a key --> chunk, one block   --added up--> hot rows of the next tier
 *
 * Why     Rows by slot are quick to add (a second's rows are neighbours); blocks by key are small and quick to scan.  A
 *         late slice of a slot that is in a chunk becomes a hot row again.  The next compact() puts it into its chunk
 *         and adds it to the next tier's row.
 * Tiers   An event is first in a hot row of tier 0; then in a chunk of tier 0 and a hot row of tier 1; then in chunks
 *         of tiers 0 and 1 and a hot row of tier 2; at last in chunks of all three.  Each step is one transaction.  So
 *         at any moment a tier's chunks, and the hot rows of it and of the finer tiers, contain every event once.
 *         (Adding each slice to all three at once would write a hundred times as much.)
 * Whole   For the slots of each (axis, weight, ruler) one chunk holds all keys together: the chunk of the only key, or
 *         one without a key (key 0).  The hot rows of key 0 in the coarser tiers do the same.  Most pictures read no
 *         other rows.
 * Damage  If compact() meets a damaged row, it replaces it with a row of the table loss.
 * Slots   in hot and chunk are the tier's own (minutes from the epoch); in all other tables tier 0's.
 * Safety  WAL with synchronous=NORMAL: a killed process loses no commit.  A power cut may lose the newest commits,
 *         never a part of one.  A row has a CRC of its content and of where it is filed, for damage that SQLite does
 *         not notice; a chunk contains its own.
 * Errors  0 or -errno, and then store.reason says more.
 * Thread  one call at a time, as store.h.
 */
#ifndef HEATSCOPE_SQLITE_H
#define HEATSCOPE_SQLITE_H

#include "aggregator/store/chunk.h"
#include "aggregator/store/chunk_cache.h"
#include "aggregator/store/store.h"
#include "aggregator/store/sum.h"

#include <sqlite3.h>

#define SCHEMA_VERSION 2

enum sql {
	BEGIN, COMMIT, ROLLBACK,
	META_GET, META_PUT, META_DROP, META_EACH, ID_RAISE, SLOT_NS_GET, SLOT_NS_PUT, HORIZON_GET, HORIZON_PUT,
	SOURCE_GET, SOURCE_ADD, KEY_GET, KEY_ADD, KEY_EACH,
	SEEN_ADD, HOT_ADD, HOT_GET, HOT_PUT, HOT_DROP,
	COVER_NEAR, COVER_DROP, COVER_ADD, LOSS_ADD, MARK_ADD, EXEMPLARS_ADD,
	HOT_READ, HOT_WHOLE, CHUNK_READ, WHOLE_READ, CHUNK_DATA, COVER_READ, LOSS_READ, MARK_READ, EXEMPLARS_READ,
	HOT_OLDEST, CHUNK_GET, CHUNK_PUT, CHUNK_DROP, WHOLE_GET, WHOLE_CLEAR, FAMILY_EACH,
	INST_PUT, INST_EACH, SLOT_NS_EACH, CHUNK_OLDEST, COVER_NEWEST,
	CHUNK_EXPIRE, HOT_EXPIRE, SEEN_EXPIRE, COVER_EXPIRE, LOSS_EXPIRE, MARK_EXPIRE, EXEMPLARS_EXPIRE, KEY_EXPIRE,
	COVER_OLDEST, COVER_SOURCES, COVER_WINDOW, LOSS_WINDOW, LOSS_DROP, MARK_WINDOW, MARK_DROP,
	DELETE_FIRST, DELETE_SLOT_NS, DELETE_HORIZON, DELETE_HOT, DELETE_CHUNK, DELETE_COVER, DELETE_LOSS, DELETE_MARK,
	DELETE_SEEN, DELETE_EXEMPLARS, DELETE_LAST, SOURCES_UNUSED,
	N_SQL,
};

extern const char *const sql_schema;	/* of SCHEMA_VERSION */
extern const char *const sql_later;	/* tables that a file of that version may lack */
extern const char *const sql_text[N_SQL];

struct dropped {			/* slots first..before-1 were dropped from a tier */
	__s64 first, before;		/* first == before: nothing was dropped */
};

struct known {				/* what the store knows of an instrumentation */
	__u64 inst;
	__u64 slot_ns;			/* 0: nothing was added yet */
	struct dropped dropped[TIERS];
};

struct sqlite {
	struct store store;
	sqlite3 *db;
	sqlite3_stmt *stmt[N_SQL];
	struct sum scratch, up;
	struct chunk old, made, whole;	/* scratch of compact(); read() uses `old` */
	struct hist total[CHUNK_SLOTS];	/* scratch, too: what was moved, of all keys */
	struct bytes frame, bytes;
	struct chunk_cache chunk_cache;		/* caches sums of chunks, for read() */
	__s64 max_pages;		/* 0: no limit */
	struct known *known;		/* read since the last rollback */
	size_t n_known, known_room;
};

struct place {				/* where a slice is filed, except for its key */
	__u64 inst;
	int tier;
	__s64 slot;			/* in the tier's own slots */
};

/* --- db.c --- */

int db_open(struct sqlite *q, const char *path);
void db_close(struct sqlite *q);
int db_execute(struct sqlite *q, const char *sql);
int db_number(struct sqlite *q, const char *sql, __s64 *ret_value);	/* returns the one number of a statement */

/* Binds: i a 64-bit integer, t a text, b bytes and their length.  Bound data must live until
 * the statement is done. */
sqlite3_stmt *db_bind(struct sqlite *q, enum sql which, const char *types, ...);

/* Returns 1: a row; 0: the end; -errno.  After 0 and -errno the statement is ready to be bound again. */
int db_step(struct sqlite *q, sqlite3_stmt *stmt);

/* Steps once and returns the first column; the row is not kept.  1, 0 or -errno. */
int db_fetch(struct sqlite *q, sqlite3_stmt *stmt, __s64 *ret_value);

int db_begin(struct sqlite *q);
int db_end(struct sqlite *q, int err);	/* commits if err is 0, else rolls back and returns it */

static inline __s64 col(sqlite3_stmt *stmt, int i)
{
	return sqlite3_column_int64(stmt, i);
}

/* Returns a text column; "" if it is NULL. */
const char *col_text(sqlite3_stmt *stmt, int i);

/* Computes the column `crc` of a row. */
__s64 slice_crc(const struct place *at, const struct slice *s);
__s64 cover_crc(__u64 inst, const char *source, __s64 first, __s64 last, __u64 n);
__s64 loss_crc(__u64 inst, const char *source, const struct loss *l);
__s64 mark_crc(__u64 inst, const struct mark *mark);

__s64 exemplars_crc(__u64 inst, const char *source, __s64 slot, const void *data, size_t len);

void found_damage(struct sqlite *q, const char *what, __s64 slot);	/* counts it and sets store.reason */

/* Reads what is known of an instrumentation; the copy is the caller's.  The two functions after it store it. */
int db_known(struct sqlite *q, __u64 inst, struct known *ret_known);
int db_know_slot(struct sqlite *q, __u64 inst, __u64 slot_ns);
int db_know_dropped(struct sqlite *q, __u64 inst, int tier, const struct dropped *d);
void db_forget(struct sqlite *q);		/* the next db_known() reads it again */

/* --- sqlite.c --- */

struct sqlite *sqlite_of(struct store *s);	/* clears the reason */

/* Binds HOT_GET, or HOT_ADD and HOT_PUT with the histogram of s. */
sqlite3_stmt *bind_hot(struct sqlite *q, enum sql which, const struct place *at, __s64 key, const struct slice *s);

/* Reads the histogram of a hot row into `ret`, borrowed from the statement, whose row stays until it is
 * reset.  1; 0: no such row; -EBADMSG: its checksum is wrong. */
int hot_get(struct sqlite *q, sqlite3_stmt *stmt, const struct place *at, const struct slice *name, struct slice *ret);

/* Adds s to the hot row there, or makes one.  Replaces a damaged row, which becomes a loss in
 * slots first..last of tier 0. */
int hot_add(struct sqlite *q, const struct place *at, __s64 key, const struct slice *s, __s64 first, __s64 last);

/* Adds losses of a source; "", 0: of no source. */
int add_loss(struct sqlite *q, __u64 inst, const char *source, __s64 source_id, const struct loss *l);

/* Notes that damaged data were removed from slots first..last of tier 0. */
int add_damage(struct sqlite *q, __u64 inst, __s64 first, __s64 last);

/* --- compact.c --- */

/* Chunks the blocks of this tier that begin before this slot (the tier's own), and adds them up; each in a transaction
 * unless one has begun. */
int compact_tier(struct sqlite *q, const struct known *k, int tier, __s64 before);

/* --- the other files --- */

int sqlite_read(struct store *s, __u64 inst, const struct store_range *range, const struct store_reader *reader);
int sqlite_expire(struct store *s, __u64 inst, const __s64 slot[TIERS]);
int expire_in(struct sqlite *q, __u64 inst, const __s64 slot[TIERS]);	/* the same */
int sqlite_limit(struct store *s, __u64 bytes);
int sqlite_shrink(struct store *s);
int db_make_room(struct sqlite *q);		/* drops a tenth; -ENOSPC: nothing could be dropped */
int db_limit_pages(struct sqlite *q, bool all);	/* limits the file to max_pages, or to the part for adding;
						 * SQLite never goes below its present size */
int sqlite_compact(struct store *s, __u64 inst, __s64 slot);
int sqlite_inst_delete(struct store *s, __u64 inst);

/* Upgrades from version 1, within a transaction; the statements are prepared between the two calls. */
int sqlite_upgrade_tables(struct sqlite *q);
int sqlite_upgrade_rows(struct sqlite *q);

#endif
