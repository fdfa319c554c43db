/* conditions.h - says how each source is: those that need attention come first.
 *
 *      catalog (links, states, sightings) --conditions_list()--> doubled, late, away, losing, clock, failing, starting, ...
 *
 * One     a source has the first condition of the list that holds.  Its numbers are there in every condition.
 * Late    it is connected and measures, but its newest slot ended LATE_NS earlier than it should have been here;
 *         LATE_PARTIAL_NS where something is left out, for then it may watch single seconds only.  A slow clock of its host
 *         does not make it late.  A fast one may hide that it is: that clock is a condition of its own.
 * Doubled two collectors send under its name (see catalog_sent()), so what is counted is wrong.
 * Away    it is not connected.  A source from before our start is known by what the store has of it.
 * Order   by condition; then the latest data first late, the last one gone first, most losses, largest offset; by name.
 * Cost    sources x instrumentations.
 * Memory  the caller frees the list.  It borrows from the catalog, until control returns to the loop.
 * Thread  the loop thread only.  Pure but for the catalog: time is now_ns.
 */
#ifndef HEATSCOPE_CONDITIONS_H
#define HEATSCOPE_CONDITIONS_H

#include "aggregator/catalog/catalog.h"

#define LATE_NS 2000000000ll
#define LATE_PARTIAL_NS 60000000000ll
#define CLOCK_OFF_NS 500000000ll	/* half a slot of 1 s */

enum condition {
	CONDITION_DOUBLED,		/* two collectors sent under its name within DOUBLED_NS */
	CONDITION_LATE,
	CONDITION_AWAY,
	CONDITION_LOSING,		/* it reported lost events within FARE_LOSS_NS */
	CONDITION_CLOCK,		/* its clock differs from ours by more than CLOCK_OFF_NS */
	CONDITION_FAILING,		/* some instrumentation failed, or lacks something */
	CONDITION_STARTING,		/* it has not reported yet */
	CONDITION_REPORTING,
	CONDITION_IDLE,			/* connected, and no instrumentation asks anything of it */
};

struct source_condition {
	const char *name;
	const struct source *source;	/* NULL: not connected since our start */
	enum condition condition;
	__s64 until_ns;			/* the end of the newest slot that it reported; 0: none */
	__s64 late_ns;			/* by how much its newest data are late; 0: they are not */
	__s64 away_ns;			/* since when it is away; 0: it is not, or that is not known */
	__u64 lost;			/* events since our start */
	__s64 lost_ns;			/* when it last reported lost events; 0: never */
	unsigned n_active, n_partial, n_failed, n_pending;	/* instrumentations */
	char reason[REASON_MAX];	/* CONDITION_DOUBLED, or the first one that failed or lacks something, and why; "": none */
};

const char *condition_word(enum condition condition);	/* "late", ... */

/* -ENOMEM: no list. */
int conditions_list(const struct catalog *c, __s64 now_ns, struct source_condition **ret_list, size_t *ret_n);

/* Describes them as JSON for /ca/sources; NULL: no memory. */
json_t *conditions_json(const struct catalog *c, __s64 now_ns);

#endif
