/* saved_object.h - numbered texts in the store: what annotations, alerts and worksheets are across restarts.
 *
 *      keep_add, keep_put, keep_drop --flush.h--> "alert.00000000000000000007" in the store --keep_load()--> each
 *
 * Law     an id is never given twice, also after a restart: the next one is stored before the text that has this one.
 * Errors  0 or -errno.  Whatever fails is said on stderr, at once or later; later it is told to done() (may be NULL), too.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_KEEP_H
#define HEATSCOPE_KEEP_H

#include "aggregator/store/store_queue.h"

struct keep {
	struct flush *flush;
	const char *noun;		/* "alert": what the names begin with */
	__u64 next_id;			/* the caller's to count on, from 1 */
	void (*lost)(void *owner, __u64 id);	/* what was added is not stored; before done() */
	void *owner;			/* lives until the flush is drained */
};

/* They take the text, also on errors; NULL: -ENOMEM.  After an error of theirs nothing is called. */
int keep_add(struct keep *k, __u64 id, char *text, flush_done done, void *arg);	/* id < next_id, and new */
int keep_put(struct keep *k, __u64 id, char *text, flush_done done, void *arg);
int keep_drop(struct keep *k, __u64 id, flush_done done, void *arg);

/* At start, before any worker runs.  each(): -EBADMSG: it is left out and stays in the store, which is said with `reason` (REASON_MAX
 * bytes, which tells already that it is damaged); another error ends it. */
typedef int (*keep_each)(void *arg, __u64 id, const char *text, char *reason);
int keep_load(struct keep *k, struct store *store, keep_each each, void *arg);

#endif
