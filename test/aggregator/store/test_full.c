/* Tests a limit with a sender that is faster than compaction: nothing is refused, and every loss is counted. */
#include "test/kit/sqlite_kit.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#define N_KEYS 16
#define AT_ONCE 20			/* slots of one transaction */
#define FROM 1699999200ll

static struct bytes key[N_KEYS], cells[N_KEYS];
static bool is_strange;			/* each slot has keys of its own */

/* Makes one slot: N_KEYS slices of so many values each. */
static void slot_batch(struct batch *b, struct slice *slice, __s64 slot)
{
	static char label[AT_ONCE][N_KEYS][1 + 24];

	*b = (struct batch){ .source = "a", .inst = KIT_INST, .slot_ns = 1000000000, .slot = slot, .run = 1, .slice = slice, .n_slices = N_KEYS };
	for (int i = 0; i < N_KEYS; i++)
		slice[i] = (struct slice){ .ruler = RULER(UNIT_NS, 5, 10, 39), .key = { key[i].data, (__u16)key[i].len },
					   .hist = cells[i].data, .hist_len = (__u32)cells[i].len };
	for (int i = 0; i < N_KEYS && is_strange; i++) {
		char *own = label[slot % AT_ONCE][i];

		own[0] = (char)snprintf(own + 1, 24, "%lld-%d", (long long)slot, i);
		slice[i].key = (struct labels){ (__u8 *)own, (__u16)(1 + own[0]) };
	}
}

static void make_slices(int n_values)
{
	struct hist h;

	assert_int_equal(hist_init(&h, RULER(UNIT_NS, 5, 10, 39)), 0);
	for (int i = 0; i < N_KEYS; i++) {
		char label[8];

		bytes_clear(&key[i]);
		bytes_clear(&cells[i]);
		snprintf(label, sizeof(label), "k%d", i);
		labels_put(&key[i], label);
		hist_clear(&h);
		for (int j = 0; j < n_values; j++)
			hist_record(&h, check_value(), 1);
		hist_encode(&h, &cells[i]);
	}
	hist_fini(&h);
}

static void free_slices(void)
{
	for (int i = 0; i < N_KEYS; i++) {
		bytes_fini(&key[i]);
		bytes_fini(&cells[i]);
	}
}

static __u64 bytes_of(struct fixture *f)
{
	struct stat st;
	char path[300];

	sqlite_path(f->dir, path, sizeof(path));
	assert_int_equal(stat(path, &st), 0);
	return (__u64)st.st_size;
}

/* Sends n slots, without compacting. */
static void send_slots(struct fixture *f, __s64 n, __u64 limit)
{
	static struct slice slice[AT_ONCE][N_KEYS];
	struct batch batch[AT_ONCE];
	bool is_new[AT_ONCE];

	for (__s64 slot = FROM; slot < FROM + n; slot += AT_ONCE) {
		for (int i = 0; i < AT_ONCE; i++)
			slot_batch(&batch[i], slice[i], slot + i);
		if (f->store->ops->add(f->store, batch, AT_ONCE, is_new))
			fail_msg("slot %lld: %s", (long long)(slot - FROM), f->store->reason);
		assert_true(is_new[0] && is_new[AT_ONCE - 1]);
		assert_in_range(bytes_of(f), 1, limit);
	}
}

/* In the slots that a tier says it has, each event is either there or reported as lost.  Returns how many are lost. */
static __u64 assert_reported(struct fixture *f, int tier, __s64 n, __u64 per_slot)
{
	__s64 from[TIERS];
	struct store_range range = { .last = FROM + n - 1, .axis = -1, .weight = -1, .tier = tier };
	struct gathered *g;
	__u64 lost;

	assert_int_equal(store_kept(f->store, KIT_INST, from), 0);
	range.first = from[tier] > FROM ? from[tier] : FROM;
	kit_read_range(f->store, &range, &g);
	lost = gathered_lost(g);
	if (!tier)
		assert_int_equal(gathered_events(g) + lost, (__u64)(range.last + 1 - range.first) * per_slot);
	else
		assert_true(gathered_events(g) + lost >= (__u64)(range.last + 1 - range.first) * per_slot);
	print_message("# tier %d: %llu events of the newest %lld slots, %llu lost\n", tier, (unsigned long long)gathered_events(g),
		      (long long)(range.last + 1 - range.first), (unsigned long long)lost);
	gathered_free(g);
	return lost;
}

/* Adds more than fits: the oldest data are added up into longer slots and then dropped; no event is lost in any
 * tier. */
static void fills_without_loss(struct fixture *f, int n_slots, int n_values)
{
	enum { LIMIT = 4000000 };

	make_slices(n_values);
	assert_int_equal(f->store->ops->limit(f->store, LIMIT), 0);
	send_slots(f, n_slots, LIMIT);
	assert_true(f->store->n_dropped > 0);
	for (int tier = 0; tier < TIERS; tier++)
		assert_int_equal(assert_reported(f, tier, n_slots, N_KEYS * n_values), 0);
	free_slices();
}

STORE_TEST(what_is_oldest_makes_room_before_anything_is_refused)
{
	fills_without_loss(*state, 6000, 40);
}

STORE_TEST(a_block_that_fills_the_file_is_added_up_in_it)
{
	fills_without_loss(*state, 2000, 600);
}

/* If each slot has its own keys, a block of all slots is larger than its rows. */
STORE_TEST(what_cannot_be_added_up_is_lost_and_counted)
{
	enum { LIMIT = 1000000, SLOTS = 2000, VALUES = 1 };
	struct fixture *f = *state;

	is_strange = true;

	make_slices(VALUES);
	assert_int_equal(f->store->ops->limit(f->store, LIMIT), 0);
	send_slots(f, SLOTS, LIMIT);
	assert_true(f->store->n_dropped > 0);
	for (int tier = 0; tier < TIERS; tier++)
		assert_reported(f, tier, SLOTS, N_KEYS * VALUES);
	assert_int_equal(f->store->ops->compact(f->store, KIT_INST, FROM + SLOTS), 0);
	assert_reported(f, 0, SLOTS, N_KEYS * VALUES);
	is_strange = false;
	free_slices();
}

/* Then nothing helps, and the reason names the limit, not the disk. */
STORE_TEST(what_can_never_fit_is_refused_with_the_limit)
{
	enum { LIMIT = 200000, VALUES = 600 };
	static struct slice slice[AT_ONCE][N_KEYS];
	struct batch batch[AT_ONCE];
	bool is_new[AT_ONCE];
	struct fixture *f = *state;

	make_slices(VALUES);
	assert_int_equal(f->store->ops->limit(f->store, LIMIT), 0);
	for (int i = 0; i < AT_ONCE; i++)
		slot_batch(&batch[i], slice[i], FROM + i);
	assert_int_equal(f->store->ops->add(f->store, batch, AT_ONCE, is_new), -ENOSPC);
	assert_non_null(strstr(f->store->reason, "max-size"));
	assert_int_equal(f->store->ops->add(f->store, batch, 1, is_new), 0);
	free_slices();
}

TEST_MAIN()
