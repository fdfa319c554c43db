/* block_reason.h - finds out why a thread is off the CPU, from the system call that it was in when it left.
 *
 *      leaves the CPU, cannot run   reason_table()[number of the call]
 *                                   REASON_BY_FILE: by the file of argument 1, a descriptor (a pipe: REASON_OTHER)
 *      in no call                   REASON_FAULT: its memory was not present (a kernel thread: REASON_OTHER)
 *      leaves the CPU, could run    REASON_NONE: that time belongs to the run queue; the part that a cgroup's quota
 *                                   takes is added to REASON_OTHER
 *
 * A page fault within a call counts for the call.  A futex has several purposes: locks of rows and tables, condition
 * variables, and MariaDB's SLEEP(), which waits for a condition with a time limit.
 * Calls have the numbers of <asm/unistd.h>; a 32-bit call is REASON_OTHER.
 */
#ifndef HEATSCOPE_BLOCK_REASON_H
#define HEATSCOPE_BLOCK_REASON_H

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

/* The texts of a field with reasons; the field adds its own text for REASON_NONE. */
#define REASON_NAMES                                                                                  \
	[REASON_OTHER] = "other", [REASON_IO] = "io", [REASON_FUTEX] = "futex", [REASON_NET] = "net", \
	[REASON_SLEEP] = "sleep", [REASON_FAULT] = "fault"

#define REASON_CALLS 512	/* numbers of calls; a power of two */
#define REASON_SLOTS 8		/* N_REASONS, rounded up to a power of two */

struct blocked {
	__u64 ns[REASON_SLOTS];	/* by reason */
	__u64 n_switches;	/* how often it left the CPU because it could not run */
	__u64 n_io;		/* of these, with REASON_IO */
};

/* Returns enum reason by number of a system call; static, REASON_CALLS long. */
const __u8 *reason_table(void);

#endif
