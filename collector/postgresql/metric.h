/* metric.h - the metric postgresql.queries: its fields in the order of postgresql.h's.
 *
 * Thread  any; constant.
 */
#ifndef HEATSCOPE_POSTGRESQL_METRIC_H
#define HEATSCOPE_POSTGRESQL_METRIC_H

#include "collector/core/metric.h"

extern const struct metric postgresql_metric;

#endif
