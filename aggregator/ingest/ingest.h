/* ingest.h - serves collectors on a Unix socket: it sends them what to measure, and takes in their batches.
 *
 *      HELLO -> catalog -> WANT (at once, and at every change)
 *      BATCH -> decoded, checked, keys cut (slot_keys.h), hostname filled in -> store queue -> ACK when committed
 *      STATE -> catalog
 *
 * Peers   root, our own user, or a member of our own group (SO_PEERCRED).  Any other peer gets a refusal and is closed.
 * Errors  a peer that sends malformed data gets FRAME_ERROR with one sentence and is closed.  Other peers are not
 *         affected.
 * Flow    ingest reads from no connection while more than INGEST_WAITING_MAX bytes wait for the store.
 * Close   ingest_close() closes the handles.  Their close callbacks free the memory, so the loop must run after it.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_INGEST_H
#define HEATSCOPE_INGEST_H

#include "aggregator/catalog/catalog.h"

#define INGEST_WAITING_MAX (32u << 20)

struct ingest;				/* its fields are in ingest.c */

struct ingest_counters {
	__u64 connections, refused_peers, errors;
	__u64 batches;			/* decoded */
	__u64 unknown;			/* batches of deleted instrumentations: acknowledged and dropped */
	__u64 misfits;			/* batches with a time or slices that do not fit (incoming_batch.h):
					 * acknowledged and lost */
	__u64 lost_events;		/* events in the misfits */
	__u64 filed_events;		/* those of lost_events that are filed as a loss of the source, in their slot */
	__u64 cut;			/* batches with keys beyond the bound of their slot (slot_keys.h); their events
					 * are a loss of the source */
};

/* Listens on fd (we own it from now on) with loop, catalog and store queue, all of which outlive it. */
int ingest_new(uv_loop_t *loop, int fd, struct catalog *catalog, struct store_queue *store_queue, bool verbose,
	       struct ingest **ret_ingest);
const struct ingest_counters *ingest_counters(const struct ingest *in);

void ingest_stop(struct ingest *in);	/* accepts and reads nothing further; acknowledgements still go out */
void ingest_close(struct ingest *in);	/* NULL is fine */

#endif
