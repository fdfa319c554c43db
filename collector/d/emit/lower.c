#include "collector/d/emit/lower_private.h"
#include "collector/d/tree/function.h"

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
	d_ir_add(l->ir, (struct d_ins){ .op = IR_PUT, .scope = MEMORY_RECORD, .value = offset, .a = a });
}

static void put_constant(struct d_lowerer *l, size_t offset, __u32 value)
{
	d_ir_add(l->ir, (struct d_ins){ .op = IR_PUT, .scope = MEMORY_RECORD, .value = offset, .from = value });
}

__u32 d_lower_scratch(struct d_lowerer *l, __u32 len)
{
	__u32 at = l->scratch_len;

	l->scratch_len += (len + 7) / 8 * 8;
	if (l->ir->scratch_len < l->scratch_len)
		l->ir->scratch_len = l->scratch_len;
	return at;
}

__u32 d_lower_kept_scratch(struct d_lowerer *l, __u32 len)
{
	__u32 at = d_lower_scratch(l, len);

	l->kept_len = l->scratch_len;
	return at;
}

static bool room_in_record(struct d_lowerer *l, const struct d_node *n, __u32 len, __u32 *ret_offset)
{
	if (l->record_len + len > D_VALUES_MAX)
		return d_lower_fail(l, n, "more than %u bytes of values in the actions of a clause", D_VALUES_MAX);
	*ret_offset = l->record_len;
	l->record_len += len;
	return true;
}

static bool lower_text_argument(struct d_lowerer *l, const struct d_node *n, struct d_value *v)
{
	__u32 text, to;

	if (n->kind == NODE_STRING) {
		v->kind = VALUE_CONSTANT;
		v->text = n->text;
		v->text_len = strnlen(n->text, n->text_len < D_STRING_SIZE ? n->text_len : D_STRING_SIZE - 1);
		return true;
	}
	if (d_is_probe_name(n)) {
		v->kind = VALUE_PROBE;
		v->field = n->variable->builtin->index;
		return true;
	}
	v->kind = VALUE_TEXT;
	v->size = d_text_room(n);
	text = d_lower_text(l, n);
	if (!text || !room_in_record(l, n, v->size, &v->offset))
		return false;
	to = d_lower_address(l, MEMORY_RECORD, offsetof(struct d_record, value) + v->offset);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_COPY_TEXT, .a = text, .b = to, .size = v->size });
	return true;
}

/* *ret_a: the register of an integer. */
static bool lower_argument(struct d_lowerer *l, const struct d_node *n, struct d_value *v, __u32 *ret_a)
{
	const struct d_type *type = d_type_resolve(n->type);

	*ret_a = 0;
	if (d_is_text(n))
		return lower_text_argument(l, n, v);
	v->size = type->size;
	v->is_signed = type->is_signed;
	if (!d_type_is_scalar(type))
		return d_lower_fail(l, n, "values of this type are not available yet");
	*ret_a = d_lower_value(l, n);
	if (!*ret_a || !room_in_record(l, n, 8, &v->offset))
		return false;
	put(l, offsetof(struct d_record, value) + v->offset, *ret_a);
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

/* Whether the arguments of an action are in its record; of the others the tree says all. */
static bool is_recorded(const struct d_node *call)
{
	return call->function->id != FUNCTION_PRINTA && call->function->id != FUNCTION_SETOPT;
}

/* stack() and ustack() as actions: the call itself is the value. */
static bool lower_stack_action(struct d_lowerer *l, const struct d_node *n)
{
	struct d_action *action = add_action(l, n);
	struct d_value *v = lower_alloc(l, n, sizeof(*v));

	if (!action || !v)
		return false;
	v->kind = d_stack_of(n, &v->size) == STACK_USER ? VALUE_USER_STACK : VALUE_KERNEL_STACK;
	action->values = v;
	if (!room_in_record(l, n, v->size, &v->offset) ||
	    !d_lower_stack(l, n, MEMORY_RECORD, offsetof(struct d_record, value) + v->offset, v->size))
		return false;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_RAN, .value = action->number });
	return true;
}

bool d_lower_action(struct d_lowerer *l, const struct d_node *n)
{
	struct d_action *action;
	struct d_value **end;

	if (n->function->id == FUNCTION_LATER)
		return d_lower_fail(l, n, "%s( ) is not available yet", n->text);
	if (n->function->result == D_STACK)
		return lower_stack_action(l, n);
	action = add_action(l, n);
	if (!action)
		return false;
	end = &action->values;
	for (const struct d_node *e = n->function->id == FUNCTION_PRINTF ? n->list->next : n->list; e; e = e->next) {
		struct d_value *v = lower_alloc(l, e, sizeof(*v));
		__u32 a;

		if (e->kind == NODE_AGG || !is_recorded(n))
			continue;
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

static bool lower_metric_value(struct d_lowerer *l, const struct d_node *e, struct d_value ***end)
{
	struct d_value *v = lower_alloc(l, e, sizeof(*v));
	__u32 a;

	if (!v || !lower_argument(l, e, v, &a))
		return false;
	**end = v;
	*end = &v->next;
	return true;
}

bool d_lower_metric(struct d_lowerer *l, const struct d_node *n)
{
	struct d_action *action = add_action(l, n);
	struct d_value **end;

	if (!action)
		return false;
	action->aggregation = n->a->aggregation;
	end = &action->values;
	for (const struct d_node *key = n->a->list; key; key = key->next)
		if (!lower_metric_value(l, key, &end))
			return false;
	if (!lower_metric_value(l, n->b->list, &end))
		return false;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_RAN, .value = action->number });
	return true;
}

/* ---- statements ---- */

/* No statement needs what an earlier one had in scratch, but for what is kept. */
static bool lower_statements(struct d_lowerer *l, const struct d_node *list)
{
	__u32 taken = l->scratch_len;

	for (; list; list = list->next) {
		if (!d_lower_statement(l, list))
			return false;
		l->scratch_len = taken > l->kept_len ? taken : l->kept_len;
	}
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
		return d_lower_aggregation(l, n);
	return d_is_text(n) ? d_lower_text(l, n) : d_lower_value(l, n);
}

static bool is_action(const struct d_node *n) { return n->kind == NODE_CALL && n->function && n->function->kind == FUNCTION_ACTION; }

static bool is_metric(const struct d_node *n) { return n->kind == NODE_ASSIGN && n->a->kind == NODE_AGG && n->a->aggregation->is_metric; }

/* Whether one of these statements is such a statement, or can run one. */
static bool some(const struct d_node *n, bool (*is_such)(const struct d_node *n))
{
	for (; n; n = n->next) {
		if (is_such(n))
			return true;
		if (n->kind == NODE_IF && (some(n->list, is_such) || some(n->otherwise, is_such)))
			return true;
		if (n->kind == NODE_CONDITION && (some(n->b, is_such) || some(n->c, is_such)))
			return true;
		if (n->kind == NODE_BINARY && n->op == ',' && (some(n->a, is_such) || some(n->b, is_such)))
			return true;
	}
	return false;
}

/* A clause without statements prints that its probe fired. */
static bool prints(const struct d_node *statements) { return !statements || some(statements, is_action); }

/* Whether a clause needs a record. */
static bool sends(const struct d_node *statements) { return prints(statements) || some(statements, is_metric); }

/* ---- clauses ---- */

static void put_header(struct d_lowerer *l, __u32 fault)
{
	__u32 cpu = d_ir_register(l->ir), thread = d_ir_register(l->ir);

	put_constant(l, offsetof(struct d_record, clause), l->clause->id);
	put_constant(l, offsetof(struct d_record, ran), 0);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_BUILTIN, .dst = cpu, .value = BUILTIN_CPU });
	put(l, offsetof(struct d_record, cpu), cpu);
	put(l, offsetof(struct d_record, time_ns), l->timestamp);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_BUILTIN, .dst = thread, .value = BUILTIN_TID });
	put(l, offsetof(struct d_record, thread), thread);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_PUT, .scope = MEMORY_RECORD, .size = 4, .value = offsetof(struct d_record, probe),
		.a = l->probe ? 0 : l->probe_id, .from = l->probe ? l->probe->id : 0 });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_PUT, .scope = MEMORY_RECORD, .size = 4, .value = offsetof(struct d_record, fault),
		.from = fault });
}

static void lower_errors(struct d_lowerer *l, enum d_fault fault);

/* A record that says only why the clause ended; then the clauses of ERROR. */
static void lower_fault(struct d_lowerer *l, enum d_fault fault, __u32 label, bool has_record, __u32 next)
{
	d_ir_add(l->ir, (struct d_ins){ .op = IR_JUMP, .label = next });
	d_lower_label(l, label);
	if (has_record)
		d_ir_add(l->ir, (struct d_ins){ .op = IR_DISCARD });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_RESERVE, .value = sizeof(struct d_record) + 8, .label = next });
	put_header(l, fault);
	if (fault == FAULT_ADDRESS)
		put(l, offsetof(struct d_record, value), l->address);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_SUBMIT });
	if (l->errors)
		lower_errors(l, fault);
}

/* Where faults go from here on. */
struct fault_labels {
	__u32 divide, address;
};

static struct fault_labels begin_faults(struct d_lowerer *l)
{
	l->divide_label = d_ir_label(l->ir);
	l->address_label = d_ir_label(l->ir);
	return (struct fault_labels){ l->divide_label, l->address_label };
}

static void lower_faults(struct d_lowerer *l, struct fault_labels labels, bool has_record, __u32 next)
{
	lower_fault(l, FAULT_DIVIDE, labels.divide, has_record, next);
	lower_fault(l, FAULT_ADDRESS, labels.address, has_record, next);
}

static bool assigns_self(const struct d_node *n) { return n->kind == NODE_ASSIGN && n->a->kind == NODE_NAME && n->a->scope == SCOPE_SELF; }

/* Saves the stack of a thread of which a clause of off-cpu keeps something. */
static void save_stack(struct d_lowerer *l)
{
	__u32 to, end;

	if (!l->program->saved_stack || l->ir->context != CONTEXT_OFF_CPU || !d_node_has(l->clause->item->statements, assigns_self))
		return;
	to = d_ir_register(l->ir);
	end = d_ir_label(l->ir);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_ADDRESS, .dst = to, .scope = MEMORY_SELF, .value = l->program->saved_stack, .label = end });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_STACK, .b = to, .size = D_SAVED_STACK_LEN, .value = true });
	d_lower_label(l, end);
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
		l->ir->ins[reserve].value = sizeof(struct d_record) + l->record_len;
	return true;
}

/* Of several probes, only some have the clause. */
static void skip_other_probes(struct d_lowerer *l, size_t number, __u32 next)
{
	__u32 bit;

	if (!l->mask)
		return;
	bit = d_ir_register(l->ir);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_SHR, .dst = bit, .a = l->mask, .value = number });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_AND, .dst = bit, .a = bit, .value = 1 });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_JUMP_IF, .relation = REL_EQ, .a = bit, .label = next });
}

static void begin_clause(struct d_lowerer *l, struct d_clause *clause)
{
	l->clause = clause;
	l->record_len = l->n_actions = l->scratch_len = l->kept_len = 0;
	clause->prints = prints(clause->item->statements);
	clause->actions = NULL;			/* a clause of several groups has the same ones in each */
	l->actions_end = &clause->actions;
	l->address = d_ir_register(l->ir);
}

/* A fault in a clause of ERROR only ends it. */
static bool lower_error_clause(struct d_lowerer *l, struct d_clause *clause)
{
	const struct d_item *item = clause->item;
	bool has_record = sends(item->statements);
	__u32 next = d_ir_label(l->ir), in_body = d_ir_label(l->ir);

	begin_clause(l, clause);
	l->divide_label = l->address_label = next;
	if (item->predicate && !d_lower_branch(l, item->predicate, false, next))
		return false;
	l->scratch_len = l->kept_len;
	l->divide_label = l->address_label = in_body;
	if (!lower_body(l, has_record, next))
		return false;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_JUMP, .label = next });
	d_lower_label(l, in_body);
	if (has_record)
		d_ir_add(l->ir, (struct d_ins){ .op = IR_DISCARD });
	d_lower_label(l, next);
	return true;
}

static void lower_errors(struct d_lowerer *l, enum d_fault fault)
{
	const struct d_lowerer before = *l;
	const struct d_fault_place place = { fault, l->clause, fault == FAULT_ADDRESS ? l->address : d_lower_constant(l, 0) };

	l->probe = l->errors->probes[0];
	l->fault = &place;
	for (size_t i = 0; i < l->errors->n_clauses; i++)
		if (!lower_error_clause(l, l->errors->clauses[i]))
			break;
	*l = before;
}

static bool lower_clause(struct d_lowerer *l, struct d_clause *clause, size_t number)
{
	const struct d_item *item = clause->item;
	bool has_record = sends(item->statements);
	__u32 next = d_ir_label(l->ir);
	struct fault_labels in_predicate, in_body;

	begin_clause(l, clause);
	in_predicate = begin_faults(l);
	skip_other_probes(l, number, next);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_ACTIVE, .value = d_group_activity(l->group), .label = next });
	l->timestamp = d_ir_register(l->ir);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_BUILTIN, .dst = l->timestamp, .value = BUILTIN_TIMESTAMP });
	if (item->predicate && !d_lower_branch(l, item->predicate, false, next))
		return false;
	l->scratch_len = l->kept_len;
	in_body = begin_faults(l);
	save_stack(l);
	if (!lower_body(l, has_record, next))
		return false;
	lower_faults(l, in_predicate, false, next);
	lower_faults(l, in_body, has_record, next);
	d_lower_label(l, next);
	return true;
}

static bool uses_this(const struct d_ir *ir)
{
	for (size_t i = 0; i < ir->n; i++)
		if ((ir->ins[i].op == IR_LOAD || ir->ins[i].op == IR_STORE || ir->ins[i].op == IR_ADDRESS) &&
		    ir->ins[i].scope == MEMORY_THIS)
			return true;
	return false;
}

/* this-> and scratch of the program; the most that any one needs is the size of an area. */
static void finish_memory(struct d_lowerer *l)
{
	__u32 len;

	if (!l->ir->err && uses_this(l->ir))
		l->ir->this_len = (l->program->memory[SCOPE_THIS] + 7) / 8 * 8;
	len = l->ir->this_len + l->ir->scratch_len;
	if (len > D_MEMORY_MAX)
		d_lower_fail(l, &(struct d_node){ .at = l->clause->item->at },
			     "the clauses of a probe need more than %u bytes for texts and keys at once", D_MEMORY_MAX);
	if (l->program->scratch_len < len)
		l->program->scratch_len = len;
}

static void load_entry(struct d_lowerer *l)
{
	__u32 entry = d_ir_register(l->ir);

	l->probe_id = d_ir_register(l->ir);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_PROBE, .dst = entry });
	d_ir_add(l->ir, (struct d_ins){ .op = IR_LOAD, .dst = l->probe_id, .a = entry, .size = 4, .value = offsetof(struct d_entry, probe) });
	if (d_group_is_uniform(l->group))
		return;
	l->mask = d_ir_register(l->ir);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_LOAD, .dst = l->mask, .a = entry, .size = 8, .value = offsetof(struct d_entry, clauses) });
}

static int lower_clauses(struct d_lowerer *l)
{
	if (!l->probe)
		load_entry(l);
	d_ir_add(l->ir, (struct d_ins){ .op = IR_CLAIM });
	for (size_t i = 0; i < l->group->n_clauses; i++)
		if (!lower_clause(l, l->group->clauses[i], i))
			break;
	d_ir_add(l->ir, (struct d_ins){ .op = IR_RETURN });
	if (!l->ir->err && !l->error->tag)
		d_ir_prune(l->ir);
	finish_memory(l);
	if (l->ir->err == -E2BIG)
		d_lower_fail(l, &(struct d_node){ .at = l->clause->item->at },
			     "the clauses of a probe need more than %d instructions", D_IR_MAX);
	if (l->program->types->arena->failed || l->ir->err == -ENOMEM)
		return -ENOMEM;
	return l->error->tag ? -EINVAL : 0;
}

int d_lower(struct d_program *p, struct d_group *g, const struct d_group *errors, struct d_error *error)
{
	struct d_lowerer l = { .program = p, .ir = &g->ir, .error = error, .group = g, .errors = errors,
			       .probe = d_group_is_single(g) ? g->probes[0] : NULL };
	int err;

	g->ir = (struct d_ir){ .context = g->context, .arguments = g->probes[0]->arguments };
	err = lower_clauses(&l);
	if (err)
		d_ir_fini(&g->ir);
	return err;
}
