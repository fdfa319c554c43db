/* ir.h - is a program between tree and BPF: three-address instructions on any number of registers.
 *
 *      tree --d_lower()--> ir --d_ir_prune()--> ir --d_registers_assign(), d_emit()--> BPF
 *
 * Shape   register 0 is no register.  A `b` of 0 in an operation means `value`, which fits in 32 bits with sign.
 *         Jumps go forward only, so a register's life is an interval of instructions.  Registers hold 64 bits.
 * Errors  d_ir_add() remembers -ENOMEM, or -E2BIG beyond D_IR_MAX instructions, in `err`.
 * Memory  d_ir_fini() frees the instructions.
 */
#ifndef HEATSCOPE_D_IR_H
#define HEATSCOPE_D_IR_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>

#define D_IR_MAX 20000

enum d_ir_op {
	IR_CONST,			/* dst = value */
	IR_MOVE,			/* dst = a */
	IR_ADD, IR_SUB, IR_MUL, IR_DIV, IR_MOD, IR_AND, IR_OR, IR_XOR, IR_SHL, IR_SHR,	/* dst = a op b */
	IR_NEG,				/* dst = -a */
	IR_CUT,				/* dst = a as an integer of `size` bytes */
	IR_LABEL,			/* label: */
	IR_JUMP,			/* to label */
	IR_JUMP_IF,			/* to label if a relation b */
	IR_LOAD, IR_STORE,		/* dst = variable; variable = a: scope, value is its offset, size */
	IR_BUILTIN,			/* dst = built-in: value is its enum d_builtin_id; of the wall clock only its offset */
	IR_ACTIVE,			/* to label if exit() was called; value: the activity in which the program runs */
	IR_RESERVE,			/* begins a record of `value` bytes; to label if there is no space, and counts it */
	IR_PUT,				/* record[value] = a; a 0: the constant in `label`.  8 bytes, or `size` */
	IR_RAN,				/* record's bit `value` = 1 */
	IR_SUBMIT, IR_DISCARD,		/* ends the record */
	IR_EXIT,			/* exit(a) */
	IR_RETURN,
};

enum d_relation { REL_EQ, REL_NE, REL_LT, REL_LE, REL_GT, REL_GE };

struct d_ins {
	__u8 op;			/* enum d_ir_op */
	__u8 size;
	__u8 relation;
	__u8 scope;
	bool is_signed;
	__u32 dst, a, b;
	__u32 label;
	__u64 value;
};

struct d_ir {
	struct d_ins *ins;
	size_t n, room;
	__u32 n_registers, n_labels;	/* the highest; they begin at 1 */
	int err;
};

void d_ir_fini(struct d_ir *ir);
void d_ir_add(struct d_ir *ir, struct d_ins ins);
void d_ir_prune(struct d_ir *ir);		/* drops what no path reaches, which the verifier refuses */
void d_ir_print(const struct d_ir *ir, FILE *out);
static inline __u32 d_ir_register(struct d_ir *ir) { return ++ir->n_registers; }
static inline __u32 d_ir_label(struct d_ir *ir) { return ++ir->n_labels; }

#endif
