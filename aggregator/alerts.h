/* alerts.h - the rules that are watched: what the cube has of each window is told to alert.h, once it is over.
 *
 *      cube --alerts_tick(), each second--> alert_step() --> state, kept by the store
 *                                                        \-> firings, in the journal
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

#include "alert.h"
#include "catalog.h"
#include "journal.h"

#define ALERTS_MAX 64
#define ALERTS_AT_ONCE 10000
#define ALERTS_LATE_NS 2000000000ll

struct alerts;				/* its fields are in alerts.c */

int alerts_new(struct flush *flush, struct cube *cube, struct catalog *catalog, struct journal *journal, struct alerts **ret_alerts);
void alerts_free(struct alerts *a);	/* NULL is fine; before the journal */

/* At start, before any worker runs. */
int alerts_load(struct alerts *a, struct store *store, __s64 now_ns);

/* Evaluates what is due. */
void alerts_tick(struct alerts *a, __s64 now_ns);

/* As in doc/api.md.  done: when it is stored, or was not. */
int alerts_add(struct alerts *a, const json_t *request, __s64 now_ns, flush_done done, void *arg, __u64 *ret_id, char *reason);
int alerts_remove(struct alerts *a, __u64 id, flush_done done, void *arg);	/* -ENOENT: at once */

json_t *alerts_json(const struct alerts *a);			/* all; NULL: no memory */
json_t *alerts_one(const struct alerts *a, __u64 id);		/* NULL: there is none */

#endif
