/* files.bpf.h - measures the file operations (fs.h) of a server's thread while it works at a turn.
 *
 *      sys_enter -> file_call_begins(): struct blocked_time of the thread gets the call's number and begin
 *      sys_exit  -> file_call_ends(): adds time and bytes of the call to `files` in the same struct
 *
 * Both run at every system call of the machine.  They return at once if the call's number is not that of a file
 * operation.
 */
#ifndef HEATSCOPE_FILES_BPF_H
#define HEATSCOPE_FILES_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "collector/metrics/fs_call.bpf.h"
#include "collector/server/exchange.bpf.h"

__u64 files_since = 0;			/* CLOCK_MONOTONIC: calls that began earlier do not count */

static __always_inline int is_open_file(struct task_struct *t, __s32 fd)
{
	struct file *file = file_of(t, fd);

	return file && is_fs_file(BPF_CORE_READ(file, f_inode, i_mode), BPF_CORE_READ(file, f_inode, i_sb, s_flags));
}

static __always_inline void file_call_begins(struct task_struct *t, const struct pt_regs *regs, __u64 number)
{
	struct fs_call call = call_of(t, number);
	struct blocked_time *p = call.op && is_server(t) ? blocked_time_of(t) : 0;

	if (!p || (call.where != FS_RETURN && !is_open_file(t, descriptor(regs, call.where))))
		return;
	p->call = number;
	p->call_ns = bpf_ktime_get_ns();
}

static __always_inline void file_call_ends(struct task_struct *t, __u64 number, long ret)
{
	struct fs_call call = call_of(t, number);
	struct blocked_time *p = call.op && is_server(t) ? blocked_time_of(t) : 0;
	__u64 begin_ns = p ? p->call_ns : 0;

	if (!begin_ns)
		return;
	p->call_ns = 0;
	if (p->call != number || begin_ns < files_since || (call.where == FS_RETURN && !is_open_file(t, ret)))
		return;
	p->files.ns += bpf_ktime_get_ns() - begin_ns;
	p->files.bytes += call_bytes(call.op, ret);
	p->files.n++;
}

#endif
