/* series_labels.h - holds the labels of a series: names and values, sorted by name.
 *
 * Errors  -ENOMEM; -E2BIG: more labels than a series of ours can have.
 * Memory  it owns its texts; series_labels_fini() frees them.
 * Thread  any.
 */
#ifndef HEATSCOPE_SERIES_LABELS_H
#define HEATSCOPE_SERIES_LABELS_H

#include "collector/core/slice.h"

#include <stdbool.h>
#include <stddef.h>

#define SERIES_NAME "__name__"
#define SERIES_EDGE "le"
#define SERIES_LABELS_MAX (KEY_FIELDS_MAX + 3)	/* also the name, the instrumentation and le */

struct series_labels {
	size_t n;
	struct series_label {
		char *name, *value;
	} label[SERIES_LABELS_MAX];
};

/* Adds a label; one of that name stays as it is.  "" is no label. */
int series_labels_add(struct series_labels *l, const char *name, const char *value);
const char *series_labels_get(const struct series_labels *l, const char *name);		/* "": it is absent */
int series_labels_copy(const struct series_labels *l, struct series_labels *ret_copy);
void series_labels_fini(struct series_labels *l);

/* Removes the labels that are not in the list; `without`: those that are, and the name. */
void series_labels_keep(struct series_labels *l, char *const *names, size_t n, bool without);
void series_labels_drop(struct series_labels *l, const char *name);

int series_labels_compare(const struct series_labels *a, const struct series_labels *b);		/* 0: equal */

#endif
