/* range.h - parses the options --start, --end and --duration in the same way for every command.
 *
 *      "-s 14:05 -d 10m"  ->  start_time=1795615500&duration=600
 *
 * Times are written as in moment.h; all options of a command share one "now".
 */
#ifndef HEATSCOPE_RANGE_H
#define HEATSCOPE_RANGE_H

#include "ui/cli/base/client.h"
#include "ui/cli/base/moment.h"

#include <argp.h>

#define RANGE_OPTIONS(group)                                                                                               \
	{ "start", 's', "TIME", 0, "From this time on: " MOMENT_GRAMMAR, group },                                          \
	{ "end", 'e', "TIME", 0, "Up to this time (default: now, or as long as --duration says)", group },                \
	{ "duration", 'd', "SPAN", 0, "How long: 90 (seconds), 10m, 1h30m, 1d (default: from --start on, else 1m)", group }

struct range {
	double start_s, end_s, duration_s;	/* 0: not given */
};

/* Takes one of these options, else returns ARGP_ERR_UNKNOWN; exits if the value is no time. */
error_t range_take(struct range *r, int key, const char *arg, struct argp_state *state);

/* Return an option's value; exit if it is not valid. */
double take_moment(struct argp_state *state, const char *option, const char *text);
double take_span(struct argp_state *state, const char *option, const char *text);
long take_seconds(struct argp_state *state, const char *option, const char *text);	/* a span of whole seconds, at least one */

/* Sets start and end as range_put() would; the default, the last minute, ends settle_s ago, because the newest slots
 * may not have arrived.  If all three are given nothing changes: heatscoped refuses a duration that does not fit. */
void range_settle(struct range *r, double settle_s);

/* Adds the range to a request: the last minute if no option is given, until now if only --start is. */
void range_put(const struct range *r, struct query_string *p);

/* Writes a span as a number of seconds, for a request that refuses those that are too long or short; 0 is one, too. */
const char *take_span_text(struct argp_state *state, const char *option, const char *text, char out[32]);

/* Writes "1795615500", "1795615500.25". */
const char *seconds_text(double s, char out[32]);

#endif
