#include "collector/d/tree/builtin.h"
#include "collector/d/emit/emit_private.h"
#include "collector/d/provider/operand.h"
#include "collector/d/tree/probe.h"
#include "collector/d/check/record.h"

/* Offsets in struct pt_regs of x86-64 (arch/x86/include/uapi/asm/ptrace.h). */
enum { REGS_R10 = 56, REGS_R9 = 64, REGS_R8 = 72, REGS_AX = 80, REGS_CX = 88, REGS_DX = 96, REGS_SI = 104, REGS_DI = 112,
       REGS_ORIG_AX = 120, REGS_IP = 128, REGS_SP = 152 };

/* Arguments of the tracepoint sched_switch: preempt, previous thread, next thread, previous state. */
enum { SWITCH_PREVIOUS = 8, SWITCH_NEXT = 16 };

/* ---- the probe ---- */

/* r0 = the number of the call, or of a 32-bit call, whose number means another one, that of none. */
static void emit_call_number(struct emitter *e)
{
	enum { TS_COMPAT = 2 };		/* arch/x86/include/asm/thread_info.h */
	size_t native;

	emit_task(e);
	emit_load(e, R2, R0, e->maps->offsets.status, 4);
	emit_load(e, R1, R10, STACK_CONTEXT, 8);
	if (e->ir->context == CONTEXT_SYSCALL_ENTRY) {
		emit_load(e, R0, R1, 8, 8);
	} else {
		emit_load(e, R1, R1, 0, 8);
		emit_load(e, R0, R1, REGS_ORIG_AX, 8);
	}
	emit_alu_imm(e, BPF_AND, R2, TS_COMPAT);
	native = emit_ahead(e, BPF_JMP | BPF_JEQ | BPF_K, R2, 0, 0);
	emit_mov_imm(e, R0, -1);
	emit_here(e, native);
}

/* r0 = its place in the table. */
static void emit_index(struct emitter *e)
{
	emit_load(e, R1, R10, STACK_CONTEXT, 8);
	if (e->ir->context == CONTEXT_SYSCALL_ENTRY || e->ir->context == CONTEXT_SYSCALL_RETURN)
		emit_call_number(e);
	else
		emit_call(e, BPF_FUNC_get_attach_cookie);
}

void emit_probe(struct emitter *e, const struct d_ins *i)
{
	size_t none, some;

	emit_index(e);
	emit_store(e, R10, STACK_KEY, R0, 4);
	emit_map(e, R1, e->maps->probes);
	emit_mov(e, R2, R10);
	emit_alu_imm(e, BPF_ADD, R2, STACK_KEY);
	emit_call(e, BPF_FUNC_map_lookup_elem);
	none = emit_ahead(e, BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 0);
	emit_load(e, R1, R0, 0, 4);
	some = emit_ahead(e, BPF_JMP | BPF_JNE | BPF_K, R1, 0, 0);
	emit_here(e, none);
	emit_mov_imm(e, R0, 0);
	emit(e, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	emit_here(e, some);
	emit_define(e, i->dst, R0);
}

/* ---- arguments ---- */

/* r0 = an argument of a system call; r1: its registers. */
static void syscall_argument(struct emitter *e, __u32 n)
{
	static const __u8 offset[] = { REGS_DI, REGS_SI, REGS_DX, REGS_R10, REGS_R8, REGS_R9 };

	if (n < sizeof(offset))
		emit_load(e, R0, R1, offset[n], 8);
}

/* r0 = an argument of a function; r1: its registers.  From the seventh on they are on the stack, after the return address. */
static void function_argument(struct emitter *e, __u32 n)
{
	static const __u8 offset[] = { REGS_DI, REGS_SI, REGS_DX, REGS_CX, REGS_R8, REGS_R9 };
	size_t ok;

	if (n < sizeof(offset)) {
		emit_load(e, R0, R1, offset[n], 8);
		return;
	}
	emit_load(e, R3, R1, REGS_SP, 8);
	emit_alu_imm(e, BPF_ADD, R3, 8 + 8 * (n - sizeof(offset)));
	emit_mov(e, R1, R10);
	emit_alu_imm(e, BPF_ADD, R1, STACK_KEY);
	emit_mov_imm(e, R2, 8);
	emit_call(e, BPF_FUNC_probe_read_user);
	emit_mov(e, R1, R0);
	emit_mov_imm(e, R0, 0);
	ok = emit_ahead(e, BPF_JMP | BPF_JNE | BPF_K, R1, 0, 0);
	emit_load(e, R0, R10, STACK_KEY, 8);
	emit_here(e, ok);
}

/* r0 = an argument of a static probe; r1: the registers.  Memory that cannot be read is 0. */
static void static_argument(struct emitter *e, __u32 at)
{
	struct d_operand operand[D_OPERANDS_MAX], *o = &operand[at];
	unsigned n;
	size_t bad;

	d_operands_parse(e->ir->arguments, operand, &n);
	if (at >= n)
		return;
	if (o->kind == OPERAND_CONSTANT) {
		emit_mov_imm(e, R0, o->value);
		return;
	}
	if (o->kind == OPERAND_REGISTER) {
		emit_load(e, R0, R1, o->base, 8);
		emit_alu_imm(e, BPF_RSH, R0, o->shift);
		emit_cut(e, R0, o->size, o->is_signed);
		return;
	}
	emit_mov_imm(e, R3, o->value);
	if (o->base != D_NO_REGISTER) {
		emit_load(e, R2, R1, o->base, 8);
		emit_alu(e, BPF_ADD, R3, R2);
	}
	if (o->index != D_NO_REGISTER) {
		emit_load(e, R2, R1, o->index, 8);
		emit_alu_imm(e, BPF_LSH, R2, o->shift);
		emit_alu(e, BPF_ADD, R3, R2);
	}
	emit_mov(e, R1, R10);
	emit_alu_imm(e, BPF_ADD, R1, STACK_KEY);
	emit_mov_imm(e, R2, o->size);
	emit_call(e, BPF_FUNC_probe_read_user);
	emit_mov(e, R1, R0);
	emit_mov_imm(e, R0, 0);
	bad = emit_ahead(e, BPF_JMP | BPF_JNE | BPF_K, R1, 0, 0);
	emit_load(e, R0, R10, STACK_KEY, o->size);
	emit_cut(e, R0, o->size, o->is_signed);
	emit_here(e, bad);
}

/* arg0: the instruction that a timer interrupted in the kernel, arg1: in the process; the other one is 0. */
static void timer_argument(struct emitter *e, __u32 n)
{
	size_t other;

	if (n > 1)
		return;
	emit_load(e, R1, R1, REGS_IP, 8);
	other = emit_ahead(e, BPF_JMP | (n ? BPF_JSLT : BPF_JSGE) | BPF_K, R1, 0, 0);
	emit_mov(e, R0, R1);
	emit_here(e, other);
}

/* r0 = the address of a thread of the switch, read as a number: the verifier allows no arithmetic with its type. */
static void switch_thread(struct emitter *e, int which)
{
	emit_load(e, R3, R10, STACK_CONTEXT, 8);
	emit_alu_imm(e, BPF_ADD, R3, which);
	emit_mov(e, R1, R10);
	emit_alu_imm(e, BPF_ADD, R1, STACK_KEY);
	emit_mov_imm(e, R2, 8);
	emit_call(e, BPF_FUNC_probe_read_kernel);
	emit_load(e, R0, R10, STACK_KEY, 8);
}

/* r1 = where the thread is noted that runs on this CPU; r6 = 8 times the CPU. */
static void running(struct emitter *e, __u32 switches)
{
	emit_map_value(e, R1, e->maps->state, switches + offsetof(struct d_switches, running));
	emit_alu(e, BPF_ADD, R1, R6);
}

/* The kernel does not show every switch to programs.  If the thread that leaves the CPU is not the one that came, at least one
 * switch is missing: it is counted.  r6 and r7 are free, as no register of the IR is used yet. */
void emit_switch(struct emitter *e)
{
	__u32 switches = e->ir->context == CONTEXT_ON_CPU ? offsetof(struct d_state, on) : offsetof(struct d_state, off);
	size_t first, same, inactive;

	emit_call(e, BPF_FUNC_get_smp_processor_id);
	emit_mov(e, R6, R0);
	emit_alu_imm(e, BPF_AND, R6, D_CPUS_MAX - 1);
	emit_alu_imm(e, BPF_LSH, R6, 3);
	switch_thread(e, SWITCH_PREVIOUS);
	running(e, switches);
	emit_load(e, R7, R1, 0, 8);
	first = emit_ahead(e, BPF_JMP | BPF_JEQ | BPF_K, R7, 0, 0);
	same = emit_ahead(e, BPF_JMP | BPF_JEQ | BPF_X, R7, R0, 0);
	emit_map_value(e, R1, e->maps->state, offsetof(struct d_state, activity));
	emit_load(e, R1, R1, 0, 4);
	inactive = emit_ahead(e, BPF_JMP | BPF_JNE | BPF_K, R1, 0, ACTIVITY_ACTIVE);
	emit_count(e, switches + offsetof(struct d_switches, unseen));
	emit_here(e, inactive);
	emit_here(e, same);
	emit_here(e, first);
	switch_thread(e, SWITCH_NEXT);
	running(e, switches);
	emit_store(e, R1, 0, R0, 8);
}

static void emit_argument(struct emitter *e, __u32 n)
{
	emit_load(e, R1, R10, STACK_CONTEXT, 8);
	emit_mov_imm(e, R0, 0);
	switch ((enum d_context)e->ir->context) {
	case CONTEXT_DTRACE:
		return;
	case CONTEXT_PROFILE: case CONTEXT_TICK:
		timer_argument(e, n);
		return;
	case CONTEXT_SYSCALL_ENTRY:
		emit_load(e, R1, R1, 0, 8);
		syscall_argument(e, n);
		return;
	case CONTEXT_SYSCALL_RETURN:
		if (n < 2)
			emit_load(e, R0, R1, 8, 8);
		return;
	case CONTEXT_FUNCTION_ENTRY:
		function_argument(e, n);
		return;
	case CONTEXT_FUNCTION_RETURN:
		if (n == 1)
			emit_load(e, R0, R1, REGS_AX, 8);
		return;
	case CONTEXT_OFF_CPU: case CONTEXT_ON_CPU:
		if (n < 2)
			switch_thread(e, e->ir->context == CONTEXT_OFF_CPU ? SWITCH_NEXT : SWITCH_PREVIOUS);
		return;
	case CONTEXT_STATIC:
		static_argument(e, n);
		return;
	}
}

/* The error of a system call that returns. */
static void emit_errno(struct emitter *e)
{
	size_t large, positive;

	emit_mov_imm(e, R0, 0);
	if (e->ir->context != CONTEXT_SYSCALL_RETURN)
		return;
	emit_load(e, R1, R10, STACK_CONTEXT, 8);
	emit_load(e, R1, R1, 8, 8);
	positive = emit_ahead(e, BPF_JMP | BPF_JSGE | BPF_K, R1, 0, 0);
	large = emit_ahead(e, BPF_JMP | BPF_JSLT | BPF_K, R1, 0, -4095);
	emit_alu(e, BPF_SUB, R0, R1);
	emit_here(e, positive);
	emit_here(e, large);
}

/* r0 = the thread of the probe: the current one, but for on-cpu, which fires before the switch. */
void emit_task(struct emitter *e)
{
	if (e->ir->context != CONTEXT_ON_CPU) {
		emit_call(e, BPF_FUNC_get_current_task_btf);
		return;
	}
	emit_load(e, R1, R10, STACK_CONTEXT, 8);
	emit_load(e, R0, R1, SWITCH_NEXT, 8);
}

/* The time that the thread was not on a CPU, but for a constant.  While it runs, exec_start - sum_exec_runtime does not
 * change; it grows by the time that it does not run.  clock - clock_task is what the host or interrupts took. */
static void emit_off_cpu(struct emitter *e)
{
	const struct d_offsets *o = &e->maps->offsets;

	emit_task(e);
	emit_load(e, R1, R0, o->cfs_rq, 8);
	emit_load(e, R1, R1, o->rq, 8);
	emit_load(e, R2, R1, o->clock, 8);
	emit_load(e, R3, R1, o->clock_task, 8);
	emit_alu(e, BPF_SUB, R2, R3);
	emit_load(e, R3, R0, o->exec_start, 8);
	emit_alu(e, BPF_ADD, R2, R3);
	emit_load(e, R3, R0, o->sum_exec_runtime, 8);
	emit_alu(e, BPF_SUB, R2, R3);
	emit_mov(e, R0, R2);
}

/* ---- built-in variables ---- */

static void emit_pid(struct emitter *e, bool is_thread)
{
	if (e->ir->context == CONTEXT_ON_CPU) {
		emit_task(e);
		emit_load(e, R0, R0, is_thread ? e->maps->offsets.pid : e->maps->offsets.tgid, 4);
		return;
	}
	emit_call(e, BPF_FUNC_get_current_pid_tgid);
	if (is_thread)
		emit_cut(e, R0, 4, false);
	else
		emit_alu_imm(e, BPF_RSH, R0, 32);
}

void emit_builtin(struct emitter *e, const struct d_ins *i)
{
	switch ((enum d_builtin_id)i->value) {
	case BUILTIN_PID: emit_pid(e, false); break;
	case BUILTIN_TID: emit_pid(e, true); break;
	case BUILTIN_UID:
		emit_call(e, BPF_FUNC_get_current_uid_gid);
		emit_cut(e, R0, 4, false);
		break;
	case BUILTIN_GID:
		emit_call(e, BPF_FUNC_get_current_uid_gid);
		emit_alu_imm(e, BPF_RSH, R0, 32);
		break;
	case BUILTIN_CPU: emit_call(e, BPF_FUNC_get_smp_processor_id); break;
	case BUILTIN_WALLTIMESTAMP:
		emit_map_value(e, R1, e->maps->state, offsetof(struct d_state, wall_offset_ns));
		emit_load(e, R0, R1, 0, 8);
		break;
	case BUILTIN_ARG: emit_argument(e, i->from); break;
	case BUILTIN_ERRNO: emit_errno(e); break;
	case BUILTIN_VTIMESTAMP: emit_off_cpu(e); break;
	case BUILTIN_THREAD_START:
		emit_task(e);
		emit_load(e, R0, R0, e->maps->offsets.start_time, 8);
		break;
	default: emit_call(e, BPF_FUNC_ktime_get_ns);
	}
	emit_define(e, i->dst, R0);
}
