/* schedule.h - computes the due times of a report, which repeat by the local clock.
 *
 *      "1d", "06:00" --schedule_parse()--> every_min, at_min --schedule_next(after)--> the next time
 *
 * Due     the first minute at which the local clock reaches at, at + every, ...
 * Jump    If the clock jumps over that minute, the first minute after the jump.  If it is set back and reaches the
 *         minute twice, only the first time.  So an hour that the clock skips or repeats lies between two due times.
 * Zone    that of the process (TZ), as in all texts for people.
 * Pure    no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_SCHEDULE_H
#define HEATSCOPE_SCHEDULE_H

#include <linux/types.h>

struct schedule {
	int every_min;
	int at_min;			/* of the local calendar, from 1970-01-01 00:00 */
};

/* Reads a schedule.  every: "5min" (a divisor of an hour), "6h" (a divisor of a day), "1d", "1w".  at: "06:00", of a
 * week "mon 06:00"; NULL: midnight, of Monday.  -EINVAL with the reason, in `reason` (REASON_MAX bytes). */
int schedule_parse(const char *every, const char *at, struct schedule *ret, char *reason);

__s64 schedule_next(const struct schedule *s, __s64 after_s);	/* Unix seconds; > after_s */
__s64 schedule_last(const struct schedule *s, __s64 until_s);	/* <= until_s */

#endif
