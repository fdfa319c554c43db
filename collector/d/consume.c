#include "collector/d/consume.h"
#include "collector/d/format.h"
#include "collector/d/function.h"
#include "collector/d/probe.h"

#define PRINTF_VALUES_MAX 128

static const struct d_probe *probe_of(const struct d_record *r)
{
	for (unsigned i = 0; d_probe_at(i); i++)
		if (d_probe_at(i)->id == r->probe)
			return d_probe_at(i);
	return NULL;
}

static void print_prefix(struct d_consumer *c, const struct d_record *r)
{
	const struct d_probe *p = probe_of(r);
	char name[256];

	if (!c->has_header)
		fprintf(c->out, "%3s %6s %32s\n", "CPU", "ID", "FUNCTION:NAME");
	c->has_header = true;
	snprintf(name, sizeof(name), "%s:%s", p ? p->function : "", p ? p->name : "");
	fprintf(c->out, "%3u %6u %32s ", r->cpu, r->probe, name);
}

static struct d_format_value value_of(const struct d_value *v, const struct d_record *r)
{
	struct d_format_value value = { .text = v->text, .text_len = v->text_len, .size = v->size, .is_signed = v->is_signed };

	if (!v->text)
		value.value = r->value[v->slot];
	if (v->size < 8 && v->size) {		/* the register had 64 bits, the record keeps as many as the type has */
		unsigned bits = 64 - 8 * v->size;

		value.value = v->is_signed ? (__u64)((__s64)(value.value << bits) >> bits) : value.value << bits >> bits;
	}
	return value;
}

static void print_printf(struct d_consumer *c, const struct d_action *a, const struct d_record *r)
{
	struct d_format_value values[PRINTF_VALUES_MAX];
	size_t n = 0;

	for (const struct d_value *v = a->values; v && n < PRINTF_VALUES_MAX; v = v->next)
		values[n++] = value_of(v, r);
	d_format_print(a->call->format, values, n, c->out);
}

static void print_trace(struct d_consumer *c, const struct d_value *v, const struct d_record *r)
{
	static const struct {
		int width_signed, width_unsigned;
	} of_size[] = { [1] = { 3, 3 }, [2] = { 5, 5 }, [4] = { 10, 10 }, [8] = { 19, 20 } };
	struct d_format_value value = value_of(v, r);
	int width = c->quiet || value.text ? 0 : value.is_signed ? of_size[value.size].width_signed : of_size[value.size].width_unsigned;

	if (value.text)
		fprintf(c->out, c->quiet ? "%.*s" : "  %-33.*s", (int)value.text_len, value.text);
	else if (value.is_signed)
		fprintf(c->out, "%s%*lld", c->quiet ? "" : " ", width, (long long)value.value);
	else
		fprintf(c->out, "%s%*llu", c->quiet ? "" : " ", width, (unsigned long long)value.value);
}

static void print_action(struct d_consumer *c, const struct d_action *a, const struct d_record *r)
{
	switch (a->call->function->id) {
	case FUNCTION_PRINTF:
		print_printf(c, a, r);
		return;
	case FUNCTION_TRACE:
		print_trace(c, a->values, r);
		return;
	case FUNCTION_EXIT:
		c->exit_status = (int)r->value[a->values->slot];
		return;
	case FUNCTION_LATER:
		return;
	}
}

static void print_fault(struct d_consumer *c, const struct d_record *r)
{
	const struct d_probe *p = probe_of(r);

	fprintf(c->err, "dtrace: error in dt_clause_%u for probe ID %u (%s:%s:%s:%s): divide-by-zero\n", r->clause, r->probe,
		p ? p->provider : "", p ? p->module : "", p ? p->function : "", p ? p->name : "");
}

void d_consume(struct d_consumer *c, const struct d_record *r)
{
	if (r->clause >= c->n_clauses)
		return;
	if (r->fault) {
		fflush(c->out);
		print_fault(c, r);
		return;
	}
	if (!c->quiet)
		print_prefix(c, r);
	for (const struct d_action *a = c->clauses[r->clause]->actions; a; a = a->next)
		if (r->ran >> a->number & 1)
			print_action(c, a, r);
	if (!c->quiet)
		fputc('\n', c->out);
}
