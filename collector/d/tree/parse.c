#include "collector/d/tree/parse_private.h"

#include <errno.h>
#include <stdarg.h>

/* ---- tokens ---- */

const struct d_token *d_parser_peek(struct d_parser *p)
{
	if (!p->has_token) {
		p->token = d_lex(&p->lexer);
		p->has_token = true;
	}
	return &p->token;
}

struct d_token d_parser_next(struct d_parser *p)
{
	struct d_token t = *d_parser_peek(p);

	p->has_token = false;
	return t;
}

bool d_parser_accept(struct d_parser *p, int kind)
{
	if (d_parser_peek(p)->kind != kind)
		return false;
	p->has_token = false;
	return true;
}

void *d_parser_fail(struct d_parser *p, __u32 at, const char *tag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	d_fail_args(p->lexer.error, p->lexer.script, p->arena, at, tag, format, args);
	va_end(args);
	return NULL;
}

void *d_parser_near(struct d_parser *p, const struct d_token *t)
{
	if (t->kind == TOKEN_ERROR)
		return NULL;
	if (t->kind == TOKEN_END)
		return d_parser_fail(p, t->at, "D_SYNTAX", "syntax error near end of input");
	return d_parser_fail(p, t->at, "D_SYNTAX", "syntax error near \"%.*s\"", (int)(t->len < 40 ? t->len : 40),
			     p->lexer.script->text + t->at);
}

bool d_parser_expect(struct d_parser *p, int kind)
{
	if (d_parser_accept(p, kind))
		return true;
	if (d_parser_peek(p)->kind == TOKEN_END)
		d_parser_fail(p, p->token.at, "D_SYNTAX", "syntax error near end of input: %s expected", d_token_name(kind));
	d_parser_near(p, d_parser_peek(p));
	return false;
}

bool d_parser_enter(struct d_parser *p, __u32 at)
{
	if (++p->depth <= D_DEPTH_MAX)
		return true;
	p->depth--;
	d_parser_fail(p, at, "D_SYNTAX", "nested more than %d deep", D_DEPTH_MAX);
	return false;
}

const char *d_parser_name(struct d_parser *p, bool also_keywords)
{
	struct d_token t = d_parser_next(p);

	if (t.kind == TOKEN_NAME || (also_keywords && t.kind >= KEY_AUTO && t.kind < KEY_END))
		return t.text;
	return d_parser_near(p, &t);
}

struct d_item *d_parser_item(struct d_parser *p, enum d_item_kind kind, __u32 at)
{
	struct d_item *item = d_alloc(p->arena, sizeof(*item));

	if (!item)
		return NULL;
	item->kind = kind;
	item->at = at;
	return item;
}

void d_parser_add(struct d_parser *p, struct d_item *item)
{
	*p->items_end = item;
	p->items_end = &item->next;
}

/* ---- clauses ---- */

static bool is_type(const void *types, const char *name)
{
	return d_types_find(types, TAG_NONE, name);
}

static struct d_token next_top(struct d_parser *p, unsigned flags)
{
	return d_lex_top(&p->lexer, is_type, p->types, flags & D_PARSE_SPECS);
}

static bool parse_statements(struct d_parser *p, struct d_node **ret_list);
static bool parse_statement(struct d_parser *p, struct d_node **ret_node);

/* { ... }, or one statement, which may be empty. */
static bool parse_body(struct d_parser *p, struct d_node **ret_list)
{
	if (d_parser_accept(p, '{'))
		return parse_statements(p, ret_list);
	return d_parser_accept(p, ';') || parse_statement(p, ret_list);
}

static bool parse_if(struct d_parser *p, struct d_node **ret_node)
{
	__u32 at = d_parser_next(p).at;
	struct d_node *n = d_node_new(p, NODE_IF, at);

	*ret_node = n;
	if (!n || !d_parser_enter(p, at))
		return false;
	if (!d_parser_expect(p, '(') || !(n->a = d_parse_expression(p)) || !d_parser_expect(p, ')') || !parse_body(p, &n->list))
		return false;
	if (d_parser_accept(p, KEY_ELSE) && !parse_body(p, &n->otherwise))
		return false;
	d_parser_leave(p);
	return true;
}

/* With the `;` that ends it, which may lack before a closing brace. */
static bool parse_statement(struct d_parser *p, struct d_node **ret_node)
{
	if (d_parser_peek(p)->kind == KEY_IF)
		return parse_if(p, ret_node);
	*ret_node = d_parse_expression(p);
	return *ret_node && (d_parser_peek(p)->kind == '}' || d_parser_expect(p, ';'));
}

/* Up to and with the closing brace.  Statements are divided by `;`, which may lack at the end. */
static bool parse_statements(struct d_parser *p, struct d_node **ret_list)
{
	for (;;) {
		while (d_parser_accept(p, ';'))
			;
		if (d_parser_accept(p, '}'))
			return true;
		if (!parse_statement(p, ret_list))
			return false;
		ret_list = &(*ret_list)->next;
	}
}

static bool add_spec(struct d_parser *p, const struct d_token *t, struct d_spec ***end)
{
	struct d_spec *s = t->kind == TOKEN_SPEC ? d_alloc(p->arena, sizeof(*s)) : NULL;

	if (!s) {
		d_parser_near(p, t);
		return false;
	}
	*s = (struct d_spec){ NULL, t->at, t->text };
	**end = s;
	*end = &s->next;
	return true;
}

/* The descriptions; *ret_end: the token after them. */
static bool parse_specs(struct d_parser *p, unsigned flags, struct d_token first, struct d_item *item, struct d_token *ret_end)
{
	struct d_spec **end = &item->specs;

	if (!add_spec(p, &first, &end))
		return false;
	for (;;) {
		struct d_token t = next_top(p, flags);

		if (t.kind != ',') {
			*ret_end = t;
			return true;
		}
		t = next_top(p, flags);
		if (!add_spec(p, &t, &end))
			return false;
	}
}

static bool parse_clause(struct d_parser *p, unsigned flags, struct d_token first)
{
	struct d_item *item = d_parser_item(p, ITEM_CLAUSE, first.at);
	struct d_token t;

	if (!item || !parse_specs(p, flags, first, item, &t))
		return false;
	if (t.kind == '/') {
		item->predicate = d_parse_expression(p);
		if (!item->predicate || !d_parser_expect(p, TOKEN_PREDICATE_END))
			return false;
		t = next_top(p, flags);
	}
	if (t.kind == '{') {
		item->has_body = true;
		if (!parse_statements(p, &item->statements))
			return false;
	} else if ((t.kind == TOKEN_END || t.kind == ';') && flags & D_PARSE_SPECS) {
		p->lexer.at = t.at;
	} else {
		if (t.kind == TOKEN_END || t.kind == ';')
			d_parser_fail(p, t.at, "D_SYNTAX", "expected predicate and/or actions following probe description");
		d_parser_near(p, &t);
		return false;
	}
	d_parser_add(p, item);
	return true;
}

static bool parse_top(struct d_parser *p, unsigned flags)
{
	for (;;) {
		struct d_token t = next_top(p, flags);
		bool ok = true;

		if (t.kind == TOKEN_END)
			return true;
		if (t.kind == TOKEN_SPEC) {
			ok = parse_clause(p, flags, t);
		} else if (t.kind == TOKEN_NAME || (t.kind >= KEY_AUTO && t.kind < KEY_END)) {
			p->lexer.at = t.at;
			ok = d_parse_declaration(p);
		} else if (t.kind != ';') {
			d_parser_near(p, &t);
			ok = false;
		}
		if (!ok)
			return false;
	}
}

int d_parse(const struct d_script *s, unsigned flags, struct d_types *types, struct d_macros *macros, struct d_unit *ret_unit,
	    struct d_error *error)
{
	struct d_parser p = { .types = types, .arena = types->arena };
	struct d_unit unit = { .script = *s };

	if (s->len > D_SCRIPT_MAX)
		return d_fail(error, s, 0, "D_UNKNOWN", "the script is larger than %u bytes", D_SCRIPT_MAX);
	d_lex_init(&p.lexer, s, types->arena, macros, error);
	p.items_end = &unit.items;
	if (!parse_top(&p, flags)) {
		if (!types->arena->failed)
			return d_fail(error, s, p.lexer.at, "D_SYNTAX", "syntax error");
		d_fail_full(error, s, p.lexer.at);
		return -ENOMEM;
	}
	unit.pragmas = p.lexer.pragmas;
	*ret_unit = unit;
	return 0;
}
