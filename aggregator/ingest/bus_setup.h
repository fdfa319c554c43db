/* bus_setup.h - makes the stream, the buckets and the consumers of a bus, if they do not exist, and reads the buckets.
 *
 * Changed replicas and limits are given to the streams that exist.
 * Thread  any; waits for the server, up to some seconds.
 * Errors  -errno with one sentence.
 */
#ifndef HEATSCOPE_BUS_SETUP_H
#define HEATSCOPE_BUS_SETUP_H

#include "collector/core/metric.h"

#include <nats/nats.h>

struct bus_values {			/* the values of a bucket, in no order */
	size_t n, room;
	struct bus_value { char *subject, *text; } *value;
};

struct bus_setup {
	unsigned replicas;
	unsigned long long max_bytes;	/* of the stream; 0: no limit */
};

/* Makes all that is missing.  ret_created_ns: when the stream was created, by the server's clock: no other bus has the same. */
int bus_setup_make(natsConnection *nc, const struct bus_setup *setup, __s64 *ret_created_ns, char reason[REASON_MAX]);

/* Reads the newest value of each key.  bucket: BUS_SOURCES ... */
int bus_setup_read(natsConnection *nc, const char *bucket, struct bus_values *ret_values, char reason[REASON_MAX]);
void bus_values_fini(struct bus_values *v);

#endif
