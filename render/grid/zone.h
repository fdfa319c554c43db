/* zone.h - holds a time zone for a range of time: its offset from UTC, and where the offset changes.
 *
 *      22:00 UTC+02:00 ......... 03:00 -> 02:00 ......... 07:00 UTC+01:00
 *      shift[0].offset_s         shift[1].from_s, .offset_s
 *
 * Shape   shift[0] holds from the beginning of time, each other shift from its from_s until the next one.  n 0: UTC.
 * Units   from_s: s from the epoch; offset_s: s east of UTC, at most a day.
 * Pure    A picture carries the zone as data.  So drawing it again needs neither a time zone database nor the zone of
 *         this host.
 * Thread  any.  zone_local() reads TZ as localtime_r() does: no other thread may change TZ at the same time.
 */
#ifndef HEATSCOPE_ZONE_H
#define HEATSCOPE_ZONE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define ZONE_SHIFTS 32			/* sixteen years, where the clock changes twice a year */
#define ZONE_NAME 64
#define ZONE_OFFSET_MAX 86400

struct zone_shift {
	__s64 from_s;
	int offset_s;
};

struct zone {
	char name[ZONE_NAME];		/* "Europe/Berlin"; "" if it has none */
	size_t n;
	struct zone_shift shift[ZONE_SHIFTS];
};

/* Returns a zone with the same offset at all times. */
struct zone zone_fixed(int offset_s);

/* Makes the zone of first_s..last_s: it calls offset_at() once per day, and finds the second of each change by further
 * calls.  It leaves out changes beyond ZONE_SHIFTS. */
typedef int (*zone_offset_fn)(void *arg, __s64 at_s);
struct zone zone_make(const char *name, __s64 first_s, __s64 last_s, zone_offset_fn offset_at, void *arg);

/* Returns the zone of this process: TZ, or /etc/localtime. */
struct zone zone_local(__s64 first_s, __s64 last_s);
int zone_local_offset(__s64 at_s);

/* Writes the name of the zone in TZ or /etc/localtime, such as "Europe/Berlin".  Returns false if neither has a
 * name. */
bool zone_local_name(char ret_name[ZONE_NAME]);

/* Returns the offset at a time, in s; z NULL: UTC. */
int zone_offset(const struct zone *z, __s64 at_s);

/* Finds the first change after at_s.  Returns false if there is none. */
bool zone_next(const struct zone *z, __s64 at_s, __s64 *ret_change_s);

/* Can it be a name of the IANA database: letters, digits, "_", "-", "+", in parts separated by "/"? */
bool zone_name_valid(const char *name);

#endif
