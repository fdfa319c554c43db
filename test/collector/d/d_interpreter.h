/* d_interpreter.h - computes integer expressions of D from their tree, as a reference for what the kernel computes.
 *
 * It works on the parser's tree, before the checker: types, conversions and arithmetic are its own.  A value has 64
 * bits; it is cut where it is stored or cast.  Operands are evaluated from left to right.
 */
#ifndef HEATSCOPE_D_INTERPRETER_H
#define HEATSCOPE_D_INTERPRETER_H

#include "collector/d/tree/tree.h"
#include "test/kit/check.h"

#define D_VARIABLES 12

struct d_number {
	__u64 bits;
	unsigned size;
	bool is_signed;
};

struct d_interpreter {
	struct d_number variable[D_VARIABLES];		/* v0, v1 ...: a third each global, self-> and this-> */
	bool fault;					/* division by zero */
};

static inline __u64 d_narrow(__u64 bits, unsigned size, bool is_signed)
{
	switch (size) {
	case 1: return is_signed ? (__u64)(__s64)(__s8)bits : (__u8)bits;
	case 2: return is_signed ? (__u64)(__s64)(__s16)bits : (__u16)bits;
	case 4: return is_signed ? (__u64)(__s64)(__s32)bits : (__u32)bits;
	}
	return bits;
}

static inline struct d_number d_promoted(struct d_number a)
{
	return a.size < 4 ? (struct d_number){ a.bits, 4, true } : a;
}

/* The common type of two operands. */
static inline struct d_number d_common(struct d_number a, struct d_number b)
{
	a = d_promoted(a);
	b = d_promoted(b);
	if (a.size == b.size)
		return (struct d_number){ 0, a.size, a.is_signed && b.is_signed };
	return a.size > b.size ? a : b;
}

static inline struct d_number *d_variable_of(struct d_interpreter *d, const struct d_node *n)
{
	return &d->variable[atoi(n->text + 1)];
}

static inline __u64 d_quotient(struct d_interpreter *d, int op, bool is_signed, __u64 a, __u64 b)
{
	__int128 x = is_signed ? (__int128)(__s64)a : (__int128)a, y = is_signed ? (__int128)(__s64)b : (__int128)b;

	if (!b) {
		d->fault = true;
		return 0;
	}
	return (__u64)(op == '/' ? x / y : x % y);
}

static inline bool d_holds(int op, bool is_signed, __u64 a, __u64 b)
{
	__int128 x = is_signed ? (__int128)(__s64)a : (__int128)a, y = is_signed ? (__int128)(__s64)b : (__int128)b;

	switch (op) {
	case '<': return x < y;
	case '>': return x > y;
	case TOKEN_LE: return x <= y;
	case TOKEN_GE: return x >= y;
	case TOKEN_EQ: return x == y;
	}
	return x != y;
}

static inline struct d_number d_operate(struct d_interpreter *d, int op, struct d_number a, struct d_number b)
{
	struct d_number r = d_common(a, b);
	const struct d_number truth = { 0, 4, true };

	switch (op) {
	case '+': r.bits = a.bits + b.bits; return r;
	case '-': r.bits = a.bits - b.bits; return r;
	case '*': r.bits = a.bits * b.bits; return r;
	case '&': r.bits = a.bits & b.bits; return r;
	case '|': r.bits = a.bits | b.bits; return r;
	case '^': r.bits = a.bits ^ b.bits; return r;
	case '/': case '%':
		r.bits = d_quotient(d, op, r.is_signed, a.bits, b.bits);
		return r;
	case TOKEN_SHL: case TOKEN_SHR:
		r = d_promoted(a);
		r.bits = op == TOKEN_SHL ? a.bits << (b.bits & 63) :
			 r.is_signed ? (__u64)((__s64)a.bits >> (b.bits & 63)) : a.bits >> (b.bits & 63);
		return r;
	case TOKEN_XOR:
		r = truth;
		r.bits = !a.bits != !b.bits;
		return r;
	}
	r = (struct d_number){ d_holds(op, r.is_signed, a.bits, b.bits), 4, true };
	return r;
}

static inline struct d_number d_evaluate(struct d_interpreter *d, const struct d_node *n);

static inline struct d_number d_assign(struct d_interpreter *d, const struct d_node *n)
{
	static const int plain[] = { '+', '-', '*', '/', '%', '&', '|', '^', TOKEN_SHL, TOKEN_SHR };
	struct d_number *v = d_variable_of(d, n->a), old = *v, b = d_evaluate(d, n->b);

	if (n->op != '=' && !d->fault)
		b = d_operate(d, plain[n->op - TOKEN_ADD_TO], old, b);
	if (!d->fault)
		v->bits = d_narrow(b.bits, v->size, v->is_signed);
	return *v;
}

static inline struct d_number d_step(struct d_interpreter *d, const struct d_node *n)
{
	struct d_number *v = d_variable_of(d, n->a), old = *v;

	v->bits = d_narrow(n->op == TOKEN_INC ? old.bits + 1 : old.bits - 1, v->size, v->is_signed);
	return n->kind == NODE_POSTFIX ? old : *v;
}

static inline struct d_number d_unary(struct d_interpreter *d, const struct d_node *n)
{
	struct d_number a;

	if (n->op == TOKEN_INC || n->op == TOKEN_DEC)
		return d_step(d, n);
	a = d_evaluate(d, n->a);
	if (n->op == '!')
		return (struct d_number){ !a.bits, 4, true };
	a = d_promoted(a);
	a.bits = n->op == '-' ? -a.bits : n->op == '~' ? ~a.bits : a.bits;
	return a;
}

static inline struct d_number d_logic(struct d_interpreter *d, const struct d_node *n)
{
	bool a = d_evaluate(d, n->a).bits;

	if (d->fault || a == (n->op == TOKEN_OR))
		return (struct d_number){ a, 4, true };
	return (struct d_number){ !!d_evaluate(d, n->b).bits, 4, true };
}

/* The type of an expression, without evaluating it: of the branch of ?: that is not taken. */
static inline struct d_number d_type_of(const struct d_interpreter *d, const struct d_node *n)
{
	struct d_interpreter copy = *d;

	return d_evaluate(&copy, n);
}

static inline struct d_number d_choose(struct d_interpreter *d, const struct d_node *n)
{
	__u64 a = d_evaluate(d, n->a).bits;
	struct d_number common = d_common(d_type_of(d, n->b), d_type_of(d, n->c));

	if (!d->fault)
		common.bits = d_evaluate(d, a ? n->b : n->c).bits;
	return common;
}

static inline struct d_number d_evaluate(struct d_interpreter *d, const struct d_node *n)
{
	const struct d_type *type = n->kind == NODE_CAST ? d_type_resolve(n->named) : n->type;
	struct d_number a;

	switch (n->kind) {
	case NODE_INT:
		return (struct d_number){ n->value, type->size, type->is_signed };
	case NODE_NAME:
		return *d_variable_of(d, n);
	case NODE_UNARY: case NODE_POSTFIX:
		return d_unary(d, n);
	case NODE_ASSIGN:
		return d_assign(d, n);
	case NODE_CONDITION:
		return d_choose(d, n);
	case NODE_CAST:
		a = d_evaluate(d, n->a);
		return (struct d_number){ d_narrow(a.bits, type->size, type->is_signed), type->size, type->is_signed };
	}
	assert_int_equal(n->kind, NODE_BINARY);
	if (n->op == TOKEN_AND || n->op == TOKEN_OR)
		return d_logic(d, n);
	a = d_evaluate(d, n->a);
	return d->fault ? a : d_operate(d, n->op, a, d_evaluate(d, n->b));
}

#endif
