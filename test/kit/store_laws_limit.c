/* The laws of limit() and shrink() as tests: the store stays below its size, and drops the oldest data of the finest tier. */
#include "test/kit/store_laws.h"

#include <stdio.h>

enum { KEYS = 4, VALUES = 40, AT_ONCE = 60 };

#define FROM 1699999200ll

static struct bytes keys[AT_ONCE][KEYS], cells[AT_ONCE][KEYS];
static struct slice slices[AT_ONCE][KEYS];

/* Makes a slot's batch with slices of random values, in memory of its own for each of AT_ONCE. */
static void make_slot(struct batch *b, int at, __s64 slot)
{
	struct slice *slice = slices[at];

	*b = (struct batch){ .source = "a", .inst = KIT_INST, .slot_ns = 1000000000, .slot = slot, .run = 1, .slice = slice, .n_slices = KEYS };
	for (int i = 0; i < KEYS; i++) {
		struct bytes *key = &keys[at][i], *cell = &cells[at][i];
		char label[8];
		struct hist h;

		bytes_clear(key);
		bytes_clear(cell);
		snprintf(label, sizeof(label), "k%d", i);
		labels_put(key, label);
		assert_int_equal(hist_init(&h, RULER(UNIT_NS, 5, 10, 39)), 0);
		for (int j = 0; j < VALUES; j++)
			hist_record(&h, check_value(), 1);
		hist_encode(&h, cell);
		hist_fini(&h);
		slice[i] = (struct slice){ .ruler = RULER(UNIT_NS, 5, 10, 39), .key = { key->data, (__u16)key->len },
					   .hist = cell->data, .hist_len = (__u32)cell->len };
	}
}

/* Adds the slots from..to-1: one at a time if the limit is to hold at any moment, else a minute at a time.  Returns the most
 * bytes that the store took. */
static __u64 add_slots(struct fixture *f, __s64 from, __s64 to)
{
	int n = store_kind.at_any_moment ? 1 : AT_ONCE;
	struct batch batch[AT_ONCE];
	__u64 most = 0, bytes;

	for (__s64 slot = from; slot < to; slot += n) {
		for (int i = 0; i < n; i++)
			make_slot(&batch[i], i, slot + i);
		assert_int_equal(store_add(f->store, batch, (size_t)n), n);
		bytes = store_kind.at_any_moment ? store_kind.bytes(f) : 0;
		most = bytes > most ? bytes : most;
	}
	return most;
}

static void free_slots(void)
{
	for (int i = 0; i < AT_ONCE * KEYS; i++) {
		bytes_fini(&keys[0][0] + i);
		bytes_fini(&cells[0][0] + i);
	}
}

/* Each tier has the data that it says it has; the finest has lost most. */
static void assert_kept(struct store *s, __s64 to, __s64 kept_from[TIERS])
{
	assert_int_equal(store_kept(s, KIT_INST, kept_from), 0);

	for (int tier = 0; tier < TIERS; tier++) {
		struct store_range range = { .first = kept_from[tier] > FROM ? kept_from[tier] : FROM, .last = to - 1, .axis = -1, .weight = -1,
					     .tier = tier };
		struct gathered *g;

		for (int whole = 0; whole < 2; whole++) {
			range.whole = whole;
			kit_read_range(s, &range, &g);
			assert_string_equal(s->reason, "");
			assert_int_equal(gathered_events(g), (__u64)(to - range.first) * VALUES * KEYS);
			gathered_free(g);
		}
		assert_true(!tier || kept_from[tier] <= kept_from[tier - 1]);
	}
}

/* The laws have one source: its shard gets this limit. */
static void set_limit(struct fixture *f, __u64 limit)
{
	assert_int_equal(f->store->ops->limit(f->store, limit * (store_kind.shards ? (unsigned)store_kind.shards : 1)), 0);
}

STORE_TEST(a_limit_holds_and_drops_the_oldest_of_the_finest)
{
	enum { HOURS = 8 };
	const __u64 limit = 7000000u * (unsigned)store_kind.times;	/* an hour of slots and all minutes fit */
	struct fixture *f = *state;
	__s64 kept_from[TIERS], slot = FROM;
	__u64 most = 0, bytes;

	set_limit(f, limit);
	for (int part = 1; part <= 12 * HOURS; part++) {
		bytes = add_slots(f, slot, slot + 300);
		slot += 300;
		assert_int_equal(f->store->ops->compact(f->store, KIT_INST, slot), 0);
		store_kind.shrink(f, limit);
		bytes = store_kind.at_any_moment ? bytes : store_kind.bytes(f);
		most = bytes > most ? bytes : most;
		if (part % 48 == 0)
			assert_kept(f->store, slot, kept_from);
	}
	assert_true(f->store->n_dropped > 0);
	assert_in_range(kept_from[0], FROM + 1, slot - 3000);		/* some is dropped, but not the newest hour */
	assert_in_range(most, limit / 2, limit);
	print_message("# at most %llu of %llu bytes; slots are kept for %lld s, minutes for %lld s\n", (unsigned long long)most, (unsigned long long)limit,
		      (long long)(slot - kept_from[0]), (long long)(slot - (kept_from[1] > FROM ? kept_from[1] : FROM)));
	free_slots();
}

/* Nothing of the newest hour is dropped, and slots that a wrong clock filed in the future do not make other slots
 * old. */
STORE_TEST(a_limit_takes_no_slot_of_the_future_for_the_newest)
{
	const __u64 limit = 5000000u * (unsigned)store_kind.times;
	const __s64 to = FROM + 4 * 3600, future = to + 463 * 86400;
	struct fixture *f = *state;
	struct batch b;
	__s64 kept_from[TIERS];

	make_slot(&b, 0, future);
	assert_int_equal(store_add(f->store, &b, 1), 1);
	add_slots(f, FROM, to);
	assert_int_equal(f->store->ops->compact(f->store, KIT_INST, to), 0);
	f->store->now_ns = to * 1000000000;
	set_limit(f, limit);
	store_kind.shrink(f, limit);
	assert_int_equal(store_kept(f->store, KIT_INST, kept_from), 0);
	assert_true(f->store->n_dropped > 0);
	assert_in_range(kept_from[0], FROM + 1, to - 3000);
	free_slots();
}

/* A store that grew before it had a limit shrinks below it. */
STORE_TEST(a_store_that_is_too_large_shrinks)
{
	const __u64 limit = 4000000u * (unsigned)store_kind.times;
	const __s64 to = FROM + 4 * 3600;
	struct fixture *f = *state;
	__s64 kept_from[TIERS];

	add_slots(f, FROM, to);
	assert_int_equal(f->store->ops->compact(f->store, KIT_INST, to), 0);
	assert_true(store_kind.bytes(f) > limit);
	store_reopen(f);
	set_limit(f, limit);
	store_kind.shrink(f, limit);
	store_reopen(f);		/* closing moves the log of a file into it */
	assert_in_range(store_kind.bytes(f), 1, limit);
	assert_kept(f->store, to, kept_from);
	free_slots();
}
