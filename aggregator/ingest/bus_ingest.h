/* bus_ingest.h - serves collectors on a bus (NATS JetStream): publishes the wanted set and takes their batches.
 *
 *      stream HEATSCOPE_BATCHES --pull, one consumer per partition--> intake.h --settled--> acknowledged: the stream drops it
 *      bucket heatscope_sources --> catalog;   catalog --> bucket heatscope_control (the wanted set)
 *
 * Group   several heatscoped take the batches of a bus if they share a store, each those of its partitions (bus_group.h).
 *         One with another store is refused, and says so, until the others have said nothing for BUS_MEMBER_AGE_S.
 * Again   a message that is not acknowledged within ACK_WAIT_NS (bus_setup.h) comes again.  While its batches wait for the
 *         store, the server hears every 2 s that it is in work.  A message that the store cannot take now comes again after
 *         a second.  The store knows batches that it has.
 * Refused batches that are damaged, or of another source than the message's subject, and parts whose others do not come for
 *         10 minutes: their message is given up, counted and logged.  The server lets a collector publish under its own subject only (doc/fleet.md).
 * Makes   stream, buckets and consumers that do not exist yet.
 * Clocks  the host's time in a message against the server's time of its arrival gives the host's clock offset; of a host
 *         whose batches another heatscoped takes, its time against ours.
 * Thread  the loop thread only; a thread of bus.h makes the stream.
 */
#ifndef HEATSCOPE_BUS_INGEST_H
#define HEATSCOPE_BUS_INGEST_H

#include "aggregator/ingest/bus_group.h"

struct bus_ingest;			/* its fields are in bus_ingest.c */

struct bus_ingest_conf {
	struct bus_conf bus;		/* copied */
	unsigned replicas;		/* of stream and buckets: 1, 3 or 5 */
	unsigned long long max_bytes;	/* of the stream, which then refuses batches: collectors keep them; 0: no limit */
	bool verbose;
	struct store_queue *store_queue;
	const struct bus_group_ops *group;	/* borrowed; NULL: the store is not shared */
	void *group_arg;
};

/* Starts connecting.  loop, catalog and intake must outlive it.  -EINVAL with the reason: the configuration is wrong;
 * -ENOMEM. */
int bus_ingest_new(uv_loop_t *loop, const struct bus_ingest_conf *conf, struct catalog *catalog, struct intake *intake,
		   struct bus_ingest **ret_ingest, char reason[REASON_MAX]);
void bus_ingest_stop(struct bus_ingest *in);	/* pulls nothing further; acknowledgements still go out */
void bus_ingest_close(struct bus_ingest *in);	/* the loop frees it; NULL is fine */

struct bus_group *bus_ingest_group(struct bus_ingest *in);

/* When the stream was created, by the clock of the bus, which tells it from others.  0: we have never been connected. */
__s64 bus_ingest_stream_created_ns(const struct bus_ingest *in);

/* {"url", "connected", "reason": why not, "group": as bus_group_json(), "messages", "again": of these, came before,
 * "refused", "not_stored": messages that the store could not take}; NULL: no memory. */
json_t *bus_ingest_json(const struct bus_ingest *in);

#endif
