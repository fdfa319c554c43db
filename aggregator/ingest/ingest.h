/* ingest.h - collectors on a Unix socket: who they are, what they want to know, what they bring.
 *
 *      HELLO -> catalog -> WANT (at once, and at every change)
 *      BATCH -> decoded, hostname filled in, checked -> flush -> ACK when committed
 *      STATE -> catalog
 *
 * Peers   root, our own user, or a member of our own group (SO_PEERCRED); others are told so and closed.
 * Errors  what is malformed gets FRAME_ERROR with one sentence and is closed; nothing else suffers.
 * Flow    while more than INGEST_WAITING_MAX bytes wait for the store, connections are not read.
 * Close   ingest_close() in two steps: handles now, memory in their close callbacks.
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
	__u64 unknown;			/* of instrumentations that are gone: acknowledged and dropped */
	__u64 misfits;			/* of a time or with slices that do not fit (incoming_batch.h): acknowledged and lost */
	__u64 lost_events;		/* events in the misfits; */
	__u64 filed_events;		/* of these, those that are filed as a loss of the source's, in their slot */
	__u64 cut;			/* that had keys beyond the bound of their slot (slot_keys.h), whose events are a loss of the source's now */
};

/* Listens on fd (ours from now on) with loop, catalog and flush, all of which outlive it. */
int ingest_new(uv_loop_t *loop, int fd, struct catalog *catalog, struct store_queue *store_queue, bool verbose,
	       struct ingest **ret_ingest);
const struct ingest_counters *ingest_counters(const struct ingest *in);

void ingest_stop(struct ingest *in);	/* accepts and reads no more; acknowledgements still go out */
void ingest_close(struct ingest *in);	/* NULL is fine */

#endif
