/* block_reason.h - why a thread is off the CPU: the system call it was in when it left, or none.
 *
 *      leaves the CPU, cannot run   reason_table()[number of the call]
 *                                   REASON_BY_FILE: what its first argument, a descriptor, is (a pipe: REASON_OTHER)
 *      in no call                   REASON_FAULT: its memory was not at hand (a thread of the kernel's: REASON_OTHER)
 *      leaves the CPU, could run    REASON_NONE: that time is the run queue's; what a cgroup's quota takes of it is summed as REASON_OTHER
 *
 * A page fault within a call counts as the call's.  No call tells what a futex stands for: locks of rows and tables, condition
 * variables, and the SLEEP() of MariaDB, which is a condition with a time limit.
 * Numbers are those of x86-64 (arch/x86/entry/syscalls/syscall_64.tbl); a 32-bit call is REASON_OTHER.
 */
#ifndef HEATSCOPE_REASON_H
#define HEATSCOPE_REASON_H

#include <linux/types.h>

enum reason {
	REASON_OTHER,
	REASON_IO,		/* files: reads, writes, syncs, names, io_uring */
	REASON_FUTEX,
	REASON_NET,		/* sockets, and waiting for several descriptors */
	REASON_SLEEP,
	REASON_FAULT,
	N_REASONS,
	REASON_NONE = N_REASONS,	/* it could run */
	REASON_BY_FILE,
};

/* The texts of a field that says it; what REASON_NONE is called, the field says. */
#define REASON_NAMES                                                                                  \
	[REASON_OTHER] = "other", [REASON_IO] = "io", [REASON_FUTEX] = "futex", [REASON_NET] = "net", \
	[REASON_SLEEP] = "sleep", [REASON_FAULT] = "fault"

#define REASON_CALLS 512	/* numbers, a power of two */
#define REASON_SLOTS 8		/* N_REASONS, up to a power of two */

struct blocked {
	__u64 ns[REASON_SLOTS];	/* by reason */
	__u64 n_switches;	/* times the CPU was left because it could not run */
	__u64 n_io;		/* of these with REASON_IO */
};

/* enum reason by number of a system call; static, REASON_CALLS long. */
const __u8 *reason_table(void);

#endif
