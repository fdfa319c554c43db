#include "collector/d/check/check_private.h"
#include "collector/d/tree/fold.h"

#include <string.h>

const char *d_check_type_text(const struct d_type *type, char *out) { return d_type_print(type, out, 64); }

bool d_check_is_string(const struct d_type *type)
{
	type = d_type_resolve(type);
	if (type->kind == TYPE_STRING)
		return true;
	return (type->kind == TYPE_ARRAY || type->kind == TYPE_POINTER) && d_type_resolve(type->base)->kind == TYPE_INTEGER &&
	       d_type_resolve(type->base)->size == 1;
}

/* A type could not be built on another. */
static bool fail_type(struct d_checker *c, const struct d_node *n)
{
	return d_check_fail(c, n, "D_SYNTAX", "types nested more than %d deep", D_TYPE_DEPTH_MAX);
}

static bool is_pointer(const struct d_type *type) { return d_type_resolve(type)->kind == TYPE_POINTER; }

/* The type that a pointer points to, or of which an array consists; NULL: it is neither. */
static const struct d_type *pointed(const struct d_type *type)
{
	type = d_type_resolve(type);
	return type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY ? type->base : NULL;
}

static bool incompatible(struct d_checker *c, const struct d_node *n)
{
	char a[64], b[64];

	return d_check_fail(c, n, "D_OP_INCOMPAT", "operands have incompatible types: \"%s\" %s \"%s\"",
			    d_check_type_text(n->a->type, a), d_token_name(n->op), d_check_type_text(n->b->type, b));
}

/* ---- unary ---- */

static bool is_lvalue(const struct d_node *n)
{
	return n->kind == NODE_NAME || n->kind == NODE_INDEX || n->kind == NODE_MEMBER || (n->kind == NODE_UNARY && n->op == '*');
}

/* The type that the first assignment gives a variable: a text is a string, another array a pointer; a key, too. */
static const struct d_type *kept_type(struct d_checker *c, const struct d_type *type, bool is_key)
{
	if (d_type_resolve(type)->kind == TYPE_ARRAY && d_check_is_string(type))
		return d_types_intrinsic(D_STRING);
	if (d_type_resolve(type)->kind == TYPE_ARRAY)
		return d_type_pointer(c->types, d_type_resolve(type)->base);
	return is_key && d_type_is_integer(type) ? d_types_find(c->types, TAG_NONE, "int64_t") : type;
}

/* The first assignment to an element declares its associative array. */
static bool declare_array(struct d_checker *c, const struct d_node *n, const struct d_type *type)
{
	struct d_member *keys = NULL, **end = &keys;
	const struct d_type *array;

	if (n->a->scope == SCOPE_THIS)
		return d_check_fail(c, n, "D_DECL_LOCASSC", "associative arrays may not be declared as local variables");
	for (struct d_node *e = n->list; e; e = e->next) {
		struct d_member *m = d_alloc(c->arena, sizeof(*m));

		if (!m || !d_check_node(c, e))
			return false;
		if (!d_type_is_scalar(e->type) && !d_check_is_string(e->type))
			return d_check_fail(c, e, "D_KEY_TYPE", "%s[] key must be an integer, a pointer or a string", n->a->text);
		*m = (struct d_member){ .name = "", .type = kept_type(c, e->type, true) };
		*end = m;
		end = &m->next;
	}
	array = d_type_associative(c->types, kept_type(c, type, false), keys);
	return array ? d_check_assigned(c, n->a, array) != NULL : fail_type(c, n);
}

/* The left operand; a variable that there is not yet gets this type. */
static bool check_target(struct d_checker *c, struct d_node *n, const struct d_type *type)
{
	if (!is_lvalue(n->a))
		return d_check_fail(c, n, "D_OP_LVAL", "operator %s requires an lvalue as an operand", d_token_name(n->op));
	if (n->a->kind == NODE_NAME && !d_check_assigned(c, n->a, kept_type(c, type, false)))
		return false;
	if (n->a->kind == NODE_INDEX && n->a->a->kind == NODE_NAME && !d_check_find(c, n->a->a->scope, n->a->a->text) &&
	    !d_builtin_find(n->a->a->text) && !declare_array(c, n->a, type))
		return false;
	return d_check_node(c, n->a);
}

/* Elements of this type are counted, if it is not NULL; a void has one byte. */
static bool check_size(struct d_checker *c, const struct d_node *n, const struct d_type *type)
{
	if (!type || d_type_resolve(type)->size || d_type_resolve(type)->kind == TYPE_VOID)
		return true;
	return d_check_fail(c, n, "D_OP_INCOMPLETE", "operator %s cannot be applied to a pointer to an incomplete type", d_token_name(n->op));
}

/* ++ and --: a variable that has no type becomes an int64_t. */
static bool check_step(struct d_checker *c, struct d_node *n)
{
	if (!check_target(c, n, d_types_find(c->types, TAG_NONE, "int64_t")))
		return false;
	if (!d_type_is_scalar(n->a->type))
		return d_check_fail(c, n, "D_OP_SCALAR", "operator %s requires operand of scalar type", d_token_name(n->op));
	n->type = n->a->type;
	return check_size(c, n, pointed(n->type));
}

static bool check_deref(struct d_checker *c, struct d_node *n)
{
	const struct d_type *type = d_type_resolve(n->a->type);

	if (type->kind != TYPE_POINTER && type->kind != TYPE_ARRAY)
		return d_check_fail(c, n, "D_DEREF_NONPTR", "cannot dereference non-pointer type");
	if (d_type_resolve(type->base)->kind == TYPE_VOID)
		return d_check_fail(c, n, "D_DEREF_VOID", "cannot dereference pointer to void");
	if (d_type_resolve(type->base)->kind == TYPE_FUNCTION)
		return d_check_fail(c, n, "D_DEREF_FUNC", "cannot dereference pointer to function");
	n->type = type->base;
	return true;
}

static bool check_address(struct d_checker *c, struct d_node *n)
{
	if (!is_lvalue(n->a))
		return d_check_fail(c, n, "D_ADDROF_LVAL", "unary & requires an lvalue as its operand");
	if (n->a->kind == NODE_NAME)
		return d_check_fail(c, n, "D_ADDROF_VAR", "cannot take address of dynamic variable %s", n->a->text);
	n->type = d_type_pointer(c->types, n->a->type);
	return n->type || fail_type(c, n);
}

static bool check_arithmetic_unary(struct d_checker *c, struct d_node *n)
{
	__u64 value;

	if (n->op == '!') {
		if (!d_type_is_scalar(n->a->type))
			return d_check_fail(c, n, "D_OP_SCALAR", "operator ! requires operand of scalar type");
		n->type = d_types_intrinsic(D_INT);
	} else {
		if (!d_type_is_integer(n->a->type))
			return d_check_fail(c, n, n->op == '~' ? "D_OP_INT" : "D_OP_ARITH",
					    "operator %s requires an operand of integral type", d_token_name(n->op));
		n->type = d_type_promote(n->a->type);
	}
	if (n->a->kind == NODE_INT && d_fold_unary(n->op, n->a->value, &value))
		d_check_fold(n, value);
	return true;
}

bool d_check_unary(struct d_checker *c, struct d_node *n)
{
	if (n->op == TOKEN_INC || n->op == TOKEN_DEC)
		return check_step(c, n);
	if (!d_check_node(c, n->a))
		return false;
	if (n->op == '*')
		return check_deref(c, n);
	return n->op == '&' ? check_address(c, n) : check_arithmetic_unary(c, n);
}

/* ---- binary ---- */

static bool is_relation(int op)
{
	return op == '<' || op == '>' || op == TOKEN_LE || op == TOKEN_GE || op == TOKEN_EQ || op == TOKEN_NE;
}

static bool check_relation(struct d_checker *c, struct d_node *n)
{
	const struct d_type *a = n->a->type, *b = n->b->type;
	bool integers = d_type_is_integer(a) && d_type_is_integer(b);

	if (!integers && !(d_type_is_scalar(a) && d_type_is_scalar(b)) && !(pointed(a) && pointed(b)) && !(d_check_is_string(a) && d_check_is_string(b)))
		return incompatible(c, n);
	n->type = d_types_intrinsic(D_INT);
	return true;
}

static bool check_logic(struct d_checker *c, struct d_node *n)
{
	if (!d_type_is_scalar(n->a->type) || !d_type_is_scalar(n->b->type))
		return d_check_fail(c, n, "D_OP_SCALAR", "operator %s requires operands of scalar type", d_token_name(n->op));
	n->type = d_types_intrinsic(D_INT);
	return true;
}

static bool check_sum(struct d_checker *c, struct d_node *n)
{
	const struct d_type *a = pointed(n->a->type), *b = pointed(n->b->type);

	if (!check_size(c, n, a) || !check_size(c, n, b))
		return false;
	if (a && d_type_is_integer(n->b->type))
		n->type = is_pointer(n->a->type) ? n->a->type : d_type_pointer(c->types, a);
	else if (b && d_type_is_integer(n->a->type) && n->op == '+')
		n->type = is_pointer(n->b->type) ? n->b->type : d_type_pointer(c->types, b);
	else if (a && b && n->op == '-' && d_type_same(a, b))
		n->type = d_types_intrinsic(D_LONG);
	else if (a || b)
		return incompatible(c, n);
	else
		return d_check_fail(c, n, "D_OP_ARITH", "operator %s requires operands of arithmetic type", d_token_name(n->op));
	return n->type || fail_type(c, n);
}

static bool check_arithmetic(struct d_checker *c, struct d_node *n)
{
	const struct d_type *a = n->a->type, *b = n->b->type;

	if (d_type_is_integer(a) && d_type_is_integer(b)) {
		n->type = n->op == TOKEN_SHL || n->op == TOKEN_SHR ? d_type_promote(a) : d_type_usual(a, b);
		return true;
	}
	if (n->op == '+' || n->op == '-')
		return check_sum(c, n);
	return d_check_fail(c, n, n->op == '*' || n->op == '/' ? "D_OP_ARITH" : "D_OP_INT",
			    "operator %s requires operands of integral type", d_token_name(n->op));
}

/* Signedness of the operation: of its operands' common type, of a shift's left one. */
static bool operation_is_signed(const struct d_node *n)
{
	const struct d_type *a = n->a->type, *b = n->b->type;

	if (!d_type_is_integer(a) || !d_type_is_integer(b))
		return false;
	if (n->op == TOKEN_SHL || n->op == TOKEN_SHR)
		return d_type_resolve(d_type_promote(a))->is_signed;
	return d_type_resolve(d_type_usual(a, b))->is_signed;
}

static bool fold_binary(struct d_checker *c, struct d_node *n)
{
	__u64 value;

	if ((n->op == '/' || n->op == '%') && n->b->kind == NODE_INT && !n->b->value)
		return d_check_fail(c, n, "D_DIV_ZERO", "expression contains division by zero");
	if ((n->op == TOKEN_AND || n->op == TOKEN_OR) && n->a->kind == NODE_INT && !n->a->value == (n->op == TOKEN_AND))
		d_check_fold(n, n->op == TOKEN_OR);
	else if (n->a->kind == NODE_INT && n->b->kind == NODE_INT &&
		 d_fold_binary(n->op, operation_is_signed(n), n->a->value, n->b->value, &value))
		d_check_fold(n, value);
	return true;
}

bool d_check_binary(struct d_checker *c, struct d_node *n)
{
	bool ok;

	if (!d_check_node(c, n->a) || !d_check_node(c, n->b))
		return false;
	if (n->op == ',') {
		n->type = n->b->type;
		return true;
	}
	if (is_relation(n->op))
		ok = check_relation(c, n);
	else if (n->op == TOKEN_AND || n->op == TOKEN_OR || n->op == TOKEN_XOR)
		ok = check_logic(c, n);
	else
		ok = check_arithmetic(c, n);
	n->is_signed = ok && operation_is_signed(n);
	return ok && fold_binary(c, n);
}

/* ---- assignment ---- */

bool d_check_can_assign(const struct d_type *to, const struct d_node *value)
{
	const struct d_type *from = value->type;

	if (d_type_is_integer(to) && d_type_is_integer(from))
		return true;
	if (d_check_is_string(to) && d_check_is_string(from))
		return true;
	if (value->kind == NODE_INT && !value->value)		/* 0 frees a variable, and is the null pointer */
		return true;
	if (is_pointer(to) && pointed(from))
		return d_type_same(pointed(to), pointed(from));
	return d_type_same(to, from);
}

bool d_check_assignment(struct d_checker *c, struct d_node *n)
{
	int op = d_fold_assignment(n->op);
	const struct d_type *type;

	if (!d_check_node(c, n->b))
		return false;
	type = n->b->type;
	if (d_type_resolve(type)->kind == TYPE_VOID)
		return d_check_fail(c, n, "D_OP_VFPTR", "operator %s may not be applied to a value of type void", d_token_name(n->op));
	if (op)
		type = d_types_find(c->types, TAG_NONE, "int64_t");
	if (!check_target(c, n, type))
		return false;
	n->type = n->a->type;
	if (!op && n->a->kind == NODE_NAME && n->a->variable)
		n->a->variable->is_time |= d_is_time(n->b);
	if (!op)
		return d_check_can_assign(n->type, n->b) || incompatible(c, n);
	if (!d_type_is_integer(n->b->type) || !(d_type_is_integer(n->type) || (is_pointer(n->type) && (op == '+' || op == '-'))))
		return d_check_fail(c, n, "D_OP_ARITH", "operator %s requires operands of arithmetic type", d_token_name(n->op));
	if ((op == '/' || op == '%') && n->b->kind == NODE_INT && !n->b->value)
		return d_check_fail(c, n, "D_DIV_ZERO", "expression contains division by zero");
	if (!check_size(c, n, pointed(n->type)))
		return false;
	n->is_signed = d_type_is_integer(n->type) &&
		       d_type_resolve(op == TOKEN_SHL || op == TOKEN_SHR ? d_type_promote(n->type)
									  : d_type_usual(n->type, n->b->type))->is_signed;
	return true;
}

/* ---- conditional ---- */

static bool condition_type(struct d_checker *c, struct d_node *n, bool is_statement)
{
	const struct d_type *b = n->b->type, *d = n->c->type;
	char x[64], y[64];

	if (d_type_is_integer(b) && d_type_is_integer(d))
		n->type = d_type_usual(b, d);
	else if (d_check_is_string(b) && d_check_is_string(d))
		n->type = d_types_intrinsic(D_STRING);
	else if (d_type_same(b, d))
		n->type = b;
	else if (is_statement)
		n->type = d_types_intrinsic(D_VOID);
	else
		return d_check_fail(c, n, "D_OP_INCOMPAT", "operator ?: operands must have compatible types: \"%s\" and \"%s\"",
				    d_check_type_text(b, x), d_check_type_text(d, y));
	return true;
}

bool d_check_condition(struct d_checker *c, struct d_node *n, bool is_statement)
{
	struct d_node *next = n->next, *chosen;

	if (!d_check_node(c, n->a) || !(is_statement ? d_check_statement(c, n->b) && d_check_statement(c, n->c)
						     : d_check_node(c, n->b) && d_check_node(c, n->c)))
		return false;
	if (!d_type_is_scalar(n->a->type))
		return d_check_fail(c, n, "D_OP_SCALAR", "operator ?: expression must be of scalar type");
	if (!condition_type(c, n, is_statement))
		return false;
	if (n->a->kind == NODE_INT && d_type_resolve(n->type)->kind != TYPE_VOID) {
		const struct d_type *type = n->type;

		chosen = n->a->value ? n->b : n->c;
		*n = *chosen;
		n->next = next;
		n->type = type;
	}
	return true;
}

/* ---- members, elements, casts, sizes ---- */

/* Its type is made up, so only its own name explains why it has no member and no element. */
static bool fail_later(struct d_checker *c, const struct d_node *n)
{
	return d_check_fail(c, n, "D_UNKNOWN", "%s is not available yet", n->text);
}

static bool is_later(const struct d_node *n)
{
	return n->kind == NODE_NAME && n->variable && n->variable->builtin && n->variable->builtin->id == BUILTIN_LATER;
}

bool d_check_member(struct d_checker *c, struct d_node *n)
{
	const struct d_type *type;
	const struct d_member *m;
	struct d_suggestion s = { .unknown = n->text };
	char meant[D_SUGGESTION_LEN];

	if (n->a->kind == NODE_XLATE)
		return d_check_translation(c, n);
	if (!d_check_node(c, n->a))
		return false;
	if (is_later(n->a))
		return fail_later(c, n->a);
	type = d_type_resolve(n->a->type);
	if (n->op == TOKEN_ARROW) {
		if (type->kind != TYPE_POINTER)
			return d_check_fail(c, n, "D_OP_PTR", "operator -> cannot be applied to a non-pointer");
		type = d_type_resolve(type->base);
	}
	if (type->kind != TYPE_STRUCT && type->kind != TYPE_UNION)
		return d_check_fail(c, n, "D_OP_SOU", "operator %s can only be applied to a struct or union", d_token_name(n->op));
	if (!type->is_complete)
		return d_check_fail(c, n, "D_OP_INCOMPLETE", "operator %s cannot be applied to an incomplete type", d_token_name(n->op));
	m = d_type_member(type, n->text);
	if (m) {
		n->type = m->type;
		return true;
	}
	for (m = type->members; m; m = m->next)
		d_suggest(&s, m->name);
	return d_check_fail(c, n, "D_TYPE_MEMBER", "%s is not a member of its struct or union%s", n->text,
			    d_suggestion_text(&s, "", meant));
}

static bool check_key(struct d_checker *c, const struct d_node *n, const struct d_member *key)
{
	const struct d_node *e = n->list;
	unsigned i = 1;

	for (; e && key; e = e->next, key = key->next, i++)
		if (!d_check_can_assign(key->type, e))
			return d_check_fail(c, e, "D_PROTO_ARG", "%s[] key %u is incompatible with its declaration", n->a->text, i);
	if (e || key)
		return d_check_fail(c, n, "D_PROTO_LEN", "%s[] prototype mismatch: other number of keys", n->a->text);
	return true;
}

bool d_check_index(struct d_checker *c, struct d_node *n)
{
	const struct d_type *type;

	if (!d_check_list(c, n->list))
		return false;
	if (!d_check_node(c, n->a))
		return false;
	if (is_later(n->a))
		return fail_later(c, n->a);
	type = d_type_resolve(n->a->type);
	n->type = type->base;
	if (type->kind == TYPE_ASSOCIATIVE)
		return check_key(c, n, type->members);
	if (type->kind != TYPE_ARRAY && type->kind != TYPE_POINTER)
		return d_check_fail(c, n, "D_ARR_BADREF", "cannot use [] with a value that is no array");
	if (!n->list || n->list->next || !d_type_is_integer(n->list->type))
		return d_check_fail(c, n, "D_PROTO_ARG", "an array is indexed by one integer");
	return true;
}

bool d_check_cast(struct d_checker *c, struct d_node *n)
{
	const struct d_type *to, *from;
	char a[64], b[64];

	if (!d_check_node(c, n->a))
		return false;
	n->type = n->kind == NODE_STRINGOF ? d_types_intrinsic(D_STRING) : n->named;
	to = d_type_resolve(n->type);
	from = d_type_resolve(n->a->type);
	if (n->kind == NODE_STRINGOF) {
		if (!d_check_is_string(from) && !d_type_is_scalar(from))
			return d_check_fail(c, n, "D_STRINGOF_TYPE", "cannot apply stringof to a value of type %s", d_check_type_text(from, a));
		return true;
	}
	if (to->kind != TYPE_VOID && !(d_type_is_scalar(to) && (d_type_is_scalar(from) || from->kind == TYPE_ARRAY)) &&
	    !(to->kind == TYPE_STRING && d_check_is_string(from)))
		return d_check_fail(c, n, "D_CAST_INVAL", "invalid cast expression: (%s) of %s", d_check_type_text(n->type, a),
				    d_check_type_text(n->a->type, b));
	if (n->a->kind == NODE_INT && d_type_is_integer(to))
		d_check_fold(n, d_fold_cut(n->a->value, to->size, to->is_signed));
	return true;
}

bool d_check_sizes(struct d_checker *c, struct d_node *n)
{
	const struct d_type *type;
	const struct d_member *m;
	__u64 value;

	if (n->a && !d_check_node(c, n->a))
		return false;
	type = d_type_resolve(n->named ? n->named : n->a->type);
	if (n->kind == NODE_OFFSETOF) {
		if (type->kind != TYPE_STRUCT && type->kind != TYPE_UNION)
			return d_check_fail(c, n, "D_OFFSETOF_TYPE", "offsetof operand must be a struct or union type");
		m = d_type_member(type, n->text);
		if (!m)
			return d_check_fail(c, n, "D_TYPE_MEMBER", "%s is not a member of its struct or union", n->text);
		if (m->n_bits)
			return d_check_fail(c, n, "D_OFFSETOF_BITFIELD", "cannot take offset of a bit-field: %s", n->text);
		value = m->offset;
	} else {
		if (type->kind == TYPE_FUNCTION || type->kind == TYPE_VOID || !type->is_complete)
			return d_check_fail(c, n, "D_SIZEOF_TYPE", "cannot apply sizeof to a void, function or incomplete type");
		value = type->size;
	}
	d_check_fold(n, value);
	n->type = d_types_find(c->types, TAG_NONE, "size_t");
	return true;
}
