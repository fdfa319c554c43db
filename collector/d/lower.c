#include "collector/d/lower_private.h"
#include "collector/d/function.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

bool d_lower_fail(struct d_lowerer *l, const struct d_node *n, const char *format, ...)
{
	char text[sizeof(l->error->text)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	d_fail(l->error, &l->clause->unit->script, n->at, "D_UNKNOWN", "%s", text);
	return false;
}

/* ---- actions ---- */

static void *lower_alloc(struct d_lowerer *l, const struct d_node *n, size_t len)
{
	void *data = d_alloc(l->program->types->arena, len);

	if (!data)
		d_lower_fail(l, n, "the script is too large");
	return data;
}

static void put(struct d_lowerer *l, size_t offset, __u32 a)
{
	d_ir_add(l->ir, (struct d_ins){ .op = IR_PUT, .value = offset, .a = a });
}

static void put_constant(struct d_lowerer *l, size_t offset, __u32 value)
{
	d_ir_add(l->ir, (struct d_ins){ .op = IR_PUT, .value = offset, .label = value });
}

/* *ret_a: the register of the value, 0 for a constant text. */
static bool lower_argument(struct d_lowerer *l, const struct d_node *n, struct d_value *v, __u32 *ret_a)
{
	const struct d_type *type = d_type_resolve(n->type);

	*ret_a = 0;
	v->size = type->size;
	v->is_signed = type->is_signed;
	if (n->kind == NODE_STRING) {
		v->text = n->text;
		v->text_len = strnlen(n->text, n->text_len);
		return true;
	}
	if (!d_type_is_scalar(type))
		return d_lower_fail(l, n, "strings that are not constant are not available yet");
	if (l->n_slots == D_VALUES_MAX)
		return d_lower_fail(l, n, "more than %d values in the actions of a clause", D_VALUES_MAX);
	*ret_a = d_lower_value(l, n);
	if (!*ret_a)
		return false;
	v->slot = l->n_slots++;
	put(l, offsetof(struct d_record, value) + 8 * v->slot, *ret_a);
	return true;
}

static struct d_action *add_action(struct d_lowerer *l, const struct d_node *n)
{
	struct d_action *action = lower_alloc(l, n, sizeof(*action));

	if (!action)
		return NULL;
	if (l->n_actions == D_ACTIONS_MAX) {
		d_lower_fail(l, n, "more than %d actions in a clause", D_ACTIONS_MAX);
		return NULL;
	}
	action->call = n;
	action->number = l->n_actions++;
	*l->actions_end = action;
	l->actions_end = &action->next;
	return action;
}

bool d_lower_action(struct d_lowerer *l, const struct d_node *n)
{
	struct d_action *action;
	struct d_value **end;

	if (n->function->id == FUNCTION_LATER)
		return d_lower_fail(l, n, "%s( ) is not available yet", n->text);
	action = add_action(l, n);
	if (!action)
		return false;
	end = &action->values;
	for (const struct d_node *e = n->function->id == FUNCTION_PRINTF ? n->list->next : n->list; e; e = e->next) {
		struct d_value *v = lower_alloc(l, e, sizeof(*v));
		__u32 a;

		if (!v || !lower_argument(l, e, v, &a))
			return false;
		*end = v;
		end = &v->next;
		if (n->function->id == FUNCTION_EXIT)
			d_ir_add(l->ir, (struct d_ins){ .op = IR_EXIT, .a = a });
	}
	d_ir_add(l->ir, (struct d_ins){ .op = IR_RAN, .value = action->number });
	return true;
}

/* ---- statements ---- */

static bool lower_statements(struct d_lowerer *l, const struct d_node *list)
{
	for (; list; list = list->next)
		if (!d_lower_statement(l, list))
			return false;
	return true;
}

/* a ? b : c as a statement, and if. */
static bool lower_if(struct d_lowerer *l, const struct d_node *n)
{
	__u32 otherwise = d_ir_label(l->ir), end = d_ir_label(l->ir);
	bool is_if = n->kind == NODE_IF;

	if (!d_lower_branch(l, n->a, false, otherwise) ||
	    !(is_if ? lower_statements(l, n->list) : d_lower_statement(l, n->b)))
		return false;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_JUMP, .label = end });
	d_lower_label(l, otherwise);
	if (!(is_if ? lower_statements(l, n->otherwise) : d_lower_statement(l, n->c)))
		return false;
	d_lower_label(l, end);
	return true;
}

bool d_lower_statement(struct d_lowerer *l, const struct d_node *n)
{
	if (n->kind == NODE_IF || n->kind == NODE_CONDITION)
		return lower_if(l, n);
	if (n->kind == NODE_BINARY && n->op == ',')
		return d_lower_statement(l, n->a) && d_lower_statement(l, n->b);
	if (n->kind == NODE_CALL && n->function->kind == FUNCTION_ACTION)
		return d_lower_action(l, n);
	if (n->kind == NODE_ASSIGN && n->a->kind == NODE_AGG)
		return d_lower_fail(l, n, "aggregations are not available yet");
	return d_lower_value(l, n);
}

/* Whether a statement can send something, so the clause needs a record. */
static bool records(const struct d_node *n)
{
	for (; n; n = n->next) {
		if (n->kind == NODE_CALL && n->function && n->function->kind == FUNCTION_ACTION)
			return true;
		if (n->kind == NODE_IF && (records(n->list) || records(n->otherwise)))
			return true;
		if (n->kind == NODE_CONDITION && (records(n->b) || records(n->c)))
			return true;
		if (n->kind == NODE_BINARY && n->op == ',' && (records(n->a) || records(n->b)))
			return true;
	}
	return false;
}

/* ---- clauses ---- */

static void put_header(struct d_lowerer *l, __u32 fault)
{
	__u32 cpu = d_ir_register(l->ir);

	put_constant(l, offsetof(struct d_record, clause), l->clause->id);
	put_constant(l, offsetof(struct d_record, ran), 0);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_BUILTIN, .dst = cpu, .value = BUILTIN_CPU });
	put(l, offsetof(struct d_record, cpu), cpu);
	put(l, offsetof(struct d_record, time_ns), l->timestamp);
	for (size_t half = 0; half < 2; half++)		/* the upper halves of the words above */
		d_ir_add(l->ir, (struct d_ins){ .op = IR_PUT, .size = 4, .label = half ? fault : l->firing.probe,
			.value = half ? offsetof(struct d_record, fault) : offsetof(struct d_record, probe) });
}

/* A record that says only that the clause divided by zero. */
static void lower_fault(struct d_lowerer *l, __u32 label, bool has_record, __u32 next)
{
	d_ir_add(l->ir, (struct d_ins){ .op = IR_JUMP, .label = next });
	d_lower_label(l, label);
	if (has_record)
		d_ir_add(l->ir, (struct d_ins){ .op = IR_DISCARD });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_RESERVE, .value = sizeof(struct d_record), .label = next });
	put_header(l, FAULT_DIVIDE);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_SUBMIT });
}

/* The body, with its record if it has one; the size of the record is known at its end. */
static bool lower_body(struct d_lowerer *l, bool has_record, __u32 next)
{
	size_t reserve = l->ir->n;

	if (!has_record)
		return lower_statements(l, l->clause->item->statements);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_RESERVE, .label = next });
	put_header(l, FAULT_NONE);
	if (!lower_statements(l, l->clause->item->statements))
		return false;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_SUBMIT });
	if (!l->ir->err)
		l->ir->ins[reserve].value = sizeof(struct d_record) + 8 * l->n_slots;
	return true;
}

static bool lower_clause(struct d_lowerer *l, struct d_clause *clause)
{
	const struct d_item *item = clause->item;
	bool has_record = !item->statements || records(item->statements);
	__u32 next = d_ir_label(l->ir), in_predicate = d_ir_label(l->ir), in_body = d_ir_label(l->ir);

	l->clause = clause;
	l->n_slots = l->n_actions = 0;
	clause->actions = NULL;
	l->actions_end = &clause->actions;
	l->divide_label = in_predicate;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_ACTIVE, .value = l->firing.activity, .label = next });
	l->timestamp = d_ir_register(l->ir);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_BUILTIN, .dst = l->timestamp, .value = BUILTIN_TIMESTAMP });
	if (item->predicate && !d_lower_branch(l, item->predicate, false, next))
		return false;
	l->divide_label = in_body;
	if (!lower_body(l, has_record, next))
		return false;
	lower_fault(l, in_predicate, false, next);
	lower_fault(l, in_body, has_record, next);
	d_lower_label(l, next);
	return true;
}

static int lower_clauses(struct d_lowerer *l, struct d_clause *const *clauses, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!lower_clause(l, clauses[i]))
			break;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_RETURN });
	if (!l->ir->err && !l->error->tag)
		d_ir_prune(l->ir);
	if (l->ir->err == -E2BIG)
		d_lower_fail(l, &(struct d_node){ .at = l->clause->item->at },
			     "the clauses of a probe need more than %d instructions", D_IR_MAX);
	if (l->program->types->arena->failed || l->ir->err == -ENOMEM)
		return -ENOMEM;
	return l->error->tag ? -EINVAL : 0;
}

int d_lower(struct d_program *p, struct d_clause *const *clauses, size_t n, struct d_firing firing, struct d_ir *ret_ir,
	    struct d_error *error)
{
	struct d_ir ir = { 0 };
	struct d_lowerer l = { .program = p, .ir = &ir, .error = error, .firing = firing };
	int err = lower_clauses(&l, clauses, n);

	if (err)
		d_ir_fini(&ir);
	else
		*ret_ir = ir;
	return err;
}
