/* bus_ingest.h - serves collectors on a bus (NATS JetStream): publishes the wanted set and takes their batches.
 *
 *      stream HEATSCOPE_BATCHES --pull, one consumer per partition--> intake.h --settled--> acknowledged: the stream drops it
 *      bucket heatscope_sources --> catalog;   catalog --> bucket heatscope_control (the wanted set)
 *
 * Group   heatscoped with the same database (its identity) share the partitions: each partition belongs to the live
 *         member that rendezvous hashing gives it to.  A member that says nothing for BUS_MEMBER_AGE_S is dead.  While
 *         members disagree, two of them may pull from one partition: JetStream gives each message to one of them.
 *         A member with another database would take batches away; it is refused until the others are gone.
 * Again   a message that is not acknowledged within ACK_WAIT_S comes again, also to another member.  The store knows
 *         batches that it has.  A message that the store cannot take now comes again after a second.
 * Refused batches that are damaged, or of another source than the message's subject: their message is given up, counted
 *         and logged.  The server lets a collector publish under its own subject only (doc/fleet.md).
 * Makes   stream, buckets and consumers that do not exist yet.
 * Clocks  the host's time in a message against the server's time of its arrival gives the host's clock offset.
 * Thread  the loop thread only; a thread of bus.h makes the stream.
 */
#ifndef HEATSCOPE_BUS_INGEST_H
#define HEATSCOPE_BUS_INGEST_H

#include "aggregator/ingest/intake.h"
#include "collector/bus/bus.h"

struct bus_ingest;			/* its fields are in bus_ingest.c */

struct bus_ingest_conf {
	struct bus_conf bus;		/* copied */
	unsigned replicas;		/* of stream and buckets: 1, 3 or 5 */
	unsigned long long max_bytes;	/* of the stream, which then refuses batches: collectors keep them; 0: no limit */
	const char *url;		/* where this heatscoped serves HTTP, for the other members; "": nowhere */
	bool verbose;
};

int bus_ingest_new(uv_loop_t *loop, const struct bus_ingest_conf *conf, struct catalog *catalog, struct intake *intake,
		   struct bus_ingest **ret_ingest, char reason[REASON_MAX]);
void bus_ingest_stop(struct bus_ingest *in);	/* pulls nothing further; acknowledgements still go out */
void bus_ingest_close(struct bus_ingest *in);	/* the loop frees it; NULL is fine */

/* {"url", "connected", "reason", "partitions", "members", "messages", ...}; NULL: no memory. */
json_t *bus_ingest_json(const struct bus_ingest *in);

#endif
