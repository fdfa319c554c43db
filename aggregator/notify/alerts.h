/* alerts.h - the rules that are watched: what the cube has of each window is told to alert.h, once it is over.
 *
 *      cube --alerts_tick(), each second--> alert_step() --> state, kept by the store
 *                                                        \-> firings, as annotations, and sent to the listener
 *
 * Window  evaluated ALERTS_LATE_NS after its end, or as soon as the store has its data; of a new rule of a shape those of
 *         the hour before first, as far as the cube has them, so that it need not learn for an hour.
 * Restart states and what fires are kept; windows that ended while nobody looked are only learnt.  What an alert fired that
 *         is not there any more is over.
 * Bounds  ALERTS_MAX rules.  The loop waits for a tick: it ends after the window with which ALERTS_AT_ONCE histograms have
 *         been read (about 9 us each); the rules that are left have their turn first in the next one.
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
void alerts_free(struct alerts *a);	/* NULL is fine; before the journal */

/* At start, before any worker runs. */
int alerts_load(struct alerts *a, struct store *store, __s64 now_ns);

/* Something begins or ends to fire whose rule names a webhook. */
struct alert_event {			/* valid during the call */
	__u64 id, annotation;
	const struct alert *alert;
	const char *state;		/* alert_state_name(), or "removed" */
	const char *measure, *unit, *sentence;	/* measure, unit "": they are not there any more */
	__s64 from_ns, to_ns;		/* ANNOTATION_OPEN: it fires */
	__s64 now_ns;			/* when that was seen */
};
struct alerts_listener {
	bool (*knows_webhook)(void *arg, const char *webhook);
	void (*notify)(void *arg, const struct alert_event *event);
	void *arg;
};
void alerts_listen(struct alerts *a, const struct alerts_listener *l);	/* copied; without one no webhook is known */

/* What became of it: counted in /ca/alerts. */
void alerts_notified(struct alerts *a, __u64 id, int err, const char *reason);

/* Evaluates what is due. */
void alerts_tick(struct alerts *a, __s64 now_ns);

/* As in doc/api.md.  done: when it is stored, or was not. */
int alerts_add(struct alerts *a, const json_t *request, __s64 now_ns, store_queue_done done, void *arg, __u64 *ret_id, char *reason);
int alerts_remove(struct alerts *a, __u64 id, store_queue_done done, void *arg, char *reason);	/* -ENOENT: at once */

/* Those of the configuration file, which alerts_remove() refuses.  There is one of this name with this rule from now on: the one of
 * before, with its state, unless its rule was another one.  file outlives it. */
int alerts_settle(struct alerts *a, const json_t *request, const char *file, unsigned line, __s64 now_ns, __u64 *ret_id, char *reason);
bool alerts_has(const struct alerts *a, __u64 id);

/* The one of before of this name, if there is one, is in the file still, whatever has become of its instrumentation: it goes on as it was
 * until it is settled. */
void alerts_claim(struct alerts *a, const char *name, const char *file, unsigned line);

/* Of those that were in the file: what was neither claimed nor settled since the start is over and removed. */
void alerts_release(struct alerts *a);

json_t *alerts_json(const struct alerts *a);			/* all; NULL: no memory */
json_t *alerts_one(const struct alerts *a, __u64 id);		/* NULL: there is none */

#endif
