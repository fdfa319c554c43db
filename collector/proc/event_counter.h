/* event_counter.h - counts the events of a slot by key in user space, and makes a batch of them.
 *
 *      event_counter_add(event) ... event_counter_add(event), event_counter_send(slot) -> batch
 *
 * Its events come one after the other, and a slot is complete when it is sent.  (For events of the kernel, which come
 * on all CPUs at once and late, there is ring.h.)
 *
 * Keys    at most in->n_keys are known at a time; events of others count as `other`.  A key that was not seen for
 *         EVENT_COUNTER_FORGET_NS of slots is forgotten.
 * Errors  0 or -ENOMEM; an event that could not be counted is a loss in the batch.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_EVENT_COUNTER_H
#define HEATSCOPE_EVENT_COUNTER_H

#include "collector/ring/event.h"
#include "collector/core/key.h"
#include "collector/probe/probe.h"

#define EVENT_COUNTER_FORGET_NS 60000000000ull

/* Writes the label of a code of an event's field; out is LABEL_MAX + 1 bytes. */
struct event_counter_labels {
	void (*text)(void *arg, unsigned field, __u64 code, char *out);
	void *arg;
};

struct event_counter;

/* Makes a counter for an instrumentation that is bound to its metric, from first_slot on; labels is copied. */
int event_counter_new(const struct metric *m, const struct instrumentation *in, const struct probe_conf *conf, __s64 first_slot,
		      const struct event_counter_labels *labels, struct event_counter **ret_tally);
void event_counter_free(struct event_counter *t);	/* NULL: nothing */

/* Returns WANTED_FIELD() and WANTED_MEASURE() of all that it counts. */
__u64 event_counter_wanted(const struct event_counter *t);

int event_counter_add(struct event_counter *t, const struct event *e);

/* The next batch reports that n events were lost. */
void event_counter_lose(struct event_counter *t, __u64 n);

/* Sends the events since the last call as a batch of `slot`.  If the slot was sent before, this is an amendment. */
int event_counter_send(struct event_counter *t, __s64 slot, const struct batch_sink *sink);

/* Sends the slots before `end` that were not sent as one empty batch, if there are any; no event may wait. */
int event_counter_send_empty(struct event_counter *t, __s64 end, const struct batch_sink *sink);

__s64 event_counter_next(const struct event_counter *t);	/* the slot after the last one that was sent */

/* The wall clock stepped: the next batch reports it. */
void event_counter_clock_step(struct event_counter *t, __s64 step_ns);

void event_counter_drop(struct event_counter *t);	/* discards the events since the last send */

#endif
