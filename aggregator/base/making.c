#include "aggregator/base/making.h"

static void make_next(struct making *all, uv_loop_t *loop);

static void on_make(uv_work_t *work)
{
	struct making_job *job = work->data;

	job->make(job);
}

static void on_made(uv_work_t *work, int status)
{
	struct making_job *job = work->data;

	job->all[job->class].n--;
	make_next(job->all, work->loop);
	job->made(job);
}

/* Returns the next class: among the waiting ones that of which the fewest are being made, among equals that of the
 * smallest values.  So a small value waits for other classes only until a value in progress is made, and none waits for
 * ever.  NULL: none waits. */
static struct making *next_making(struct making *all)
{
	struct making *next = NULL;
	unsigned n = 0;

	for (struct making *m = all; m < all + MADE_CLASSES; m++) {
		n += m->n;
		if (m->first && m->n < CLASS_MADE_MAX && (!next || m->n < next->n))
			next = m;
	}
	return n < VALUES_MADE_MAX ? next : NULL;
}

/* Starts jobs if workers are free. */
static void make_next(struct making *all, uv_loop_t *loop)
{
	struct making *m;

	while ((m = next_making(all))) {
		struct making_job *job = m->first;

		m->first = job->next;
		m->n++;
		job->work.data = job;
		uv_queue_work(loop, &job->work, on_make, on_made);
	}
}

void making_add(struct making *all, uv_loop_t *loop, struct making_job *job)
{
	struct making *m = &all[job->class];

	job->all = all;
	job->next = NULL;
	*(m->first ? &m->last->next : &m->first) = job;
	m->last = job;
	make_next(all, loop);
}
