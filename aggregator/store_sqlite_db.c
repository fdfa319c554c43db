#include "store_sqlite.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define APPLICATION_ID 0x48534331	/* "HSC1" */
#define SCHEMA_VERSION 1
#define BUSY_MS 5000

static const char schema[] =
	"CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE inst(id INTEGER PRIMARY KEY, json TEXT NOT NULL);"
	/* what expire() dropped: slots before this one */
	"CREATE TABLE horizon(inst INTEGER PRIMARY KEY, slot INTEGER NOT NULL);"
	"CREATE TABLE key(id INTEGER PRIMARY KEY, inst INTEGER NOT NULL, label BLOB NOT NULL, UNIQUE(inst, label));"
	"CREATE TABLE source(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
	"CREATE TABLE hot(inst INTEGER, slot INTEGER, key INTEGER, axis INTEGER, weight INTEGER, ruler INTEGER,"
	" hist BLOB NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY(inst, slot, key, axis, weight, ruler)) WITHOUT ROWID;"
	"CREATE TABLE chunk(inst INTEGER, axis INTEGER, slot INTEGER, weight INTEGER, key INTEGER, ruler INTEGER,"
	" data BLOB NOT NULL, UNIQUE(inst, axis, slot, weight, key, ruler));"
	"CREATE INDEX chunk_key ON chunk(key);"
	"CREATE TABLE coverage(inst INTEGER, source INTEGER, first INTEGER, last INTEGER NOT NULL,"
	" crc INTEGER NOT NULL, PRIMARY KEY(inst, source, first)) WITHOUT ROWID;"
	"CREATE TABLE loss(inst INTEGER, last INTEGER, first INTEGER, source INTEGER, incarnation INTEGER,"
	" seq INTEGER, n INTEGER, sum INTEGER, crc INTEGER NOT NULL);"
	"CREATE INDEX loss_last ON loss(inst, last);"
	"CREATE TABLE clock_step(inst INTEGER, slot INTEGER, step INTEGER, crc INTEGER NOT NULL);"
	"CREATE INDEX clock_step_slot ON clock_step(inst, slot);"
	/* the names of batches that were added; by slot, so that they can be forgotten by slot */
	"CREATE TABLE seen(inst INTEGER, slot INTEGER, source INTEGER, incarnation INTEGER, seq INTEGER,"
	" last INTEGER NOT NULL, PRIMARY KEY(inst, slot, source, incarnation, seq)) WITHOUT ROWID;"
	"INSERT INTO meta VALUES('next_id', 1);";

static const char *const sql_text[N_SQL] = {
	[BEGIN] = "BEGIN IMMEDIATE",
	[COMMIT] = "COMMIT",
	[ROLLBACK] = "ROLLBACK",
	[META_GET] = "SELECT value FROM meta WHERE name = ?",
	[META_PUT] = "INSERT OR REPLACE INTO meta VALUES(?, ?)",
	[ID_RAISE] = "UPDATE meta SET value = max(value, ? + 1) WHERE name = 'next_id'",
	[HORIZON_GET] = "SELECT slot FROM horizon WHERE inst = ?",
	[HORIZON_PUT] = "INSERT OR REPLACE INTO horizon VALUES(?, ?)",
	[SOURCE_GET] = "SELECT id FROM source WHERE name = ?",
	[SOURCE_ADD] = "INSERT INTO source(name) VALUES(?)",
	[KEY_GET] = "SELECT id FROM key WHERE inst = ? AND label = ?",
	[KEY_ADD] = "INSERT INTO key(inst, label) VALUES(?, ?)",
	[KEY_LABEL] = "SELECT label FROM key WHERE id = ? AND inst = ?",
	[SEEN_ADD] = "INSERT OR IGNORE INTO seen(inst, slot, source, incarnation, seq, last) VALUES(?, ?, ?, ?, ?, ?)",
	[HOT_ADD] = "INSERT OR IGNORE INTO hot(inst, slot, key, axis, weight, ruler, hist, crc)"
		" VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
	[HOT_GET] = "SELECT hist, crc FROM hot"
		" WHERE inst = ? AND slot = ? AND key = ? AND axis = ? AND weight = ? AND ruler = ?",
	[HOT_PUT] = "INSERT OR REPLACE INTO hot(inst, slot, key, axis, weight, ruler, hist, crc)"
		" VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
	[HOT_DROP] = "DELETE FROM hot WHERE inst = ? AND slot = ? AND key = ? AND axis = ? AND weight = ? AND ruler = ?",
	[COVER_NEAR] = "SELECT first, last, crc FROM coverage"
		" WHERE inst = ? AND source = ? AND first <= ? ORDER BY first DESC",
	[COVER_DROP] = "DELETE FROM coverage WHERE inst = ? AND source = ? AND first BETWEEN ? AND ?",
	[COVER_ADD] = "INSERT INTO coverage(inst, source, first, last, crc) VALUES(?, ?, ?, ?, ?)",
	[LOSS_ADD] = "INSERT INTO loss(inst, last, first, source, incarnation, seq, n, sum, crc)"
		" VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[STEP_ADD] = "INSERT INTO clock_step(inst, slot, step, crc) VALUES(?, ?, ?, ?)",
	[HOT_READ] = "SELECT h.slot, h.axis, h.weight, h.ruler, k.label, h.hist, h.crc FROM hot h LEFT JOIN key k"
		" ON k.id = h.key AND k.inst = h.inst WHERE h.inst = ?1 AND h.slot BETWEEN ?2 AND ?3"
		" AND (?4 < 0 OR h.axis = ?4)",
	[CHUNK_READ] = "SELECT slot, data FROM chunk WHERE inst = ? AND axis = ? AND slot BETWEEN ? AND ?",
	[COVER_READ] = "SELECT s.name, c.first, c.last, c.crc FROM coverage c LEFT JOIN source s ON s.id = c.source"
		" WHERE c.inst = ? AND c.last >= ? AND c.first <= ?",
	[LOSS_READ] = "SELECT s.name, l.n, l.sum, l.first, l.last, l.crc FROM loss l LEFT JOIN source s ON s.id = l.source"
		" WHERE l.inst = ? AND l.last >= ? AND l.first <= ?",
	[STEP_READ] = "SELECT slot, step, crc FROM clock_step WHERE inst = ? AND slot BETWEEN ? AND ?",
	[HOT_OLDEST] = "SELECT slot FROM hot WHERE inst = ? AND slot >= ? ORDER BY slot LIMIT 1",
	[HOT_GROUPS] = "SELECT DISTINCT key, axis, weight, ruler FROM hot WHERE inst = ? AND slot BETWEEN ? AND ?",
	[CHUNK_GET] = "SELECT data FROM chunk"
		" WHERE inst = ? AND axis = ? AND slot = ? AND weight = ? AND key = ? AND ruler = ?",
	[CHUNK_PUT] = "INSERT OR REPLACE INTO chunk(inst, axis, slot, weight, key, ruler, data) VALUES(?, ?, ?, ?, ?, ?, ?)",
	[INST_PUT] = "INSERT OR REPLACE INTO inst VALUES(?, ?)",
	[INST_EACH] = "SELECT id, json FROM inst ORDER BY id",
	[CHUNK_EXPIRE] = "DELETE FROM chunk WHERE inst = ? AND axis = ? AND slot <= ?",
	[EXPIRE_FIRST] = "DELETE FROM hot WHERE inst = ? AND slot < ?",
	[EXPIRE_COVER] = "DELETE FROM coverage WHERE inst = ? AND last < ?",
	[EXPIRE_LOSS] = "DELETE FROM loss WHERE inst = ? AND last < ?",
	[EXPIRE_STEP] = "DELETE FROM clock_step WHERE inst = ? AND slot < ?",
	[EXPIRE_SEEN] = "DELETE FROM seen WHERE inst = ?1 AND slot < ?2 AND last < ?2",
	[EXPIRE_LAST] = "DELETE FROM key WHERE inst = ?1 AND ?2 IS NOT NULL AND id NOT IN"
		" (SELECT key FROM hot WHERE inst = ?1) AND NOT EXISTS (SELECT 1 FROM chunk WHERE chunk.key = key.id)",
	[DELETE_FIRST] = "DELETE FROM inst WHERE id = ?",
	[DELETE_HORIZON] = "DELETE FROM horizon WHERE inst = ?",
	[DELETE_HOT] = "DELETE FROM hot WHERE inst = ?",
	[DELETE_CHUNK] = "DELETE FROM chunk WHERE inst = ?",
	[DELETE_COVER] = "DELETE FROM coverage WHERE inst = ?",
	[DELETE_LOSS] = "DELETE FROM loss WHERE inst = ?",
	[DELETE_STEP] = "DELETE FROM clock_step WHERE inst = ?",
	[DELETE_SEEN] = "DELETE FROM seen WHERE inst = ?",
	[DELETE_LAST] = "DELETE FROM key WHERE inst = ?",
	[SOURCES_UNUSED] = "DELETE FROM source WHERE id NOT IN (SELECT source FROM coverage"
		" UNION SELECT source FROM loss UNION SELECT source FROM seen)",
};

/* --- statements --- */

static int error_of(int code)
{
	switch (code & 0xff) {
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_MISMATCH:
		return -EBADMSG;
	default:
		return -EIO;
	}
}

static int failed(struct sqlite *q)
{
	snprintf(q->store.reason, sizeof(q->store.reason), "the store: %s", sqlite3_errmsg(q->db));
	return error_of(sqlite3_extended_errcode(q->db));
}

sqlite3_stmt *db_bind(struct sqlite *q, enum sql which, const char *types, ...)
{
	sqlite3_stmt *stmt = q->stmt[which];
	va_list args;

	va_start(args, types);
	for (int i = 1; *types; types++, i++) {
		if (*types == 'i') {
			sqlite3_bind_int64(stmt, i, va_arg(args, __s64));
		} else if (*types == 't') {
			sqlite3_bind_text(stmt, i, va_arg(args, const char *), -1, SQLITE_STATIC);
		} else {
			const void *data = va_arg(args, const void *);
			size_t len = va_arg(args, size_t);

			sqlite3_bind_blob(stmt, i, len ? data : "", (int)len, SQLITE_STATIC);
		}
	}
	va_end(args);
	return stmt;
}

int db_step(struct sqlite *q, sqlite3_stmt *stmt)
{
	int code = sqlite3_step(stmt), err = 0;

	if (code == SQLITE_ROW)
		return 1;
	if (code != SQLITE_DONE)
		err = failed(q);
	sqlite3_reset(stmt);
	return err;
}

int db_fetch(struct sqlite *q, sqlite3_stmt *stmt, __s64 *ret_value)
{
	int got = db_step(q, stmt);

	if (got > 0) {
		*ret_value = sqlite3_column_int64(stmt, 0);
		sqlite3_reset(stmt);
	}
	return got;
}

int db_begin(struct sqlite *q)
{
	return db_step(q, q->stmt[BEGIN]);
}

int db_end(struct sqlite *q, int err)
{
	char reason[sizeof(q->store.reason)];

	if (!err)
		err = db_step(q, q->stmt[COMMIT]);
	if (err && !sqlite3_get_autocommit(q->db)) {
		memcpy(reason, q->store.reason, sizeof(reason));
		db_step(q, q->stmt[ROLLBACK]);
		memcpy(q->store.reason, reason, sizeof(reason));
	}
	return err;
}

int db_horizon(struct sqlite *q, __u64 inst, __s64 *ret_slot)
{
	int got;

	*ret_slot = INT64_MIN;
	got = db_fetch(q, db_bind(q, HORIZON_GET, "i", inst), ret_slot);
	return got < 0 ? got : 0;
}

/* --- checksums --- */

/* Of what a row says and where it is filed: numbers, then bytes, then other bytes. */
static __s64 crc_of(const __s64 *number, size_t n, const void *a, size_t a_len, const void *b, size_t b_len)
{
	uLong crc = crc32(0, NULL, 0);

	for (size_t i = 0; i < n; i++) {
		__u64 raw = htole64((__u64)number[i]);

		crc = crc32(crc, (const Bytef *)&raw, sizeof(raw));
	}
	if (a_len)
		crc = crc32(crc, a, (uInt)a_len);
	if (b_len)
		crc = crc32(crc, b, (uInt)b_len);
	return (__s64)crc;
}

__s64 slice_crc(__u64 inst, __s64 slot, const struct slice *s)
{
	const __s64 number[] = { (__s64)inst, slot, s->axis, s->weight, (__s64)s->ruler, s->key.len };

	return crc_of(number, 6, s->key.bytes, s->key.len, s->hist, s->hist_len);
}

__s64 cover_crc(__u64 inst, const char *source, __s64 first, __s64 last)
{
	const __s64 number[] = { (__s64)inst, first, last };

	return crc_of(number, 3, source, strlen(source), NULL, 0);
}

__s64 loss_crc(__u64 inst, const char *source, const struct loss *l)
{
	const __s64 number[] = { (__s64)inst, (__s64)l->n, (__s64)l->sum, l->first, l->last };

	return crc_of(number, 5, source, strlen(source), NULL, 0);
}

__s64 step_crc(__u64 inst, __s64 slot, __s64 step_ns)
{
	const __s64 number[] = { (__s64)inst, slot, step_ns };

	return crc_of(number, 3, NULL, 0, NULL, 0);
}

void found_damage(struct sqlite *q, const char *what, __s64 slot)
{
	q->store.n_damaged++;
	snprintf(q->store.reason, sizeof(q->store.reason), "the store: damaged %s at slot %lld is left out", what,
		 (long long)slot);
}

/* --- opening --- */

/* Made before SQLite does, with our mode; its companions (-wal, -shm) inherit it. */
static int make_file(struct sqlite *q, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);

	if (fd < 0 && errno != EEXIST) {
		snprintf(q->store.reason, sizeof(q->store.reason), "%s", strerror(errno));
		return -errno;
	}
	if (fd >= 0)
		close(fd);
	return 0;
}

static int execute(struct sqlite *q, const char *sql)
{
	return sqlite3_exec(q->db, sql, NULL, NULL, NULL) ? failed(q) : 0;
}

static int number_of(struct sqlite *q, const char *sql, __s64 *ret_value)
{
	sqlite3_stmt *stmt;
	int got;

	if (sqlite3_prepare_v2(q->db, sql, -1, &stmt, NULL))
		return failed(q);
	got = db_fetch(q, stmt, ret_value);
	sqlite3_finalize(stmt);
	return got < 0 ? got : 0;
}

static int make_tables(struct sqlite *q)
{
	char uuid[40], sql[256];
	int err = store_uuid(uuid);

	snprintf(sql, sizeof(sql), "PRAGMA application_id = %d; PRAGMA user_version = %d;"
		 "INSERT INTO meta VALUES('uuid', '%s');", APPLICATION_ID, SCHEMA_VERSION, uuid);
	if (!err)
		err = execute(q, schema);
	if (!err)
		err = execute(q, sql);
	return err;
}

/* Reads the whole file once, about a second per GB: a page that is damaged may otherwise lose rows
 * without a word. */
static int check_pages(struct sqlite *q)
{
	sqlite3_stmt *stmt;
	const char *said;
	int got;

	if (sqlite3_prepare_v2(q->db, "PRAGMA integrity_check(1)", -1, &stmt, NULL))
		return failed(q);
	got = db_step(q, stmt);
	said = got > 0 ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
	if (said && strcmp(said, "ok")) {
		snprintf(q->store.reason, sizeof(q->store.reason), "is damaged: %.180s", said);
		for (char *at = q->store.reason; *at; at++)
			if (*at == '\n')
				*at = ' ';
		got = -EBADMSG;
	}
	sqlite3_finalize(stmt);
	return got < 0 ? got : 0;
}

static int refuse(struct sqlite *q, int err, const char *why)
{
	snprintf(q->store.reason, sizeof(q->store.reason), "%s", why);
	return err;
}

/* Within a transaction: it is ours and we know its version, or it is empty and becomes ours. */
static int check_tables(struct sqlite *q)
{
	__s64 application = 0, version = 0, n_tables = 0;
	int err = number_of(q, "PRAGMA application_id", &application);

	if (!err)
		err = number_of(q, "PRAGMA user_version", &version);
	if (!err)
		err = number_of(q, "SELECT count(*) FROM sqlite_master", &n_tables);
	if (err)
		return err;
	if (!application && !n_tables)
		return make_tables(q);
	if (application != APPLICATION_ID)
		return refuse(q, -EINVAL, "is the database of another program");
	if (version > SCHEMA_VERSION)
		return refuse(q, -EPROTO, "was written by a newer version of Heatscope");
	if (version < SCHEMA_VERSION)
		return refuse(q, -EBADMSG, "is damaged: it has no schema version");
	return check_pages(q);
}

static int prepare(struct sqlite *q)
{
	for (int i = 0; i < N_SQL; i++)
		if (sqlite3_prepare_v3(q->db, sql_text[i], -1, SQLITE_PREPARE_PERSISTENT, &q->stmt[i], NULL))
			return failed(q);
	return 0;
}

/* Nothing is written before check_tables() says that it is ours. */
int db_open(struct sqlite *q, const char *path)
{
	int err = make_file(q, path);

	if (err)
		return err;
	if (sqlite3_open_v2(path, &q->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL))
		return q->db ? failed(q) : -ENOMEM;
	sqlite3_busy_timeout(q->db, BUSY_MS);
	err = execute(q, "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; BEGIN IMMEDIATE");
	if (!err)
		err = check_tables(q);
	if (!err)
		err = execute(q, "COMMIT");
	if (!err)
		err = execute(q, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
				 "PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -16384;"
				 "PRAGMA temp_store = MEMORY");
	if (!err)
		err = prepare(q);
	return err;
}

void db_close(struct sqlite *q)
{
	for (int i = 0; i < N_SQL; i++)
		sqlite3_finalize(q->stmt[i]);
	sqlite3_close(q->db);
}
