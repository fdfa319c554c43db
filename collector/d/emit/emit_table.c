#include "collector/d/emit/emit_private.h"
#include "collector/d/check/record.h"

/* r1 = the table, r2 = the key. */
static void key(struct emitter *e, const struct d_ins *i)
{
	emit_map(e, R1, e->maps->table[i->value]);
	emit_scratch(e, R2, MEMORY_SCRATCH, i->from);
}

static void emit_lookup(struct emitter *e, const struct d_ins *i)
{
	key(e, i);
	emit_call(e, BPF_FUNC_map_lookup_elem);
	emit_define(e, i->dst, R0);
}

static void emit_update(struct emitter *e, const struct d_ins *i)
{
	size_t ok;

	emit_into(e, i->a, R3);
	key(e, i);
	emit_mov_imm(e, R4, BPF_ANY);
	emit_call(e, BPF_FUNC_map_update_elem);
	ok = emit_ahead(e, BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 0);
	emit_count(e, offsetof(struct d_state, self_drops));
	emit_here(e, ok);
}

static void emit_delete(struct emitter *e, const struct d_ins *i)
{
	key(e, i);
	emit_call(e, BPF_FUNC_map_delete_elem);
}

/* r0 = the element of this CPU in the map that is swapped in now, or NULL. */
static void find_element(struct emitter *e, const struct d_ins *i)
{
	emit_load(e, R1, R10, STACK_MAP, 8);
	emit_scratch(e, R2, MEMORY_SCRATCH, i->from);
	emit_call(e, BPF_FUNC_map_lookup_elem);
}

/* Another CPU may add the element at the same time: then that of this CPU is found, too. */
static void emit_element(struct emitter *e, const struct d_ins *i)
{
	size_t none, found, made;

	emit(e, BPF_ST | BPF_MEM | BPF_DW, R10, 0, STACK_KEY, 0);
	emit_map(e, R1, e->maps->table[i->value]);
	emit_mov(e, R2, R10);
	emit_alu_imm(e, BPF_ADD, R2, STACK_KEY);
	emit_call(e, BPF_FUNC_map_lookup_elem);
	none = emit_ahead(e, BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 0);
	emit_store(e, R10, STACK_MAP, R0, 8);
	find_element(e, i);
	found = emit_ahead(e, BPF_JMP | BPF_JNE | BPF_K, R0, 0, 0);
	emit_load(e, R1, R10, STACK_MAP, 8);
	emit_scratch(e, R2, MEMORY_SCRATCH, i->from);
	emit_map_value(e, R3, e->maps->texts, 0);
	emit_mov_imm(e, R4, BPF_NOEXIST);
	emit_call(e, BPF_FUNC_map_update_elem);
	emit_count(e, offsetof(struct d_state, elements) + 8 * i->size);
	find_element(e, i);
	made = emit_ahead(e, BPF_JMP | BPF_JNE | BPF_K, R0, 0, 0);
	emit_here(e, none);
	emit_count(e, offsetof(struct d_state, aggregation_drops));
	emit_jump(e, BPF_JMP | BPF_JA, 0, 0, 0, i->label);
	emit_here(e, found);
	emit_here(e, made);
	emit_define(e, i->dst, R0);
}

static void emit_add_at(struct emitter *e, const struct d_ins *i)
{
	__u8 at = emit_use(e, i->b, R1), a = emit_use(e, i->a, R2);

	emit(e, BPF_STX | BPF_ATOMIC | BPF_DW, at, a, i->value, BPF_ADD);
}

/* A program that interrupts this one may change the word between reading and writing: then again, with its value. */
static void emit_most_at(struct emitter *e, const struct d_ins *i)
{
	enum { TRIES = 8 };
	__u8 at = emit_use(e, i->b, R1);
	size_t done[2 * TRIES];

	emit_into(e, i->a, R2);
	emit_load(e, R0, at, i->value, 8);
	for (unsigned n = 0; n < TRIES; n++) {
		done[2 * n] = emit_ahead(e, BPF_JMP | BPF_JGE | BPF_X, R0, R2, 0);
		emit_mov(e, R3, R0);
		emit_mov(e, R4, R2);
		emit(e, BPF_STX | BPF_ATOMIC | BPF_DW, at, R4, i->value, BPF_CMPXCHG);
		done[2 * n + 1] = emit_ahead(e, BPF_JMP | BPF_JEQ | BPF_X, R0, R3, 0);
	}
	emit_count(e, offsetof(struct d_state, aggregation_drops));
	for (unsigned n = 0; n < 2 * TRIES; n++)
		emit_here(e, done[n]);
}

/* A binary search without branches, as the verifier would follow each way to the end of the program.  Values are below
 * 2^63, so the top bit of a difference is its sign. */
static void emit_cell(struct emitter *e, const struct d_ins *i)
{
	emit_into(e, i->a, R2);
	emit_mov_imm(e, R1, 0);
	for (__u32 step = i->from / 2; step; step /= 2) {
		emit_map_value(e, R3, e->maps->texts, i->value);
		emit_mov(e, R4, R1);
		emit_alu_imm(e, BPF_LSH, R4, 3);
		emit_alu(e, BPF_ADD, R3, R4);
		emit_load(e, R4, R3, step * 8, 8);
		emit_alu(e, BPF_SUB, R4, R2);
		emit_alu_imm(e, BPF_SUB, R4, 1);
		emit_alu_imm(e, BPF_RSH, R4, 63);
		emit_alu_imm(e, BPF_MUL, R4, step);
		emit_alu(e, BPF_ADD, R1, R4);
	}
	emit_define(e, i->dst, R1);
}

void emit_table(struct emitter *e, const struct d_ins *i)
{
	switch ((enum d_ir_op)i->op) {
	case IR_LOOKUP: emit_lookup(e, i); return;
	case IR_UPDATE: emit_update(e, i); return;
	case IR_ELEMENT: emit_element(e, i); return;
	case IR_ADD_AT: emit_add_at(e, i); return;
	case IR_MOST_AT: emit_most_at(e, i); return;
	case IR_CELL: emit_cell(e, i); return;
	default: emit_delete(e, i);
	}
}
