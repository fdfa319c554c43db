#include "collector/ring/late_events.h"
#include "test/kit/check.h"

#include <errno.h>

static const struct ring_plan plan = { .slot_ns = 1000, .ruler = { RULER(UNIT_NS, 2, 4, 20), RULER(UNIT_NS, 2, 4, 20) },
				       .n_measures = 2, .n_classes = 5, .measure = { 0, 1 },
				       .n_weights = 2, .weight = { 0, 1 }, .weight_ruler = RULER(UNIT_NS, 1, 4, 20) };

static void add(struct late_events *l, __u64 slot, __u64 code, __u64 value, __u64 weight, __u32 other)
{
	const struct ring_late event = { .slot = slot, .weight = weight, .key = { { code } }, .measure = { value, 2 * value } };

	assert_int_equal(late_events_add(l, &plan, &event, other), 0);
}

TEST(events_of_one_slot_and_key_are_one_row)
{
	struct late_events l = { 0 };

	add(&l, 7, 1, 100, 1, 0);
	add(&l, 7, 1, 200, 3, 0);
	add(&l, 7, 2, 100, 1, 0);
	add(&l, 8, 1, 100, 1, 0);
	assert_int_equal(l.n, 3);
	assert_true(l.row[0].hist[0].count == 4 && l.row[0].hist[0].sum == 700);
	assert_true(l.row[0].hist[1].count == 4 && l.row[0].hist[1].sum == 1400);
	assert_true(l.row[0].hist[2].count == 4 && hist_total(&l.row[0].hist[2]) == 700);
	assert_true(l.row[0].hist[3].sum == 700 && hist_total(&l.row[0].hist[3]) == 1400);
	late_events_fini(&l);
}

TEST(events_without_a_class_are_one_row_for_all_keys)
{
	struct late_events l = { 0 };

	add(&l, 7, 1, 100, 1, 1);
	add(&l, 7, 2, 100, 1, 1);
	add(&l, 7, 2, 100, 1, 0);
	assert_int_equal(l.n, 2);
	assert_true(l.row[0].other && l.row[0].hist[0].count == 2);
	late_events_fini(&l);
}

TEST(a_point_belongs_to_running_events_only)
{
	struct ring_plan points = plan;
	struct ring_late event = { .slot = 7, .weight = 1, .measure = { 5, 9 } };
	struct late_events l = { 0 };

	points.points = 1u << 1;
	assert_int_equal(late_events_add(&l, &points, &event, 0), 0);
	assert_true(l.row[0].hist[0].sum == 5 && !l.row[0].hist[1].count && hist_total(&l.row[0].hist[2]) == 5);
	event.running = 1;
	assert_int_equal(late_events_add(&l, &points, &event, 0), 0);
	assert_true(l.n == 1 && l.row[0].hist[0].count == 1 && l.row[0].hist[1].sum == 9 && l.row[0].hist[2].count == 1);
	late_events_fini(&l);
}

TEST(a_slot_has_as_many_keys_as_there_are_classes)
{
	struct late_events l = { 0 };
	__u64 n = 0, n_other = 0;

	for (__u64 code = 1; code <= 50; code++)
		add(&l, 7, code, 100, 1, 0);
	add(&l, 7, 1, 100, 1, 0);		/* that slot has its row */
	add(&l, 8, 50, 100, 1, 0);
	assert_int_equal(l.n, 4 + 1 + 1);
	for (size_t i = 0; i < l.n; i++)
		*(l.row[i].other ? &n_other : &n) += l.row[i].hist[0].count;
	assert_true(n == 4 + 1 + 1 && n_other == 46);
	late_events_fini(&l);
}

TEST(rows_come_in_the_order_of_their_slots)
{
	static const __u64 slots[] = { 9, 3, 7, 3, 12 };
	struct late_events l = { 0 };

	for (size_t i = 0; i < sizeof(slots) / sizeof(*slots); i++)
		add(&l, slots[i], i, 100, 1, 0);
	late_events_sort(&l);
	for (size_t i = 1; i < l.n; i++)
		assert_true(l.row[i - 1].slot <= l.row[i].slot);
	late_events_drop(&l, 2);
	assert_int_equal(l.n, 3);
	assert_true(l.row[0].slot == 7 && l.row[2].slot == 12);
	late_events_fini(&l);
}

TEST(the_number_of_rows_is_bounded)
{
	struct ring_late event = { .slot = 0, .weight = 1 };
	struct late_events l = { 0 };

	for (; event.slot < LATE_EVENTS_MAX; event.slot++)
		assert_int_equal(late_events_add(&l, &plan, &event, 0), 0);
	assert_int_equal(late_events_add(&l, &plan, &event, 0), -ENOMEM);
	event.slot = 5;
	assert_int_equal(late_events_add(&l, &plan, &event, 0), 0);	/* its row is present */
	late_events_fini(&l);
}

TEST_MAIN()
