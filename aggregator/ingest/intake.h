/* intake.h - takes batches from collectors, however they come, and hands them to the store.
 *
 *      BATCH -> decoded, checked, keys cut (slot_keys.h), fields of the host filled in -> store queue -> settled()
 *
 * Dropped intake settles a batch that no later attempt could store without an error: its instrumentation was deleted,
 *         or it is a misfit (struct ingest_counters).  Else the collector would send it again and again.
 * Flow    senders should pause while intake_is_full(), until a batch was settled and it is no longer full.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_INTAKE_H
#define HEATSCOPE_INTAKE_H

#include "aggregator/catalog/catalog.h"

#define INGEST_WAITING_MAX (32u << 20)

struct intake;				/* its fields are in intake.c */

struct ingest_counters {
	__u64 connections, refused_peers, errors;
	__u64 batches;			/* all that were decoded */
	__u64 unknown;			/* batches of deleted instrumentations: dropped */
	__u64 misfits;			/* batches whose time or slices do not fit (incoming_batch.h): lost */
	__u64 lost_events;		/* events in the misfits */
	__u64 filed_events;		/* those of lost_events that intake could file as a loss of their source and
					 * slot */
	__u64 cut;			/* stored batches that had too many keys (slot_keys.h): the events of these keys
					 * are a loss of the source */
};

struct sender {				/* the caller's memory, valid until its batches are settled or it is disowned */
	/* The store has the batch (err 0), or has not: keep it and send it again.  `reason` then says why. */
	void (*settled)(struct sender *s, const struct batch *b, int err, const char *reason);
};

/* catalog and store queue must outlive it. */
int intake_new(struct catalog *catalog, struct store_queue *store_queue, struct intake **ret_intake);
void intake_free(struct intake *in);		/* NULL is fine */

/* Takes the payload of a FRAME_BATCH.  source: the only source that the sender may send for; NULL: any.  labels: of the
 * source when it sent the batch; NULL: those of its last hello.  Returns 0: settled() is called, now or later.  Else it
 * is not called: -EBADMSG: it is damaged; -EPERM: it is another source's; -ENOMEM, -ESHUTDOWN, -EAGAIN: it cannot be
 * taken now. */
int intake_batch(struct intake *in, const __u8 *data, size_t len, const char *source,
		 const struct host_labels *labels, struct sender *sender);

/* Takes the payload of a frame of another heatscoped's feed (feed.h), for the cube.  -EBADMSG, -ENOMEM. */
int intake_heard(struct intake *in, const __u8 *data, size_t len, bool is_fold);

/* Another heatscoped may make the instrumentations: unknown() is called for a batch of one that is later than
 * catalog_newest_id().  If it returns true, the batch cannot be taken yet (-EAGAIN); else it was deleted. */
void intake_follow(struct intake *in, bool (*unknown)(void *arg, __u64 inst), void *arg);

/* The sender's batches are settled without a call of settled(). */
void intake_disown(struct intake *in, struct sender *sender);

bool intake_is_full(const struct intake *in);	/* INGEST_WAITING_MAX bytes or more wait for the store */
bool intake_has_room(const struct intake *in);	/* half of that or less do */

/* ready() is called after each batch that the store has settled; at most 2 callers. */
void intake_on_ready(struct intake *in, void (*ready)(void *arg), void *arg);
void intake_off_ready(struct intake *in, void *arg);

struct ingest_counters *intake_counters(struct intake *in);	/* senders add connections and errors */

#endif
