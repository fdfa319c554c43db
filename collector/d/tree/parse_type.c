#include "collector/d/tree/fold.h"
#include "collector/d/tree/parse_private.h"

#define MODIFIERS_MAX 64		/* pointers, arrays and functions of one declarator */

/* ---- specifiers ---- */

/* The words before a declarator, counted. */
struct words {
	unsigned n_long, n_short, n_signed, n_unsigned, n_base;
	const struct d_type *base;
	__u32 at;
};

static bool is_qualifier(int kind)
{
	return kind == KEY_CONST || kind == KEY_VOLATILE || kind == KEY_RESTRICT || kind == KEY_USERLAND;
}

bool d_parse_begins_type(struct d_parser *p)
{
	const struct d_token *t = d_parser_peek(p);

	switch (t->kind) {
	case KEY_VOID: case KEY_CHAR: case KEY_SHORT: case KEY_INT: case KEY_LONG: case KEY_FLOAT: case KEY_DOUBLE:
	case KEY_SIGNED: case KEY_UNSIGNED: case KEY_STRING: case KEY_STRUCT: case KEY_UNION: case KEY_ENUM:
		return true;
	case TOKEN_NAME:
		return d_types_find(p->types, TAG_NONE, t->text);
	}
	return is_qualifier(t->kind);
}

static const struct d_type *keyword_type(int kind)
{
	switch (kind) {
	case KEY_VOID: return d_types_intrinsic(D_VOID);
	case KEY_CHAR: return d_types_intrinsic(D_CHAR);
	case KEY_INT: return d_types_intrinsic(D_INT);
	case KEY_FLOAT: return d_types_intrinsic(D_FLOAT);
	case KEY_DOUBLE: return d_types_intrinsic(D_DOUBLE);
	case KEY_STRING: return d_types_intrinsic(D_STRING);
	}
	return NULL;
}

static bool set_storage(struct d_parser *p, const struct d_token *t, struct d_specifiers *s)
{
	if (t->kind == KEY_AUTO || t->kind == KEY_REGISTER || t->kind == KEY_EXTERN)
		d_parser_fail(p, t->at, "D_DECL_BADCLASS", "specified storage class not appropriate in D");
	else if (s->storage)
		d_parser_fail(p, t->at, "D_DECL_CLASS", "only one storage class allowed in declaration");
	s->storage = t->kind;
	return !p->lexer.error->tag;
}

/* Takes the next token if it belongs to the specifiers.  *ret_more false: it does not. */
static bool take_word(struct d_parser *p, struct d_specifiers *s, struct words *w, bool *ret_more)
{
	struct d_token t = *d_parser_peek(p);
	const struct d_type *type = keyword_type(t.kind);

	*ret_more = true;
	if (t.kind == TOKEN_NAME && !w->n_base && !w->n_long && !w->n_short && !w->n_signed && !w->n_unsigned)
		type = d_types_find(p->types, TAG_NONE, t.text);
	if (t.kind == KEY_STRUCT || t.kind == KEY_UNION || t.kind == KEY_ENUM) {
		d_parser_next(p);
		type = d_parse_tagged(p, t.kind == KEY_STRUCT ? TAG_STRUCT : t.kind == KEY_UNION ? TAG_UNION : TAG_ENUM);
		w->base = type;
		w->n_base++;
		s->declares = true;
		return type;
	}
	if (type) {
		w->base = type;
		w->n_base++;
	} else if (t.kind == KEY_LONG) {
		w->n_long++;
	} else if (t.kind == KEY_SHORT) {
		w->n_short++;
	} else if (t.kind == KEY_SIGNED) {
		w->n_signed++;
	} else if (t.kind == KEY_UNSIGNED) {
		w->n_unsigned++;
	} else if (t.kind == KEY_TYPEDEF || t.kind == KEY_SELF || t.kind == KEY_THIS || t.kind == KEY_STATIC ||
		   t.kind == KEY_AUTO || t.kind == KEY_REGISTER || t.kind == KEY_EXTERN) {
		d_parser_next(p);
		return set_storage(p, &t, s);
	} else if (!is_qualifier(t.kind)) {
		*ret_more = false;
		return true;
	}
	d_parser_next(p);
	return true;
}

static const struct d_type *integer_type(const struct words *w)
{
	bool u = w->n_unsigned;

	if (w->base == d_types_intrinsic(D_CHAR))
		return d_types_intrinsic(u ? D_UCHAR : w->n_signed ? D_SCHAR : D_CHAR);
	if (w->n_short)
		return d_types_intrinsic(u ? D_USHORT : D_SHORT);
	if (w->n_long)
		return d_types_intrinsic(w->n_long == 2 ? u ? D_ULLONG : D_LLONG : u ? D_ULONG : D_LONG);
	return d_types_intrinsic(u ? D_UINT : D_INT);
}

/* The type that the words mean together. */
static const struct d_type *words_type(struct d_parser *p, const struct words *w)
{
	bool is_long = w->n_long, is_signed = w->n_signed || w->n_unsigned;

	if (w->n_base > 1 || (w->n_signed && w->n_unsigned) || w->n_long > 2 || w->n_short > 1 || (w->n_short && is_long))
		return d_parser_fail(p, w->at, "D_DECL_COMBO", "invalid type combination");
	if (!w->base || w->base == d_types_intrinsic(D_INT))
		return integer_type(w);
	if (w->base == d_types_intrinsic(D_CHAR)) {
		if (is_long || w->n_short)
			return d_parser_fail(p, w->at, "D_DECL_CHARATTR", "short or long may not be used with char type");
		return integer_type(w);
	}
	if (w->base->kind == TYPE_VOID && (is_long || w->n_short || is_signed))
		return d_parser_fail(p, w->at, "D_DECL_VOIDATTR", "invalid attributes for void declaration");
	if (is_signed)
		return d_parser_fail(p, w->at, "D_DECL_SIGNINT", "signed or unsigned may only be used with integer type");
	if (w->base == d_types_intrinsic(D_DOUBLE) && w->n_long == 1)
		return d_types_intrinsic(D_LDOUBLE);
	if (is_long || w->n_short)
		return d_parser_fail(p, w->at, "D_DECL_LONGINT", "long or short may only be used with integer or floating type");
	return w->base;
}

bool d_parse_specifiers(struct d_parser *p, struct d_specifiers *ret_specifiers)
{
	struct words w = { .at = d_parser_peek(p)->at };
	bool more = true;

	*ret_specifiers = (struct d_specifiers){ 0 };
	while (more)
		if (!take_word(p, ret_specifiers, &w, &more))
			return false;
	if (!w.base && !w.n_long && !w.n_short && !w.n_signed && !w.n_unsigned && !ret_specifiers->storage) {
		d_parser_near(p, d_parser_peek(p));
		return false;
	}
	ret_specifiers->type = words_type(p, &w);
	return ret_specifiers->type;
}

/* ---- declarators ---- */

/* A pointer, array, function or key that a declarator adds to its base. */
struct modifier {
	enum d_type_kind kind;
	__u32 at;
	__u32 n_elements;
	struct d_member *members;
	bool is_variadic;
};

struct declarator {
	struct modifier modifier[MODIFIERS_MAX];	/* in the order in which they are applied */
	unsigned n;
	const char *name;
};

bool d_parse_parameters(struct d_parser *p, int end, struct d_member **ret_list, bool *ret_is_variadic)
{
	struct d_member **last = ret_list;
	struct d_specifiers s;

	*ret_is_variadic = false;
	if (d_parser_accept(p, end))
		return true;
	for (;;) {
		struct d_member *m;

		if (d_parser_accept(p, TOKEN_ELLIPSIS)) {
			*ret_is_variadic = true;
			return d_parser_expect(p, end);
		}
		m = d_alloc(p->arena, sizeof(*m));
		if (!m || !d_parse_specifiers(p, &s))
			return false;
		m->type = d_parse_declarator(p, s.type, &m->name);
		if (!m->type)
			return false;
		*last = m;
		last = &m->next;
		if (d_parser_accept(p, end))
			break;
		if (!d_parser_expect(p, ','))
			return false;
	}
	if (end == ')' && !(*ret_list)->next && (*ret_list)->type->kind == TYPE_VOID)
		*ret_list = NULL;		/* (void) */
	return true;
}

static bool parse_array(struct d_parser *p, struct modifier *m)
{
	struct d_node *size;
	__u64 n;

	m->kind = TYPE_ARRAY;
	if (d_parse_begins_type(p)) {
		m->kind = TYPE_ASSOCIATIVE;
		return d_parse_parameters(p, ']', &m->members, &m->is_variadic);
	}
	if (d_parser_accept(p, ']'))
		return true;
	size = d_parse_condition(p);
	if (!size || !d_parser_expect(p, ']'))
		return false;
	if (!d_fold_tree(size, p->types, &n))
		return d_parser_fail(p, size->at, "D_DECL_ARRSUB", "positive integral constant expression or tuple signature "
				     "expected as array declaration subscript");
	if ((__s64)n < 0 || n > 1u << 30)
		return d_parser_fail(p, size->at, "D_DECL_ARRBIG", "array dimension is negative or too big");
	m->n_elements = n;
	return true;
}

static bool add_modifier(struct d_parser *p, struct declarator *d, struct modifier m)
{
	if (d->n == MODIFIERS_MAX)
		return d_parser_fail(p, m.at, "D_SYNTAX", "more than %d pointers, arrays and functions in a declarator", MODIFIERS_MAX);
	d->modifier[d->n++] = m;
	return true;
}

static bool parse_modifiers(struct d_parser *p, struct declarator *d)
{
	struct modifier suffix[MODIFIERS_MAX];
	unsigned n = 0;

	for (;; n++) {
		struct modifier m = { .at = d_parser_peek(p)->at };

		if (p->token.kind != '[' && p->token.kind != '(')
			break;
		if (n == MODIFIERS_MAX)
			return add_modifier(p, &(struct declarator){ .n = MODIFIERS_MAX }, m);
		if (d_parser_next(p).kind == '[') {
			if (!parse_array(p, &m))
				return false;
		} else {
			m.kind = TYPE_FUNCTION;
			if (!d_parse_parameters(p, ')', &m.members, &m.is_variadic))
				return false;
		}
		suffix[n] = m;
	}
	while (n)
		if (!add_modifier(p, d, suffix[--n]))
			return false;
	return true;
}

/* The modifiers of an inner declarator, in parentheses, are applied after those around it. */
static bool parse_declarator(struct d_parser *p, struct declarator *d)
{
	struct declarator inner = { .name = "" };
	__u32 at = d_parser_peek(p)->at;
	bool ok = true;

	if (!d_parser_enter(p, at))
		return false;
	while (d_parser_accept(p, '*')) {
		if (!add_modifier(p, d, (struct modifier){ .kind = TYPE_POINTER, .at = at }))
			return false;
		while (is_qualifier(d_parser_peek(p)->kind))
			d_parser_next(p);
	}
	if (d_parser_peek(p)->kind == TOKEN_NAME) {
		inner.name = d_parser_next(p).text;
	} else if (d_parser_accept(p, '(')) {
		if (d_parse_begins_type(p) || p->token.kind == ')') {		/* no name: the parameters of a function */
			struct modifier m = { .kind = TYPE_FUNCTION, .at = at };

			ok = d_parse_parameters(p, ')', &m.members, &m.is_variadic) && add_modifier(p, &inner, m);
		} else {
			ok = parse_declarator(p, &inner) && d_parser_expect(p, ')');
		}
	}
	ok = ok && parse_modifiers(p, d);
	for (unsigned i = 0; ok && i < inner.n; i++)
		ok = add_modifier(p, d, inner.modifier[i]);
	d->name = inner.name;
	d_parser_leave(p);
	return ok;
}

static const struct d_type *apply_array(struct d_parser *p, const struct d_type *type, const struct modifier *m)
{
	const struct d_type *element = d_type_resolve(type);

	if (element->kind == TYPE_FUNCTION || element->kind == TYPE_VOID)
		return d_parser_fail(p, m->at, "D_DECL_COMBO", "array of functions or of void");
	if (!element->is_complete)
		return d_parser_fail(p, m->at, "D_DECL_INCOMPLETE", "array of an incomplete struct, union or enum");
	if ((__u64)element->size * m->n_elements >> 31)
		return d_parser_fail(p, m->at, "D_DECL_ARRBIG", "array is too big");
	return d_type_array(p->types, type, m->n_elements);
}

static const struct d_type *apply_modifier(struct d_parser *p, const struct d_type *type, const struct modifier *m)
{
	switch (m->kind) {
	case TYPE_POINTER:
		return d_type_pointer(p->types, type);
	case TYPE_ARRAY:
		return apply_array(p, type, m);
	case TYPE_FUNCTION:
		return d_type_function(p->types, type, m->members, m->is_variadic);
	default:
		return d_type_associative(p->types, type, m->members);
	}
}

const struct d_type *d_parse_declarator(struct d_parser *p, const struct d_type *base, const char **ret_name)
{
	struct declarator d = { .name = "" };

	if (!parse_declarator(p, &d))
		return NULL;
	for (unsigned i = 0; i < d.n; i++) {
		base = apply_modifier(p, base, &d.modifier[i]);
		if (!base)
			return d_parser_fail(p, d.modifier[i].at, "D_SYNTAX", "types nested more than %d deep", D_TYPE_DEPTH_MAX);
	}
	*ret_name = d.name;
	return base;
}

const struct d_type *d_parse_type_name(struct d_parser *p)
{
	struct d_specifiers s;
	const char *name;
	const struct d_type *type;
	__u32 at = d_parser_peek(p)->at;

	if (!d_parse_specifiers(p, &s))
		return NULL;
	type = d_parse_declarator(p, s.type, &name);
	if (type && *name)
		return d_parser_fail(p, at, "D_SYNTAX", "syntax error near \"%s\": a type without a name expected", name);
	return type;
}
