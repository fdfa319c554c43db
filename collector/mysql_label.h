/* mysql_label.h - the names of the protocol's commands and of statements.
 *
 * Shape   out is LABEL_MAX + 1 bytes (slice.h).  A command without a name is "command N".
 */
#ifndef HEATSCOPE_MYSQL_LABEL_H
#define HEATSCOPE_MYSQL_LABEL_H

#include <linux/types.h>

void mysql_label_command(__u64 code, char *out);
void mysql_label_statement(__u64 code, char *out);	/* of statement_code() */

#endif
