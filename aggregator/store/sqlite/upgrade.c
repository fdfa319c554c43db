/* Upgrades version 1, which had one tier.  Its hot rows, losses, coverage and clock steps become rows of this version
 * with a column or two more.  The slots of its chunks become hot rows of tier 0 again, and are compacted again:
 * so minutes, hours and the chunks of all keys are made in the same way as always. */
#include "aggregator/store/sqlite/sqlite.h"

#include <errno.h>

#define SLOTS_1 60			/* in a chunk of version 1 */

static const char tables[] =
	"DROP INDEX chunk_key; DROP INDEX loss_last; DROP INDEX clock_step_slot;"
	"ALTER TABLE horizon RENAME TO horizon_1; ALTER TABLE hot RENAME TO hot_1; ALTER TABLE chunk RENAME TO chunk_1;"
	"ALTER TABLE coverage RENAME TO coverage_1; ALTER TABLE loss RENAME TO loss_1;"
	"ALTER TABLE clock_step RENAME TO clock_step_1; ALTER TABLE seen RENAME TO seen_1;";

/* Version 1 stored the length of slots only in the instrumentation: min(granularity, 1 s). */
static const char rows[] =
	"INSERT INTO slot_ns SELECT i.inst, CAST(round(1e9 * coalesce((SELECT min(json_extract(json,"
	" '$.instrumentation.granularity'), 1.0) FROM inst WHERE id = i.inst), 1.0)) AS INTEGER) FROM"
	" (SELECT DISTINCT inst FROM seen_1 UNION SELECT DISTINCT inst FROM coverage_1) i;"
	"INSERT INTO horizon SELECT inst, 0, slot, slot FROM horizon_1;"
	"INSERT INTO hot SELECT inst, 0, axis, slot, key, weight, ruler, hist, crc FROM hot_1;"
	"INSERT INTO coverage SELECT inst, source, first, last, last - first + 1, crc FROM coverage_1;"
	"INSERT INTO loss SELECT inst, last, first, source, n, sum, crc FROM loss_1;"
	"INSERT INTO mark SELECT inst, slot, 1, step, crc FROM clock_step_1;"
	"INSERT INTO seen SELECT inst, slot, source, incarnation, seq, last FROM seen_1;";

static const char leftovers[] =
	"DROP TABLE horizon_1; DROP TABLE hot_1; DROP TABLE chunk_1; DROP TABLE coverage_1; DROP TABLE loss_1;"
	"DROP TABLE clock_step_1; DROP TABLE seen_1;";

int sqlite_upgrade_tables(struct sqlite *q)
{
	int err = db_execute(q, tables);

	return err ? err : db_execute(q, sql_schema);
}

/* A damaged chunk becomes a loss. */
static int pour_chunk(struct sqlite *q, sqlite3_stmt *from)
{
	struct place at = { (__u64)col(from, 0), 0, col(from, 2) };
	__s64 key = col(from, 4);
	const __u8 *data = sqlite3_column_blob(from, 6);
	size_t len = (size_t)sqlite3_column_bytes(from, 6);
	struct slice s = { .axis = (__u16)col(from, 1), .weight = (__u16)col(from, 3), .ruler = (__u64)col(from, 5) };
	__s64 first = at.slot;
	int err = chunk_decode(&q->old, data, len);

	if (err == -EBADMSG || (!err && (q->old.name.inst != at.inst || q->old.name.first != first))) {
		found_damage(q, "chunk", first);
		return add_damage(q, at.inst, first, first + SLOTS_1 - 1);
	}
	s.key = q->old.name.key;
	for (int i = 0; i < CHUNK_SLOTS && !err; i++) {
		if (!q->old.slot[i].hist_len)
			continue;
		at.slot = first + i;
		s.hist = q->old.slot[i].hist;
		s.hist_len = q->old.slot[i].hist_len;
		err = hot_add(q, &at, key, &s, at.slot, at.slot);
	}
	return err;
}

/* One block at a time, so that there are never many hot rows. */
static int pour_block(struct sqlite *q)
{
	sqlite3_stmt *from;
	struct known known = { 0 };
	__s64 slot = 0;
	int got = 0, err = 0;

	if (sqlite3_prepare_v2(q->db, "SELECT inst, axis, slot, weight, key, ruler, data FROM chunk_1 ORDER BY inst, slot", -1,
			       &from, NULL))
		return -EIO;
	while (!err && (got = db_step(q, from)) > 0) {
		if (known.slot_ns && (known.inst != (__u64)col(from, 0) || slot != chunk_first(col(from, 2))))
			err = compact_tier(q, &known, 0, slot + CHUNK_SLOTS);
		if (!err)
			err = db_known(q, (__u64)col(from, 0), &known);
		slot = chunk_first(col(from, 2));
		if (!err)
			err = pour_chunk(q, from);
	}
	if (!err && !got && known.slot_ns)
		err = compact_tier(q, &known, 0, slot + CHUNK_SLOTS);
	sqlite3_finalize(from);
	return err ? err : got;
}

int sqlite_upgrade_rows(struct sqlite *q)
{
	int err = db_execute(q, rows);

	if (!err)
		err = pour_block(q);
	if (!err)
		err = db_execute(q, leftovers);
	db_forget(q);
	return err;
}
