/* status.h - /ca/admin/status: how heatscoped itself fares, as JSON.
 *
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_STATUS_H
#define HEATSCOPE_STATUS_H

#include "aggregator/aggregator.h"

#include <jansson.h>

json_t *status_json(const struct aggregator *a);	/* a new reference; NULL: no memory */

#endif
