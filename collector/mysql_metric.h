/* mysql_metric.h - what the probe mysql offers, and which of an event's fields and measures a name is.
 *
 * Thread  any; constant.
 */
#ifndef HEATSCOPE_MYSQL_METRIC_H
#define HEATSCOPE_MYSQL_METRIC_H

#include "metric.h"

extern const struct metric mysql_metric;

int mysql_field_index(const char *name);	/* enum mysql_field; -1: not gathered in the kernel (hostname) */
int mysql_measure_index(const char *name);	/* enum mysql_measure; -1: none */

#endif
