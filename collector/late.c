#include "late.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void row_fini(struct late_row *row, __u32 n_measures)
{
	while (row->hist && n_measures)
		hist_fini(&row->hist[--n_measures]);
	free(row->hist);
}

void late_fini(struct late *l)
{
	late_drop(l, l->n);
	free(l->row);
	l->row = NULL;
}

static struct late_row *row_find(const struct late *l, const struct ring_late *event, __u32 other)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (l->row[i].slot == event->slot && l->row[i].other == other &&
		    (other || !memcmp(&l->row[i].key, &event->key, sizeof(event->key))))
			return &l->row[i];
	return NULL;
}

/* Has this slot as many keys as a slot may have? */
static int is_full(const struct late *l, const struct ring_plan *plan, __u64 slot)
{
	__u32 n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->row[i].slot == slot && !l->row[i].other;
	return n + 1 >= plan->n_classes;
}

static struct late_row *row_make(struct late *l, const struct ring_plan *plan, const struct ring_late *event, __u32 other)
{
	size_t max = event->running ? LATE_ROWS_MAX / 2 : LATE_ROWS_MAX;	/* what runs leaves room for events */
	struct late_row *row = l->n < max ? realloc(l->row, (l->n + 1) * sizeof(*row)) : NULL;

	if (!row)
		return NULL;
	l->row = row;
	l->n_measures = plan->n_measures;
	row += l->n;
	*row = (struct late_row){ .slot = event->slot, .other = other, .key = event->key,
				  .hist = calloc(plan->n_measures, sizeof(*row->hist)) };
	if (!row->hist)
		return NULL;
	l->n++;
	return row;
}

int late_add(struct late *l, const struct ring_plan *plan, const struct ring_late *event, __u32 other)
{
	struct late_row *row = row_find(l, event, other);
	__u32 m;

	if (!row && !other && is_full(l, plan, event->slot))
		return late_add(l, plan, event, 1);
	if (!row)
		row = row_make(l, plan, event, other);
	if (!row)
		return -ENOMEM;
	for (m = 0; m < plan->n_measures; m++)
		if (ring_is_point(plan, m) == (int)event->running && !row->hist[m].cell && hist_init(&row->hist[m], plan->ruler[m]))
			return -ENOMEM;
	for (m = 0; m < plan->n_measures; m++)
		if (ring_is_point(plan, m) == (int)event->running)
			hist_record_times(&row->hist[m], event->measure[m], event->weight);
	return 0;
}

static int row_compare(const void *a, const void *b)
{
	const struct late_row *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

void late_sort(struct late *l)
{
	if (l->n)
		qsort(l->row, l->n, sizeof(*l->row), row_compare);
}

void late_drop(struct late *l, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		row_fini(&l->row[i], l->n_measures);
	l->n -= n;
	if (l->n)
		memmove(l->row, l->row + n, l->n * sizeof(*l->row));
}
