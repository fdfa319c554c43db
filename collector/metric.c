#include "metric.h"

#include <string.h>

const struct field *metric_field(const struct metric *m, const char *name)
{
	for (size_t i = 0; i < m->n_fields; i++)
		if (!strcmp(m->field[i].name, name))
			return &m->field[i];
	return NULL;
}
