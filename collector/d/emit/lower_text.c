#include "collector/d/tree/function.h"
#include "collector/d/emit/lower_private.h"

#include <string.h>

static __u32 text_new(struct d_lowerer *l, __u32 len, __u32 *ret_scratch)
{
	*ret_scratch = d_lower_scratch(l, len);
	return d_lower_address(l, MEMORY_SCRATCH, *ret_scratch);
}

static __u32 constant_text(struct d_lowerer *l, const struct d_node *n, const char *text, size_t len)
{
	__u32 at;

	if (!d_program_text(l->program, text, len, &at))
		return d_lower_fail(l, n, "the texts of the script have more than %u bytes", D_TEXTS_MAX);
	return d_lower_address(l, MEMORY_TEXT, at);
}

/* Copies a text of any room into one that is as long as a variable's. */
static __u32 copy(struct d_lowerer *l, __u32 a, __u32 to, __u32 ret_len)
{
	d_ir_add(l->ir, (struct d_ins){ .op = IR_COPY_TEXT, .dst = ret_len, .a = a, .b = to, .size = D_STRING_SIZE });
	return to;
}

/* ---- variables ---- */

/* The names of the probe, which is one of several: in an element of a table; an empty text if it is not there. */
static __u32 find_names(struct d_lowerer *l)
{
	__u32 key = d_lower_scratch(l, 8), element = d_ir_register(l->ir), some = d_ir_label(l->ir);

	if (!l->program->names)
		l->program->names = d_table_add(l->program, D_NAMES_LEN);
	if (!l->program->names)
		return 0;
	l->program->names->key[0] = (struct d_key){ .room = 8 };
	l->program->names->n_keys = 1;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_PUT, .scope = MEMORY_SCRATCH, .value = key, .a = l->probe_id });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_LOOKUP, .dst = element, .value = l->program->names->id, .from = key });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_JUMP_IF, .relation = REL_NE, .a = element, .label = some });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_ADDRESS, .dst = element, .scope = MEMORY_TEXT });
	d_lower_label(l, some);
	return element;
}

/* Its room may be shorter than a variable's. */
static __u32 probe_name(struct d_lowerer *l, const struct d_node *n, enum d_probe_field field)
{
	__u32 names, r;

	if (l->probe)
		return constant_text(l, n, l->probe->field[field], D_STRING_SIZE);
	names = find_names(l);
	r = d_ir_register(l->ir);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_ADD, .dst = r, .a = names, .value = d_names_offset(field) });
	return r;
}

static __u32 lower_builtin(struct d_lowerer *l, const struct d_node *n)
{
	const struct d_builtin *b = n->variable->builtin;
	__u32 to, at;

	switch (b->id) {
	case BUILTIN_EXECNAME:
		to = text_new(l, D_EXECNAME_SIZE, &at);
		d_ir_add(l->ir, (struct d_ins){ .op = IR_EXECNAME, .a = to });
		return to;
	case BUILTIN_PROBE:
		to = text_new(l, D_STRING_SIZE, &at);
		return copy(l, probe_name(l, n, b->index), to, 0);
	case BUILTIN_ZONENAME:
		to = text_new(l, D_STRING_SIZE, &at);
		return copy(l, constant_text(l, n, "global", D_STRING_SIZE), to, 0);
	default:
		return d_lower_fail(l, n, "%s is not available yet", n->text);
	}
}

static __u32 lower_variable(struct d_lowerer *l, const struct d_node *n)
{
	struct d_place place;

	if (n->kind == NODE_NAME && n->variable->builtin)
		return lower_builtin(l, n);
	return d_lower_place(l, n, &place) ? d_place_load_text(l, &place) : 0;
}

static __u32 lower_assignment(struct d_lowerer *l, const struct d_node *n)
{
	bool frees = n->b->kind == NODE_INT;
	struct d_place place;
	__u32 a;

	if (!d_lower_place(l, n->a, &place))
		return 0;
	a = frees ? d_lower_address(l, MEMORY_TEXT, 0) : d_lower_text(l, n->b);
	if (a)
		d_place_store_text(l, &place, frees ? 0 : a);
	return a;
}

/* ---- operations ---- */

static bool assigns_text(const struct d_node *n)
{
	if (!n)
		return false;
	if (n->kind == NODE_ASSIGN && n->a->kind != NODE_AGG && d_is_text(n->a))
		return true;
	for (const struct d_node *e = n->list; e; e = e->next)
		if (assigns_text(e))
			return true;
	return assigns_text(n->a) || assigns_text(n->b) || assigns_text(n->c);
}

/* A text that stays as it is while `later` is computed, in the place of the variable that has it now. */
static __u32 lower_before(struct d_lowerer *l, const struct d_node *n, const struct d_node *later)
{
	__u32 at, a = d_lower_text(l, n);

	return a && assigns_text(later) ? copy(l, a, text_new(l, D_STRING_SIZE, &at), 0) : a;
}

static __u32 lower_condition(struct d_lowerer *l, const struct d_node *n)
{
	__u32 otherwise = d_ir_label(l->ir), end = d_ir_label(l->ir), at, to = text_new(l, D_STRING_SIZE, &at), a;

	if (!d_lower_branch(l, n->a, false, otherwise) || !(a = d_lower_text(l, n->b)))
		return 0;
	copy(l, a, to, 0);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_JUMP, .label = end });
	d_lower_label(l, otherwise);
	if (!(a = d_lower_text(l, n->c)))
		return 0;
	copy(l, a, to, 0);
	d_lower_label(l, end);
	return to;
}

/* stringof() of a pointer: a text in the kernel's memory. */
static __u32 lower_conversion(struct d_lowerer *l, const struct d_node *n)
{
	__u32 at, a;

	if (d_is_text(n->a)) {
		a = d_lower_text(l, n->a);
		return a && d_text_room(n->a) < D_STRING_SIZE ? copy(l, a, text_new(l, D_STRING_SIZE, &at), 0) : a;
	}
	if (!d_type_is_scalar(n->a->type))
		return d_lower_fail(l, n, "texts of this type are not available yet");
	a = d_lower_value(l, n->a);
	return a ? copy(l, a, text_new(l, D_STRING_SIZE, &at), 0) : 0;
}

__u32 d_lower_text_compare(struct d_lowerer *l, const struct d_node *n)
{
	__u32 a, b, r = d_ir_register(l->ir), room = d_text_room(n->a), other = d_text_room(n->b);

	if (!d_is_text(n->a) || !d_is_text(n->b))
		return d_lower_fail(l, n, "a string and a pointer: use stringof( )");
	a = lower_before(l, n->a, n->b);
	b = a ? d_lower_text(l, n->b) : 0;
	if (!b)
		return 0;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_COMPARE_TEXT, .dst = r, .a = a, .b = b, .size = room < other ? room : other });
	return r;
}

/* ---- functions ---- */

__u32 d_lower_strlen(struct d_lowerer *l, const struct d_node *n)
{
	__u32 at, len, a = d_is_text(n->list) ? d_lower_text(l, n->list) : d_lower_fail(l, n, "strlen( ) of a pointer: use stringof( )");

	if (!a)
		return 0;
	len = d_ir_register(l->ir);
	copy(l, a, text_new(l, D_STRING_SIZE, &at), len);
	return len;
}

static __u32 lower_join(struct d_lowerer *l, const struct d_node *n)
{
	__u32 at = d_lower_scratch(l, 2 * D_STRING_SIZE), a, b;

	a = lower_before(l, n->list, n->list->next);
	b = a ? d_lower_text(l, n->list->next) : 0;
	if (!b)
		return 0;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_JOIN, .value = at, .a = a, .b = b });
	return d_lower_address(l, MEMORY_SCRATCH, at);
}

/* Does one instruction if `a relation 0`. */
static void change_if(struct d_lowerer *l, __u32 a, enum d_relation relation, struct d_ins change)
{
	__u32 end = d_ir_label(l->ir);
	static const enum d_relation opposite[] = { REL_NE, REL_EQ, REL_GE, REL_GT, REL_LE, REL_LT };

	d_ir_add(l->ir, (struct d_ins){ .op = IR_JUMP_IF, .relation = opposite[relation], .is_signed = true, .a = a, .label = end });
	d_ir_add(l->ir, change);
	d_lower_label(l, end);
}

/* From `index` on, `rest` bytes; a negative index counts from the end, a negative rest leaves that many out there. */
static __u32 lower_slice(struct d_lowerer *l, __u32 text, __u32 index, __u32 rest)
{
	__u32 from, copied = text_new(l, D_STRING_SIZE, &from), len = d_ir_register(l->ir), at = d_lower_scratch(l, D_STRING_SIZE);
	__u32 begin = d_ir_register(l->ir), n = d_ir_register(l->ir), left = d_ir_register(l->ir);

	copy(l, text, copied, len);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_MOVE, .dst = begin, .a = index });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_MOVE, .dst = n, .a = rest });
	change_if(l, begin, REL_LT, (struct d_ins){ .op = IR_ADD, .dst = begin, .a = begin, .b = len });
	/* still before the text: the part of it that is within */
	d_ir_add(l->ir, (struct d_ins){ .op = IR_ADD, .dst = left, .a = begin, .b = n });
	change_if(l, left, REL_LT, (struct d_ins){ .op = IR_CONST, .dst = left });
	change_if(l, begin, REL_LT, (struct d_ins){ .op = IR_MOVE, .dst = n, .a = left });
	change_if(l, begin, REL_LT, (struct d_ins){ .op = IR_CONST, .dst = begin });
	/* after it: nothing */
	d_ir_add(l->ir, (struct d_ins){ .op = IR_SUB, .dst = left, .a = len, .b = begin });
	change_if(l, n, REL_LT, (struct d_ins){ .op = IR_ADD, .dst = n, .a = n, .b = left });
	change_if(l, left, REL_LE, (struct d_ins){ .op = IR_CONST, .dst = n });
	change_if(l, n, REL_LT, (struct d_ins){ .op = IR_CONST, .dst = n });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_SLICE, .value = at, .from = from, .a = begin, .b = n });
	return d_lower_address(l, MEMORY_SCRATCH, at);
}

static __u32 lower_substr(struct d_lowerer *l, const struct d_node *n)
{
	const struct d_node *i = n->list->next;
	__u32 text = lower_before(l, n->list, assigns_text(i) ? i : i->next), value, index = d_ir_register(l->ir), rest = d_ir_register(l->ir);

	value = text ? d_lower_value(l, i) : 0;
	if (!value)
		return 0;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_CUT, .dst = index, .a = value, .size = 4, .is_signed = true });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_CONST, .dst = rest, .value = D_STRING_SIZE });
	if (i->next) {
		value = d_lower_value(l, i->next);
		if (!value)
			return 0;
		d_ir_add(l->ir, (struct d_ins){ .op = IR_CUT, .dst = rest, .a = value, .size = 4, .is_signed = true });
	}
	return lower_slice(l, text, index, rest);
}

static __u32 lower_digits(struct d_lowerer *l, const struct d_node *n)
{
	__u32 at = d_lower_scratch(l, 2 * D_STRING_SIZE), a;

	if (n->list->next)
		return d_lower_fail(l, n, "lltostr( ) with a base is not available yet");
	a = d_lower_value(l, n->list);
	if (!a)
		return 0;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_DIGITS, .value = at, .a = a });
	return d_lower_address(l, MEMORY_SCRATCH, at);
}

/* copyinstr(address[, bytes]) */
static __u32 lower_copyinstr(struct d_lowerer *l, const struct d_node *n)
{
	const struct d_node *most = n->list->next;
	__u32 at, size = D_STRING_SIZE, a, to;

	if (l->ir->context == CONTEXT_ON_CPU)
		return d_lower_fail(l, n, "copyinstr( ) is not available in on-cpu, which fires before the switch to the process");
	if (most && most->kind != NODE_INT)
		return d_lower_fail(l, most, "copyinstr( ) needs a constant number of bytes");
	if (most && most->value < size)
		size = most->value + 1;
	a = d_lower_value(l, n->list);
	if (!a)
		return 0;
	to = text_new(l, D_STRING_SIZE, &at);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_MOVE, .dst = l->address, .a = a });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_READ_TEXT, .a = a, .b = to, .size = size, .label = l->address_label });
	return to;
}

static __u32 lower_call(struct d_lowerer *l, const struct d_node *n)
{
	switch (n->function->id) {
	case FUNCTION_STRJOIN: return lower_join(l, n);
	case FUNCTION_SUBSTR: return lower_substr(l, n);
	case FUNCTION_LLTOSTR: return lower_digits(l, n);
	case FUNCTION_COPYINSTR: return lower_copyinstr(l, n);
	default: return d_lower_fail(l, n, "%s( ) is not available yet", n->text);
	}
}

__u32 d_lower_text(struct d_lowerer *l, const struct d_node *n)
{
	__u32 at;

	if (l->ir->err)
		return 0;
	if (!d_is_text(n) && n->kind != NODE_STRING)
		return d_lower_fail(l, n, "a text of this type is not available yet; use stringof( )");
	if (d_type_resolve(n->type)->kind == TYPE_ARRAY && n->kind != NODE_STRING)
		return d_lower_pointed_text(l, n, text_new(l, D_STRING_SIZE, &at));
	switch (n->kind) {
	case NODE_STRING: return constant_text(l, n, n->text, n->text_len);
	case NODE_NAME: case NODE_INDEX: return lower_variable(l, n);
	case NODE_ASSIGN: return lower_assignment(l, n);
	case NODE_CONDITION: return lower_condition(l, n);
	case NODE_CAST: case NODE_STRINGOF: return lower_conversion(l, n);
	case NODE_CALL: return lower_call(l, n);
	case NODE_BINARY:
		if (n->op == ',')
			return d_lower_statement(l, n->a) ? d_lower_text(l, n->b) : 0;
	}
	return d_lower_fail(l, n, "this expression is not available yet");
}
