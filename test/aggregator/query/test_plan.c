#include "test/kit/check.h"
#include "aggregator/query/plan.h"
#include "aggregator/query/query.h"

#include <stdint.h>

#define NS 1000000000ll
#define NOW 1700006400ll		/* a full hour */
#define DAY 86400ll

static struct instrumentation instrumentation(__u64 granularity_ns)
{
	return (struct instrumentation){ .granularity_ns = granularity_ns, .slot_ns = granularity_ns < NS ? granularity_ns : NS };
}

/* A day, two weeks, a year are kept. */
static const __s64 kept[TIERS] = { NOW - DAY, NOW - 14 * DAY, NOW - 365 * DAY }, all[TIERS] = { INT64_MIN, INT64_MIN, INT64_MIN };

static struct plan plan_of(const struct instrumentation *in, const __s64 *kept_from, __s64 from, __s64 to, size_t n_cols)
{
	const struct plan_wish w = { .in = in, .kept_from = kept_from, .from_ns = from * NS, .to_ns = to * NS, .n_cols = n_cols };
	struct plan p;

	plan_make(&w, &p);
	return p;
}

TEST(columns_are_read_from_the_coarsest_tier_that_shows_as_much)
{
	static const struct { __s64 length; size_t n_cols; int tier; } cases[] = {
		{ 60, 600, 0 }, { 3600, 600, 0 }, { 3600, 60, 1 }, { DAY / 4, 1200, 0 }, { DAY, 1200, 0 }, { DAY, 600, 1 }, { DAY, 24, 2 },
		{ 14 * DAY, 1200, 1 }, { 14 * DAY, 100, 2 }, { 365 * DAY, 1200, 2 }, { 365 * DAY, 1, 2 }, { 7200, 1, 2 },
	};
	const struct instrumentation in = instrumentation(NS);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct plan p = plan_of(&in, kept, NOW - cases[i].length, NOW, cases[i].n_cols);

		assert_int_equal(p.tier, cases[i].tier);
		assert_int_equal(p.n_parts, 1);
		assert_true(p.from_ns <= (NOW - cases[i].length) * NS && p.to_ns >= NOW * NS);
		assert_true(p.to_ns - p.from_ns <= cases[i].length * NS / 100 * 101);
	}
}

/* A day of seconds is read in 1,200 columns of 72 s; if that would cost more than a quarter of the columns, with a
 * smaller grain. */
TEST(much_is_read_as_sums_of_several_slots)
{
	static const struct { __s64 length; size_t n_cols; int tier, grain; __s64 col_s; } cases[] = {
		{ 3600, 1200, 0, 1, 3 }, { 4800, 1200, 0, 4, 4 }, { 7200, 1200, 0, 1, 6 }, { DAY / 6, 1200, 0, 12, 12 }, { DAY / 8, 1200, 0, 12, 12 }, { DAY / 4, 1200, 0, 4, 20 }, { 30000, 1200, 0, 4, 28 }, { 36000, 1200, 0, 12, 36 },
		{ DAY, 1200, 0, 12, 72 }, { DAY, 1800, 1, 1, 60 }, { 14 * DAY, 1200, 1, 4, 1200 }, { 365 * DAY, 1200, 2, 4, 8 * 3600 },
	};
	struct instrumentation in = instrumentation(NS);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct plan p = plan_of(&in, kept, NOW - cases[i].length, NOW, cases[i].n_cols);
		struct query q = { .inst = &in, .from_ns = p.from_ns, .to_ns = p.to_ns, .n_cols = cases[i].n_cols };

		assert_int_equal(p.tier, cases[i].tier);
		assert_int_equal(p.grain, cases[i].grain);
		assert_int_equal(p.unit_ns, plan_slot_ns(&in, p.tier) * (__u64)p.grain);
		in.granularity_ns = p.unit_ns;
		assert_int_equal(query_col_ns(&q), cases[i].col_s * NS);
		in.granularity_ns = NS;
	}
}

/* For any begin: columns hold whole groups, and few slices are read. */
TEST(columns_are_whole_groups_of_slots)
{
	const struct instrumentation in = instrumentation(NS);

	for (int round = 0; round < 20000; round++) {
		__s64 from = NOW - 1 - (__s64)check_below(365 * DAY), to = from + 1 + (__s64)check_below((uint64_t)(NOW - from));
		size_t n_cols = 1 + check_below(2000);
		struct plan p = plan_of(&in, kept, from, to, n_cols);
		__s64 group = tier_slots(in.slot_ns, p.tier) * p.grain;

		assert_true(p.from_ns <= from * NS && p.to_ns >= to * NS);
		assert_int_equal(p.part[0].first % group, 0);
		assert_int_equal((p.part[0].last + 1) % group, 0);
		assert_true((p.part[0].last + 1 - p.part[0].first) / group <= PLAN_SLICES);
		assert_true(p.grain == 1 || p.to_ns - p.from_ns <= (to - from) * NS / 100 * 101);
	}
}

/* For any position in its minute and hour. */
TEST(a_short_interval_is_not_widened_to_a_long_slot)
{
	const struct instrumentation in = instrumentation(NS);

	for (__s64 length = 1; length < 40; length++)
		for (size_t n_cols = 1; n_cols < 700; n_cols += 99) {
			__s64 from = NOW - 3600 + (__s64)check_below(3600);
			struct plan p = plan_of(&in, kept, from, from + length, n_cols);

			assert_int_equal(p.tier, 0);
			assert_int_equal(p.from_ns, from * NS);
			assert_int_equal(p.to_ns, (from + length) * NS);
		}
}

TEST(a_time_that_is_only_kept_coarser_is_read_coarser)
{
	const struct instrumentation in = instrumentation(NS);
	struct plan p = plan_of(&in, kept, NOW - 2 * DAY + 7, NOW - 2 * DAY + 67, 600);

	assert_int_equal(p.tier, 1);
	assert_int_equal(p.kept, 1);
	assert_int_equal(p.from_ns, (NOW - 2 * DAY) * NS);	/* widened to whole minutes */
	assert_int_equal(p.to_ns, (NOW - 2 * DAY + 120) * NS);
	p = plan_of(&in, kept, NOW - 100 * DAY + 7, NOW - 100 * DAY + 67, 600);
	assert_int_equal(p.tier, 2);
	p = plan_of(&in, kept, NOW - 400 * DAY, NOW, 600);
	assert_int_equal(p.tier, 2);
	p = plan_of(&in, kept, NOW - DAY - 50, NOW - DAY + 10, 600);
	assert_int_equal(p.tier, 0);		/* less than a minute is missing */
}

/* No tier is kept longer than the slots: the ends of minutes and hours are no reason to show those. */
TEST(tiers_that_are_kept_equally_long_are_not_mistaken_for_memory)
{
	const struct instrumentation in = instrumentation(NS);
	const __s64 same[TIERS] = { NOW - 3600 + 1234, NOW - 3600 + 1200, NOW - 3600 };
	struct plan p = plan_of(&in, same, NOW - 3600, NOW, 600);

	assert_int_equal(p.tier, 0);
}

TEST(a_longer_granularity_stays_a_multiple)
{
	const struct instrumentation in = instrumentation(7 * NS);
	struct plan p = plan_of(&in, kept, NOW - 14 * DAY, NOW, 1000);

	assert_int_equal(p.tier, 1);
	assert_int_equal(p.unit_ns % (420 * NS), 0);
	assert_true(p.from_ns % p.unit_ns == 0 && p.from_ns <= (NOW - 14 * DAY) * NS);
}

TEST(too_many_slices_are_read_coarser)
{
	const struct instrumentation in = instrumentation(NS), short_slots = instrumentation(NS / 100);
	struct plan_wish w = { .in = &in, .kept_from = all, .from_ns = (NOW - 10000) * NS, .to_ns = NOW * NS, .n_cols = 1200 };
	struct plan p;

	w.n_series = PLAN_ONCE / 10000;
	plan_make(&w, &p);
	assert_int_equal(p.tier, 0);
	w.n_series++;
	plan_make(&w, &p);
	assert_int_equal(p.tier, 1);
	w.in = &short_slots;
	w.n_series = 1;
	plan_make(&w, &p);
	assert_int_equal(p.tier, 1);
}

TEST(neighbours_are_not_widened)
{
	const struct instrumentation in = instrumentation(NS);
	struct plan_wish w = { .in = &in, .kept_from = kept, .n_cols = 10, .fixed = true };
	struct plan p;

	for (__s64 i = 0; i < 10; i++) {
		w.from_ns = (NOW - 36000 + 1 + 3600 * i) * NS;
		w.to_ns = w.from_ns + 3600 * NS;
		plan_make(&w, &p);
		assert_int_equal(p.tier, 0);
		assert_int_equal(p.from_ns, w.from_ns);
		assert_int_equal(p.to_ns, w.to_ns);
	}
}

/* For random intervals: the parts make up the interval, are whole slots of their tiers, and each is
 * still kept. */
TEST(totals_read_every_slot_once)
{
	static const __u64 granularity[] = { NS / 100, NS / 10, NS, 7 * NS, 60 * NS, 3600 * NS };

	for (int round = 0; round < 20000; round++) {
		const struct instrumentation in = instrumentation(granularity[check_below(6)]);
		__s64 g = (__s64)in.granularity_ns, per_s = NS / (__s64)in.slot_ns, kept_from[TIERS];
		__s64 from_ns = (NOW * NS - (__s64)check_below(366ull * DAY * NS)) / g * g;
		__s64 to_ns = from_ns + g * (1 + (__s64)check_below((uint64_t)((NOW * NS - from_ns) / g + 1)));
		__s64 next;
		struct plan p;

		for (int i = 0; i < TIERS; i++)
			kept_from[i] = kept[i] * per_s;
		plan_make(&(struct plan_wish){ .in = &in, .kept_from = kept_from, .from_ns = from_ns, .to_ns = to_ns }, &p);
		assert_true(p.from_ns <= from_ns && p.to_ns >= to_ns);
		assert_true(from_ns / NS < kept[0] || (p.from_ns == from_ns && p.to_ns == to_ns));
		next = p.from_ns / (__s64)in.slot_ns;
		for (size_t i = 0; i < p.n_parts; i++) {
			const struct plan_part *part = &p.part[i];
			__s64 per = tier_slots(in.slot_ns, part->tier);

			assert_int_equal(part->first, next);
			assert_true(part->last >= part->first);
			assert_true(part->first % per == 0 && (part->last + 1) % per == 0);
			assert_true(part->tier <= p.tier && part->tier >= p.kept);
			next = part->last + 1;
		}
		assert_int_equal(next, p.to_ns / (__s64)in.slot_ns);
	}
}

TEST_MAIN()
