/* Makes the tables, and upgrades those of an older version: the text "schema" has the version.
 *
 * Two     Two processes may make one database at once.  All that they write is the same, except the identity: a view has
 *         it, and the second CREATE VIEW does nothing.
 * SQL     Versions from 18.16 on understand it: no codecs, no TTL, no projections.
 * Days    A partition is a day.  Old days are dropped or rewritten without touching the newer ones.
 * Parts   One INSERT makes one part, and they come at least once a second: the limits are wider than ClickHouse's own. */
#include "aggregator/store/clickhouse/clickhouse.h"

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
	"(day Date, inst UInt64, life UInt32, kind UInt8, axis UInt8, weight UInt8, ruler UInt64, key String, slot Int64, "
	"source String, incarnation UInt64, batch_slot Int64, seq UInt32, part UInt32, version UInt64, first Int64, last Int64, "
	"n UInt64, total UInt64, low UInt64, high UInt64, large UInt8, buckets Array(UInt16), counts Array(UInt64), "
	"firsts Array(Int64), lasts Array(Int64), data String) "
	"ENGINE = ReplacingMergeTree(version) PARTITION BY day "
	"ORDER BY (inst, life, kind, axis, weight, ruler, key, slot, source, incarnation, batch_slot, seq, part) "
	"SETTINGS parts_to_delay_insert = 1000, parts_to_throw_insert = 3000";

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
 *   do_not_merge_across_partitions_select_final  1: rows of one name are of one day, so FINAL need not compare days. */
static const char wished_settings[] = "'async_insert', 'do_not_merge_across_partitions_select_final'";

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

static int begin_tables(struct clickhouse *q)
{
	char version[16];
	const struct named_text first = { "schema", version, SCHEMA };
	int err = make_table(q, "filed", filed_table);

	snprintf(version, sizeof(version), "%d", SCHEMA);
	if (!err)
		err = make_identity(q);
	return err ? err : text_put(q, &first, 1);
}

/* Later versions: one step for each, which adds columns or tables, and then notes its version. */
static int upgrade(struct clickhouse *q, int version)
{
	if (version == SCHEMA)
		return 0;
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
