#include "aggregator/store/sqlite/sqlite.h"

#include "collector/core/array.h"
#include "collector/core/refuse.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <isa-l/crc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define APPLICATION_ID 0x48534331	/* "HSC1" */
#define BUSY_MS 5000
#define DISK_ROOM (1u << 20)		/* bytes; a disk with less is full */

/* --- statements --- */

static int error_of(int code)
{
	switch (code & 0xff) {
	case SQLITE_NOMEM: return -ENOMEM;
	case SQLITE_BUSY:
	case SQLITE_LOCKED: return -EBUSY;
	case SQLITE_FULL: return -ENOSPC;
	case SQLITE_READONLY: return -EROFS;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_MISMATCH: return -EBADMSG;
	default: return -EIO;
	}
}

/* SQLite returns the same error for both: was it our limit, or the disk? */
static bool disk_has_room(struct sqlite *q)
{
	const char *path = sqlite3_db_filename(q->db, "main");
	struct statvfs disk;

	return path && !statvfs(path, &disk) && disk.f_bavail * disk.f_frsize >= DISK_ROOM;
}

static int database_failure(struct sqlite *q)
{
	int err = error_of(sqlite3_extended_errcode(q->db));
	bool limit = err == -ENOSPC && q->max_pages && disk_has_room(q);

	snprintf(q->store.reason, sizeof(q->store.reason), "the store: %s",
		 limit ? "its max-size is reached" : sqlite3_errmsg(q->db));
	return err;
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
		err = database_failure(q);
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
	if (err)
		db_forget(q);
	return err;
}

const char *col_text(sqlite3_stmt *stmt, int i)
{
	const char *text = (const char *)sqlite3_column_text(stmt, i);

	return text ? text : "";
}

/* --- what is known of instrumentations: every batch needs it, so it is cached --- */

static struct known *known_at(struct sqlite *q, __u64 inst)
{
	for (size_t i = 0; i < q->n_known; i++)
		if (q->known[i].inst == inst)
			return &q->known[i];
	return NULL;
}

static int known_load(struct sqlite *q, __u64 inst, struct known *ret)
{
	sqlite3_stmt *stmt = db_bind(q, HORIZON_GET, "i", inst);
	__s64 slot_ns = 0;
	int got;

	*ret = (struct known){ .inst = inst };
	for (int i = 0; i < TIERS; i++)
		ret->dropped[i] = (struct dropped){ INT64_MIN, INT64_MIN };
	while ((got = db_step(q, stmt)) > 0)
		if (col(stmt, 0) >= 0 && col(stmt, 0) < TIERS)
			ret->dropped[col(stmt, 0)] = (struct dropped){ col(stmt, 1), col(stmt, 2) };
	if (!got)
		got = db_fetch(q, db_bind(q, SLOT_NS_GET, "i", inst), &slot_ns);
	ret->slot_ns = tier_fits((__u64)slot_ns) ? (__u64)slot_ns : 0;
	return got < 0 ? got : 0;
}

int db_known(struct sqlite *q, __u64 inst, struct known *ret_known)
{
	const struct known *k = known_at(q, inst);
	int err = 0;

	if (k) {
		*ret_known = *k;
		return 0;
	}
	err = known_load(q, inst, ret_known);
	if (!err)
		err = array_grow(&q->known, q->n_known, &q->known_room, sizeof(*q->known));
	if (!err)
		q->known[q->n_known++] = *ret_known;
	return err;
}

void db_forget(struct sqlite *q)
{
	q->n_known = 0;
}

int db_know_slot(struct sqlite *q, __u64 inst, __u64 slot_ns)
{
	db_forget(q);
	return db_step(q, db_bind(q, SLOT_NS_PUT, "ii", inst, slot_ns));
}

int db_know_dropped(struct sqlite *q, __u64 inst, int tier, const struct dropped *d)
{
	db_forget(q);
	return db_step(q, db_bind(q, HORIZON_PUT, "iiii", inst, (__s64)tier, d->first, d->before));
}

/* --- checksums --- */

#define NUMBERS_MAX 7

/* CRC of a row's content and place: numbers, then bytes, then other bytes.  It is zlib's CRC-32; ISA-L needs a
 * tenth of the time for it, and every row is checked when it is read. */
static __s64 crc_of(const __s64 *number, size_t n, const void *a, size_t a_len, const void *b, size_t b_len)
{
	__u64 raw[NUMBERS_MAX];
	__u32 crc;

	for (size_t i = 0; i < n; i++)
		raw[i] = htole64((__u64)number[i]);
	crc = crc32_gzip_refl(0, (const unsigned char *)raw, n * sizeof(*raw));
	if (a_len)
		crc = crc32_gzip_refl(crc, a, a_len);
	if (b_len)
		crc = crc32_gzip_refl(crc, b, b_len);
	return (__s64)crc;
}

/* Rows of tier 0 have the same CRC as before there were tiers. */
__s64 slice_crc(const struct place *at, const struct slice *s)
{
	const __s64 number[NUMBERS_MAX] = { (__s64)at->inst, at->slot, s->axis, s->weight, (__s64)s->ruler, s->key.len, at->tier };

	return crc_of(number, at->tier ? 7 : 6, s->key.bytes, s->key.len, s->hist, s->hist_len);
}

/* A run of all its slots has the same CRC as before there were sparse runs. */
__s64 cover_crc(__u64 inst, const char *source, __s64 first, __s64 last, __u64 n)
{
	const __s64 number[] = { (__s64)inst, first, last, (__s64)n };

	return crc_of(number, n == (__u64)(last - first) + 1 ? 3 : 4, source, strlen(source), NULL, 0);
}

__s64 loss_crc(__u64 inst, const char *source, const struct loss *l)
{
	const __s64 number[] = { (__s64)inst, (__s64)l->n, (__s64)l->sum, l->first, l->last };

	return crc_of(number, 5, source, strlen(source), NULL, 0);
}

/* A clock step has the same CRC as in versions that had no other mark. */
__s64 mark_crc(__u64 inst, const struct mark *mark)
{
	const __s64 number[] = { (__s64)inst, mark->slot, mark->value, (__s64)mark->kind };

	return crc_of(number, mark->kind == MARK_CLOCK_STEP ? 3 : 4, NULL, 0, NULL, 0);
}

__s64 exemplars_crc(__u64 inst, const char *source, __s64 slot, const void *data, size_t len)
{
	const __s64 number[] = { (__s64)inst, slot };

	return crc_of(number, 2, source, strlen(source), data, len);
}

void found_damage(struct sqlite *q, const char *what, __s64 slot)
{
	q->store.n_damaged++;
	snprintf(q->store.reason, sizeof(q->store.reason), "the store: damaged %s at slot %lld is left out", what,
		 (long long)slot);
}

/* --- opening --- */

/* Makes the file before SQLite does, with our mode; its companions (-wal, -shm) inherit it. */
static int make_file(struct sqlite *q, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);

	if (fd < 0 && errno != EEXIST)
		return refuse_in(-errno, q->store.reason, sizeof(q->store.reason), "%s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return 0;
}

int db_execute(struct sqlite *q, const char *sql)
{
	return sqlite3_exec(q->db, sql, NULL, NULL, NULL) ? database_failure(q) : 0;
}

int db_number(struct sqlite *q, const char *sql, __s64 *ret_value)
{
	sqlite3_stmt *stmt;
	int got;

	if (sqlite3_prepare_v2(q->db, sql, -1, &stmt, NULL))
		return database_failure(q);
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
		err = db_execute(q, sql_schema);
	if (!err)
		err = db_execute(q, sql);
	return err;
}

/* Reads the whole file once, about a second per GB: otherwise a damaged page may lose rows
 * silently. */
static int check_pages(struct sqlite *q)
{
	sqlite3_stmt *stmt;
	const char *said;
	int got;

	if (sqlite3_prepare_v2(q->db, "PRAGMA integrity_check(1)", -1, &stmt, NULL))
		return database_failure(q);
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

static int refuse_database(struct sqlite *q, int err, const char *why)
{
	snprintf(q->store.reason, sizeof(q->store.reason), "%s", why);
	return err;
}

static int prepare_database(struct sqlite *q)
{
	int err = db_execute(q, sql_later);

	if (err)
		return err;
	for (int i = 0; i < N_SQL; i++)
		if (sqlite3_prepare_v3(q->db, sql_text[i], -1, SQLITE_PREPARE_PERSISTENT, &q->stmt[i], NULL))
			return database_failure(q);
	return 0;
}

/* Reads the rows of the version before and writes them again with the statements of this one. */
static int upgrade_database(struct sqlite *q)
{
	char sql[64];
	int err = sqlite_upgrade_tables(q);

	if (!err)
		err = prepare_database(q);
	if (!err)
		err = sqlite_upgrade_rows(q);
	snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", SCHEMA_VERSION);
	return err ? err : db_execute(q, sql);
}

/* Within a transaction: checks that the database is ours and of a known version; an empty one becomes ours. */
static int check_tables(struct sqlite *q)
{
	__s64 application = 0, version = 0, n_tables = 0;
	int err = db_number(q, "PRAGMA application_id", &application);

	if (!err)
		err = db_number(q, "PRAGMA user_version", &version);
	if (!err)
		err = db_number(q, "SELECT count(*) FROM sqlite_master", &n_tables);
	if (err)
		return err;
	if (!application && !n_tables)
		return make_tables(q) ?: prepare_database(q);
	if (application != APPLICATION_ID)
		return refuse_database(q, -EINVAL, "is the database of another program");
	if (version > SCHEMA_VERSION)
		return refuse_database(q, -EPROTO, "was written by a newer version of Heatscope");
	if (version < 1)
		return refuse_database(q, -EBADMSG, "is damaged: it has no schema version");
	err = check_pages(q);
	if (!err)
		err = version < SCHEMA_VERSION ? upgrade_database(q) : prepare_database(q);
	return err;
}

/* Freed pages must leave the file.  SQLite decides that when a file is made; a file of
 * the version before is rewritten, once. */
static int make_shrinkable(struct sqlite *q, bool is_new)
{
	__s64 mode = 0, n_pages = 0;
	int err = db_number(q, is_new ? "PRAGMA page_count" : "PRAGMA auto_vacuum", is_new ? &n_pages : &mode);

	if (err || n_pages || mode)
		return err;
	return db_execute(q, is_new ? "PRAGMA auto_vacuum = INCREMENTAL" : "PRAGMA auto_vacuum = INCREMENTAL; VACUUM");
}

/* Writes nothing before check_tables() has found that the file is ours. */
int db_open(struct sqlite *q, const char *path)
{
	int err = make_file(q, path);

	if (err)
		return err;
	if (sqlite3_open_v2(path, &q->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL))
		return q->db ? database_failure(q) : -ENOMEM;
	sqlite3_busy_timeout(q->db, BUSY_MS);
	err = make_shrinkable(q, true);
	if (!err)
		err = db_execute(q, "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; BEGIN IMMEDIATE");
	if (!err)
		err = check_tables(q);
	if (!err)
		err = db_execute(q, "COMMIT");
	if (!err)
		err = db_execute(q, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
				 "PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -8192;"
				 "PRAGMA temp_store = MEMORY");
	if (!err)
		err = make_shrinkable(q, false);
	return err;
}

void db_close(struct sqlite *q)
{
	for (int i = 0; i < N_SQL; i++)
		sqlite3_finalize(q->stmt[i]);
	sqlite3_close(q->db);
}
