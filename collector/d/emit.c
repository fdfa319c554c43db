#include "collector/d/emit.h"
#include "collector/core/array.h"
#include "collector/d/builtin.h"
#include "collector/d/record.h"
#include "collector/d/registers.h"
#include "collector/d/tree.h"

#include <limits.h>

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10 };
enum { RECORD = R9 };

struct jump {
	size_t at;
	__u32 label;
};

struct emitter {
	const struct d_maps *maps;
	struct d_register_place *place;
	struct d_code code;
	size_t *label;			/* where each one is */
	struct jump *jumps;
	size_t n_jumps, jumps_room;
	unsigned this_len;		/* a multiple of 8 */
};

void d_code_fini(struct d_code *c)
{
	free(c->insns);
	*c = (struct d_code){ 0 };
}

/* ---- instructions ---- */

static void emit(struct emitter *e, __u8 code, __u8 dst, __u8 src, __s16 off, __s32 imm)
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

static void mov(struct emitter *e, __u8 dst, __u8 src)
{
	if (dst != src)
		emit(e, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void mov_imm(struct emitter *e, __u8 dst, __u64 value)
{
	if ((__s64)value >= INT_MIN && (__s64)value <= INT_MAX)
		emit(e, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value);
	else
		emit_wide(e, dst, 0, value, value >> 32);
}

static void alu_imm(struct emitter *e, __u8 op, __u8 dst, __s32 imm) { emit(e, BPF_ALU64 | op | BPF_K, dst, 0, 0, imm); }
static void call(struct emitter *e, enum bpf_func_id id) { emit(e, BPF_JMP | BPF_CALL, 0, 0, 0, id); }
static void map_value(struct emitter *e, __u8 dst, int fd, __u32 at) { emit_wide(e, dst, BPF_PSEUDO_MAP_VALUE, fd, at); }
static void map_fd(struct emitter *e, __u8 dst, int fd) { emit_wide(e, dst, BPF_PSEUDO_MAP_FD, fd, 0); }

static __u8 width(__u32 size) { return size == 1 ? BPF_B : size == 2 ? BPF_H : size == 4 ? BPF_W : BPF_DW; }

static void load(struct emitter *e, __u8 dst, __u8 base, __s16 off, __u32 size)
{
	emit(e, BPF_LDX | BPF_MEM | width(size), dst, base, off, 0);
}

static void store(struct emitter *e, __u8 base, __s16 off, __u8 src, __u32 size)
{
	emit(e, BPF_STX | BPF_MEM | width(size), base, src, off, 0);
}

/* A jump whose offset is known at the end. */
static void jump(struct emitter *e, __u8 code, __u8 dst, __u8 src, __s32 imm, __u32 label)
{
	if (!e->code.err)
		e->code.err = array_grow(&e->jumps, e->n_jumps, &e->jumps_room, sizeof(*e->jumps));
	if (!e->code.err)
		e->jumps[e->n_jumps++] = (struct jump){ e->code.n, label };
	emit(e, code, dst, src, 0, imm);
}

/* ---- registers ---- */

/* The BPF register that has the value; from the stack it is loaded into `scratch`. */
static __u8 use(struct emitter *e, __u32 r, __u8 scratch)
{
	if (e->place[r].bpf)
		return e->place[r].bpf;
	load(e, scratch, R10, e->place[r].offset, 8);
	return scratch;
}

/* The BPF register in which a result is made; define() puts it into its place. */
static __u8 target(const struct emitter *e, __u32 r) { return e->place[r].bpf ? e->place[r].bpf : R0; }

static void define(struct emitter *e, __u32 r, __u8 from)
{
	if (e->place[r].bpf)
		mov(e, e->place[r].bpf, from);
	else
		store(e, R10, e->place[r].offset, from, 8);
}

/* ---- operations ---- */

static void cut(struct emitter *e, __u8 r, __u32 size, bool is_signed)
{
	if (size >= 8)
		return;
	if (size == 4 && !is_signed) {
		emit(e, BPF_ALU | BPF_MOV | BPF_X, r, r, 0, 0);
		return;
	}
	alu_imm(e, BPF_LSH, r, 64 - 8 * size);
	alu_imm(e, is_signed ? BPF_ARSH : BPF_RSH, r, 64 - 8 * size);
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
		b = use(e, i->b, R1);
	if (i->b && (i->op == IR_SHL || i->op == IR_SHR)) {
		mov(e, R1, b);
		alu_imm(e, BPF_AND, R1, 63);
		b = R1;
	}
	if (i->b && to == b)
		to = R0;
	mov(e, to, use(e, i->a, to));
	if (i->b)
		emit(e, BPF_ALU64 | operation(i) | BPF_X, to, b, off, 0);
	else
		emit(e, BPF_ALU64 | operation(i) | BPF_K, to, 0, off, i->value);
	define(e, i->dst, to);
}

static void emit_simple(struct emitter *e, const struct d_ins *i)
{
	__u8 to = target(e, i->dst);

	if (i->op == IR_CONST)
		mov_imm(e, to, i->value);
	else
		mov(e, to, use(e, i->a, to));
	if (i->op == IR_NEG)
		alu_imm(e, BPF_NEG, to, 0);
	if (i->op == IR_CUT)
		cut(e, to, i->size, i->is_signed);
	define(e, i->dst, to);
}

static void emit_jump_if(struct emitter *e, const struct d_ins *i)
{
	static const __u8 code[2][6] = {
		{ BPF_JEQ, BPF_JNE, BPF_JLT, BPF_JLE, BPF_JGT, BPF_JGE },
		{ BPF_JEQ, BPF_JNE, BPF_JSLT, BPF_JSLE, BPF_JSGT, BPF_JSGE },
	};
	__u8 op = code[i->is_signed][i->relation], a = use(e, i->a, R0);

	if (i->b)
		jump(e, BPF_JMP | op | BPF_X, a, use(e, i->b, R1), 0, i->label);
	else
		jump(e, BPF_JMP | op | BPF_K, a, 0, i->value, i->label);
}

/* ---- variables ---- */

/* r0 = the memory of this thread's self->, or NULL. */
static void self_memory(struct emitter *e, bool create)
{
	call(e, BPF_FUNC_get_current_task_btf);
	mov(e, R2, R0);
	map_fd(e, R1, e->maps->self);
	mov_imm(e, R3, 0);
	mov_imm(e, R4, create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	call(e, BPF_FUNC_task_storage_get);
}

/* state[at]++, atomically: 4 instructions. */
static void count(struct emitter *e, __u32 at)
{
	map_value(e, R1, e->maps->state, at);
	mov_imm(e, R2, 1);
	emit(e, BPF_STX | BPF_ATOMIC | BPF_DW, R1, R2, 0, BPF_ADD);
}

static void emit_load(struct emitter *e, const struct d_ins *i)
{
	if (i->scope == SCOPE_GLOBAL) {
		map_value(e, R1, e->maps->globals, i->value);
		load(e, R0, R1, 0, i->size);
	} else if (i->scope == SCOPE_THIS) {
		load(e, R0, R10, (__s16)i->value - (__s16)e->this_len, i->size);
	} else {
		self_memory(e, false);
		emit(e, BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 1, 0);		/* no memory: 0, as it is never assigned */
		load(e, R0, R0, i->value, i->size);
	}
	if (i->is_signed)
		cut(e, R0, i->size, true);
	define(e, i->dst, R0);
}

static void emit_store(struct emitter *e, const struct d_ins *i)
{
	if (i->scope == SCOPE_GLOBAL) {
		map_value(e, R1, e->maps->globals, i->value);
		store(e, R1, 0, use(e, i->a, R0), i->size);
	} else if (i->scope == SCOPE_THIS) {
		store(e, R10, (__s16)i->value - (__s16)e->this_len, use(e, i->a, R0), i->size);
	} else {
		self_memory(e, true);
		emit(e, BPF_JMP | BPF_JNE | BPF_K, R0, 0, 5, 0);
		count(e, offsetof(struct d_state, self_drops));
		emit(e, BPF_JMP | BPF_JA, 0, 0, e->place[i->a].bpf ? 1 : 2, 0);
		store(e, R0, i->value, use(e, i->a, R1), i->size);
	}
}

static void emit_builtin(struct emitter *e, const struct d_ins *i)
{
	switch ((enum d_builtin_id)i->value) {
	case BUILTIN_PID:
		call(e, BPF_FUNC_get_current_pid_tgid);
		alu_imm(e, BPF_RSH, R0, 32);
		break;
	case BUILTIN_TID:
		call(e, BPF_FUNC_get_current_pid_tgid);
		cut(e, R0, 4, false);
		break;
	case BUILTIN_UID:
		call(e, BPF_FUNC_get_current_uid_gid);
		cut(e, R0, 4, false);
		break;
	case BUILTIN_GID:
		call(e, BPF_FUNC_get_current_uid_gid);
		alu_imm(e, BPF_RSH, R0, 32);
		break;
	case BUILTIN_CPU:
		call(e, BPF_FUNC_get_smp_processor_id);
		break;
	case BUILTIN_WALLTIMESTAMP:
		map_value(e, R1, e->maps->state, offsetof(struct d_state, wall_offset_ns));
		load(e, R0, R1, 0, 8);
		break;
	default:
		call(e, BPF_FUNC_ktime_get_ns);
	}
	define(e, i->dst, R0);
}

/* ---- records ---- */

static void emit_reserve(struct emitter *e, const struct d_ins *i)
{
	map_fd(e, R1, e->maps->ring);
	mov_imm(e, R2, i->value);
	mov_imm(e, R3, 0);
	call(e, BPF_FUNC_ringbuf_reserve);
	emit(e, BPF_JMP | BPF_JNE | BPF_K, R0, 0, 5, 0);
	count(e, offsetof(struct d_state, drops));
	jump(e, BPF_JMP | BPF_JA, 0, 0, 0, i->label);
	mov(e, RECORD, R0);
}

static void emit_put(struct emitter *e, const struct d_ins *i)
{
	__u32 size = i->size ? i->size : 8;

	if (i->a)
		store(e, RECORD, i->value, use(e, i->a, R0), size);
	else
		emit(e, BPF_ST | BPF_MEM | width(size), RECORD, 0, i->value, i->label);
}

static void emit_ran(struct emitter *e, const struct d_ins *i)
{
	load(e, R0, RECORD, offsetof(struct d_record, ran), 8);
	mov_imm(e, R1, 1ull << i->value);
	emit(e, BPF_ALU64 | BPF_OR | BPF_X, R0, R1, 0, 0);
	store(e, RECORD, offsetof(struct d_record, ran), R0, 8);
}

static void emit_end(struct emitter *e, enum bpf_func_id how)
{
	mov(e, R1, RECORD);
	mov_imm(e, R2, 0);
	call(e, how);
}

static void emit_exit(struct emitter *e, const struct d_ins *i)
{
	map_value(e, R1, e->maps->state, 0);
	store(e, R1, offsetof(struct d_state, exit_status), use(e, i->a, R0), 4);
	emit(e, BPF_ST | BPF_MEM | BPF_W, R1, 0, offsetof(struct d_state, activity), ACTIVITY_DRAINING);
}

static void emit_active(struct emitter *e, const struct d_ins *i)
{
	map_value(e, R1, e->maps->state, offsetof(struct d_state, activity));
	load(e, R0, R1, 0, 4);
	jump(e, BPF_JMP | BPF_JNE | BPF_K, R0, 0, i->value, i->label);
}

static void emit_ins(struct emitter *e, const struct d_ins *i)
{
	switch ((enum d_ir_op)i->op) {
	case IR_CONST: case IR_MOVE: case IR_NEG: case IR_CUT: emit_simple(e, i); break;
	case IR_LABEL: e->label[i->label] = e->code.n; break;
	case IR_JUMP: jump(e, BPF_JMP | BPF_JA, 0, 0, 0, i->label); break;
	case IR_JUMP_IF: emit_jump_if(e, i); break;
	case IR_LOAD: emit_load(e, i); break;
	case IR_STORE: emit_store(e, i); break;
	case IR_BUILTIN: emit_builtin(e, i); break;
	case IR_ACTIVE: emit_active(e, i); break;
	case IR_RESERVE: emit_reserve(e, i); break;
	case IR_PUT: emit_put(e, i); break;
	case IR_RAN: emit_ran(e, i); break;
	case IR_SUBMIT: emit_end(e, BPF_FUNC_ringbuf_submit); break;
	case IR_DISCARD: emit_end(e, BPF_FUNC_ringbuf_discard); break;
	case IR_EXIT: emit_exit(e, i); break;
	case IR_RETURN:
		mov_imm(e, R0, 0);
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
			e->code.err = -E2BIG;
		else
			e->code.insns[e->jumps[i].at].off = off;
	}
}

int d_emit(const struct d_ir *ir, const struct d_maps *maps, unsigned this_len, struct d_code *ret_code)
{
	struct emitter e = { .maps = maps, .this_len = (this_len + 7) / 8 * 8 };
	int err = d_registers_assign(ir, e.this_len, &e.place);

	if (err)
		return err;
	e.label = calloc(ir->n_labels + 1, sizeof(*e.label));
	if (!e.label)
		e.code.err = -ENOMEM;
	for (unsigned at = 8; at <= e.this_len; at += 8)
		emit(&e, BPF_ST | BPF_MEM | BPF_DW, R10, 0, -(__s16)at, 0);
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
