#include "collector/d/check/check_private.h"
#include "collector/d/tree/fold.h"

#include <string.h>

static const char *const scope_prefix[] = { "", "self->", "this->" };

struct d_variable *d_check_find(struct d_checker *c, enum d_scope scope, const char *name)
{
	for (struct d_variable *v = c->program->variables; v; v = v->next)
		if (v->scope == scope && !strcmp(v->name, name))
			return v;
	return NULL;
}

static bool add_memory(struct d_checker *c, struct d_variable *v)
{
	const struct d_type *r = d_type_resolve(v->type);
	__u32 align = r->kind == TYPE_STRING ? 8 : r->align ? r->align : 1, *memory = &c->program->memory[v->scope];

	v->offset = (*memory + align - 1) / align * align;
	if (r->size <= D_MEMORY_MAX && v->offset + r->size <= D_MEMORY_MAX) {
		*memory = v->offset + r->size;
		return true;
	}
	d_fail(c->error, c->script, c->at, "D_ID_OFLOW", "the %svariables need more than %u bytes", scope_prefix[v->scope],
	       D_MEMORY_MAX);
	return false;
}

static bool add_table(struct d_checker *c, struct d_variable *v)
{
	const struct d_type *type = d_type_resolve(v->type);
	bool is_text = d_type_resolve(type->base)->kind == TYPE_STRING;

	if (c->program->n_tables == D_TABLES_MAX) {
		d_fail(c->error, c->script, c->at, "D_ID_OFLOW", "more than %u associative arrays and aggregations", D_TABLES_MAX);
		return false;
	}
	v->table = d_table_add(c->program, is_text ? D_STRING_SIZE : 8);
	for (const struct d_member *m = type->members; v->table && m; m = m->next) {
		bool key_is_text = d_type_resolve(m->type)->kind == TYPE_STRING;

		if (v->table->n_keys == D_KEYS_MAX) {
			d_fail(c->error, c->script, c->at, "D_PROTO_LEN", "%s[] has more than %u keys", v->name, D_KEYS_MAX);
			return false;
		}
		v->table->key[v->table->n_keys++] = (struct d_key){ .type = m->type, .room = key_is_text ? D_STRING_SIZE : 8, .is_text = key_is_text };
	}
	return v->table;
}

struct d_variable *d_check_add(struct d_checker *c, enum d_scope scope, const char *name, const struct d_type *type)
{
	struct d_variable *v = d_alloc(c->arena, sizeof(*v));

	if (!v)
		return NULL;
	*v = (struct d_variable){ .name = name, .scope = scope, .type = type };
	if (d_type_resolve(type)->kind == TYPE_ASSOCIATIVE ? !add_table(c, v) : !add_memory(c, v))
		return NULL;
	v->next = c->program->variables;
	c->program->variables = v;
	return v;
}

static struct d_variable *add_builtin(struct d_checker *c, const struct d_builtin *b)
{
	struct d_variable *v = d_alloc(c->arena, sizeof(*v));

	if (!v)
		return NULL;
	*v = (struct d_variable){ .name = b->name, .type = d_builtin_type(b, c->types), .builtin = b };
	v->next = c->program->variables;
	c->program->variables = v;
	return v;
}

static bool undefined(struct d_checker *c, const struct d_node *n)
{
	struct d_suggestion s = { .unknown = n->text };

	for (const struct d_variable *v = c->program->variables; v; v = v->next)
		if (v->scope == n->scope)
			d_suggest(&s, v->name);
	for (size_t i = 0; n->scope == SCOPE_GLOBAL && d_builtin_at(i); i++)
		d_suggest(&s, d_builtin_at(i)->name);
	if (n->scope != SCOPE_GLOBAL)
		return s.best ? d_check_fail(c, n, "D_VAR_UNDEF", "%s%s has not yet been declared or assigned; is %s meant?",
					     scope_prefix[n->scope], n->text, s.best)
			      : d_check_fail(c, n, "D_VAR_UNDEF", "%s%s has not yet been declared or assigned",
					     scope_prefix[n->scope], n->text);
	if (strchr(n->text, '`'))
		return d_check_fail(c, n, "D_SYM_BADREF", "variables of the kernel are not available yet: %s", n->text);
	if (s.best)
		return d_check_fail(c, n, "D_IDENT_UNDEF", "failed to resolve %s: Unknown variable name; is %s meant?", n->text, s.best);
	return d_check_fail(c, n, "D_IDENT_UNDEF", "failed to resolve %s: Unknown variable name", n->text);
}

/* The expression of an inline takes the place of its name, as the inline's type. */
static bool check_inlined(struct d_checker *c, struct d_node *n)
{
	const struct d_node *value = n->variable->inlined->value;

	n->type = n->variable->type;
	if (value->kind == NODE_INT && d_type_is_integer(n->type)) {
		d_check_fold(n, d_fold_cut(value->value, d_type_resolve(n->type)->size, d_type_resolve(n->type)->is_signed));
		return true;
	}
	n->kind = NODE_CAST;
	n->named = n->type;
	n->a = (struct d_node *)value;
	return true;
}

bool d_check_name(struct d_checker *c, struct d_node *n)
{
	const struct d_builtin *b = n->scope == SCOPE_GLOBAL ? d_builtin_find(n->text) : NULL;
	const struct d_enumerator *e = n->scope == SCOPE_GLOBAL ? d_types_enumerator(c->types, n->text) : NULL;

	n->variable = d_check_find(c, n->scope, n->text);
	if (!n->variable && e) {
		n->type = d_types_intrinsic(D_INT);
		d_check_fold(n, (__s64)e->value);
		return true;
	}
	if (!n->variable && b)
		n->variable = add_builtin(c, b);
	if (!n->variable)
		return !c->arena->failed && undefined(c, n);
	n->type = n->variable->type;
	return n->variable->inlined ? check_inlined(c, n) : true;
}

struct d_variable *d_check_assigned(struct d_checker *c, const struct d_node *n, const struct d_type *type)
{
	struct d_variable *v = d_check_find(c, n->scope, n->text);

	if ((v && (v->builtin || v->inlined)) ||
	    (!v && n->scope == SCOPE_GLOBAL && (d_builtin_find(n->text) || d_types_enumerator(c->types, n->text)))) {
		d_check_fail(c, n, "D_OP_WRITE", "operator can only be applied to a writable variable: %s", n->text);
		return NULL;
	}
	if (!v && strchr(n->text, '`')) {
		undefined(c, n);
		return NULL;
	}
	return v ? v : d_check_add(c, n->scope, n->text, type);
}
