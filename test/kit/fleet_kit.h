/* fleet_kit.h - makes the batches of a simulated fleet, whose every count can be computed.
 *
 *      (host, key, slot) -> fleet_events(): 1 to 7 events         (host, slot) -> fleet_batch(): a batch with all keys
 *
 * Metric  mysql.queries with the fields digest and latency; the slots are seconds.
 * Again   some slots also have an amendment: a second batch with the same events (fleet_is_amended()).
 * Journal a simulated collector writes a struct fleet_sent before it puts a batch into its spool.
 * Memory  a batch borrows from the content.
 */
#ifndef HEATSCOPE_FLEET_KIT_H
#define HEATSCOPE_FLEET_KIT_H

#include "collector/core/batch.h"
#include "collector/core/instrumentation.h"

#include <jansson.h>
#include <stdbool.h>

#define FLEET_SLOT_NS 1000000000ull

struct fleet_content {
	struct instrumentation in;
	unsigned n_keys;
	struct bytes hist[8], *key;	/* hist[n] has n events */
	struct slice *slice;
};

struct fleet_sent {			/* one batch, as the journals have it */
	__u32 host, seq;
	__u64 incarnation;
	__s64 slot;
};

/* Ends the program if the instrumentation cannot be made. */
void fleet_content_init(struct fleet_content *c, __u64 inst, unsigned n_keys);
void fleet_content_fini(struct fleet_content *c);

void fleet_host(unsigned host, char ret_name[SOURCE_MAX]);		/* "host0007" */
long fleet_host_number(const char *name);				/* -1: it is no simulated host */
void fleet_key(unsigned key, char ret_label[64]);
unsigned fleet_events(unsigned host, unsigned key, __s64 slot);
bool fleet_is_amended(unsigned host, __s64 slot);

/* Fills the content's slices. */
void fleet_batch(struct fleet_content *c, const struct fleet_sent *sent, struct batch *ret_batch);

/* HELLO of a host; NULL: no memory. */
json_t *fleet_hello(unsigned host, __u64 incarnation);

#endif
