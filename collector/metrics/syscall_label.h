/* syscall_label.h - the names of system calls and of errors.
 *
 * The tables are made from the system's headers when we are built.  A call newer than they are is
 * "syscall N"; one of a 32-bit program has " (32-bit)" behind its name.
 *
 * Thread  any; constant.
 */
#ifndef HEATSCOPE_SYSCALL_LABEL_H
#define HEATSCOPE_SYSCALL_LABEL_H

#include "collector/core/field_codes.h"

extern const struct field_codes syscall_name_codes;
extern const struct field_codes syscall_errno_codes;	/* "ENOENT"; "0": success */

/* The number of a call of that name, or -1; compat: of 32-bit programs. */
int syscall_number(const char *name, int compat);

#endif
