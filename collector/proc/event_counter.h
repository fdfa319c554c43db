/* event_counter.h - counts events in user space: what happened in a slot, filed by key -> its batch.
 *
 *      tally_add(event) ... tally_add(event), tally_send(slot) -> batch
 *
 * The ring (ring.h) does the same for events that come from the kernel, on all CPUs at once and late.
 * These come one after the other, and each slot is whole when it is sent.
 *
 * Keys    at most in->n_keys are known at a time, the rest is `other`; a key is forgotten when it was
 *         not seen for TALLY_FORGET_NS of slots.
 * Errors  0 or -ENOMEM; an event that could not be counted is a loss, which the batch tells.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_TALLY_H
#define HEATSCOPE_TALLY_H

#include "collector/ring/event.h"
#include "collector/core/key.h"
#include "collector/probe/probe.h"

#define TALLY_FORGET_NS 60000000000ull

struct tally_labels {			/* of a code of an event's field; out is LABEL_MAX + 1 bytes */
	void (*text)(void *arg, unsigned field, __u64 code, char *out);
	void *arg;
};

struct tally;

/* An instrumentation that was bound to its metric; labels is copied. */
int tally_new(const struct metric *m, const struct instrumentation *in, const struct probe_conf *conf,
	      const struct tally_labels *labels, struct tally **ret_tally);
void tally_free(struct tally *t);	/* NULL: nothing */

__u64 tally_wanted(const struct tally *t);	/* WANTED_FIELD() and WANTED_MEASURE() of what it counts */

int tally_add(struct tally *t, const struct event *e);

/* Hands over what was added since the last time as a batch of `slot`; nothing added: of `run` empty slots. */
int tally_send(struct tally *t, __s64 slot, __u32 run, __s64 clock_step_ns, const struct batch_sink *sink);

void tally_drop(struct tally *t);	/* what was added since is not to be sent */

#endif
