/* fs.h - describes the fields and measures of fs.logical_ops, and which calls count as an event.
 *
 * Event   One system call on an open file or directory that returned, with success or not.  fs_call.c lists the calls
 *         and their operations.  open and creat count if they succeeded, as `create` if they made the file.
 * File    A regular file or a directory of a file system that can be mounted.  Files of /proc and /sys count; sockets,
 *         pipes, devices, event and timer descriptors and memfds do not.  The file system is the one that the program
 *         sees: overlay, not the one below it.
 * Time    of the whole call, cached or not, between the kernel's tracepoints.
 * Slot    the slot of the return.
 * Ignored calls that name a file by its path only (stat, unlink, rename, mkdir, ...) and opens that failed: their
 *         arguments do not show the file system.  Also sync, splice, the kernel's own I/O, calls of 32-bit programs,
 *         and operations of io_uring or a mapping without a call.
 * Attach  as in syscall.h: calls that were under way are not counted.
 *
 * Measures:
 *
 *      latency    ns
 *      size       bytes that were read, written or copied; 0 for the other operations and failures
 *
 * Fields after process.h's, codes in the kernel:
 *
 *      fstype     fs_code() of the file system type's name
 *      optype     enum fs_op
 */
#ifndef HEATSCOPE_FS_H
#define HEATSCOPE_FS_H

#include <linux/types.h>
#include "collector/trace/process.h"

enum fs_field { FS_FSTYPE = PROCESS_N_FIELDS, FS_OPTYPE };
enum fs_measure { FS_LATENCY, FS_SIZE };

enum fs_op {
	FS_NONE, FS_READ, FS_WRITE, FS_OPEN, FS_CREATE, FS_CLOSE, FS_SYNC, FS_STAT, FS_READDIR, FS_TRUNCATE,
	FS_ALLOCATE, FS_COPY, FS_MAP, FS_SETATTR, FS_IOCTL, FS_N_OPS
};

/* Where a call has its file: in the argument of that number, or in one of these. */
enum fs_where {
	FS_RETURN = 6,			/* the return value */
	FS_STATAT,			/* argument 0, if the path, argument 1, is empty */
	FS_MAPPED,			/* argument 4, unless the memory is anonymous */
};

struct fs_call {
	__u8 op, where;
};

struct fs_spent {			/* sums over several operations */
	__u64 ns, bytes, n;
};

#define FS_CALLS 512			/* numbers of system calls, a power of two */
#define FS_NAME_MAX 16			/* bytes of a type's name that the code is made of */

struct fs_name {
	__u64 word[2];			/* the name and a NUL */
};

/* Returns the code of a name.  A name of up to 8 bytes is its own code. */
static inline __u64 fs_code(const struct fs_name *name)
{
	return name->word[0] ^ name->word[1] * 0x9e3779b97f4a7c15ull;
}

#endif
