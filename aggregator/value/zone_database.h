/* zone_database.h - time zones by their names in the IANA database, as the system has it (the package tzdata; TZDIR or /usr/share/zoneinfo).
 *
 * Library GLib's GTimeZone: libc knows one zone per process, that of TZ, and changing TZ while other threads read it is undefined.
 * Errors  -ENOENT: there is no such zone here; -EINVAL: no name of a zone.
 * Thread  any: a GTimeZone is not changed once it is made.
 */
#ifndef HEATSCOPE_ZONE_DATABASE_H
#define HEATSCOPE_ZONE_DATABASE_H

#include "render/grid/zone.h"

/* "UTC" is always there. */
int zone_database_find(const char *name, __s64 first_s, __s64 last_s, struct zone *ret_zone);

#endif
