/* probes.h - runs the probes of this collector and enables instrumentations on them.
 *
 *      WANT (a set) --probes_want--> enable, disable --probes_drain--> batches
 *
 * It reports a probe that cannot be opened, and works with the others.
 * Errors  0 or -errno.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_PROBES_H
#define HEATSCOPE_PROBES_H

#include "collector/probe/probe.h"

struct probes;				/* its fields are in probes.c */

struct probes_watch {			/* is called for every instrumentation that becomes active */
	void (*enabled)(void *arg, const struct instrumentation *in, const struct metric *m);
	void *arg;
};

/* Opens the n probes of the table.  conf is copied, but not its texts. */
int probes_open(const struct probe *const *table, size_t n, const struct probe_conf *conf,
		struct probes **ret_probes);
void probes_close(struct probes *p);	/* NULL: nothing */

/* Returns how many probes opened, and why the first of the others did not ("" if all did). */
size_t probes_opened(const struct probes *p, const char **ret_reason);

json_t *probes_metrics(const struct probes *p);	/* an array, as in HELLO */

/* Enables the new entries of the array of instrumentations, and disables those that are no longer in it; a failed one
 * is tried again.  -EINVAL: an entry cannot be read; the others were handled. */
int probes_want(struct probes *p, const json_t *instrumentations, __s64 now_ns, const struct probes_watch *watch);
void probes_disable_all(struct probes *p);

/* From now on enables no further instrumentations: new entries of a set fail, with a reason that says so.  Active
 * instrumentations go on, and can be disabled. */
void probes_fix(struct probes *p);

/* {"instrumentations": [{"id", "state", "reason", "counts_from": ns, "known": false if no probe has its metric}]} */
json_t *probes_state(const struct probes *p);

size_t probes_active(const struct probes *p);
__u64 probes_slot_ns(const struct probes *p);	/* the shortest in use; 1 s if none is enabled */

/* Drains every probe; returns the first error of any. */
int probes_drain(struct probes *p, __s64 now_ns, const struct batch_sink *sink);

/* Returns when to call probes_wake(); 0: do not. */
__s64 probes_wake_at(const struct probes *p);
void probes_wake(struct probes *p, __s64 now_ns);

/* Returns 1 when a probe will give no more data. */
int probes_finished(const struct probes *p);

/* Stops measuring, before the last drain. */
void probes_end(struct probes *p);

/* Reports to people.  Returns how many metrics or probes are not available. */
int probes_doctor(struct probes *p, FILE *out);

#endif
