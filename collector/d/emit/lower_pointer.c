/* Reads through pointers: *p, p[i], p->member, and members and elements of these.  A pointer is an address in the kernel; that
 * of copyin() is a copy there of the process' memory. */
#include "collector/d/tree/fold.h"
#include "collector/d/tree/function.h"
#include "collector/d/emit/lower_private.h"

/* ---- addresses ---- */

static bool is_array(const struct d_node *n) { return d_type_resolve(n->type)->kind == TYPE_ARRAY; }

__u64 d_lower_element_size(const struct d_type *type)
{
	const struct d_type *t = d_type_resolve(type);
	__u32 size = t->kind == TYPE_POINTER || t->kind == TYPE_ARRAY ? d_type_resolve(t->base)->size : 1;

	return size ? size : 1;
}

__u32 d_lower_scaled(struct d_lowerer *l, const struct d_node *n, __u64 size)
{
	__u32 r, a;

	if (n->kind == NODE_INT)
		return d_lower_constant(l, n->value * size);
	a = d_lower_value(l, n);
	if (!a || size == 1)
		return a;
	r = d_ir_register(l->ir);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_MUL, .dst = r, .a = a, .value = size });
	return r;
}

static __u32 plus(struct d_lowerer *l, __u32 a, __u32 b, __u64 value)
{
	__u32 r;

	if (!a || (!b && !value))
		return a;
	r = d_ir_register(l->ir);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_ADD, .dst = r, .a = a, .b = b, .value = value });
	return r;
}

static __u32 address_of(struct d_lowerer *l, const struct d_node *n);

/* The address of the first element of an array, or the value of a pointer. */
static __u32 pointer_value(struct d_lowerer *l, const struct d_node *n) { return is_array(n) ? address_of(l, n) : d_lower_value(l, n); }

static __u32 element_address(struct d_lowerer *l, const struct d_node *n)
{
	__u32 a = pointer_value(l, n->a), index = a ? d_lower_scaled(l, n->list, d_lower_element_size(n->a->type)) : 0;

	return index ? plus(l, a, index, 0) : 0;
}

static const struct d_member *member_of(const struct d_node *n)
{
	const struct d_type *type = d_type_resolve(n->a->type);

	return d_type_member(n->op == TOKEN_ARROW ? d_type_resolve(type->base) : type, n->text);
}

/* The address of what an expression stands for. */
static __u32 address_of(struct d_lowerer *l, const struct d_node *n)
{
	if (n->kind == NODE_UNARY && n->op == '*')
		return pointer_value(l, n->a);
	if (d_lower_is_element(n))
		return element_address(l, n);
	if (n->kind == NODE_MEMBER)
		return plus(l, n->op == TOKEN_ARROW ? pointer_value(l, n->a) : address_of(l, n->a), 0, member_of(n)->offset);
	return d_lower_fail(l, n, "variables of this type are not available yet");
}

bool d_lower_is_element(const struct d_node *n) { return n->kind == NODE_INDEX && d_type_resolve(n->a->type)->kind != TYPE_ASSOCIATIVE; }

__u32 d_lower_address_of(struct d_lowerer *l, const struct d_node *n) { return address_of(l, n->a); }

/* ---- values ---- */

/* Some bits of a value: those above are shifted out, then those below. */
static __u32 bits(struct d_lowerer *l, __u32 a, const struct d_member *m)
{
	__u32 r = d_ir_register(l->ir);

	d_ir_add(l->ir, (struct d_ins){ .op = IR_SHL, .dst = r, .a = a, .value = 64u - m->bit_offset - m->n_bits });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_SHR, .dst = r, .a = r, .value = 64u - m->n_bits, .is_signed = d_type_resolve(m->type)->is_signed });
	return r;
}

__u32 d_lower_pointed(struct d_lowerer *l, const struct d_node *n)
{
	const struct d_type *type = d_type_resolve(n->type);
	__u32 r, address = address_of(l, n);

	if (!address || is_array(n))
		return address;
	if (!d_type_is_scalar(type))
		return d_lower_fail(l, n, "pointers to this type are not available yet");
	r = d_ir_register(l->ir);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_MOVE, .dst = l->address, .a = address });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_READ, .dst = r, .a = address, .size = type->size, .is_signed = type->is_signed,
		.label = l->address_label });
	return n->kind == NODE_MEMBER && member_of(n)->n_bits ? bits(l, r, member_of(n)) : r;
}

__u32 d_lower_pointed_text(struct d_lowerer *l, const struct d_node *n, __u32 to)
{
	__u32 address = address_of(l, n), n_elements = d_type_resolve(n->type)->n_elements;

	if (!address)
		return 0;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_COPY_TEXT, .a = address, .b = to, .size = D_STRING_SIZE,
		.from = n_elements && n_elements < D_STRING_SIZE ? n_elements + 1 : D_STRING_SIZE });
	return to;
}

/* copyin(address, bytes): the copy stays until the clause ends, with a NUL after it.  In front of it is its address, from where
 * it is loaded as a number: the verifier does not let a program compute with an address that it knows. */
__u32 d_lower_copyin(struct d_lowerer *l, const struct d_node *n)
{
	const struct d_node *size = n->list->next;
	__u32 at, a, begin, len, copy = d_ir_register(l->ir), r = d_ir_register(l->ir);

	if (l->ir->context == CONTEXT_ON_CPU)
		return d_lower_fail(l, n, "copyin( ) is not available in on-cpu, which fires before the switch to the process");
	if (size->kind != NODE_INT || !size->value || size->value > D_COPYIN_MAX)
		return d_lower_fail(l, size, "copyin( ) needs a constant number of bytes, from 1 to %u", D_COPYIN_MAX);
	a = d_lower_value(l, n->list);
	if (!a)
		return 0;
	len = 8 + (__u32)size->value / 8 * 8;
	at = d_lower_kept_scratch(l, len + 8);
	begin = d_lower_address(l, MEMORY_SCRATCH, at);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_ADD, .dst = copy, .a = begin, .value = 8 });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_MOVE, .dst = l->address, .a = a });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_PUT, .scope = MEMORY_SCRATCH, .value = at + len });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_READ_USER, .a = a, .b = copy, .size = (__u32)size->value, .label = l->address_label });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_PUT, .scope = MEMORY_SCRATCH, .value = at, .a = copy });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_LOAD, .dst = r, .a = begin, .size = 8 });
	return r;
}
