/* syscall_label.h - the names of system calls and of errors, and what they are the names of.
 *
 * The tables are made from the system's headers when we are built.  A call newer than they are is
 * "syscall N"; one of a 32-bit program has " (32-bit)" behind its name.
 *
 * Shape   out is LABEL_MAX + 1 bytes (slice.h).
 */
#ifndef HEATSCOPE_SYSCALL_LABEL_H
#define HEATSCOPE_SYSCALL_LABEL_H

#include <linux/types.h>
#include <stddef.h>

void syscall_label_name(__u64 code, char *out);
void syscall_label_errno(__u64 code, char *out);	/* "ENOENT"; "0": success */

/* How many codes have that name, 0 or 1; the code is then in ret_code.  -E2BIG: max is 0. */
int syscall_codes_name(const char *name, __u64 *ret_code, size_t max);
int syscall_codes_errno(const char *name, __u64 *ret_code, size_t max);

/* The number of a call of that name, or -1; compat: of 32-bit programs. */
int syscall_number(const char *name, int compat);

#endif
