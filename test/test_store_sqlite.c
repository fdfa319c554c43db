#include "store_laws.h"
#include "store_kit.h"
#include "exemplar_kit.h"

#include "aggregator/chunk.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct kit_shape shape = {
	.n_sources = 2, .n_keys = 3, .n_axes = 2, .n_slices = 6, .first = 1020, .last = 1239,
};

static void path_in(const char *dir, char *ret, size_t room)
{
	snprintf(ret, room, "%s/heatscope.db", dir);
}

static struct store *open_sqlite(const char *dir)
{
	char path[300], reason[256] = "";
	struct store *s;
	int err;

	path_in(dir, path, sizeof(path));
	err = store_sqlite_open(path, &s, reason, sizeof(reason));
	if (err)
		print_error("# %s (%d)\n", reason, err);
	return err ? NULL : s;
}

static void keep_json(void *arg, __u64 inst, const char *json)
{
	snprintf(arg, 1000, "%s", json);
}

const struct store_kind store_kind = { .open = open_sqlite, .keeps = true };

/* Runs SQL on the closed file, as nobody should. */
static void meddle(struct fixture *f, const char *sql)
{
	char path[300];
	sqlite3 *db;

	path_in(f->dir, path, sizeof(path));
	if (f->store)
		f->store->ops->close(f->store);
	f->store = NULL;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static __u8 *read_file(const char *path, size_t *ret_len)
{
	FILE *file = fopen(path, "rb");
	__u8 *data = malloc(1 << 24);

	assert_true(file && data);
	*ret_len = fread(data, 1, 1 << 24, file);
	fclose(file);
	return data;
}

static void write_file(const char *path, const void *data, size_t len)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
	fclose(file);
}

static void assert_refused(struct fixture *f, int want, const char *why)
{
	char path[300], reason[256] = "";
	struct store *s;
	int err;

	path_in(f->dir, path, sizeof(path));
	err = store_sqlite_open(path, &s, reason, sizeof(reason));
	assert_int_equal(err, want);
	assert_non_null(strstr(reason, why));
	assert_memory_equal(reason, path, strlen(path));
}

/* --- the file --- */

static void the_file_is_for_its_owner_and_group(void **state)
{
	struct fixture *f = *state;
	char path[300];
	struct stat stat_buf;

	path_in(f->dir, path, sizeof(path));
	assert_int_equal(stat(path, &stat_buf), 0);
	assert_int_equal(stat_buf.st_mode & 0137, 0);
	assert_int_equal(stat_buf.st_mode & 0600, 0600);
}

static void refuses_a_newer_schema(void **state)
{
	meddle(*state, "PRAGMA user_version = 3");
	assert_refused(*state, -EPROTO, "newer version");
}

static void refuses_a_foreign_database_and_leaves_it_alone(void **state)
{
	struct fixture *f = *state;
	char path[300];
	__u8 *before, *after;
	size_t len, len_after;

	path_in(f->dir, path, sizeof(path));
	f->store->ops->close(f->store);
	f->store = NULL;
	unlink(path);
	meddle(f, "CREATE TABLE t(a)");
	before = read_file(path, &len);
	assert_refused(f, -EINVAL, "another program");
	after = read_file(path, &len_after);
	assert_int_equal(len, len_after);
	assert_memory_equal(before, after, len);
	free(before);
	free(after);
}

static void refuses_what_is_no_database(void **state)
{
	struct fixture *f = *state;
	char path[300], text[8192];

	path_in(f->dir, path, sizeof(path));
	f->store->ops->close(f->store);
	f->store = NULL;
	memset(text, 'x', sizeof(text));
	write_file(path, text, sizeof(text));
	assert_refused(f, -EBADMSG, "not a database");
}

static void refuses_a_directory_that_is_not_there(void **state)
{
	char reason[256];
	struct store *s;

	assert_int_equal(store_sqlite_open("/nowhere/at/all.db", &s, reason, sizeof(reason)), -ENOENT);
	assert_string_equal(reason, "/nowhere/at/all.db: No such file or directory");
}

static void an_empty_file_becomes_a_store(void **state)
{
	struct fixture *f = *state;
	char path[300];

	path_in(f->dir, path, sizeof(path));
	f->store->ops->close(f->store);
	write_file(path, "", 0);
	f->store = open_sqlite(f->dir);
	assert_non_null(f->store);
}

/* --- a file of version 1 --- */

static char *read_text(const char *name)
{
	const char *dir = getenv("srcdir");
	char path[300];
	size_t len;
	char *text;

	snprintf(path, sizeof(path), "%s/test/%s", dir ? dir : ".", name);
	text = (char *)read_file(path, &len);
	text[len] = 0;
	return text;
}

static void assert_upgraded(struct store *s)
{
	for (int i = 0; i < 2 * TIERS; i++) {
		struct store_range range = { .last = 1800000000, .axis = -1, .weight = -1, .tier = i / 2, .whole = i % 2 };
		struct gathered *g;

		assert_int_equal(kit_read_range(s, &range, &g), 0);
		assert_string_equal(s->reason, "");
		assert_int_equal(gathered_events(g), 2108);
		assert_int_equal(gathered_lost(g), 115);
		assert_int_equal(gathered_covered(g), 395);
		gathered_free(g);
	}
}

/* store_v1.sql is what version 0.1.0 had written of 160 batches, most of them in chunks. */
static void a_file_of_version_1_is_upgraded_with_all_that_is_in_it(void **state)
{
	struct fixture *f = *state;
	char *sql = read_text("store_v1.sql"), path[300], text[1000] = "";
	struct batch *late = kit_batch("host 1", 1700000100, 999, NULL, 5000, 3);

	path_in(f->dir, path, sizeof(path));
	f->store->ops->close(f->store);
	f->store = NULL;
	unlink(path);
	meddle(f, sql);
	for (int i = 0; i < 3; i++) {
		f->store = open_sqlite(f->dir);
		assert_non_null(f->store);
		assert_upgraded(f->store);
		f->store->ops->compact(f->store, KIT_INST, i ? 1800000000 : 0);
		if (i < 2)
			f->store->ops->close(f->store);
	}
	f->store->ops->inst_each(f->store, keep_json, text);
	assert_non_null(strstr(text, "\"module\":\"mysql\""));
	assert_int_equal(store_add(f->store, late, 1), 1);
	kit_free(late, 1);
	free(sql);
}

/* --- tiers --- */

static __s64 number_in(struct fixture *f, const char *sql)
{
	char path[300];
	sqlite3_stmt *stmt;
	sqlite3 *db;
	__s64 n;

	path_in(f->dir, path, sizeof(path));
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	n = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return n;
}

/* A source that reports a random half of its slots, for three days: 120,000 runs, of which few stay. */
static void coverage_of_a_flapping_source_stays_small(void **state)
{
	enum { HOURS = 72 };
	struct fixture *f = *state;
	struct batch *batch = calloc(3600, sizeof(*batch));
	bool *is_new = calloc(3600, sizeof(*is_new));
	__u64 n_all = 0, n;
	struct gathered *g;

	for (__s64 hour = 0; hour < HOURS; hour++) {
		__s64 now = 1700000000 + 3600 * (hour + 1), horizon[TIERS] = { now - 7200, now - 24 * 3600, now - 1000 * 3600 };

		n = 0;
		for (__s64 i = 0; i < 3600; i++)
			if (check_below(2))
				batch[n++] = (struct batch){ .source = "a", .inst = KIT_INST, .slot_ns = 1000000000,
							     .slot = now - 3600 + i, .run = 1 };
		assert_int_equal(f->store->ops->add(f->store, batch, n, is_new), 0);
		assert_int_equal(f->store->ops->expire(f->store, KIT_INST, horizon), 0);
		n_all += n;
	}
	kit_read_range(f->store, &(struct store_range){ .last = 1800000000, .tier = 2 }, &g);
	assert_int_equal(gathered_covered(g) + gathered_sparse(g), n_all);
	gathered_free(g);
	assert_in_range(number_in(f, "SELECT count(*) FROM coverage"), 1, 2 * 1800 + 24 * 60 + HOURS);
	free(batch);
	free(is_new);
}

/* --- a limit --- */

static __u64 bytes_of(struct fixture *f)
{
	static const char *const suffix[] = { "", "-wal" };
	char path[300], name[310];
	struct stat st;
	__u64 bytes = 0;

	path_in(f->dir, path, sizeof(path));
	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s%s", path, suffix[i]);
		bytes += stat(name, &st) ? 0 : (__u64)st.st_size;
	}
	return bytes;
}

/* A slot's batch with so many slices of random values. */
static void slot_batch(struct batch *b, struct slice *slice, __s64 slot, int n_keys)
{
	static struct bytes key[16], cells[16];

	*b = (struct batch){ .source = "a", .inst = KIT_INST, .slot_ns = 1000000000, .slot = slot, .run = 1, .slice = slice,
			     .n_slices = (size_t)n_keys };
	for (int i = 0; i < n_keys; i++) {
		char label[8];
		struct hist h;

		bytes_clear(&key[i]);
		bytes_clear(&cells[i]);
		snprintf(label, sizeof(label), "k%d", i);
		labels_put(&key[i], label);
		assert_int_equal(hist_init(&h, RULER(UNIT_NS, 5, 10, 39)), 0);
		for (int j = 0; j < 40; j++)
			hist_record(&h, check_value(), 1);
		hist_encode(&h, &cells[i]);
		hist_fini(&h);
		slice[i] = (struct slice){ .ruler = RULER(UNIT_NS, 5, 10, 39), .key = { key[i].data, (__u16)key[i].len },
					   .hist = cells[i].data, .hist_len = (__u32)cells[i].len };
	}
}

/* What each tier says that it still has, it has; the finest has lost most. */
static void assert_kept(struct store *s, __s64 from, __s64 to, int n_keys, __s64 kept_from[TIERS])
{
	assert_int_equal(store_kept(s, KIT_INST, kept_from), 0);

	for (int tier = 0; tier < TIERS; tier++) {
		struct store_range range = { .first = kept_from[tier] > from ? kept_from[tier] : from, .last = to - 1, .axis = -1, .weight = -1,
					     .tier = tier };
		struct gathered *g;

		for (int whole = 0; whole < 2; whole++) {
			range.whole = whole;
			kit_read_range(s, &range, &g);
			assert_string_equal(s->reason, "");
			assert_int_equal(gathered_events(g), (__u64)(to - range.first) * 40 * (__u64)n_keys);
			gathered_free(g);
		}
		assert_true(!tier || kept_from[tier] <= kept_from[tier - 1]);
	}
}

static void a_limit_holds_and_drops_the_oldest_of_the_finest(void **state)
{
	enum { KEYS = 4, LIMIT = 6000000, HOURS = 24 };
	const __s64 from = 1699999200;
	struct fixture *f = *state;
	struct batch *batch = calloc(60, sizeof(*batch));
	struct slice slice[16];
	__s64 kept_from[TIERS], slot = from;
	__u64 most = 0;
	bool is_new;

	assert_int_equal(f->store->ops->limit(f->store, LIMIT), 0);
	for (int hour = 0; hour < HOURS; hour++) {
		for (; slot < from + 3600 * (hour + 1); slot++) {
			slot_batch(batch, slice, slot, KEYS);
			assert_int_equal(f->store->ops->add(f->store, batch, 1, &is_new), 0);
			assert_true(is_new);
			most = bytes_of(f) > most ? bytes_of(f) : most;
			if (slot % 300)
				continue;
			assert_int_equal(f->store->ops->compact(f->store, KIT_INST, slot), 0);
			assert_int_equal(f->store->ops->shrink(f->store), 0);
		}
		if (hour % 6 == 5)
			assert_kept(f->store, from, slot, KEYS, kept_from);
	}
	assert_true(f->store->n_dropped > 0);
	assert_in_range(kept_from[0], from + 1, slot - 3000);		/* some is gone, but not the newest hour */
	assert_in_range(most, LIMIT / 2, LIMIT);
	print_message("# at most %llu of %d bytes; slots are kept for %lld s, minutes for %lld s\n", (unsigned long long)most, LIMIT,
		      (long long)(slot - kept_from[0]), (long long)(slot - (kept_from[1] > from ? kept_from[1] : from)));
	free(batch);
}

/* One that had grown before there was a limit gives back what is too much. */
static void a_file_that_is_too_large_shrinks(void **state)
{
	enum { KEYS = 4, LIMIT = 4000000 };
	const __s64 from = 1699999200, to = from + 4 * 3600;
	struct fixture *f = *state;
	struct slice slice[16];
	struct batch b;
	__s64 kept_from[TIERS];
	bool is_new;

	for (__s64 slot = from; slot < to; slot++) {
		slot_batch(&b, slice, slot, KEYS);
		assert_int_equal(f->store->ops->add(f->store, &b, 1, &is_new), 0);
	}
	assert_int_equal(f->store->ops->compact(f->store, KIT_INST, to), 0);
	assert_true(bytes_of(f) > LIMIT);
	store_reopen(f);
	assert_int_equal(f->store->ops->limit(f->store, LIMIT), 0);
	f->store->ops->close(f->store);		/* the log goes into the file */
	assert_in_range(bytes_of(f), 1, LIMIT);
	f->store = open_sqlite(f->dir);
	assert_kept(f->store, from, to, KEYS, kept_from);
}

/* One key is its own whole; from a second one on, which may come late, there is one more chunk. */
static void the_whole_is_one_chunk_of_the_sixty_slots(void **state)
{
	static const char *const key[] = { "select", "select", "insert", "update" };
	static const int n_chunks[] = { 1, 1, 3, 4 };
	struct fixture *f = *state;

	for (int i = 0; i < 4; i++) {
		struct batch *b = kit_batch("a", 1020 + i % 2, (__u32)i, key[i], 5000, 3);
		struct store_range range = { .first = 1020, .last = 1079, .whole = true };
		struct gathered *g;

		store_add(f->store, b, 1);
		assert_int_equal(f->store->ops->compact(f->store, KIT_INST, 1200), 0);
		assert_int_equal(number_in(f, "SELECT count(*) FROM chunk WHERE tier = 0"), n_chunks[i]);
		assert_int_equal(number_in(f, "SELECT count(*) FROM chunk WHERE tier = 0 AND whole"), 1);
		kit_read_range(f->store, &range, &g);
		assert_int_equal(gathered_events(g), 3 * (i + 1));
		assert_int_equal(gathered_pieces(g), i ? 2 : 1);
		gathered_free(g);
		kit_free(b, 1);
	}
}

/* --- damage --- */

/* A store of which all is in chunks but the newest slots, and its file. */
static struct batch *fill(struct fixture *f, size_t n)
{
	struct batch *batch = kit_batches(&shape, n);

	store_add(f->store, batch, n);
	assert_int_equal(f->store->ops->compact(f->store, KIT_INST, 1200), 0);
	f->store->ops->close(f->store);
	f->store = NULL;
	return batch;
}

static struct gathered *sum_of(const struct batch *batch, size_t n)
{
	struct gathered *g = gathered_new(0, 10000, -1);

	for (size_t i = 0; i < n; i++)
		gather_batch(g, &batch[i]);
	return g;
}

static bool same(struct gathered *a, struct gathered *b)
{
	struct bytes x = { 0 }, y = { 0 };
	bool same;

	gathered_bytes(a, &x);
	gathered_bytes(b, &y);
	same = x.len == y.len && !memcmp(x.data, y.data, x.len);
	bytes_fini(&x);
	bytes_fini(&y);
	return same;
}

/* Every byte of a chunk is turned over, one after the other: the chunk is left out, and said so. */
static void a_damaged_chunk_is_shown_as_lost(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = fill(f, 60);
	struct gathered *whole = sum_of(batch, 60);
	__u64 events = gathered_events(whole);
	char sql[300];
	size_t len = 400;

	for (size_t at = 0; at < len; at += at < 24 ? 1 : 13) {
		struct gathered *got;

		snprintf(sql, sizeof(sql), "UPDATE chunk SET data = CAST(substr(data, 1, %zu)"
			 " || CASE hex(substr(data, %zu, 1)) WHEN '00' THEN X'01' ELSE X'00' END"
			 " || substr(data, %zu) AS BLOB) WHERE rowid = (SELECT min(rowid) FROM chunk);"
			 "PRAGMA wal_checkpoint", at, at + 1, at + 2);
		meddle(f, "CREATE TABLE IF NOT EXISTS kept AS SELECT rowid AS id, data FROM chunk");
		meddle(f, sql);
		f->store = open_sqlite(f->dir);
		assert_non_null(f->store);
		assert_int_equal(kit_read(f->store, 0, 10000, -1, &got), 0);
		assert_non_null(strstr(f->store->reason, "damaged chunk"));
		assert_true(gathered_events(got) < events);
		assert_int_equal(gathered_lost(got), 1);
		assert_int_equal(gathered_covered(got), gathered_covered(whole));
		gathered_free(got);
		/* what is late for it stays readable beside it, also when compacted */
		assert_int_equal(f->store->ops->compact(f->store, KIT_INST, 1200), 0);
		meddle(f, "UPDATE chunk SET data = (SELECT data FROM kept WHERE id = chunk.rowid)");
	}
	gathered_free(whole);
	kit_free(batch, 60);
}

static void late_slices_stay_beside_a_damaged_chunk(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = fill(f, 60), *late = kit_batch("late", 1030, 999, NULL, 5000, 8);
	struct gathered *before, *after;

	meddle(f, "UPDATE chunk SET data = X'00'");
	f->store = open_sqlite(f->dir);
	assert_non_null(f->store);
	assert_int_equal(kit_read(f->store, 0, 10000, -1, &before), 0);
	store_add(f->store, late, 1);
	assert_int_equal(f->store->ops->compact(f->store, KIT_INST, 1200), 0);
	assert_int_equal(kit_read(f->store, 0, 10000, -1, &after), 0);
	assert_true(gathered_lost(before) > 0);
	assert_int_equal(gathered_lost(before), gathered_lost(after));
	assert_int_equal(gathered_events(before) + 8, gathered_events(after));
	gathered_free(before);
	gathered_free(after);
	kit_free(late, 1);
	kit_free(batch, 60);
}

static __u64 events_in(struct store *s, int tier, bool whole, __u64 *ret_lost)
{
	struct gathered *g;
	__u64 n;

	kit_read_range(s, &(struct store_range){ .last = 10000, .axis = -1, .weight = -1, .tier = tier, .whole = whole }, &g);
	n = gathered_events(g);
	*ret_lost = gathered_lost(g);
	gathered_free(g);
	return n;
}

/* It can be made from the keys' chunks again, and is when something is added to it. */
static void a_damaged_whole_is_made_anew(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = fill(f, 60), *late = kit_batch("late", 1030, 999, NULL, 5000, 8);
	struct gathered *all = sum_of(batch, 60);
	char sql[200];
	__u64 lost;

	snprintf(sql, sizeof(sql), "UPDATE chunk SET data = X'00' WHERE key = 0 AND axis = 0 AND weight = 0 AND ruler = %llu",
		 RULER(UNIT_NS, 5, 10, 39));
	meddle(f, sql);
	f->store = open_sqlite(f->dir);
	assert_int_equal(events_in(f->store, 0, false, &lost), gathered_events(all));
	assert_int_equal(lost, 0);
	assert_true(events_in(f->store, 0, true, &lost) < gathered_events(all));
	assert_true(lost > 0);
	store_add(f->store, late, 1);
	assert_int_equal(f->store->ops->compact(f->store, KIT_INST, 1200), 0);
	assert_int_equal(events_in(f->store, 0, true, &lost), gathered_events(all) + 8);
	assert_int_equal(lost, 0);
	gathered_free(all);
	kit_free(late, 1);
	kit_free(batch, 60);
}

/* In every tier, however it is read. */
static void damage_that_is_compacted_stays_told(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&shape, 60);
	struct gathered *all = sum_of(batch, 60);
	__u64 lost;

	store_add(f->store, batch, 60);
	meddle(f, "UPDATE hot SET crc = 5 WHERE slot IN (SELECT slot FROM hot LIMIT 1)");
	f->store = open_sqlite(f->dir);
	assert_int_equal(f->store->ops->compact(f->store, KIT_INST, 1300), 0);
	for (int i = 0; i < 2 * TIERS; i++) {
		assert_true(events_in(f->store, i / 2, i % 2, &lost) < gathered_events(all));
		assert_true(lost > 0);
	}
	gathered_free(all);
	kit_free(batch, 60);
}

static void a_damaged_row_is_shown_as_lost_and_gives_way(void **state)
{
	struct fixture *f = *state;
	struct batch *b = kit_batch("a", 1000, 1, "select", 5000, 3);
	struct gathered *g;

	store_add(f->store, b, 1);
	meddle(f, "UPDATE hot SET slot = 1001");
	f->store = open_sqlite(f->dir);
	assert_int_equal(kit_read(f->store, 0, 10000, -1, &g), 0);
	assert_int_equal(gathered_events(g), 0);
	assert_int_equal(gathered_lost(g), 1);
	gathered_free(g);
	b->slot = 1001;
	assert_int_equal(store_add(f->store, b, 1), 1);
	assert_int_equal(kit_read(f->store, 0, 10000, -1, &g), 0);
	assert_int_equal(gathered_events(g), 3);
	assert_int_equal(gathered_lost(g), 1);
	assert_string_equal(f->store->reason, "");
	gathered_free(g);
	kit_free(b, 1);
}

static void damaged_coverage_is_not_observed(void **state)
{
	struct fixture *f = *state;
	struct batch *b = kit_batch("a", 1000, 1, "select", 5000, 3);
	struct gathered *g;

	store_add(f->store, b, 1);
	meddle(f, "UPDATE coverage SET last = 5000");
	f->store = open_sqlite(f->dir);
	assert_int_equal(kit_read(f->store, 0, 10000, -1, &g), 0);
	assert_int_equal(gathered_covered(g), 0);
	assert_non_null(strstr(f->store->reason, "damaged coverage"));
	assert_int_equal(f->store->n_damaged, 1);
	gathered_free(g);
	kit_free(b, 1);
}

static void count_exemplars(void *arg, const char *source, __s64 slot, const __u8 *data, size_t len)
{
	++*(int *)arg;
}

static void damaged_exemplars_are_left_out_and_counted(void **state)
{
	struct fixture *f = *state;
	static const struct kit_exemplar one = { 5000, 0, 0, 1, "select ?", NULL };
	struct batch *b = kit_batch("a", 1000, 1, "select", 5000, 3);
	int n = 0;
	const struct store_reader reader = { .arg = &n, .exemplars = count_exemplars };
	struct bytes told = { 0 };

	kit_exemplars(&told, 0, &one, 1);
	b->exemplars = told.data;
	b->exemplars_len = told.len;
	store_add(f->store, b, 1);
	meddle(f, "UPDATE exemplars SET slot = 1001");
	f->store = open_sqlite(f->dir);
	assert_int_equal(f->store->ops->read(f->store, KIT_INST, &(struct store_range){ .last = 10000 }, &reader), 0);
	assert_int_equal(n, 0);
	assert_non_null(strstr(f->store->reason, "damaged exemplars"));
	assert_int_equal(f->store->n_damaged, 1);
	bytes_fini(&told);
	kit_free(b, 1);
}

/* A file of before there were any. */
static void a_file_without_the_table_gets_it(void **state)
{
	struct fixture *f = *state;
	struct batch *b = kit_batch("a", 1000, 1, "select", 5000, 3);

	store_add(f->store, b, 1);
	meddle(f, "DROP TABLE exemplars");
	f->store = open_sqlite(f->dir);
	assert_non_null(f->store);
	assert_int_equal(store_add(f->store, b, 1), 0);
	kit_free(b, 1);
}

/* Any bit of the file: an error, a reason, or the right data.  Never other data without a word. */
static void a_flipped_bit_is_never_silent(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = fill(f, 60);
	struct gathered *whole = sum_of(batch, 60);
	int n_refused = 0, n_reasons = 0, n_same = 0, n_silent = 0;
	char path[300], name[310];
	size_t len;
	__u8 *data;

	path_in(f->dir, path, sizeof(path));
	data = read_file(path, &len);
	for (int round = 0; round < 500; round++) {
		size_t bit = check_below(8 * len);
		char reason[256];
		struct gathered *got;

		data[bit / 8] ^= 1 << bit % 8;
		write_file(path, data, len);
		data[bit / 8] ^= 1 << bit % 8;
		snprintf(name, sizeof(name), "%s-wal", path);
		unlink(name);
		snprintf(name, sizeof(name), "%s-shm", path);
		unlink(name);
		if (store_sqlite_open(path, &f->store, reason, sizeof(reason))) {
			assert_string_not_equal(reason, "");
			f->store = NULL;
			n_refused++;
			continue;
		}
		if (kit_read(f->store, 0, 10000, -1, &got) || f->store->reason[0])
			n_reasons += f->store->reason[0] != 0;
		else if (same(whole, got))
			n_same++;
		else if (++n_silent)
			print_message("# bit %zu of byte %zu is silent\n", bit % 8, bit / 8);
		gathered_free(got);
		f->store->ops->close(f->store);
		f->store = NULL;
	}
	print_message("# %d refused, %d told, %d same, %d silent\n", n_refused, n_reasons, n_same, n_silent);
	assert_int_equal(n_silent, 0);
	free(data);
	gathered_free(whole);
	kit_free(batch, 60);
}

/* --- a disk that is full --- */

static void limit_file_size(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Files that must not grow stand for the disk. */
static void a_full_disk_refuses_as_a_whole_and_goes_on_later(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&shape, 400);
	struct gathered *want, *got;
	bool is_new[400];

	store_add(f->store, batch, 40);
	signal(SIGXFSZ, SIG_IGN);
	limit_file_size(65536);
	assert_true(f->store->ops->add(f->store, batch, 400, is_new) < 0);
	limit_file_size(RLIM_INFINITY);
	assert_string_not_equal(f->store->reason, "");
	for (int i = 0; i < 400; i++)
		assert_false(is_new[i]);
	want = sum_of(batch, 40);
	assert_int_equal(kit_read(f->store, 0, 10000, -1, &got), 0);
	kit_assert_same(want, got);
	gathered_free(want);
	gathered_free(got);
	assert_int_equal(store_add(f->store, batch, 400), 360);
	want = sum_of(batch, 400);
	assert_int_equal(kit_read(f->store, 0, 10000, -1, &got), 0);
	kit_assert_same(want, got);
	gathered_free(want);
	gathered_free(got);
	kit_free(batch, 400);
}

/* --- being killed --- */

/* Adds batch after batch, some at a time, compacts between, and says after each how many it added. */
static void add_until_killed(const char *dir, const struct batch *batch, size_t n, int say)
{
	struct store *s = open_sqlite(dir);
	bool is_new[8];

	for (size_t at = 0; s && at + 4 <= n; at += 4) {
		__u32 done = (__u32)at + 4;

		if (s->ops->add(s, &batch[at], 4, is_new) || write(say, &done, sizeof(done)) != sizeof(done))
			_exit(1);
		s->ops->compact(s, KIT_INST, at % 12 ? 1000 + (__s64)at : 10000000);	/* hours, too */
	}
	_exit(0);
}

/* Lets it run for a moment, from its beginning or from its first word on, and kills it.  How many
 * batches it said it had added. */
static __u32 run_and_kill(const char *dir, const struct batch *batch, size_t n, bool from_first_word)
{
	__u32 said = 0;
	int pipe_fd[2];
	pid_t pid;

	assert_int_equal(pipe(pipe_fd), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		add_until_killed(dir, batch, n, pipe_fd[1]);
	close(pipe_fd[1]);
	if (from_first_word && read(pipe_fd[0], &said, sizeof(said)) != sizeof(said))
		said = 0;
	usleep((useconds_t)check_below(from_first_word ? 2500 : 8000));
	kill(pid, SIGKILL);
	while (read(pipe_fd[0], &said, sizeof(said)) == sizeof(said))
		;
	close(pipe_fd[0]);
	waitpid(pid, NULL, 0);
	return said;
}

static void assert_tiers_agree(struct store *s, __u64 events)
{
	for (int i = 0; i < 2 * TIERS; i++) {
		struct gathered *g;

		kit_read_range(s, &(struct store_range){ .last = 10000, .axis = -1, .weight = -1, .tier = i / 2, .whole = i % 2 }, &g);
		assert_int_equal(gathered_events(g), events);
		gathered_free(g);
	}
}

/* After a SIGKILL at any moment all that was said to be added is there, and each call as a whole. */
static void killed_at_any_moment_keeps_all_or_nothing(void **state)
{
	enum { N = 800 };
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&shape, N);
	int round, n_unheard = 0;
	size_t done = 0;

	for (round = 0; round < 100 && done < N; round++) {
		struct gathered *want, *got;

		f->store->ops->close(f->store);
		done += run_and_kill(f->dir, batch + done, N - done, round % 2);
		f->store = open_sqlite(f->dir);
		assert_non_null(f->store);
		assert_int_equal(kit_read(f->store, 0, 10000, -1, &got), 0);
		assert_string_equal(f->store->reason, "");
		want = sum_of(batch, done);
		if (!same(want, got)) {		/* one more was committed, and its word not heard */
			done += 4;
			n_unheard++;
			gathered_free(want);
			want = sum_of(batch, done);
			kit_assert_same(want, got);
		}
		assert_int_equal(store_add(f->store, batch, done), 0);
		assert_tiers_agree(f->store, gathered_events(want));
		gathered_free(want);
		gathered_free(got);
	}
	print_message("# killed %d times, %d of them between a commit and its word, %zu batches\n", round, n_unheard, done);
	assert_true(done > 0);
	kit_free(batch, N);
}

#define OWN(f) cmocka_unit_test_setup_teardown(f, store_setup, store_teardown)

int main(void)
{
	const struct CMUnitTest own[] = {
		OWN(the_file_is_for_its_owner_and_group),
		OWN(refuses_a_newer_schema),
		OWN(refuses_a_foreign_database_and_leaves_it_alone),
		OWN(refuses_what_is_no_database),
		OWN(refuses_a_directory_that_is_not_there),
		OWN(an_empty_file_becomes_a_store),
		OWN(a_file_of_version_1_is_upgraded_with_all_that_is_in_it),
		OWN(coverage_of_a_flapping_source_stays_small),
		OWN(a_limit_holds_and_drops_the_oldest_of_the_finest),
		OWN(a_file_that_is_too_large_shrinks),
		OWN(the_whole_is_one_chunk_of_the_sixty_slots),
		OWN(a_damaged_chunk_is_shown_as_lost),
		OWN(late_slices_stay_beside_a_damaged_chunk),
		OWN(a_damaged_whole_is_made_anew),
		OWN(damage_that_is_compacted_stays_told),
		OWN(a_damaged_row_is_shown_as_lost_and_gives_way),
		OWN(damaged_coverage_is_not_observed),
		OWN(damaged_exemplars_are_left_out_and_counted),
		OWN(a_file_without_the_table_gets_it),
		OWN(a_flipped_bit_is_never_silent),
		OWN(a_full_disk_refuses_as_a_whole_and_goes_on_later),
		OWN(killed_at_any_moment_keeps_all_or_nothing),
	};
	struct CMUnitTest all[N_STORE_LAWS + sizeof(own) / sizeof(own[0])];

	cmocka_set_message_output(CM_OUTPUT_TAP);
	check_seed();
	memcpy(all, store_laws, sizeof(store_laws));
	memcpy(all + N_STORE_LAWS, own, sizeof(own));
	return _cmocka_run_group_tests("store_sqlite", all, sizeof(all) / sizeof(all[0]), NULL, NULL);
}
