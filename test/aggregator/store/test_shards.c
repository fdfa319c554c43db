/* A store of two stores in memory keeps the laws of store.h; what is different when there are several. */
#include "aggregator/store/shards.h"
#include "test/kit/store_laws.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define NOW_S 1700000000ll
#define SECOND_NS 1000000000ll
#define SHARDS 3

static struct store *open_two(const char *dir)
{
	static const char *const names[] = { "memory:0", "memory:1" };
	struct store *two[2], *s;
	char reason[256];

	if (store_memory_open(&two[0]) || store_memory_open(&two[1]))
		return NULL;
	return shards_open(two, names, 2, NOW_S * SECOND_NS, &s, reason, sizeof(reason)) ? NULL : s;
}

const struct store_kind store_kind = { .open = open_two, .keeps = false };

/* --- stores that can be away --- */

static struct store_ops present;	/* those of memory.c; closing does nothing */
static __u64 limits[SHARDS + 1];	/* that they were given */
static atomic_size_t n_limits;

static int be_away(struct store *s)
{
	snprintf(s->reason, sizeof(s->reason), "no route");
	return -EAGAIN;
}

static void stay_open(struct store *s) { }
static int away_add(struct store *s, const struct batch *batch, size_t n, bool *ret_new) { return be_away(s); }
static int away_read(struct store *s, __u64 inst, const struct store_range *of, const struct store_reader *to) { return be_away(s); }
static int away_put(struct store *s, __u64 inst, const char *json) { return be_away(s); }
static int away_delete(struct store *s, __u64 inst) { return be_away(s); }
static int away_each(struct store *s, void (*each)(void *arg, __u64 inst, const char *json), void *arg) { return be_away(s); }
static int away_id(struct store *s, __u64 *ret_id) { return be_away(s); }
static int away_identity(struct store *s, char ret_uuid[40]) { return be_away(s); }
static int away_remember(struct store *s, const char *name, const char *text) { return be_away(s); }
static int away_recall(struct store *s, const char *name, char *ret_text, size_t room) { return be_away(s); }
static int away_texts(struct store *s, const char *prefix, void (*each)(void *, const char *, const char *), void *arg)
{
	return be_away(s);
}
static int away_expire(struct store *s, __u64 inst, const __s64 slot[TIERS]) { return be_away(s); }
static int away_oldest(struct store *s, __u64 inst, __s64 *ret_slot) { return be_away(s); }
static int away_compact(struct store *s, __u64 inst, __s64 slot) { return be_away(s); }
static int away_shrink(struct store *s) { return be_away(s); }

static int note_limit(struct store *s, __u64 bytes)
{
	limits[n_limits++] = bytes;
	return 0;
}

static const struct store_ops away = {
	.close = stay_open, .add = away_add, .read = away_read, .inst_put = away_put, .inst_delete = away_delete,
	.inst_each = away_each, .next_id = away_id, .identity = away_identity, .remember = away_remember, .recall = away_recall,
	.recall_each = away_texts, .expire = away_expire, .oldest = away_oldest, .limit = note_limit, .shrink = away_shrink,
	.compact = away_compact,
};

/* It adds, but its answer is lost. */
static int add_unanswered(struct store *s, const struct batch *batch, size_t n, bool *ret_new)
{
	assert_int_equal(present.add(s, batch, n, ret_new), 0);
	return be_away(s);
}

static struct store_ops unanswered;

static const char *const names[] = { "memory:0", "memory:1", "memory:2" };

struct set {
	struct store *one[SHARDS];	/* empty at the beginning */
	struct store *all;		/* the first two */
};

static struct store *open_set(struct store *const one[], size_t n, __s64 now_s)
{
	char reason[256] = "";
	struct store *s;

	if (shards_open(one, names, n, now_s * SECOND_NS, &s, reason, sizeof(reason)))
		fail_msg("%s", reason);
	return s;
}

static void assert_refused(struct store *const one[], size_t n, const char *why)
{
	char reason[256] = "";
	struct store *s = NULL;

	assert_int_equal(shards_open(one, names, n, NOW_S * SECOND_NS, &s, reason, sizeof(reason)), -EINVAL);
	if (!strstr(reason, why))
		fail_msg("the reason is: %s", reason);
}

static int set_setup(void **state)
{
	struct set *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	for (int i = 0; i < SHARDS; i++) {
		assert_int_equal(store_memory_open(&f->one[i]), 0);
		present = *f->one[i]->ops;
		present.close = stay_open;
	}
	unanswered = present;
	unanswered.add = add_unanswered;
	for (int i = 0; i < SHARDS; i++)
		f->one[i]->ops = &present;
	f->all = open_set(f->one, 2, NOW_S);
	*state = f;
	return 0;
}

static int set_teardown(void **state)
{
	struct set *f = *state;
	struct store *memory;

	f->all->ops->close(f->all);
	assert_int_equal(store_memory_open(&memory), 0);
	for (int i = 0; i < SHARDS; i++)
		memory->ops->close(f->one[i]);
	memory->ops->close(memory);
	free(f);
	return 0;
}

#define SET_TEST(name) TEST_WITH(name, set_setup, set_teardown)

static struct batch *batch_of(int host, __s64 slot)
{
	char source[16];

	snprintf(source, sizeof(source), "host%04d", host);
	return kit_batch(source, slot, 1, "select", 5000, 1);
}

/* Adds a batch of each host 0..n-1 for this slot.  Returns how many were new. */
static size_t add_hosts(struct store *s, int n, __s64 slot)
{
	size_t n_new = 0;

	for (int i = 0; i < n; i++) {
		struct batch *b = batch_of(i, slot);

		n_new += store_add(s, b, 1);
		kit_free(b, 1);
	}
	return n_new;
}

static __u64 events_of(struct store *s)
{
	struct gathered *g;
	__u64 n;

	assert_int_equal(kit_read(s, 0, 2 * NOW_S, -1, &g), 0);
	n = gathered_events(g);
	gathered_free(g);
	return n;
}

/* --- where batches are --- */

SET_TEST(each_source_is_in_one_shard_and_they_are_spread_evenly)
{
	enum { HOSTS = 400 };
	struct set *f = *state;

	assert_int_equal(add_hosts(f->all, HOSTS, NOW_S), HOSTS);
	assert_in_range(events_of(f->one[0]), HOSTS / 3, HOSTS * 2 / 3);
	assert_int_equal(events_of(f->one[0]) + events_of(f->one[1]), HOSTS);
	assert_int_equal(events_of(f->all), HOSTS);
	for (int i = 0; i < HOSTS; i++) {		/* another slot of a source is where the first one is */
		struct batch *b = batch_of(i, NOW_S + 1);
		__u64 n = events_of(f->one[0]), all;

		assert_int_equal(store_add(f->all, b, 1), 1);
		all = events_of(f->one[0]) - n;
		b->slot = NOW_S;
		assert_int_equal(store_add(f->one[all ? 0 : 1], b, 1), 0);
		kit_free(b, 1);
	}
}

SET_TEST(the_order_of_the_list_does_not_matter)
{
	struct set *f = *state;
	struct store *turned[] = { f->one[1], f->one[0] }, *s;
	char uuid[40], same[40];

	add_hosts(f->all, 50, NOW_S);
	f->all->ops->inst_put(f->all, KIT_INST, "{}");
	s = open_set(turned, 2, NOW_S + 1);
	assert_int_equal(add_hosts(s, 50, NOW_S), 0);
	assert_int_equal(events_of(s), 50);
	f->all->ops->identity(f->all, uuid);
	s->ops->identity(s, same);
	assert_string_equal(uuid, same);
	s->ops->close(s);
}

/* So two heatscoped that make a set at once choose the same one. */
TEST(the_home_of_a_new_set_has_the_lowest_identity)
{
	for (int round = 0; round < 20; round++) {
		struct store *one[2], *s;
		char id[2][40], home[40];

		for (int i = 0; i < 2; i++) {
			assert_int_equal(store_memory_open(&one[i]), 0);
			one[i]->ops->identity(one[i], id[i]);
		}
		s = open_set(one, 2, NOW_S);
		s->ops->identity(s, home);
		assert_string_equal(home, strcmp(id[0], id[1]) < 0 ? id[0] : id[1]);
		s->ops->close(s);
	}
}

/* A server without instrumentations may have annotations, alerts or worksheets. */
TEST(a_store_that_has_texts_becomes_the_home_of_a_new_set)
{
	for (int i = 0; i < 20; i++) {	/* sometimes it is the first of the list, sometimes the second */
		struct store *one[2], *s;
		char text[20], id[2][40];
		int with;

		for (int j = 0; j < 2; j++) {
			assert_int_equal(store_memory_open(&one[j]), 0);
			one[j]->ops->identity(one[j], id[j]);
		}
		with = strcmp(id[0], id[1]) < 0;	/* the one with the higher identity */
		assert_int_equal(one[with]->ops->remember(one[with], "annotation.1", "deploy"), 0);
		s = open_set(one, 2, NOW_S);
		assert_int_equal(s->ops->recall(s, "annotation.1", text, sizeof(text)), 0);
		assert_string_equal(text, "deploy");
		s->ops->close(s);
	}
}

/* --- a shard is away --- */

static void set_state(struct store *s, int how)
{
	s->ops = how == 1 ? &away : how == 2 ? &unanswered : &present;
}

SET_TEST(a_shard_that_was_away_has_lost_nothing_and_has_nothing_twice)
{
	enum { BATCHES = 300, AT_ONCE = 20 };
	const struct kit_shape shape = {
		.n_sources = 12, .n_keys = 3, .n_axes = 2, .n_slices = 4, .first = 1000, .last = 1100, .losses = 6,
	};
	struct set *f = *state;
	struct batch *batch = kit_batches(&shape, BATCHES);
	struct gathered *want = gathered_sum(batch, BATCHES, 0, 10000, -1), *got;
	int n_failed = 0;

	for (size_t at = 0; at < BATCHES; at += AT_ONCE) {
		bool is_new[AT_ONCE];
		int err;

		do {
			int shard = (int)check_below(2);

			set_state(f->one[shard], (int)check_below(3));
			err = f->all->ops->add(f->all, batch + at, AT_ONCE, is_new);
			n_failed += err != 0;
			assert_true(!err || err == -EAGAIN);
			if (err) {
				for (int i = 0; i < AT_ONCE; i++)
					assert_false(is_new[i]);
				assert_non_null(strstr(f->all->reason, names[shard]));
			}
			set_state(f->one[shard], 0);
		} while (err);
		assert_int_equal(store_add(f->all, batch + check_below(at + 1), AT_ONCE), 0);
	}
	assert_true(n_failed > 0);
	assert_int_equal(kit_read(f->all, 0, 10000, -1, &got), 0);
	kit_assert_same(want, got);
	gathered_free(want);
	gathered_free(got);
	kit_free(batch, BATCHES);
}

SET_TEST(no_answer_is_a_part_of_the_truth)
{
	struct set *f = *state;
	struct store_shard shard[STORE_SHARDS_MAX];
	struct gathered *g;

	add_hosts(f->all, 20, NOW_S);
	set_state(f->one[1], 1);
	assert_int_equal(kit_read(f->all, 0, 2 * NOW_S, -1, &g), -EAGAIN);
	gathered_free(g);
	assert_string_equal(f->all->reason, "memory:1: no route");
	assert_int_equal(f->all->ops->shards(f->all, shard), 2);
	assert_string_equal(shard[1].address, "memory:1");
	assert_true(!shard[0].is_away && shard[1].is_away);
	set_state(f->one[1], 0);
	assert_int_equal(events_of(f->all), 20);
	f->all->ops->shards(f->all, shard);
	assert_true(!shard[0].is_away && !shard[1].is_away);
}

static __s64 oldest_of(struct store *s)
{
	__s64 slot;

	assert_int_equal(s->ops->oldest(s, KIT_INST, &slot), 0);
	return slot;
}

SET_TEST(a_shard_that_is_away_does_not_keep_the_others_from_being_tidied)
{
	struct set *f = *state;
	const __s64 horizon[TIERS] = { NOW_S + 1, 0, 0 };

	add_hosts(f->all, 20, NOW_S);
	for (int i = 0; i < 2; i++) {
		set_state(f->one[i], 1);
		assert_int_equal(f->all->ops->expire(f->all, KIT_INST, horizon), -EAGAIN);
		assert_non_null(strstr(f->all->reason, names[i]));
		assert_int_equal(oldest_of(f->one[!i]), NOW_S + 1);
		set_state(f->one[i], 0);
		events_of(f->all);		/* it is back */
	}
}

static bool has_data(struct store *s)
{
	return events_of(s) > 0;
}

SET_TEST(data_that_were_deleted_while_a_shard_was_away_are_removed_when_it_is_back)
{
	struct set *f = *state;
	int n_deleted = 0;

	f->all->ops->inst_put(f->all, KIT_INST, "{}");
	add_hosts(f->all, 20, NOW_S);
	for (int i = 0; i < 2 && !n_deleted; i++) {
		int err;

		set_state(f->one[i], 1);
		err = f->all->ops->inst_delete(f->all, KIT_INST);
		set_state(f->one[i], 0);
		if (err) {			/* the home was away: nothing is deleted */
			assert_int_equal(err, -EAGAIN);
			assert_int_equal(events_of(f->all), 20);
			continue;
		}
		n_deleted++;
		assert_true(has_data(f->one[i]) && !has_data(f->one[!i]));
		assert_string_equal(f->all->reason, "");
		assert_int_equal(f->all->ops->shrink(f->all), -EAGAIN);	/* it was away a moment ago */
		events_of(f->all);
		assert_int_equal(f->all->ops->shrink(f->all), 0);
	}
	assert_int_equal(n_deleted, 1);
	assert_false(has_data(f->one[0]) || has_data(f->one[1]));
}

SET_TEST(a_deletion_that_may_still_run_by_another_handle_stays_noted)
{
	struct set *f = *state;
	char name[64], since[32], text[32];

	f->all->ops->inst_put(f->all, KIT_INST, "{}");
	snprintf(name, sizeof(name), "shards.deleted.%llu", (unsigned long long)KIT_INST);
	for (int age_s = 0; age_s <= 4000; age_s += 4000) {
		snprintf(since, sizeof(since), "%lld", (long long)time(NULL) - age_s);
		f->all->ops->remember(f->all, name, since);
		assert_int_equal(f->all->ops->shrink(f->all), 0);
		assert_int_equal(f->all->ops->recall(f->all, name, text, sizeof(text)), 0);
		assert_string_equal(text, age_s ? "" : since);
	}
}

SET_TEST(a_deletion_that_failed_deletes_nothing_later)
{
	struct set *f = *state;
	struct store_ops no_deletion = present;

	no_deletion.inst_delete = away_delete;
	f->all->ops->inst_put(f->all, KIT_INST, "{}");
	add_hosts(f->all, 20, NOW_S);
	for (int i = 0; i < 2; i++)
		f->one[i]->ops = &no_deletion;
	assert_int_equal(f->all->ops->inst_delete(f->all, KIT_INST), -EAGAIN);
	for (int i = 0; i < 2; i++)
		f->one[i]->ops = &present;
	assert_int_equal(events_of(f->all), 20);
	assert_int_equal(f->all->ops->shrink(f->all), 0);
	assert_int_equal(events_of(f->all), 20);
	f->all->ops->inst_delete(f->all, KIT_INST);
	assert_int_equal(events_of(f->all), 0);
}

/* --- limits and dropped slots --- */

SET_TEST(each_shard_has_an_equal_part_of_the_limit)
{
	struct set *f = *state;

	n_limits = 0;
	present.limit = note_limit;
	assert_int_equal(f->all->ops->limit(f->all, 1001), 0);
	assert_int_equal(f->all->ops->limit(f->all, 0), 0);
	assert_int_equal(n_limits, 4);
	assert_true(limits[0] == 500 && limits[1] == 500 && !limits[2] && !limits[3]);
}

static void take_last(void *arg, __s64 first, __s64 last)
{
	*(__s64 *)arg = last;
}

SET_TEST(a_slot_that_one_shard_has_dropped_is_dropped)
{
	struct set *f = *state;
	const struct store_range range = { .last = 2 * NOW_S, .axis = -1, .weight = -1 };
	__s64 last = 0, kept_from[TIERS];
	const struct store_reader reader = { .arg = &last, .dropped = take_last };

	for (int i = 0; i < 20; i++)
		add_hosts(f->all, 20, NOW_S + i);
	for (int i = 0; i < 2; i++) {
		const __s64 horizon[TIERS] = { NOW_S + 10 - 4 * i, 0, 0 };

		f->one[i]->ops->expire(f->one[i], KIT_INST, horizon);
	}
	assert_int_equal(f->all->ops->read(f->all, KIT_INST, &range, &reader), 0);
	assert_int_equal(last, NOW_S + 9);
	assert_int_equal(store_kept(f->all, KIT_INST, kept_from), 0);
	assert_int_equal(kept_from[0], NOW_S + 10);
	assert_int_equal(oldest_of(f->all), NOW_S + 10);
}

SET_TEST(the_numbers_of_all_are_added)
{
	struct set *f = *state;

	f->one[0]->n_damaged = 3;
	f->one[1]->n_damaged = 4;
	f->one[1]->n_dropped = 5;
	f->one[0]->n_lost = 6;
	assert_int_equal(events_of(f->all), 0);
	assert_int_equal(f->all->n_damaged, 7);
	assert_int_equal(f->all->n_dropped, 5);
	assert_int_equal(f->all->n_lost, 6);
}

/* --- reading --- */

struct order {
	size_t n;
	__s64 last;
};

static void take_in_order(void *arg, const char *source, __s64 slot, const __u8 *data, size_t len)
{
	struct order *o = arg;

	assert_true(slot >= o->last);
	assert_int_equal(len, strlen(source));		/* as they were added */
	assert_memory_equal(data, source, len);
	o->last = slot;
	o->n++;
}

SET_TEST(exemplars_of_all_shards_come_by_rising_slots)
{
	struct set *f = *state;
	struct order o = { 0 };
	const struct store_range range = { .last = 2 * NOW_S };
	const struct store_reader reader = { .arg = &o, .exemplars = take_in_order };

	for (int i = 0; i < 60; i++) {
		struct batch *b = batch_of(i, NOW_S + (__s64)check_below(10));

		b->exemplars = (const __u8 *)b->source;
		b->exemplars_len = strlen(b->source);
		assert_int_equal(store_add(f->all, b, 1), 1);
		kit_free(b, 1);
	}
	assert_int_equal(f->all->ops->read(f->all, KIT_INST, &range, &reader), 0);
	assert_int_equal(o.n, 60);
}

/* --- lengths of slots --- */

SET_TEST(a_shard_refuses_slots_of_another_length_than_the_other_shard_has)
{
	struct set *f = *state;
	struct batch *first = batch_of(0, NOW_S);
	bool is_new[2];

	assert_int_equal(store_add(f->all, first, 1), 1);
	for (int i = 1; i < 20; i++) {
		struct batch *b = batch_of(i, NOW_S), both[] = { *first, *b };

		b->slot_ns = both[1].slot_ns = 100000000;
		assert_int_equal(f->all->ops->add(f->all, b, 1, is_new), -EBADMSG);
		assert_non_null(strstr(f->all->reason, b->source));
		assert_int_equal(f->all->ops->add(f->all, both, 2, is_new), -EBADMSG);
		kit_free(b, 1);
	}
	assert_int_equal(events_of(f->all), 1);
	kit_free(first, 1);
}

SET_TEST(two_lengths_in_one_call_are_refused_and_neither_is_kept)
{
	struct set *f = *state;
	struct batch *one = batch_of(0, NOW_S), *other = batch_of(1, NOW_S);
	struct batch both[] = { *one, *other };
	bool is_new[2];

	both[0].slot_ns = 100000000;
	assert_int_equal(f->all->ops->add(f->all, both, 2, is_new), -EBADMSG);
	assert_int_equal(store_add(f->all, one, 1), 1);
	kit_free(one, 1);
	kit_free(other, 1);
}

/* --- the set --- */

SET_TEST(one_database_is_no_two_shards)
{
	struct set *f = *state;
	struct store *twice[] = { f->one[0], f->one[1], f->one[0] };

	assert_refused(twice, 3, "memory:0 and memory:2 are the same database");
}

SET_TEST(a_list_that_lacks_a_shard_is_refused)
{
	struct set *f = *state;
	struct store *with_new[] = { f->one[0], f->one[2] }, *of_new[] = { f->one[1], f->one[2] };

	assert_refused(with_new, 2, "the list lacks");
	assert_refused(of_new, 2, "the list lacks");
	assert_int_equal(events_of(f->all), 0);
}

SET_TEST(a_shard_of_another_set_is_refused)
{
	struct set *f = *state;
	struct store *memory, *mixed[] = { f->one[0], f->one[1], f->one[2] }, *other[2], *s;

	assert_int_equal(store_memory_open(&memory), 0);
	other[0] = memory;
	other[1] = f->one[2];
	s = open_set(other, 2, NOW_S);
	assert_refused(mixed, 3, "belongs to another set");
	s->ops->close(s);		/* of the two only `memory` is closed */
}

SET_TEST(a_database_with_instrumentations_of_its_own_is_refused_as_a_further_shard)
{
	struct set *f = *state;

	f->one[2]->ops->inst_put(f->one[2], 1, "{}");
	assert_refused(f->one, 3, "instrumentations of its own");
}

/* One store alone becomes the home when it gets a second one. */
SET_TEST(a_store_with_data_can_get_a_shard)
{
	struct store *two[2], *s;

	for (int i = 0; i < 2; i++)
		assert_int_equal(store_memory_open(&two[i]), 0);
	two[1]->ops->inst_put(two[1], KIT_INST, "{}");
	add_hosts(two[1], 40, NOW_S);
	s = open_set(two, 2, NOW_S + 1);
	assert_int_equal(add_hosts(s, 40, NOW_S), 0);
	assert_int_equal(add_hosts(s, 40, NOW_S + 1000), 40);
	assert_in_range(events_of(two[0]), 3, 37);
	assert_int_equal(events_of(s), 80);
	s->ops->close(s);
}

SET_TEST(a_further_shard_takes_later_slots_and_no_batch_twice)
{
	enum { HOSTS = 300 };
	struct set *f = *state;
	struct store *three;
	size_t n;

	f->all->ops->inst_put(f->all, KIT_INST, "{}");
	f->all->now_ns = (NOW_S + 1) * SECOND_NS;
	assert_int_equal(add_hosts(f->all, HOSTS, NOW_S), HOSTS);
	three = open_set(f->one, 3, NOW_S + 1);
	assert_int_equal(add_hosts(three, HOSTS, NOW_S), 0);			/* they come again, after the change */
	assert_int_equal(add_hosts(three, HOSTS / 2, NOW_S + 100), HOSTS / 2);	/* and to either of two, during it */
	assert_int_equal(add_hosts(f->all, HOSTS, NOW_S + 100), HOSTS / 2);
	assert_int_equal(add_hosts(three, HOSTS, NOW_S + 100), 0);
	assert_int_equal(events_of(f->one[2]), 0);
	assert_int_equal(events_of(f->all), 2 * HOSTS);
	assert_int_equal(add_hosts(three, HOSTS, NOW_S + 1000), HOSTS);
	assert_int_equal(add_hosts(three, HOSTS, NOW_S + 1001), HOSTS);
	n = events_of(f->one[2]);
	assert_in_range(n, 2 * HOSTS / 6, 2 * HOSTS / 2);
	assert_int_equal(n % 2, 0);
	assert_int_equal(events_of(three), 4 * HOSTS);
	three->ops->close(three);
}

/* A heatscoped that runs with the shorter list. */
SET_TEST(a_shorter_list_is_refused_before_the_new_shard_takes_its_first_batch)
{
	struct set *f = *state;
	struct store *three;
	struct gathered *g;
	__u64 bytes;
	bool is_new;

	f->all->ops->inst_put(f->all, KIT_INST, "{}");
	three = open_set(f->one, 3, NOW_S);
	f->all->now_ns = (NOW_S + 200) * SECOND_NS;
	assert_int_equal(f->all->ops->size(f->all, &bytes), 0);
	f->all->now_ns = (NOW_S + 400) * SECOND_NS;
	assert_int_equal(f->all->ops->size(f->all, &bytes), -EAGAIN);
	assert_non_null(strstr(f->all->reason, "memory:2"));
	assert_int_equal(f->all->ops->add(f->all, NULL, 0, &is_new), -EAGAIN);
	assert_int_equal(kit_read(f->all, 0, 10, -1, &g), -EAGAIN);
	gathered_free(g);
	three->now_ns = f->all->now_ns;
	assert_int_equal(three->ops->size(three, &bytes), 0);
	three->ops->close(three);
}

TEST_MAIN()
