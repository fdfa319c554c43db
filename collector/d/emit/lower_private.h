/* lower_private.h - divides the lowering over its files: expressions and clauses. */
#ifndef HEATSCOPE_EMIT_LOWER_PRIVATE_H
#define HEATSCOPE_EMIT_LOWER_PRIVATE_H

#include "collector/d/emit/lower.h"

/* Where a fault was: the arguments of ERROR. */
struct d_fault_place {
	enum d_fault fault;
	const struct d_clause *clause;
	__u32 address;				/* register */
};

struct d_lowerer {
	struct d_program *program;
	struct d_ir *ir;
	struct d_error *error;
	struct d_clause *clause;
	const struct d_group *group;
	const struct d_probe *probe;		/* NULL: one of several, of which these registers know: */
	__u32 probe_id, mask;			/* mask 0: each has all clauses */
	__u32 timestamp;			/* register: time of the clause */
	__u32 divide_label;			/* division by zero goes there */
	__u32 address_label;			/* memory that cannot be read, with its address in this register: */
	__u32 address;
	__u32 record_len, n_actions;
	const struct d_group *errors;
	const struct d_fault_place *fault;	/* in a clause of ERROR: why it runs */
	__u32 scratch_len;			/* bytes of scratch that the clause has taken so far */
	__u32 kept_len;				/* of them, those up to here stay taken after the statement */
	struct d_action **actions_end;		/* of the clause */
};

/* Memory of a variable that is assigned: in the memory of its scope, or an element of its table. */
struct d_place {
	const struct d_variable *variable;
	const struct d_type *type;		/* of the variable or the element */
	__u32 key;				/* in scratch; of an associative array */
};

/* The register of a value; 0: refused. */
__u32 d_lower_value(struct d_lowerer *l, const struct d_node *n);
/* Goes to a label if the expression is true (or false), else on. */
bool d_lower_branch(struct d_lowerer *l, const struct d_node *n, bool if_true, __u32 label);
bool d_lower_statement(struct d_lowerer *l, const struct d_node *n);
bool d_lower_fail(struct d_lowerer *l, const struct d_node *n, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool d_lower_action(struct d_lowerer *l, const struct d_node *n);

#define D_COPYIN_MAX 1024		/* bytes of a copyin() */

/* Takes bytes of scratch until the statement ends, or the clause. */
__u32 d_lower_scratch(struct d_lowerer *l, __u32 len);
__u32 d_lower_kept_scratch(struct d_lowerer *l, __u32 len);
__u32 d_lower_address(struct d_lowerer *l, enum d_memory memory, __u32 offset);
__u32 d_lower_cut(struct d_lowerer *l, __u32 a, const struct d_type *type);
bool d_lower_fits(__u64 value);			/* in a constant of an instruction */

/* lower_text.c: the register of a text's address; the text is zero to the end of its d_text_room(). */
__u32 d_lower_text(struct d_lowerer *l, const struct d_node *n);
__u32 d_lower_text_compare(struct d_lowerer *l, const struct d_node *n);
__u32 d_lower_strlen(struct d_lowerer *l, const struct d_node *n);

/* A string, or an array of char. */
static inline bool d_is_text(const struct d_node *n)
{
	const struct d_type *t = d_type_resolve(n->type);

	return t->kind == TYPE_STRING || (t->kind == TYPE_ARRAY && d_type_is_integer(t->base) && d_type_resolve(t->base)->size == 1);
}

__u32 d_lower_constant(struct d_lowerer *l, __u64 value);
__u32 d_lower_probe_id(struct d_lowerer *l);

/* lower_pointer.c: *p, p[i], p->member: a value, or the address of an array; d_lower_pointed_text() copies a text. */
__u32 d_lower_pointed(struct d_lowerer *l, const struct d_node *n);
__u32 d_lower_pointed_text(struct d_lowerer *l, const struct d_node *n, __u32 to);
__u32 d_lower_address_of(struct d_lowerer *l, const struct d_node *n);		/* &n->a */
bool d_lower_is_element(const struct d_node *n);				/* p[i], not of an associative array */
__u32 d_lower_copyin(struct d_lowerer *l, const struct d_node *n);
/* The factor of an integer that is added to this pointer, or to an address in an array. */
__u64 d_lower_element_size(const struct d_type *type);
__u32 d_lower_scaled(struct d_lowerer *l, const struct d_node *n, __u64 size);

/* lower_place.c */
bool d_lower_key(struct d_lowerer *l, const struct d_table *t, const struct d_node *list, __u32 *ret_scratch);
bool d_lower_place(struct d_lowerer *l, const struct d_node *n, struct d_place *ret_place);
__u32 d_place_load(struct d_lowerer *l, const struct d_place *p);
__u32 d_place_load_text(struct d_lowerer *l, const struct d_place *p);
/* a 0: the constant 0, which frees. */
void d_place_store(struct d_lowerer *l, const struct d_place *p, __u32 a);
void d_place_store_text(struct d_lowerer *l, const struct d_place *p, __u32 a);

/* Puts a stack at this address.  false: n is not one that the probe has. */
bool d_lower_stack(struct d_lowerer *l, const struct d_node *n, enum d_memory memory, __u32 at, __u32 room);

/* An aggregation that is a metric: its keys and the value become an action of the clause's record. */
bool d_lower_metric(struct d_lowerer *l, const struct d_node *n);

/* lower_aggregation.c: @a[key] = function(...) */
bool d_lower_aggregation(struct d_lowerer *l, const struct d_node *n);

static inline void d_lower_label(struct d_lowerer *l, __u32 label)
{
	d_ir_add(l->ir, (struct d_ins){ .op = IR_LABEL, .label = label });
}

#endif
