/* local.h - formats times in the user's time zone: one offset for all that a command prints, and its name once.
 *
 * Zone    TZ, else the machine's zone.  All times have the offset that holds at the end of the shown time, so a change
 *         of the clock within it moves nothing.
 * Memory  texts are written into `out`, AXIS_TEXT bytes.
 * Thread  any; reads TZ.
 */
#ifndef HEATSCOPE_LOCAL_H
#define HEATSCOPE_LOCAL_H

#include "render/grid/axis.h"

/* Returns the seconds east of UTC at a time. */
int local_offset(double at_s);

const char *local_zone(int offset_s, char out[AXIS_TEXT]);			/* "UTC+01:00" */
const char *local_time(double s, int offset_s, char out[AXIS_TEXT]);		/* "2026-11-25 14:05:05" */
const char *local_clock(double s, int offset_s, int dated, char out[AXIS_TEXT]);	/* "14:05:05.250", with its date before it */

#endif
