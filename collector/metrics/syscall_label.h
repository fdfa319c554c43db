/* syscall_label.h - names system calls and errors.
 *
 * The build makes the tables from the system's headers.  A call that these lack is "syscall N".  The name of a 32-bit
 * program's call ends with " (32-bit)".
 *
 * Thread  any; constant.
 */
#ifndef HEATSCOPE_SYSCALL_LABEL_H
#define HEATSCOPE_SYSCALL_LABEL_H

#include "collector/core/field_codes.h"

extern const struct field_codes syscall_name_codes;
extern const struct field_codes syscall_errno_codes;	/* "ENOENT"; "0": success */

/* Returns the name of a call of 64-bit programs; NULL: there is none of this number. */
const char *syscall_name(unsigned number);

/* Finds the number of a call by its name, or -1; compat: of 32-bit programs. */
int syscall_number(const char *name, int compat);

#endif
