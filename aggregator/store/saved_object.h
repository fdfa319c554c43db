/* saved_object.h - keeps numbered texts in the store: annotations, alerts and worksheets survive restarts.
 *
 *      saved_object_add, saved_object_put, saved_object_drop --store_queue.h-->
 *         "alert.00000000000000000007" in the store --saved_object_load()--> each
 *
 * Law     an id is never used twice, also after a restart: the next id is stored before a text gets this one.
 * Errors  0 or -errno.  Every failure is logged.  If it comes later, done() gets it, too (done may be NULL).
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_SAVED_OBJECT_H
#define HEATSCOPE_SAVED_OBJECT_H

#include "aggregator/store/store_queue.h"

struct saved_objects {
	struct store_queue *store_queue;
	const char *noun;		/* "alert": the names begin with it */
	__u64 next_id;			/* the caller counts it, from 1 */
	void (*lost)(void *owner, __u64 id);	/* an added object could not be stored; called before done() */
	void *owner;			/* must live until the store queue is drained */
};

/* These take the text, also on errors; text NULL: -ENOMEM.  If they return an error, they call nothing. */
/* id < next_id, and new */
int saved_object_add(struct saved_objects *k, __u64 id, char *text, store_queue_done done, void *arg);
int saved_object_put(struct saved_objects *k, __u64 id, char *text, store_queue_done done, void *arg);
int saved_object_drop(struct saved_objects *k, __u64 id, store_queue_done done, void *arg);

/* At start, before any worker runs.  If each() returns -EBADMSG, the object is left out and stays in the store, and
 * `reason` is logged (REASON_MAX bytes; it already says that the object is damaged).  Another error ends the
 * loading. */
typedef int (*saved_object_each)(void *arg, __u64 id, const char *text, char *reason);
int saved_object_load(struct saved_objects *k, struct store *store, saved_object_each each, void *arg);

#endif
