/* label.h - the names of the protocol's commands, of statements and of how they ended.
 *
 * A command without a name is "command N".
 * Thread  any; constant.
 */
#ifndef HEATSCOPE_MYSQL_LABEL_H
#define HEATSCOPE_MYSQL_LABEL_H

#include "collector/core/field_codes.h"

extern const struct field_codes mysql_command_codes, mysql_statement_codes, mysql_status_codes;

#endif
