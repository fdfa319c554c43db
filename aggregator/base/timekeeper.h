/* timekeeper.h - computes the time by which data expire: the wall clock, unless it jumped.
 *
 *      wall clock, boot clock, the time when we last knew it  -->  believed time
 *      expire by min(wall clock, believed time)
 *
 * Why     A machine may boot with a clock that is days or years ahead, and be set right a minute later.  Retention by
 *         such a clock would drop the whole history.
 * Follow  The believed time runs with the boot clock.  While it differs from the wall clock by up to
 *         TIMEKEEPER_LEAP_NS, the difference shrinks by a hundredth of the time that passes (clocks are slewed by
 *         less).
 * Leap    A larger difference is a leap, ahead or back.  The believed time ignores the wall clock until that has run
 *         evenly with the boot clock for TIMEKEEPER_TRIAL_NS; then we believe the wall clock.  If the leap is
 *         undone before that, no data have expired because of it.
 * Start   The store keeps the believed time, so it goes on from there.  A gap of more than TIMEKEEPER_LEAP_NS since
 *         then is a leap, too: we cannot know whether the machine was off or its clock is wrong.  So after a real gap
 *         old data expire TIMEKEEPER_TRIAL_NS after the start.  This costs only space, and max-size still holds.
 * Data    We use the time of the newest stored data only if no time is stored (a file of an earlier version).  Slots
 *         that a wrong clock filed in the future stay there, and would confirm that clock at the next boot.
 * Pure    no loop, file or clock.  Thread: any, one at a time.
 */
#ifndef HEATSCOPE_TIMEKEEPER_H
#define HEATSCOPE_TIMEKEEPER_H

#include <linux/types.h>
#include <stdbool.h>

#define TIMEKEEPER_LEAP_NS 60000000000ll
#define TIMEKEEPER_TRIAL_NS 3600000000000ll

/* Each member, unless noted, is the wall clock minus the boot clock, in ns. */
struct timekeeper {
	__s64 believed_ns, seen_ns;	/* seen: at the last update */
	__s64 tried_ns, since_ns;	/* the difference on trial; since when, by the boot clock */
	__s64 updated_ns;		/* of the last update, by the boot clock */
	bool leaps;			/* a leap is on trial */
};

enum leap {
	LEAP_NONE,
	LEAP_BEGUN,			/* the wall clock is on trial (again) */
	LEAP_UNDONE,			/* the wall clock is back at the believed time */
	LEAP_BELIEVED,			/* the wall clock ran evenly for long enough */
};

/* known_ns: the last believed time, as a wall-clock time; <= 0: unknown, so the wall clock is believed.  Returns
 * LEAP_NONE or LEAP_BEGUN. */
enum leap timekeeper_begin(struct timekeeper *k, __s64 known_ns, __s64 wall_ns, __s64 boot_ns);

/* The caller calls it every few seconds, and before anything expires.  ret_step_ns: by how much the wall clock was set
 * since the last update; 0: by no more than TIMEKEEPER_LEAP_NS. */
enum leap timekeeper_update(struct timekeeper *k, __s64 wall_ns, __s64 boot_ns, __s64 *ret_step_ns);

/* Returns the wall clock minus the believed time at the last update; > 0: the wall clock is ahead. */
__s64 timekeeper_ahead(const struct timekeeper *k);

#endif
