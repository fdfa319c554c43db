/* fields.h - lists the fields of the metric redis.commands in the order of redis.h, and names their codes.
 *
 * Thread  any; constant.
 */
#ifndef HEATSCOPE_REDIS_FIELDS_H
#define HEATSCOPE_REDIS_FIELDS_H

#include "collector/core/field_codes.h"
#include "collector/core/metric.h"

extern const struct metric redis_metric;
extern const struct field_codes redis_command_codes, redis_status_codes, redis_waits_codes, redis_database_codes;

#endif
