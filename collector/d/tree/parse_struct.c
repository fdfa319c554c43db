#include "collector/d/tree/fold.h"
#include "collector/d/tree/parse_private.h"

#include <limits.h>

#define MEMBERS_MAX 4096		/* each name is compared with those before it */

/* The width of a bit field, after its `:`. */
static bool parse_bits(struct d_parser *p, struct d_member *m)
{
	struct d_node *width = d_parse_condition(p);
	__u64 bits;

	if (!width)
		return false;
	if (!d_fold_tree(width, p->types, &bits) || (__s64)bits <= 0)
		return d_parser_fail(p, width->at, "D_DECL_BFCONST", "positive integral constant expression expected as bit-field size");
	if (!d_type_is_integer(m->type))
		return d_parser_fail(p, width->at, "D_DECL_BFTYPE", "invalid type for bit-field");
	if (bits > 8ull * d_type_resolve(m->type)->size)
		return d_parser_fail(p, width->at, "D_DECL_BFSIZE", "bit-field too big for its type");
	m->n_bits = bits;
	return true;
}

static bool check_member(struct d_parser *p, const struct d_member *m, const struct d_member *before, __u32 at)
{
	const struct d_type *type = d_type_resolve(m->type);

	if (!*m->name && !m->n_bits)
		return d_parser_fail(p, at, "D_DECL_MNAME", "member declaration requires a name");
	if (type->kind == TYPE_FUNCTION || type->kind == TYPE_VOID || type->kind == TYPE_ASSOCIATIVE)
		return d_parser_fail(p, at, "D_DECL_COMBO", "type of member %s is not allowed in a struct or union", m->name);
	if (!type->is_complete)
		return d_parser_fail(p, at, "D_DECL_INCOMPLETE", "type of member %s is incomplete", m->name);
	for (; *m->name && before && before != m; before = before->next)
		if (!__builtin_strcmp(before->name, m->name))
			return d_parser_fail(p, at, "D_DECL_IDRED", "identifier redeclared: %s", m->name);
	return true;
}

/* The members between the braces, up to and with the closing one. */
static bool parse_members(struct d_parser *p, struct d_member **ret_list)
{
	struct d_member **last = ret_list;
	unsigned n = 0;

	while (!d_parser_accept(p, '}')) {
		struct d_specifiers s;

		if (!d_parse_specifiers(p, &s))
			return false;
		do {
			__u32 at = d_parser_peek(p)->at;
			struct d_member *m = d_alloc(p->arena, sizeof(*m));

			if (!m || !(m->type = d_parse_declarator(p, s.type, &m->name)) ||
			    (d_parser_accept(p, ':') && !parse_bits(p, m)))
				return false;
			if (n++ == MEMBERS_MAX)
				return d_parser_fail(p, at, "D_SYNTAX", "more than %d members in a struct or union", MEMBERS_MAX);
			*last = m;
			last = &m->next;
			if (!check_member(p, m, *ret_list, at))
				return false;
		} while (d_parser_accept(p, ','));
		if (!d_parser_expect(p, ';'))
			return false;
	}
	return true;
}

static bool add_enumerator(struct d_parser *p, const char *name, __s64 value, __u32 at)
{
	if (value > INT_MAX || value < INT_MIN)
		return d_parser_fail(p, at, "D_DECL_ENOFLOW", "enumerator value overflow: %s", name);
	if (d_types_add_enumerator(p->types, name, value))
		return d_parser_fail(p, at, "D_DECL_IDRED", "identifier redeclared: %s", name);
	return true;
}

static bool parse_enumerators(struct d_parser *p)
{
	__s64 value = 0;

	while (!d_parser_accept(p, '}')) {
		__u32 at = d_parser_peek(p)->at;
		const char *name = d_parser_name(p, false);

		if (!name)
			return false;
		if (d_parser_accept(p, '=')) {
			struct d_node *n = d_parse_condition(p);

			if (!n)
				return false;
			if (!d_fold_tree(n, p->types, (__u64 *)&value))
				return d_parser_fail(p, n->at, "D_DECL_ENCONST", "enumerator '%s' must be assigned an integral "
						     "constant expression", name);
		}
		if (!add_enumerator(p, name, value++, at))
			return false;
		if (d_parser_peek(p)->kind != '}' && !d_parser_expect(p, ','))
			return false;
	}
	return true;
}

/* Members and enumerators were parsed; it may have been defined meanwhile, inside its own braces. */
static struct d_type *complete_tagged(struct d_parser *p, struct d_type *type, struct d_member *members, __u32 at)
{
	if (type->is_complete)
		return d_parser_fail(p, at, "D_DECL_TYPERED", "type redeclared: %s", type->name);
	if (type->kind == TYPE_ENUM) {
		type->size = type->align = 4;
		type->is_signed = type->is_complete = true;
	} else if (d_type_complete(type, members)) {
		return d_parser_fail(p, at, "D_DECL_ARRBIG", "struct or union is too big");
	}
	return type;
}

static struct d_type *find_tagged(struct d_parser *p, enum d_tag tag, const char *name)
{
	struct d_type *type = name ? (struct d_type *)d_types_find(p->types, tag, name) : NULL;

	if (type)
		return type;
	type = d_type_tagged(p->types, tag, name);
	return type && (!name || !d_types_add(p->types, tag, name, type)) ? type : NULL;
}

const struct d_type *d_parse_tagged(struct d_parser *p, enum d_tag tag)
{
	struct d_token t = *d_parser_peek(p);
	const char *name = t.kind == TOKEN_NAME ? d_parser_next(p).text : NULL;
	struct d_type *type = find_tagged(p, tag, name);
	struct d_member *members = NULL;

	if (!type || !d_parser_accept(p, '{'))
		return type && !name ? d_parser_near(p, d_parser_peek(p)) : type;
	if (type->is_complete)
		return d_parser_fail(p, t.at, "D_DECL_TYPERED", "type redeclared: %s", name);
	if (!d_parser_enter(p, t.at))
		return NULL;
	if (tag == TAG_ENUM ? !parse_enumerators(p) : !parse_members(p, &members))
		return NULL;
	d_parser_leave(p);
	return complete_tagged(p, type, members, t.at);
}
