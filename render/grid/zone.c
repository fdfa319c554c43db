#include "render/grid/zone.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DAY_S 86400

struct zone zone_fixed(int offset_s)
{
	return (struct zone){ .n = 1, .shift = { { 0, offset_s } } };
}

/* The first second after low_s whose offset differs from that of low_s; the offset of high_s differs. */
static __s64 change_between(__s64 low_s, __s64 high_s, zone_offset_fn offset_at, void *arg)
{
	int before = offset_at(arg, low_s);

	while (high_s - low_s > 1) {
		__s64 middle_s = low_s + (high_s - low_s) / 2;

		if (offset_at(arg, middle_s) == before)
			low_s = middle_s;
		else
			high_s = middle_s;
	}
	return high_s;
}

struct zone zone_make(const char *name, __s64 first_s, __s64 last_s, zone_offset_fn offset_at, void *arg)
{
	struct zone z = zone_fixed(offset_at(arg, first_s));
	__s64 at_s = first_s;

	snprintf(z.name, sizeof(z.name), "%s", name);
	while (at_s < last_s && z.n < ZONE_SHIFTS) {
		__s64 next_s = last_s - at_s > DAY_S ? at_s + DAY_S : last_s;

		if (offset_at(arg, next_s) != z.shift[z.n - 1].offset_s) {
			next_s = change_between(at_s, next_s, offset_at, arg);
			z.shift[z.n++] = (struct zone_shift){ next_s, offset_at(arg, next_s) };
		}
		at_s = next_s;
	}
	return z;
}

int zone_local_offset(__s64 at_s)
{
	time_t at = (time_t)at_s;
	struct tm tm;

	return localtime_r(&at, &tm) ? (int)tm.tm_gmtoff : 0;
}

static int local_offset_at(void *arg, __s64 at_s)
{
	return zone_local_offset(at_s);
}

struct zone zone_local(__s64 first_s, __s64 last_s)
{
	char name[ZONE_NAME];

	return zone_make(zone_local_name(name) ? name : "", first_s, last_s, local_offset_at, NULL);
}

bool zone_local_name(char ret_name[ZONE_NAME])
{
	const char *tz = getenv("TZ"), *name;
	char link[256];
	ssize_t len = tz ? 0 : readlink("/etc/localtime", link, sizeof(link) - 1);

	if (!tz && len < 0)
		return false;
	link[len] = 0;
	name = tz ? tz + (*tz == ':') : link;
	if (tz && !*name)
		name = "UTC";		/* as libc does */
	if (strstr(name, "/zoneinfo/"))
		name = strstr(name, "/zoneinfo/") + strlen("/zoneinfo/");
	if (!zone_name_valid(name))
		return false;
	snprintf(ret_name, ZONE_NAME, "%s", name);
	return true;
}

int zone_offset(const struct zone *z, __s64 at_s)
{
	size_t i = z ? z->n : 0;

	while (i > 1 && at_s < z->shift[i - 1].from_s)
		i--;
	return i ? z->shift[i - 1].offset_s : 0;
}

bool zone_next(const struct zone *z, __s64 at_s, __s64 *ret_change_s)
{
	for (size_t i = 1; z && i < z->n; i++)
		if (z->shift[i].from_s > at_s) {
			*ret_change_s = z->shift[i].from_s;
			return true;
		}
	return false;
}

bool zone_name_valid(const char *name)
{
	size_t len = strlen(name);

	if (!len || len >= ZONE_NAME || !isalpha((unsigned char)name[0]) || name[len - 1] == '/' || strstr(name, "//"))
		return false;
	for (const char *c = name; *c; c++)
		if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr("_-+/", *c)))
			return false;
	return true;
}
