/* syscall.h - syscall.syscalls: what its fields and measures are, and what we count as an event.
 *
 * Event   One system call that returned, of any thread on the machine, ours among them.
 * Time    from the kernel's tracepoint at its begin to the one at its end, so without the entry
 *         into the kernel and the way back.
 * Slot    of the return.
 * Nothing calls that do not return: exit, exit_group, and what was under way when its thread was
 *         killed before it returned.  What was under way when we attached: nobody saw its begin.
 *         The return of a new process or thread from the call that made it: that call is its
 *         parent's event.  Calls that a seccomp filter or a tracer refused.
 * execve  belongs to the process that it made.
 *
 * Measures, in ns:
 *
 *      latency
 *      cputime    the part of it on a CPU
 *      subsecond  how far its return is into the second of the wall clock
 *
 * Fields after process.h's, codes in the kernel:
 *
 *      syscall    its number; SYSCALL_COMPAT is set for those of 32-bit programs, whose numbers
 *                 are others
 *      errno      0: it succeeded.  A call that was interrupted returns one of the kernel's own
 *                 numbers above 511 and is started again or fails with EINTR: that is another event,
 *                 or none, as it happens.  rt_sigreturn returns no result.
 */
#ifndef HEATSCOPE_SYSCALL_H
#define HEATSCOPE_SYSCALL_H

#include <linux/types.h>
#include "collector/trace/process.h"

enum syscall_field { SYSCALL_SYSCALL = PROCESS_N_FIELDS, SYSCALL_ERRNO };
enum syscall_measure { SYSCALL_LATENCY, SYSCALL_CPUTIME, SYSCALL_SUBSECOND };

#define SYSCALL_COMPAT (1ull << 32)
#define SYSCALL_ERRNO_MAX 4095

#endif
