#include "collector/d/check/check_private.h"
#include "collector/d/text/format.h"

#include <string.h>

/* ---- arguments ---- */

static bool argument_fits(char letter, const struct d_node *n)
{
	switch (letter) {
	case 's':
		return d_check_is_string(n->type);
	case 'c':
		return n->kind == NODE_STRING;
	case 'b':
		return n->kind == NODE_STRING || (n->kind == NODE_NAME && n->scope == SCOPE_GLOBAL);
	case 'i':
		return d_type_is_integer(n->type);
	case 'p':
		return d_type_is_scalar(n->type) || d_check_is_string(n->type);
	}
	return true;
}

/* Arguments that are no expressions: aggregations, and names such as true. */
static bool check_plain_argument(struct d_checker *c, char letter, struct d_node *n)
{
	if (n->kind == NODE_AGG)
		return d_check_named_aggregation(c, n);
	if (letter == 'b' && n->kind == NODE_NAME && n->scope == SCOPE_GLOBAL) {
		n->type = d_types_intrinsic(D_STRING);
		return true;
	}
	return d_check_node(c, n);
}

bool d_check_arguments(struct d_checker *c, struct d_node *n)
{
	const char *letter = n->function->arguments;
	struct d_node *e = n->list;
	bool optional = false;

	for (unsigned i = 1; e; e = e->next, i++) {
		if (*letter == '?') {
			optional = true;
			letter++;
		}
		if (!*letter)
			return d_check_fail(c, n, "D_PROTO_LEN", "%s( ) prototype mismatch: too many arguments", n->text);
		if (!check_plain_argument(c, *letter, e))
			return false;
		if (*letter == '*')
			continue;
		if ((*letter == '@') != (e->kind == NODE_AGG) || (*letter != '@' && !argument_fits(*letter, e)))
			return d_check_fail(c, e, "D_PROTO_ARG", "%s( ) argument #%u is incompatible with prototype", n->text, i);
		letter++;
	}
	if (*letter && *letter != '?' && *letter != '*' && !optional)
		return d_check_fail(c, n, "D_PROTO_LEN", "%s( ) prototype mismatch: too few arguments", n->text);
	return true;
}

/* ---- printf ---- */

bool d_check_value_fits(const struct d_directive *d, const struct d_type *type)
{
	switch (d->conversion) {
	case 's': case 'S':
		return d_check_is_string(type) || d_type_is_integer(type);	/* %s of an integer: with a warning */
	case 'p': case 'x': case 'X': case 'u': case 'o':
		return d_type_is_scalar(type);
	case 'k':
		return d_type_resolve(type)->kind == TYPE_STACK;
	}
	return d_type_is_integer(type);
}

bool d_check_format(struct d_checker *c, struct d_node *call, const struct d_node *format)
{
	const char *reason = "";

	if (d_format_parse(format->text, format->text_len, c->arena, &call->format, &reason))
		return d_check_fail(c, format, "D_SYNTAX", "format of %s( ): %s", call->text, reason);
	for (const struct d_directive *d = call->format; d; d = d->next)
		if (d->conversion && !strchr("%sSpxXuokcdiTY", d->conversion))
			return d_check_fail(c, format, "D_UNKNOWN", "%s( ) conversion %%%c is not available yet", call->text,
					    d->conversion);
	return true;
}

static bool take_star(struct d_checker *c, struct d_node *call, struct d_node **e, const char *what)
{
	if (!*e)
		return d_check_fail(c, call, "D_PRINTF_DYN_PROTO", "printf( ) prototype mismatch: dynamic %s argument missing", what);
	if (!d_type_is_integer((*e)->type))
		return d_check_fail(c, *e, "D_PRINTF_DYN_TYPE", "printf( ) argument for a dynamic %s must be of integral type", what);
	*e = (*e)->next;
	return true;
}

static bool check_directive(struct d_checker *c, struct d_node *n, const struct d_directive *d, struct d_node **e, unsigned i)
{
	char type[64];

	if (d->flags & FORMAT_AGG)
		return d_check_fail(c, n, "D_PRINTF_AGG_CONV", "%%@ conversion requires an aggregation and is not for use with printf( )");
	if ((d->has_star_width && !take_star(c, n, e, "width")) || (d->has_star_precision && !take_star(c, n, e, "precision")))
		return false;
	if (!*e)
		return d_check_fail(c, n, "D_PRINTF_ARG_PROTO", "printf( ) prototype mismatch: conversion #%u (%%%c) is missing a "
				    "corresponding value argument", i, d->conversion);
	if (!d_check_value_fits(d, (*e)->type))
		return d_check_fail(c, *e, "D_PRINTF_ARG_TYPE", "printf( ) argument is incompatible with conversion #%u (%%%c): it is %s",
				    i, d->conversion, d_check_type_text((*e)->type, type));
	if (strchr("sS", d->conversion) && !d_check_is_string((*e)->type))
		d_check_warn(c, *e, "D_PRINTF_ARG_TYPE", "printf( ) argument is incompatible with conversion #%u (%%%c): it is %s, and is printed "
			     "as a number", i, d->conversion, d_check_type_text((*e)->type, type));
	*e = (*e)->next;
	return true;
}

static bool check_printf(struct d_checker *c, struct d_node *n)
{
	struct d_node *format = n->list, *e;
	unsigned i = 1;

	if (format->kind != NODE_STRING)
		return d_check_fail(c, format, "D_PRINTF_ARG_FMT", "printf( ) format must be a string constant");
	if (!format->text_len)
		return d_check_fail(c, format, "D_PRINTF_FMT_EMPTY", "printf( ) format string is empty");
	if (!d_check_format(c, n, format))
		return false;
	e = format->next;
	for (const struct d_directive *d = n->format; d; d = d->next)
		if (d->conversion && d->conversion != '%' && !check_directive(c, n, d, &e, i++))
			return false;
	if (e)
		return d_check_fail(c, e, "D_PRINTF_ARG_EXTRA", "printf( ) prototype mismatch: more arguments than conversions");
	return true;
}

/* ---- calls ---- */

bool d_check_undefined_function(struct d_checker *c, const struct d_node *n)
{
	struct d_suggestion s = { .unknown = n->text };
	char meant[D_SUGGESTION_LEN];

	if (d_check_find(c, SCOPE_GLOBAL, n->text) || d_builtin_find(n->text))
		return d_check_fail(c, n, "D_FUNC_IDKIND", "%s( ) refers to a variable, not to a function", n->text);
	for (size_t i = 0; d_function_at(i); i++)
		d_suggest(&s, d_function_at(i)->name);
	return d_check_fail(c, n, "D_FUNC_UNDEF", "undefined function name: %s%s", n->text, d_suggestion_text(&s, "", meant));
}

bool d_check_call(struct d_checker *c, struct d_node *n, bool is_statement)
{
	n->function = d_function_find(n->text);
	if (!n->function)
		return d_check_undefined_function(c, n);
	if (n->function->kind == FUNCTION_AGGREGATING)
		return d_check_fail(c, n, "D_SYNTAX", "%s( ) may only be assigned to an aggregation", n->text);
	if (n->function->kind == FUNCTION_ACTION && !is_statement && n->function->result != D_STACK)
		return d_check_fail(c, n, "D_CG_EXPR", "%s( ) may not be called from a D expression (D program context required)", n->text);
	if (!d_check_arguments(c, n))
		return false;
	n->type = d_types_intrinsic(n->function->result);
	if (n->function->id == FUNCTION_TRACE && d_type_resolve(n->list->type)->kind == TYPE_VOID)
		return d_check_fail(c, n->list, "D_TRACE_VOID", "trace( ) may not be applied to a void expression");
	if (n->function->id == FUNCTION_PRINTA)
		return d_check_printa(c, n);
	return n->function->id == FUNCTION_PRINTF ? check_printf(c, n) : true;
}
