/* store_queue.h - the one way to the store: what blocks runs on a worker, one call at a time, in order.
 *
 *      flush_add(batch) ----> waiting ---\                        /--> cube, observers, settled()
 *                                         > worker: store->ops --<
 *      flush_submit(work) --> jobs ------/                        \--> done()
 *
 * Law     the cube equals the store: a batch enters the cube only after the store has committed
 *         it as new, and is settled (acknowledged) only after that.
 * Order   jobs run in the order they were submitted.  All batches that wait go into one
 *         transaction; batches and jobs take turns, so neither starves the other.
 * Errors  0 or -errno.  A commit that fails settles its batches with that error: whoever sent
 *         them still has them and sends them again.
 * Thread  all functions and callbacks on the loop thread, except work(), which is on a worker and
 *         must touch nothing but `store` and what `arg` alone owns.
 */
#ifndef HEATSCOPE_FLUSH_H
#define HEATSCOPE_FLUSH_H

#include "aggregator/store/incoming_batch.h"
#include "aggregator/store/cube.h"
#include <uv.h>

struct flush;				/* its fields are in store_queue.c */

int flush_new(uv_loop_t *loop, struct store *store, struct cube *cube, struct flush **ret_flush);

/* Until then what is added and submitted waits, and the loop thread may read the store itself. */
void flush_begin(struct flush *f);

/* Takes the arrival.  -ESHUTDOWN: draining, the caller keeps it. */
int flush_add(struct flush *f, struct arrival *a);
size_t flush_waiting(const struct flush *f);	/* bytes of batches not yet settled */
void flush_disown(struct flush *f, void *from);	/* its arrivals' `from` become NULL */

/* Batches that wait for an instrumentation that is about to be deleted are settled without being
 * stored; call it when the deletion has been submitted. */
void flush_drop(struct flush *f, __u64 inst);

/* Called for every batch, committed (err 0, new or duplicate) or not.  The arrival is freed after it. */
void flush_on_settled(struct flush *f, void (*settled)(void *arg, const struct arrival *a, int err), void *arg);

/* Called after new data of slots first..last (inclusive) is in cube and store.  Any number of observers. */
struct flush_observer {			/* the caller's memory, valid until flush_unobserve() */
	void (*amended)(void *arg, __u64 inst, __s64 first, __s64 last);
	void *arg;
	struct flush_observer *next;	/* store_queue.c's */
};
void flush_observe(struct flush *f, struct flush_observer *o);
void flush_unobserve(struct flush *f, struct flush_observer *o);

/* Runs err = work(arg, store) on the worker, then done(arg, err) on the loop, always exactly once.
 * -ESHUTDOWN, -ENOMEM: neither is called. */
typedef int (*flush_work)(void *arg, struct store *store);
typedef void (*flush_done)(void *arg, int err);
int flush_submit(struct flush *f, flush_work work, flush_done done, void *arg);

struct flush_counters {
	__u64 commits, failed_commits;	/* transactions */
	__u64 batches, duplicates;	/* batches committed as new; known before */
	__u64 events;			/* of the new batches' axis 0 */
	__u64 commit_ns_max;		/* the slowest transaction */
	__u64 dropped;			/* how often something was dropped because of the store's limit, */
	__u64 lost;			/* and how many events of that no tier has */
	__u64 damaged;			/* damaged pieces met in the store, each time again */
	struct store_memory memory;	/* the store's, after the last job */
};
const struct flush_counters *flush_counters(const struct flush *f);

/* In settled(): what that error of the store's was. */
const char *flush_reason(const struct flush *f, int err);

/* Accepts nothing more; idle() is called once when all that was accepted is settled and done. */
void flush_drain(struct flush *f, void (*idle)(void *arg), void *arg);
void flush_free(struct flush *f);	/* NULL, new or drained */

#endif
