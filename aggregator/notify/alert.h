/* alert.h - computes the state of one alert rule, from one window of time after the other.
 *
 *      rule, window (histogram, observed?)  --alert_step()-->  state, value, limit
 *
 *      ok, no data           --over the limit--> pending --`hold` such windows in a row--> firing
 *      pending, no data      --not over--> ok
 *      firing                --`hold` clear windows in a row--> ok
 *      ok, pending           --not observed--> no data
 *      firing                --`hold` windows in a row not observed--> no data
 *
 * Kinds   ALERT_PERCENTILE  a percentile is above a value.
 *         ALERT_SHARE       more than a share of the events is above a value.
 *         ALERT_SHAPE       the distribution differs from that of the hour before.
 * Clear   A window is clear if its value is at most ALERT_CLEAR of the limit.  Between that and the limit a firing
 *         alert stays firing, so a value at the limit does not flap.
 * Shape   The distance of two distributions is Wasserstein's of the logarithms: by how many octaves the events would
 *         have to be moved, on average.  It grows with the share that moved and with how far.  (A divergence of cells,
 *         such as Jensen-Shannon's, saturates once two modes do not overlap, and grows with the noise of rare cells.)
 * Learnt  The limit of a shape lies well above the usual variation: each of the ALERT_HOUR windows before is compared
 *         with all others of them.  Windows near or over the limit (ALERT_USUAL) are not learnt.  A shape that has
 *         fired for ALERT_HOUR windows becomes the usual one, and learning begins again.  A window with fewer than
 *         ALERT_FEW events changes nothing.
 * Empty   A window without events is ok.  It has no data if it was not observed, or while the usual shape is not yet
 *         learnt.
 * Pure    no loop, file or clock.  Thread: any, one at a time per alert.
 */
#ifndef HEATSCOPE_ALERT_H
#define HEATSCOPE_ALERT_H

#include "collector/core/instrumentation.h"
#include <stdbool.h>

#define ALERT_NAME_MAX 64
#define ALERT_CLEAR 0.9
#define ALERT_USUAL 0.6			/* of the limit: a window with a larger distance is not learnt */
#define ALERT_ABOVE 32			/* bytes of the text of `above`, including NUL */
#define ALERT_HOUR 60			/* windows with which a shape is compared */
#define ALERT_LEARNT 20			/* at least so many of them are needed */
#define ALERT_FEW 50			/* events */

enum alert_kind { ALERT_PERCENTILE, ALERT_SHARE, ALERT_SHAPE };
enum alert_state { ALERT_OK, ALERT_PENDING, ALERT_FIRING, ALERT_NO_DATA };

struct alert_rule {
	char name[ALERT_NAME_MAX];
	__u64 inst;
	char measure[NAME_MAX_LEN];	/* "": the first */
	char key[LABEL_MAX + 1];	/* the key's text; "": all keys together */
	enum alert_kind kind;
	double percentile;		/* 0..1 */
	__u64 above;			/* in the measure's unit */
	char above_text[ALERT_ABOVE];	/* "100ms", until alert_rule_unit() has read it; then "" */
	double share;			/* 0..1 */
	__u32 window_s, hold;
	char webhook[ALERT_NAME_MAX];	/* the webhook to notify, by its name in the configuration; "": none */
};

/* Reads a request as in doc/api.md.  -EINVAL with the reason, in `reason` (REASON_MAX bytes). */
int alert_rule_parse(const json_t *request, struct alert_rule *ret, char *reason);

/* Reads `above` if the request has it as a text: the unit of the measure must be known.  Errors as
 * alert_rule_parse(). */
int alert_rule_unit(struct alert_rule *r, enum ruler_unit unit, char *reason);
json_t *alert_rule_json(const struct alert_rule *r);	/* NULL: no memory */

struct alert_window {
	__s64 from_ns, to_ns;
	bool observed;
	const struct hist *hist;	/* of counts; borrowed */
};

struct alert_usual;			/* the shapes that a shape is compared with */

struct alert {
	struct alert_rule rule;
	enum alert_state state;
	__s64 since_ns;			/* when the present state's cause began; 0: it has seen no window */
	double value, limit;		/* of the newest window that had one; NAN: none yet */
	__u32 n_over, n_clear, n_dark;	/* windows in a row */
	__u32 n_fired;			/* windows since it fires */
	__s64 over_ns;			/* begin of the windows in a row over the limit */
	struct alert_usual *usual;
};

int alert_init(struct alert *a, const struct alert_rule *r);	/* -ENOMEM */
void alert_fini(struct alert *a);

/* Returns true if the state has changed. */
bool alert_step(struct alert *a, const struct alert_window *w);

/* Learns a window of the past, whose state is known already. */
void alert_learn(struct alert *a, const struct alert_window *w);

const char *alert_state_name(enum alert_state state);	/* "ok", "pending", "firing", "no_data" */
enum alert_state alert_state_of(const char *name);	/* ALERT_NO_DATA: no such name */

/* Writes "p99 of latency is 120 ms, above 100 ms"; unit: as query_unit() returns it. */
void alert_sentence(const struct alert *a, const char *measure, const char *unit, char *out, size_t room);

#endif
