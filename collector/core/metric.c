#include "collector/core/metric.h"
#include "collector/core/host_labels.h"

#include <string.h>

const char *metric_scope_name(enum metric_scope scope)
{
	return scope == SCOPE_POINT ? "point" : "interval";
}

const struct field *metric_field(const struct metric *m, const char *name)
{
	for (size_t i = 0; i < m->n_fields; i++)
		if (!strcmp(m->field[i].name, name))
			return &m->field[i];
	return NULL;
}

enum metric_scope metric_measure_scope(const struct metric *m, const char *measure)
{
	return m->point && !strcmp(m->point, measure) ? SCOPE_POINT : m->scope;
}

int metric_is_part(const struct metric *m, const char *measure)
{
	size_t len = strlen(measure);

	for (const char *at = m->parts; at && *at; at += strcspn(at, " "), at += *at == ' ')
		if (strcspn(at, " ") == len && !strncmp(at, measure, len))
			return 1;
	return 0;
}

const char *metric_first_measure(const struct metric *m)
{
	for (size_t i = 0; i < m->n_fields; i++)
		if (m->field[i].arity == FIELD_NUMERIC)
			return m->field[i].name;
	return NULL;
}

static int has_place(const struct field *f, enum field_arity arity)
{
	return f->arity == arity && !host_field_is(f->name);
}

const struct field *metric_at(const struct metric *m, enum field_arity arity, int index)
{
	for (size_t i = 0; i < m->n_fields; i++)
		if (has_place(&m->field[i], arity) && !index--)
			return &m->field[i];
	return NULL;
}

int metric_index(const struct metric *m, const char *name, enum field_arity arity)
{
	const struct field *f;

	for (int index = 0; (f = metric_at(m, arity, index)); index++)
		if (!strcmp(f->name, name))
			return index;
	return -1;
}
