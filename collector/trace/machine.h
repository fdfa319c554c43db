/* machine.h - says how a processor enters the kernel: where the number and the arguments of a system call are, which
 * register points to a thread's variables, and why a page fault happened.  Only programs in the kernel include it.
 *
 * Known  x86-64, and aarch64, which is compiled but was never run.  A new processor gets a block here, a line in
 *        configure.ac, and a decoder in mysql/accessor.c and postgresql/backend.c, which refuse others.
 */
#ifndef HEATSCOPE_MACHINE_H
#define HEATSCOPE_MACHINE_H

#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#define CALL_ARGUMENTS 5

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_x86)

struct thread_info {
	__u32 status;
};

struct thread_struct {
	unsigned long fsbase;
};

struct pt_regs {
	unsigned long r10, r8, dx, si, di, orig_ax;
};

/* Returns the number of the system call that a thread is in; < 0: it is in none. */
static __always_inline long call_number(const struct pt_regs *regs)
{
	return regs->orig_ax;
}

/* Returns argument i, a constant from 0 to CALL_ARGUMENTS - 1.  At sys_exit it is still there. */
static __always_inline unsigned long call_argument(const struct pt_regs *regs, int i)
{
	switch (i) {
	case 0: return regs->di;
	case 1: return regs->si;
	case 2: return regs->dx;
	case 3: return regs->r10;
	default: return regs->r8;
	}
}

/* Is it a 32-bit call?  Its number means another call.  TS_COMPAT, arch/x86/include/asm/thread_info.h. */
#define call_is_32bit(task) \
	(bpf_core_field_exists((task)->thread_info.status) && ((task)->thread_info.status & 2))

/* Returns the address of a thread's own variables. */
#define thread_pointer(task) ((task)->thread.fsbase)

/* Did the perf event interrupt user space?  data is the argument of its program, see perf.bpf.h; reg[17] is the code
 * segment, whose two lowest bits are 0 in the kernel. */
#define PERF_REGS 21
#define perf_in_user(data) (((data)->reg[17] & 3) != 0)

/* A page fault's error code: X86_PF_INSTR, X86_PF_WRITE, arch/x86/include/asm/trap_pf.h. */
#define fault_executes(code) (((code) & 16) != 0)
#define fault_writes(code) (((code) & 2) != 0)

#elif defined(__TARGET_ARCH_arm64)

struct thread_info {
	unsigned long flags;
};

struct thread_registers {
	unsigned long tp_value;
};

struct thread_struct {
	struct thread_registers uw;
};

struct pt_regs {
	__u64 regs[31];
	__u64 orig_x0;
	__s32 syscallno;
};

static __always_inline long call_number(const struct pt_regs *regs)
{
	return regs->syscallno;
}

/* Returns argument i.  The result replaces the first argument, so the kernel keeps that in orig_x0. */
static __always_inline unsigned long call_argument(const struct pt_regs *regs, int i)
{
	return i ? regs->regs[i] : regs->orig_x0;
}

/* TIF_32BIT, arch/arm64/include/asm/thread_info.h. */
#define call_is_32bit(task) (((task)->thread_info.flags >> 22 & 1) != 0)

#define thread_pointer(task) ((task)->thread.uw.tp_value)

/* reg: 31 registers, sp, pc, pstate.  Its lowest four bits are the exception level: 0 in user space. */
#define PERF_REGS 34
#define perf_in_user(data) (((data)->reg[33] & 15) == 0)

/* A page fault's syndrome, ESR_EL1, arch/arm64/include/asm/esr.h: the class of an instruction's abort; a write that
 * does not only look after the cache. */
#define fault_executes(code) (((code) >> 26 & 0x3e) == 0x20)
#define fault_writes(code) (((code) & 0x140) == 0x40)

#else
#error "the programs for the kernel know x86-64 and aarch64: see collector/trace/machine.h"
#endif

#pragma clang attribute pop

#endif
