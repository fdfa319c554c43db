#include "test/kit/check.h"
#include "aggregator/query/composition.h"

#include <errno.h>

#define FINE RULER(UNIT_NS, 5, 10, 39)
#define COARSE RULER(UNIT_NS, 3, 10, 39)
#define PARTS 3

/* Events with random parts, some into each of several histograms per weight; cells are sums. */
struct world {
	struct hist by[2 + PARTS];
	__u64 value[300], part[300][PARTS];
};

static void world_make(struct world *w, __u64 ruler)
{
	for (int i = 0; i < 2 + PARTS; i++)
		assert_int_equal(hist_init(&w->by[i], i ? ruler : FINE), 0);
	for (int i = 0; i < 300; i++) {
		w->value[i] = 0;
		for (int p = 0; p < PARTS; p++) {
			w->part[i][p] = check_below(3) ? check_below(1ull << (4 + check_below(28))) : 0;
			w->value[i] += w->part[i][p];
		}
		w->value[i] += check_below(2) ? check_below(1 << 20) : 0;	/* time that belongs to no part */
		hist_record(&w->by[0], w->value[i], 1);
		hist_record(&w->by[1], w->value[i], w->value[i]);
		for (int p = 0; p < PARTS; p++)
			hist_record(&w->by[2 + p], w->value[i], w->part[i][p]);
	}
}

static void world_free(struct world *w)
{
	for (int i = 0; i < 2 + PARTS; i++)
		hist_fini(&w->by[i]);
}

static struct composition composed(const struct world *w, __u64 min, __u64 max)
{
	const struct hist *const by[] = { &w->by[0], &w->by[1], &w->by[2], &w->by[3], &w->by[4] };
	struct composition c;

	assert_int_equal(composition_make(by, 2 + PARTS, COARSE, min, max, &c), 0);
	return c;
}

/* Compared bit for bit with the events themselves. */
TEST(a_composition_is_the_sums_of_its_events)
{
	for (int round = 0; round < 200; round++) {
		__u64 min = check_below(2) ? 0 : check_below(1ull << check_below(34));
		__u64 max = check_below(3) ? min + 1 + check_below(1ull << check_below(34)) : 0, count = 0, sum = 0, part[PARTS] = { 0 };
		struct composition c;
		struct world w;

		world_make(&w, round % 2 ? COARSE : ruler_coarser(COARSE, 1));
		c = composed(&w, min, max);
		assert_true(c.first <= min && (c.last == ~0ull || c.last >= max - 1));
		for (int i = 0; i < 300; i++) {
			if (w.value[i] < c.first || w.value[i] > c.last)
				continue;
			count++;
			sum += w.value[i];
			for (int p = 0; p < PARTS; p++)
				part[p] += w.part[i][p];
		}
		assert_int_equal(c.count, count);
		assert_int_equal(c.sum, sum);
		for (int p = 0; p < PARTS; p++)
			assert_int_equal(c.part[p], part[p]);
		assert_int_equal(c.rest + c.part[0] + c.part[1] + c.part[2], c.sum);
		assert_int_equal(c.unweighed, 0);
		world_free(&w);
	}
}

TEST(ranges_that_touch_add_up)
{
	struct composition all, low, high;
	struct world w;

	world_make(&w, COARSE);
	all = composed(&w, 0, 0);
	for (__u32 cell = 1; cell < ruler_cells(COARSE); cell++) {
		__u64 edge = ruler_first(COARSE, cell);

		low = composed(&w, 0, edge);
		high = composed(&w, edge, 0);
		assert_true(low.last + 1 == edge && high.first == edge);
		assert_int_equal(low.count + high.count, all.count);
		assert_int_equal(low.sum + high.sum, all.sum);
		assert_int_equal(low.rest + high.rest, all.rest);
		for (int p = 0; p < PARTS; p++)
			assert_int_equal(low.part[p] + high.part[p], all.part[p]);
	}
	world_free(&w);
}

/* Adds histogram by histogram, as for sources, keys and slots, in rulers of their own. */
TEST(folding_keeps_a_composition)
{
	struct composition a, b, both;
	struct world one, two;

	world_make(&one, COARSE);
	world_make(&two, ruler_coarser(COARSE, 2));
	a = composed(&one, 0, 0);
	b = composed(&two, 0, 0);
	for (int i = 0; i < 2 + PARTS; i++)
		assert_int_equal(hist_add(&one.by[i], &two.by[i]), 0);
	both = composed(&one, 0, 0);
	assert_true(both.count == a.count + b.count && both.sum == a.sum + b.sum && both.rest == a.rest + b.rest);
	world_free(&one);
	world_free(&two);
}

TEST(events_without_weights_are_reported)
{
	const struct hist *by[] = { NULL, NULL, NULL };
	struct composition c;
	struct hist h;

	assert_int_equal(composition_make(by, 3, COARSE, 0, 0, &c), 0);
	assert_true(!c.count && !c.sum && !c.rest && !c.unweighed);
	assert_int_equal(hist_init(&h, FINE), 0);
	hist_record_times(&h, 5000, 7);
	by[0] = &h;
	assert_int_equal(composition_make(by, 3, COARSE, 0, 0, &c), 0);
	assert_true(c.count == 7 && !c.sum && c.unweighed == 7);
	hist_fini(&h);
}

TEST(refuses_an_empty_range)
{
	const struct hist *by[] = { NULL, NULL };
	struct composition c;
	struct hist h;

	assert_int_equal(composition_make(by, 2, COARSE, 5, 5, &c), -EINVAL);
	assert_int_equal(composition_make(by, 2, COARSE, 5, 4, &c), -EINVAL);
	assert_int_equal(composition_make(by, 1, COARSE, 0, 0, &c), -EINVAL);
	assert_int_equal(hist_init(&h, RULER(UNIT_BYTES, 3, 10, 39)), 0);
	hist_record(&h, 1, 1);
	by[1] = &h;
	assert_int_equal(composition_make(by, 2, COARSE, 0, 0, &c), -EINVAL);
	hist_fini(&h);
}

TEST_MAIN()
