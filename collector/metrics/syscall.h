/* syscall.h - describes the fields and measures of syscall.syscalls, and which calls count as an event.
 *
 * Event   One system call that returned, of any thread on the machine, the collector's included.
 * Time    from the tracepoint at its begin to the one at its end: without the entry into the kernel and the way back.
 * Slot    the slot of the return.
 * Ignored calls that do not return: exit, exit_group, and calls whose thread was killed.  Calls that were under way
 *         when we attached.  The return of a new process or thread from the call that created it: that call is its
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
 *      syscall    its number; SYSCALL_COMPAT is set for those of 32-bit programs, which have other
 *                 numbers
 *      errno      0: it succeeded.  An interrupted call returns one of the kernel's own numbers above 511.  Then
 *                 it fails with EINTR or is started again, which may be another event or not.
 *                 rt_sigreturn returns no result.
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
