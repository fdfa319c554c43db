/* alerts.h - evaluates all alert rules: at the end of a rule's window it gives the window's data, from the cube, to
 * alert.h.
 *
 *      cube --alerts_tick(), each second--> alert_step() --> state, kept by the store
 *                                                        \-> firings, as annotations, and sent to the listener
 *
 * Window  a window is evaluated ALERTS_LATE_NS after its end, or as soon as the store has its data.  A new rule of a
 *         shape first gets the windows of the hour before that the cube has, so it need not learn for an hour.
 * Restart States and firings are kept.  Windows that ended while heatscoped did not run are only learnt.  If an alert
 *         no longer exists, its firing ends.
 * Bounds  ALERTS_MAX rules.  A tick blocks the loop.  So it ends with the window in which it has read ALERTS_AT_ONCE
 *         histograms (about 9 us each), and the next tick goes on with the other rules.
 * Errors  0 or -errno; with -EINVAL `reason` (REASON_MAX bytes) is the message for /ca.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_ALERTS_H
#define HEATSCOPE_ALERTS_H

#include "aggregator/notify/alert.h"
#include "aggregator/catalog/catalog.h"
#include "aggregator/annotations/annotations.h"

#define ALERTS_MAX 64
#define ALERTS_AT_ONCE 10000
#define ALERTS_LATE_NS 2000000000ll

struct alerts;				/* its fields are in alerts.c */

int alerts_new(struct store_queue *store_queue, struct cube *cube, struct catalog *catalog, struct annotations *annotations, struct alerts **ret_alerts);
void alerts_free(struct alerts *a);	/* NULL is fine; before the annotations */

/* Replaces all by those of the store, which no worker uses: at start, or a copy of the texts (store_copy_texts()). */
int alerts_load(struct alerts *a, struct store *store, __s64 now_ns);

/* An alert whose rule names a webhook begins or ends to fire. */
struct alert_event {			/* valid during the call */
	__u64 id, annotation;
	const struct alert *alert;
	const char *state;		/* alert_state_name(), or "removed" */
	const char *measure, *unit, *sentence;	/* measure, unit "": they no longer exist */
	__s64 from_ns, to_ns;		/* ANNOTATION_OPEN: it fires */
	__s64 now_ns;			/* when we noticed it */
};
struct alerts_listener {
	bool (*knows_webhook)(void *arg, const char *webhook);
	void (*notify)(void *arg, const struct alert_event *event);
	void *arg;
};
/* copied; without a listener no webhook is known */
void alerts_listen(struct alerts *a, const struct alerts_listener *l);

/* Reports how the delivery ended: /ca/alerts counts it. */
void alerts_notified(struct alerts *a, __u64 id, int err, const char *reason);

/* Evaluates the windows that are due. */
void alerts_tick(struct alerts *a, __s64 now_ns);

/* Skips all windows that begin before this time, at most ALERTS_SKIP_MAX_NS in the future: the cube does not have all of
 * their events.  They count neither as observed nor as unobserved, and no shape is learnt from them: an alert that still
 * learns begins at that time. */
#define ALERTS_SKIP_MAX_NS 10000000000ll
void alerts_skip(struct alerts *a, __s64 until_ns);

/* Adds a rule as in doc/api.md.  done: called when it is stored, or could not be. */
int alerts_add(struct alerts *a, const json_t *request, __s64 now_ns, store_queue_done done, void *arg, __u64 *ret_id, char *reason);
int alerts_remove(struct alerts *a, __u64 id, store_queue_done done, void *arg, char *reason);	/* -ENOENT: at once */

/* Makes an alert of the configuration file, which alerts_remove() refuses.  If an alert of this name and rule exists,
 * it goes on with its state; one of this name with another rule is replaced.  file outlives it. */
int alerts_settle(struct alerts *a, const json_t *request, const char *file, unsigned line, __s64 now_ns, __u64 *ret_id, char *reason);
bool alerts_has(const struct alerts *a, __u64 id);

/* Notes that an alert of this name is still in the file, with or without its instrumentation.  It goes on unchanged
 * until it is settled. */
void alerts_claim(struct alerts *a, const char *name, const char *file, unsigned line);

/* Ends and removes the alerts of the file that were neither claimed nor settled since the start. */
void alerts_release(struct alerts *a);

json_t *alerts_json(const struct alerts *a);			/* all; NULL: no memory */
json_t *alerts_one(const struct alerts *a, __u64 id);		/* NULL: there is none */

#endif
