#include "collector/d/check/check_private.h"
#include "collector/d/tree/fold.h"

#include <string.h>

struct d_variable *d_check_find(struct d_checker *c, enum d_scope scope, const char *name)
{
	unsigned bucket = d_name_hash(name) % D_VARIABLES_BUCKETS;

	for (struct d_variable *v = c->program->variable_bucket[bucket]; v; v = v->next_in_bucket)
		if (v->scope == scope && !strcmp(v->name, name))
			return v;
	return NULL;
}

void d_check_keep(struct d_checker *c, struct d_variable *v)
{
	struct d_variable **bucket = &c->program->variable_bucket[d_name_hash(v->name) % D_VARIABLES_BUCKETS];

	v->next = c->program->variables;
	c->program->variables = v;
	v->next_in_bucket = *bucket;
	*bucket = v;
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
	d_fail(c->error, c->script, c->at, "D_ID_OFLOW", "the %svariables need more than %u bytes", d_scope_prefix(v->scope),
	       D_MEMORY_MAX);
	return false;
}

struct d_table *d_check_add_table(struct d_checker *c, __u32 value_len)
{
	if (c->program->n_tables < D_TABLES_MAX)
		return d_table_add(c->program, value_len);
	d_fail(c->error, c->script, c->at, "D_ID_OFLOW", "more than %u associative arrays and aggregations", D_TABLES_MAX);
	return NULL;
}

/* An array of self-> is one table for all threads, whose keys begin with the thread. */
static bool add_table(struct d_checker *c, struct d_variable *v)
{
	const struct d_type *type = d_type_resolve(v->type);
	bool is_text = d_type_resolve(type->base)->kind == TYPE_STRING;
	__u32 n_own = v->scope == SCOPE_SELF ? D_THREAD_KEYS : 0;

	v->table = d_check_add_table(c, is_text ? D_STRING_SIZE : 8);
	for (; v->table && v->table->n_keys < n_own; v->table->n_keys++)
		v->table->key[v->table->n_keys] = (struct d_key){ .room = 8 };
	for (const struct d_member *m = type->members; v->table && m; m = m->next) {
		bool key_is_text = d_type_resolve(m->type)->kind == TYPE_STRING;

		if (v->table->n_keys == D_KEYS_MAX) {
			d_fail(c->error, c->script, c->at, "D_PROTO_LEN", "%s[] has more than %u keys", v->name, D_KEYS_MAX - n_own);
			return false;
		}
		v->table->key[v->table->n_keys++] = (struct d_key){ .type = m->type, .room = key_is_text ? D_STRING_SIZE : 8,
								    .is_text = key_is_text };
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
	d_check_keep(c, v);
	return v;
}

static struct d_variable *add_builtin(struct d_checker *c, const struct d_builtin *b)
{
	struct d_variable *v = d_alloc(c->arena, sizeof(*v));

	if (!v)
		return NULL;
	*v = (struct d_variable){ .name = b->name, .type = d_builtin_type(b, c->types), .builtin = b };
	d_check_keep(c, v);
	return v;
}

static bool fail_undefined_name(struct d_checker *c, const struct d_node *n)
{
	struct d_suggestion s = { .unknown = n->text };
	char meant[D_SUGGESTION_LEN];

	for (const struct d_variable *v = c->program->variables; v; v = v->next)
		if (v->scope == n->scope)
			d_suggest(&s, v->name);
	for (size_t i = 0; n->scope == SCOPE_GLOBAL && d_builtin_at(i); i++)
		d_suggest(&s, d_builtin_at(i)->name);
	if (n->scope != SCOPE_GLOBAL)
		return d_check_fail(c, n, "D_VAR_UNDEF", "%s%s has not yet been declared or assigned%s", d_scope_prefix(n->scope),
				    n->text, d_suggestion_text(&s, "", meant));
	if (strchr(n->text, '`'))
		return d_check_fail(c, n, "D_SYM_BADREF", "variables of the kernel are not available yet: %s", n->text);
	return d_check_fail(c, n, "D_IDENT_UNDEF", "failed to resolve %s: Unknown variable name%s", n->text,
			    d_suggestion_text(&s, "", meant));
}

/* The expression of an inline takes the place of its name, as the inline's type. */
static bool check_inlined(struct d_checker *c, struct d_node *n)
{
	const struct d_node *value = n->variable->inlined->value;

	c->n_nodes += value->size;
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
		return fail_undefined_name(c, n);
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
		fail_undefined_name(c, n);
		return NULL;
	}
	return v ? v : d_check_add(c, n->scope, n->text, type);
}
