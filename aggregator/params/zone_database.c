#include "aggregator/params/zone_database.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* GLib also accepts rules ("UTC+3"), and other files of that folder, as zones. */
static int has_file(const char *name)
{
	const char *folder = getenv("TZDIR");
	char path[4096], magic[4] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder && *folder ? folder : "/usr/share/zoneinfo", name);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fread(magic, 1, sizeof(magic), f) != sizeof(magic))
		magic[0] = 0;
	fclose(f);
	return !memcmp(magic, "TZif", sizeof(magic));
}

static int offset_at(void *zone, __s64 at_s)
{
	int interval = g_time_zone_find_interval(zone, G_TIME_TYPE_UNIVERSAL, at_s);

	return interval < 0 ? 0 : g_time_zone_get_offset(zone, interval);
}

int zone_database_find(const char *name, __s64 first_s, __s64 last_s, struct zone *ret_zone)
{
	GTimeZone *zone;

	if (!zone_name_valid(name))
		return -EINVAL;
	if (!strcmp(name, "UTC")) {
		*ret_zone = zone_fixed(0);
		return 0;
	}
	zone = has_file(name) ? g_time_zone_new_identifier(name) : NULL;
	if (!zone)
		return -ENOENT;
	*ret_zone = zone_make(name, first_s, last_s, offset_at, zone);
	g_time_zone_unref(zone);
	return 0;
}
