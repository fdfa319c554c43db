#include "collector/ring/record.h"
#include "collector/ring/ring_plan.h"
#include "test/kit/check.h"

static void instrument(struct instrumentation *in, size_t n_measures)
{
	size_t m;

	*in = (struct instrumentation){ .slot_ns = 1000000000, .n_measures = n_measures, .n_keys = 64, .n_slots = 12 };
	for (m = 0; m < n_measures; m++)
		in->ruler[m] = RULER(UNIT_NS, 5, 10, 39);
}

TEST(big_machine_fits_in_64_mb)
{
	struct instrumentation in;
	struct ring_plan p;
	char reason[REASON_MAX];

	instrument(&in, 5);
	assert_int_equal(ring_plan_make(&in, 128, &p, reason), 0);
	assert_int_equal(p.n_cells, 930);
	assert_true(record_memory(&p) <= 64000000);
	assert_true(record_memory(&p) >= 13ull * p.n_shards * 5 * 65 * 930 * 4);
}

TEST(ring_spans_twelve_seconds)
{
	struct instrumentation in;
	struct ring_plan p;
	char reason[REASON_MAX];

	instrument(&in, 1);
	in.slot_ns = 100000000;
	assert_int_equal(ring_plan_make(&in, 2, &p, reason), 0);
	assert_int_equal(p.n_slots, 120);
	assert_int_equal(p.n_shards, 2);
	assert_int_equal(p.n_spares, 1);
	assert_int_equal(ring_plan_least(&p), 12);
	in.n_slots = 300;
	assert_int_equal(ring_plan_make(&in, 2, &p, reason), 0);
	assert_int_equal(p.n_slots, 300);
	in.slot_ns = 1000;
	assert_int_equal(ring_plan_make(&in, 2, &p, reason), -22);
	assert_non_null(strstr(reason, "too short"));
}

TEST(short_slots_have_spare_rows_and_may_span_a_second_only)
{
	static const struct { __u64 slot_ns; __u32 n_slots, n_spares, least; } cases[] = {
		{ 1000000000, 12, 1, 12 }, { 100000000, 120, 1, 12 }, { 50000000, 240, 2, 20 }, { 20000000, 600, 4, 50 },
		{ 10000000, 1200, 8, 100 },
	};
	struct instrumentation in;
	struct ring_plan p;
	char reason[REASON_MAX];

	instrument(&in, 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		in.slot_ns = cases[i].slot_ns;
		assert_int_equal(ring_plan_make(&in, 2, &p, reason), 0);
		assert_int_equal(p.n_slots, cases[i].n_slots);
		assert_int_equal(p.n_spares, cases[i].n_spares);
		assert_int_equal(ring_plan_least(&p), cases[i].least);
	}
	p.n_slots = ring_plan_least(&p);	/* 64 keys of one measure in slots of 10 ms, on two CPUs */
	assert_true(record_memory(&p) <= 64000000);
}

TEST_MAIN()
