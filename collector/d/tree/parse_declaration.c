#include "collector/d/tree/parse_private.h"

#include <string.h>

/* ---- variables and types ---- */

static bool add_typedef(struct d_parser *p, struct d_item *item)
{
	const struct d_type *alias = d_type_alias(p->types, item->name, item->type);

	if (!*item->name)
		return d_parser_fail(p, item->at, "D_DECL_USELESS", "useless declaration");
	if (!alias)
		return d_parser_fail(p, item->at, "D_SYNTAX", "types nested more than %d deep", D_TYPE_DEPTH_MAX);
	if (d_types_add(p->types, TAG_NONE, item->name, alias))
		return d_parser_fail(p, item->at, "D_DECL_TYPERED", "type redeclared: %s", item->name);
	item->kind = ITEM_TYPE;
	return true;
}

static bool check_variable(struct d_parser *p, const struct d_item *item)
{
	const struct d_type *type = d_type_resolve(item->type);

	if (!*item->name)
		return d_parser_fail(p, item->at, "D_DECL_USELESS", "useless declaration");
	if (strchr(item->name, '`'))
		return d_parser_fail(p, item->at, "D_DECL_SCOPE", "scoping operator may not be used in a declaration");
	if (type->kind == TYPE_VOID)
		return d_parser_fail(p, item->at, "D_DECL_VOIDOBJ", "void object declaration");
	if (type->kind == TYPE_STACK)
		return d_parser_fail(p, item->at, "D_DECL_DYNOBJ", "cannot declare object of dynamic type");
	if (type->kind == TYPE_ARRAY && !type->n_elements)
		return d_parser_fail(p, item->at, "D_DECL_ARRNULL", "array declaration requires array dimension or tuple signature");
	if (type->kind == TYPE_ASSOCIATIVE && item->scope == SCOPE_THIS)
		return d_parser_fail(p, item->at, "D_DECL_LOCASSC", "associative arrays may not be declared as local variables");
	if (!type->is_complete)
		return d_parser_fail(p, item->at, "D_DECL_INCOMPLETE", "incomplete struct/union/enum");
	return true;
}

static bool parse_variables(struct d_parser *p, const struct d_specifiers *s)
{
	do {
		struct d_item *item = d_parser_item(p, ITEM_VARIABLE, d_parser_peek(p)->at);

		if (!item || !(item->type = d_parse_declarator(p, s->type, &item->name)))
			return false;
		item->scope = s->storage == KEY_SELF ? SCOPE_SELF : s->storage == KEY_THIS ? SCOPE_THIS : SCOPE_GLOBAL;
		if (s->storage == KEY_TYPEDEF ? !add_typedef(p, item) : !check_variable(p, item))
			return false;
		d_parser_add(p, item);
	} while (d_parser_accept(p, ','));
	return d_parser_expect(p, ';');
}

static bool parse_plain(struct d_parser *p)
{
	__u32 at = d_parser_peek(p)->at;
	struct d_specifiers s;
	struct d_item *item;

	if (!d_parse_specifiers(p, &s))
		return false;
	if (!d_parser_accept(p, ';'))
		return parse_variables(p, &s);
	if (!s.declares || s.storage)
		return d_parser_fail(p, at, "D_DECL_USELESS", "useless declaration");
	item = d_parser_item(p, ITEM_TYPE, at);
	if (!item)
		return false;
	item->type = s.type;
	d_parser_add(p, item);
	return true;
}

/* ---- inline, translator, provider ---- */

static bool parse_inline(struct d_parser *p, __u32 at)
{
	struct d_item *item = d_parser_item(p, ITEM_INLINE, at);
	struct d_specifiers s;

	if (!item || !d_parse_specifiers(p, &s) || !(item->type = d_parse_declarator(p, s.type, &item->name)))
		return false;
	if (!*item->name)
		return d_parser_fail(p, at, "D_DECL_USELESS", "inline declaration requires a name");
	if (item->type->kind == TYPE_ASSOCIATIVE) {
		item->parameters = item->type->members;
		item->type = item->type->base;
	}
	if (!d_parser_expect(p, '=') || !(item->value = d_parse_assignment(p)) || !d_parser_expect(p, ';'))
		return false;
	d_parser_add(p, item);
	return true;
}

static bool parse_translator_members(struct d_parser *p, struct d_node **end)
{
	while (!d_parser_accept(p, '}')) {
		struct d_node *n = d_node_new(p, NODE_MEMBER, d_parser_peek(p)->at);

		if (!n || !(n->text = d_parser_name(p, true)) || !d_parser_expect(p, '=') ||
		    !(n->a = d_parse_assignment(p)) || !d_parser_expect(p, ';'))
			return false;
		*end = n;
		end = &n->next;
	}
	return true;
}

static bool parse_translator(struct d_parser *p, __u32 at)
{
	struct d_item *item = d_parser_item(p, ITEM_TRANSLATOR, at);
	struct d_specifiers s;

	if (!item || !(item->type = d_parse_type_name(p)) || !d_parser_expect(p, '<') || !d_parse_specifiers(p, &s) ||
	    !(item->from = d_parse_declarator(p, s.type, &item->name)) || !d_parser_expect(p, '>') ||
	    !d_parser_expect(p, '{') || !parse_translator_members(p, &item->value) || !d_parser_expect(p, ';'))
		return false;
	d_parser_add(p, item);
	return true;
}

/* `probe name(types) : (types);` */
static bool parse_probe(struct d_parser *p, struct d_spec ***end)
{
	struct d_spec *s = d_alloc(p->arena, sizeof(*s));
	struct d_member *parameters = NULL;
	bool is_variadic;

	if (!s || !d_parser_expect(p, KEY_PROBE))
		return false;
	s->at = d_parser_peek(p)->at;
	s->text = d_parser_name(p, true);
	if (!s->text || !d_parser_expect(p, '(') || !d_parse_parameters(p, ')', &parameters, &is_variadic))
		return false;
	if (d_parser_accept(p, ':') &&
	    (!d_parser_expect(p, '(') || !d_parse_parameters(p, ')', &parameters, &is_variadic)))
		return false;
	**end = s;
	*end = &s->next;
	return d_parser_expect(p, ';');
}

static bool parse_provider(struct d_parser *p, __u32 at)
{
	struct d_item *item = d_parser_item(p, ITEM_PROVIDER, at);
	struct d_spec **end;

	if (!item || !(item->name = d_parser_name(p, false)) || !d_parser_expect(p, '{'))
		return false;
	end = &item->specs;
	while (!d_parser_accept(p, '}'))
		if (!parse_probe(p, &end))
			return false;
	if (!d_parser_expect(p, ';'))
		return false;
	d_parser_add(p, item);
	return true;
}

bool d_parse_declaration(struct d_parser *p)
{
	__u32 at = d_parser_peek(p)->at;

	if (d_parser_accept(p, KEY_INLINE))
		return parse_inline(p, at);
	if (d_parser_accept(p, KEY_TRANSLATOR))
		return parse_translator(p, at);
	if (d_parser_accept(p, KEY_PROVIDER))
		return parse_provider(p, at);
	return parse_plain(p);
}
