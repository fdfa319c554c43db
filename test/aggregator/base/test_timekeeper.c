#include "aggregator/base/timekeeper.h"
#include "test/kit/check.h"

#define S 1000000000ll
#define DAY (86400 * S)
#define BOOT (5000 * S)			/* the machine has run for so long already */
#define NOW (1700000000 * S)

static struct timekeeper k;

/* Looks so long after BOOT, with a wall clock that is `ahead_ns` ahead of NOW's. */
static enum leap update(__s64 after_s, __s64 ahead_ns)
{
	__s64 step_ns;

	return timekeeper_update(&k, NOW + after_s * S + ahead_ns, BOOT + after_s * S, &step_ns);
}

static __s64 expires_by(__s64 ahead_ns)	/* ahead of NOW's */
{
	__s64 ahead = timekeeper_ahead(&k);

	return ahead > 0 ? ahead_ns - ahead : ahead_ns;
}

TEST(a_clock_that_is_right_is_believed)
{
	assert_int_equal(timekeeper_begin(&k, NOW - 30 * S, NOW, BOOT), LEAP_NONE);
	for (int i = 1; i < 10000; i += 7)
		assert_int_equal(update(i, 0), LEAP_NONE);
	assert_int_equal(timekeeper_ahead(&k), 0);
	/* no time is stored: nothing can be lost */
	assert_int_equal(timekeeper_begin(&k, 0, NOW, BOOT), LEAP_NONE);
	assert_int_equal(timekeeper_ahead(&k), 0);
}

TEST(a_leap_that_is_undone_expires_nothing)
{
	static const __s64 leap_ns[] = { 463 * DAY, 2 * 60 * S, 20000 * DAY, -463 * DAY, -2 * 60 * S };

	for (size_t i = 0; i < sizeof(leap_ns) / sizeof(*leap_ns); i++) {
		timekeeper_begin(&k, NOW, NOW, BOOT);
		update(1, 0);
		assert_int_equal(update(2, leap_ns[i]), LEAP_BEGUN);
		for (int s = 3; s < 3600; s++) {
			assert_int_equal(update(s, leap_ns[i]), LEAP_NONE);
			assert_true(expires_by(leap_ns[i]) <= 0);
		}
		assert_int_equal(update(3600, 0), LEAP_UNDONE);
		assert_int_equal(timekeeper_ahead(&k), 0);
	}
}

/* Off for 30 days, or booted with a wrong clock: the one clock runs on, the other is set right. */
TEST(a_real_gap_is_believed_after_an_hour)
{
	assert_int_equal(timekeeper_begin(&k, NOW - 30 * DAY, NOW, BOOT), LEAP_BEGUN);
	for (int s = 10; s < 3600; s += 10) {
		assert_int_equal(update(s, 0), LEAP_NONE);
		assert_int_equal(expires_by(0), -30 * DAY);
	}
	assert_int_equal(update(3600, 0), LEAP_BELIEVED);
	assert_int_equal(expires_by(0), 0);
	assert_int_equal(update(3610, 0), LEAP_NONE);
}

TEST(a_clock_that_is_not_even_is_tried_again)
{
	timekeeper_begin(&k, NOW, NOW + 463 * DAY, BOOT);
	assert_int_equal(update(3500, 463 * DAY), LEAP_NONE);
	assert_int_equal(update(3510, 400 * DAY), LEAP_BEGUN);
	assert_int_equal(update(3600, 400 * DAY), LEAP_NONE);
	assert_int_equal(update(7100, 400 * DAY), LEAP_NONE);
	assert_int_equal(expires_by(0), -400 * DAY);
	assert_int_equal(update(7110, 400 * DAY), LEAP_BELIEVED);
	assert_int_equal(expires_by(0), 0);
}

/* The store keeps only the believed time, so the same wrong clock at the next boot is a leap again. */
TEST(an_unbelieved_time_is_a_leap_again_at_the_next_start)
{
	__s64 kept_ns;

	timekeeper_begin(&k, NOW, NOW + 463 * DAY, BOOT);
	update(70, 463 * DAY);
	kept_ns = NOW + 70 * S + 463 * DAY - timekeeper_ahead(&k);
	assert_int_equal(kept_ns, NOW + 70 * S);
	assert_int_equal(timekeeper_begin(&k, kept_ns, NOW + 200 * S + 463 * DAY, BOOT), LEAP_BEGUN);
	assert_int_equal(timekeeper_ahead(&k), 463 * DAY + 130 * S);
}

/* Many small steps do not add up to a leap: the believed time follows by a hundredth of the time that passes. */
TEST(a_small_difference_is_followed_slowly)
{
	__s64 was;

	timekeeper_begin(&k, NOW, NOW, BOOT);
	assert_int_equal(update(1, 50 * S), LEAP_NONE);
	was = timekeeper_ahead(&k);
	assert_in_range(was, 49 * S, 50 * S);
	assert_int_equal(update(1001, 50 * S), LEAP_NONE);
	assert_int_equal(timekeeper_ahead(&k), was - 10 * S);
	assert_int_equal(update(10001, 50 * S), LEAP_NONE);
	assert_int_equal(timekeeper_ahead(&k), 0);
	assert_int_equal(update(10002, 100 * S), LEAP_NONE);
	assert_int_equal(update(10003, 150 * S), LEAP_BEGUN);
}

TEST(a_step_is_reported_once)
{
	__s64 step_ns;

	timekeeper_begin(&k, NOW - 30 * DAY, NOW, BOOT);	/* a gap is not reported as a step */
	timekeeper_update(&k, NOW + S, BOOT + S, &step_ns);
	assert_int_equal(step_ns, 0);
	timekeeper_update(&k, NOW + 2 * S + DAY, BOOT + 2 * S, &step_ns);
	assert_int_equal(step_ns, DAY);
	timekeeper_update(&k, NOW + 3 * S + DAY, BOOT + 3 * S, &step_ns);
	assert_int_equal(step_ns, 0);
	timekeeper_update(&k, NOW + 9 * S, BOOT + 9 * S, &step_ns);
	assert_int_equal(step_ns, -DAY);
}

TEST_MAIN()
