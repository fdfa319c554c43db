/* status.h - describes the state of heatscoped itself as JSON for /ca/admin/status, and for /metrics.
 *
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_STATUS_H
#define HEATSCOPE_STATUS_H

#include "aggregator/aggregator.h"

#include <jansson.h>

struct exposition;

json_t *status_json(const struct aggregator *a);	/* a new reference; NULL: no memory */
void status_metrics(const struct aggregator *a, struct exposition *e);	/* the same as counters, for /metrics */

#endif
