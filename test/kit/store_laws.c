#include "test/kit/store_laws.h"
#include "test/kit/exemplar_kit.h"

#include <errno.h>
#include <stdio.h>

static const struct kit_shape narrow = {
	.n_sources = 2, .n_keys = 3, .n_axes = 2, .n_slices = 8, .first = 1000, .last = 1003, .losses = 6,
};

static void assert_holds(struct store *s, const struct batch *batch, size_t n, __s64 first, __s64 last, int axis)
{
	struct gathered *want = gathered_sum(batch, n, first, last, axis), *got;

	assert_int_equal(kit_read(s, first, last, axis, &got), 0);
	assert_string_equal(s->reason, "");
	kit_assert_same(want, got);
	gathered_free(want);
	gathered_free(got);
}

/* --- adding --- */

STORE_TEST(what_was_added_is_read_bit_for_bit)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&wide, 200);

	assert_int_equal(store_add(f->store, batch, 200), 200);
	assert_holds(f->store, batch, 200, 0, 10000, -1);
	store_reopen(f);
	assert_holds(f->store, batch, 200, 0, 10000, -1);
	kit_free(batch, 200);
}

STORE_TEST(a_batch_is_added_once)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&narrow, 60);

	assert_int_equal(store_add(f->store, batch, 60), 60);
	assert_int_equal(store_add(f->store, batch, 60), 0);
	store_reopen(f);
	assert_int_equal(store_add(f->store, batch + 20, 20), 0);
	assert_holds(f->store, batch, 60, 0, 10000, -1);
	kit_free(batch, 60);
}

STORE_TEST(a_duplicate_in_the_same_call_is_seen)
{
	struct fixture *f = *state;
	struct batch *b = kit_batch("a", 1000, 1, "select", 5000, 3);
	const struct batch twice[] = { *b, *b };
	bool is_new[2];

	assert_int_equal(f->store->ops->add(f->store, twice, 2, is_new), 0);
	assert_true(is_new[0]);
	assert_false(is_new[1]);
	assert_holds(f->store, b, 1, 0, 10000, -1);
	kit_free(b, 1);
}

/* Each part of a batch's name makes it another batch. */
STORE_TEST(another_name_is_another_batch)
{
	struct fixture *f = *state;
	struct batch *b = kit_batch("a", 1000, 1, "select", 5000, 1);
	struct batch other[6];
	struct gathered *g;

	for (int i = 0; i < 6; i++)
		other[i] = *b;
	strcpy(other[1].source, "b");
	other[2].incarnation++;
	other[3].slot++;
	other[4].seq++;
	other[5].inst++;
	assert_int_equal(store_add(f->store, other, 6), 6);
	kit_read(f->store, 0, 10000, -1, &g);
	assert_int_equal(gathered_events(g), 5);
	gathered_free(g);
	kit_free(b, 1);
}

STORE_TEST(adding_commutes)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&narrow, 40), *order = malloc(40 * sizeof(*order));

	assert_non_null(order);
	for (int round = 0; round < 8; round++) {
		memcpy(order, batch, 40 * sizeof(*order));
		kit_shuffle(order, 40);
		for (size_t at = 0, n; at < 40; at += n) {
			n = 1 + check_below(40 - at);
			assert_int_equal(store_add(f->store, order + at, n), n);
			f->store->ops->compact(f->store, KIT_INST, (__s64)check_below(1200));
		}
		assert_holds(f->store, batch, 40, 0, 10000, -1);
		assert_int_equal(f->store->ops->inst_delete(f->store, KIT_INST), 0);
	}
	free(order);
	kit_free(batch, 40);
}

STORE_TEST(refuses_a_bad_histogram_as_a_whole)
{
	struct fixture *f = *state;
	struct batch *good = kit_batch("a", 1000, 1, "select", 5000, 1), *bad = kit_batch("a", 1001, 2, "select", 5000, 1);
	struct batch both[] = { *good, *bad };
	bool is_new[2] = { true, true };
	struct gathered *g;

	bad->slice->hist_len--;
	assert_int_equal(f->store->ops->add(f->store, both, 2, is_new), -EBADMSG);
	assert_string_not_equal(f->store->reason, "");
	assert_false(is_new[0] || is_new[1]);
	assert_int_equal(kit_read(f->store, 0, 10000, -1, &g), 0);
	assert_int_equal(gathered_pieces(g), 0);
	assert_int_equal(gathered_covered(g), 0);
	gathered_free(g);
	bad->slice->hist_len++;
	assert_int_equal(store_add(f->store, both, 2), 2);
	kit_free(good, 1);
	kit_free(bad, 1);
}

/* --- coverage and losses --- */

STORE_TEST(empty_batches_extend_coverage)
{
	struct fixture *f = *state;
	struct batch quiet = { .source = "a", .inst = KIT_INST, .slot_ns = 1000000000, .slot = 1000, .run = 10 };
	struct gathered *g;

	assert_int_equal(store_add(f->store, &quiet, 1), 1);
	quiet.slot = 1010;
	quiet.seq = 1;
	quiet.run = 0;			/* its own slot still */
	assert_int_equal(store_add(f->store, &quiet, 1), 1);
	kit_read(f->store, 1005, 2000, -1, &g);
	assert_int_equal(gathered_pieces(g), 0);
	assert_int_equal(gathered_covered(g), 6);
	gathered_free(g);
}

struct spans { int n; __s64 first[8], last[8]; };

static void keep_span(void *arg, const char *source, __s64 first, __s64 last)
{
	struct spans *s = arg;

	assert_true(s->n < 8);
	s->first[s->n] = first;
	s->last[s->n++] = last;
}

STORE_TEST(coverage_merges_into_one_interval)
{
	struct fixture *f = *state;
	struct batch quiet = { .source = "a", .inst = KIT_INST, .slot_ns = 1000000000, .run = 1 };
	const struct store_reader reader = { .cover = keep_span };
	struct store_reader mine = reader;
	struct spans spans = { 0 };
	__s64 slot[100];

	for (int i = 0; i < 100; i++)
		slot[i] = 500 + i;
	for (int i = 99; i > 0; i--) {
		int j = (int)check_below((uint64_t)i + 1);
		__s64 other = slot[i];

		slot[i] = slot[j];
		slot[j] = other;
	}
	for (int i = 0; i < 100; i++) {
		quiet.slot = slot[i];
		quiet.seq = (__u32)i;
		store_add(f->store, &quiet, 1);
	}
	mine.arg = &spans;
	assert_int_equal(f->store->ops->read(f->store, KIT_INST, &(struct store_range){ .last = 10000, .axis = -1, .weight = -1 }, &mine), 0);
	assert_int_equal(spans.n, 1);
	assert_int_equal(spans.first[0], 500);
	assert_int_equal(spans.last[0], 599);
}

STORE_TEST(a_loss_is_kept_once_and_whole)
{
	struct fixture *f = *state;
	struct batch b = {
		.source = "a", .inst = KIT_INST, .slot_ns = 1000000000, .slot = 1020, .run = 1, .clock_step_ns = -5000000,
		.loss = { .n = 17, .sum = ~0ull, .first = 1000, .last = 1015 },
	};

	store_add(f->store, &b, 1);
	store_add(f->store, &b, 1);
	store_reopen(f);
	store_add(f->store, &b, 1);
	assert_holds(f->store, &b, 1, 0, 10000, -1);
	assert_holds(f->store, &b, 1, 1015, 1015, -1);
	assert_holds(f->store, &b, 1, 1016, 1019, -1);
	assert_holds(f->store, &b, 1, 1020, 1020, -1);
}

/* --- reading --- */

STORE_TEST(reads_by_axis_and_range)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&wide, 150);

	store_add(f->store, batch, 150);
	for (int round = 0; round < 2; round++) {
		for (int axis = -1; axis < 4; axis++) {
			assert_holds(f->store, batch, 150, 0, 10000, axis);
			assert_holds(f->store, batch, 150, 1037, 1101, axis);
			assert_holds(f->store, batch, 150, 1200, 1200, axis);
			assert_holds(f->store, batch, 150, 1, 999, axis);
		}
		assert_int_equal(f->store->ops->compact(f->store, KIT_INST, 1270), 0);
	}
	kit_free(batch, 150);
}

STORE_TEST(an_unknown_instrumentation_is_empty)
{
	struct fixture *f = *state;
	struct gathered *g;

	assert_int_equal(kit_read(f->store, 0, 10000, -1, &g), 0);
	assert_int_equal(gathered_pieces(g) + gathered_covered(g) + gathered_lost(g), 0);
	gathered_free(g);
	assert_int_equal(f->store->ops->compact(f->store, KIT_INST, 100), 0);
	assert_int_equal(f->store->ops->expire(f->store, KIT_INST, (const __s64[]){ 100, 100, 100 }), 0);
	assert_int_equal(f->store->ops->inst_delete(f->store, KIT_INST), 0);
}

/* --- long-term layout --- */

STORE_TEST(compacting_keeps_every_event)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&wide, 200);

	store_add(f->store, batch, 200);
	for (__s64 slot = 1000; slot < 1400; slot += 37) {
		assert_int_equal(f->store->ops->compact(f->store, KIT_INST, slot), 0);
		assert_holds(f->store, batch, 200, 0, 10000, -1);
	}
	store_reopen(f);
	assert_int_equal(store_add(f->store, batch, 200), 0);
	assert_holds(f->store, batch, 200, 0, 10000, -1);
	kit_free(batch, 200);
}

STORE_TEST(an_amendment_after_compacting_adds)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&wide, 200);

	for (size_t at = 0; at < 200; at += 50) {
		store_add(f->store, batch + at, 50);
		assert_holds(f->store, batch, at + 50, 0, 10000, -1);
		assert_int_equal(f->store->ops->compact(f->store, KIT_INST, 1400), 0);
		assert_holds(f->store, batch, at + 50, 0, 10000, -1);
	}
	kit_free(batch, 200);
}

/* Also where sums of it were read before, and are remembered. */
STORE_TEST(an_amendment_is_in_the_sums_and_counts)
{
	static const int grain[] = { 60, 4, 20, 12 };
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&wide, 200);

	for (size_t n = 50; n <= 200; n += 50) {
		store_add(f->store, batch + n - 50, 50);
		assert_int_equal(f->store->ops->compact(f->store, KIT_INST, 10000), 0);
		for (int i = 0; i < 16; i++) {
			struct store_range range = { .first = 1000 + 7 * (i / 8), .last = 9000, .axis = -1, .weight = i % 3 - 1, .whole = i % 2, .grain = grain[i / 2 % 4] };
			struct gathered *want = gathered_range(&range), *got;

			for (size_t j = 0; j < n; j++)
				gather_batch(want, &batch[j]);
			assert_int_equal(kit_read_range(f->store, &range, &got), 0);
			kit_assert_counts(f->store, &range);
			gathered_only_slices(want);
			gathered_only_slices(got);
			kit_assert_same(want, got);
			gathered_free(want);
			gathered_free(got);
		}
	}
	kit_free(batch, 200);
}

/* --- instrumentations --- */

static void keep_json(void *arg, __u64 inst, const char *json)
{
	size_t at = strlen(arg);

	snprintf((char *)arg + at, 200 - at, "%llu=%s ", (unsigned long long)inst, json);
}

STORE_TEST(instrumentations_are_kept)
{
	struct fixture *f = *state;
	char text[200] = "";

	assert_int_equal(f->store->ops->inst_put(f->store, 9, "{\"a\":1}"), 0);
	assert_int_equal(f->store->ops->inst_put(f->store, 3, "{}"), 0);
	assert_int_equal(f->store->ops->inst_put(f->store, 9, "{\"a\":2}"), 0);
	store_reopen(f);
	assert_int_equal(f->store->ops->inst_each(f->store, keep_json, text), 0);
	assert_string_equal(text, "3={} 9={\"a\":2} ");
}

STORE_TEST(deleting_removes_all_of_it_and_nothing_else)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&wide, 120);
	char text[200] = "";

	f->store->ops->inst_put(f->store, KIT_INST, "{}");
	f->store->ops->inst_put(f->store, KIT_INST + 1, "{}");
	for (int i = 60; i < 120; i++)
		batch[i].inst++;
	store_add(f->store, batch, 120);
	f->store->ops->compact(f->store, KIT_INST, 1150);
	f->store->ops->expire(f->store, KIT_INST + 1, (const __s64[]){ 1, 1, 1 });
	assert_int_equal(f->store->ops->inst_delete(f->store, KIT_INST + 1), 0);
	f->store->ops->inst_each(f->store, keep_json, text);
	assert_string_equal(text, "7={} ");
	assert_holds(f->store, batch, 60, 0, 10000, -1);
	assert_int_equal(store_add(f->store, batch + 60, 60), 60);
	kit_free(batch, 120);
}

STORE_TEST(what_is_remembered_is_recalled)
{
	struct fixture *f = *state;
	char text[20] = "x";

	assert_int_equal(f->store->ops->recall(f->store, "off", text, sizeof(text)), 0);
	assert_string_equal(text, "");
	assert_int_equal(f->store->ops->remember(f->store, "off", "yes"), 0);
	assert_int_equal(f->store->ops->remember(f->store, "uuid", "not the store's own"), 0);
	assert_int_equal(f->store->ops->remember(f->store, "off", "no"), 0);
	store_reopen(f);
	assert_int_equal(f->store->ops->recall(f->store, "off", text, sizeof(text)), 0);
	assert_string_equal(text, "no");
	assert_int_equal(f->store->ops->identity(f->store, (char[40]){ 0 }), 0);
}

static void join(void *arg, const char *name, const char *text)
{
	char *all = arg;
	size_t at = strlen(all);

	snprintf(all + at, 100 - at, "%s=%s;", name, text);
}

STORE_TEST(what_is_remembered_under_a_prefix_is_listed_until_it_is_forgotten)
{
	static const char *const names[] = { "note.2", "note.10", "note.1", "nota", "notes", "other" };
	struct fixture *f = *state;
	char all[100] = "";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_int_equal(f->store->ops->remember(f->store, names[i], "x"), 0);
	assert_int_equal(f->store->ops->remember(f->store, "note.10", ""), 0);
	assert_int_equal(f->store->ops->remember(f->store, "note.never", ""), 0);
	assert_int_equal(f->store->ops->remember(f->store, "note.1", "\xc3\xa4"), 0);
	store_reopen(f);
	assert_int_equal(f->store->ops->recall_each(f->store, "note.", join, all), 0);
	assert_string_equal(all, "note.1=\xc3\xa4;note.2=x;");
}

STORE_TEST(an_id_is_never_given_twice)
{
	struct fixture *f = *state;
	__u64 id, last = 0;
	char uuid[40], again[40];

	assert_int_equal(f->store->ops->identity(f->store, uuid), 0);
	assert_int_equal(strlen(uuid), 36);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(f->store->ops->next_id(f->store, &id), 0);
		assert_true(id > last);
		last = id;
		if (i == 5)
			f->store->ops->inst_put(f->store, last = 100, "{}");
		f->store->ops->inst_delete(f->store, last);
		store_reopen(f);
	}
	assert_int_equal(f->store->ops->identity(f->store, again), 0);
	assert_string_equal(uuid, again);
}

/* ---- exemplars ---- */

struct exhibits {
	size_t n;
	struct { char source[SOURCE_MAX]; __s64 slot; __u8 data[64]; size_t len; } at[64];
};

static void take_exhibit(void *arg, const char *source, __s64 slot, const __u8 *data, size_t len)
{
	struct exhibits *e = arg;

	assert_true(e->n < 64 && len <= sizeof(e->at->data));
	snprintf(e->at[e->n].source, SOURCE_MAX, "%s", source);
	e->at[e->n].slot = slot;
	memcpy(e->at[e->n].data, data, len);
	e->at[e->n++].len = len;
}

static struct exhibits read_exhibits(struct store *s, __u64 inst, __s64 first, __s64 last, int tier)
{
	struct exhibits e = { .n = 0 };
	const struct store_range range = { .first = first, .last = last, .tier = tier };
	const struct store_reader reader = { .arg = &e, .exemplars = take_exhibit };

	assert_int_equal(s->ops->read(s, inst, &range, &reader), 0);
	return e;
}

/* A batch of that slot whose exemplars say `value`. */
static struct batch *exhibit(const char *source, __s64 slot, __u32 seq, __u64 value, struct bytes *encoded)
{
	const struct kit_exemplar one = { value, 0, 0, 1, "select ?", NULL };
	struct batch *b = kit_batch(source, slot, seq, "select", value, 1);

	kit_exemplars(encoded, 0, &one, 1);
	b->exemplars = encoded->data;
	b->exemplars_len = encoded->len;
	return b;
}

STORE_TEST(exemplars_are_read_once_by_rising_slots)
{
	struct fixture *f = *state;
	static const __s64 slot[] = { 1005, 1001, 1003, 1001, 1002 };
	struct bytes encoded[5] = { { 0 } };
	struct exhibits e;
	__s64 before = 0;

	for (__u32 i = 0; i < 5; i++) {
		struct batch *b = exhibit(i == 3 ? "b" : "a", slot[i], i, 1000 + i, &encoded[i]);

		assert_int_equal(store_add(f->store, b, 1), 1);
		assert_int_equal(store_add(f->store, b, 1), 0);
		kit_free(b, 1);
	}
	store_reopen(f);
	f->store->ops->compact(f->store, KIT_INST, 5000);
	e = read_exhibits(f->store, KIT_INST, 1001, 1003, 0);
	assert_int_equal(e.n, 4);
	for (size_t i = 0; i < e.n; i++) {
		__u32 which = 0;

		assert_true(e.at[i].slot >= before);
		before = e.at[i].slot;
		while (which < 5 && (e.at[i].len != encoded[which].len || memcmp(e.at[i].data, encoded[which].data, e.at[i].len)))
			which++;
		assert_true(which < 5);
		assert_int_equal(slot[which], e.at[i].slot);
		assert_string_equal(e.at[i].source, which == 3 ? "b" : "a");
	}
	assert_int_equal(read_exhibits(f->store, KIT_INST, 0, 9999, 1).n, 0);	/* sums have none */
	assert_int_equal(read_exhibits(f->store, KIT_INST + 1, 0, 9999, 0).n, 0);
	for (int i = 0; i < 5; i++)
		bytes_fini(&encoded[i]);
}

STORE_TEST(exemplars_go_with_tier_0_and_their_instrumentation)
{
	struct fixture *f = *state;
	const __s64 slots[TIERS] = { 1800, 0, 0 };
	struct bytes encoded[3] = { { 0 } };

	for (__u32 i = 0; i < 3; i++) {
		struct batch *b = exhibit("a", 1200 + 600 * i, i, 1000, &encoded[i]);

		assert_int_equal(store_add(f->store, b, 1), 1);
		kit_free(b, 1);
	}
	assert_int_equal(f->store->ops->expire(f->store, KIT_INST, slots), 0);
	assert_int_equal(read_exhibits(f->store, KIT_INST, 0, 9999, 0).n, 2);
	assert_int_equal(f->store->ops->inst_delete(f->store, KIT_INST), 0);
	assert_int_equal(read_exhibits(f->store, KIT_INST, 0, 9999, 0).n, 0);
	for (int i = 0; i < 3; i++)
		bytes_fini(&encoded[i]);
}
