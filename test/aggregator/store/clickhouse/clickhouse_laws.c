/* The laws of store.h, on the ClickHouse server at $CLICKHOUSE_URL; each test has a database of its own. */
#include "aggregator/store/clickhouse/row.h"
#include "collector/core/hist.h"
#include "test/aggregator/store/clickhouse/gate.h"
#include "test/kit/store_laws.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static void conf_of(const char *dir, char database[32], struct store_clickhouse_conf *ret_conf)
{
	snprintf(database, 32, "laws_%s", dir + strlen(dir) - 6);
	*ret_conf = (struct store_clickhouse_conf){ .url = getenv("CLICKHOUSE_URL"), .database = database, .user = "", .password = "", .ca = "" };
}

static struct store *open_clickhouse(const char *dir)
{
	struct store_clickhouse_conf conf;
	char database[32], reason[256] = "";
	struct store *s;
	int err;

	conf_of(dir, database, &conf);
	err = store_clickhouse_open(&conf, &s, reason, sizeof(reason));
	if (err)
		print_error("# %s (%d)\n", reason, err);
	return err ? NULL : s;
}

/* Asks the server for one number; the statement has one %s, for the database. */
static __u64 number_of(struct fixture *f, const char *sql)
{
	struct store_clickhouse_conf conf;
	char database[32], text[300];

	conf_of(f->dir, database, &conf);
	snprintf(text, sizeof(text), sql, database);
	return gate_ask_server(text);
}

static __u64 clickhouse_bytes(struct fixture *f)
{
	return number_of(f, "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = '%s'");
}

/* Each call is one step, and ClickHouse removes rows in the background. */
static void clickhouse_shrink_all(struct fixture *f, __u64 limit)
{
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(f->store->ops->shrink(f->store), 0);
		if (clickhouse_bytes(f) <= limit / 10 * 9)
			return;
		usleep(20000);
	}
	fail_msg("it still has %llu bytes", (unsigned long long)clickhouse_bytes(f));
}

const struct store_kind store_kind = {
	.open = open_clickhouse, .keeps = true, .bytes = clickhouse_bytes, .shrink = clickhouse_shrink_all, .times = 2,
};

static void assert_open_fails(const struct store_clickhouse_conf *conf, int want, const char *why)
{
	char reason[256] = "";
	struct store *s;

	assert_int_equal(store_clickhouse_open(conf, &s, reason, sizeof(reason)), want);
	if (!strstr(reason, why))
		fail_msg("the reason is: %s", reason);
}

TEST(a_server_that_is_away_is_said)
{
	const struct store_clickhouse_conf conf = { .url = "http://127.0.0.1:1", .database = "laws", .user = "", .password = "", .ca = "" };

	assert_open_fails(&conf, -EAGAIN, "127.0.0.1:1");
}

TEST(names_of_databases_are_checked)
{
	struct store_clickhouse_conf conf = { .url = getenv("CLICKHOUSE_URL"), .user = "", .password = "", .ca = "" };
	static const char *const bad[] = { "", "a b", "a;DROP", "1a", "a`", "a.b" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		conf.database = bad[i];
		assert_open_fails(&conf, -EINVAL, "cannot be named");
	}
}

TEST(a_user_that_is_not_admitted_is_said)
{
	const struct store_clickhouse_conf conf = { .url = getenv("CLICKHOUSE_URL"), .database = "laws", .user = "thief", .password = "secret", .ca = "" };

	assert_open_fails(&conf, -EACCES, "");
}

/* Rows are removed a call after they were dropped, and a day's parts when all its rows have been removed. */
STORE_TEST(a_day_that_all_tiers_dropped_leaves_the_disk)
{
	enum { DAYS = 6 };
	struct fixture *f = *state;

	for (int day = 0; day < DAYS; day++) {
		struct batch *b = kit_batch("a", 1700006400 + 86400 * day, 1, "x", 5000, 2);

		assert_int_equal(store_add(f->store, b, 1), 1);
		kit_free(b, 1);
	}
	for (int half = 0; half < 2 * DAYS; half++) {
		__s64 at = 1700006400 + 43200 * half;

		assert_int_equal(f->store->ops->expire(f->store, KIT_INST, (const __s64[]){ at, at, at }), 0);
		while (number_of(f, "SELECT count() FROM system.mutations WHERE database = '%s' AND NOT is_done"))
			usleep(20000);
	}
	assert_in_range(number_of(f, "SELECT uniq(partition) FROM system.parts WHERE active AND table = 'filed_4' AND database = '%s'"),
			1, 3);
	assert_in_range(number_of(f, "SELECT count() FROM %s.filed_4"), 1, 10);
}

/* No measure has this axis. */
STORE_TEST(a_damaged_row_is_counted_and_stops_neither_roll_up_nor_expiry)
{
	const struct store_range minutes = { .first = 1700006400, .last = 1700009999, .axis = -1, .weight = -1, .tier = 1 };
	struct fixture *f = *state;
	struct gathered *got;

	for (int i = 0; i < 4; i++) {
		struct batch *b = kit_batch("a", 1700006400 + 600 * i, 1, "x", 5000, 2);

		assert_int_equal(store_add(f->store, b, 1), 1);
		kit_free(b, 1);
	}
	number_of(f, "INSERT INTO %1$s.filed_4 (day, inst, life, kind, axis, period, slot, n) "
		  "SELECT day, inst, life, kind, 200, period, slot, n FROM %1$s.filed_4 WHERE kind = 0 AND slot = 1700007000");
	assert_int_equal(f->store->ops->compact(f->store, KIT_INST, 1700008200), 0);
	assert_int_equal(f->store->n_damaged, 1);
	assert_int_equal(f->store->ops->expire(f->store, KIT_INST, (const __s64[]){ 1700009000, 0, 0 }), 0);
	assert_int_equal(kit_read_range(f->store, &minutes, &got), 0);
	assert_int_equal(gathered_events(got), 8);
	assert_int_equal(gathered_lost(got), 1);
	gathered_free(got);
}

/* --- the schemas of versions 2 and 3 --- */

#define OLD_COLUMNS "day, inst, life, kind, axis, weight, ruler, key, slot, source, incarnation, batch_slot, seq, part, version, " \
	"first, last, n, total, low, high, large, buckets, counts, firsts, lasts, data"

static const char *const old_schema[] = {
	"CREATE DATABASE %s_old",
	"CREATE TABLE %s_old.text (name String, text String, version UInt64) ENGINE = ReplacingMergeTree(version) ORDER BY name",
	"CREATE TABLE %s_old.filed "
	"(day Date, inst UInt64, life UInt32, kind UInt8, axis UInt8, weight UInt8, ruler UInt64, key String, slot Int64, "
	"source String, incarnation UInt64, batch_slot Int64, seq UInt32, part UInt32, version UInt64, first Int64, last Int64, "
	"n UInt64, total UInt64, low UInt64, high UInt64, large UInt8, buckets Array(UInt16), counts Array(UInt64), "
	"firsts Array(Int64), lasts Array(Int64), data String) ENGINE = ReplacingMergeTree(version) PARTITION BY day "
	"ORDER BY (inst, life, kind, axis, weight, ruler, key, slot, source, incarnation, batch_slot, seq, part)",
	"CREATE VIEW %s_old.identity AS SELECT '00000000-0000-4000-8000-000000000002' AS uuid",
	"INSERT INTO %1$s_old.text SELECT * FROM %1$s.text WHERE name != 'schema'",
	NULL
};

/* An upgrade to version 3 was stopped when the copy had its name; one to version 4, while it copied. */
static const char *const stopped_2[] = {
	"RENAME TABLE %1$s_old.filed TO %1$s_old.filed_2",
	"CREATE TABLE %1$s_old.filed AS %1$s_old.filed_2",
	NULL
};
static const char *const stopped_3[] = {
	"RENAME TABLE %1$s_old.filed TO %1$s_old.filed_3",
	"CREATE TABLE %1$s_old.filed_copy_1 AS %1$s.filed_4",
	"INSERT INTO %1$s_old.filed_copy_1 SELECT * FROM %1$s.filed_4 WHERE slot < 1700100000",
	NULL
};

static void send_each(struct fixture *f, const char *const *sql)
{
	struct store_clickhouse_conf conf;
	char database[32], text[1500];

	conf_of(f->dir, database, &conf);
	for (; *sql; sql++) {
		snprintf(text, sizeof(text), *sql, database);
		gate_ask_server(text);
	}
}

/* --- rows of these versions: a histogram was two arrays --- */

static void put_arrays(struct bytes *out, struct hist_reader r)
{
	for (int i = 0; i < 2; i++) {
		struct hist_reader each = r;

		bytes_put_varint(out, r.n_left);
		while (hist_reader_next(&each))
			bytes_put_int(out, i ? each.value : each.cell, i ? 8 : 2);
	}
}

static void copy_array(struct cursor *c, size_t size, struct bytes *out)
{
	const __u8 *data;
	size_t n = row_get_array(c, size, &data);

	bytes_put_varint(out, n);
	bytes_put(out, data, n * size);
}

/* Its columns are OLD_COLUMNS. */
static void copy_row(struct cursor *c, struct bytes *out)
{
	const __u8 *row = c->data + c->at;
	bool is_slice = row[14] < ROW_NAME || row[14] >= ROW_WHOLE;
	struct hist_reader r = { .n_left = 0 };
	struct row_text data;
	struct bytes arrays = { 0 };
	__u64 ruler;

	cursor_get(c, 2 + 8 + 4 + 3);
	ruler = cursor_get_int(c, 8);
	row_get_text(c);
	cursor_get(c, 8);
	row_get_text(c);
	cursor_get(c, 8 + 8 + 4 + 4 + 8 + 8 + 8 + 4 * 8 + 1);
	bytes_put(out, row, (size_t)(c->data + c->at - row));
	for (int i = 0; i < 4; i++)
		copy_array(c, i ? 8 : 2, &arrays);
	data = row_get_text(c);
	if (is_slice) {
		assert_int_equal(hist_reader_open(&r, ruler, data.data, data.len), 0);
		bytes_clear(&arrays);
		put_arrays(&arrays, r);
		bytes_put_int(&arrays, 0, 2);
		data.len = 0;
	}
	bytes_put(out, arrays.data, arrays.len);
	row_put_text(out, data.data, data.len);
	bytes_fini(&arrays);
}

static size_t take_bytes(char *data, size_t size, size_t n, void *arg)
{
	bytes_put(arg, data, n);
	return n;
}

/* Sends a statement, with rows or without, and appends the answer. */
static void post(const char *sql, const struct bytes *rows, struct bytes *answer)
{
	CURL *easy = curl_easy_init();
	char *query = curl_easy_escape(easy, sql, 0), *url;

	assert_true(asprintf(&url, "%s/?query=%s", getenv("CLICKHOUSE_URL"), query) > 0);
	curl_easy_setopt(easy, CURLOPT_URL, rows ? url : getenv("CLICKHOUSE_URL"));
	curl_easy_setopt(easy, CURLOPT_POSTFIELDS, rows ? (const char *)rows->data : sql);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, rows ? (long)rows->len : (long)strlen(sql));
	curl_easy_setopt(easy, CURLOPT_FAILONERROR, 1L);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, answer);
	assert_int_equal(curl_easy_perform(easy), CURLE_OK);
	curl_free(query);
	free(url);
	curl_easy_cleanup(easy);
}

/* Copies rows of the store to the old table. */
static void copy_rows(struct fixture *f, const char *where)
{
	struct bytes rows = { 0 }, old = { 0 };
	struct store_clickhouse_conf conf;
	char database[32], text[700];
	struct cursor c;

	conf_of(f->dir, database, &conf);
	snprintf(text, sizeof(text), "SELECT " OLD_COLUMNS " FROM %s.filed_4 WHERE %s FORMAT RowBinary", database, where);
	post(text, NULL, &rows);
	for (c = (struct cursor){ .data = rows.data, .len = rows.len }; c.at < c.len && !c.err;)
		copy_row(&c, &old);
	assert_int_equal(c.err, 0);
	assert_true(old.len > 0);
	snprintf(text, sizeof(text), "INSERT INTO %s_old.filed (" OLD_COLUMNS ") FORMAT RowBinary", database);
	post(text, &old, &rows);
	bytes_fini(&rows);
	bytes_fini(&old);
}

/* Makes a database of an older version of the rows that the store has; version 2 had no steps. */
static void make_old(struct fixture *f, int version)
{
	send_each(f, old_schema);
	number_of(f, version == 2 ? "INSERT INTO %s_old.text VALUES ('schema', '2', 2)" : "INSERT INTO %s_old.text VALUES ('schema', '3', 3)");
	copy_rows(f, version == 2 ? "kind NOT IN (11, 12)" : "1");
}

static struct store *open_old(struct fixture *f, const char *url)
{
	struct store_clickhouse_conf conf;
	char database[32], reason[256] = "";
	struct store *s;

	conf_of(f->dir, database, &conf);
	strcat(database, "_old");
	conf.url = url;
	if (store_clickhouse_open(&conf, &s, reason, sizeof(reason)))
		fail_msg("%s", reason);
	return s;
}

static void assert_same_tiers(struct store *s, struct store *want, __s64 first, __s64 last)
{
	static const int grain[] = { 1, 12, 60 };

	for (int i = 0; i < 6 * TIERS; i++) {
		const struct store_range range = { .first = first, .last = last, .axis = -1, .weight = -1, .tier = i / 6, .whole = i % 2,
						   .grain = grain[i / 2 % 3] };
		struct gathered *a, *b;

		assert_int_equal(kit_read_range(s, &range, &a), 0);
		assert_int_equal(kit_read_range(want, &range, &b), 0);
		kit_assert_same(b, a);
		gathered_free(a);
		gathered_free(b);
	}
}

static void add_one(struct fixture *f, __s64 slot, __u32 seq)
{
	struct batch *b = kit_batch("a", slot, seq, "x", 5000, 2);

	assert_int_equal(store_add(f->store, b, 1), 1);
	kit_free(b, 1);
}

/* Hours of which the oldest have been dropped, up to the middle of a minute, and removed; some batches were late for minutes,
 * some for hours. */
static void fill_old(struct fixture *f, const struct batch *batch)
{
	__s64 slot[TIERS] = { 1700040017, 1700020000, 0 };

	store_add(f->store, batch, 200);
	add_one(f, 1700100030, 1000);
	for (int i = 0; i < 3; i++, slot[0] += 30000)
		assert_int_equal(f->store->ops->expire(f->store, KIT_INST, slot), 0);
	assert_int_equal(f->store->ops->compact(f->store, KIT_INST, 1700181000), 0);
	store_add(f->store, batch + 200, 50);
	add_one(f, 1700150005, 1001);
	add_one(f, 1700150006, 1002);
	add_one(f, 1700180500, 1003);		/* its minute was added up, its hour was not */
}

static const struct kit_shape fifty_hours = {
	.n_sources = 3, .n_keys = 4, .n_axes = 2, .n_slices = 5, .first = 1700000123, .last = 1700182123,
};

/* Then more is added and rolled up. */
static void assert_upgrades(struct fixture *f, int version, const char *const *stopped)
{
	struct batch *batch = kit_batches(&fifty_hours, 350);
	struct store *s;

	fill_old(f, batch);
	make_old(f, version);
	if (stopped)
		send_each(f, stopped);
	if (stopped == stopped_2)
		copy_rows(f, "kind NOT IN (11, 12) OR version < 3");	/* and the steps of late batches */
	s = open_old(f, getenv("CLICKHOUSE_URL"));
	assert_same_tiers(s, f->store, 1700000000, 1700190000);
	store_add(f->store, batch + 250, 100);
	store_add(s, batch + 250, 100);
	assert_same_tiers(s, f->store, 1700000000, 1700190000);
	assert_int_equal(s->ops->compact(s, KIT_INST, fifty_hours.last), 0);
	assert_same_tiers(s, f->store, 1700000000, 1700190000);
	assert_int_equal(number_of(f, "SELECT count() FROM system.tables WHERE database = '%s_old' AND name LIKE 'filed%%'"), 1);
	s->ops->close(s);
	kit_free(batch, 350);
}

STORE_TEST(a_database_of_version_2_is_upgraded) { assert_upgrades(*state, 2, NULL); }
STORE_TEST(a_database_of_version_3_is_upgraded) { assert_upgrades(*state, 3, NULL); }
STORE_TEST(an_upgrade_of_an_earlier_program_that_was_stopped_is_completed) { assert_upgrades(*state, 2, stopped_2); }
STORE_TEST(an_upgrade_that_was_stopped_begins_again) { assert_upgrades(*state, 3, stopped_3); }

/* It was stopped, or the server refused the DROP, when the version was noted. */
STORE_TEST(tables_that_an_upgrade_has_left_are_dropped)
{
	static const char *const left[] = { "filed_2", "filed_3", "filed_copy_7" };
	struct fixture *f = *state;
	char text[100];

	add_one(f, 1700000000, 1);
	make_old(f, 3);
	for (int i = 0; i < 2; i++) {
		struct store *s = open_old(f, getenv("CLICKHOUSE_URL"));

		assert_int_equal(number_of(f, "SELECT count() FROM system.tables WHERE database = '%s_old' AND name LIKE 'filed%%'"), 1);
		s->ops->close(s);
		for (size_t j = 0; j < sizeof(left) / sizeof(*left) && !i; j++) {
			snprintf(text, sizeof(text), "CREATE TABLE %%s_old.%s (day Date) ENGINE = Log", left[j]);
			number_of(f, text);
		}
	}
}

/* Slots of a tenth of a second: periods are a matter of time. */
STORE_TEST(short_slots_are_upgraded)
{
	const struct kit_shape shape = {
		.n_sources = 2, .n_keys = 3, .n_axes = 1, .n_slices = 4, .first = 17000000000, .last = 17000090000,
	};
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&shape, 200);
	struct store *s;

	for (int i = 0; i < 200; i++)
		batch[i].slot_ns = 100000000;
	store_add(f->store, batch, 200);
	assert_int_equal(f->store->ops->compact(f->store, KIT_INST, 17000072000), 0);
	make_old(f, 3);
	s = open_old(f, getenv("CLICKHOUSE_URL"));
	assert_same_tiers(s, f->store, shape.first, shape.last);
	s->ops->close(s);
	kit_free(batch, 200);
}

STORE_TEST(a_database_of_a_newer_version_is_refused)
{
	struct store_clickhouse_conf conf;
	struct fixture *f = *state;
	char database[32];

	conf_of(f->dir, database, &conf);
	number_of(f, "INSERT INTO %s.text VALUES ('schema', '5', 5)");
	assert_open_fails(&conf, -EPROTO, "newer version of heatscoped (schema 5, this one knows 4)");
}

struct other_upgrade {
	struct fixture *f;
	const struct batch *batch;
	struct store *store;
};

static void upgrade_other(void *arg)
{
	struct other_upgrade *o = arg;

	o->store = open_old(o->f, getenv("CLICKHOUSE_URL"));
	store_add(o->store, o->batch, 100);
}

/* A second one upgrades, and adds, while the first one copies. */
static void assert_two_upgrade(struct fixture *f, int version)
{
	struct batch *batch = kit_batches(&fifty_hours, 350);
	struct other_upgrade other = { .f = f, .batch = batch + 250 };
	struct gate *gate = gate_open(getenv("CLICKHOUSE_URL"));
	struct store *s;

	fill_old(f, batch);
	make_old(f, version);
	gate_act(gate, GATE_BEFORE, upgrade_other, &other);
	s = open_old(f, gate_url(gate));
	assert_true(gate_acted(gate));
	store_add(f->store, batch + 250, 100);
	assert_same_tiers(s, f->store, 1700000000, 1700190000);
	assert_same_tiers(other.store, f->store, 1700000000, 1700190000);
	assert_int_equal(number_of(f, "SELECT count() FROM system.tables WHERE database = '%s_old' AND name LIKE 'filed%%'"), 1);
	other.store->ops->close(other.store);
	s->ops->close(s);
	gate_close(gate);
	kit_free(batch, 350);
}

STORE_TEST(two_upgrade_a_database_of_version_2_at_once_and_lose_nothing) { assert_two_upgrade(*state, 2); }
STORE_TEST(two_upgrade_a_database_of_version_3_at_once_and_lose_nothing) { assert_two_upgrade(*state, 3); }

/* A picture of many slots need not read each slot. */
STORE_TEST(longer_rows_are_read_instead_of_slots)
{
	struct store_range range = { .first = 1700000040, .last = 1700003639, .axis = -1, .weight = -1 };
	static const struct { bool whole; int grain, pieces; } cases[] = {
		{ true, 12, 300 }, { false, 12, 300 }, { true, 60, 60 }, { false, 60, 60 }, { true, 1, 900 }, { false, 4, 900 },
	};
	struct fixture *f = *state;
	struct gathered *got;

	for (__s64 slot = range.first; slot <= range.last; slot += 4) {
		struct batch *b = kit_batch("a", slot, 1, "x", 5000, 2);

		store_add(f->store, b, 1);
		kit_free(b, 1);
	}
	assert_int_equal(f->store->ops->compact(f->store, KIT_INST, range.last + 1000), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		range.whole = cases[i].whole;
		range.grain = cases[i].grain;
		assert_int_equal(kit_read_range(f->store, &range, &got), 0);
		assert_int_equal(gathered_events(got), 1800);
		assert_int_equal(gathered_pieces(got), cases[i].pieces);
		gathered_free(got);
	}
}

static void count_slice(void *arg, __s64 slot, const struct slice *slice)
{
	(*(unsigned *)arg)++;
}

static __u64 granules_read_once(struct fixture *f, __s64 first, __s64 last)
{
	const char *sql = "SELECT value FROM system.events WHERE event = 'SelectedMarks' AND '%s' != ''";
	const struct store_range range = { .first = first, .last = last, .axis = -1, .weight = -1 };
	unsigned n = 0;
	const struct store_reader reader = { .arg = &n, .slice = count_slice };
	__u64 before;

	while (number_of(f, "SELECT count() FROM system.mutations WHERE NOT is_done AND '%s' != ''"))
		usleep(20000);			/* they read, too */
	before = number_of(f, sql);
	assert_int_equal(f->store->ops->read(f->store, KIT_INST, &range, &reader), 0);
	assert_true(n > 0);
	return number_of(f, sql) - before;
}

/* Returns how many granules of rows the server reads for slices of the range.  It counts those of its other work, too. */
static __u64 granules_read(struct fixture *f, __s64 first, __s64 last)
{
	__u64 least = UINT64_MAX;

	for (int i = 0; i < 3; i++) {
		__u64 n = granules_read_once(f, first, last);

		least = n < least ? n : least;
	}
	return least;
}

/* Some 180,000 rows of 50 keys in three hours.  Each weight and ruler has places of its own. */
STORE_TEST(a_few_slots_of_all_keys_are_read_without_the_rest_of_the_day)
{
	const struct kit_shape shape = {
		.n_sources = 1, .n_keys = 50, .n_axes = 1, .n_slices = 50, .first = 1700006400, .last = 1700017199,
	};
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&shape, 8000);
	__u64 all, few;

	assert_int_equal(store_add(f->store, batch, 8000), 8000);
	all = granules_read(f, shape.first, shape.last);
	few = granules_read(f, 1700007350, 1700007357);
	if (!all || few > all / 4)
		fail_msg("8 slots: %llu granules, all slots: %llu", (unsigned long long)few, (unsigned long long)all);
	kit_free(batch, 8000);
}

TEST_MAIN()
