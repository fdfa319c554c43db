/* label.h - the names of the protocol's commands, of statements and of how they ended.
 *
 * Thread  any; constant.
 */
#ifndef HEATSCOPE_POSTGRESQL_LABEL_H
#define HEATSCOPE_POSTGRESQL_LABEL_H

#include "collector/core/field_codes.h"

extern const struct field_codes postgresql_command_codes, postgresql_statement_codes, postgresql_status_codes;

#endif
