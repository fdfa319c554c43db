/* range.h - the options that say which time: --start, --end, --duration, the same for every command.
 *
 *      "-s 14:05 -d 10m"  ->  start_time=1795615500&duration=600
 *
 * Times are those of moment.h, against one "now" for all options of a command.
 */
#ifndef HEATSCOPE_RANGE_H
#define HEATSCOPE_RANGE_H

#include "ui/cli/client.h"
#include "ui/cli/moment.h"

#include <argp.h>

#define RANGE_OPTIONS(group)                                                                                               \
	{ "start", 's', "TIME", 0, "From this time on: " MOMENT_GRAMMAR, group },                                          \
	{ "end", 'e', "TIME", 0, "Up to this time (default: now, or as long as --duration says)", group },                \
	{ "duration", 'd', "SPAN", 0, "How long: 90 (seconds), 10m, 1h30m, 1d (default: from --start on, else 1m)", group }

struct range {
	double start_s, end_s, duration_s;	/* 0: not given */
};

/* One of these options, or ARGP_ERR_UNKNOWN; ends the program at what is no time. */
error_t range_take(struct range *r, int key, const char *arg, struct argp_state *state);

/* An option's value, or the end. */
double take_moment(struct argp_state *state, const char *option, const char *text);
double take_span(struct argp_state *state, const char *option, const char *text);
long take_seconds(struct argp_state *state, const char *option, const char *text);	/* a span of whole seconds, at least one */

/* Makes start and end numbers, as range_put() would have them; the last minute ends settle_s ago, as the newest slots may be on their
 * way.  If all three are given nothing changes: heatscoped refuses a duration that contradicts the others. */
void range_settle(struct range *r, double settle_s);

/* Into a request: the last minute if nothing is given, until now if only --start is. */
void range_put(const struct range *r, struct query_string *p);

/* A span as a number of seconds, for a request; anything else (0, too) as it is: heatscoped knows what may be. */
const char *span_text(const char *text, char out[32]);

/* "1795615500", "1795615500.25" */
const char *seconds_text(double s, char out[32]);

#endif
