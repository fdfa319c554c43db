/* metric.h - the metric mysql.queries: its fields in the order of mysql.h's.
 *
 * Thread  any; constant.
 */
#ifndef HEATSCOPE_MYSQL_METRIC_H
#define HEATSCOPE_MYSQL_METRIC_H

#include "collector/core/metric.h"

extern const struct metric mysql_metric;

#endif
