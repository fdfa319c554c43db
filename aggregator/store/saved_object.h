/* saved_object.h - numbered texts in the store: what annotations, alerts and worksheets are across restarts.
 *
 *      saved_object_add, saved_object_put, saved_object_drop --flush.h--> "alert.00000000000000000007" in the store --saved_object_load()--> each
 *
 * Law     an id is never given twice, also after a restart: the next one is stored before the text that has this one.
 * Errors  0 or -errno.  Whatever fails is said on stderr, at once or later; later it is told to done() (may be NULL), too.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_SAVED_OBJECT_H
#define HEATSCOPE_SAVED_OBJECT_H

#include "aggregator/store/store_queue.h"

struct saved_objects {
	struct store_queue *store_queue;
	const char *noun;		/* "alert": what the names begin with */
	__u64 next_id;			/* the caller's to count on, from 1 */
	void (*lost)(void *owner, __u64 id);	/* what was added is not stored; before done() */
	void *owner;			/* lives until the flush is drained */
};

/* They take the text, also on errors; NULL: -ENOMEM.  After an error of theirs nothing is called. */
int saved_object_add(struct saved_objects *k, __u64 id, char *text, store_queue_done done, void *arg);	/* id < next_id, and new */
int saved_object_put(struct saved_objects *k, __u64 id, char *text, store_queue_done done, void *arg);
int saved_object_drop(struct saved_objects *k, __u64 id, store_queue_done done, void *arg);

/* At start, before any worker runs.  each(): -EBADMSG: it is left out and stays in the store, which is said with `reason` (REASON_MAX
 * bytes, which tells already that it is damaged); another error ends it. */
typedef int (*saved_object_each)(void *arg, __u64 id, const char *text, char *reason);
int saved_object_load(struct saved_objects *k, struct store *store, saved_object_each each, void *arg);

#endif
