#include "collector/d/tree/fold.h"

static bool divide(int op, bool is_signed, __u64 a, __u64 b, __u64 *ret_value)
{
	if (!b)
		return false;
	if (is_signed && b == (__u64)-1)		/* the quotient of the smallest value does not fit */
		*ret_value = op == '/' ? -a : 0;
	else if (is_signed)
		*ret_value = op == '/' ? (__s64)a / (__s64)b : (__s64)a % (__s64)b;
	else
		*ret_value = op == '/' ? a / b : a % b;
	return true;
}

static bool compare(int op, bool is_signed, __u64 a, __u64 b)
{
	__u64 flip = is_signed ? 1ull << 63 : 0;

	a ^= flip;
	b ^= flip;
	switch (op) {
	case '<': return a < b;
	case '>': return a > b;
	case TOKEN_LE: return a <= b;
	case TOKEN_GE: return a >= b;
	case TOKEN_EQ: return a == b;
	}
	return a != b;
}

bool d_fold_binary(int op, bool is_signed, __u64 a, __u64 b, __u64 *ret_value)
{
	switch (op) {
	case '+': *ret_value = a + b; return true;
	case '-': *ret_value = a - b; return true;
	case '*': *ret_value = a * b; return true;
	case '&': *ret_value = a & b; return true;
	case '|': *ret_value = a | b; return true;
	case '^': *ret_value = a ^ b; return true;
	case ',': *ret_value = b; return true;
	case TOKEN_SHL: *ret_value = a << (b & 63); return true;
	case TOKEN_SHR: *ret_value = is_signed ? (__u64)((__s64)a >> (b & 63)) : a >> (b & 63); return true;
	case TOKEN_AND: *ret_value = a && b; return true;
	case TOKEN_OR: *ret_value = a || b; return true;
	case TOKEN_XOR: *ret_value = !a != !b; return true;
	case '/': case '%':
		return divide(op, is_signed, a, b, ret_value);
	case '<': case '>': case TOKEN_LE: case TOKEN_GE: case TOKEN_EQ: case TOKEN_NE:
		*ret_value = compare(op, is_signed, a, b);
		return true;
	}
	return false;
}

bool d_fold_unary(int op, __u64 a, __u64 *ret_value)
{
	switch (op) {
	case '-': *ret_value = -a; return true;
	case '+': *ret_value = a; return true;
	case '~': *ret_value = ~a; return true;
	case '!': *ret_value = !a; return true;
	}
	return false;
}

__u64 d_fold_cut(__u64 value, __u32 size, bool is_signed)
{
	unsigned bits = 64 - 8 * size;

	if (!size || size >= 8)
		return value;
	return is_signed ? (__u64)((__s64)(value << bits) >> bits) : value << bits >> bits;
}

static bool fold_name(const struct d_node *n, const struct d_types *types, __u64 *ret_value)
{
	const struct d_enumerator *e = n->scope == SCOPE_GLOBAL ? d_types_enumerator(types, n->text) : NULL;

	if (e)
		*ret_value = (__s64)e->value;
	return e;
}

bool d_fold_tree(const struct d_node *n, const struct d_types *types, __u64 *ret_value)
{
	__u64 a, b;

	switch (n->kind) {
	case NODE_INT:
		*ret_value = n->value;
		return true;
	case NODE_NAME:
		return fold_name(n, types, ret_value);
	case NODE_SIZEOF:
		*ret_value = n->named ? d_type_resolve(n->named)->size : 0;
		return n->named;
	case NODE_CAST:
		if (!d_type_is_integer(n->named) || !d_fold_tree(n->a, types, &a))
			return false;
		*ret_value = d_fold_cut(a, d_type_resolve(n->named)->size, d_type_resolve(n->named)->is_signed);
		return true;
	case NODE_UNARY:
		return d_fold_tree(n->a, types, &a) && d_fold_unary(n->op, a, ret_value);
	case NODE_BINARY:
		return d_fold_tree(n->a, types, &a) && d_fold_tree(n->b, types, &b) &&
		       d_fold_binary(n->op, true, a, b, ret_value);
	case NODE_CONDITION:
		return d_fold_tree(n->a, types, &a) && d_fold_tree(a ? n->b : n->c, types, ret_value);
	}
	return false;
}

int d_fold_assignment(int op)
{
	switch (op) {
	case TOKEN_ADD_TO: return '+';
	case TOKEN_SUB_TO: return '-';
	case TOKEN_MUL_TO: return '*';
	case TOKEN_DIV_TO: return '/';
	case TOKEN_MOD_TO: return '%';
	case TOKEN_AND_TO: return '&';
	case TOKEN_OR_TO: return '|';
	case TOKEN_XOR_TO: return '^';
	case TOKEN_SHL_TO: return TOKEN_SHL;
	case TOKEN_SHR_TO: return TOKEN_SHR;
	}
	return 0;
}
