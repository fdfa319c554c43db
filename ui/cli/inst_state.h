/* inst_state.h - what the sources of an instrumentation say of it, and waiting until they have said it.
 *
 *      POST -> inst_await(INST_ANSWERED): each connected source said whether it can
 *           -> inst_await(INST_COUNTED):  each of those that can counts: its first slot has begun
 *
 * Units   times are s from the epoch, waiting is in s.
 * Errors  0 or -errno with a sentence in c->reason: -EIO no source can measure it, -ETIMEDOUT too late, -EINTR stopped.
 * Memory  *ret_inst (may be NULL) is the last answer of heatscoped, json_decref() it; NULL after an error of asking.
 * Thread  blocks its caller, which asks every 20 ms.
 */
#ifndef HEATSCOPE_INST_STATE_H
#define HEATSCOPE_INST_STATE_H

#include "ui/cli/client.h"

#include <signal.h>

#define INST_COUNTED_S 60		/* the kernel checks programs for seconds, where it has other work */

struct inst_state {			/* of its sources, by number */
	unsigned n_silent;		/* connected, and did not answer yet */
	unsigned n_early;		/* can, and begin at their next slot */
	unsigned n_counting;
	unsigned n_failed;
	int suspended;			/* it, or all are: nobody is asked to measure it */
	double counts_from_s;		/* when the last one that is early or counts began, or begins; 0: none said it */
	const char *failed, *failure;	/* the first that failed, and why; of the JSON, "" if none did */
};

struct inst_state inst_state_of(const json_t *inst);

enum inst_until { INST_ANSWERED, INST_COUNTED };

/* stop: not 0 when the waiting shall end; NULL: it never does. */
int inst_await(struct client *c, const char *id, enum inst_until until, unsigned seconds, const volatile sig_atomic_t *stop,
	       json_t **ret_inst);

#endif
