#include "collector/d/tree/function.h"
#include "collector/d/emit/lower_private.h"

__u32 d_lower_address(struct d_lowerer *l, enum d_memory memory, __u32 offset)
{
	__u32 r = d_ir_register(l->ir);

	d_ir_add(l->ir, (struct d_ins){ .op = IR_ADDRESS, .dst = r, .scope = memory, .value = offset });
	return r;
}

/* ---- keys ---- */

/* A thread that waits keeps its stack, so on-cpu has that of off-cpu. */
static bool lower_saved_stack(struct d_lowerer *l, const struct d_node *n, enum d_memory memory, __u32 at, __u32 room)
{
	struct d_ins copy = { .op = IR_COPY, .size = room };

	if (!l->program->saved_stack || room > D_SAVED_STACK_LEN)
		return d_lower_fail(l, n, "ustack( ) of on-cpu, with up to 100 frames, needs a clause of off-cpu that assigns to self->: it saves the stack");
	copy.a = d_lower_address(l, MEMORY_SELF, l->program->saved_stack);
	copy.b = d_lower_address(l, memory, at);
	d_ir_add(l->ir, copy);
	return true;
}

bool d_lower_stack(struct d_lowerer *l, const struct d_node *n, enum d_memory memory, __u32 at, __u32 room)
{
	bool is_user = n->function->id == FUNCTION_USTACK;

	if (n->list && n->list->kind != NODE_INT)
		return d_lower_fail(l, n->list, "%s( ) needs a constant number of frames", n->text);
	if (is_user && l->ir->context == CONTEXT_ON_CPU)
		return lower_saved_stack(l, n, memory, at, room);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_STACK, .b = d_lower_address(l, memory, at), .size = room, .value = is_user });
	return true;
}

static bool lower_part(struct d_lowerer *l, const struct d_key *k, const struct d_node *n, __u32 at)
{
	__u32 a, to;

	if (k->is_probe) {
		a = d_lower_probe_id(l);
		d_ir_add(l->ir, (struct d_ins){ .op = IR_PUT, .scope = MEMORY_SCRATCH, .value = at, .a = a });
		return true;
	}
	if (k->stack)
		return d_lower_stack(l, n, MEMORY_SCRATCH, at, k->room);
	if (k->is_text) {
		a = d_lower_text(l, n);
		to = d_lower_address(l, MEMORY_SCRATCH, at);
		d_ir_add(l->ir, (struct d_ins){ .op = IR_COPY_TEXT, .a = a, .b = to, .size = k->room });
		return a;
	}
	if (!d_type_is_scalar(n->type))
		return d_lower_fail(l, n, "keys of this type are not available yet");
	a = d_lower_cut(l, d_lower_value(l, n), k->type);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_PUT, .scope = MEMORY_SCRATCH, .value = at, .a = a });
	return a;
}

/* The parts of a key from number i on, in scratch from `at` on. */
static bool lower_parts(struct d_lowerer *l, const struct d_table *t, __u32 i, const struct d_node *list, __u32 at)
{
	for (; i < t->n_keys && list; i++, list = list->next) {
		if (!lower_part(l, &t->key[i], list, at))
			return false;
		at += t->key[i].room;
	}
	return true;
}

bool d_lower_key(struct d_lowerer *l, const struct d_table *t, const struct d_node *list, __u32 *ret_scratch)
{
	*ret_scratch = d_lower_scratch(l, d_table_key_len(t));
	return lower_parts(l, t, 0, list, *ret_scratch);
}

/* ---- variables ---- */

/* The key of an element of an associative array; that of self-> begins with the thread. */
static bool lower_array_key(struct d_lowerer *l, const struct d_variable *v, const struct d_node *list, __u32 *ret_scratch)
{
	static const enum d_builtin_id thread[D_THREAD_KEYS] = { BUILTIN_TID, BUILTIN_THREAD_START };
	__u32 at = d_lower_scratch(l, d_table_key_len(v->table)), n_own = v->scope == SCOPE_SELF ? D_THREAD_KEYS : 0;

	*ret_scratch = at;
	for (__u32 i = 0; i < n_own; i++, at += 8) {
		__u32 r = d_ir_register(l->ir);

		d_ir_add(l->ir, (struct d_ins){ .op = IR_BUILTIN, .dst = r, .value = thread[i] });
		d_ir_add(l->ir, (struct d_ins){ .op = IR_PUT, .scope = MEMORY_SCRATCH, .value = at, .a = r });
	}
	return lower_parts(l, v->table, n_own, list, at);
}

bool d_lower_place(struct d_lowerer *l, const struct d_node *n, struct d_place *ret_place)
{
	const struct d_node *name = n->kind == NODE_INDEX ? n->a : n;

	*ret_place = (struct d_place){ .variable = name->variable };
	if (name->kind != NODE_NAME || !name->variable || (!d_type_is_scalar(n->type) && !d_is_text(n)))
		return d_lower_fail(l, n, "variables of this type are not available yet");
	ret_place->type = d_type_resolve(name->variable->type);
	if (name->variable->table)
		ret_place->type = ret_place->type->base;
	if (n->kind == NODE_NAME)
		return !name->variable->table || d_lower_fail(l, n, "an associative array needs a key");
	if (!name->variable->table)
		return d_lower_fail(l, n, "arrays with numbered elements are not available yet");
	return lower_array_key(l, name->variable, n->list, &ret_place->key);
}

static struct d_ins variable_ins(enum d_ir_op op, const struct d_variable *v)
{
	const struct d_type *t = d_type_resolve(v->type);

	return (struct d_ins){ .op = op, .scope = v->scope, .value = v->offset, .size = t->size, .is_signed = t->is_signed };
}

static __u32 lookup(struct d_lowerer *l, const struct d_place *p)
{
	__u32 element = d_ir_register(l->ir);

	d_ir_add(l->ir, (struct d_ins){ .op = IR_LOOKUP, .dst = element, .value = p->variable->table->id, .from = p->key });
	return element;
}

static void skip_unless(struct d_lowerer *l, enum d_relation relation, __u32 a, __u32 label)
{
	d_ir_add(l->ir, (struct d_ins){ .op = IR_JUMP_IF, .relation = relation, .a = a, .label = label });
}

/* An element that there is not is 0.  Elements have 8 bytes. */
__u32 d_place_load(struct d_lowerer *l, const struct d_place *p)
{
	__u32 r = d_ir_register(l->ir), element, none;
	struct d_ins ins;

	if (!p->variable->table) {
		ins = variable_ins(IR_LOAD, p->variable);
		ins.dst = r;
		d_ir_add(l->ir, ins);
		return r;
	}
	none = d_ir_label(l->ir);
	element = lookup(l, p);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_CONST, .dst = r });
	skip_unless(l, REL_EQ, element, none);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_LOAD, .dst = r, .a = element, .size = 8 });
	d_lower_label(l, none);
	return r;
}

static void remove_element(struct d_lowerer *l, const struct d_place *p)
{
	d_ir_add(l->ir, (struct d_ins){ .op = IR_DELETE, .value = p->variable->table->id, .from = p->key });
}

static void update(struct d_lowerer *l, const struct d_place *p, __u32 value)
{
	d_ir_add(l->ir, (struct d_ins){ .op = IR_UPDATE, .value = p->variable->table->id, .from = p->key, .a = value });
}

void d_place_store(struct d_lowerer *l, const struct d_place *p, __u32 a)
{
	struct d_ins ins;
	__u32 at;

	if (!p->variable->table) {
		ins = variable_ins(IR_STORE, p->variable);
		ins.a = a ? a : d_ir_register(l->ir);
		if (!a)
			d_ir_add(l->ir, (struct d_ins){ .op = IR_CONST, .dst = ins.a });
		d_ir_add(l->ir, ins);
	} else if (!a) {
		remove_element(l, p);
	} else {
		at = d_lower_scratch(l, 8);
		d_ir_add(l->ir, (struct d_ins){ .op = IR_PUT, .scope = MEMORY_SCRATCH, .value = at, .a = a });
		update(l, p, d_lower_address(l, MEMORY_SCRATCH, at));
	}
}

/* ---- texts ---- */

/* Of an element a copy, as another program may change it meanwhile; of another variable its own address. */
__u32 d_place_load_text(struct d_lowerer *l, const struct d_place *p)
{
	__u32 element, some, copy;

	if (!p->variable->table)
		return d_lower_address(l, (enum d_memory)p->variable->scope, p->variable->offset);
	some = d_ir_label(l->ir);
	element = lookup(l, p);
	skip_unless(l, REL_NE, element, some);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_ADDRESS, .dst = element, .scope = MEMORY_TEXT });
	d_lower_label(l, some);
	copy = d_lower_address(l, MEMORY_SCRATCH, d_lower_scratch(l, D_STRING_SIZE));
	d_ir_add(l->ir, (struct d_ins){ .op = IR_COPY_TEXT, .a = element, .b = copy, .size = D_STRING_SIZE });
	return copy;
}

static void copy_text(struct d_lowerer *l, __u32 a, __u32 to)
{
	d_ir_add(l->ir, (struct d_ins){ .op = IR_COPY_TEXT, .a = a, .b = to, .size = D_STRING_SIZE });
}

void d_place_store_text(struct d_lowerer *l, const struct d_place *p, __u32 a)
{
	__u32 to, end;

	if (p->variable->table && !a) {
		remove_element(l, p);
		return;
	}
	if (!a)
		a = d_lower_address(l, MEMORY_TEXT, 0);
	if (p->variable->table) {
		to = d_lower_address(l, MEMORY_SCRATCH, d_lower_scratch(l, D_STRING_SIZE));
		copy_text(l, a, to);
		update(l, p, to);
		return;
	}
	to = d_ir_register(l->ir);
	end = d_ir_label(l->ir);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_ADDRESS, .dst = to, .scope = p->variable->scope, .value = p->variable->offset,
		.label = p->variable->scope == SCOPE_SELF ? end : 0 });
	copy_text(l, a, to);
	d_lower_label(l, end);
}
