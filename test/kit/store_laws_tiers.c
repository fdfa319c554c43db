/* The laws of tiers as tests: what each tier holds, what it drops, and that it reports the drop. */
#include "test/kit/store_laws.h"

#include <errno.h>

/* --- dropping --- */

STORE_TEST(expiring_drops_what_is_older_and_nothing_else)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&wide, 200);

	store_add(f->store, batch, 100);
	f->store->ops->compact(f->store, KIT_INST, 1250);
	store_add(f->store, batch + 100, 100);
	for (__s64 slot = 1000; slot < 1310; slot += 23) {
		struct gathered *want = gathered_sum(batch, 200, slot, 10000, -1), *got;
		__s64 oldest;

		assert_int_equal(f->store->ops->expire(f->store, KIT_INST, (const __s64[]){ slot, slot, slot }), 0);
		assert_int_equal(f->store->ops->oldest(f->store, KIT_INST, &oldest), 0);
		assert_int_equal(oldest, slot);
		assert_int_equal(kit_read(f->store, 0, 10000, -1, &got), 0);
		kit_assert_same(want, got);
		gathered_free(want);
		gathered_free(got);
		store_reopen(f);
	}
	kit_free(batch, 200);
}

STORE_TEST(what_expired_is_not_added_again)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&wide, 100);
	struct gathered *want, *got;

	store_add(f->store, batch, 100);
	assert_int_equal(f->store->ops->expire(f->store, KIT_INST, (const __s64[]){ 1150, 1150, 1150 }), 0);
	assert_int_equal(f->store->ops->expire(f->store, KIT_INST, (const __s64[]){ 1100, 1100, 1100 }), 0);
	store_reopen(f);
	assert_int_equal(store_add(f->store, batch, 100), 0);
	want = gathered_sum(batch, 100, 1150, 10000, -1);
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

/* Checks the contents of a tier for these batches from its horizon on, keys apart and together. */
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
		kit_assert_counts(s, &range);
		assert_string_equal(s->reason, "");
		gathered_only_slices(want);
		gathered_only_slices(got);
		kit_assert_same(want, got);
		gathered_free(want);
		gathered_free(got);
	}
}

STORE_TEST(every_tier_holds_the_same)
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
STORE_TEST(a_coarser_tier_keeps_what_a_finer_one_drops)
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

STORE_TEST(what_tier_0_dropped_is_added_to_no_tier_again)
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
STORE_TEST(short_slots_add_up_to_minutes)
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

STORE_TEST(refuses_slots_of_another_length)
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

STORE_TEST(what_was_dropped_is_told)
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
STORE_TEST(the_count_of_reports_outlives_their_slots)
{
	struct fixture *f = *state;
	const __s64 from = 1699999200, seconds = 7200;	/* a full hour */
	struct batch quiet[100];
	__s64 horizon[TIERS] = { 0 };

	for (__s64 i = 0; i < seconds; i += 200) {
		for (__s64 j = 0; j < 100; j++) {
			__s64 slot = from + i + 2 * j;

			quiet[j] = (struct batch){ .source = "a", .inst = KIT_INST, .slot_ns = 1000000000, .slot = slot, .run = 1,
						   .loss = { .n = 1, .sum = 5, .first = slot, .last = slot } };
		}
		assert_int_equal(store_add(f->store, quiet, 100), 100);
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
		for (__s64 at = from; at < from + seconds && round % 4 == 3; at += 60) {
			if (at < horizon[1])
				continue;
			kit_read_range(f->store, &(struct store_range){ .first = at, .last = at + 59, .tier = 1 }, &g);
			assert_int_equal(gathered_covered(g) + gathered_sparse(g), 30);
			assert_int_equal(gathered_lost(g), 30);
			gathered_free(g);
		}
	}
}
