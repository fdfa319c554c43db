/* disk_label.h - the names of a disk's operations and why they were asked for, and what they are names of.
 *
 * Shape   out is LABEL_MAX + 1 bytes (slice.h).
 */
#ifndef HEATSCOPE_DISK_LABEL_H
#define HEATSCOPE_DISK_LABEL_H

#include <linux/types.h>
#include <stddef.h>

void disk_label_optype(__u64 code, char *out);
void disk_label_flags(__u64 code, char *out);

/* The codes that are shown so: how many, or -E2BIG if that is more than max. */
int disk_codes_optype(const char *text, __u64 *ret_code, size_t max);
int disk_codes_flags(const char *text, __u64 *ret_code, size_t max);

#endif
