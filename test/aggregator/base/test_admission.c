#include "test/kit/check.h"
#include "aggregator/base/admission.h"

#include <errno.h>
#include <stddef.h>

/* A turn, with its result and its place in the order. */
struct asker {
	struct waiter waiter;
	bool gone, fails, started, dropped;
	size_t order;
};

static struct admission all;
static size_t n_started;

static struct asker *of(struct waiter *t) { return (struct asker *)((char *)t - offsetof(struct asker, waiter)); }
static bool wanted(struct waiter *t) { return !of(t)->gone; }
static void drop(struct waiter *t) { of(t)->dropped = true; }

static void start(struct waiter *t)
{
	of(t)->started = true;
	of(t)->order = n_started++;
	if (of(t)->fails)
		admission_leave(&all, ADMISSION_LARGE);
}

static int begin(void **state)
{
	all = (struct admission){ 0 };
	n_started = 0;
	return 0;
}

static struct asker asker(void)
{
	return (struct asker){ .waiter = { .wanted = wanted, .start = start, .drop = drop } };
}

static void fill(enum admission_class class, size_t most)
{
	for (size_t i = 0; i < most; i++)
		assert_true(admission_take(&all, class));
	assert_false(admission_take(&all, class));
}

TEST_WITH(no_class_waits_for_another, begin, NULL)
{
	fill(ADMISSION_LARGE, LARGE_RUNNING_MAX);
	fill(ADMISSION_MEDIUM, MEDIUM_RUNNING_MAX);
	fill(ADMISSION_SMALL, SMALL_RUNNING_MAX);
	fill(ADMISSION_LIVE, LIVE_RUNNING_MAX);
}

TEST_WITH(they_start_in_the_order_they_came, begin, NULL)
{
	struct asker a[3] = { asker(), asker(), asker() };

	fill(ADMISSION_LARGE, LARGE_RUNNING_MAX);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(admission_wait(&all, ADMISSION_LARGE, &a[i].waiter), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_false(a[i].started);
		admission_leave(&all, ADMISSION_LARGE);
		assert_true(a[i].started);
		assert_int_equal(a[i].order, i);
	}
}

TEST_WITH(a_later_turn_does_not_pass_a_waiting_one, begin, NULL)
{
	struct asker a = asker();

	assert_int_equal(admission_wait(&all, ADMISSION_LARGE, &a.waiter), 0);
	assert_false(admission_take(&all, ADMISSION_LARGE));
}

TEST_WITH(a_turn_without_a_reader_is_dropped, begin, NULL)
{
	struct asker a[3] = { asker(), asker(), asker() };

	fill(ADMISSION_LARGE, LARGE_RUNNING_MAX);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(admission_wait(&all, ADMISSION_LARGE, &a[i].waiter), 0);
	a[0].gone = a[1].gone = true;
	admission_leave(&all, ADMISSION_LARGE);
	assert_true(a[0].dropped && a[1].dropped && a[2].started);
	assert_int_equal(all.queue[ADMISSION_LARGE].n_running, LARGE_RUNNING_MAX);
	assert_int_equal(all.queue[ADMISSION_LARGE].n_waiting, 0);
}

TEST_WITH(one_that_fails_at_once_makes_room_for_the_next, begin, NULL)
{
	struct asker a[3] = { asker(), asker(), asker() };

	fill(ADMISSION_LARGE, LARGE_RUNNING_MAX);
	for (size_t i = 0; i < 3; i++) {
		a[i].fails = i < 2;
		assert_int_equal(admission_wait(&all, ADMISSION_LARGE, &a[i].waiter), 0);
	}
	admission_leave(&all, ADMISSION_LARGE);
	assert_true(a[0].started && a[1].started && a[2].started);
	assert_int_equal(all.queue[ADMISSION_LARGE].n_running, LARGE_RUNNING_MAX);
}

TEST_WITH(beyond_the_bound_it_is_refused_unless_readers_are_gone, begin, NULL)
{
	static struct asker a[LARGE_WAITING_MAX];
	struct asker one = asker();

	for (size_t i = 0; i < LARGE_WAITING_MAX; i++) {
		a[i] = asker();
		assert_int_equal(admission_wait(&all, ADMISSION_LARGE, &a[i].waiter), 0);
	}
	assert_int_equal(admission_wait(&all, ADMISSION_LARGE, &one.waiter), -EBUSY);
	a[LARGE_WAITING_MAX / 2].gone = true;
	assert_int_equal(admission_wait(&all, ADMISSION_LARGE, &one.waiter), 0);
	assert_true(a[LARGE_WAITING_MAX / 2].dropped);
	assert_int_equal(all.queue[ADMISSION_LARGE].n_waiting, LARGE_WAITING_MAX);
}

TEST_WITH(one_that_is_removed_is_not_called, begin, NULL)
{
	struct asker a = asker(), b = asker();

	fill(ADMISSION_LIVE, LIVE_RUNNING_MAX);
	assert_int_equal(admission_wait(&all, ADMISSION_LIVE, &a.waiter), 0);
	assert_int_equal(admission_wait(&all, ADMISSION_LIVE, &b.waiter), 0);
	admission_remove(&all, ADMISSION_LIVE, &a.waiter);
	admission_remove(&all, ADMISSION_LIVE, &a.waiter);
	admission_leave(&all, ADMISSION_LIVE);
	assert_true(!a.started && !a.dropped && b.started);
}

TEST_MAIN()
