/* fields.h - lists the fields of the metric postgresql.queries in the order of postgresql.h, and names their codes.
 *
 * Thread  any; constant.
 */
#ifndef HEATSCOPE_POSTGRESQL_FIELDS_H
#define HEATSCOPE_POSTGRESQL_FIELDS_H

#include "collector/core/field_codes.h"
#include "collector/core/metric.h"

extern const struct metric postgresql_metric;
extern const struct field_codes postgresql_command_codes, postgresql_statement_codes, postgresql_status_codes;

#endif
