/* query_range.h - reads the times of a request: start, end and step of a range, or one time.
 *
 *      start=1700000000 end=2023-11-14T22:13:30Z step=15s  -->  first point, step, number of points
 *
 * Times   seconds since the epoch, or as in RFC 3339.  Steps are seconds, or a duration such as 1m.  As in Prometheus, both are
 *         rounded to milliseconds.
 * Bound   QUERY_POINTS_MAX points.
 * Errors  -EINVAL with a sentence in `reason` (REASON_MAX bytes), which names the parameter.
 * Pure    no loop, file or clock: now_ns is an argument.  Thread: any.
 */
#ifndef HEATSCOPE_QUERY_RANGE_H
#define HEATSCOPE_QUERY_RANGE_H

#include "aggregator/http/input.h"

#include <linux/types.h>

#define QUERY_POINTS_MAX 11000		/* as Prometheus */

struct query_range {
	__s64 start_ns, end_ns, step_ns;
	size_t n_points;
};

/* Returns the first value of a parameter; NULL: it is absent. */
const char *query_param(const struct input *in, const char *name);

/* start, end, step */
int query_range_read(const struct input *in, struct query_range *ret_range, char *reason);

/* time, or now: one point, whose step is 1 s. */
int query_time_read(const struct input *in, __s64 now_ns, struct query_range *ret_range, char *reason);

/* start and end of a list: if they are absent, the last hour.  Times that are beyond what can be kept are taken for its ends. */
int query_span_read(const struct input *in, __s64 now_ns, struct query_range *ret_range, char *reason);

#endif
