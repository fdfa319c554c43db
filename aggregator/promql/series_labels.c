#include "aggregator/promql/series_labels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int series_labels_add(struct series_labels *l, const char *name, const char *value)
{
	struct series_label label;
	size_t at = 0;

	while (at < l->n && strcmp(l->label[at].name, name) < 0)
		at++;
	if (!*value || (at < l->n && !strcmp(l->label[at].name, name)))
		return 0;
	if (l->n == SERIES_LABELS_MAX)
		return -E2BIG;
	label = (struct series_label){ strdup(name), strdup(value) };
	if (!label.name || !label.value) {
		free(label.name);
		free(label.value);
		return -ENOMEM;
	}
	memmove(&l->label[at + 1], &l->label[at], (l->n - at) * sizeof(label));
	l->label[at] = label;
	l->n++;
	return 0;
}

const char *series_labels_get(const struct series_labels *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->label[i].name, name))
			return l->label[i].value;
	return "";
}

int series_labels_copy(const struct series_labels *l, struct series_labels *ret_copy)
{
	struct series_labels copy = { 0 };
	int err = 0;

	for (size_t i = 0; i < l->n && !err; i++)
		err = series_labels_add(&copy, l->label[i].name, l->label[i].value);
	if (err)
		series_labels_fini(&copy);
	else
		*ret_copy = copy;
	return err;
}

void series_labels_fini(struct series_labels *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->label[i].name);
		free(l->label[i].value);
	}
	l->n = 0;
}

static void remove_at(struct series_labels *l, size_t at)
{
	free(l->label[at].name);
	free(l->label[at].value);
	l->n--;
	memmove(&l->label[at], &l->label[at + 1], (l->n - at) * sizeof(*l->label));
}

void series_labels_keep(struct series_labels *l, char *const *names, size_t n, bool without)
{
	for (size_t i = l->n; i-- > 0;) {
		bool is_named = false;

		for (size_t k = 0; k < n; k++)
			is_named |= !strcmp(names[k], l->label[i].name);
		if (is_named == without || (without && !strcmp(l->label[i].name, SERIES_NAME)))
			remove_at(l, i);
	}
}

void series_labels_drop(struct series_labels *l, const char *name)
{
	for (size_t i = l->n; i-- > 0;)
		if (!strcmp(l->label[i].name, name))
			remove_at(l, i);
}

int series_labels_compare(const struct series_labels *a, const struct series_labels *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++) {
		int order = strcmp(a->label[i].name, b->label[i].name) ?: strcmp(a->label[i].value, b->label[i].value);

		if (order)
			return order;
	}
	return (a->n > b->n) - (a->n < b->n);
}
