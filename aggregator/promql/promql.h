/* promql.h - answers /api/v1 as Prometheus does, so that its clients (Grafana) read heatscoped.
 *
 *      GET, POST /api/v1/query, query_range           an expression, at one time or along a time
 *      GET, POST /api/v1/labels, series; GET label/NAME/values, metadata, status/buildinfo
 *
 *      request --parse--> tree, sources (loop) --store's worker--> folds --a worker: evaluate, JSON--> reply
 *
 * Which   the instrumentations of `export`, under the names and labels that /metrics has (member.h).
 * Subset  see expression.h and doc/prometheus.md.  Anything else is refused by name.
 * Errors  as Prometheus: {"status": "error", "errorType", "error"} with 400 (bad_data), 404, 405, 422 (execution), 500, 503.
 * Bounds  a request takes a place among medium values (admission.h) and waits for one; points, sources, buckets: query_range.h,
 *         sources.h, window_fold.h, matrix.h.
 * Thread  the loop thread.
 */
#ifndef HEATSCOPE_PROMQL_H
#define HEATSCOPE_PROMQL_H

#include "aggregator/export/metrics.h"
#include "aggregator/http/http.h"

struct services;

#define PROMQL_PATH "/api/v1/"

struct promql {
	struct services *services;
	const struct export *export;
};

/* Answers a request whose path begins with PROMQL_PATH, once, now or later.  p lives until then. */
void promql_handle(struct promql *p, struct http_request *r);

#endif
