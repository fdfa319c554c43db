#include "collector/d/emit/emit_private.h"
#include "collector/d/tree/probe.h"
#include "collector/d/tree/type.h"

/* r0 = length of the text with its NUL, after copying it from r3 to r1.  An unreadable one is empty. */
static void copy(struct emitter *e, __u32 room)
{
	size_t ok;

	emit_mov_imm(e, R2, room);
	emit_call(e, BPF_FUNC_probe_read_kernel_str);
	ok = emit_ahead(e, BPF_JMP | BPF_JSGT | BPF_K, R0, 0, 0);
	emit_mov_imm(e, R0, 1);
	emit_here(e, ok);
}

/* x = x: zeroing it first would lose it. */
static void emit_copy(struct emitter *e, const struct d_ins *i)
{
	__u8 to = emit_use(e, i->b, R1);
	size_t same;

	emit_into(e, i->a, R3);
	emit_mov(e, R1, to);
	emit_mov_imm(e, R0, 0);
	same = emit_ahead(e, BPF_JMP | BPF_JEQ | BPF_X, R1, R3, 0);
	emit_zero(e, R1, 0, i->size);
	copy(e, i->from ? i->from : i->size);
	emit_alu_imm(e, BPF_SUB, R0, 1);
	emit_here(e, same);
	if (i->dst)
		emit_define(e, i->dst, R0);
}

/* The first words that differ decide, with the first byte as the highest. */
static void emit_compare(struct emitter *e, const struct d_ins *i)
{
	__u8 a = emit_use(e, i->a, R1), b = emit_use(e, i->b, R2);
	size_t differ[D_STRING_SIZE / 8], n = 0, end, less;

	for (__u32 at = 0; at < i->size && n < sizeof(differ) / sizeof(*differ); at += 8) {
		emit_load(e, R3, a, at, 8);
		emit_load(e, R4, b, at, 8);
		differ[n++] = emit_ahead(e, BPF_JMP | BPF_JNE | BPF_X, R3, R4, 0);
	}
	emit_mov_imm(e, R0, 0);
	end = emit_ahead(e, BPF_JMP | BPF_JA, 0, 0, 0);
	while (n)
		emit_here(e, differ[--n]);
	emit(e, BPF_ALU | BPF_END | BPF_TO_BE, R3, 0, 0, 64);
	emit(e, BPF_ALU | BPF_END | BPF_TO_BE, R4, 0, 0, 64);
	emit_mov_imm(e, R0, -1);
	less = emit_ahead(e, BPF_JMP | BPF_JLT | BPF_X, R3, R4, 0);
	emit_mov_imm(e, R0, 1);
	emit_here(e, less);
	emit_here(e, end);
	emit_define(e, i->dst, R0);
}

/* The second text begins within the first half, so it ends within the second; a result that is too long is cut. */
static void emit_join(struct emitter *e, const struct d_ins *i)
{
	emit_scratch(e, R1, MEMORY_SCRATCH, i->value);
	emit_zero(e, R1, 0, 2 * D_STRING_SIZE);
	emit_into(e, i->a, R3);
	copy(e, D_STRING_SIZE);
	emit_alu_imm(e, BPF_SUB, R0, 1);
	emit_alu_imm(e, BPF_AND, R0, D_STRING_SIZE - 1);
	emit_scratch(e, R1, MEMORY_SCRATCH, i->value);
	emit_alu(e, BPF_ADD, R1, R0);
	emit_into(e, i->b, R3);
	copy(e, D_STRING_SIZE);
	emit_scratch(e, R1, MEMORY_SCRATCH, i->value);
	emit(e, BPF_ST | BPF_MEM | BPF_B, R1, 0, D_STRING_SIZE - 1, 0);
}

/* The source is followed by as much room again; begin and length are at most a text's. */
static void emit_slice(struct emitter *e, const struct d_ins *i)
{
	size_t small;

	emit_scratch(e, R1, MEMORY_SCRATCH, i->value);
	emit_zero(e, R1, 0, D_STRING_SIZE);
	emit_into(e, i->a, R4);
	emit_alu_imm(e, BPF_AND, R4, D_STRING_SIZE - 1);
	emit_scratch(e, R3, MEMORY_SCRATCH, i->from);
	emit_alu(e, BPF_ADD, R3, R4);
	emit_into(e, i->b, R2);
	emit_alu_imm(e, BPF_ADD, R2, 1);
	small = emit_ahead(e, BPF_JMP | BPF_JLE | BPF_K, R2, 0, D_STRING_SIZE);
	emit_mov_imm(e, R2, D_STRING_SIZE);
	emit_here(e, small);
	emit_call(e, BPF_FUNC_probe_read_kernel_str);
}

/* Digits from the last to the first, at the end of the room; then the text is copied to its beginning.  Without branches,
 * as the verifier would follow each of 20 ways to the end of the program: r4 is where the number begins. */
static void emit_digits(struct emitter *e, const struct d_ins *i)
{
	enum { DIGITS = 20, END = 24 };

	emit_scratch(e, R1, MEMORY_SCRATCH, i->value);
	emit_zero(e, R1, 0, D_STRING_SIZE + END + 8);
	emit_into(e, i->a, R2);
	emit_mov(e, R5, R2);
	emit_alu_imm(e, BPF_ARSH, R5, 63);
	emit_alu(e, BPF_XOR, R2, R5);
	emit_alu(e, BPF_SUB, R2, R5);
	emit_mov_imm(e, R4, END - 1);
	for (unsigned n = 0; n < DIGITS; n++) {
		emit_mov(e, R3, R2);
		emit_alu_imm(e, BPF_MOD, R3, 10);
		emit_alu_imm(e, BPF_ADD, R3, '0');
		emit_store(e, R1, D_STRING_SIZE + END - 1 - n, R3, 1);
		emit_alu_imm(e, BPF_DIV, R2, 10);
		emit_mov(e, R3, R2);
		emit_alu_imm(e, BPF_NEG, R3, 0);
		emit_alu_imm(e, BPF_RSH, R3, 63);	/* 1: more digits come */
		emit_alu(e, BPF_SUB, R4, R3);
	}
	emit_mov(e, R3, R1);
	emit_alu(e, BPF_ADD, R3, R4);
	emit(e, BPF_ST | BPF_MEM | BPF_B, R3, 0, D_STRING_SIZE - 1, '-');
	emit_alu_imm(e, BPF_RSH, R5, 63);
	emit_alu(e, BPF_SUB, R3, R5);
	emit_alu_imm(e, BPF_ADD, R3, D_STRING_SIZE);
	copy(e, END + 8);
}

static void emit_execname(struct emitter *e, const struct d_ins *i)
{
	if (e->ir->context == CONTEXT_ON_CPU) {
		emit_task(e);
		emit_mov(e, R3, R0);
		emit_alu_imm(e, BPF_ADD, R3, e->maps->offsets.comm);
		emit_into(e, i->a, R1);
		emit_zero(e, R1, 0, D_EXECNAME_SIZE);
		copy(e, D_EXECNAME_SIZE);
		return;
	}
	emit_into(e, i->a, R1);
	emit_mov_imm(e, R2, D_EXECNAME_SIZE);
	emit_call(e, BPF_FUNC_get_current_comm);
}

static void emit_read_text(struct emitter *e, const struct d_ins *i)
{
	__u8 to = emit_use(e, i->b, R1);

	emit_into(e, i->a, R3);
	emit_mov(e, R1, to);
	emit_zero(e, R1, 0, D_STRING_SIZE);
	emit_mov_imm(e, R2, i->size);
	emit_call(e, BPF_FUNC_probe_read_user_str);
	emit_jump(e, BPF_JMP | BPF_JSLT | BPF_K, R0, 0, 0, i->label);
}

void emit_text(struct emitter *e, const struct d_ins *i)
{
	switch ((enum d_ir_op)i->op) {
	case IR_COPY_TEXT: emit_copy(e, i); return;
	case IR_COMPARE_TEXT: emit_compare(e, i); return;
	case IR_JOIN: emit_join(e, i); return;
	case IR_SLICE: emit_slice(e, i); return;
	case IR_DIGITS: emit_digits(e, i); return;
	case IR_EXECNAME: emit_execname(e, i); return;
	default: emit_read_text(e, i);
	}
}
