#include "collector/d/emit/emit.h"
#include "collector/core/array.h"
#include "collector/d/tree/builtin.h"
#include "collector/d/emit/emit_private.h"
#include "collector/d/check/record.h"

#include <limits.h>

void d_code_fini(struct d_code *c)
{
	free(c->insns);
	*c = (struct d_code){ 0 };
}

/* ---- instructions ---- */

void emit(struct emitter *e, __u8 code, __u8 dst, __u8 src, __s16 off, __s32 imm)
{
	struct d_code *c = &e->code;

	if (!c->err)
		c->err = array_grow(&c->insns, c->n, &c->room, sizeof(*c->insns));
	if (!c->err)
		c->insns[c->n++] = (struct bpf_insn){ .code = code, .dst_reg = dst, .src_reg = src, .off = off, .imm = imm };
}

static void emit_wide(struct emitter *e, __u8 dst, __u8 src, __u32 low, __u32 high)
{
	emit(e, BPF_LD | BPF_DW | BPF_IMM, dst, src, 0, low);
	emit(e, 0, 0, 0, 0, high);
}

void emit_mov(struct emitter *e, __u8 dst, __u8 src)
{
	if (dst != src)
		emit(e, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

void emit_mov_imm(struct emitter *e, __u8 dst, __u64 value)
{
	if ((__s64)value >= INT_MIN && (__s64)value <= INT_MAX)
		emit(e, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value);
	else
		emit_wide(e, dst, 0, value, value >> 32);
}

void emit_alu(struct emitter *e, __u8 op, __u8 dst, __u8 src) { emit(e, BPF_ALU64 | op | BPF_X, dst, src, 0, 0); }
void emit_alu_imm(struct emitter *e, __u8 op, __u8 dst, __s32 imm) { emit(e, BPF_ALU64 | op | BPF_K, dst, 0, 0, imm); }
void emit_call(struct emitter *e, enum bpf_func_id id) { emit(e, BPF_JMP | BPF_CALL, 0, 0, 0, id); }
void emit_map_value(struct emitter *e, __u8 dst, int fd, __u32 at) { emit_wide(e, dst, BPF_PSEUDO_MAP_VALUE, fd, at); }
void emit_map(struct emitter *e, __u8 dst, int fd) { emit_wide(e, dst, BPF_PSEUDO_MAP_FD, fd, 0); }

static __u8 width(__u32 size) { return size == 1 ? BPF_B : size == 2 ? BPF_H : size == 4 ? BPF_W : BPF_DW; }

/* An offset of an instruction has 16 bits; the memory of a clause is smaller. */
static __s16 offset_of(struct emitter *e, __s32 off)
{
	if (off < SHRT_MIN || off > SHRT_MAX)
		e->code.err = -EFBIG;
	return off;
}

void emit_load(struct emitter *e, __u8 dst, __u8 base, __s32 off, __u32 size)
{
	emit(e, BPF_LDX | BPF_MEM | width(size), dst, base, offset_of(e, off), 0);
}

void emit_store(struct emitter *e, __u8 base, __s32 off, __u8 src, __u32 size)
{
	emit(e, BPF_STX | BPF_MEM | width(size), base, src, offset_of(e, off), 0);
}

void emit_zero(struct emitter *e, __u8 base, __s32 off, __u32 len)
{
	for (__u32 at = 0; at < len; at += 8)
		emit(e, BPF_ST | BPF_MEM | BPF_DW, base, 0, offset_of(e, off + at), 0);
}

void emit_count(struct emitter *e, __u32 at)
{
	emit_map_value(e, R1, e->maps->state, at);
	emit_mov_imm(e, R2, 1);
	emit(e, BPF_STX | BPF_ATOMIC | BPF_DW, R1, R2, 0, BPF_ADD);
}

/* A jump whose offset is known at the end. */
void emit_jump(struct emitter *e, __u8 code, __u8 dst, __u8 src, __s32 imm, __u32 label)
{
	if (!e->code.err)
		e->code.err = array_grow(&e->jumps, e->n_jumps, &e->jumps_room, sizeof(*e->jumps));
	if (!e->code.err)
		e->jumps[e->n_jumps++] = (struct emitter_jump){ e->code.n, label };
	emit(e, code, dst, src, 0, imm);
}

/* ---- registers ---- */

__u8 emit_use(struct emitter *e, __u32 r, __u8 scratch)
{
	if (e->place[r].bpf)
		return e->place[r].bpf;
	emit_load(e, scratch, R10, e->place[r].offset, 8);
	return scratch;
}

void emit_into(struct emitter *e, __u32 r, __u8 into) { emit_mov(e, into, emit_use(e, r, into)); }

/* The BPF register in which a result is made; emit_define() puts it into its place. */
static __u8 target(const struct emitter *e, __u32 r) { return e->place[r].bpf ? e->place[r].bpf : R0; }

void emit_define(struct emitter *e, __u32 r, __u8 from)
{
	if (e->place[r].bpf)
		emit_mov(e, e->place[r].bpf, from);
	else
		emit_store(e, R10, e->place[r].offset, from, 8);
}

/* ---- operations ---- */

void emit_cut(struct emitter *e, __u8 r, __u32 size, bool is_signed)
{
	if (size >= 8)
		return;
	if (size == 4 && !is_signed) {
		emit(e, BPF_ALU | BPF_MOV | BPF_X, r, r, 0, 0);
		return;
	}
	emit_alu_imm(e, BPF_LSH, r, 64 - 8 * size);
	emit_alu_imm(e, is_signed ? BPF_ARSH : BPF_RSH, r, 64 - 8 * size);
}

static __u8 operation(const struct d_ins *i)
{
	static const __u8 code[] = {
		[IR_ADD] = BPF_ADD, [IR_SUB] = BPF_SUB, [IR_MUL] = BPF_MUL, [IR_DIV] = BPF_DIV, [IR_MOD] = BPF_MOD, [IR_AND] = BPF_AND,
		[IR_OR] = BPF_OR, [IR_XOR] = BPF_XOR, [IR_SHL] = BPF_LSH, [IR_SHR] = BPF_RSH,
	};

	return i->op == IR_SHR && i->is_signed ? BPF_ARSH : code[i->op];
}

static void emit_operation(struct emitter *e, const struct d_ins *i)
{
	__u8 to = target(e, i->dst), b = R1;
	__s16 off = (i->op == IR_DIV || i->op == IR_MOD) && i->is_signed;	/* 1: signed division */

	if (i->b)
		b = emit_use(e, i->b, R1);
	if (i->b && (i->op == IR_SHL || i->op == IR_SHR)) {
		emit_mov(e, R1, b);
		emit_alu_imm(e, BPF_AND, R1, 63);
		b = R1;
	}
	if (i->b && to == b)
		to = R0;
	emit_mov(e, to, emit_use(e, i->a, to));
	if (i->b)
		emit(e, BPF_ALU64 | operation(i) | BPF_X, to, b, off, 0);
	else
		emit(e, BPF_ALU64 | operation(i) | BPF_K, to, 0, off, i->value);
	emit_define(e, i->dst, to);
}

static void emit_simple(struct emitter *e, const struct d_ins *i)
{
	__u8 to = target(e, i->dst);

	if (i->op == IR_CONST)
		emit_mov_imm(e, to, i->value);
	else
		emit_mov(e, to, emit_use(e, i->a, to));
	if (i->op == IR_NEG)
		emit_alu_imm(e, BPF_NEG, to, 0);
	if (i->op == IR_CUT)
		emit_cut(e, to, i->size, i->is_signed);
	emit_define(e, i->dst, to);
}

static void emit_jump_if(struct emitter *e, const struct d_ins *i)
{
	static const __u8 code[2][6] = {
		{ BPF_JEQ, BPF_JNE, BPF_JLT, BPF_JLE, BPF_JGT, BPF_JGE },
		{ BPF_JEQ, BPF_JNE, BPF_JSLT, BPF_JSLE, BPF_JSGT, BPF_JSGE },
	};
	__u8 op = code[i->is_signed][i->relation], a = emit_use(e, i->a, R0);

	if (i->b)
		emit_jump(e, BPF_JMP | op | BPF_X, a, emit_use(e, i->b, R1), 0, i->label);
	else
		emit_jump(e, BPF_JMP | op | BPF_K, a, 0, i->value, i->label);
}

/* ---- records ---- */

static void emit_reserve(struct emitter *e, const struct d_ins *i)
{
	emit_map(e, R1, e->maps->ring);
	emit_mov_imm(e, R2, i->value);
	emit_mov_imm(e, R3, 0);
	emit_call(e, BPF_FUNC_ringbuf_reserve);
	emit(e, BPF_JMP | BPF_JNE | BPF_K, R0, 0, 5, 0);
	emit_count(e, offsetof(struct d_state, drops));
	emit_jump(e, BPF_JMP | BPF_JA, 0, 0, 0, i->label);
	emit_mov(e, RECORD, R0);
}

static void emit_put(struct emitter *e, const struct d_ins *i)
{
	__u32 size = i->size ? i->size : 8, at = i->value;
	__u8 base = RECORD;

	if (i->scope != MEMORY_RECORD) {
		emit_scratch(e, R1, i->scope, i->value);
		base = R1;
		at = 0;
	}
	if (i->a)
		emit_store(e, base, at, emit_use(e, i->a, R0), size);
	else
		emit(e, BPF_ST | BPF_MEM | width(size), base, 0, offset_of(e, at), i->from);
}

static void emit_ran(struct emitter *e, const struct d_ins *i)
{
	emit_load(e, R0, RECORD, offsetof(struct d_record, ran), 8);
	emit_mov_imm(e, R1, 1ull << i->value);
	emit(e, BPF_ALU64 | BPF_OR | BPF_X, R0, R1, 0, 0);
	emit_store(e, RECORD, offsetof(struct d_record, ran), R0, 8);
}

static void emit_end(struct emitter *e, enum bpf_func_id how)
{
	emit_mov(e, R1, RECORD);
	emit_mov_imm(e, R2, 0);
	emit_call(e, how);
}

static void emit_exit(struct emitter *e, const struct d_ins *i)
{
	emit_map_value(e, R1, e->maps->state, 0);
	emit_store(e, R1, offsetof(struct d_state, exit_status), emit_use(e, i->a, R0), 4);
	emit(e, BPF_ST | BPF_MEM | BPF_W, R1, 0, offsetof(struct d_state, activity), ACTIVITY_DRAINING);
}

static void emit_active(struct emitter *e, const struct d_ins *i)
{
	emit_map_value(e, R1, e->maps->state, offsetof(struct d_state, activity));
	emit_load(e, R0, R1, 0, 4);
	emit_jump(e, BPF_JMP | BPF_JNE | BPF_K, R0, 0, i->value, i->label);
}

static void emit_ins(struct emitter *e, const struct d_ins *i)
{
	switch ((enum d_ir_op)i->op) {
	case IR_CONST: case IR_MOVE: case IR_NEG: case IR_CUT: emit_simple(e, i); break;
	case IR_LABEL: e->label[i->label] = e->code.n; break;
	case IR_JUMP: emit_jump(e, BPF_JMP | BPF_JA, 0, 0, 0, i->label); break;
	case IR_JUMP_IF: emit_jump_if(e, i); break;
	case IR_LOAD: emit_memory_load(e, i); break;
	case IR_STORE: emit_memory_store(e, i); break;
	case IR_ADDRESS: emit_address(e, i); break;
	case IR_READ: emit_read(e, i); break;
	case IR_READ_USER: emit_read_user(e, i); break;
	case IR_STACK: emit_stack(e, i); break;
	case IR_COPY: emit_copy_bytes(e, i); break;
	case IR_COPY_TEXT: case IR_COMPARE_TEXT: case IR_JOIN: case IR_SLICE: case IR_DIGITS: case IR_EXECNAME: case IR_READ_TEXT:
		emit_text(e, i);
		break;
	case IR_LOOKUP: case IR_UPDATE: case IR_DELETE: case IR_ELEMENT: case IR_ADD_AT: case IR_MOST_AT: case IR_CELL:
		emit_table(e, i);
		break;
	case IR_BUILTIN: emit_builtin(e, i); break;
	case IR_PROBE: emit_probe(e, i); break;
	case IR_CLAIM:
		if (e->ir->context == CONTEXT_OFF_CPU || e->ir->context == CONTEXT_ON_CPU)
			emit_switch(e);
		emit_scratch_claim(e);
		break;
	case IR_ACTIVE: emit_active(e, i); break;
	case IR_RESERVE: emit_reserve(e, i); break;
	case IR_PUT: emit_put(e, i); break;
	case IR_RAN: emit_ran(e, i); break;
	case IR_SUBMIT: emit_end(e, BPF_FUNC_ringbuf_submit); break;
	case IR_DISCARD: emit_end(e, BPF_FUNC_ringbuf_discard); break;
	case IR_EXIT: emit_exit(e, i); break;
	case IR_RETURN:
		emit_scratch_release(e);
		emit_mov_imm(e, R0, 0);
		emit(e, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
		break;
	default: emit_operation(e, i);
	}
}

/* Jumps of which the label follows at once are left as they are: offset 0 goes on. */
static void resolve_jumps(struct emitter *e)
{
	for (size_t i = 0; !e->code.err && i < e->n_jumps; i++) {
		size_t off = e->label[e->jumps[i].label] - e->jumps[i].at - 1;

		if (off > SHRT_MAX)
			e->code.err = -EFBIG;
		else
			e->code.insns[e->jumps[i].at].off = off;
	}
}

int d_emit(const struct d_ir *ir, const struct d_maps *maps, struct d_code *ret_code)
{
	struct emitter e = { .ir = ir, .maps = maps };
	int err = d_registers_assign(ir, STACK_USED, &e.place);

	if (err)
		return err;
	e.label = calloc(ir->n_labels + 1, sizeof(*e.label));
	if (!e.label)
		e.code.err = -ENOMEM;
	emit_store(&e, R10, STACK_CONTEXT, R1, 8);
	for (size_t i = 0; !e.code.err && i < ir->n; i++)
		emit_ins(&e, &ir->ins[i]);
	resolve_jumps(&e);
	err = e.code.err;
	free(e.place);
	free(e.label);
	free(e.jumps);
	if (err)
		d_code_fini(&e.code);
	else
		*ret_code = e.code;
	return err;
}
