/* key_table.h - a summary per key as CSV, as a report's table is: of any measure, and of the keys that were asked for.
 *
 *      value/keys --key_table_csv()--> key,count,sum_ns,mean_ns,p50_ns ...
 *
 * Errors  -EBADMSG: the reply is not of this shape; -ENOMEM.
 * Memory  the text is the caller's, to be freed with free().
 */
#ifndef HEATSCOPE_KEY_TABLE_H
#define HEATSCOPE_KEY_TABLE_H

#include <stddef.h>

int key_table_csv(const char *reply, size_t len, char **ret_text, size_t *ret_len);

#endif
