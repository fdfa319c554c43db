#include "ui/cli/base/local.h"

#include "render/grid/zone.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int local_offset(double at_s)
{
	return zone_local_offset((__s64)floor(at_s));
}

const char *local_zone(int offset_s, char out[AXIS_TEXT])
{
	axis_format_offset(offset_s, out);
	return out;
}

const char *local_time(double s, int offset_s, char out[AXIS_TEXT])
{
	const struct zone zone = zone_fixed(offset_s);

	axis_format_time((__s64)floor(s) * 1000000000, &zone, out);
	return out;
}

const char *local_clock(double s, int offset_s, int dated, char out[AXIS_TEXT])
{
	char whole[AXIS_TEXT];

	local_time(s, offset_s, whole);
	snprintf(out, AXIS_TEXT, "%.19s.%03d", dated ? whole : whole + strlen("2026-11-25 "), (int)((s - floor(s)) * 1000));
	return out;
}
