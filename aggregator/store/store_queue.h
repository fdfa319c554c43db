/* store_queue.h - runs all calls of a handle of the store on a worker, one at a time, in order.
 *
 *      store_queue_add(batch) ----> waiting ---\                        /--> cube, observers, settled()
 *                                         > worker: store->ops --<
 *      store_queue_submit(work) --> jobs ------/                        \--> done()
 *
 * Upkeep  of a store that is a server has a handle and a queue of its own, without batches (upkeep.h).
 * Law     the cube equals the store: a batch enters the cube after the store has committed it as new.  Only after that
 *         is it settled (acknowledged).
 * Order   jobs run in the order in which they were submitted.  All waiting batches go into one transaction.  Batches
 *         and jobs take turns, so neither starves the other.
 * Errors  0 or -errno.  If a commit fails, its batches are settled with that error: their senders still have them and
 *         send them again.
 * Thread  all functions and callbacks run on the loop thread, except work().  work() runs on a worker and must touch
 *         nothing but `store` and what `arg` alone owns.
 */
#ifndef HEATSCOPE_STORE_QUEUE_H
#define HEATSCOPE_STORE_QUEUE_H

#include "aggregator/store/incoming_batch.h"
#include "aggregator/store/cube.h"
#include <uv.h>

struct store_queue;				/* its fields are in store_queue.c */

int store_queue_new(uv_loop_t *loop, struct store *store, struct cube *cube, struct store_queue **ret_queue);

/* Starts the queue.  Until then batches and jobs wait, and the loop thread may read the store itself. */
void store_queue_begin(struct store_queue *f);

/* Takes the batch.  -ESHUTDOWN: the queue is draining, and the caller keeps it. */
int store_queue_add(struct store_queue *f, struct incoming_batch *a);
size_t store_queue_waiting(const struct store_queue *f);	/* bytes of batches not yet settled */
void store_queue_disown(struct store_queue *f, void *from);	/* sets `from` of its batches to NULL */

/* Settles the batches that wait for an instrumentation that the store has deleted, without storing them. */
void store_queue_drop(struct store_queue *f, __u64 inst);

/* settled() is called for every batch, committed (err 0, new or duplicate) or not.  The batch is freed after it. */
void store_queue_on_settled(struct store_queue *f, void (*settled)(void *arg, const struct incoming_batch *a, int err), void *arg);

/* Takes a batch that another heatscoped has added to the same store, or one of cube_fold(): the cube gets it, and amended()
 * is called.  The caller keeps it. */
void store_queue_heard(struct store_queue *f, const struct incoming_batch *a, bool is_fold);

/* stored() is called for each batch that cube and store did not have, amended() when new data of slots first..last
 * (inclusive) are in both.  Any number of observers. */
struct store_queue_observer {			/* the caller's memory, valid until store_queue_unobserve() */
	void (*stored)(void *arg, const struct batch *b);				/* each may be NULL */
	void (*amended)(void *arg, __u64 inst, __s64 first, __s64 last);
	void (*unsure)(void *arg);		/* a commit failed, and the store may have its batches: the cube leaves their
						 * slots to the store */
	void (*texts)(void *arg);		/* a job has written texts or instrumentations; before its done() */
	void *arg;
	struct store_queue_observer *next;	/* internal to store_queue.c */
};
void store_queue_observe(struct store_queue *f, struct store_queue_observer *o);
void store_queue_unobserve(struct store_queue *f, struct store_queue_observer *o);

/* Runs err = work(arg, store) on the worker, then done(arg, err) on the loop, always exactly once.
 * -ESHUTDOWN, -ENOMEM: neither is called. */
typedef int (*store_queue_work)(void *arg, struct store *store);
typedef void (*store_queue_done)(void *arg, int err);
int store_queue_submit(struct store_queue *f, store_queue_work work, store_queue_done done, void *arg);

/* The same for a write that only the leader of a group may make.  -EREMOTE: we do not lead, and done() is not called.  If we do
 * not lead any more when its turn comes, or have got the lease again since, the worker does not get it, and done() gets
 * -EREMOTE: another one leads, and may do it. */
int store_queue_submit_write(struct store_queue *f, store_queue_work work, store_queue_done done, void *arg);

#define STORE_QUEUE_REFUSED "this heatscoped has ceased to lead the group"
const char *store_queue_error(int err);		/* in words, for the log */

/* term() returns the number of our present time as leader; 0: we do not lead.  Without it we always lead. */
void store_queue_lead_by(struct store_queue *f, __u64 (*term)(void *arg), void *arg);

struct store_queue_counters {
	__u64 commits, failed_commits;	/* transactions */
	__u64 batches, duplicates;	/* committed as new; known before */
	__u64 events;			/* of the new batches' axis 0 */
	__u64 commit_ns_max;		/* the slowest transaction */
	char failure[256];		/* why the newest batches are not stored; "": they are */
	__u64 dropped;			/* how often data were dropped because of the store's limit */
	__u64 lost;			/* how many of their events no tier has */
	__u64 damaged;			/* damaged pieces met in the store, counted each time */
	struct store_memory memory;	/* of the store, after the last job */
	size_t n_shards;		/* 0: the store is not made of others */
	struct store_shard shard[STORE_SHARDS_MAX];
};
const struct store_queue_counters *store_queue_counters(const struct store_queue *f);

/* Within settled(): explains the store's error. */
const char *store_queue_reason(const struct store_queue *f, int err);

/* Accepts no further work; idle() is called once, when all accepted work is settled and done. */
void store_queue_drain(struct store_queue *f, void (*idle)(void *arg), void *arg);
void store_queue_free(struct store_queue *f);	/* NULL, new or drained */

#endif
