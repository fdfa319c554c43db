/* alert.h - is something wrong?  One rule, told one window of time after the other.
 *
 *      rule, window (histogram, observed?)  --alert_step()-->  state, value, limit
 *
 *      no data --seen--> ok --over the limit--> pending --`hold` windows in a row--> firing --`hold` windows clear--> ok
 *         ^------------------ not observed (a firing one: for `hold` windows) --------'
 *
 * Kinds   ALERT_PERCENTILE  a percentile is above a value.
 *         ALERT_SHARE       more than a share of the events is above a value.
 *         ALERT_SHAPE       the distribution is another one than in the hour before.
 * Clear   is at most ALERT_CLEAR of the limit: between the two nothing changes, so that what lies at the limit does not flap.
 * Shape   The distance is Wasserstein's of the logarithms: by how many octaves the events would have to be moved, on
 *         average.  It grows with the share that moved and with how far, where divergences of cells (Jensen-Shannon)
 *         saturate once two modes do not overlap, and grow with the noise of rare cells.  The limit is learnt: each of
 *         the ALERT_HOUR windows before is held against all others of them, and the limit lies well above what they vary
 *         by.  Windows near or over the limit (ALERT_USUAL) are not learnt; what has fired for ALERT_HOUR windows is the new
 *         usual, and learning begins anew.  Fewer than ALERT_FEW events tell no shape: such a window changes nothing.
 * Nothing happened is ok; not observed, or still learning, is no data.
 * Pure    no loop, file or clock.  Thread: any, one at a time per alert.
 */
#ifndef HEATSCOPE_ALERT_H
#define HEATSCOPE_ALERT_H

#include "collector/core/instrumentation.h"
#include <stdbool.h>

#define ALERT_NAME_MAX 64
#define ALERT_CLEAR 0.9
#define ALERT_USUAL 0.6			/* of the limit: what is further away is not learnt */
#define ALERT_ABOVE 32
#define ALERT_HOUR 60			/* windows that a shape is held against, */
#define ALERT_LEARNT 20			/* and how many it needs at least */
#define ALERT_FEW 50			/* events */

enum alert_kind { ALERT_PERCENTILE, ALERT_SHARE, ALERT_SHAPE };
enum alert_state { ALERT_OK, ALERT_PENDING, ALERT_FIRING, ALERT_NO_DATA };

struct alert_rule {
	char name[ALERT_NAME_MAX];
	__u64 inst;
	char measure[NAME_MAX_LEN];	/* "": the first */
	char key[LABEL_MAX + 1];	/* its text; "": all together */
	enum alert_kind kind;
	double percentile;		/* 0..1 */
	__u64 above;			/* in the measure's unit */
	char above_text[ALERT_ABOVE];	/* "100ms", until alert_rule_unit() has read it; "": it has */
	double share;			/* 0..1 */
	__u32 window_s, hold;
	char webhook[ALERT_NAME_MAX];	/* who is told, by its name in the configuration; "": nobody */
};

/* From a request as in doc/api.md.  -EINVAL and why not, in `reason` (REASON_MAX bytes). */
int alert_rule_parse(const json_t *request, struct alert_rule *ret, char *reason);

/* Reads `above` where it was given as a text, now that the unit is known.  Errors likewise. */
int alert_rule_unit(struct alert_rule *r, enum ruler_unit unit, char *reason);
json_t *alert_rule_json(const struct alert_rule *r);	/* NULL: no memory */

struct alert_window {
	__s64 from_ns, to_ns;
	bool observed;
	const struct hist *hist;	/* of counts; borrowed */
};

struct alert_usual;			/* what a shape is held against */

struct alert {
	struct alert_rule rule;
	enum alert_state state;
	__s64 since_ns;			/* when what led to this state began; 0: never told anything */
	double value, limit;		/* of the newest window that had one; NAN: none yet */
	__u32 n_over, n_clear, n_dark;	/* windows in a row */
	__u32 n_fired;			/* windows since it fires */
	__s64 over_ns;			/* where the row over the limit begins */
	struct alert_usual *usual;
};

int alert_init(struct alert *a, const struct alert_rule *r);	/* -ENOMEM */
void alert_fini(struct alert *a);

/* true: its state is another one. */
bool alert_step(struct alert *a, const struct alert_window *w);

/* A window of before, whose state is known: it is only learnt. */
void alert_learn(struct alert *a, const struct alert_window *w);

const char *alert_state_name(enum alert_state state);	/* "ok", "pending", "firing", "no_data" */
enum alert_state alert_state_of(const char *name);	/* ALERT_NO_DATA: none of them */

/* "p99 of latency is 120 ms, above 100 ms"; unit: as query_unit() says. */
void alert_sentence(const struct alert *a, const char *measure, const char *unit, char *out, size_t room);

/* By how many octaves the events of one would have to be moved, on average, to lie as the other's. */
double alert_distance(const struct hist *a, const struct hist *b);

#endif
