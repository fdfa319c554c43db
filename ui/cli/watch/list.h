/* list.h - reads and draws the list of keys, those with most time first.
 *
 * Row 0 of the list stands for all keys together.
 * Errors  -EBADMSG, -ENOMEM: after these nothing has changed.
 * Memory  list_fini() frees.
 */
#ifndef HEATSCOPE_WATCH_LIST_H
#define HEATSCOPE_WATCH_LIST_H

#include "ui/cli/terminal/screen.h"

#include <jansson.h>

struct list_row {
	char *key;			/* "" of an instrumentation without fields */
	double sum, share, count, p50, p99, max;	/* share: of the sum, 0..1 */
};

struct list {
	size_t n;
	struct list_row *row;		/* n; rows of the list are these + 1 */
	char unit[16];
	bool lower_bound;
};

int list_read(const json_t *reply, struct list *ret_list);
void list_fini(struct list *l);

struct list_place {
	long line, col, n_lines, n_cols;
};

/* Draws a heading, then rows, scrolled so that row `at` is visible; selected: the key that is shown alone, or NULL. */
void list_draw(struct screen *s, struct list_place place, const struct list *l, const char *heading, size_t at,
	       const char *selected);

#endif
