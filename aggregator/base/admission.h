/* admission.h - limits how many values are made at a time and how many wait, and refuses the others.
 *
 *      admission_take() ---------------------------> running ... admission_leave()
 *      admission_wait() --> waiting --start()-------^
 *                              \----drop(): its client has hung up
 *
 * Classes  small values (numbers and keys), medium ones (grids, explanations, exemplars, compositions), large ones
 *          (pictures, documents, comparisons, series of many points), and whole grids of streams.  Each class has its
 *          own places, so no value waits for one of another class.  Within a class the first to come is first to start.
 * Bound    admission_wait() returns -EBUSY if too many values of connected clients wait.  Grids of streams always wait:
 *          there are at most STREAM_VIEWS_MAX of them (stream.h).
 * Why      Every running value holds the data that it reads (megabytes for an hour of many keys).  Every picture also
 *          holds its surface.
 * Pure     no loop, no clock.  Thread: the loop thread only.
 */
#ifndef HEATSCOPE_ADMISSION_H
#define HEATSCOPE_ADMISSION_H

#include <stdbool.h>
#include <stddef.h>

#define SMALL_RUNNING_MAX 16
#define MEDIUM_RUNNING_MAX 4
#define LARGE_RUNNING_MAX 4		/* two are read while two are drawn */
#define LIVE_RUNNING_MAX 4
#define SMALL_WAITING_MAX 256
#define MEDIUM_WAITING_MAX 128
#define LARGE_WAITING_MAX 64

enum admission_class { ADMISSION_SMALL, ADMISSION_MEDIUM, ADMISSION_LARGE, ADMISSION_LIVE, ADMISSION_CLASSES };
#define MADE_CLASSES ADMISSION_LIVE	/* number of queues in which values that were read wait for a worker: small,
					 * medium, large.  A stream's grid waits in the medium one. */

struct waiter {				/* the caller's memory, until start() or drop() is called, or
					 * admission_remove() */
	struct waiter *next;
	bool waits;
	bool (*wanted)(struct waiter *t);	/* is the client still connected? */
	void (*start)(struct waiter *t);	/* it has a place now; admission_leave() gives it back */
	void (*drop)(struct waiter *t);	/* its client has hung up; it gets no place */
};

struct admission {			/* zeroed: nothing runs or waits */
	struct admission_queue {
		struct waiter *first;
		size_t n_running, n_waiting;
		bool starting;		/* admission_leave() was called from within start() or drop() */
	} queue[ADMISSION_CLASSES];
};

/* Returns true if the caller gets a place; false if others wait, or no place is free. */
bool admission_take(struct admission *a, enum admission_class class);

/* Queues t; start() or drop() is called later, never from within this call.  -EBUSY: too many wait. */
int admission_wait(struct admission *a, enum admission_class class, struct waiter *t);
void admission_remove(struct admission *a, enum admission_class class, struct waiter *t);	/* does nothing if it does not
											 * wait */
void admission_leave(struct admission *a, enum admission_class class);

#endif
