/* result.h - writes the replies of Prometheus' HTTP API, version 1.
 *
 *      {"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {...}, "values": [[t, "1.5"], ...]},
 *                                                                        {"metric": {...}, "histograms": [[t, {...}], ...]}]}}
 *
 * Shape   numbers are texts; times are seconds with up to three digits after the point.  A bucket is
 *         [boundary rule, lower, upper, count]; rule 0: the lower edge is not in it.  Empty buckets are left out, as in Prometheus.
 * Source  Prometheus, "HTTP API" and "Native histograms".
 * Errors  the buffer remembers the first one.
 * Pure    no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_RESULT_H
#define HEATSCOPE_RESULT_H

#include "aggregator/promql/evaluate.h"

#define RESULT_BYTES_MAX (64u << 20)	/* of a reply */

struct result_points {
	__s64 start_ns, step_ns;
	bool is_instant;		/* one point: a vector, or a scalar */
};

/* Writes "data" of an outcome. */
void result_data(struct bytes *out, const struct outcome *o, size_t n_points, const struct result_points *points);

/* Writes an object of labels: a series of /series. */
void result_labels(struct bytes *out, const struct series_labels *labels);

/* Begins the reply, up to the value of "data", and ends it.  warning: n texts. */
void result_begin(struct bytes *out);
void result_end(struct bytes *out, const char *const *warning, size_t n);

/* Writes a whole reply of an error: its type is bad_data, execution, timeout, internal, not_found. */
void result_error(struct bytes *out, const char *type, const char *message);

#endif
