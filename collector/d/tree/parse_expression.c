#include "collector/d/tree/parse_private.h"

struct d_node *d_node_new(struct d_parser *p, enum d_node_kind kind, __u32 at)
{
	struct d_node *n = d_alloc(p->arena, sizeof(*n));

	if (!n)
		return NULL;
	n->kind = kind;
	n->at = at;
	return n;
}

/* Ends a node that has its operands: its depth.  NULL: one of them failed, or it is too deep. */
static struct d_node *node_end(struct d_parser *p, struct d_node *n)
{
	const struct d_node *operand[] = { n->a, n->b, n->c };

	for (unsigned i = 0; i < 3; i++)
		if (operand[i] && operand[i]->depth >= n->depth)
			n->depth = operand[i]->depth + 1;
	for (const struct d_node *e = n->list; e; e = e->next)
		if (e->depth >= n->depth)
			n->depth = e->depth + 1;
	if (n->depth > D_DEPTH_MAX)
		return d_parser_fail(p, n->at, "D_SYNTAX", "nested more than %d deep", D_DEPTH_MAX);
	return n;
}

static struct d_node *node_unary(struct d_parser *p, enum d_node_kind kind, int op, __u32 at, struct d_node *a)
{
	struct d_node *n = a ? d_node_new(p, kind, at) : NULL;

	if (!n)
		return NULL;
	n->op = op;
	n->a = a;
	return node_end(p, n);
}

static struct d_node *node_binary(struct d_parser *p, enum d_node_kind kind, const struct d_token *op, struct d_node *a,
				  struct d_node *b)
{
	struct d_node *n = b ? d_node_new(p, kind, op->at) : NULL;

	if (!n)
		return NULL;
	n->op = op->kind;
	n->a = a;
	n->b = b;
	return node_end(p, n);
}

/* ---- primary and postfix ---- */

/* Expressions between commas, up to and with the sign at the end. */
static bool parse_list(struct d_parser *p, int end, struct d_node **ret_list)
{
	if (d_parser_accept(p, end))
		return true;
	for (;;) {
		*ret_list = d_parse_assignment(p);
		if (!*ret_list)
			return false;
		ret_list = &(*ret_list)->next;
		if (d_parser_accept(p, end))
			return true;
		if (!d_parser_expect(p, ','))
			return false;
	}
}

static struct d_node *parse_scoped(struct d_parser *p, const struct d_token *t)
{
	struct d_node *n = d_node_new(p, NODE_NAME, t->at);

	if (!n || !d_parser_expect(p, TOKEN_ARROW))
		return NULL;
	n->scope = t->kind == KEY_SELF ? SCOPE_SELF : SCOPE_THIS;
	n->text = d_parser_name(p, true);
	return n->text ? n : NULL;
}

static struct d_node *parse_literal(struct d_parser *p, const struct d_token *t)
{
	struct d_node *n = d_node_new(p, t->kind == TOKEN_INT ? NODE_INT : NODE_STRING, t->at);

	if (!n)
		return NULL;
	n->text = t->text;
	n->text_len = t->text_len;
	n->value = t->value;
	if (t->kind == TOKEN_INT)
		n->type = d_types_intrinsic(t->is_long ? t->is_unsigned ? D_ULONG : D_LONG : t->is_unsigned ? D_UINT : D_INT);
	return n;
}

static struct d_node *parse_agg(struct d_parser *p, const struct d_token *t)
{
	struct d_node *n = d_node_new(p, NODE_AGG, t->at);

	if (!n)
		return NULL;
	n->text = t->text;
	if (d_parser_accept(p, '[') && !parse_list(p, ']', &n->list))
		return NULL;
	return node_end(p, n);
}

static struct d_node *parse_offsetof(struct d_parser *p, const struct d_token *t)
{
	struct d_node *n = d_node_new(p, NODE_OFFSETOF, t->at);

	if (!n || !d_parser_expect(p, '(') || !(n->named = d_parse_type_name(p)) || !d_parser_expect(p, ',') ||
	    !(n->text = d_parser_name(p, true)) || !d_parser_expect(p, ')'))
		return NULL;
	return n;
}

static struct d_node *parse_xlate(struct d_parser *p, const struct d_token *t)
{
	struct d_node *n = d_node_new(p, NODE_XLATE, t->at);

	if (!n || !d_parser_expect(p, '<') || !(n->named = d_parse_type_name(p)) || !d_parser_expect(p, '>') ||
	    !d_parser_expect(p, '(') || !(n->a = d_parse_expression(p)) || !d_parser_expect(p, ')'))
		return NULL;
	return node_end(p, n);
}

static struct d_node *parse_primary(struct d_parser *p)
{
	struct d_token t = d_parser_next(p);
	struct d_node *n;

	switch (t.kind) {
	case TOKEN_NAME:
		n = d_node_new(p, NODE_NAME, t.at);
		if (n)
			n->text = t.text;
		return n;
	case TOKEN_INT:
	case TOKEN_STRING:
		return parse_literal(p, &t);
	case TOKEN_AGG:
		return parse_agg(p, &t);
	case KEY_SELF:
	case KEY_THIS:
		return parse_scoped(p, &t);
	case KEY_OFFSETOF:
		return parse_offsetof(p, &t);
	case KEY_XLATE:
		return parse_xlate(p, &t);
	}
	return d_parser_near(p, &t);
}

static struct d_node *parse_call(struct d_parser *p, struct d_node *function)
{
	struct d_node *n;

	if (function->kind != NODE_NAME || function->scope != SCOPE_GLOBAL)
		return d_parser_fail(p, function->at, "D_FUNC_IDENT", "function designator is not of function type");
	n = d_node_new(p, NODE_CALL, function->at);
	if (!n)
		return NULL;
	n->text = function->text;
	return parse_list(p, ')', &n->list) ? node_end(p, n) : NULL;
}

static struct d_node *parse_index(struct d_parser *p, struct d_node *array)
{
	struct d_node *n = d_node_new(p, NODE_INDEX, array->at);

	if (!n)
		return NULL;
	n->a = array;
	return parse_list(p, ']', &n->list) ? node_end(p, n) : NULL;
}

static struct d_node *parse_suffixes(struct d_parser *p, struct d_node *n)
{
	while (n) {
		int kind = d_parser_peek(p)->kind;
		__u32 at = p->token.at;

		if (kind == '(' || kind == '[') {
			d_parser_next(p);
			n = kind == '(' ? parse_call(p, n) : parse_index(p, n);
		} else if (kind == '.' || kind == TOKEN_ARROW) {
			d_parser_next(p);
			n = node_unary(p, NODE_MEMBER, kind, at, n);
			if (n && !(n->text = d_parser_name(p, true)))
				return NULL;
		} else if (kind == TOKEN_INC || kind == TOKEN_DEC) {
			d_parser_next(p);
			n = node_unary(p, NODE_POSTFIX, kind, at, n);
		} else {
			return n;
		}
	}
	return NULL;
}

/* ---- unary ---- */

static struct d_node *parse_unary(struct d_parser *p);

/* After `(`: a cast, or an expression in parentheses with its suffixes. */
static struct d_node *parse_parenthesis(struct d_parser *p, __u32 at)
{
	struct d_node *n;

	if (!d_parse_begins_type(p)) {
		n = d_parse_expression(p);
		return n && d_parser_expect(p, ')') ? parse_suffixes(p, n) : NULL;
	}
	n = d_node_new(p, NODE_CAST, at);
	if (!n || !(n->named = d_parse_type_name(p)) || !d_parser_expect(p, ')') || !(n->a = parse_unary(p)))
		return NULL;
	return node_end(p, n);
}

static struct d_node *parse_sizeof(struct d_parser *p, __u32 at)
{
	struct d_node *n = d_node_new(p, NODE_SIZEOF, at);

	if (!n)
		return NULL;
	if (!d_parser_accept(p, '(')) {
		n->a = parse_unary(p);
	} else if (d_parse_begins_type(p)) {
		n->named = d_parse_type_name(p);
		return n->named && d_parser_expect(p, ')') ? n : NULL;
	} else {
		n->a = d_parse_expression(p);
		n->a = n->a && d_parser_expect(p, ')') ? parse_suffixes(p, n->a) : NULL;
	}
	return n->a ? node_end(p, n) : NULL;
}

static struct d_node *parse_unary_inner(struct d_parser *p)
{
	struct d_token t = *d_parser_peek(p);

	switch (t.kind) {
	case '!': case '~': case '-': case '+': case '*': case '&': case TOKEN_INC: case TOKEN_DEC:
		d_parser_next(p);
		return node_unary(p, NODE_UNARY, t.kind, t.at, parse_unary(p));
	case KEY_SIZEOF:
		d_parser_next(p);
		return parse_sizeof(p, t.at);
	case KEY_STRINGOF:
		d_parser_next(p);
		return node_unary(p, NODE_STRINGOF, 0, t.at, parse_unary(p));
	case '(':
		d_parser_next(p);
		return parse_parenthesis(p, t.at);
	}
	return parse_suffixes(p, parse_primary(p));
}

static struct d_node *parse_unary(struct d_parser *p)
{
	struct d_node *n;

	if (!d_parser_enter(p, d_parser_peek(p)->at))
		return NULL;
	n = parse_unary_inner(p);
	d_parser_leave(p);
	return n;
}

/* ---- binary, conditional, assignment ---- */

/* How strongly an operator binds; 0: it is no binary operator. */
static unsigned precedence(int kind)
{
	switch (kind) {
	case TOKEN_OR: return 1;
	case TOKEN_XOR: return 2;
	case TOKEN_AND: return 3;
	case '|': return 4;
	case '^': return 5;
	case '&': return 6;
	case TOKEN_EQ: case TOKEN_NE: return 7;
	case '<': case '>': case TOKEN_LE: case TOKEN_GE: return 8;
	case TOKEN_SHL: case TOKEN_SHR: return 9;
	case '+': case '-': return 10;
	case '*': case '/': case '%': return 11;
	}
	return 0;
}

static struct d_node *parse_binary(struct d_parser *p, unsigned least)
{
	struct d_node *n = parse_unary(p);

	while (n) {
		struct d_token op = *d_parser_peek(p);
		unsigned level = precedence(op.kind);

		if (!level || level < least)
			break;
		d_parser_next(p);
		n = node_binary(p, NODE_BINARY, &op, n, parse_binary(p, level + 1));
	}
	return n;
}

struct d_node *d_parse_condition(struct d_parser *p)
{
	struct d_node *a = parse_binary(p, 1), *n;
	__u32 at = d_parser_peek(p)->at;

	if (!a || !d_parser_accept(p, '?'))
		return a;
	n = d_node_new(p, NODE_CONDITION, at);
	if (!n || !d_parser_enter(p, at))
		return NULL;
	n->a = a;
	if (!(n->b = d_parse_expression(p)) || !d_parser_expect(p, ':') || !(n->c = d_parse_condition(p)))
		return NULL;
	d_parser_leave(p);
	return node_end(p, n);
}

static bool is_assignment(int kind)
{
	return kind == '=' || (kind >= TOKEN_ADD_TO && kind <= TOKEN_SHR_TO);
}

struct d_node *d_parse_assignment(struct d_parser *p)
{
	struct d_node *n = d_parse_condition(p);
	struct d_token op;

	if (!n || !is_assignment(d_parser_peek(p)->kind))
		return n;
	op = d_parser_next(p);
	if (!d_parser_enter(p, op.at))
		return NULL;
	n = node_binary(p, NODE_ASSIGN, &op, n, d_parse_assignment(p));
	d_parser_leave(p);
	return n;
}

struct d_node *d_parse_expression(struct d_parser *p)
{
	struct d_node *n = d_parse_assignment(p);

	while (n && d_parser_peek(p)->kind == ',') {
		struct d_token op = d_parser_next(p);

		n = node_binary(p, NODE_BINARY, &op, n, d_parse_assignment(p));
	}
	return n;
}
