/* ingest.h - serves collectors on a Unix socket: it sends them the wanted instrumentations and takes their batches.
 *
 *      HELLO -> catalog -> WANT (at once, and at every change)
 *      BATCH -> decoded, checked, keys cut (slot_keys.h), hostname filled in -> store queue -> ACK when it is committed
 *      STATE -> catalog
 *
 * Peers   root, our own user, and members of our own group (SO_PEERCRED, SO_PEERGROUPS) may send.  Others are refused.
 * Refusal a peer that sends malformed data, or a batch that the store cannot take, gets a FRAME_ERROR with one
 *         sentence; then ingest closes its connection.  Other connections are not affected.
 * Dropped ingest acknowledges a batch that no later attempt could store: its instrumentation was deleted, or it is a
 *         misfit (struct ingest_counters).  Else the collector would send it again and again.
 * Flow    ingest stops reading from a peer while INGEST_WAITING_MAX bytes or more wait for the store, and reads again
 *         when half of them are left.
 * Close   ingest_close() sends the acknowledgements that are not written yet, for at most a second, and closes the
 *         handles.  The close callbacks free the memory, so the loop must run until then.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_INGEST_H
#define HEATSCOPE_INGEST_H

#include "aggregator/catalog/catalog.h"

#define INGEST_WAITING_MAX (32u << 20)

struct ingest;				/* its fields are in ingest.c */

struct ingest_counters {
	__u64 connections, refused_peers, errors;
	__u64 batches;			/* all that were decoded */
	__u64 unknown;			/* batches of deleted instrumentations: dropped */
	__u64 misfits;			/* batches whose time or slices do not fit (incoming_batch.h): lost */
	__u64 lost_events;		/* events in the misfits */
	__u64 filed_events;		/* those of lost_events that ingest could file as a loss of their source and
					 * slot */
	__u64 cut;			/* stored batches that had too many keys (slot_keys.h): the events of these keys
					 * are a loss of the source */
};

/* Listens on fd, which ingest owns from now on, also after an error.  loop, catalog and store queue must outlive it. */
int ingest_new(uv_loop_t *loop, int fd, struct catalog *catalog, struct store_queue *store_queue, bool verbose,
	       struct ingest **ret_ingest);
const struct ingest_counters *ingest_counters(const struct ingest *in);

void ingest_stop(struct ingest *in);	/* accepts and reads nothing further; acknowledgements still go out */
void ingest_close(struct ingest *in);	/* NULL is fine */

#endif
