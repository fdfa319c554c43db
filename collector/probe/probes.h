/* probes.h - the probes of this collector and the instrumentations enabled on them.
 *
 *      WANT (a set) --probes_want--> enable, disable --probes_drain--> batches
 *
 * A probe that cannot be opened is reported and left out; the others work.
 * Errors  0 or -errno.
 * Thread  one.
 */
#ifndef HEATSCOPE_PROBES_H
#define HEATSCOPE_PROBES_H

#include "collector/probe/probe.h"

struct probes;				/* its fields are in probes.c */

struct probes_watch {			/* is told of every instrumentation that became active */
	void (*enabled)(void *arg, const struct instrumentation *in, const struct metric *m);
	void *arg;
};

/* conf is copied, its texts are not. */
int probes_open(const struct probe *const *table, size_t n, const struct probe_conf *conf,
		struct probes **ret_probes);
void probes_close(struct probes *p);	/* NULL: nothing */

/* How many probes opened, and why the first of the others did not ("" if all did). */
size_t probes_opened(const struct probes *p, const char **ret_reason);

json_t *probes_metrics(const struct probes *p);	/* an array, as in HELLO */

/* Enables what is new in the array of instrumentations and disables what is no longer there; one
 * that failed is tried again.  -EINVAL: an entry cannot be read; the rest was done. */
int probes_want(struct probes *p, const json_t *instrumentations, __s64 now_ns, const struct probes_watch *watch);
void probes_disable_all(struct probes *p);

/* From here on nothing is enabled any more: what is new in a set fails, with this reason.  What is
 * active goes on, and can be disabled. */
void probes_fix(struct probes *p);

json_t *probes_state(const struct probes *p);	/* {"instrumentations": [{"id", "state", "reason", "counts_from": ns}]} */

size_t probes_active(const struct probes *p);
__u64 probes_slot_ns(const struct probes *p);	/* the shortest in use; 1 s without any */

/* Every probe is drained; the first error of any. */
int probes_drain(struct probes *p, __s64 now_ns, const struct batch_sink *sink);

/* When probes_wake() is to be called; 0: not. */
__s64 probes_wake_at(const struct probes *p);
void probes_wake(struct probes *p, __s64 now_ns);

/* Did a replay hand over everything? */
int probes_finished(const struct probes *p);

/* For people.  Returns how many metrics or probes cannot be had. */
int probes_doctor(struct probes *p, FILE *out);

#endif
