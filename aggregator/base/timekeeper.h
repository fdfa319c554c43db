/* timekeeper.h - the time that data grow old by: the wall clock, unless it jumped.
 *
 *      wall clock, boot clock, the time when we last knew it  -->  believed time
 *      expire by min(wall clock, believed time)
 *
 * Why     A machine may boot with a clock that is days or years ahead and be set right a minute later.  Retention by such a clock
 *         drops the whole history.
 * Rule    The believed time runs with the boot clock and follows the wall clock where the two differ little: a difference of up to
 *         TIMEKEEPER_LEAP_NS goes away by a hundredth of the time that passes (clocks are slewed by less).  A larger difference is a
 *         leap, ahead or back.  The believed time ignores it until the wall clock has run evenly with the boot clock for
 *         TIMEKEEPER_TRIAL_NS; then the wall clock is right.  What a leap undoes before that has expired nothing.
 * Start   The believed time is kept in the store, so it goes on from there: a gap of more than TIMEKEEPER_LEAP_NS since then is a leap,
 *         too.  Whether the machine was off for 30 days or its clock is wrong nobody can tell at that moment, so a real gap expires
 *         what it made too old TIMEKEEPER_TRIAL_NS after the start.  To wait costs space only, and max-size holds all the same.
 *         Data say less than what is kept: slots that a wrong clock filed in the future stay there, and would confirm the same wrong
 *         clock at the next boot.  They are asked only where nothing is kept: a file of an earlier version.
 * Pure    no loop, file or clock.  Thread: any, one at a time.
 */
#ifndef HEATSCOPE_TIMEKEEPER_H
#define HEATSCOPE_TIMEKEEPER_H

#include <linux/types.h>
#include <stdbool.h>

#define TIMEKEEPER_LEAP_NS 60000000000ll
#define TIMEKEEPER_TRIAL_NS 3600000000000ll

/* All of them of the wall clock minus the boot clock, in ns. */
struct timekeeper {
	__s64 believed_ns, seen_ns;	/* seen: at the newest look */
	__s64 tried_ns, since_ns;	/* of the leap; since when, by the boot clock */
	__s64 looked_ns;		/* the newest look, by the boot clock */
	bool leaps;			/* a leap is on trial */
};

enum leap {
	LEAP_NONE,
	LEAP_BEGUN,			/* the wall clock is on trial (again) */
	LEAP_UNDONE,			/* it is back */
	LEAP_BELIEVED,			/* it ran evenly for long enough */
};

/* known_ns: the last time that was believed, by the wall clock; <= 0: none, so the clock is.  LEAP_NONE or LEAP_BEGUN. */
enum leap timekeeper_begin(struct timekeeper *k, __s64 known_ns, __s64 wall_ns, __s64 boot_ns);

/* To be called every few seconds, and before anything is expired.  ret_step_ns: how much the wall clock was set by since the
 * look before, 0: by no more than TIMEKEEPER_LEAP_NS. */
enum leap timekeeper_look(struct timekeeper *k, __s64 wall_ns, __s64 boot_ns, __s64 *ret_step_ns);

/* Of the newest look: the wall clock minus the believed time, > 0: it is ahead. */
__s64 timekeeper_ahead(const struct timekeeper *k);

#endif
