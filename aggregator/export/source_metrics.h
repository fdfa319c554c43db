/* source_metrics.h - writes what is known of each collector: its connection, its losses, and what it uses itself.
 *
 * Labels  `source`; of heatscope.collector.instrumentations also `state`: partial are those of which it leaves out a part, to keep
 *         its budget or because it cannot measure it, or lost events lately.
 * Bound   SOURCE_METRICS_MAX collectors, the first by name; heatscope.collectors_left_out counts the others.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_EXPORT_SOURCE_METRICS_H
#define HEATSCOPE_EXPORT_SOURCE_METRICS_H

#include "aggregator/catalog/catalog.h"
#include "aggregator/export/exposition.h"

#define SOURCE_METRICS_MAX 200

/* started_ns: when we started, wall clock: since then losses are counted. */
void source_metrics_write(const struct catalog *catalog, __s64 started_ns, __s64 now_ns, struct exposition *e);

#endif
