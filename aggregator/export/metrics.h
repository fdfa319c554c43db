/* metrics.h - writes what is exported of instrumentations (export.h), then heatscoped's own counters; answers GET /metrics.
 *
 *      Accept: application/vnd.google.protobuf ... --> protobuf, with native histograms;  else text
 *
 * Names   see member.h.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_EXPORT_METRICS_H
#define HEATSCOPE_EXPORT_METRICS_H

#include "aggregator/export/exposition.h"
#include "aggregator/http/http.h"

struct metrics_parts {
	const struct export *export;
	const struct catalog *catalog;
	void (*own)(const void *arg, struct exposition *e);	/* writes heatscoped's own */
	const void *own_arg;
};

void metrics_reply(const struct metrics_parts *parts, struct http_request *r);

void metrics_write(const struct metrics_parts *parts, struct exposition *e);

/* Writes a family of one number without labels, which counts since then (0: a gauge). */
void metrics_put(struct exposition *e, const struct exposition_family *f, __s64 since_ns, double value);

#endif
