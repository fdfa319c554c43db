/* zone_database.h - finds a time zone by name in the system's IANA database.
 *
 * Folder  TZDIR or /usr/share/zoneinfo (the package tzdata).
 * Library GLib's GTimeZone.  libc knows one zone per process, that of TZ, and TZ may not change while other threads
 *         read it.
 * Errors  -ENOENT: this host has no such zone; -EINVAL: not the name of a zone.
 * Thread  any: a GTimeZone does not change after it is made.
 */
#ifndef HEATSCOPE_ZONE_DATABASE_H
#define HEATSCOPE_ZONE_DATABASE_H

#include "render/grid/zone.h"

/* Finds the zone with its changes of offset from first_s to last_s, Unix seconds.  "UTC" always exists. */
int zone_database_find(const char *name, __s64 first_s, __s64 last_s, struct zone *ret_zone);

#endif
