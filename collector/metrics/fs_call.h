/* fs_call.h - which system calls are operations on files, and the names of operations and of types.
 *
 * Shape   out is LABEL_MAX + 1 bytes (slice.h).
 */
#ifndef HEATSCOPE_FS_CALL_H
#define HEATSCOPE_FS_CALL_H

#include "collector/metrics/fs.h"
#include <stddef.h>

/* By number, those of this architecture; the others stay FS_NONE. */
void fs_calls_fill(struct fs_call call[FS_CALLS]);

/* A file system's name is looked up among the kernel's types; one that is gone is #code. */
void fs_label_fstype(__u64 code, char *out);
void fs_label_optype(__u64 code, char *out);

/* The codes that are shown so: how many, or -E2BIG. */
int fs_codes_fstype(const char *text, __u64 *ret_code, size_t max);
int fs_codes_optype(const char *text, __u64 *ret_code, size_t max);

#endif
