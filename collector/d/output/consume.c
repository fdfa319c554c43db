#include "collector/d/output/consume.h"
#include "collector/core/array.h"
#include "collector/d/tree/fold.h"
#include "collector/d/text/format.h"
#include "collector/d/tree/function.h"
#include "collector/d/tree/probe.h"
#include "collector/d/output/stack_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PRINTF_VALUES_MAX 128

static const char *field_of(const struct d_probe *p, enum d_probe_field field) { return p ? p->field[field] : ""; }

static void print_columns(struct d_consumer *c, const struct d_record *r)
{
	const struct d_probe *p = d_probes_find(c->probes, r->probe);
	char name[256];

	if (!c->has_header)
		fprintf(c->out, "%3s %6s %32s\n", "CPU", "ID", "FUNCTION:NAME");
	snprintf(name, sizeof(name), "%s:%s", field_of(p, FIELD_FUNCTION), field_of(p, FIELD_NAME));
	fprintf(c->out, "%3u %6u %32s ", r->cpu, r->probe, name);
}

/* ---- flow ---- */

struct d_flow {
	__u32 thread;
	unsigned depth;
};

static struct d_flow *flow_of(struct d_consumer *c, __u32 thread)
{
	for (size_t i = 0; i < c->n_flows; i++)
		if (c->flows[i].thread == thread)
			return &c->flows[i];
	if (array_grow(&c->flows, c->n_flows, &c->flows_room, sizeof(*c->flows)))
		return NULL;
	c->flows[c->n_flows] = (struct d_flow){ .thread = thread };
	return &c->flows[c->n_flows++];
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/* "  -> function", deeper in each function that was entered; system calls have =>. */
static void print_flow(struct d_consumer *c, const struct d_record *r)
{
	const struct d_probe *p = d_probes_find(c->probes, r->probe);
	struct d_flow *f = flow_of(c, (__u32)r->thread);
	const char *name = field_of(p, FIELD_NAME);
	bool is_syscall = !strcmp(field_of(p, FIELD_PROVIDER), "syscall"), entry = ends_with(name, "entry"), returns = ends_with(name, "return");
	char text[512];

	if (!c->has_header)
		fprintf(c->out, "%3s %-41s\n", "CPU", "FUNCTION");
	if (returns && f && f->depth)
		f->depth -= 1;
	if (entry || returns)
		snprintf(text, sizeof(text), "%*s%s %s", f ? 2 * (int)f->depth : 0, "", entry ? (is_syscall ? " =>" : " ->") : is_syscall ? " <=" : " <-",
			 field_of(p, FIELD_FUNCTION));
	else
		snprintf(text, sizeof(text), "%*s | %s:%s", f ? 2 * (int)f->depth : 0, "", field_of(p, FIELD_FUNCTION), name);
	fprintf(c->out, "%3u %-41s ", r->cpu, text);
	if (entry && f && f->depth < 100)
		f->depth += 1;
}

static void print_prefix(struct d_consumer *c, const struct d_record *r)
{
	if (c->flow)
		print_flow(c, r);
	else
		print_columns(c, r);
	c->has_header = true;
}

void d_consumer_fini(struct d_consumer *c)
{
	free(c->flows);
	c->flows = NULL;
}

/* ---- values ---- */

static struct d_format_value text_of(const struct d_consumer *c, const struct d_value *v, const struct d_record *r)
{
	const char *name = field_of(d_probes_find(c->probes, r->probe), v->field), *text = (const char *)r->value + v->offset;

	switch (v->kind) {
	case VALUE_CONSTANT: return (struct d_format_value){ .text = v->text, .text_len = v->text_len };
	case VALUE_PROBE: return (struct d_format_value){ .text = name, .text_len = strlen(name) };
	default: return (struct d_format_value){ .text = text, .text_len = strnlen(text, v->size) };
	}
}

/* The register had 64 bits; the value has as many as its type. */
static struct d_format_value value_of(const struct d_consumer *c, const struct d_value *v, const struct d_record *r)
{
	struct d_format_value value = { .size = v->size, .is_signed = v->is_signed };

	if (v->kind != VALUE_INTEGER)
		return text_of(c, v, r);
	memcpy(&value.value, r->value + v->offset, sizeof(value.value));
	value.value = d_fold_cut(value.value, v->size, v->is_signed);
	return value;
}

static void print_printf(struct d_consumer *c, const struct d_action *a, const struct d_record *r)
{
	struct d_format_value values[PRINTF_VALUES_MAX];
	size_t n = 0;

	for (const struct d_value *v = a->values; v && n < PRINTF_VALUES_MAX; v = v->next)
		values[n++] = value_of(c, v, r);
	d_format_print(a->call->format, values, n, c->out);
}

static void print_trace(struct d_consumer *c, const struct d_value *v, const struct d_record *r)
{
	static const struct {
		int width_signed, width_unsigned;
	} of_size[] = { [1] = { 3, 3 }, [2] = { 5, 5 }, [4] = { 10, 10 }, [8] = { 19, 20 } };
	struct d_format_value value = value_of(c, v, r);
	int width = c->quiet || value.text ? 0 : value.is_signed ? of_size[value.size].width_signed : of_size[value.size].width_unsigned;

	if (value.text)
		fprintf(c->out, c->quiet ? "%.*s" : "  %-33.*s", (int)value.text_len, value.text);
	else if (value.is_signed)
		fprintf(c->out, "%s%*lld", c->quiet ? "" : " ", width, (long long)value.value);
	else
		fprintf(c->out, "%s%*llu", c->quiet ? "" : " ", width, (unsigned long long)value.value);
}

/* ---- aggregations ---- */

int d_flag_set(bool *flag, const char *value)
{
	if (value && strcmp(value, "0") && strcmp(value, "1") && strcmp(value, "true") && strcmp(value, "false"))
		return -EINVAL;
	*flag = !value || !strcmp(value, "1") || !strcmp(value, "true");
	return 0;
}

static int set_number(unsigned *number, const char *value, unsigned most)
{
	char *end;
	unsigned long n = value ? strtoul(value, &end, 0) : 0;

	if (!value || !*value || *end || *value == '-' || n > most)
		return -EINVAL;
	*number = n;
	return 0;
}

int d_sort_option(struct d_sort *s, const char *key, const char *value)
{
	if (!strcmp(key, "aggsortkey"))
		return d_flag_set(&s->by_key, value);
	if (!strcmp(key, "aggsortrev"))
		return d_flag_set(&s->reverse, value);
	if (!strcmp(key, "aggsortkeypos"))
		return set_number(&s->key_position, value, D_KEYS_MAX - 1);
	if (!strcmp(key, "aggsortpos"))
		return set_number(&s->position, value, D_AGGREGATIONS_MAX);
	return -EINVAL;
}

/* The totals of an aggregation up to now; NULL: there is none, or no memory. */
static struct d_totals *totals_of(struct d_consumer *c, const struct d_node *n)
{
	struct d_totals *t = &c->aggregates->totals[n->aggregation->id];

	if (c->take && c->take(c->take_context, t))
		fputs("dtrace: cannot read an aggregation: no memory\n", c->err);
	return t;
}

static void print_aggregations(struct d_consumer *c, const struct d_node *call)
{
	const struct d_node *e = call->list->kind == NODE_AGG ? call->list : call->list->next;
	struct d_totals *all[D_AGGREGATIONS_MAX];
	size_t n = 0;

	for (; e && n < D_AGGREGATIONS_MAX; e = e->next)
		all[n++] = totals_of(c, e);
	if (!call->format)
		fputc('\n', c->out);
	d_totals_printa(all, n, call->format, &c->aggregates->sort, c->out);
}

/* setopt("option", value): the value is a string, or a name as in setopt("aggsortkey", true). */
static void set_option(struct d_consumer *c, const struct d_node *call)
{
	const struct d_node *value = call->list->next;

	if (!strcmp(call->list->text, "quiet"))
		d_flag_set(&c->quiet, value ? value->text : NULL);
	else if (d_sort_option(&c->aggregates->sort, call->list->text, value ? value->text : NULL))
		fprintf(c->err, "dtrace: failed to set option '%s'\n", call->list->text);
}

static void change_aggregation(struct d_consumer *c, const struct d_action *a, const struct d_record *r)
{
	struct d_totals *t = totals_of(c, a->call->list);
	struct d_format_value n = a->values ? value_of(c, a->values, r) : (struct d_format_value){ .size = 8 };

	switch (a->call->function->id) {
	case FUNCTION_CLEAR: d_totals_clear(t); return;
	case FUNCTION_TRUNC: d_totals_trunc(t, &c->aggregates->sort, (__s64)n.value); return;
	case FUNCTION_NORMALIZE: t->normal = n.value ? n.value : 1; return;
	default: t->normal = 1;
	}
}

/* A part of a key as programs put it into a table: 8 bytes, or a text in its room. */
static void put_key_part(const struct d_consumer *c, const struct d_key *k, const struct d_value *v, const struct d_record *r, __u8 *out)
{
	struct d_format_value value = value_of(c, v, r);
	__u64 id = r->probe;

	memset(out, 0, k->room);
	if (k->is_probe)
		memcpy(out, &id, sizeof(id));
	else if (value.text)
		memcpy(out, value.text, value.text_len < k->room ? value.text_len : k->room - 1);
	else
		memcpy(out, &value.value, sizeof(value.value));
}

/* Counts a value of an aggregation that is a metric. */
static void count_value(struct d_consumer *c, const struct d_action *a, const struct d_record *r)
{
	struct d_totals *t = &c->aggregates->totals[a->aggregation->id];
	const struct d_table *table = a->aggregation->table;
	const struct d_value *v = a->values;
	__u8 key[D_KEYS_MAX * D_STRING_SIZE], *at = key;
	struct d_row *row;
	__s64 value;

	for (__u32 i = 0; i + 1 < table->n_keys; i++, v = v->next) {
		put_key_part(c, &table->key[i], v, r, at);
		at += table->key[i].room;
	}
	value = (__s64)value_of(c, v, r).value;
	if (d_totals_add_value(t, key, value, &row))
		fputs("dtrace: a value of an aggregation is lost: no memory\n", c->err);
	else if (c->on_value)
		c->on_value(c->on_value_context, t, row, value, r->time_ns);
}

static void print_action(struct d_consumer *c, const struct d_action *a, const struct d_record *r)
{
	if (a->aggregation) {
		count_value(c, a, r);
		return;
	}
	switch (a->call->function->id) {
	case FUNCTION_PRINTF:
		print_printf(c, a, r);
		return;
	case FUNCTION_TRACE:
		print_trace(c, a->values, r);
		return;
	case FUNCTION_EXIT:
		c->exit_status = (int)value_of(c, a->values, r).value;
		return;
	case FUNCTION_PRINTA:
		print_aggregations(c, a->call);
		return;
	case FUNCTION_CLEAR: case FUNCTION_TRUNC: case FUNCTION_NORMALIZE: case FUNCTION_DENORMALIZE:
		change_aggregation(c, a, r);
		return;
	case FUNCTION_STACK: case FUNCTION_USTACK:
		d_stack_print(c->symbols, a->values->kind == VALUE_USER_STACK, r->value + a->values->offset, a->values->size, c->out);
		return;
	case FUNCTION_SETOPT:
		set_option(c, a->call);
		return;
	default:
		return;
	}
}

static void print_fault(struct d_consumer *c, const struct d_record *r)
{
	const struct d_probe *p = d_probes_find(c->probes, r->probe);
	__u64 address;

	fprintf(c->err, "dtrace: error in dt_clause_%u for probe ID %u (%s:%s:%s:%s): ", r->clause, r->probe,
		field_of(p, FIELD_PROVIDER), field_of(p, FIELD_MODULE), field_of(p, FIELD_FUNCTION), field_of(p, FIELD_NAME));
	memcpy(&address, r->value, sizeof(address));
	if (r->fault == FAULT_ADDRESS)
		fprintf(c->err, "invalid address (0x%llx)\n", (unsigned long long)address);
	else
		fputs("divide-by-zero\n", c->err);
}

void d_consume(struct d_consumer *c, const struct d_record *r)
{
	bool prints;

	if (r->clause >= c->n_clauses)
		return;
	if (r->fault) {
		fflush(c->out);
		print_fault(c, r);
		return;
	}
	prints = !c->quiet && c->clauses[r->clause]->prints;
	if (prints)
		print_prefix(c, r);
	for (const struct d_action *a = c->clauses[r->clause]->actions; a; a = a->next)
		if (r->ran >> a->number & 1)
			print_action(c, a, r);
	if (prints)
		fputc('\n', c->out);
}
