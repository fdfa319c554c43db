#include "aggregator/base/admission.h"

#include <errno.h>
#include <stdint.h>

static const struct {
	size_t running, waiting;
} limits[ADMISSION_CLASSES] = {
	[ADMISSION_SMALL] = { SMALL_RUNNING_MAX, SMALL_WAITING_MAX },
	[ADMISSION_MEDIUM] = { MEDIUM_RUNNING_MAX, MEDIUM_WAITING_MAX },
	[ADMISSION_LARGE] = { LARGE_RUNNING_MAX, LARGE_WAITING_MAX },
	[ADMISSION_LIVE] = { LIVE_RUNNING_MAX, SIZE_MAX },
};

static bool has_place(const struct admission *a, enum admission_class class)
{
	return a->queue[class].n_running < limits[class].running;
}

static void unlink_waiter(struct admission_queue *q, struct waiter **at)
{
	struct waiter *t = *at;

	*at = t->next;
	t->next = NULL;
	t->waits = false;
	q->n_waiting--;
}

/* Drops the turns whose clients have hung up, which frees their places in the queue. */
static void drop_unwanted(struct admission_queue *q)
{
	struct waiter **at = &q->first, *t;

	while ((t = *at)) {
		if (t->wanted(t)) {
			at = &t->next;
			continue;
		}
		unlink_waiter(q, at);
		t->drop(t);
	}
}

bool admission_take(struct admission *a, enum admission_class class)
{
	struct admission_queue *q = &a->queue[class];

	if (q->first || q->starting || !has_place(a, class))
		return false;
	q->n_running++;
	return true;
}

int admission_wait(struct admission *a, enum admission_class class, struct waiter *t)
{
	struct admission_queue *q = &a->queue[class];
	struct waiter **at = &q->first;

	if (q->n_waiting >= limits[class].waiting)
		drop_unwanted(q);
	if (q->n_waiting >= limits[class].waiting)
		return -EBUSY;
	while (*at)
		at = &(*at)->next;
	*at = t;
	t->next = NULL;
	t->waits = true;
	q->n_waiting++;
	return 0;
}

void admission_remove(struct admission *a, enum admission_class class, struct waiter *t)
{
	struct admission_queue *q = &a->queue[class];

	for (struct waiter **at = &q->first; *at; at = &(*at)->next)
		if (*at == t) {
			unlink_waiter(q, at);
			return;
		}
}

/* One that fails at once gives back its place from within start(): then the loop goes on with the next, without
 * recursion. */
void admission_leave(struct admission *a, enum admission_class class)
{
	struct admission_queue *q = &a->queue[class];
	struct waiter *t;

	q->n_running--;
	if (q->starting)
		return;
	q->starting = true;
	while (has_place(a, class) && (t = q->first)) {
		unlink_waiter(q, &q->first);
		if (t->wanted(t)) {
			q->n_running++;
			t->start(t);
		} else {
			t->drop(t);
		}
	}
	q->starting = false;
}
