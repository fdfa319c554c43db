#include "aggregator/store/sqlite/sqlite.h"

const char *const sql_schema =
	"CREATE TABLE IF NOT EXISTS meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS inst(id INTEGER PRIMARY KEY, json TEXT NOT NULL);"
	"CREATE TABLE slot_ns(inst INTEGER PRIMARY KEY, ns INTEGER NOT NULL);"
	/* slots first..before-1 of a tier were dropped */
	"CREATE TABLE horizon(inst INTEGER, tier INTEGER, first INTEGER NOT NULL, before INTEGER NOT NULL,"
	" PRIMARY KEY(inst, tier)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS key(id INTEGER PRIMARY KEY, inst INTEGER NOT NULL, label BLOB NOT NULL, UNIQUE(inst, label));"
	"CREATE TABLE IF NOT EXISTS source(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
	"CREATE TABLE hot(inst INTEGER, tier INTEGER, axis INTEGER, slot INTEGER, key INTEGER, weight INTEGER, ruler INTEGER,"
	" hist BLOB NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY(inst, tier, axis, slot, key, weight, ruler)) WITHOUT ROWID;"
	"CREATE TABLE chunk(inst INTEGER, tier INTEGER, axis INTEGER, slot INTEGER, weight INTEGER, ruler INTEGER, key INTEGER,"
	" whole INTEGER NOT NULL, data BLOB NOT NULL, UNIQUE(inst, tier, axis, slot, weight, ruler, key));"
	"CREATE INDEX chunk_whole ON chunk(inst, tier, axis, slot, weight, ruler) WHERE whole;"
	"CREATE INDEX chunk_key ON chunk(key);"
	/* n of the slots first..last were reported: all of them, or it is not known which */
	"CREATE TABLE coverage(inst INTEGER, source INTEGER, first INTEGER, last INTEGER NOT NULL, n INTEGER NOT NULL,"
	" crc INTEGER NOT NULL, PRIMARY KEY(inst, source, first)) WITHOUT ROWID;"
	"CREATE TABLE loss(inst INTEGER, last INTEGER, first INTEGER, source INTEGER, n INTEGER, sum INTEGER, crc INTEGER NOT NULL);"
	"CREATE INDEX loss_last ON loss(inst, last);"
	"CREATE TABLE mark(inst INTEGER, slot INTEGER, kind INTEGER, value INTEGER, crc INTEGER NOT NULL);"
	"CREATE INDEX mark_slot ON mark(inst, slot);"
	/* the identities of batches that were added; by slot, so that they can be dropped by slot */
	"CREATE TABLE seen(inst INTEGER, slot INTEGER, source INTEGER, incarnation INTEGER, seq INTEGER,"
	" last INTEGER NOT NULL, PRIMARY KEY(inst, slot, source, incarnation, seq)) WITHOUT ROWID;"
	"INSERT OR IGNORE INTO meta VALUES('next_id', 1);";

/* Bytes of batches, see exemplars.h. */
const char *const sql_later =
	"CREATE TABLE IF NOT EXISTS exemplars(inst INTEGER, slot INTEGER, source INTEGER, data BLOB NOT NULL, crc INTEGER NOT NULL);"
	"CREATE INDEX IF NOT EXISTS exemplars_slot ON exemplars(inst, slot);";

const char *const sql_text[N_SQL] = {
	[BEGIN] = "BEGIN IMMEDIATE",
	[COMMIT] = "COMMIT",
	[ROLLBACK] = "ROLLBACK",
	[META_GET] = "SELECT value FROM meta WHERE name = ?",
	[META_PUT] = "INSERT OR REPLACE INTO meta VALUES(?, ?)",
	[META_DROP] = "DELETE FROM meta WHERE name = ?",
	[META_EACH] = "SELECT name, value FROM meta WHERE name >= ? AND name < ? ORDER BY name",
	[ID_RAISE] = "UPDATE meta SET value = max(value, ? + 1) WHERE name = 'next_id'",
	[SLOT_NS_GET] = "SELECT ns FROM slot_ns WHERE inst = ?",
	[SLOT_NS_PUT] = "INSERT OR REPLACE INTO slot_ns VALUES(?, ?)",
	[HORIZON_GET] = "SELECT tier, first, before FROM horizon WHERE inst = ?",
	[HORIZON_PUT] = "INSERT OR REPLACE INTO horizon VALUES(?, ?, ?, ?)",
	[SOURCE_GET] = "SELECT id FROM source WHERE name = ?",
	[SOURCE_ADD] = "INSERT INTO source(name) VALUES(?)",
	[KEY_GET] = "SELECT id FROM key WHERE inst = ? AND label = ?",
	[KEY_ADD] = "INSERT INTO key(inst, label) VALUES(?, ?)",
	[KEY_EACH] = "SELECT id, label FROM key WHERE inst = ?",
	[SEEN_ADD] = "INSERT OR IGNORE INTO seen(inst, slot, source, incarnation, seq, last) VALUES(?, ?, ?, ?, ?, ?)",
	[HOT_ADD] = "INSERT OR IGNORE INTO hot(inst, tier, axis, slot, key, weight, ruler, hist, crc)"
		" VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[HOT_GET] = "SELECT hist, crc FROM hot"
		" WHERE inst = ? AND tier = ? AND axis = ? AND slot = ? AND key = ? AND weight = ? AND ruler = ?",
	[HOT_PUT] = "INSERT OR REPLACE INTO hot(inst, tier, axis, slot, key, weight, ruler, hist, crc)"
		" VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[HOT_DROP] = "DELETE FROM hot WHERE inst = ? AND tier = ? AND axis = ? AND slot BETWEEN ? AND ?",
	[COVER_NEAR] = "SELECT first, last, n, crc FROM coverage"
		" WHERE inst = ? AND source = ? AND first <= ? ORDER BY first DESC",
	[COVER_DROP] = "DELETE FROM coverage WHERE inst = ? AND source = ? AND first BETWEEN ? AND ?",
	[COVER_ADD] = "INSERT INTO coverage(inst, source, first, last, n, crc) VALUES(?, ?, ?, ?, ?, ?)",
	[LOSS_ADD] = "INSERT INTO loss(inst, last, first, source, n, sum, crc) VALUES(?, ?, ?, ?, ?, ?, ?)",
	[MARK_ADD] = "INSERT INTO mark(inst, slot, kind, value, crc) VALUES(?, ?, ?, ?, ?)",
	[EXEMPLARS_ADD] = "INSERT INTO exemplars(inst, slot, source, data, crc) VALUES(?, ?, ?, ?, ?)",
	[HOT_READ] = "SELECT h.key, h.slot, h.weight, h.ruler, k.label, h.hist, h.crc FROM hot h LEFT JOIN key k"
		" ON k.id = h.key AND k.inst = h.inst WHERE h.inst = ? AND h.tier = ? AND h.axis = ? AND h.slot BETWEEN ? AND ?"
		" AND h.weight BETWEEN ? AND ?",
	[HOT_WHOLE] = "SELECT key, slot, weight, ruler, NULL, hist, crc FROM hot"
		" WHERE inst = ? AND tier = ? AND axis = ? AND slot BETWEEN ? AND ? AND weight BETWEEN ? AND ? AND key = 0",
	[CHUNK_READ] = "SELECT key, slot, weight, ruler, rowid FROM chunk WHERE inst = ? AND tier = ? AND axis = ? AND slot BETWEEN ? AND ?"
		" AND weight BETWEEN ? AND ?",
	[WHOLE_READ] = "SELECT key, slot, weight, ruler, rowid FROM chunk"
		" WHERE inst = ? AND tier = ? AND axis = ? AND slot BETWEEN ? AND ? AND weight BETWEEN ? AND ? AND whole",
	/* on its own: SQLite reads a row with all its columns */
	[CHUNK_DATA] = "SELECT data FROM chunk WHERE rowid = ?",
	[COVER_READ] = "SELECT s.name, c.first, c.last, c.n, c.crc FROM coverage c LEFT JOIN source s ON s.id = c.source"
		" WHERE c.inst = ? AND c.last >= ? AND c.first <= ?",
	[LOSS_READ] = "SELECT s.name, l.n, l.sum, l.first, l.last, l.crc FROM loss l LEFT JOIN source s ON s.id = l.source"
		" WHERE l.inst = ? AND l.last >= ? AND l.first <= ?",
	[MARK_READ] = "SELECT slot, kind, value, crc FROM mark WHERE inst = ? AND slot BETWEEN ? AND ?",
	[EXEMPLARS_READ] = "SELECT s.name, e.slot, e.data, e.crc FROM exemplars e LEFT JOIN source s ON s.id = e.source"
		" WHERE e.inst = ? AND e.slot BETWEEN ? AND ? ORDER BY e.slot",
	[HOT_OLDEST] = "SELECT slot FROM hot WHERE inst = ? AND tier = ? AND axis = ? AND slot >= ? ORDER BY slot LIMIT 1",
	[CHUNK_GET] = "SELECT data FROM chunk"
		" WHERE inst = ? AND tier = ? AND axis = ? AND slot = ? AND weight = ? AND ruler = ? AND key = ?",
	[CHUNK_PUT] = "INSERT OR REPLACE INTO chunk(inst, tier, axis, slot, weight, ruler, key, whole, data)"
		" VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[CHUNK_DROP] = "DELETE FROM chunk"
		" WHERE inst = ? AND tier = ? AND axis = ? AND slot = ? AND weight = ? AND ruler = ? AND key = ?",
	[FAMILY_EACH] = "SELECT key, data FROM chunk"
		" WHERE inst = ? AND tier = ? AND axis = ? AND slot = ? AND weight = ? AND ruler = ? AND key",
	[WHOLE_GET] = "SELECT key, data FROM chunk"
		" WHERE inst = ? AND tier = ? AND axis = ? AND slot = ? AND weight = ? AND ruler = ? AND whole",
	[WHOLE_CLEAR] = "UPDATE chunk SET whole = 0"
		" WHERE inst = ? AND tier = ? AND axis = ? AND slot = ? AND weight = ? AND ruler = ?",
	[INST_PUT] = "INSERT OR REPLACE INTO inst VALUES(?, ?)",
	[INST_EACH] = "SELECT id, json FROM inst ORDER BY id",
	[SLOT_NS_EACH] = "SELECT inst FROM slot_ns",
	[CHUNK_OLDEST] = "SELECT slot FROM chunk WHERE inst = ? AND tier = ? AND axis = ? ORDER BY slot LIMIT 1",
	[COVER_NEWEST] = "SELECT min(last, ?2) FROM coverage WHERE inst = ?1 AND first <= ?2 ORDER BY last DESC LIMIT 1",
	[CHUNK_EXPIRE] = "DELETE FROM chunk WHERE inst = ? AND tier = ? AND axis = ? AND slot <= ?",
	[HOT_EXPIRE] = "DELETE FROM hot WHERE inst = ? AND tier = ? AND axis = ? AND slot < ?",
	[SEEN_EXPIRE] = "DELETE FROM seen WHERE inst = ?1 AND slot < ?2 AND last < ?2",
	[COVER_EXPIRE] = "DELETE FROM coverage WHERE inst = ? AND last < ?",
	[LOSS_EXPIRE] = "DELETE FROM loss WHERE inst = ? AND last < ?",
	[MARK_EXPIRE] = "DELETE FROM mark WHERE inst = ? AND slot < ?",
	[EXEMPLARS_EXPIRE] = "DELETE FROM exemplars WHERE inst = ? AND slot < ?",
	[KEY_EXPIRE] = "DELETE FROM key WHERE inst = ?1 AND id NOT IN (SELECT key FROM hot WHERE inst = ?1)"
		" AND NOT EXISTS (SELECT 1 FROM chunk WHERE chunk.key = key.id)",
	[COVER_OLDEST] = "SELECT min(first) FROM coverage WHERE inst = ? AND last >= ? AND first < ?",
	[COVER_SOURCES] = "SELECT DISTINCT c.source, s.name FROM coverage c LEFT JOIN source s ON s.id = c.source"
		" WHERE c.inst = ? AND c.last >= ? AND c.first < ?",
	[COVER_WINDOW] = "SELECT first, last, n, crc FROM coverage"
		" WHERE inst = ? AND source = ? AND last >= ? AND first <= ? ORDER BY first",
	[LOSS_WINDOW] = "SELECT l.rowid, l.source, s.name, l.n, l.sum, l.first, l.last, l.crc FROM loss l"
		" LEFT JOIN source s ON s.id = l.source WHERE l.inst = ? AND l.last >= ? AND l.last < ?"
		" ORDER BY l.source, l.last, l.first",
	[LOSS_DROP] = "DELETE FROM loss WHERE rowid = ?",
	[MARK_WINDOW] = "SELECT rowid, slot, kind, value, crc FROM mark WHERE inst = ? AND slot >= ? AND slot < ? ORDER BY kind, slot",
	[MARK_DROP] = "DELETE FROM mark WHERE rowid = ?",
	[DELETE_FIRST] = "DELETE FROM inst WHERE id = ?",
	[DELETE_SLOT_NS] = "DELETE FROM slot_ns WHERE inst = ?",
	[DELETE_HORIZON] = "DELETE FROM horizon WHERE inst = ?",
	[DELETE_HOT] = "DELETE FROM hot WHERE inst = ?",
	[DELETE_CHUNK] = "DELETE FROM chunk WHERE inst = ?",
	[DELETE_COVER] = "DELETE FROM coverage WHERE inst = ?",
	[DELETE_LOSS] = "DELETE FROM loss WHERE inst = ?",
	[DELETE_MARK] = "DELETE FROM mark WHERE inst = ?",
	[DELETE_SEEN] = "DELETE FROM seen WHERE inst = ?",
	[DELETE_EXEMPLARS] = "DELETE FROM exemplars WHERE inst = ?",
	[DELETE_LAST] = "DELETE FROM key WHERE inst = ?",
	[SOURCES_UNUSED] = "DELETE FROM source WHERE id NOT IN (SELECT source FROM coverage"
		" UNION SELECT source FROM loss UNION SELECT source FROM seen UNION SELECT source FROM exemplars)",
};
