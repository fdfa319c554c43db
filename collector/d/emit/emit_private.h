/* emit_private.h - divides the emitter over its files: control and records, memory and texts, tables.
 *
 *      r6 r7 r8   values             r9   the record          r0-r5   scratch
 *      stack      r10-8 the memory of this-> and scratch, r10-16 the context, r10-24 a key of a map, r10-32 a map; then values
 */
#ifndef HEATSCOPE_EMIT_EMIT_PRIVATE_H
#define HEATSCOPE_EMIT_EMIT_PRIVATE_H

#include "collector/d/emit/emit.h"
#include "collector/d/emit/registers.h"

#include <stddef.h>

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10 };
enum { RECORD = R9 };
enum { STACK_SCRATCH = -8, STACK_CONTEXT = -16, STACK_KEY = -24, STACK_MAP = -32, STACK_USED = 32 };

struct emitter_jump {
	size_t at;
	__u32 label;
};

struct emitter {
	const struct d_ir *ir;
	const struct d_maps *maps;
	struct d_register_place *place;
	struct d_code code;
	size_t *label;			/* where each one is */
	struct emitter_jump *jumps;
	size_t n_jumps, jumps_room;
};

/* ---- instructions ---- */

void emit(struct emitter *e, __u8 code, __u8 dst, __u8 src, __s16 off, __s32 imm);
void emit_mov(struct emitter *e, __u8 dst, __u8 src);
void emit_mov_imm(struct emitter *e, __u8 dst, __u64 value);
void emit_alu(struct emitter *e, __u8 op, __u8 dst, __u8 src);
void emit_alu_imm(struct emitter *e, __u8 op, __u8 dst, __s32 imm);
void emit_call(struct emitter *e, enum bpf_func_id id);
void emit_map_value(struct emitter *e, __u8 dst, int fd, __u32 at);
void emit_map(struct emitter *e, __u8 dst, int fd);
void emit_load(struct emitter *e, __u8 dst, __u8 base, __s32 off, __u32 size);
void emit_store(struct emitter *e, __u8 base, __s32 off, __u8 src, __u32 size);
void emit_zero(struct emitter *e, __u8 base, __s32 off, __u32 len);	/* len: a multiple of 8 */
void emit_cut(struct emitter *e, __u8 r, __u32 size, bool is_signed);
void emit_count(struct emitter *e, __u32 at);			/* state[at]++, atomically; r1 and r2 change */
void emit_jump(struct emitter *e, __u8 code, __u8 dst, __u8 src, __s32 imm, __u32 label);

/* A jump within one instruction of the IR: the place that emit_here() gets. */
static inline size_t emit_ahead(struct emitter *e, __u8 code, __u8 dst, __u8 src, __s32 imm)
{
	emit(e, code, dst, src, 0, imm);
	return e->code.n - 1;
}

static inline void emit_here(struct emitter *e, size_t at)
{
	if (!e->code.err)
		e->code.insns[at].off = e->code.n - at - 1;
}

/* ---- registers ---- */

__u8 emit_use(struct emitter *e, __u32 r, __u8 scratch);	/* the BPF register that has the value; from the stack: scratch */
void emit_into(struct emitter *e, __u32 r, __u8 into);		/* the value in this BPF register */
void emit_define(struct emitter *e, __u32 r, __u8 from);
/* dst = address in scratch (MEMORY_THIS, MEMORY_SCRATCH). */
void emit_scratch(struct emitter *e, __u8 dst, enum d_memory memory, __u32 at);

/* emit_builtin.c */
void emit_builtin(struct emitter *e, const struct d_ins *i);
void emit_probe(struct emitter *e, const struct d_ins *i);
void emit_switch(struct emitter *e);		/* at the begin of a program of off-cpu or on-cpu */
void emit_task(struct emitter *e);		/* r0 = struct task_struct of the thread of the probe; r1 changes */

/* emit_memory.c */
void emit_scratch_claim(struct emitter *e);
void emit_scratch_release(struct emitter *e);
void emit_memory_load(struct emitter *e, const struct d_ins *i);
void emit_memory_store(struct emitter *e, const struct d_ins *i);
void emit_address(struct emitter *e, const struct d_ins *i);
void emit_read_user(struct emitter *e, const struct d_ins *i);
void emit_read(struct emitter *e, const struct d_ins *i);
void emit_stack(struct emitter *e, const struct d_ins *i);
void emit_copy_bytes(struct emitter *e, const struct d_ins *i);

/* emit_text.c */
void emit_text(struct emitter *e, const struct d_ins *i);

/* emit_table.c */
void emit_table(struct emitter *e, const struct d_ins *i);

#endif
