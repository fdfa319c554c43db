#include "aggregator/base/timekeeper.h"

#define FOLLOW 100			/* each update corrects the believed time by a hundredth of the time that
					 * passed */

static bool is_leap(__s64 ns)
{
	return ns > TIMEKEEPER_LEAP_NS || ns < -TIMEKEEPER_LEAP_NS;
}

static enum leap try_leap(struct timekeeper *k, __s64 seen_ns, __s64 boot_ns)
{
	k->leaps = true;
	k->tried_ns = seen_ns;
	k->since_ns = boot_ns;
	return LEAP_BEGUN;
}

enum leap timekeeper_begin(struct timekeeper *k, __s64 known_ns, __s64 wall_ns, __s64 boot_ns)
{
	__s64 seen_ns = wall_ns - boot_ns;

	*k = (struct timekeeper){ .believed_ns = seen_ns, .seen_ns = seen_ns, .updated_ns = boot_ns };
	if (known_ns <= 0 || !is_leap(wall_ns - known_ns))
		return LEAP_NONE;
	k->believed_ns = known_ns - boot_ns;
	return try_leap(k, seen_ns, boot_ns);
}

/* The two are within a minute of each other. */
static void follow_wall_clock(struct timekeeper *k, __s64 passed_ns)
{
	__s64 apart_ns = k->seen_ns - k->believed_ns, most_ns = passed_ns / FOLLOW;

	k->believed_ns += apart_ns > most_ns ? most_ns : apart_ns < -most_ns ? -most_ns : apart_ns;
}

enum leap timekeeper_update(struct timekeeper *k, __s64 wall_ns, __s64 boot_ns, __s64 *ret_step_ns)
{
	__s64 was_ns = k->seen_ns, passed_ns = boot_ns - k->updated_ns;
	bool leapt = k->leaps;

	k->seen_ns = wall_ns - boot_ns;
	k->updated_ns = boot_ns;
	*ret_step_ns = is_leap(k->seen_ns - was_ns) ? k->seen_ns - was_ns : 0;
	if (!is_leap(k->seen_ns - k->believed_ns)) {
		k->leaps = false;
		follow_wall_clock(k, passed_ns);
		return leapt ? LEAP_UNDONE : LEAP_NONE;
	}
	if (!leapt || is_leap(k->seen_ns - k->tried_ns))
		return try_leap(k, k->seen_ns, boot_ns);
	if (boot_ns - k->since_ns < TIMEKEEPER_TRIAL_NS)
		return LEAP_NONE;
	k->leaps = false;
	k->believed_ns = k->seen_ns;
	return LEAP_BELIEVED;
}

__s64 timekeeper_ahead(const struct timekeeper *k)
{
	return k->seen_ns - k->believed_ns;
}
