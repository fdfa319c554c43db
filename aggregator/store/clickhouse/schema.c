/* Makes the tables, and upgrades those of an older version: the text "schema" has the version.
 *
 * Two     Two processes may make one database at once.  All that they write is the same, except the identity: a view has
 *         it, and the second CREATE VIEW does nothing.
 * SQL     Versions from 18.16 on understand it: no codecs, no TTL, no projections.
 * Days    A partition is a day.  Old days are dropped or rewritten without touching the newer ones.
 * Parts   One INSERT makes one part, and they come at least once a second: the limits are wider than ClickHouse's own.
 * Index   It has every 1024th row: a picture of one key needs the rows of a few hundred slots, and a roll-up those of ten
 *         minutes of each key.
 * 3 to 4  Rows were ordered by key before slot, so a few slots of all keys were in all places of the day.  `filed` becomes
 *         filed_3, a copy of it with a name of its own is made, and the copy becomes FILED.  Several processes may do so at once:
 *         each has its own copy, and the server gives only the first one the name.  Nothing is written to the tables meanwhile:
 *         a program of version 3 that still runs finds no `filed`, and its senders keep their batches.
 *         A histogram is one text of bytes in `data`; before, it was the arrays `buckets` and `counts`, which old rows keep.
 * 2 to 4  The index had every 8192nd row, and there were no steps (row.h).  `filed` becomes filed_2.  If a program of version 3
 *         was stopped while it upgraded, there may be a filed_2 and a copy of it with the name `filed`, which becomes filed_3. */
#include "aggregator/store/clickhouse/clickhouse.h"

#include "collector/core/array.h"
#include "collector/core/log.h"
#include "collector/core/refuse.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text_table[] =
	"(name String, text String, version UInt64) ENGINE = ReplacingMergeTree(version) ORDER BY name "
	"SETTINGS parts_to_delay_insert = 1000, parts_to_throw_insert = 3000";

static const char filed_table[] =
	"(day Date, inst UInt64, life UInt32, kind UInt8, axis UInt8, weight UInt8, ruler UInt64, period Int64, key String, slot Int64, "
	"source String, incarnation UInt64, batch_slot Int64, seq UInt32, part UInt32, version UInt64, first Int64, last Int64, "
	"n UInt64, total UInt64, low UInt64, high UInt64, large UInt8, buckets Array(UInt16), counts Array(UInt64), "
	"firsts Array(Int64), lasts Array(Int64), data String) "
	"ENGINE = ReplacingMergeTree(version) PARTITION BY day "
	"ORDER BY (inst, life, kind, axis, weight, ruler, period, key, slot, source, incarnation, batch_slot, seq, part) "
	"SETTINGS index_granularity = 1024, parts_to_delay_insert = 1000, parts_to_throw_insert = 3000";

static int make_table(struct clickhouse *q, const char *name, const char *text)
{
	sql_begin(q, "CREATE TABLE IF NOT EXISTS %s.%s %s", q->database, name, text);
	return request_run(q);
}

static int take_number(void *arg, struct cursor *c)
{
	__u64 n = cursor_get_int(c, 8);

	if (!c->err)
		*(__u64 *)arg = n;
	return 0;
}

/* A user who may use the database is not always allowed to make one. */
static int make_database(struct clickhouse *q)
{
	__u64 n = 0;
	int err;

	sql_begin(q, "SELECT count() FROM system.databases WHERE name = '%s'", q->database);
	err = request_select(q, take_number, &n);
	if (err || n)
		return err;
	sql_begin(q, "CREATE DATABASE IF NOT EXISTS %s", q->database);
	return request_run(q);
}

/* Settings that newer versions have; each is 1 or 0 as here.
 *   async_insert  0: an INSERT is answered when it is written.
 *   max_table_size_to_drop, max_partition_size_to_drop  0: a table of an earlier version, or a day, is dropped at any size.
 *   do_not_merge_across_partitions_select_final  1: rows of one name are of one day, so FINAL need not compare days. */
static const char wished_settings[] = "'async_insert', 'do_not_merge_across_partitions_select_final', "
	"'max_table_size_to_drop', 'max_partition_size_to_drop'";

static int take_setting(void *arg, struct cursor *c)
{
	struct row_text name = row_get_text(c);
	struct clickhouse *q = arg;
	char *longer;

	if (c->err)
		return 0;
	if (asprintf(&longer, "%s&%.*s=%d", q->settings, (int)name.len, (const char *)name.data, name.data[0] == 'd') < 0)
		return -ENOMEM;
	free(q->settings);
	q->settings = longer;
	return 0;
}

static int know_settings(struct clickhouse *q)
{
	sql_begin(q, "SELECT name FROM system.settings WHERE name IN (%s)", wished_settings);
	return request_select(q, take_setting, q);
}

static int make_identity(struct clickhouse *q)
{
	char uuid[40];
	int err = store_uuid(uuid);

	if (err)
		return err;
	sql_begin(q, "CREATE VIEW IF NOT EXISTS %s.identity AS SELECT '%s' AS uuid", q->database, uuid);
	return request_run(q);
}

static int take_identity(void *arg, struct cursor *c)
{
	struct row_text uuid = row_get_text(c);

	if (!c->err)
		snprintf(arg, 40, "%.*s", (int)uuid.len, (const char *)uuid.data);
	return 0;
}

int schema_identity(struct clickhouse *q, char ret_uuid[40])
{
	ret_uuid[0] = 0;
	sql_begin(q, "SELECT uuid FROM %s.identity", q->database);
	return request_select(q, take_identity, ret_uuid);
}

/* --- from version 2 or 3 to 4 --- */

struct days {
	unsigned *day;			/* since 1970 */
	size_t n, room;
};

static int take_day(void *arg, struct cursor *c)
{
	unsigned day = (unsigned)cursor_get_int(c, 2);
	struct days *d = arg;

	if (c->err)
		return 0;
	if (array_grow(&d->day, d->n, &d->room, sizeof(*d->day)))
		return -ENOMEM;
	d->day[d->n++] = day;
	return 0;
}

/* Than those of a second, which almost all have: put_period() names the others. */
static bool has_other_slots(const struct state *s) { return s->slot_ns && s->slot_ns != 1000000000; }

/* Appends the period of a row as an expression of its instrumentation and slot, as row_period(). */
static void put_period(struct clickhouse *q, const char *kind)
{
	static const enum row_kind kinds[] = { ROW_SLOT, ROW_MINUTE, ROW_STEP };
	const size_t n = sizeof(kinds) / sizeof(*kinds);

	sql_put(q, "intDiv(slot, (toInt64(transform(%s, [", kind);
	for (size_t i = 0; i < n; i++)
		sql_put(q, "%s%d", i ? "," : "", kinds[i]);
	sql_put(q, "], [");
	for (size_t i = 0; i < n; i++)
		sql_put(q, "%s%lld", i ? "," : "", (long long)row_period_slots(1000000000, kinds[i]));
	sql_put(q, "], 0) * transform(inst, [0");
	for (size_t i = 0; i < q->n_states; i++)
		if (has_other_slots(&q->state[i]))
			sql_put(q, ",%llu", (unsigned long long)q->state[i].inst);
	sql_put(q, "], [1");
	for (size_t i = 0; i < q->n_states; i++)
		if (has_other_slots(&q->state[i]))
			sql_put(q, ",%llu", 1000000000 / (unsigned long long)q->state[i].slot_ns);
	sql_put(q, "], 1)) AS per) + (per = 0)) * per");
}

/* The columns of a step's row that is made of a late row of a slot, see `Late` in clickhouse.h. */
#define STEP_COLUMNS "inst, life, kind, axis, weight, ruler, key, slot, source, incarnation, batch_slot, seq, part, version, n, total, low, " \
	"high, large, buckets, counts"

/* Roll-ups leave out rows of late batches, which have steps of their own. */
static int copy_late(struct clickhouse *q, const char *copy, unsigned day, bool whole)
{
	enum row_kind kind = whole ? ROW_WHOLE_STEP : ROW_STEP;
	char text[16];

	snprintf(text, sizeof(text), "toUInt8(%d)", kind);
	sql_begin(q, "INSERT INTO %s.%s (period, day, " STEP_COLUMNS ") SELECT ", q->database, copy);
	put_period(q, text);
	sql_put(q, ", day, inst, life, %s, axis, weight, ruler, %s, intDiv(slot, %d) * %d, source, incarnation, batch_slot, seq, part, "
		"version, n, total, low, high, large, buckets, counts FROM %s.filed_2 WHERE day = toDate(%u) AND kind = %d AND version >= 1 "
		"AND version < %d", text, whole ? "''" : "key", STEP_SLOTS, STEP_SLOTS, q->database, day, ROW_SLOT, TIERS);
	return request_run(q);
}

static int copy_day(struct clickhouse *q, int old, const char *copy, unsigned day)
{
	int err;

	sql_begin(q, "INSERT INTO %s.%s (" ROW_COLUMNS ") SELECT ", q->database, copy);
	put_period(q, "kind");
	sql_put(q, ", " ROW_COLUMNS_3 " FROM %s.filed_%d WHERE day = toDate(%u)", q->database, old, day);
	err = request_run(q);
	if (!err && old == 2)
		err = copy_late(q, copy, day, false);
	return err || old != 2 ? err : copy_late(q, copy, day, true);
}

static int copy_days(struct clickhouse *q, int old, const char *copy)
{
	struct days days = { 0 };
	int err = states_load_all(q);

	sql_begin(q, "SELECT DISTINCT toUInt16(day) FROM %s.filed_%d", q->database, old);
	if (!err)
		err = request_select(q, take_day, &days);
	if (!err)
		log_info("ClickHouse: the database %s is upgraded, which copies its data of %zu days", q->database, days.n);
	for (size_t i = 0; i < days.n && !err; i++)
		err = copy_day(q, old, copy, days.day[i]);
	free(days.day);
	states_forget(q);
	return err;
}

static int drop_table(struct clickhouse *q, const char *name)
{
	sql_begin(q, "DROP TABLE IF EXISTS %s.%s", q->database, name);
	return request_run(q);
}

static int rename_table(struct clickhouse *q, const char *from, const char *to)
{
	sql_begin(q, "RENAME TABLE %s.%s TO %s.%s", q->database, from, q->database, to);
	return request_run(q);
}

/* Returns in *ret_n whether the table is there: 1 or 0. */
static int find_table(struct clickhouse *q, const char *name, __u64 *ret_n)
{
	sql_begin(q, "SELECT count() FROM system.tables WHERE database = '%s' AND name = '%s'", q->database, name);
	return request_select(q, take_number, ret_n);
}

/* Gives `filed` a name by which no program writes to it, unless another process has done it: no program makes it again. */
static int move_old(struct clickhouse *q, int version)
{
	__u64 n = 0, has_2 = 0;
	int err = find_table(q, "filed", &n), moved;

	if (!err && n && version == 2)
		err = find_table(q, "filed_2", &has_2);
	if (err || !n)
		return err;
	moved = rename_table(q, "filed", version == 2 && !has_2 ? "filed_2" : "filed_3");
	err = moved ? find_table(q, "filed", &n) : 0;
	return err || !moved || !n ? err : moved;
}

/* Makes FILED of filed_3, or of filed_2.  If another process is the first, its copy is as good, and ours is dropped. */
static int make_copy(struct clickhouse *q)
{
	char copy[40];
	__u64 n = 0;
	int err = find_table(q, "filed_3", &n), found;

	if (err)
		return err;
	snprintf(copy, sizeof(copy), "filed_copy_%llu", (unsigned long long)version_next(q));
	err = make_table(q, copy, filed_table);
	if (!err)
		err = copy_days(q, n ? 3 : 2, copy);
	if (!err)
		err = rename_table(q, copy, FILED);
	if (!err)
		return 0;
	n = 0;
	found = find_table(q, FILED, &n);
	if (!found)
		drop_table(q, copy);
	return found || n ? found : err;
}

static int renew_table(struct clickhouse *q, int version)
{
	__u64 n = 0;
	int err = move_old(q, version);

	if (!err)
		err = find_table(q, FILED, &n);
	return err || n ? err : make_copy(q);
}

struct names {
	char (*name)[64];
	size_t n, room;
};

static int take_name(void *arg, struct cursor *c)
{
	struct row_text name = row_get_text(c);
	struct names *names = arg;

	if (c->err)
		return 0;
	if (array_grow(&names->name, names->n, &names->room, sizeof(*names->name)))
		return -ENOMEM;
	snprintf(names->name[names->n++], sizeof(*names->name), "%.*s", (int)name.len, (const char *)name.data);
	return 0;
}

/* Drops old tables and copies that were not completed.  A process that still makes one finds that FILED is there.  Tables that
 * could not be dropped take space only: the next start tries again. */
static void drop_old(struct clickhouse *q)
{
	struct names names = { 0 };
	__u64 n = 0;
	int err = find_table(q, FILED, &n);

	sql_begin(q, "SELECT name FROM system.tables WHERE database = '%s' AND (name IN ('filed_2', 'filed_3') OR "
		  "startsWith(name, 'filed_copy_'))", q->database);
	if (!err && n)
		err = request_select(q, take_name, &names);
	for (size_t i = 0; i < names.n && !err; i++)
		err = drop_table(q, names.name[i]);
	free(names.name);
	if (err)
		log_warning("ClickHouse: a table of an earlier version stays in the database %s: %s", q->database,
			    q->store.reason[0] ? q->store.reason : strerror(-err));
}

/* Minutes whose slots are still there are added up once more, which makes the steps. */
static int add_steps(struct clickhouse *q)
{
	int err = states_load_all(q);

	for (size_t i = 0; i < q->n_states && !err; i++)
		if (q->state[i].slot_ns)
			err = roll_minutes_again(q, &q->state[i]);
	states_forget(q);
	return err;
}

static int note_version(struct clickhouse *q, int version)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", version);
	return text_put(q, &(struct named_text){ "schema", text, (__u64)version }, 1);
}

/* Copying a year takes minutes.  An upgrade that was stopped begins again. */
static int upgrade_table(struct clickhouse *q, int version)
{
	int err;

	request_limit(q, false);
	err = renew_table(q, version);
	if (!err && version == 2)
		err = add_steps(q);
	if (!err)
		err = note_version(q, SCHEMA);
	if (!err)
		drop_old(q);
	request_limit(q, true);
	return err;
}

static int begin_tables(struct clickhouse *q)
{
	int err = make_table(q, FILED, filed_table);

	if (!err)
		err = make_identity(q);
	return err ? err : note_version(q, SCHEMA);
}

static int upgrade(struct clickhouse *q, int version)
{
	if (version == SCHEMA) {
		drop_old(q);
		return 0;
	}
	if (version == 2 || version == 3)
		return upgrade_table(q, version);
	if (version > SCHEMA)
		return refuse_in(-EPROTO, q->store.reason, sizeof(q->store.reason), "the ClickHouse database %.60s was made by a newer "
				 "version of heatscoped (schema %d, this one knows %d): install that version", q->database, version, SCHEMA);
	return refuse_in(-EINVAL, q->store.reason, sizeof(q->store.reason), "the ClickHouse database %.60s was made by a development "
			 "version of heatscoped (schema %d): use another database", q->database, version);
}

/* The names of databases stand in SQL as they are. */
static int check_name(struct clickhouse *q)
{
	const char *at = q->database;

	while (isalnum((unsigned char)*at) || *at == '_')
		at++;
	if (!*at && *q->database && !isdigit((unsigned char)*q->database))
		return 0;
	return refuse_in(-EINVAL, q->store.reason, sizeof(q->store.reason), "the ClickHouse database cannot be named \"%.60s\": use "
			 "letters, digits and _", q->database);
}

int schema_open(struct clickhouse *q)
{
	char *version = NULL;
	int err = check_name(q);

	if (!err)
		err = make_database(q);
	if (!err)
		err = know_settings(q);
	if (!err)
		err = make_table(q, "text", text_table);
	if (!err)
		err = text_get(q, "schema", &version);
	if (!err)
		err = *version ? upgrade(q, atoi(version)) : begin_tables(q);
	free(version);
	return err;
}
