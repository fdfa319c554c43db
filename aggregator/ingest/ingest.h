/* ingest.h - serves collectors on a Unix socket: it sends them the wanted instrumentations and takes their batches.
 *
 *      HELLO -> catalog -> WANT (at once, and at every change)
 *      BATCH -> intake.h -> ACK when it is committed
 *      STATE -> catalog
 *
 * Peers   root, our own user, and members of our own group (SO_PEERCRED, SO_PEERGROUPS) may send.  Others are refused.
 * Refusal a peer that sends malformed data, or a batch that the store cannot take, gets a FRAME_ERROR with one
 *         sentence; then ingest closes its connection.  Other connections are not affected.
 * Flow    ingest stops reading from a peer while INGEST_WAITING_MAX bytes or more wait for the store, and reads again
 *         when half of them are left.
 * Close   ingest_close() sends the acknowledgements that are not written yet, for at most a second, and closes the
 *         handles.  The close callbacks free the memory, so the loop must run until then.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_INGEST_H
#define HEATSCOPE_INGEST_H

#include "aggregator/ingest/intake.h"

struct ingest;				/* its fields are in ingest.c */

/* Listens on fd, which ingest owns from now on, also after an error.  loop, catalog and intake must outlive it. */
int ingest_new(uv_loop_t *loop, int fd, struct catalog *catalog, struct intake *intake, bool verbose, struct ingest **ret_ingest);

void ingest_stop(struct ingest *in);	/* accepts and reads nothing further; acknowledgements still go out */
void ingest_close(struct ingest *in);	/* NULL is fine */

#endif
