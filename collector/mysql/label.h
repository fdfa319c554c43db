/* label.h - the names of the protocol's commands, of statements, of how they ended and what they are blocked in; of users,
 * databases and tables.
 *
 * Shape   out is LABEL_MAX + 1 bytes (slice.h).  A command without a name is "command N".
 */
#ifndef HEATSCOPE_MYSQL_LABEL_H
#define HEATSCOPE_MYSQL_LABEL_H

#include "collector/server/name.h"

#include <stddef.h>

void mysql_label_command(__u64 code, char *out);
void mysql_label_statement(__u64 code, char *out);	/* of statement_code() */
void mysql_label_status(__u64 code, char *out);

/* The codes that are shown so; how many, or -E2BIG. */
int mysql_codes_command(const char *text, __u64 *ret_code, size_t max);
int mysql_codes_statement(const char *text, __u64 *ret_code, size_t max);
int mysql_codes_status(const char *text, __u64 *ret_code, size_t max);

#endif
