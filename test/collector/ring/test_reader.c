/* The reader's other inputs than the ring: events to file, running exchanges, clocks, losses, attachments. */
#include "test/kit/ring_kit.h"

TEST(filed_event_that_does_not_match_is_nothing)
{
	struct bench *b = bench_new(10);
	struct filter big = { .term = { { .measure = 1, .op = FILTER_BELOW, .constant = 100, .yes = FILTER_REJECT } },
			      .start = FILTER_TERM, .n_terms = 1 };
	struct event e = { .end_ns = 12 * SLOT_NS, .field[0] = 3, .measure[0] = 99 };

	bench_filter(b, &big);
	reader_file(b->reader, &e);
	e.measure[0] = 100;
	reader_file(b->reader, &e);
	bench_drain(b, 20);
	assert_int_equal(b->count[12], 1);
	assert_int_equal(b->sum[12], 100);
	assert_int_equal(b->n_lost, 0);
	bench_free(b);
}

TEST(filed_event_is_counted_in_its_slot)
{
	struct bench *b = bench_new(10);
	struct event e = { .end_ns = 12 * SLOT_NS + 1, .field = { 1 }, .measure = { 77, 77 } };

	bench_record(b, 12, 1, 3, 0);
	bench_drain(b, 14);
	assert_int_equal(reader_file(b->reader, &e), 0);
	e.end_ns = 14 * SLOT_NS;			/* not ended yet: it waits */
	assert_int_equal(reader_file(b->reader, &e), 0);
	bench_drain(b, 14);
	assert_int_equal(b->count[12], 2);
	assert_int_equal(b->sum[12], 80);
	assert_int_equal(b->count[14], 0);
	bench_drain(b, 15);
	assert_int_equal(b->count[14], 1);
	bench_free(b);
}

TEST(batches_say_which_fields_were_left_out)
{
	struct bench *b = bench_new(10);
	struct event e = { .end_ns = 12 * SLOT_NS + 1, .field = { 1 }, .measure = { 77, 77 } };

	bench_record(b, 12, 1, 3, 0);
	bench_record(b, 12, KEY_SHED, 4, 0);
	bench_drain(b, 14);
	assert_int_equal(b->n_shed, 1);
	b->ring.state->shed = WANTED_FIELD(0);
	assert_int_equal(reader_file(b->reader, &e), 0);
	bench_drain(b, 14);
	assert_int_equal(b->n_shed, 2);
	assert_int_equal(b->count[12], 3);
	bench_free(b);
}

/* Reported all at once or in parts: each is in every slot at whose end it was under way, with its age at that end,
 * and is no event. */
TEST(a_running_turn_is_in_every_slot_at_whose_end_it_ran)
{
	struct bench *b = bench_made(10, 1, 1u << 1);
	static struct { __u64 begin, end; } run[500];
	static __u64 count[4096], sum[4096];
	__u64 now = 10, next;

	for (size_t i = 0; i < 500; i++) {
		run[i].begin = check_below(300) * SLOT_NS + check_below(SLOT_NS);
		run[i].end = run[i].begin + check_below(check_below(2) ? SLOT_NS : 40 * SLOT_NS);
		for (__u64 slot = 10; slot < 400; slot++)
			if (run[i].begin < (slot + 1) * SLOT_NS && (slot + 1) * SLOT_NS <= run[i].end) {
				count[slot]++;
				sum[slot] += (slot + 1) * SLOT_NS - run[i].begin;
			}
	}
	for (; now < 400; now = next) {
		__u64 now_ns = (next = now + 1 + check_below(5)) * SLOT_NS + check_below(SLOT_NS);

		assert_int_equal(reader_unreported_end(b->reader, now_ns), (now + 1) * SLOT_NS);
		bench_record(b, now, 1, 5, 0);
		for (size_t i = 0; i < 500; i++)
			if (run[i].begin < now_ns && run[i].end >= now * SLOT_NS)
				assert_int_equal(reader_run(b->reader, &(struct event){ .field[0] = i % 3 }, run[i].begin,
							    run[i].end < now_ns ? run[i].end : now_ns), 0);
		reader_mark_reported(b->reader, now_ns);
		assert_int_equal(reader_unreported_end(b->reader, now_ns), 0);
		bench_drain(b, next);
		assert_int_equal(b->count[now], 1);
	}
	assert_false(memcmp(b->odd_count, count, sizeof(count)));
	assert_false(memcmp(b->odd_sum, sum, sizeof(sum)));
	assert_int_equal(b->n_lost, 0);
	bench_free(b);
}

TEST(running_turns_are_reported_only_on_request)
{
	struct bench *b = bench_new(10);

	assert_int_equal(reader_unreported_end(b->reader, 20 * SLOT_NS), 0);
	assert_int_equal(reader_run(b->reader, &(struct event){ .field[0] = 1 }, 10 * SLOT_NS, 20 * SLOT_NS), 0);
	bench_drain(b, 20);
	assert_int_equal(b->count[10] + b->count[15], 0);
	bench_free(b);
}

TEST(a_running_turn_must_match_by_its_age)
{
	struct bench *b = bench_made(10, 1, 1u << 1);
	struct filter old = { .term = { { .measure = 1, .op = FILTER_BELOW, .constant = 3 * SLOT_NS, .yes = FILTER_REJECT } },
			      .start = FILTER_TERM, .n_terms = 1 };

	bench_filter(b, &old);
	assert_int_equal(reader_run(b->reader, &(struct event){ .field[0] = 1 }, 10 * SLOT_NS, 15 * SLOT_NS), 0);
	reader_mark_reported(b->reader, 15 * SLOT_NS);
	bench_drain(b, 15);
	for (__u64 slot = 10; slot < 15; slot++)
		assert_int_equal(b->odd_count[slot], slot >= 12);
	bench_free(b);
}

TEST(running_turns_are_reported_again_after_the_clock_was_set_back)
{
	struct bench *b = bench_made(10, 1, 1u << 1);

	reader_mark_reported(b->reader, 100 * SLOT_NS);
	assert_int_equal(reader_unreported_end(b->reader, 50 * SLOT_NS), 0);
	reader_clock_stepped(b->reader, 50 * SLOT_NS, -50 * (__s64)SLOT_NS);
	b->ring.state->newest = 100;
	reader_clock_stepped(b->reader, 50 * SLOT_NS, -50 * (__s64)SLOT_NS);
	assert_int_equal(reader_unreported_end(b->reader, 52 * SLOT_NS), 51 * SLOT_NS);
	bench_free(b);
}

TEST(only_the_age_of_a_running_turn_is_known)
{
	struct bench *b = bench_made(10, 1, 1u << 1);
	struct filter third = { .term = { { .measure = 1, .index = 2, .op = FILTER_BELOW, .constant = 5, .yes = FILTER_REJECT } },
				.start = FILTER_TERM, .n_terms = 1 };
	struct event e = { .field[0] = 1, .measure = { 9, 9, 9 } };

	bench_filter(b, &third);
	reader_run(b->reader, &e, 10 * SLOT_NS, 12 * SLOT_NS);
	reader_mark_reported(b->reader, 12 * SLOT_NS);
	bench_drain(b, 12);
	assert_int_equal(b->odd_count[10] + b->odd_count[11], 0);
	bench_free(b);
}

TEST(clock_step_marks_its_slot)
{
	struct bench *b = bench_new(10);

	reader_clock_stepped(b->reader, 15 * SLOT_NS, 5000000);
	bench_drain(b, 20);
	assert_int_equal(b->step_ns, 5000000);
	assert_int_equal(b->step_slot, 15);
	assert_int_equal(b->out_of_order, 0);
	assert_int_equal(b->next, 20);
	bench_free(b);
}

/* Rows of slots that will not come for a long time must not block those that are due. */
TEST(clock_set_back_loses_nothing)
{
	struct bench *b = bench_new(10);
	__u64 slot;

	b->room_late = 0;
	bench_record(b, 999, 1, 1, 0);
	bench_record(b, 1000, 1, 1, 0);
	reader_clock_stepped(b->reader, 500 * SLOT_NS, -500 * (__s64)SLOT_NS);
	bench_drain(b, 500);
	assert_int_equal(b->count[999], 1);
	assert_int_equal(b->count[1000], 1);
	for (slot = 500; slot < 500 + 2 * N_SLOTS; slot++) {
		bench_record(b, slot, 1, 1, 0);
		bench_drain(b, slot + 1);
		assert_int_equal(b->count[slot], 1);
	}
	assert_int_equal(b->n_lost, 0);
	bench_free(b);
}

TEST(loss_before_the_ring_is_reported_once)
{
	struct bench *b = bench_new(10);

	reader_lose(b->reader, 9, 8 * SLOT_NS, 9 * SLOT_NS);		/* before the reader began */
	reader_lose(b->reader, 3, 9 * SLOT_NS, 11 * SLOT_NS + 1);
	bench_drain(b, 12);
	assert_int_equal(b->n_lost, 3);
	assert_int_equal(b->lost_first, 10);
	assert_int_equal(b->lost_last, 11);
	assert_int_equal(reader_lost(b->reader), 3);
	bench_drain(b, 13);
	assert_int_equal(b->n_lost, 3);
	bench_free(b);
}

/* Detached in the middle of slot 15, attached again in 20: those slots and their events are not reported. */
TEST(slots_while_detached_are_not_reported)
{
	struct bench *b = bench_new(10);
	__u64 slot;

	for (slot = 10; slot <= 15; slot++)
		bench_record(b, slot, 1, 100, 0);
	bench_drain(b, 15);
	reader_unobserved(b->reader, 15);
	bench_drain(b, 17);
	bench_drain(b, 20);
	reader_observed(b->reader, 21);
	bench_record(b, 20, 1, 100, 0);
	bench_record(b, 21, 1, 100, 0);
	bench_drain(b, 24);
	for (slot = 10; slot < 24; slot++) {
		int seen = slot < 15 || slot > 20;

		assert_int_equal(b->times[slot], seen);
		assert_true(b->count[slot] == (seen && slot <= 21));
		assert_int_equal(b->amended[slot], 0);
	}
	assert_true(b->n_lost == 0);
	bench_free(b);
}

/* If the rate changes within a slot, the slot reports the larger share that was left out. */
TEST(slots_report_how_much_was_sampled)
{
	static const __u32 expected[] = { 0, 0, 8, 8, 8, 0 };
	struct bench *b = bench_new(10);
	__u64 slot;

	for (slot = 10; slot < 16; slot++) {
		bench_record(b, slot, 1, 100, 0);
		if (slot == 12)
			reader_sampled(b->reader, slot * SLOT_NS, 8);
		if (slot == 14)
			reader_sampled(b->reader, slot * SLOT_NS, 1);
		bench_drain(b, slot + 1);
	}
	for (slot = 10; slot < 16; slot++)
		assert_int_equal(b->every[slot], expected[slot - 10]);
	bench_free(b);
}

TEST_MAIN()
