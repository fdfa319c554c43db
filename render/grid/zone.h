/* zone.h - a time zone over a range of time: its offset from UTC, and where that changes.
 *
 *      22:00 UTC+02:00 ......... 03:00 -> 02:00 ......... 07:00 UTC+01:00
 *      shift[0].offset_s         shift[1].from_s, .offset_s
 *
 * Shape   shift[0] holds from the beginning of time on, each other one from its from_s on; the last one for ever.  n 0: UTC.
 * Units   from_s: s from the epoch; offset_s: s east of UTC, at most a day.
 * Pure    it is data: a picture carries it, so drawing it again needs neither a time zone database nor this host's zone.
 * Thread  any.  zone_local() reads TZ as libc does and calls tzset() no more than localtime_r() itself: nobody may change TZ meanwhile.
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

/* The same offset at all times. */
struct zone zone_fixed(int offset_s);

/* Of first_s..last_s, by asking offset_at() once a day of it and more closely where it changes.  Changes beyond ZONE_SHIFTS are left
 * out. */
typedef int (*zone_offset_fn)(void *arg, __s64 at_s);
struct zone zone_make(const char *name, __s64 first_s, __s64 last_s, zone_offset_fn offset_at, void *arg);

/* This process's: TZ, or /etc/localtime. */
struct zone zone_local(__s64 first_s, __s64 last_s);
int zone_local_offset(__s64 at_s);

/* Its name where TZ or /etc/localtime tells one, "Europe/Berlin"; false: neither does. */
bool zone_local_name(char ret_name[ZONE_NAME]);

/* The offset at a time, in s; z NULL: UTC. */
int zone_offset(const struct zone *z, __s64 at_s);

/* The first change after at_s; false: there is none. */
bool zone_next(const struct zone *z, __s64 at_s, __s64 *ret_change_s);

/* May it be a name of the IANA database?  Letters, digits, "_", "-", "+", with "/" between. */
bool zone_name_valid(const char *name);

#endif
