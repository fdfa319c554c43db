#include "collector/ring/late_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void row_fini(struct late_events_row *row, __u32 n_hists)
{
	while (row->hist && n_hists)
		hist_fini(&row->hist[--n_hists]);
	free(row->hist);
}

void late_events_fini(struct late_events *l)
{
	late_events_drop(l, l->n);
	free(l->row);
	l->row = NULL;
}

static struct late_events_row *row_find(const struct late_events *l, const struct ring_late *event, __u32 other)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (l->row[i].slot == event->slot && l->row[i].other == other &&
		    (other || !memcmp(&l->row[i].key, &event->key, sizeof(event->key))))
			return &l->row[i];
	return NULL;
}

/* Has this slot reached the maximum number of keys? */
static int is_full(const struct late_events *l, const struct ring_plan *plan, __u64 slot)
{
	__u32 n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->row[i].slot == slot && !l->row[i].other;
	return n + 1 >= plan->n_classes;
}

static struct late_events_row *row_make(struct late_events *l, const struct ring_plan *plan,
					const struct ring_late *event, __u32 other)
{
	/* Half of the rows are for events only. */
	size_t max = event->running ? LATE_EVENTS_MAX / 2 : LATE_EVENTS_MAX;
	struct late_events_row *row = l->n < max ? realloc(l->row, (l->n + 1) * sizeof(*row)) : NULL;

	if (!row)
		return NULL;
	l->row = row;
	l->n_hists = plan->n_measures + plan->n_weights;
	row += l->n;
	*row = (struct late_events_row){ .slot = event->slot, .other = other, .key = event->key,
				  .hist = calloc(l->n_hists, sizeof(*row->hist)) };
	if (!row->hist)
		return NULL;
	l->n++;
	return row;
}

/* Does the event have a value for the row's i-th histogram? */
static int is_of(const struct ring_plan *plan, const struct ring_late *event, __u32 i)
{
	return (i < plan->n_measures && ring_is_point(plan, i)) == (int)event->running;
}

static void row_add(struct late_events_row *row, const struct ring_plan *plan, const struct ring_late *event)
{
	__u64 first = event->measure[plan->measure[0]];
	__u32 i;

	for (i = 0; i < plan->n_measures; i++)
		if (is_of(plan, event, i))
			hist_record_times(&row->hist[i], event->measure[plan->measure[i]], event->weight);
	for (i = 0; i < plan->n_weights && !event->running; i++)
		hist_weigh(&row->hist[plan->n_measures + i], first, event->weight, event->measure[plan->weight[i]] * event->weight);
}

int late_events_add(struct late_events *l, const struct ring_plan *plan, const struct ring_late *event, __u32 other)
{
	struct late_events_row *row = row_find(l, event, other);
	__u32 i;

	if (!row && !other && is_full(l, plan, event->slot))
		return late_events_add(l, plan, event, 1);
	if (!row)
		row = row_make(l, plan, event, other);
	if (!row)
		return -ENOMEM;
	for (i = 0; i < l->n_hists; i++)
		if (is_of(plan, event, i) && !row->hist[i].cell &&
		    hist_init(&row->hist[i], i < plan->n_measures ? plan->ruler[i] : plan->weight_ruler))
			return -ENOMEM;
	row_add(row, plan, event);
	return 0;
}

static int row_compare(const void *a, const void *b)
{
	const struct late_events_row *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

void late_events_sort(struct late_events *l)
{
	if (l->n)
		qsort(l->row, l->n, sizeof(*l->row), row_compare);
}

void late_events_drop(struct late_events *l, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		row_fini(&l->row[i], l->n_hists);
	l->n -= n;
	if (l->n)
		memmove(l->row, l->row + n, l->n * sizeof(*l->row));
}
