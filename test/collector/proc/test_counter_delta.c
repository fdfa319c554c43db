#include "collector/proc/counter_delta.h"
#include "test/kit/check.h"

TEST(things_that_stay_grow)
{
	struct counter_delta g = { .n_values = 2 };
	__u64 growth[COUNTER_DELTA_VALUES];

	counter_delta_begin(&g);
	counter_delta_add(&g, 1, (const __u64[]){ 10, 100 });
	counter_delta_add(&g, 2, (const __u64[]){ 20, 200 });
	assert_int_equal(counter_delta_of(&g, 0, growth), 0);	/* there was no previous snapshot */
	counter_delta_begin(&g);
	counter_delta_add(&g, 2, (const __u64[]){ 25, 200 });	/* any order */
	counter_delta_add(&g, 1, (const __u64[]){ 11, 103 });
	assert_int_equal(counter_delta_of(&g, 0, growth), 1);
	assert_int_equal(growth[0], 5);
	assert_int_equal(growth[1], 0);
	assert_int_equal(counter_delta_of(&g, 1, growth), 1);
	assert_int_equal(growth[0], 1);
	assert_int_equal(growth[1], 3);
	counter_delta_fini(&g);
}

/* A thing that went and came back, one that was reset, one that wrapped: no value, and above all no huge one. */
TEST(a_new_or_reset_thing_has_no_value)
{
	struct counter_delta g = { .n_values = 1 };
	__u64 growth[COUNTER_DELTA_VALUES];
	static const struct { __u64 code, value; int grown; } steps[4][2] = {
		{ { 1, 100, 0 }, { 2, 50, 0 } },
		{ { 1, 7, 0 }, { 3, 9, 0 } },		/* 1 was reset, 2 is gone, 3 is new */
		{ { 1, 8, 1 }, { 2, 60, 0 } },		/* 2 is back, with unknown growth in between */
		{ { 1, 4294967295, 1 }, { 2, 61, 1 } },
	};

	for (size_t s = 0; s < 4; s++) {
		counter_delta_begin(&g);
		for (size_t i = 0; i < 2; i++)
			counter_delta_add(&g, steps[s][i].code, &steps[s][i].value);
		for (size_t i = 0; i < 2; i++)
			assert_int_equal(counter_delta_of(&g, i, growth), steps[s][i].grown);
	}
	counter_delta_begin(&g);
	counter_delta_add(&g, 1, (const __u64[]){ 3 });		/* a counter of 32 bits has wrapped */
	assert_int_equal(counter_delta_of(&g, 0, growth), 0);
	counter_delta_fini(&g);
}

TEST(a_counter_that_may_shrink_stays)
{
	struct counter_delta g = { .n_values = 2, .may_shrink = 2 };
	__u64 growth[COUNTER_DELTA_VALUES];

	counter_delta_begin(&g);
	counter_delta_add(&g, 1, (const __u64[]){ 10, 10 });
	counter_delta_begin(&g);
	counter_delta_add(&g, 1, (const __u64[]){ 11, 8 });
	assert_int_equal(counter_delta_of(&g, 0, growth), 1);
	assert_int_equal(growth[0], 1);
	assert_int_equal(growth[1], 0);
	counter_delta_fini(&g);
}

TEST(many_things_come_and_go)
{
	struct counter_delta g = { .n_values = 1 };
	__u64 growth[COUNTER_DELTA_VALUES], counter[200] = { 0 };
	int was[200] = { 0 };

	for (int round = 0; round < 50; round++) {
		int is[200];
		__u64 by[200];
		size_t n = 0;

		counter_delta_begin(&g);
		for (size_t i = 0; i < 200; i++) {
			is[i] = check_below(3) != 0;
			by[i] = check_below(1000);
			counter[i] += by[i];
			if (is[i])
				counter_delta_add(&g, i + 1, &counter[i]);
		}
		for (size_t i = 0; i < 200; i++) {
			if (!is[i])
				continue;
			assert_int_equal(counter_delta_of(&g, n++, growth), was[i]);
			if (was[i])
				assert_int_equal(growth[0], by[i]);
		}
		memcpy(was, is, sizeof(was));
	}
	counter_delta_fini(&g);
}

TEST_MAIN()
