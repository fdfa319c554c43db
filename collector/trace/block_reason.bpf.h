/* block_reason.bpf.h - looks up why a thread leaves the CPU, in the kernel; see block_reason.h.
 *
 * The collector fills the table call_reason before it loads the program.
 */
#ifndef HEATSCOPE_BLOCK_REASON_BPF_H
#define HEATSCOPE_BLOCK_REASON_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "collector/trace/block_reason.h"
#include "collector/trace/vm.h"

const volatile __u8 call_reason[REASON_CALLS] = { 0 };

/* Returns the file of a descriptor of t; 0: none is open there. */
static __always_inline struct file *file_of(struct task_struct *t, __u32 fd)
{
	struct fdtable *fdt = BPF_CORE_READ(t, files, fdt);
	struct file *file = 0;

	if (fdt && fd < BPF_CORE_READ(fdt, max_fds))
		bpf_probe_read_kernel(&file, sizeof(file), BPF_CORE_READ(fdt, fd) + fd);
	return file;
}

static __always_inline __u32 file_type(const struct file *file)
{
	return file ? BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT : 0;
}

static __always_inline enum reason reason_of_file(__u32 type)
{
	if (type == S_IFSOCK)
		return REASON_NET;
	return type && type != S_IFIFO ? REASON_IO : REASON_OTHER;
}

/* Returns the reason of a thread that leaves the CPU and cannot run. */
static __always_inline enum reason reason_of(struct task_struct *t)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(t);
	long call = call_number(regs);
	__u8 reason;

	if (t->flags & PF_KTHREAD)
		return REASON_OTHER;
	if (call < 0)
		return REASON_FAULT;
	if (call_is_32bit(t))
		return REASON_OTHER;
	reason = call < REASON_CALLS ? call_reason[call & (REASON_CALLS - 1)] : REASON_OTHER;
	return reason == REASON_BY_FILE ? reason_of_file(file_type(file_of(t, call_argument(regs, 0)))) : reason;
}

#endif
