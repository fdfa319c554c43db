/* ir.h - is a program between tree and BPF: three-address instructions on any number of registers.
 *
 *      tree --d_lower()--> ir --d_ir_prune()--> ir --d_registers_assign(), d_emit()--> BPF
 *
 * Shape   register 0 is no register.  A `b` of 0 in an operation means `value`, which fits in 32 bits with sign.
 *         Jumps go forward only, so a register's life is an interval of instructions.  A register holds 64 bits, or an
 *         address in memory of the program.
 * Texts   end with NUL and are zero to the end of their room, so the words of equal texts are equal.
 * Errors  d_ir_add() remembers -ENOMEM, or -E2BIG beyond D_IR_MAX instructions, in `err`.
 * Memory  d_ir_fini() frees the instructions.
 */
#ifndef HEATSCOPE_EMIT_IR_H
#define HEATSCOPE_EMIT_IR_H

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
					/* IR_LOAD with an a: dst = `size` bytes at a + value */
	IR_BUILTIN,			/* dst = built-in: value is its enum d_builtin_id, `from` of BUILTIN_ARG its number; */
					/* of the wall clock only its offset, of vtimestamp the time not on a CPU */
	IR_ADDRESS,			/* dst = address of memory: scope, value.  self->, if the thread has none yet: that of */
					/* an empty text; with a label it is made, and to label if it cannot be */
	IR_COPY_TEXT,			/* memory at b, with room for `size` bytes = text at a, of at most `from` bytes with NUL if */
					/* that is not 0; dst: its length */
	IR_COMPARE_TEXT,		/* dst = -1, 0 or 1: texts at a and b, both with room for `size` bytes or more */
	IR_JOIN,			/* scratch[value] = texts at a and b; takes twice the room of a text */
	IR_SLICE,			/* scratch[value] = b bytes from byte a of the text in scratch[from] */
	IR_DIGITS,			/* scratch[value] = a as a decimal number */
	IR_EXECNAME,			/* memory at a = name of the program, D_EXECNAME_SIZE bytes */
	IR_READ,			/* dst = `size` bytes of the kernel's memory at a; to label if there is none */
	IR_READ_TEXT,			/* text at b = `size` bytes, with NUL, of that at a of the process; to label if none */
	IR_READ_USER,			/* memory at b = `size` bytes at a of the process; to label if there are none */
	IR_STACK,			/* memory at b, `size` bytes = the stack; value: of the process, whose number is first */
	IR_COPY,			/* memory at b, `size` bytes = that at a */
	IR_LOOKUP,			/* dst = address of the element of table `value` with the key scratch[from]; 0: none */
	IR_UPDATE,			/* element of table `value` with the key scratch[from] = what is at a; counts a drop */
	IR_DELETE,			/* removes it */
	IR_ELEMENT,			/* dst = address of that element of aggregation `size`, which is made and counted; to label */
					/* if it cannot be */
	IR_ADD_AT,			/* the word at b + value += a */
	IR_MOST_AT,			/* the word at b + value = the larger one of it and a */
	IR_CELL,			/* dst = last of the `from` words at texts[value] that is at most a; the first is 0 */
	IR_PROBE,			/* dst = address of the struct d_entry of the probe that fired; none: the program ends */
	IR_CLAIM,			/* takes memory for this-> and scratch; none: counts it, and the program ends */
	IR_ACTIVE,			/* to label if exit() was called; value: the activity in which the program runs */
	IR_RESERVE,			/* begins a record of `value` bytes; to label if there is no space, and counts it */
	IR_PUT,				/* record or scratch[value] = a; a 0: the constant in `from`.  8 bytes, or `size` */
	IR_RAN,				/* record's bit `value` = 1 */
	IR_SUBMIT, IR_DISCARD,		/* ends the record */
	IR_EXIT,			/* exit(a) */
	IR_RETURN,
};

/* Memory of a program; the first three are the scopes of variables. */
enum d_memory { MEMORY_GLOBAL, MEMORY_SELF, MEMORY_THIS, MEMORY_SCRATCH, MEMORY_TEXT, MEMORY_RECORD };

enum d_relation { REL_EQ, REL_NE, REL_LT, REL_LE, REL_GT, REL_GE };

struct d_ins {
	__u8 op;			/* enum d_ir_op */
	__u8 relation;
	__u8 scope;			/* enum d_memory */
	bool is_signed;
	__u32 size;
	__u32 dst, a, b;
	__u32 label;
	__u32 from;
	__u64 value;
};

struct d_ir {
	struct d_ins *ins;
	size_t n, room;
	__u32 n_registers, n_labels;	/* the highest; they begin at 1 */
	__u8 context;			/* enum d_context */
	const char *arguments;		/* of static probes (operand.h); NULL */
	__u32 this_len, scratch_len;	/* bytes of this-> and of scratch; both 0: the program takes no memory of them */
	int err;
};

void d_ir_fini(struct d_ir *ir);
void d_ir_add(struct d_ir *ir, struct d_ins ins);
void d_ir_prune(struct d_ir *ir);		/* drops what no path reaches, which the verifier refuses */
void d_ir_print(const struct d_ir *ir, FILE *out);
static inline __u32 d_ir_register(struct d_ir *ir) { return ++ir->n_registers; }
static inline __u32 d_ir_label(struct d_ir *ir) { return ++ir->n_labels; }

#endif
