/* Tests a damaged file: lost data are reported, and the rest stays. */
#include "test/kit/sqlite_kit.h"
#include "test/kit/exemplar_kit.h"

#include <stdio.h>
#include <unistd.h>

/* Makes a store, with all slots but the newest in chunks, and its file. */
static struct batch *fill(struct fixture *f, size_t n)
{
	struct batch *batch = kit_batches(&sqlite_shape, n);

	store_add(f->store, batch, n);
	assert_int_equal(f->store->ops->compact(f->store, KIT_INST, 1200), 0);
	f->store->ops->close(f->store);
	f->store = NULL;
	return batch;
}

/* Inverts every byte of a chunk, one after the other: the chunk is left out, and read() reports it. */
STORE_TEST(a_damaged_chunk_is_shown_as_lost)
{
	struct fixture *f = *state;
	struct batch *batch = fill(f, 60);
	struct gathered *whole = gathered_sum(batch, 60, 0, 10000, -1);
	__u64 events = gathered_events(whole);
	char sql[300];
	size_t len = 400;

	for (size_t at = 0; at < len; at += at < 24 ? 1 : 13) {
		struct gathered *got;

		snprintf(sql, sizeof(sql), "UPDATE chunk SET data = CAST(substr(data, 1, %zu)"
			 " || CASE hex(substr(data, %zu, 1)) WHEN '00' THEN X'01' ELSE X'00' END"
			 " || substr(data, %zu) AS BLOB) WHERE rowid = (SELECT min(rowid) FROM chunk);"
			 "PRAGMA wal_checkpoint", at, at + 1, at + 2);
		sqlite_meddle(f, "CREATE TABLE IF NOT EXISTS kept AS SELECT rowid AS id, data FROM chunk");
		sqlite_meddle(f, sql);
		f->store = sqlite_open(f->dir);
		assert_non_null(f->store);
		assert_int_equal(kit_read(f->store, 0, 10000, -1, &got), 0);
		assert_non_null(strstr(f->store->reason, "damaged chunk"));
		assert_true(gathered_events(got) < events);
		assert_int_equal(gathered_lost(got), 1);
		assert_int_equal(gathered_covered(got), gathered_covered(whole));
		gathered_free(got);
		/* late slices for it stay readable next to it, also when compacted */
		assert_int_equal(f->store->ops->compact(f->store, KIT_INST, 1200), 0);
		sqlite_meddle(f, "UPDATE chunk SET data = (SELECT data FROM kept WHERE id = chunk.rowid)");
	}
	gathered_free(whole);
	kit_free(batch, 60);
}

STORE_TEST(late_slices_stay_beside_a_damaged_chunk)
{
	struct fixture *f = *state;
	struct batch *batch = fill(f, 60), *late = kit_batch("late", 1030, 999, NULL, 5000, 8);
	struct gathered *before, *after;

	sqlite_meddle(f, "UPDATE chunk SET data = X'00'");
	f->store = sqlite_open(f->dir);
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

/* The chunk of all keys is made again from the chunks of the keys when slices are added to it. */
STORE_TEST(a_damaged_whole_is_made_anew)
{
	struct fixture *f = *state;
	struct batch *batch = fill(f, 60), *late = kit_batch("late", 1030, 999, NULL, 5000, 8);
	struct gathered *all = gathered_sum(batch, 60, 0, 10000, -1);
	char sql[200];
	__u64 lost;

	snprintf(sql, sizeof(sql), "UPDATE chunk SET data = X'00' WHERE key = 0 AND axis = 0 AND weight = 0 AND ruler = %llu",
		 RULER(UNIT_NS, 5, 10, 39));
	sqlite_meddle(f, sql);
	f->store = sqlite_open(f->dir);
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

/* In every tier, and for every kind of read. */
STORE_TEST(damage_that_is_compacted_stays_told)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&sqlite_shape, 60);
	struct gathered *all = gathered_sum(batch, 60, 0, 10000, -1);
	__u64 lost;

	store_add(f->store, batch, 60);
	sqlite_meddle(f, "UPDATE hot SET crc = 5 WHERE slot IN (SELECT slot FROM hot LIMIT 1)");
	f->store = sqlite_open(f->dir);
	assert_int_equal(f->store->ops->compact(f->store, KIT_INST, 1300), 0);
	for (int i = 0; i < 2 * TIERS; i++) {
		assert_true(events_in(f->store, i / 2, i % 2, &lost) < gathered_events(all));
		assert_true(lost > 0);
	}
	gathered_free(all);
	kit_free(batch, 60);
}

STORE_TEST(a_damaged_row_is_shown_as_lost_and_gives_way)
{
	struct fixture *f = *state;
	struct batch *b = kit_batch("a", 1000, 1, "select", 5000, 3);
	struct gathered *g;

	store_add(f->store, b, 1);
	sqlite_meddle(f, "UPDATE hot SET slot = 1001");
	f->store = sqlite_open(f->dir);
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

STORE_TEST(damaged_coverage_is_not_observed)
{
	struct fixture *f = *state;
	struct batch *b = kit_batch("a", 1000, 1, "select", 5000, 3);
	struct gathered *g;

	store_add(f->store, b, 1);
	sqlite_meddle(f, "UPDATE coverage SET last = 5000");
	f->store = sqlite_open(f->dir);
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

STORE_TEST(damaged_exemplars_are_left_out_and_counted)
{
	struct fixture *f = *state;
	static const struct kit_exemplar one = { 5000, 0, 0, 1, "select ?", NULL };
	struct batch *b = kit_batch("a", 1000, 1, "select", 5000, 3);
	int n = 0;
	const struct store_reader reader = { .arg = &n, .exemplars = count_exemplars };
	struct bytes exemplars = { 0 };

	kit_exemplars(&exemplars, 0, &one, 1);
	b->exemplars = exemplars.data;
	b->exemplars_len = exemplars.len;
	store_add(f->store, b, 1);
	sqlite_meddle(f, "UPDATE exemplars SET slot = 1001");
	f->store = sqlite_open(f->dir);
	assert_int_equal(f->store->ops->read(f->store, KIT_INST, &(struct store_range){ .last = 10000 }, &reader), 0);
	assert_int_equal(n, 0);
	assert_non_null(strstr(f->store->reason, "damaged exemplars"));
	assert_int_equal(f->store->n_damaged, 1);
	bytes_fini(&exemplars);
	kit_free(b, 1);
}

/* For every flipped bit of the file: an error, a reason, or the right data.  Never other data without a reason. */
STORE_TEST(a_flipped_bit_is_never_silent)
{
	struct fixture *f = *state;
	struct batch *batch = fill(f, 60);
	struct gathered *whole = gathered_sum(batch, 60, 0, 10000, -1);
	int n_refused = 0, n_reasons = 0, n_same = 0, n_silent = 0;
	char path[300], name[310];
	size_t len;
	__u8 *data;

	sqlite_path(f->dir, path, sizeof(path));
	data = whole_file(path, &len);
	for (int round = 0; round < 500; round++) {
		size_t bit = check_below(8 * len);
		char reason[256];
		struct gathered *got;

		data[bit / 8] ^= 1 << bit % 8;
		file_write(path, data, len);
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
		else if (kit_same(whole, got))
			n_same++;
		else if (++n_silent)
			print_message("# bit %zu of byte %zu is silent\n", bit % 8, bit / 8);
		gathered_free(got);
		f->store->ops->close(f->store);
		f->store = NULL;
	}
	print_message("# %d refused, %d reported, %d same, %d silent\n", n_refused, n_reasons, n_same, n_silent);
	assert_int_equal(n_silent, 0);
	free(data);
	gathered_free(whole);
	kit_free(batch, 60);
}

TEST_MAIN()
