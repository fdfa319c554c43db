/* incoming_batch.h - decodes a batch for the store, and checks it against its instrumentation.
 *
 *      payload --incoming_batch_new()--> batch --incoming_batch_check()--incoming_batch_fill_host()--> store queue
 *
 * Host    incoming_batch_fill_host() fills in the fields of the host (host_labels.h) by which the instrumentation is
 *         decomposed: the source's name and labels.
 * Errors  0 or -errno.
 * Memory  an incoming_batch owns a copy of the payload, from which its batch borrows.
 * Thread  any, one at a time.
 */
#ifndef HEATSCOPE_INCOMING_BATCH_H
#define HEATSCOPE_INCOMING_BATCH_H

#include "collector/core/batch.h"
#include "collector/core/host_labels.h"
#include "collector/core/instrumentation.h"
#include "collector/core/saturating.h"
#include <stdbool.h>

#define INCOMING_BATCH_KEYS_MAX 4096		/* keys of a batch: four times the number that an instrumentation can
						 * ask for */
#define FUTURE_MAX_NS 10000000000ll	/* how far a source's clock may be ahead of ours */

struct incoming_batch {
	struct incoming_batch *next;
	struct batch batch;		/* borrows from data and keys */
	__u8 *data;			/* the frame's payload */
	size_t len;
	struct bytes keys;		/* key bytes with the host's fields in them */
	void *from;			/* its owner, for store_queue.h's settled(); NULL: the connection is closed */
	__u64 n_cut;			/* events of keys beyond the bound, now in batch.loss (slot_keys.h) */
	bool has_step;			/* batch.clock_step_ns is a step of our clock, not of its source's */
	bool fresh;			/* the store did not know it */
};

struct incoming_batch_bounds {			/* the time range that we accept */
	__s64 kept_from;		/* the first slot that is not older than the retention */
	__s64 taken_from;		/* the first slot that the database has not dropped; it would take a dropped
					 * batch that is sent again for new */
	__s64 now_ns;
};

/* Adds counts of events up to 2^63 - 1, the largest integer of JSON, in which they are written. */
static inline __u64 events_add(__u64 n, __u64 more)
{
	return clamp_json(saturating_add(n, more));
}

/* -EBADMSG: not a batch; -ENOMEM. */
int incoming_batch_new(const __u8 *data, size_t len, struct incoming_batch **ret_incoming);
void incoming_batch_free(struct incoming_batch *a);	/* NULL is fine */

/* Returns NULL if the batch can be added; else why not, as the end of a sentence: a constant text.
 * Keys from a source lack the fields of the host. */
const char *incoming_batch_check(const struct incoming_batch *a, const struct instrumentation *in,
			  const struct incoming_batch_bounds *bounds);

/* Replaces the slices of a batch that cannot be added by a loss in its slot, so that pictures show the column as partly
 * lost.  Returns false, and changes nothing, if its time is what cannot be accepted. */
bool incoming_batch_lose(struct incoming_batch *a, const struct instrumentation *in, const struct incoming_batch_bounds *bounds);

/* Inserts the values of the host's fields into every key; does nothing if the instrumentation has none.  labels NULL:
 * the source has none. */
int incoming_batch_fill_host(struct incoming_batch *a, const struct instrumentation *in, const struct host_labels *labels);

/* Return the last slot that the batch reports; its counted events; the events that it reports as lost. */
__s64 incoming_batch_last(const struct incoming_batch *a);
__u64 incoming_batch_events(const struct incoming_batch *a);

#endif
