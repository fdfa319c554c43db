/* fs_call.h - which system calls are operations on files, and the names of operations and of types.
 */
#ifndef HEATSCOPE_FS_CALL_H
#define HEATSCOPE_FS_CALL_H

#include "collector/core/field_codes.h"
#include "collector/metrics/fs.h"

/* By number, those of this architecture; the others stay FS_NONE. */
void fs_calls_fill(struct fs_call call[FS_CALLS]);

/* A file system's name is looked up among the kernel's types; one that is gone is #code. */
extern const struct field_codes fs_fstype_codes, fs_optype_codes;

#endif
