/* fields.h - lists the fields of the metric mysql.queries in the order of mysql.h, and names their codes.
 *
 * A command without a name is "command N".
 * Thread  any; constant.
 */
#ifndef HEATSCOPE_MYSQL_FIELDS_H
#define HEATSCOPE_MYSQL_FIELDS_H

#include "collector/core/field_codes.h"
#include "collector/core/metric.h"

extern const struct metric mysql_metric;
extern const struct field_codes mysql_command_codes, mysql_statement_codes, mysql_status_codes;

#endif
