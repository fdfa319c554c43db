/* fs_call.bpf.h - decides whether a system call is an operation on a file, at sys_enter or sys_exit.
 *
 * The collector fills the table `calls` before it loads the program (fs_calls_fill()).
 */
#ifndef HEATSCOPE_FS_CALL_BPF_H
#define HEATSCOPE_FS_CALL_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <asm/unistd.h>
#include "collector/metrics/fs.h"
#include "collector/trace/vm.h"

#define SB_NOUSER (1ul << 31)		/* cannot be mounted: sockets, pipes, anonymous inodes, memfds */
#define MAP_ANONYMOUS 0x20
#define AT_EMPTY_PATH 0x1000

const volatile struct fs_call calls[FS_CALLS] = { 0 };

static __always_inline struct fs_call call_of(struct task_struct *t, __u64 number)
{
	const struct fs_call none = { FS_NONE, 0 };

	if (number >= FS_CALLS || !calls[number].op)
		return none;
	if (call_is_32bit(t))
		return none;
	return (struct fs_call){ calls[number].op, calls[number].where };
}

/* Is the call's path empty?  If it cannot be read, the call's flags show it: a caller with a path does not set
 * AT_EMPTY_PATH. */
static __always_inline int path_is_empty(const struct pt_regs *regs)
{
	const char *path = (const char *)call_argument(regs, 1);
	__u64 flags = call_number(regs) == __NR_statx ? call_argument(regs, 2) : call_argument(regs, 3);
	char first = 0;

	if (path && bpf_probe_read_user(&first, 1, path))
		return (flags & AT_EMPTY_PATH) != 0;
	return !path || !first;
}

/* Returns the descriptor among the call's arguments; -1: there is none. */
static __always_inline __s32 descriptor(const struct pt_regs *regs, __u32 where)
{
	switch (where) {
	case 0: return call_argument(regs, 0);
	case 1: return call_argument(regs, 1);
	case 2: return call_argument(regs, 2);
	case FS_STATAT: return path_is_empty(regs) ? (__s32)call_argument(regs, 0) : -1;
	case FS_MAPPED: return call_argument(regs, 3) & MAP_ANONYMOUS ? -1 : (__s32)call_argument(regs, 4);
	default: return -1;
	}
}

/* Does it count as a file (fs.h)?  The inode's mode and the file system's flags decide. */
static __always_inline int is_fs_file(__u16 mode, unsigned long sb_flags)
{
	__u16 type = mode & S_IFMT;

	return (type == S_IFREG || type == S_IFDIR) && !(sb_flags & SB_NOUSER);
}

/* Returns how many bytes a call with return value ret has read, written or copied. */
static __always_inline __u64 call_bytes(__u32 op, long ret)
{
	return ret > 0 && (op == FS_READ || op == FS_WRITE || op == FS_COPY) ? ret : 0;
}

#endif
