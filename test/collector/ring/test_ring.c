/* The ring: its reader returns each recorded event once, in its own slot. */
#include "test/kit/ring_kit.h"

static void keeps_every_event_in_its_own_slot(__u32 n_spares)
{
	struct bench *b = bench_with(10, n_spares);
	__u64 count[4096] = { 0 }, sum[4096] = { 0 }, odd[4096] = { 0 }, slot, last = 10;
	int i;

	for (slot = 10; slot < 600; slot++) {
		for (i = check_below(4); i > 0; i--) {
			__u64 value = check_below(1 << 20), of = slot - (slot > 10 && !check_below(3));

			bench_record(b, of, check_below(3), value, check_below(8));
			count[of]++;
			sum[of] += value;
			odd[of] += value % 2;
		}
		if (!check_below(4) || slot - last >= N_SLOTS - 3) {
			bench_drain(b, slot);
			last = slot;
		}
	}
	bench_drain(b, 601);
	assert_false(memcmp(count, b->count, sizeof(count)));
	assert_false(memcmp(sum, b->sum, sizeof(sum)));
	assert_false(memcmp(odd, b->odd_sum, sizeof(odd)));
	for (slot = 10; slot < 601; slot++)
		assert_int_equal(b->times[slot], 1);
	assert_int_equal(b->n_lost, 0);
	assert_int_equal(b->out_of_order, 0);
	bench_free(b);
}

TEST(every_event_is_in_its_own_slot)
{
	keeps_every_event_in_its_own_slot(1);
	keeps_every_event_in_its_own_slot(3);
	keeps_every_event_in_its_own_slot(RING_SPARES_MAX);
}

/* The second report of a slot has the events that came in between. */
TEST(exemplars_come_with_their_slot)
{
	struct bench *b = bench_new(10);
	__u64 slot, value;

	for (slot = 10; slot < 200; slot++) {
		for (value = 0; value < 20; value++)
			bench_record(b, slot, 1, 5 + value * 7 % 20 + slot, value % 2);
		if (slot % 3)
			bench_drain(b, slot);
		if (slot % 5 == 0 && slot > 10)
			bench_record(b, slot - 1, 1, 3000, 0);
	}
	bench_drain(b, 201);
	for (slot = 10; slot < 199; slot++) {
		int again = slot % 5 == 4;

		assert_int_equal(b->count[slot], 20 + again);
		assert_int_equal((b->worst[slot] == 3000) + b->missed[slot], again);	/* considered, or counted */
		if (b->worst[slot] != 3000)
			assert_int_equal(b->worst[slot], 24 + slot);
		assert_in_range(b->reported[slot], 2, 2 + again);
	}
	bench_free(b);
}

TEST(events_that_come_too_late_are_missed)
{
	struct bench *b = bench_new(10);

	bench_record(b, 10, 1, 5, 0);
	bench_record(b, 13, 1, 5, 0);
	bench_drain(b, 14);
	bench_record(b, 10, 1, 9, 0);		/* its row has been freed, and it may not claim another */
	bench_record(b, 10, 1, 9, 0);
	bench_drain(b, 15);
	assert_int_equal(b->count[10], 3);
	assert_int_equal(b->missed[10], 2);
	assert_int_equal(b->worst[10], 5);
	bench_free(b);
}

TEST(many_slots_are_taken_in_one_grace_period)
{
	struct bench *b = bench_with(10, 4);
	struct batch_sink sink = bench_sink(b);
	__u64 slot;

	for (slot = 10; slot < 16; slot++)
		bench_record(b, slot, 1, 5, 0);
	assert_int_equal(reader_swap(b->reader, 20 * SLOT_NS), 4);
	assert_int_equal(reader_swap(b->reader, 20 * SLOT_NS), 4);	/* those are still in use */
	bench_record(b, 11, 1, 5, 0);						/* claims another row: an amendment */
	assert_int_equal(reader_take(b->reader, &sink), 0);
	assert_int_equal(b->next, 14);
	assert_int_equal(b->count[11], 1);
	bench_drain(b, 20);
	assert_int_equal(b->count[11] + b->n_lost, 2);
	for (slot = 12; slot < 16; slot++)
		assert_int_equal(b->count[slot], 1);
	bench_free(b);
}

TEST(empty_slots_are_one_batch)
{
	struct bench *b = bench_new(10);

	bench_drain(b, 10);
	assert_int_equal(b->n_batches, 0);
	bench_drain(b, 100);
	assert_int_equal(b->n_batches, 1);
	assert_int_equal(b->next, 100);
	bench_record(b, 105, 1, 1, 0);
	bench_drain(b, 110);
	assert_int_equal(b->n_batches, 4);		/* 100..104, 105, 106..109 */
	assert_int_equal(b->out_of_order, 0);
	bench_free(b);
}

TEST(events_before_the_first_slot_are_not_ours)
{
	struct bench *b = bench_new(10);

	bench_record(b, 9, 1, 1, 0);
	bench_drain(b, 12);
	assert_int_equal(b->count[9], 0);
	assert_int_equal(b->n_lost, 0);
	bench_free(b);
}

TEST(reader_stopped_for_a_ring_loses_nothing)
{
	struct bench *b = bench_new(10);
	__u64 slot;

	for (slot = 10; slot < 10 + N_SLOTS; slot++)
		bench_record(b, slot, 1, 5, 0);
	bench_drain(b, 10 + N_SLOTS);
	for (slot = 10; slot < 10 + N_SLOTS; slot++)
		assert_int_equal(b->count[slot], 1);
	assert_int_equal(b->n_lost, 0);
	bench_free(b);
}

TEST(overrun_is_counted_exactly)
{
	struct bench *b = bench_new(10);
	__u64 slot;

	for (slot = 10; slot < 10 + N_SLOTS + 7; slot++) {
		bench_record(b, slot, 1, slot, 0);
		bench_record(b, slot, 2, slot, 1);
	}
	bench_drain(b, slot);
	for (slot = 10; slot < 10 + N_SLOTS; slot++)
		assert_int_equal(b->count[slot], 2);
	assert_int_equal(b->n_lost, 14);
	assert_int_equal(b->lost_first, 10 + N_SLOTS);
	assert_int_equal(b->lost_last, 10 + N_SLOTS + 6);
	assert_int_equal(b->lost_sum, 2 * (22 + 23 + 24 + 25 + 26 + 27 + 28));
	assert_int_equal(reader_lost(b->reader), 14);
	bench_drain(b, slot + 5);
	assert_int_equal(b->n_lost, 14);		/* reported once */
	bench_free(b);
}

TEST(late_event_amends_its_slot)
{
	struct bench *b = bench_new(10);

	bench_record(b, 10, 1, 5, 0);
	bench_drain(b, 20);
	bench_record(b, 20, 1, 6, 0);
	bench_record(b, 12, 1, 7, 0);
	bench_record(b, 10, 2, 8, 0);
	bench_drain(b, 21);
	assert_int_equal(b->count[10], 2);
	assert_int_equal(b->sum[10], 13);
	assert_int_equal(b->count[12], 1);
	assert_int_equal(b->amended[10], 1);
	assert_int_equal(b->amended[12], 1);
	assert_int_equal(b->count[20], 1);
	assert_int_equal(b->n_lost, 0);
	bench_free(b);
}

/* A late event must not take the entry of a slot that is still to come. */
TEST(late_event_does_not_cost_a_later_slot)
{
	struct bench *b = bench_new(10);
	__u64 slot;

	bench_record(b, 30, 1, 1, 0);
	bench_record(b, 30 - N_SLOTS + 1, 1, 1, 0);		/* the entry that slot 31 will need */
	for (slot = 31; slot < 30 + N_SLOTS; slot++)
		bench_record(b, slot, 1, 1, 0);
	bench_drain(b, 50);
	for (slot = 30; slot < 30 + N_SLOTS; slot++)
		assert_int_equal(b->count[slot], 1);
	assert_int_equal(b->count[30 - N_SLOTS + 1], 1);
	assert_int_equal(b->n_lost, 0);
	bench_free(b);
}

TEST(late_queue_overflow_is_a_loss)
{
	struct bench *b = bench_new(10);

	b->room_late = 2;
	bench_record(b, 30, 1, 1, 0);
	bench_record(b, 12, 1, 1, 0);
	bench_record(b, 12, 1, 1, 0);
	bench_record(b, 13, 1, 9, 0);
	bench_drain(b, 31);
	assert_int_equal(b->count[12], 2);
	assert_int_equal(b->n_lost, 1);
	assert_int_equal(b->lost_first, 13);
	assert_int_equal(b->lost_sum, 9);
	bench_free(b);
}

TEST(keys_beyond_the_cap_are_other)
{
	struct bench *b = bench_new(10);
	struct event e = { .end_ns = 10 * SLOT_NS, .field = { 9 }, .measure = { 1, 1 } };
	__u64 code;

	for (code = 0; code < 7; code++)
		bench_record(b, 10, code, 1, 0);
	bench_drain(b, 11);
	for (code = 0; code < N_KEYS; code++)
		assert_int_equal(b->by_key[code], 1);
	assert_int_equal(b->other, 3);
	reader_file(b->reader, &e);			/* also filed events */
	bench_drain(b, 12);
	assert_int_equal(b->other, 4);
	bench_free(b);
}

TEST(unused_keys_free_their_places)
{
	struct bench *b = bench_new(10);
	__u64 slot, code;

	for (code = 0; code < N_KEYS; code++)
		bench_record(b, 10, code, 1, 0);
	for (slot = 11; slot < 10 + 3 * N_SLOTS; slot++) {
		bench_drain(b, slot);
		bench_record(b, slot, 0, 1, 0);		/* key 0 stays in use */
	}
	for (code = 10; code < 10 + N_KEYS; code++)
		bench_record(b, slot, code, 1, 0);
	bench_record(b, slot, 0, 1, 0);
	bench_drain(b, slot + 1);
	assert_int_equal(b->by_key[0], 2 + 3 * N_SLOTS - 1);
	assert_int_equal(b->by_key[10], 1);
	assert_int_equal(b->by_key[12], 1);
	assert_int_equal(b->other, 1);
	bench_free(b);
}

/* The drain is two slots late when it takes the class from a key that was just used again. */
TEST(freed_class_does_not_misfile_what_it_still_holds)
{
	struct bench *b = bench_new(10);
	__u64 code;

	for (code = 0; code < N_KEYS; code++)
		bench_record(b, 10, code, 1, 0);
	bench_drain(b, 11);
	bench_record(b, 26, 1, 1, 0);
	bench_drain(b, 24);
	bench_drain(b, 26);
	for (code = 10; code < 10 + N_KEYS; code++)
		bench_record(b, 26, code, 1, 0);
	bench_drain(b, 27);
	assert_int_equal(b->by_key[1], 2);
	for (code = 10; code < 10 + N_KEYS; code++)
		assert_true(b->by_key[code] <= 1);
	bench_free(b);
}

/* When a key is forgotten, a class that a CPU remembers is no longer the key's. */
TEST(remembered_class_is_not_used_after_its_key_was_forgotten)
{
	struct bench *b = bench_new(10);
	__u64 code, slot;

	for (slot = 10; slot < 12; slot++)
		for (code = 0; code < N_KEYS; code++)
			bench_record(b, slot, code, 1, 0);
	for (; slot < 40; slot++)
		bench_drain(b, slot);
	for (code = 10; code < 10 + N_KEYS; code++)
		bench_record(b, 40, code, 1, 0);	/* other keys have the classes now */
	for (code = 0; code < N_KEYS; code++)
		bench_record(b, 40, code, 1, 0);
	bench_drain(b, 41);
	for (code = 0; code < N_KEYS; code++) {
		assert_int_equal(b->by_key[code], 2);
		assert_int_equal(b->by_key[10 + code], 1);
	}
	assert_int_equal(b->other, N_KEYS);
	assert_true(b->ring.state->forgotten >= N_KEYS);
	bench_free(b);
}

/* A program finds the classes, the reader forgets the keys, and only then the program reads `forgotten`. */
TEST(class_found_before_its_key_was_forgotten_is_not_believed)
{
	struct bench *b = bench_new(10);
	__u64 code, slot = 11;
	__u32 i;

	for (code = 0; code < N_KEYS; code++)
		bench_record(b, 10, code, 1, 0);
	for (; b->used[1] && slot < 100; slot++)
		bench_drain(b, slot);
	for (i = 1; i <= N_KEYS; i++) {
		__u64 tag = ring_class_word(&b->ring.plan, &b->key[i], 0);

		ring_remember(&b->remembered[0][ring_remembered_at(tag)], &b->key[i], tag | i, b->ring.state->forgotten);
	}
	for (; b->n_free < N_KEYS && slot < 100; slot++)
		bench_drain(b, slot);
	for (code = 0; code < N_KEYS; code++)
		bench_record(b, slot, 10 + code, 1, 0);	/* other keys have the classes now */
	for (code = 0; code < N_KEYS; code++)
		bench_record(b, slot, code, 1, 0);
	bench_drain(b, slot + 1);
	for (code = 0; code < N_KEYS; code++) {
		assert_int_equal(b->by_key[code], 1);
		assert_int_equal(b->by_key[10 + code], 1);
	}
	assert_int_equal(b->other, N_KEYS);
	bench_free(b);
}

TEST(recall_finds_the_same_key_only)
{
	const struct ring_plan p = { .n_fields = 2 };
	struct ring_remembered r = { 0 };
	struct key key = { { 7, 8 } }, other = { { 7, 9 } };
	__u64 tag = ring_class_word(&p, &key, 0);

	assert_int_equal(ring_recall(&p, &r, &key, tag, 0), 0);
	ring_remember(&r, &key, tag | 3, 5);
	assert_int_equal(ring_recall(&p, &r, &key, tag, 5), 3);
	assert_int_equal(ring_recall(&p, &r, &key, tag, 6), 0);		/* a key was forgotten since then */
	assert_int_equal(ring_recall(&p, &r, &other, tag, 5), 0);	/* whose tag is the same */
	assert_int_equal(ring_recall(&p, &r, &key, tag ^ 1ull << 32, 5), 0);
	assert_true(ring_remembered_at(~0ull) < RING_REMEMBERED);
}

struct writer {
	struct bench *b;
	_Atomic __u64 *slot;
	__u64 n, done[4096];
	__u32 cpu;
};

static void *writer_run(void *arg)
{
	struct writer *w = arg;
	__u64 i;

	for (i = 0; i < w->n; i++) {
		__u64 slot;

		bench_enter(w->b);
		slot = *w->slot;
		bench_record(w->b, slot, i % 3, i & 0xffff, w->cpu);
		bench_leave(w->b);
		w->done[slot]++;
	}
	return NULL;
}

TEST(writers_concurrent_with_the_reader_lose_nothing)
{
	struct bench *b = bench_new(10);
	_Atomic __u64 slot = 10;
	static struct writer w[2];
	pthread_t thread[2];
	__u64 i;

	for (i = 0; i < 2; i++) {
		w[i] = (struct writer){ .b = b, .slot = &slot, .n = 200000, .cpu = i };
		assert_int_equal(pthread_create(&thread[i], NULL, writer_run, &w[i]), 0);
	}
	while (slot < 2000) {
		slot++;
		bench_drain(b, slot);
		/* In the kernel no program outlasts a grace period, so none keeps a slot until its entry is used again. */
		if (slot % 4 == 0)
			bench_wait(b);
	}
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	bench_drain(b, slot + 2);
	for (i = 10; i < 2002; i++)
		assert_int_equal(b->count[i], w[0].done[i] + w[1].done[i]);
	assert_int_equal(b->n_lost, 0);
	bench_free(b);
}

/* Also late and lost events. */
TEST(an_event_counts_as_many_times_as_it_stands_for)
{
	struct bench *b = bench_new(10);

	b->late[b->n_late++] = (struct ring_late){ 10, 5, 0, { { 1 } }, { 100, 100 } };
	ring_loss_add(b->ring.state, 10, 70, 3);
	bench_drain(b, 12);
	assert_true(b->count[10] == 5 && b->sum[10] == 500);
	bench_record(b, 12, 1, 100, 0);	/* its row's batch brings the loss */
	bench_drain(b, 13);
	assert_true(b->n_lost == 3 && b->lost_sum == 210);
	bench_free(b);
}

TEST_MAIN()
