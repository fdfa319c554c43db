/* reason.h - why a thread is off the CPU: the system call it was in when it left, or none.
 *
 *      leaves the CPU, cannot run   reason_table()[number of the call]
 *                                   REASON_BY_FILE: what its first argument, a descriptor, is (a pipe: REASON_OTHER)
 *      in no call                   REASON_FAULT: its memory was not at hand
 *      leaves the CPU, could run    REASON_OTHER: that time is the run queue's, but for what a cgroup's quota takes
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
	REASON_BY_FILE = N_REASONS,
};

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
