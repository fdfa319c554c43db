#include "aggregator/ingest/refusals.h"
#include "test/kit/check.h"

#include <stdio.h>

TEST(a_refusal_is_logged_once_and_again_after_ten_minutes_with_its_number)
{
	struct refusals r = { 0 };
	unsigned long before = 99;

	assert_true(refusals_logs(&r, "db1: no", 1000, &before));
	assert_int_equal(before, 0);
	for (__u64 at = 4000; at < 1000 + REFUSALS_AGAIN_MS; at += 3000)
		assert_false(refusals_logs(&r, "db1: no", at, &before));
	assert_true(refusals_logs(&r, "db1: no", 1000 + REFUSALS_AGAIN_MS, &before));
	assert_int_equal(before, 199);
	assert_false(refusals_logs(&r, "db1: no", 4000 + REFUSALS_AGAIN_MS, &before));
}

TEST(another_collector_or_reason_is_logged_at_once)
{
	struct refusals r = { 0 };
	unsigned long before;

	assert_true(refusals_logs(&r, "db1: no", 1, &before));
	assert_true(refusals_logs(&r, "db2: no", 1, &before));
	assert_true(refusals_logs(&r, "db1: never", 1, &before));
	assert_false(refusals_logs(&r, "db1: no", 2, &before));
	assert_false(refusals_logs(&r, "db2: no", 2, &before));
}

TEST(many_others_push_out_only_those_that_ended)
{
	struct refusals r = { 0 };
	unsigned long before;
	char line[32];

	assert_true(refusals_logs(&r, "steady", 1, &before));
	for (unsigned i = 0; i < 10 * REFUSALS_MAX; i++) {
		snprintf(line, sizeof(line), "other %u", i);
		assert_true(refusals_logs(&r, line, 10 + 2 * i, &before));
		assert_false(refusals_logs(&r, "steady", 11 + 2 * i, &before));
	}
	assert_int_equal(before, 0);
	assert_true(refusals_logs(&r, "other 0", 10000, &before));
}

TEST_MAIN()
