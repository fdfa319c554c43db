/* making.h - lets workers make replies of what was read, a few at a time.
 *
 *      making_add() --> waiting, by class --> a worker: make() --> the loop: made()
 *
 * Bound   libuv has WORKERS in all; one stays free for batches, and one for upkeep (upkeep.h).  No class takes all of the
 *         others, and when all classes wait, each has one.
 * Order   within a class, in the order they came.
 * Memory  a job is the caller's, until made() is called.
 * Thread  the loop thread; make() runs on a worker, and touches nothing but the job's own.
 */
#ifndef HEATSCOPE_MAKING_H
#define HEATSCOPE_MAKING_H

#include "aggregator/base/admission.h"

#include <uv.h>

#define WORKERS "5"			/* main() sets $UV_THREADPOOL_SIZE */
#define VALUES_MADE_MAX 3
#define CLASS_MADE_MAX 2		/* of each class */

struct making {				/* a class; zeroed: empty */
	unsigned n;			/* jobs that workers do now */
	struct making_job *first, *last;	/* jobs that wait for a worker */
};

struct making_job {
	enum admission_class class;	/* below MADE_CLASSES */
	void (*make)(struct making_job *job);
	void (*made)(struct making_job *job);
	/* internal to making.c */
	struct making *all;
	struct making_job *next;
	uv_work_t work;
};

/* all: MADE_CLASSES of them.  Calls made() once, never from within. */
void making_add(struct making *all, uv_loop_t *loop, struct making_job *job);

#endif
