/* key_table.h - writes one line of CSV per key, as a report's table has it, for any measure and for the requested keys.
 *
 *      value/keys --key_table_csv()--> key,count,sum_ns,mean_ns,p50_ns ...
 *
 * Errors  -EBADMSG: the reply is not of this shape; -ENOMEM.
 * Memory  the caller frees the text with free().
 */
#ifndef HEATSCOPE_KEY_TABLE_H
#define HEATSCOPE_KEY_TABLE_H

#include <stddef.h>

int key_table_csv(const char *reply, size_t len, char **ret_text, size_t *ret_len);

#endif
