/* metric_json.h - writes and reads the JSON of a metric, for hello frames and recordings.
 *
 *      {"module": "mysql", "stat": "queries", "label": "queries", "unit": "queries",
 *       "scope": "interval" | "point" (absent: interval), "point": "age", "parts": ["cputime"], "text": "digest" (each
 *       only if the metric has one, see metric.h), "state": "ok" | "refused", "reason": "",
 *       "fields": [{"name": "statement", "label": "statement", "type": "string", "arity": "discrete"},
 *                  {"name": "latency", "label": "latency", "type": "time", "arity": "numeric",
 *                   "unit": "ns" | "bytes" | "percent" | "per-second" | "bytes-per-second" | "none",
 *                   "low": 10, "high": 39}]}
 */
#ifndef HEATSCOPE_METRIC_JSON_H
#define HEATSCOPE_METRIC_JSON_H

#include "collector/core/instrumentation.h"

#define METRIC_FIELDS_MAX 128

/* Lists the metric's parts, in its order; NULL: it has none, or no memory. */
json_t *metric_json_parts(const struct metric *m);

/* Makes the JSON; NULL: no memory.  refusal: why the metric is not available, or NULL. */
json_t *metric_json_make(const struct metric *m, const char *refusal);

/* Reads all but state and reason.  0, or -EINVAL with the reason, or -ENOMEM.  Then the metric owns its
 * memory, until metric_json_fini(). */
int metric_json_read(const json_t *json, struct metric *ret_metric, char reason[REASON_MAX]);
void metric_json_fini(struct metric *m);

#endif
