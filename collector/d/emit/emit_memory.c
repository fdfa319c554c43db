#include "collector/d/emit/emit_private.h"
#include "collector/d/tree/probe.h"
#include "collector/d/check/record.h"

enum { TAKEN = 8 };		/* bytes of the word that says that an area is taken */

void emit_scratch(struct emitter *e, __u8 dst, enum d_memory memory, __u32 at)
{
	emit_load(e, dst, R10, STACK_SCRATCH, 8);
	emit_alu_imm(e, BPF_ADD, dst, TAKEN + at + (memory == MEMORY_SCRATCH ? e->ir->this_len : 0));
}

/* r6 is free: IR_CLAIM is first, or follows the load of the probe's entry, which has r6 and ends there.
 * Takes one of the areas of this CPU.  A program that interrupts this one, or runs while this one is preempted, finds
 * its word set and takes the next, so they may end in any order. */
void emit_scratch_claim(struct emitter *e)
{
	size_t none[D_NESTING], got[D_NESTING], end;

	if (!e->ir->this_len && !e->ir->scratch_len)
		return;
	emit_call(e, BPF_FUNC_get_smp_processor_id);
	emit_mov(e, R6, R0);
	emit_alu_imm(e, BPF_MUL, R6, D_NESTING);
	for (unsigned n = 0; n < D_NESTING; n++) {
		emit_mov(e, R1, R6);
		emit_alu_imm(e, BPF_ADD, R1, n);
		emit_store(e, R10, STACK_KEY, R1, 4);
		emit_map(e, R1, e->maps->scratch);
		emit_mov(e, R2, R10);
		emit_alu_imm(e, BPF_ADD, R2, STACK_KEY);
		emit_call(e, BPF_FUNC_map_lookup_elem);
		none[n] = emit_ahead(e, BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 0);
		emit_mov_imm(e, R1, 1);
		emit(e, BPF_STX | BPF_ATOMIC | BPF_DW, R0, R1, 0, BPF_XCHG);
		got[n] = emit_ahead(e, BPF_JMP | BPF_JEQ | BPF_K, R1, 0, 0);
	}
	for (unsigned n = 0; n < D_NESTING; n++)
		emit_here(e, none[n]);
	emit_count(e, offsetof(struct d_state, nesting_drops));
	emit_mov_imm(e, R0, 0);
	emit(e, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	end = D_NESTING;
	while (end--)
		emit_here(e, got[end]);
	emit_store(e, R10, STACK_SCRATCH, R0, 8);
	emit_zero(e, R0, TAKEN, e->ir->this_len);
}

void emit_scratch_release(struct emitter *e)
{
	if (!e->ir->this_len && !e->ir->scratch_len)
		return;
	emit_load(e, R1, R10, STACK_SCRATCH, 8);
	emit_zero(e, R1, 0, TAKEN);
}

/* ---- variables ---- */

/* r0 = the memory of this thread's self->, or NULL. */
static void self_memory(struct emitter *e, bool create)
{
	emit_task(e);
	emit_mov(e, R2, R0);
	emit_map(e, R1, e->maps->self);
	emit_mov_imm(e, R3, 0);
	emit_mov_imm(e, R4, create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	emit_call(e, BPF_FUNC_task_storage_get);
}

void emit_memory_load(struct emitter *e, const struct d_ins *i)
{
	size_t none;

	if (i->a) {
		emit_load(e, R0, emit_use(e, i->a, R1), i->value, i->size);
	} else if (i->scope == MEMORY_GLOBAL) {
		emit_map_value(e, R1, e->maps->globals, i->value);
		emit_load(e, R0, R1, 0, i->size);
	} else if (i->scope == MEMORY_SELF) {
		self_memory(e, false);
		none = emit_ahead(e, BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 0);	/* no memory: 0, as it is never assigned */
		emit_load(e, R0, R0, i->value, i->size);
		emit_here(e, none);
	} else {
		emit_scratch(e, R1, i->scope, i->value);
		emit_load(e, R0, R1, 0, i->size);
	}
	if (i->is_signed)
		emit_cut(e, R0, i->size, true);
	emit_define(e, i->dst, R0);
}

void emit_memory_store(struct emitter *e, const struct d_ins *i)
{
	size_t some, end;

	switch ((enum d_memory)i->scope) {
	case MEMORY_GLOBAL:
		emit_map_value(e, R1, e->maps->globals, i->value);
		emit_store(e, R1, 0, emit_use(e, i->a, R0), i->size);
		return;
	case MEMORY_SELF:
		self_memory(e, true);
		some = emit_ahead(e, BPF_JMP | BPF_JNE | BPF_K, R0, 0, 0);
		emit_count(e, offsetof(struct d_state, self_drops));
		end = emit_ahead(e, BPF_JMP | BPF_JA, 0, 0, 0);
		emit_here(e, some);
		emit_store(e, R0, i->value, emit_use(e, i->a, R1), i->size);
		emit_here(e, end);
		return;
	default:
		emit_scratch(e, R1, i->scope, i->value);
		emit_store(e, R1, 0, emit_use(e, i->a, R0), i->size);
	}
}

static void self_address(struct emitter *e, const struct d_ins *i)
{
	size_t some, end;

	self_memory(e, i->label);
	some = emit_ahead(e, BPF_JMP | BPF_JNE | BPF_K, R0, 0, 0);
	if (i->label) {
		emit_count(e, offsetof(struct d_state, self_drops));
		emit_jump(e, BPF_JMP | BPF_JA, 0, 0, 0, i->label);
		emit_here(e, some);
		emit_alu_imm(e, BPF_ADD, R0, i->value);
		return;
	}
	emit_map_value(e, R0, e->maps->texts, 0);
	end = emit_ahead(e, BPF_JMP | BPF_JA, 0, 0, 0);
	emit_here(e, some);
	emit_alu_imm(e, BPF_ADD, R0, i->value);
	emit_here(e, end);
}

void emit_address(struct emitter *e, const struct d_ins *i)
{
	switch ((enum d_memory)i->scope) {
	case MEMORY_GLOBAL: emit_map_value(e, R0, e->maps->globals, i->value); break;
	case MEMORY_TEXT: emit_map_value(e, R0, e->maps->texts, i->value); break;
	case MEMORY_SELF: self_address(e, i); break;
	case MEMORY_RECORD:
		emit_mov(e, R0, RECORD);
		emit_alu_imm(e, BPF_ADD, R0, i->value);
		break;
	default: emit_scratch(e, R0, i->scope, i->value);
	}
	emit_define(e, i->dst, R0);
}

/* ---- other memory ---- */

void emit_read(struct emitter *e, const struct d_ins *i)
{
	emit_into(e, i->a, R3);
	emit_mov(e, R1, R10);
	emit_alu_imm(e, BPF_ADD, R1, STACK_KEY);
	emit_mov_imm(e, R2, i->size);
	emit_call(e, BPF_FUNC_probe_read_kernel);
	emit_jump(e, BPF_JMP | BPF_JNE | BPF_K, R0, 0, 0, i->label);
	emit_load(e, R0, R10, STACK_KEY, i->size);
	if (i->is_signed)
		emit_cut(e, R0, i->size, true);
	emit_define(e, i->dst, R0);
}

void emit_read_user(struct emitter *e, const struct d_ins *i)
{
	emit_into(e, i->a, R3);
	emit_into(e, i->b, R1);
	emit_mov_imm(e, R2, i->size);
	emit_call(e, BPF_FUNC_probe_read_user);
	emit_jump(e, BPF_JMP | BPF_JNE | BPF_K, R0, 0, 0, i->label);
}

/* Of the next thread there is only the kernel's stack. */
void emit_stack(struct emitter *e, const struct d_ins *i)
{
	bool is_user = i->value;
	__u32 from = is_user ? 8 : 0;

	if (is_user) {
		emit_call(e, BPF_FUNC_get_current_pid_tgid);
		emit_alu_imm(e, BPF_RSH, R0, 32);
	}
	emit_into(e, i->b, R2);
	emit_zero(e, R2, 0, i->size);
	if (is_user)
		emit_store(e, R2, 0, R0, 8);
	if (e->ir->context == CONTEXT_ON_CPU)
		emit_task(e);
	else
		emit_load(e, R0, R10, STACK_CONTEXT, 8);
	emit_mov(e, R1, R0);
	emit_alu_imm(e, BPF_ADD, R2, from);
	emit_mov_imm(e, R3, i->size - from);
	emit_mov_imm(e, R4, is_user ? BPF_F_USER_STACK : 0);
	emit_call(e, e->ir->context == CONTEXT_ON_CPU ? BPF_FUNC_get_task_stack : BPF_FUNC_get_stack);
}

void emit_copy_bytes(struct emitter *e, const struct d_ins *i)
{
	emit_into(e, i->a, R3);
	emit_into(e, i->b, R1);
	emit_mov_imm(e, R2, i->size);
	emit_call(e, BPF_FUNC_probe_read_kernel);
}
