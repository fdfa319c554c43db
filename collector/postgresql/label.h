/* label.h - codes of postgresql.h's fields as texts for people, and back.
 *
 * Memory  out is LABEL_MAX + 1 bytes, the caller's.
 * Errors  the inverses give how many codes are shown as the text, or -E2BIG.
 * Pure    thread: any.
 */
#ifndef HEATSCOPE_POSTGRESQL_LABEL_H
#define HEATSCOPE_POSTGRESQL_LABEL_H

#include <linux/types.h>
#include <stddef.h>

void postgresql_label_command(__u64 code, char *out);
void postgresql_label_statement(__u64 code, char *out);
void postgresql_label_status(__u64 code, char *out);

int postgresql_codes_command(const char *text, __u64 *ret_code, size_t max);
int postgresql_codes_statement(const char *text, __u64 *ret_code, size_t max);
int postgresql_codes_status(const char *text, __u64 *ret_code, size_t max);

#endif
