/* fs_call.h - lists the system calls that are operations on files, and names operations and file system types. */
#ifndef HEATSCOPE_FS_CALL_H
#define HEATSCOPE_FS_CALL_H

#include "collector/core/field_codes.h"
#include "collector/metrics/fs.h"

/* Fills in the calls by number, for this architecture; the others stay FS_NONE. */
void fs_calls_fill(struct fs_call call[FS_CALLS]);

/* A file system's name is looked up among the kernel's types; the name of a type that is gone is #code. */
extern const struct field_codes fs_fstype_codes, fs_optype_codes;

#endif
