#include "collector/d/tree/fold.h"
#include "collector/d/tree/function.h"
#include "collector/d/emit/lower_private.h"
#include "collector/d/provider/operand.h"

#include <limits.h>

bool d_lower_fits(__u64 value) { return (__s64)value >= INT_MIN && (__s64)value <= INT_MAX; }

__u32 d_lower_constant(struct d_lowerer *l, __u64 value)
{
	__u32 r = d_ir_register(l->ir);

	d_ir_add(l->ir, (struct d_ins){ .op = IR_CONST, .dst = r, .value = value });
	return r;
}

__u32 d_lower_cut(struct d_lowerer *l, __u32 a, const struct d_type *type)
{
	const struct d_type *t = d_type_resolve(type);
	__u32 r;

	if (!a || t->size >= 8 || !t->size)
		return a;
	r = d_ir_register(l->ir);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_CUT, .dst = r, .a = a, .size = t->size, .is_signed = t->is_signed });
	return r;
}

/* ---- variables ---- */

__u32 d_lower_probe_id(struct d_lowerer *l) { return l->probe ? d_lower_constant(l, l->probe->id) : l->probe_id; }

/* Whether the argument can be read; those that the probe does not have are 0. */
static bool has_argument(const struct d_lowerer *l, __u32 number)
{
	struct d_operand operands[D_OPERANDS_MAX];
	unsigned n;

	return !l->ir->arguments || !d_operands_parse(l->ir->arguments, operands, &n) || number < n;
}

/* Of ERROR: arg1 is the clause's epid, arg4 the fault, arg5 the address; the others are 0. */
static __u32 fault_argument(struct d_lowerer *l, __u32 number)
{
	switch (number) {
	case 1: return d_lower_constant(l, l->fault->clause->id + 1);
	case 4: return d_lower_constant(l, l->fault->fault);
	case 5: return l->fault->address;
	default: return d_lower_constant(l, 0);
	}
}

static __u32 builtin(struct d_lowerer *l, const struct d_node *node)
{
	const struct d_builtin *b = node->variable->builtin;
	__u32 r;

	if (b->id == BUILTIN_ARG && l->fault)
		return fault_argument(l, b->index);
	if (l->ir->context == CONTEXT_ON_CPU && (b->id == BUILTIN_UID || b->id == BUILTIN_GID))
		return d_lower_fail(l, node, "%s is not available in on-cpu", b->name);
	if (b->id == BUILTIN_ARG && !has_argument(l, b->index))
		return d_lower_fail(l, node, "%s of %s is where it cannot be read: %s", b->name, l->group->probes[0]->field[FIELD_NAME],
				    l->ir->arguments);

	if (b->id == BUILTIN_TIMESTAMP)
		return l->timestamp;
	if (b->id == BUILTIN_ID || b->id == BUILTIN_EPID)
		return b->id == BUILTIN_ID ? d_lower_probe_id(l) : d_lower_constant(l, l->clause->id + 1);
	r = d_ir_register(l->ir);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_BUILTIN, .dst = r, .value = b->id, .from = b->index });
	if (b->id == BUILTIN_WALLTIMESTAMP)		/* so far only the difference of the clocks */
		d_ir_add(l->ir, (struct d_ins){ .op = IR_ADD, .dst = r, .a = r, .b = l->timestamp });
	if (b->id == BUILTIN_VTIMESTAMP)
		d_ir_add(l->ir, (struct d_ins){ .op = IR_SUB, .dst = r, .a = l->timestamp, .b = r });
	return r;
}

/* A variable, or an element of an associative array. */
static __u32 lower_variable(struct d_lowerer *l, const struct d_node *n)
{
	struct d_place place;

	if (n->kind == NODE_NAME && n->variable->builtin)
		return n->variable->builtin->id == BUILTIN_LATER ? d_lower_fail(l, n, "%s is not available yet", n->text)
								 : builtin(l, n);
	return d_lower_place(l, n, &place) ? d_place_load(l, &place) : 0;
}

/* ---- operations ---- */

static enum d_ir_op operation(int op)
{
	switch (op) {
	case '+': return IR_ADD;
	case '-': return IR_SUB;
	case '*': return IR_MUL;
	case '/': return IR_DIV;
	case '%': return IR_MOD;
	case '&': return IR_AND;
	case '|': return IR_OR;
	case '^': return IR_XOR;
	case TOKEN_SHL: return IR_SHL;
	}
	return IR_SHR;
}

/* dst = a op b, where `b` is a register, or 0 for `value`. */
static __u32 operate(struct d_lowerer *l, int op, bool is_signed, __u32 a, __u32 b, __u64 value)
{
	struct d_ins ins = { .op = operation(op), .a = a, .b = b, .value = value };

	if (ins.op == IR_SHL || ins.op == IR_SHR)
		ins.value &= 63;
	if ((ins.op == IR_DIV || ins.op == IR_MOD) && b)
		d_ir_add(l->ir, (struct d_ins){ .op = IR_JUMP_IF, .relation = REL_EQ, .a = b, .label = l->divide_label });
	ins.is_signed = is_signed && (ins.op == IR_DIV || ins.op == IR_MOD || ins.op == IR_SHR);
	ins.dst = d_ir_register(l->ir);
	d_ir_add(l->ir, ins);
	return ins.dst;
}

/* The right operand: a register, or 0 and a small constant. */
static bool right(struct d_lowerer *l, const struct d_node *n, __u32 *ret_b, __u64 *ret_value)
{
	*ret_b = 0;
	*ret_value = n->value;
	if (n->kind == NODE_INT && d_lower_fits(n->value))
		return true;
	*ret_b = d_lower_value(l, n);
	return *ret_b;
}

/* Sums and differences of pointers count elements. */
static __u32 lower_sum(struct d_lowerer *l, const struct d_node *n)
{
	__u64 size_a = d_lower_element_size(n->a->type), size_b = d_lower_element_size(n->b->type);
	bool is_difference = !d_type_is_integer(n->a->type) && !d_type_is_integer(n->b->type);
	__u32 a = d_lower_scaled(l, n->a, is_difference ? 1 : size_b), b = a ? d_lower_scaled(l, n->b, is_difference ? 1 : size_a) : 0;

	if (!b)
		return 0;
	a = operate(l, n->op, false, a, b, 0);
	return is_difference && size_a > 1 ? operate(l, '/', true, a, 0, size_a) : a;
}

static __u32 lower_binary(struct d_lowerer *l, const struct d_node *n)
{
	__u32 a, b;
	__u64 value;

	if ((n->op == '+' || n->op == '-') && !(d_type_is_integer(n->a->type) && d_type_is_integer(n->b->type)))
		return lower_sum(l, n);
	a = d_lower_value(l, n->a);
	if (!a || !right(l, n->b, &b, &value))
		return 0;
	return operate(l, n->op, n->is_signed, a, b, value);
}

/* 0 or 1, of an expression that branches. */
static __u32 lower_truth(struct d_lowerer *l, const struct d_node *n)
{
	__u32 r = d_ir_register(l->ir), is_false = d_ir_label(l->ir), end = d_ir_label(l->ir);

	if (!d_lower_branch(l, n, false, is_false))
		return 0;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_CONST, .dst = r, .value = 1 });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_JUMP, .label = end });
	d_lower_label(l, is_false);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_CONST, .dst = r });
	d_lower_label(l, end);
	return r;
}

static __u32 lower_condition(struct d_lowerer *l, const struct d_node *n)
{
	__u32 r = d_ir_register(l->ir), otherwise = d_ir_label(l->ir), end = d_ir_label(l->ir), value;

	if (!d_lower_branch(l, n->a, false, otherwise) || !(value = d_lower_value(l, n->b)))
		return 0;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_MOVE, .dst = r, .a = value });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_JUMP, .label = end });
	d_lower_label(l, otherwise);
	if (!(value = d_lower_value(l, n->c)))
		return 0;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_MOVE, .dst = r, .a = value });
	d_lower_label(l, end);
	return r;
}

/* The value of an assignment is that of the variable after it. */
static __u32 lower_assignment(struct d_lowerer *l, const struct d_node *n)
{
	int op = d_fold_assignment(n->op);
	struct d_place place;
	__u32 old, b;
	__u64 value;

	if (!d_lower_place(l, n->a, &place))
		return 0;
	if (!op) {
		b = d_lower_cut(l, d_lower_value(l, n->b), place.type);
	} else {
		old = d_place_load(l, &place);
		if (!d_type_is_integer(place.type)) {
			b = d_lower_scaled(l, n->b, d_lower_element_size(place.type));
			value = 0;
		} else {
			right(l, n->b, &b, &value);
		}
		if (l->ir->err)
			return 0;
		b = d_lower_cut(l, operate(l, op, n->is_signed, old, b, value), place.type);
	}
	if (b)
		d_place_store(l, &place, !op && n->b->kind == NODE_INT && !n->b->value ? 0 : b);
	return b;
}

static __u32 lower_step(struct d_lowerer *l, const struct d_node *n)
{
	struct d_place place;
	__u32 old, new;

	if (!d_lower_place(l, n->a, &place))
		return 0;
	old = d_place_load(l, &place);
	new = d_lower_cut(l, operate(l, n->op == TOKEN_INC ? '+' : '-', false, old, 0, d_lower_element_size(place.type)), place.type);
	d_place_store(l, &place, new);
	return n->kind == NODE_POSTFIX ? old : new;
}

static __u32 lower_unary(struct d_lowerer *l, const struct d_node *n)
{
	__u32 a, r;

	if (n->op == TOKEN_INC || n->op == TOKEN_DEC)
		return lower_step(l, n);
	if (n->op == '!')
		return lower_truth(l, n);
	if (n->op == '*')
		return d_lower_pointed(l, n);
	if (n->op == '&')
		return d_lower_address_of(l, n);
	a = d_lower_value(l, n->a);
	if (!a || n->op == '+')
		return a;
	if (n->op == '~')
		return operate(l, '^', false, a, 0, -1);
	r = d_ir_register(l->ir);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_NEG, .dst = r, .a = a });
	return r;
}

static bool is_truth(int op)
{
	return op == '<' || op == '>' || (op >= TOKEN_LE && op <= TOKEN_XOR);
}

static __u32 lower_call(struct d_lowerer *l, const struct d_node *n)
{
	switch (n->function->id) {
	case FUNCTION_STRLEN: return d_lower_strlen(l, n);
	case FUNCTION_COPYIN: return d_lower_copyin(l, n);
	default: return d_lower_fail(l, n, "%s( ) is not available yet", n->text);
	}
}

__u32 d_lower_value(struct d_lowerer *l, const struct d_node *n)
{
	__u32 a;

	if (l->ir->err)
		return 0;
	switch (n->kind) {
	case NODE_INT:
		return d_lower_constant(l, n->value);
	case NODE_NAME:
	case NODE_INDEX:
		return d_lower_is_element(n) ? d_lower_pointed(l, n) : lower_variable(l, n);
	case NODE_MEMBER:
		return d_lower_pointed(l, n);
	case NODE_UNARY:
	case NODE_POSTFIX:
		return lower_unary(l, n);
	case NODE_BINARY:
		if (n->op == ',')
			return d_lower_statement(l, n->a) ? d_lower_value(l, n->b) : 0;
		return is_truth(n->op) ? lower_truth(l, n) : lower_binary(l, n);
	case NODE_CONDITION:
		return lower_condition(l, n);
	case NODE_ASSIGN:
		return lower_assignment(l, n);
	case NODE_CAST:
		if (!d_type_is_scalar(n->type) || !(d_type_is_scalar(n->a->type) || d_type_resolve(n->a->type)->kind == TYPE_ARRAY))
			return d_lower_fail(l, n, "this conversion is not available yet");
		a = d_lower_value(l, n->a);
		return d_lower_cut(l, a, n->named);		/* its type may be that of a ?: which it took the place of */
	case NODE_CALL:
		return lower_call(l, n);
	}
	return d_lower_fail(l, n, "this expression is not available yet");
}

/* ---- branches ---- */

static enum d_relation relation_of(int op, bool if_true)
{
	switch (op) {
	case '<': return if_true ? REL_LT : REL_GE;
	case '>': return if_true ? REL_GT : REL_LE;
	case TOKEN_LE: return if_true ? REL_LE : REL_GT;
	case TOKEN_GE: return if_true ? REL_GE : REL_LT;
	case TOKEN_EQ: return if_true ? REL_EQ : REL_NE;
	}
	return if_true ? REL_NE : REL_EQ;
}

static bool branch_relation(struct d_lowerer *l, const struct d_node *n, bool if_true, __u32 label)
{
	struct d_ins ins = { .op = IR_JUMP_IF, .relation = relation_of(n->op, if_true), .is_signed = n->is_signed, .label = label };

	if (d_is_text(n->a) || d_is_text(n->b)) {
		ins.is_signed = true;
		ins.a = d_lower_text_compare(l, n);
		d_ir_add(l->ir, ins);
		return ins.a;
	}
	ins.a = d_lower_value(l, n->a);
	if (!ins.a || !right(l, n->b, &ins.b, &ins.value))
		return false;
	d_ir_add(l->ir, ins);
	return true;
}

/* && and ||: whether the first operand alone decides for the label, or only for going on. */
static bool branch_logic(struct d_lowerer *l, const struct d_node *n, bool if_true, __u32 label)
{
	__u32 on = d_ir_label(l->ir);

	if ((n->op == TOKEN_OR) == if_true)
		return d_lower_branch(l, n->a, if_true, label) && d_lower_branch(l, n->b, if_true, label);
	if (!d_lower_branch(l, n->a, !if_true, on) || !d_lower_branch(l, n->b, if_true, label))
		return false;
	d_lower_label(l, on);
	return true;
}

/* ^^ evaluates both. */
static bool branch_xor(struct d_lowerer *l, const struct d_node *n, bool if_true, __u32 label)
{
	struct d_node truth_a = { .kind = NODE_UNARY, .op = '!', .a = n->a }, truth_b = { .kind = NODE_UNARY, .op = '!', .a = n->b };
	__u32 a = lower_truth(l, &truth_a), b = a ? lower_truth(l, &truth_b) : 0;

	if (!b)
		return false;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_JUMP_IF, .relation = if_true ? REL_NE : REL_EQ, .a = a, .b = b, .label = label });
	return true;
}

bool d_lower_branch(struct d_lowerer *l, const struct d_node *n, bool if_true, __u32 label)
{
	__u32 a;

	if (n->kind == NODE_UNARY && n->op == '!')
		return d_lower_branch(l, n->a, !if_true, label);
	if (n->kind == NODE_BINARY && (n->op == TOKEN_AND || n->op == TOKEN_OR))
		return branch_logic(l, n, if_true, label);
	if (n->kind == NODE_BINARY && n->op == TOKEN_XOR)
		return branch_xor(l, n, if_true, label);
	if (n->kind == NODE_BINARY && is_truth(n->op))
		return branch_relation(l, n, if_true, label);
	if (n->kind == NODE_INT) {
		if (!n->value != if_true)
			d_ir_add(l->ir, (struct d_ins){ .op = IR_JUMP, .label = label });
		return true;
	}
	a = d_lower_value(l, n);
	if (!a)
		return false;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_JUMP_IF, .relation = if_true ? REL_NE : REL_EQ, .a = a, .label = label });
	return true;
}
