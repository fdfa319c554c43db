/* otlp_points.h - collects metrics as a message of OTLP, OpenTelemetry's protocol, and encodes it.
 *
 *      otlp_points_new(), metrics_write() with the format otlp_points_format [, otlp_points_subtract()], then
 *      otlp_points_protobuf() or otlp_points_json()
 *
 * Shape    A histogram is an exponential one, of scale = schema: bucket i has the values in (2^(i/2^scale), 2^((i+1)/2^scale)],
 *          which is native bucket i + 1 of Prometheus (buckets.h).  Counters are monotonic sums; gauges are gauges.
 * Resource heatscoped's own metrics and those of instrumentations of databases have one each: the latter with db.system.name.
 *          Each has a service.instance.id of its own, so that no two say different things of one instance.
 * Delta    Points of counters are cumulative, from `since_ns` of the series on.  otlp_points_subtract() leaves what came after
 *          an earlier message: its counts add up to the cumulative ones; points without events are left out.
 * Source   opentelemetry-proto, "OTLP Specification" 1.x; otlp.proto.
 * Errors   -ENOMEM, from otlp_points_error() also for what was collected.
 * Memory   copies all texts.
 * Thread   any, one at a time.
 */
#ifndef HEATSCOPE_EXPORT_OTLP_POINTS_H
#define HEATSCOPE_EXPORT_OTLP_POINTS_H

#include "aggregator/export/exposition.h"

struct otlp_resource {			/* who sends */
	const char *host, *instance;
};

struct otlp_points;			/* its fields are in otlp_points.c */

extern const struct exposition_format otlp_points_format;	/* arg: struct otlp_points * */

/* time_ns: wall clock, of all points. */
int otlp_points_new(const struct otlp_resource *resource, __s64 time_ns, struct otlp_points **ret_points);
void otlp_points_free(struct otlp_points *p);		/* NULL is fine */
int otlp_points_error(const struct otlp_points *p);	/* 0: all was collected */
size_t otlp_points_count(const struct otlp_points *p);

/* Makes deltas: subtracts what `before` had, both collected and neither subtracted from; before NULL: nothing. */
int otlp_points_subtract(struct otlp_points *p, const struct otlp_points *before);

/* Appends the message to out. */
void otlp_points_protobuf(const struct otlp_points *p, struct bytes *out);
void otlp_points_json(const struct otlp_points *p, struct bytes *out);

#endif
