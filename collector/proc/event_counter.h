/* event_counter.h - counts the events of a slot by key in user space, and makes a batch of them.
 *
 *      tally_add(event) ... tally_add(event), tally_send(slot) -> batch
 *
 * The ring (ring.h) does the same for events from the kernel, which come on all CPUs at once and late.
 * These events come one after the other, and each slot is complete when it is sent.
 *
 * Keys    at most in->n_keys are known at a time, the rest is `other`; a key is forgotten when it was
 *         not seen for TALLY_FORGET_NS of slots.
 * Errors  0 or -ENOMEM; an event that could not be counted is a loss, which the batch reports.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_TALLY_H
#define HEATSCOPE_TALLY_H

#include "collector/ring/event.h"
#include "collector/core/key.h"
#include "collector/probe/probe.h"

#define TALLY_FORGET_NS 60000000000ull

struct tally_labels {			/* writes the label of a code of an event's field; out is LABEL_MAX + 1 bytes */
	void (*text)(void *arg, unsigned field, __u64 code, char *out);
	void *arg;
};

struct tally;

/* `in` must be bound to its metric; labels is copied. */
int tally_new(const struct metric *m, const struct instrumentation *in, const struct probe_conf *conf,
	      const struct tally_labels *labels, struct tally **ret_tally);
void tally_free(struct tally *t);	/* NULL: nothing */

__u64 tally_wanted(const struct tally *t);	/* WANTED_FIELD() and WANTED_MEASURE() of all that it counts */

int tally_add(struct tally *t, const struct event *e);

/* Sends the events since the last call as a batch of `slot`; if there are none, a batch of `run` empty slots. */
int tally_send(struct tally *t, __s64 slot, __u32 run, __s64 clock_step_ns, const struct batch_sink *sink);

void tally_drop(struct tally *t);	/* discards the events since the last send */

#endif
