/* moment.h - parses times and lengths of time as people write them, with one grammar for all options.
 *
 *      "now"                                   now_s
 *      "5m", "-5m", "90s", "1h30m", "-300"     so long ago; a bare number has its minus sign
 *      "14:05", "14:05:30"                     the last time that the clock showed this
 *      "2026-11-25", "2026-11-25 14:05"        in the zone of TZ
 *      "2026-11-25T14:05:05.5+0100"            with Z, +01:00 or +0100: in that zone
 *      "1795247297", "1795247297.5"            Unix seconds
 *
 * Twice   a time that the clock showed twice, as it was put back, is the later one that is not after now, with a date, too.
 * Skipped a time of day that the clock skipped is that of the day before; with a date it is refused.  A date alone is the
 *         day's first moment.
 * Span    "90" and "90s", "10ms", "10m", "1.5h", "1d", "2w", "1h30m", "1y" (365 days); in seconds.
 * Range   times from 1973 to 2286: a number below 100000000 is a span that lacks its sign.  Spans of 1 ns to 100 years.
 * Errors  -EINVAL with a sentence in `reason` that quotes the text.
 * Thread  any; reads TZ.
 */
#ifndef HEATSCOPE_MOMENT_H
#define HEATSCOPE_MOMENT_H

#define MOMENT_REASON 192
#define MOMENT_GRAMMAR "now, 5m (ago), 14:05, \"2026-11-25 14:05\" or Unix seconds"

int moment_parse(const char *text, double now_s, double *ret_s, char reason[MOMENT_REASON]);
int span_parse(const char *text, double *ret_s, char reason[MOMENT_REASON]);

/* Returns the wall clock, in Unix seconds. */
double moment_now(void);

#endif
