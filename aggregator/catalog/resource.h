/* resource.h - describes metrics, sources and instrumentations as JSON, for /ca.
 *
 * Memory  each function returns a new reference; NULL: no memory.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_RESOURCE_H
#define HEATSCOPE_RESOURCE_H

#include "aggregator/catalog/catalog.h"

json_t *resource_catalogue(const struct catalog *c);
json_t *resource_instrumentation(const struct catalog *c, const struct catalog_inst *ci, __s64 now_ns);
json_t *resource_instrumentations(const struct catalog *c, __s64 now_ns);
json_t *resource_sources(const struct catalog *c);
json_t *resource_old_metrics(const struct catalog *c);	/* /ca/metrics and /ca/types */
json_t *resource_old_types(void);

/* Lists the values of an instrumentation, or only the pictures: [{"name", "uri"}]. */
json_t *resource_values(const struct catalog_inst *ci);
json_t *resource_heatmaps(const struct catalog_inst *ci);

#endif
