/* inst_state.h - waits until the sources have reported that they measure an instrumentation, and reads their states.
 *
 *      POST -> inst_await(INST_ANSWERED): each connected source has reported whether it can measure it
 *           -> inst_await(INST_COUNTED):  each source that can measure it counts: its first slot has begun
 *
 * Units   times are in s from the epoch, waiting times in s.
 * Errors  0 or -errno with a sentence in c->reason: -EIO: no source can measure it; -ETIMEDOUT: too late; -EINTR:
 *         stopped.
 * Memory  *ret_inst (it may be NULL) is the last answer of heatscoped, which the caller frees with json_decref(); NULL
 *         if a request failed.
 * Thread  blocks its caller, and asks heatscoped every 20 ms.
 */
#ifndef HEATSCOPE_INST_STATE_H
#define HEATSCOPE_INST_STATE_H

#include "ui/cli/base/client.h"

#include <signal.h>

#define INST_COUNTED_S 60		/* a busy kernel may check BPF programs for seconds */

struct inst_state {			/* numbers of its sources */
	unsigned n_silent;		/* connected, without an answer yet */
	unsigned n_early;		/* can measure it, and begin at their next slot */
	unsigned n_counting;
	unsigned n_failed;
	int suspended;			/* it is suspended, or all are: no source is asked to measure it */
	double counts_from_s;		/* begin of the last one that is early or counts; 0: not reported */
	const char *failed, *failure;	/* the first source that failed, and why; in the JSON's memory; "": none */
};

struct inst_state inst_state_of(const json_t *inst);

enum inst_until { INST_ANSWERED, INST_COUNTED };

/* Waits for `until`, at most so many seconds.  stop: not 0 ends the waiting, with -EINTR; it may be NULL. */
int inst_await(struct client *c, const char *id, enum inst_until until, unsigned seconds, const volatile sig_atomic_t *stop,
	       json_t **ret_inst);

#endif
