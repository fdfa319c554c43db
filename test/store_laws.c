#include "store_laws.h"
#include "store_kit.h"
#include "exemplar_kit.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static const struct kit_shape wide = {
	.n_sources = 3, .n_keys = 5, .n_axes = 3, .n_slices = 8, .first = 1000, .last = 1300, .losses = 6,
};
static const struct kit_shape narrow = {
	.n_sources = 2, .n_keys = 3, .n_axes = 2, .n_slices = 8, .first = 1000, .last = 1003, .losses = 6,
};

/* --- fixture --- */

int store_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	const char *tmp = getenv("TMPDIR");

	assert_non_null(f);
	if (!check_state)
		check_seed();
	snprintf(f->dir, sizeof(f->dir), "%s/heatscope-store-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(f->dir));
	f->store = store_kind.open(f->dir);
	assert_non_null(f->store);
	*state = f;
	return 0;
}

static void remove_dir(const char *path)
{
	DIR *dir = opendir(path);
	char name[512];

	for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
		snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
		unlink(name);
	}
	if (dir)
		closedir(dir);
	rmdir(path);
}

int store_teardown(void **state)
{
	struct fixture *f = *state;

	if (f->store)
		f->store->ops->close(f->store);
	remove_dir(f->dir);
	free(f);
	return 0;
}

/* For a store that does not keep anything: nothing. */
void store_reopen(struct fixture *f)
{
	if (!store_kind.keeps)
		return;
	f->store->ops->close(f->store);
	f->store = store_kind.open(f->dir);
	assert_non_null(f->store);
}

size_t store_add(struct store *s, const struct batch *batch, size_t n)
{
	bool *is_new = calloc(n + 1, sizeof(*is_new));
	size_t n_new = 0;

	assert_non_null(is_new);
	assert_int_equal(s->ops->add(s, batch, n, is_new), 0);
	for (size_t i = 0; i < n; i++)
		n_new += is_new[i];
	free(is_new);
	return n_new;
}

/* What lies in first..last of these batches, plainly added up. */
static struct gathered *plain_sum(const struct batch *batch, size_t n, __s64 first, __s64 last, int axis)
{
	struct gathered *g = gathered_new(first, last, axis);

	for (size_t i = 0; i < n; i++)
		gather_batch(g, &batch[i]);
	return g;
}

static void assert_holds(struct store *s, const struct batch *batch, size_t n, __s64 first, __s64 last, int axis)
{
	struct gathered *want = plain_sum(batch, n, first, last, axis), *got;

	assert_int_equal(kit_read(s, first, last, axis, &got), 0);
	assert_string_equal(s->reason, "");
	kit_assert_same(want, got);
	gathered_free(want);
	gathered_free(got);
}

/* --- adding --- */

static void what_was_added_is_read_bit_for_bit(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&wide, 200);

	assert_int_equal(store_add(f->store, batch, 200), 200);
	assert_holds(f->store, batch, 200, 0, 10000, -1);
	store_reopen(f);
	assert_holds(f->store, batch, 200, 0, 10000, -1);
	kit_free(batch, 200);
}

static void a_batch_is_added_once(void **state)
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

static void a_duplicate_in_the_same_call_is_seen(void **state)
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
static void another_name_is_another_batch(void **state)
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

static void adding_commutes(void **state)
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

static void refuses_a_bad_histogram_as_a_whole(void **state)
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

static void empty_batches_extend_coverage(void **state)
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

static void coverage_merges_into_one_interval(void **state)
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

static void a_loss_is_kept_once_and_whole(void **state)
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

static void reads_by_axis_and_range(void **state)
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

static void an_unknown_instrumentation_is_empty(void **state)
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

static void compacting_keeps_every_event(void **state)
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

static void an_amendment_after_compacting_adds(void **state)
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

/* --- counts --- */

struct counted {
	bool whole;			/* keys are not told apart */
	size_t n;
	struct {
		struct slice name;
		__u8 key[KEY_BYTES_MAX];
		__u64 count;
	} of[64];
};

static void count_events(void *arg, const struct slice *s, __u64 n)
{
	struct counted *c = arg;
	const struct labels key = c->whole ? (struct labels){ .len = 0 } : s->key;
	size_t i = 0;

	while (i < c->n && (c->of[i].name.axis != s->axis || c->of[i].name.weight != s->weight || c->of[i].name.key.len != key.len ||
			    memcmp(c->of[i].key, key.bytes ? key.bytes : (const __u8 *)"", key.len)))
		i++;
	if (i == c->n) {
		assert_true(c->n++ < 64);
		c->of[i].name = *s;
		c->of[i].name.key.len = key.len;
		memcpy(c->of[i].key, key.bytes ? key.bytes : (const __u8 *)"", key.len);
		c->of[i].count = 0;
	}
	c->of[i].count += n;
}

static void count_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct hist_reader r;

	assert_int_equal(hist_reader_open(&r, s->ruler, s->hist, s->hist_len), 0);
	count_events(arg, s, r.count);
}

/* Asked for twice: the second time they are remembered. */
static void assert_counts(struct store *s, const struct store_range *range)
{
	struct counted slices = { .whole = range->whole };
	const struct store_reader by_slice = { .arg = &slices, .slice = count_slice };

	assert_int_equal(s->ops->read(s, KIT_INST, range, &by_slice), 0);
	for (int again = 0; again < 2; again++) {
		struct counted counts = { .whole = range->whole };
		const struct store_reader by_count = { .arg = &counts, .count = count_events };

		assert_int_equal(s->ops->read(s, KIT_INST, range, &by_count), 0);
		for (size_t i = 0; i < slices.n; i++) {
			slices.of[i].name.key.bytes = slices.of[i].key;
			count_events(&counts, &slices.of[i].name, 0 - slices.of[i].count);
		}
		for (size_t i = 0; i < counts.n; i++)
			assert_true(!counts.of[i].count);
	}
}

/* Also where sums of it were read before, and are remembered. */
static void an_amendment_is_in_the_sums_and_counts(void **state)
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
			assert_counts(f->store, &range);
			gathered_only_slices(want);
			gathered_only_slices(got);
			kit_assert_same(want, got);
			gathered_free(want);
			gathered_free(got);
		}
	}
	kit_free(batch, 200);
}

/* --- forgetting --- */

static void expiring_drops_what_is_older_and_nothing_else(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&wide, 200);

	store_add(f->store, batch, 100);
	f->store->ops->compact(f->store, KIT_INST, 1250);
	store_add(f->store, batch + 100, 100);
	for (__s64 slot = 1000; slot < 1310; slot += 23) {
		struct gathered *want = plain_sum(batch, 200, slot, 10000, -1), *got;

		assert_int_equal(f->store->ops->expire(f->store, KIT_INST, (const __s64[]){ slot, slot, slot }), 0);
		assert_int_equal(kit_read(f->store, 0, 10000, -1, &got), 0);
		kit_assert_same(want, got);
		gathered_free(want);
		gathered_free(got);
		store_reopen(f);
	}
	kit_free(batch, 200);
}

static void what_expired_is_not_added_again(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&wide, 100);
	struct gathered *want, *got;

	store_add(f->store, batch, 100);
	assert_int_equal(f->store->ops->expire(f->store, KIT_INST, (const __s64[]){ 1150, 1150, 1150 }), 0);
	assert_int_equal(f->store->ops->expire(f->store, KIT_INST, (const __s64[]){ 1100, 1100, 1100 }), 0);
	store_reopen(f);
	assert_int_equal(store_add(f->store, batch, 100), 0);
	want = plain_sum(batch, 100, 1150, 10000, -1);
	assert_int_equal(kit_read(f->store, 0, 10000, -1, &got), 0);
	kit_assert_same(want, got);
	gathered_free(want);
	gathered_free(got);
	kit_free(batch, 100);
}

/* --- tiers --- */

static const struct kit_shape hours = {		/* five of them, not from a full one on */
	.n_sources = 3, .n_keys = 4, .n_axes = 2, .n_slices = 5, .first = 1700000123, .last = 1700018123, .losses = 9,
};

/* What each tier should hold of these batches from its horizon on, keys apart and together. */
static void assert_tier(struct store *s, const struct batch *batch, size_t n, int tier, __s64 horizon)
{
	__s64 first = horizon > hours.first ? horizon : hours.first;
	struct store_range range = { .first = first, .last = hours.last, .axis = -1, .weight = -1, .tier = tier };

	static const int grain[] = { 0, 4, 12, 20, 60, 100, 300 };

	for (int i = 0; i < 4; i++) {
		struct gathered *want, *got;

		range.grain = grain[check_below(7)];
		range.whole = i % 2;
		range.axis = i / 2 ? 1 : -1;
		range.weight = (int)check_below(4) - 1;
		want = gathered_range(&range);
		for (size_t j = 0; j < n; j++)
			gather_batch(want, &batch[j]);
		assert_int_equal(kit_read_range(s, &range, &got), 0);
		assert_counts(s, &range);
		assert_string_equal(s->reason, "");
		gathered_only_slices(want);
		gathered_only_slices(got);
		kit_assert_same(want, got);
		gathered_free(want);
		gathered_free(got);
	}
}

static void every_tier_holds_the_same(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&hours, 300);

	for (size_t at = 0; at < 300; at += 50) {
		store_add(f->store, batch + at, 50);
		for (int tier = 0; tier < TIERS; tier++)
			assert_tier(f->store, batch, at + 50, tier, 0);
		assert_int_equal(f->store->ops->compact(f->store, KIT_INST, hours.first + (__s64)check_below(20000)), 0);
		for (int tier = 0; tier < TIERS; tier++)
			assert_tier(f->store, batch, at + 50, tier, 0);
		store_reopen(f);
	}
	assert_int_equal(store_add(f->store, batch, 300), 0);
	for (int tier = 0; tier < TIERS; tier++)
		assert_tier(f->store, batch, 300, tier, 0);
	kit_free(batch, 300);
}

/* Each tier has its own horizon; what left the finer one is in the coarser one, whatever was
 * compacted before. */
static void a_coarser_tier_keeps_what_a_finer_one_drops(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&hours, 400);
	__s64 horizon[TIERS] = { 0 };

	store_add(f->store, batch, 200);
	f->store->ops->compact(f->store, KIT_INST, hours.first + (__s64)check_below(18000));
	store_add(f->store, batch + 200, 200);
	for (int round = 1; round <= 12; round++) {
		__s64 at = hours.first + 1500 * round;

		horizon[0] = at - (__s64)check_below(300);
		horizon[1] = at - 4000;
		horizon[2] = at - 11000;
		assert_int_equal(f->store->ops->expire(f->store, KIT_INST, horizon), 0);
		for (int tier = 0; tier < TIERS; tier++) {
			horizon[tier] = tier_down(horizon[tier], tier_slots(1000000000, tier));
			assert_tier(f->store, batch, 400, tier, horizon[tier]);
		}
		if (round % 3 == 0)
			f->store->ops->compact(f->store, KIT_INST, at + 600);
		store_reopen(f);
	}
	assert_int_equal(f->store->ops->inst_delete(f->store, KIT_INST), 0);
	for (int tier = 0; tier < TIERS; tier++)
		assert_tier(f->store, batch, 0, tier, 0);
	kit_free(batch, 400);
}

static void what_tier_0_dropped_is_added_to_no_tier_again(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&hours, 100);
	const __s64 horizon[TIERS] = { hours.last + 1, 0, 0 };

	store_add(f->store, batch, 60);
	assert_int_equal(f->store->ops->expire(f->store, KIT_INST, horizon), 0);
	store_reopen(f);
	for (int i = 0; i < 100; i++)
		batch[i].run = 1;
	assert_int_equal(store_add(f->store, batch, 100), 0);
	assert_tier(f->store, batch, 60, 1, 0);
	assert_tier(f->store, batch, 60, 2, 0);
	kit_free(batch, 100);
}

/* A tenth of a second divides a minute, too. */
static void short_slots_add_up_to_minutes(void **state)
{
	struct fixture *f = *state;
	struct store_range range = { .first = 6000, .last = 6599, .axis = -1, .weight = -1, .tier = 1 };
	struct gathered *g;

	for (__s64 slot = 6000; slot < 7200; slot += 7) {
		struct batch *b = kit_batch("a", slot, 1, slot % 2 ? "x" : "y", 5000, 2);

		b->slot_ns = 100000000;
		assert_int_equal(store_add(f->store, b, 1), 1);
		if (slot % 5 == 0)
			f->store->ops->compact(f->store, KIT_INST, slot);
		kit_free(b, 1);
	}
	assert_int_equal(f->store->ops->compact(f->store, KIT_INST, 90000), 0);
	assert_int_equal(kit_read_range(f->store, &range, &g), 0);
	assert_int_equal(gathered_events(g), 2 * 86);
	gathered_free(g);
}

static void refuses_slots_of_another_length(void **state)
{
	struct fixture *f = *state;
	struct batch *b = kit_batch("a", 1000, 1, "x", 5000, 2);
	bool is_new;

	assert_int_equal(store_add(f->store, b, 1), 1);
	b->slot++;
	b->slot_ns = 100000000;
	assert_int_equal(f->store->ops->add(f->store, b, 1, &is_new), -EBADMSG);
	assert_false(is_new);
	b->slot_ns = 300000000;		/* no whole part of a second */
	assert_int_equal(f->store->ops->add(f->store, b, 1, &is_new), -EBADMSG);
	kit_free(b, 1);
}

static void what_was_dropped_is_told(void **state)
{
	struct fixture *f = *state;
	struct batch quiet = { .source = "a", .inst = KIT_INST, .slot_ns = 1000000000, .slot = 100000, .run = 50000 };
	struct store_range range = { .last = 1000000, .axis = -1, .weight = -1 };
	const __s64 early[TIERS] = { 90000, 90000, 90000 }, late[TIERS] = { 120000, 110000, 0 };
	const __s64 dropped[TIERS] = { 119999, 109979, 0 };	/* whole minutes */
	struct gathered *g;
	__s64 first, last;

	store_add(f->store, &quiet, 1);
	assert_int_equal(f->store->ops->expire(f->store, KIT_INST, early), 0);
	kit_read_range(f->store, &range, &g);
	assert_false(gathered_dropped(g, &first, &last));	/* nothing was there */
	gathered_free(g);
	assert_int_equal(f->store->ops->expire(f->store, KIT_INST, late), 0);
	store_reopen(f);
	for (range.tier = 0; range.tier < TIERS; range.tier++) {
		kit_read_range(f->store, &range, &g);
		assert_int_equal(gathered_dropped(g, &first, &last), range.tier < 2);
		assert_int_equal(first, range.tier < 2 ? tier_down(100000, tier_slots(1000000000, range.tier)) : 0);
		assert_int_equal(last, dropped[range.tier]);
		gathered_free(g);
	}
	range = (struct store_range){ .first = 119990, .last = 200000 };
	kit_read_range(f->store, &range, &g);
	assert_true(gathered_dropped(g, &first, &last));
	assert_int_equal(first, 119990);
	gathered_free(g);
	range.first = 120000;
	kit_read_range(f->store, &range, &g);
	assert_false(gathered_dropped(g, &first, &last));
	gathered_free(g);
}

/* Every other slot is reported.  When tier 0 is gone, minutes and hours still say how many. */
static void the_count_of_reports_outlives_their_slots(void **state)
{
	struct fixture *f = *state;
	struct batch quiet = { .source = "a", .inst = KIT_INST, .slot_ns = 1000000000, .run = 1 };
	const __s64 from = 1699999200, seconds = 7200;	/* a full hour */
	__s64 horizon[TIERS] = { 0 };

	for (__s64 i = 0; i < seconds; i += 2) {
		quiet.slot = from + i;
		quiet.loss = (struct loss){ .n = 1, .sum = 5, .first = from + i, .last = from + i };
		assert_int_equal(store_add(f->store, &quiet, 1), 1);
	}
	for (int round = 0; round < 20; round++) {
		struct gathered *g;

		horizon[0] = from + 400 * round;
		horizon[1] = round < 10 ? 0 : from + 400 * round - 3600;
		assert_int_equal(f->store->ops->expire(f->store, KIT_INST, horizon), 0);
		store_reopen(f);
		for (__s64 at = from; at < from + seconds; at += 3600) {
			kit_read_range(f->store, &(struct store_range){ .first = at, .last = at + 3599, .tier = 2 }, &g);
			assert_int_equal(gathered_covered(g) + gathered_sparse(g), 1800);
			assert_int_equal(gathered_lost(g), 1800);
			gathered_free(g);
		}
		for (__s64 at = from; at < from + seconds; at += 60) {
			if (at < horizon[1])
				continue;
			kit_read_range(f->store, &(struct store_range){ .first = at, .last = at + 59, .tier = 1 }, &g);
			assert_int_equal(gathered_covered(g) + gathered_sparse(g), 30);
			assert_int_equal(gathered_lost(g), 30);
			gathered_free(g);
		}
	}
}

/* --- instrumentations --- */

static void keep_json(void *arg, __u64 inst, const char *json)
{
	size_t at = strlen(arg);

	snprintf((char *)arg + at, 200 - at, "%llu=%s ", (unsigned long long)inst, json);
}

static void instrumentations_are_kept(void **state)
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

static void deleting_removes_all_of_it_and_nothing_else(void **state)
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

static void what_is_remembered_is_recalled(void **state)
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

static void what_is_remembered_under_a_prefix_is_listed_until_it_is_forgotten(void **state)
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

static void an_id_is_never_given_twice(void **state)
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
static struct batch *exhibit(const char *source, __s64 slot, __u32 seq, __u64 value, struct bytes *told)
{
	const struct kit_exemplar one = { value, 0, 0, 1, "select ?", NULL };
	struct batch *b = kit_batch(source, slot, seq, "select", value, 1);

	kit_exemplars(told, 0, &one, 1);
	b->exemplars = told->data;
	b->exemplars_len = told->len;
	return b;
}

static void exemplars_are_read_once_by_rising_slots(void **state)
{
	struct fixture *f = *state;
	static const __s64 slot[] = { 1005, 1001, 1003, 1001, 1002 };
	struct bytes told[5] = { { 0 } };
	struct exhibits e;
	__s64 before = 0;

	for (__u32 i = 0; i < 5; i++) {
		struct batch *b = exhibit(i == 3 ? "b" : "a", slot[i], i, 1000 + i, &told[i]);

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
		while (which < 5 && (e.at[i].len != told[which].len || memcmp(e.at[i].data, told[which].data, e.at[i].len)))
			which++;
		assert_true(which < 5);
		assert_int_equal(slot[which], e.at[i].slot);
		assert_string_equal(e.at[i].source, which == 3 ? "b" : "a");
	}
	assert_int_equal(read_exhibits(f->store, KIT_INST, 0, 9999, 1).n, 0);	/* sums have none */
	assert_int_equal(read_exhibits(f->store, KIT_INST + 1, 0, 9999, 0).n, 0);
	for (int i = 0; i < 5; i++)
		bytes_fini(&told[i]);
}

static void exemplars_go_with_tier_0_and_their_instrumentation(void **state)
{
	struct fixture *f = *state;
	const __s64 slots[TIERS] = { 1800, 0, 0 };
	struct bytes told[3] = { { 0 } };

	for (__u32 i = 0; i < 3; i++) {
		struct batch *b = exhibit("a", 1200 + 600 * i, i, 1000, &told[i]);

		assert_int_equal(store_add(f->store, b, 1), 1);
		kit_free(b, 1);
	}
	assert_int_equal(f->store->ops->expire(f->store, KIT_INST, slots), 0);
	assert_int_equal(read_exhibits(f->store, KIT_INST, 0, 9999, 0).n, 2);
	assert_int_equal(f->store->ops->inst_delete(f->store, KIT_INST), 0);
	assert_int_equal(read_exhibits(f->store, KIT_INST, 0, 9999, 0).n, 0);
	for (int i = 0; i < 3; i++)
		bytes_fini(&told[i]);
}

#define LAW(f) cmocka_unit_test_setup_teardown(f, store_setup, store_teardown)

const struct CMUnitTest store_laws[N_STORE_LAWS] = {
	LAW(what_was_added_is_read_bit_for_bit),
	LAW(a_batch_is_added_once),
	LAW(a_duplicate_in_the_same_call_is_seen),
	LAW(another_name_is_another_batch),
	LAW(adding_commutes),
	LAW(refuses_a_bad_histogram_as_a_whole),
	LAW(empty_batches_extend_coverage),
	LAW(coverage_merges_into_one_interval),
	LAW(a_loss_is_kept_once_and_whole),
	LAW(reads_by_axis_and_range),
	LAW(an_unknown_instrumentation_is_empty),
	LAW(compacting_keeps_every_event),
	LAW(an_amendment_after_compacting_adds),
	LAW(an_amendment_is_in_the_sums_and_counts),
	LAW(expiring_drops_what_is_older_and_nothing_else),
	LAW(what_expired_is_not_added_again),
	LAW(every_tier_holds_the_same),
	LAW(a_coarser_tier_keeps_what_a_finer_one_drops),
	LAW(what_tier_0_dropped_is_added_to_no_tier_again),
	LAW(short_slots_add_up_to_minutes),
	LAW(refuses_slots_of_another_length),
	LAW(what_was_dropped_is_told),
	LAW(the_count_of_reports_outlives_their_slots),
	LAW(instrumentations_are_kept),
	LAW(deleting_removes_all_of_it_and_nothing_else),
	LAW(what_is_remembered_is_recalled),
	LAW(what_is_remembered_under_a_prefix_is_listed_until_it_is_forgotten),
	LAW(an_id_is_never_given_twice),
	LAW(exemplars_are_read_once_by_rising_slots),
	LAW(exemplars_go_with_tier_0_and_their_instrumentation),
};
