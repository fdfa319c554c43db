#include "collector/d/check/check_private.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#define CHECK_DEPTH_MAX 800
#define EXPRESSION_MAX 20000		/* nodes; inlines and translators double them quickly */
#define NODES_MAX (2u << 20)		/* of a script; those that are checked twice count twice */

bool d_check_fail(struct d_checker *c, const struct d_node *n, const char *tag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	d_fail_args(c->error, c->script, c->arena, n->at, tag, format, args);
	va_end(args);
	return false;
}

void d_check_warn(struct d_checker *c, const struct d_node *n, const char *tag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	d_fail_args(&c->program->warning, c->script, c->arena, n->at, tag, format, args);
	va_end(args);
}

/* ---- expressions ---- */

bool d_check_list(struct d_checker *c, struct d_node *list)
{
	for (; list; list = list->next)
		if (!d_check_node(c, list))
			return false;
	return true;
}

static bool check_agg_value(struct d_checker *c, struct d_node *n)
{
	return d_check_fail(c, n, "D_OP_DYN", "aggregation @%s may not be used in an expression", n->text);
}

static bool check_kind(struct d_checker *c, struct d_node *n, bool is_statement)
{
	c->at = n->at;
	switch ((enum d_node_kind)n->kind) {
	case NODE_INT:
		return true;
	case NODE_STRING:
		n->type = d_types_intrinsic(D_STRING);
		return true;
	case NODE_NAME:
		return d_check_name(c, n);
	case NODE_AGG:
		return is_statement ? d_check_fail(c, n, "D_AGG_NULL", "expression has null effect: @%s", n->text)
				    : check_agg_value(c, n);
	case NODE_INDEX:
		return d_check_index(c, n);
	case NODE_CALL:
		return d_check_call(c, n, is_statement);
	case NODE_MEMBER:
		return d_check_member(c, n);
	case NODE_UNARY:
	case NODE_POSTFIX:
		return d_check_unary(c, n);
	case NODE_BINARY:
		return d_check_binary(c, n);
	case NODE_ASSIGN:
		return n->a->kind == NODE_AGG ? d_check_aggregation(c, n) : d_check_assignment(c, n);
	case NODE_CONDITION:
		return d_check_condition(c, n, is_statement);
	case NODE_CAST:
	case NODE_STRINGOF:
		return d_check_cast(c, n);
	case NODE_SIZEOF:
	case NODE_OFFSETOF:
		return d_check_sizes(c, n);
	case NODE_XLATE:
		return d_check_fail(c, n, "D_XLATE_SOU", "xlate needs a member after it: xlate <type> (expression)->member");
	case NODE_IF:
		break;
	}
	return d_check_fail(c, n, "D_SYNTAX", "a statement, not an expression");
}

static void add_below(struct d_node *n, const struct d_node *below)
{
	if (below->depth >= n->depth)
		n->depth = below->depth + 1;
	n->size += below->size;
}

static bool fail_depth(struct d_checker *c, const struct d_node *n)
{
	return d_check_fail(c, n, "D_SYNTAX", "inlines nested too deep");
}

/* Computes the depth and the size again: inlines made the tree deeper. */
static bool check_extent(struct d_checker *c, struct d_node *n)
{
	const struct d_node *below[] = { n->a, n->b, n->c };

	n->depth = 0;
	n->size = 1;
	for (unsigned i = 0; i < 3; i++)
		if (below[i])
			add_below(n, below[i]);
	for (const struct d_node *e = n->list; e; e = e->next)
		add_below(n, e);
	if (n->size > EXPRESSION_MAX)
		return d_check_fail(c, n, "D_SYNTAX", "the expression is too large with its inlines and translators");
	return n->depth <= CHECK_DEPTH_MAX || fail_depth(c, n);
}

/* is_statement: it stands alone, and no one uses its value. */
static bool check_expression(struct d_checker *c, struct d_node *n, bool is_statement)
{
	bool ok;

	if (++c->n_nodes > NODES_MAX)
		return d_check_fail(c, n, "D_SYNTAX", "the script is too large with its inlines and translators");
	if (c->depth == CHECK_DEPTH_MAX)
		return fail_depth(c, n);
	c->depth++;
	ok = check_kind(c, n, is_statement) && check_extent(c, n);
	c->depth--;
	return ok;
}

bool d_check_node(struct d_checker *c, struct d_node *n) { return check_expression(c, n, false); }

static bool check_comma(struct d_checker *c, struct d_node *n)
{
	if (!d_check_statement(c, n->a) || !d_check_statement(c, n->b))
		return false;
	n->type = n->b->type;
	return true;
}

static bool check_if(struct d_checker *c, struct d_node *n)
{
	if (!d_check_node(c, n->a))
		return false;
	if (!d_type_is_scalar(n->a->type))
		return d_check_fail(c, n->a, "D_OP_SCALAR", "condition of if must be of scalar type");
	for (struct d_node *s = n->list; s; s = s->next)
		if (!d_check_statement(c, s))
			return false;
	for (struct d_node *s = n->otherwise; s; s = s->next)
		if (!d_check_statement(c, s))
			return false;
	return true;
}

bool d_check_statement(struct d_checker *c, struct d_node *n)
{
	if (n->kind == NODE_IF)
		return check_if(c, n);
	if (n->kind == NODE_BINARY && n->op == ',')
		return check_comma(c, n) && check_extent(c, n);
	return check_expression(c, n, true);
}

/* ---- items ---- */

static bool check_clause(struct d_checker *c, const struct d_unit *u, const struct d_item *item)
{
	struct d_clause *clause;

	if (item->predicate) {
		if (!d_check_node(c, item->predicate))
			return false;
		if (!d_type_is_scalar(item->predicate->type))
			return d_check_fail(c, item->predicate, "D_PRED_SCALAR", "predicate result must be of scalar type");
	}
	for (struct d_node *n = item->statements; n; n = n->next)
		if (!d_check_statement(c, n))
			return false;
	clause = d_alloc(c->arena, sizeof(*clause));
	if (!clause)
		return false;
	*clause = (struct d_clause){ .unit = u, .item = item, .id = c->program->n_clauses++ };
	*c->clauses_end = clause;
	c->clauses_end = &clause->next;
	return true;
}

static bool check_redeclared(struct d_checker *c, const struct d_item *item)
{
	const struct d_node place = { .at = item->at };
	const struct d_variable *v = d_check_find(c, item->scope, item->name);
	bool is_builtin = item->scope == SCOPE_GLOBAL && d_builtin_find(item->name);

	if (is_builtin || (v && (item->kind == ITEM_INLINE || !d_type_same(v->type, item->type))))
		return d_check_fail(c, &place, "D_DECL_IDRED", "identifier redeclared: %s", item->name);
	return true;
}

/* The rule of assignments; but 0 is no string. */
static bool check_inline_type(struct d_checker *c, const struct d_item *item)
{
	char to[64], from[64];

	if (d_check_can_assign(item->type, item->value) &&
	    (d_type_resolve(item->type)->kind != TYPE_STRING || d_check_is_string(item->value->type)))
		return true;
	return d_check_fail(c, item->value, "D_OP_INCOMPAT", "inline %s definition uses incompatible types: \"%s\" = \"%s\"",
			    item->name, d_check_type_text(item->type, to), d_check_type_text(item->value->type, from));
}

static bool check_inline(struct d_checker *c, const struct d_item *item)
{
	const struct d_node place = { .at = item->at };
	struct d_variable *v;

	if (item->parameters)
		return d_check_fail(c, &place, "D_UNKNOWN", "inlines with parameters are not available yet");
	if (!check_redeclared(c, item) || !d_check_node(c, item->value) || !check_inline_type(c, item))
		return false;
	v = d_alloc(c->arena, sizeof(*v));
	if (!v)
		return false;
	*v = (struct d_variable){ .name = item->name, .type = item->type, .inlined = item };
	d_check_keep(c, v);
	return true;
}

static bool check_item(struct d_checker *c, const struct d_unit *u, const struct d_item *item)
{
	c->at = item->at;
	switch (item->kind) {
	case ITEM_CLAUSE:
		return check_clause(c, u, item);
	case ITEM_VARIABLE:
		return check_redeclared(c, item) &&
		       (d_check_find(c, item->scope, item->name) || d_check_add(c, item->scope, item->name, item->type));
	case ITEM_INLINE:
		return check_inline(c, item);
	case ITEM_TYPE:
	case ITEM_TRANSLATOR:
	case ITEM_PROVIDER:
		return true;
	}
	return false;
}

int d_check(struct d_program *p, struct d_unit *u, struct d_error *error)
{
	struct d_checker c = { .program = p, .types = p->types, .arena = p->types->arena, .script = &u->script, .error = error,
			       .items = u->items, .clauses_end = &p->clauses };

	while (*c.clauses_end)
		c.clauses_end = &(*c.clauses_end)->next;
	for (const struct d_item *item = u->items; item; item = item->next)
		if (!check_item(&c, u, item)) {
			if (c.arena->failed)
				d_fail_full(error, &u->script, item->at);
			return c.arena->failed ? -ENOMEM : -EINVAL;
		}
	return 0;
}
