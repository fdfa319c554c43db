/* lower_private.h - divides the lowering over its files: expressions and clauses. */
#ifndef HEATSCOPE_D_LOWER_PRIVATE_H
#define HEATSCOPE_D_LOWER_PRIVATE_H

#include "collector/d/lower.h"

struct d_lowerer {
	struct d_program *program;
	struct d_ir *ir;
	struct d_error *error;
	struct d_clause *clause;
	struct d_firing firing;
	__u32 timestamp;			/* register: time of the clause */
	__u32 divide_label;			/* division by zero goes there */
	__u32 n_slots, n_actions;
	struct d_action **actions_end;

};

/* The register of a value; 0: refused. */
__u32 d_lower_value(struct d_lowerer *l, const struct d_node *n);
/* Goes to a label if the expression is true (or false), else on. */
bool d_lower_branch(struct d_lowerer *l, const struct d_node *n, bool if_true, __u32 label);
bool d_lower_statement(struct d_lowerer *l, const struct d_node *n);
bool d_lower_fail(struct d_lowerer *l, const struct d_node *n, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool d_lower_action(struct d_lowerer *l, const struct d_node *n);

static inline void d_lower_label(struct d_lowerer *l, __u32 label)
{
	d_ir_add(l->ir, (struct d_ins){ .op = IR_LABEL, .label = label });
}

#endif
