#include "collector/d/tree/function.h"
#include "collector/d/emit/lower_private.h"

#include <limits.h>
#include <stdint.h>

static __u32 operate(struct d_lowerer *l, enum d_ir_op op, bool is_signed, __u32 a, __u32 b, __u64 value)
{
	__u32 r = d_ir_register(l->ir);

	d_ir_add(l->ir, (struct d_ins){ .op = op, .dst = r, .a = a, .b = b, .value = value, .is_signed = is_signed });
	return r;
}

/* ---- cells ---- */

/* The sign of a value: -1 or 0; and its absolute value, at most 2^63 - 1. */
static __u32 magnitude(struct d_lowerer *l, __u32 value, __u32 *ret_sign)
{
	__u32 sign = operate(l, IR_SHR, true, value, 0, 63), r, too_large;

	r = operate(l, IR_XOR, false, value, sign, 0);
	r = operate(l, IR_SUB, false, r, sign, 0);
	too_large = operate(l, IR_SHR, false, r, 0, 63);
	*ret_sign = sign;
	return operate(l, IR_SUB, false, r, too_large, 0);
}

static __u32 signed_cell(struct d_lowerer *l, const struct d_aggregation *a, __u32 value)
{
	__u32 sign, size = magnitude(l, value, &sign), cell = d_ir_register(l->ir);

	d_ir_add(l->ir, (struct d_ins){ .op = IR_CELL, .dst = cell, .a = size, .value = a->edges, .from = a->n_edges });
	cell = operate(l, IR_XOR, false, cell, sign, 0);
	return operate(l, IR_SUB, false, cell, sign, 0);
}

/* The difference to the base fits into 64 bits without sign. */
static __u32 linear_cell(struct d_lowerer *l, const struct d_buckets *b, __u32 value)
{
	__u32 cell = d_ir_register(l->ir), end = d_ir_label(l->ir), steps;
	__u64 levels = d_buckets_levels(b);

	d_ir_add(l->ir, (struct d_ins){ .op = IR_CONST, .dst = cell });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_JUMP_IF, .relation = REL_LT, .is_signed = true, .a = value, .value = b->base, .label = end });
	steps = operate(l, IR_SUB, false, value, 0, b->base);
	steps = operate(l, IR_DIV, false, steps, 0, b->step);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_CONST, .dst = cell, .value = levels + 1 });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_JUMP_IF, .relation = REL_GE, .a = steps, .value = levels, .label = end });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_ADD, .dst = cell, .a = steps, .value = 1 });
	d_lower_label(l, end);
	return cell;
}

/* ---- words ---- */

static void add_at(struct d_lowerer *l, __u32 element, enum d_word word, __u32 a)
{
	d_ir_add(l->ir, (struct d_ins){ .op = IR_ADD_AT, .a = a, .b = element, .value = 8 * word });
}

static void most_at(struct d_lowerer *l, __u32 element, __u32 a)
{
	d_ir_add(l->ir, (struct d_ins){ .op = IR_MOST_AT, .a = a, .b = element, .value = 8 * WORD_MOST });
}

static void add_halves(struct d_lowerer *l, __u32 element, enum d_word low, __u32 a)
{
	add_at(l, element, low, operate(l, IR_AND, false, a, d_lower_constant(l, UINT_MAX), 0));
	add_at(l, element, low + 1, operate(l, IR_SHR, false, a, 0, 32));
}

/* The square of h 2^32 + l, in parts that cannot overflow. */
static void add_square(struct d_lowerer *l, __u32 element, __u32 value)
{
	__u32 sign, size = magnitude(l, value, &sign), high = operate(l, IR_SHR, false, size, 0, 32);
	__u32 low = operate(l, IR_AND, false, size, d_lower_constant(l, UINT_MAX), 0);

	add_halves(l, element, WORD_LL_LOW, operate(l, IR_MUL, false, low, low, 0));
	add_halves(l, element, WORD_HL_LOW, operate(l, IR_MUL, false, high, low, 0));
	add_at(l, element, WORD_HH, operate(l, IR_MUL, false, high, high, 0));
}

static void add_value(struct d_lowerer *l, const struct d_aggregation *a, __u32 element, __u32 value)
{
	if (a->function->id != FUNCTION_SUM)
		add_at(l, element, WORD_COUNT, d_lower_constant(l, 1));
	switch (a->function->id) {
	case FUNCTION_SUM: add_at(l, element, WORD_COUNT, value); return;
	case FUNCTION_AVG: add_at(l, element, WORD_SUM, value); return;
	case FUNCTION_MIN: most_at(l, element, operate(l, IR_SUB, false, d_lower_constant(l, INT64_MAX), value, 0)); return;
	case FUNCTION_MAX: most_at(l, element, operate(l, IR_XOR, false, value, d_lower_constant(l, 1ull << 63), 0)); return;
	case FUNCTION_STDDEV:
		add_at(l, element, WORD_SUM, value);
		add_square(l, element, value);
		return;
	default: return;
	}
}

/* ---- the action ---- */

static __u32 lower_increment(struct d_lowerer *l, const struct d_node *call)
{
	const struct d_node *e = d_aggregation_increment(call);

	return e ? d_lower_value(l, e) : d_lower_constant(l, 1);
}

bool d_lower_aggregation(struct d_lowerer *l, const struct d_node *n)
{
	const struct d_aggregation *a = n->a->aggregation;
	__u32 value, increment = 0, cell = 0, key, element, end;

	if (a->is_metric)
		return d_lower_metric(l, n);
	value = n->b->list ? d_lower_value(l, n->b->list) : 0;
	end = d_ir_label(l->ir);
	if (n->b->list && !value)
		return false;
	if (a->buckets.kind && !(increment = lower_increment(l, n->b)))
		return false;
	if (!d_lower_key(l, a->table, n->a->list, &key))
		return false;
	if (a->buckets.kind)
		cell = a->buckets.kind == BUCKETS_LINEAR ? linear_cell(l, &a->buckets, value) : signed_cell(l, a, value);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_PUT, .scope = MEMORY_SCRATCH, .value = key + d_table_key_len(a->table) - 8, .a = cell });
	element = d_ir_register(l->ir);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_ELEMENT, .dst = element, .value = a->table->id, .from = key, .size = a->id,
		.label = end });
	if (a->buckets.kind)
		add_at(l, element, WORD_COUNT, increment);
	else
		add_value(l, a, element, value);
	d_lower_label(l, end);
	return true;
}
