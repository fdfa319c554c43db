/* configured.h - makes and keeps the instrumentations that the configuration file lists.
 *
 *      entries, stored instrumentations --configured_begin()--> kept, changed, released, or made
 *                                                         (when a source offers the metric: at its hello)
 *
 * Match      An entry takes the instrumentation with its name.  If there is none, it takes one that measures the same
 *            (fields, measures, weights, numeric field, granularity, ruler-bits, keys, exemplars, predicate) and that
 *            no entry has.  The instrumentation keeps its data; its retention and tiers may change.
 * Released   An instrumentation becomes an ordinary, suspended one if the file lists it no longer, or if its entry now
 *            measures something else.  It keeps its data: the file never deletes anything.
 * Idle       idle-max is 0: heatscoped does not delete these instrumentations when no client asks for their values.
 * Errors     If no source can measure an entry as it is, we log it once and report it in configured_json().
 * Thread     the loop thread only.
 */
#ifndef HEATSCOPE_CONFIGURED_H
#define HEATSCOPE_CONFIGURED_H

#include "aggregator/catalog/catalog.h"
#include "aggregator/base/conf_limits.h"

#define CONF_INSTRUMENTATIONS_MAX 32

struct conf_instrumentation {
	char name[CONF_NAME_MAX];
	unsigned line;
	char request[CONF_REQUEST_MAX];	/* JSON */
};
struct configured;				/* its fields are in configured.c */

/* The n entries of the configuration file outlive it.  -ENOMEM. */
int configured_new(struct catalog *c, const char *file, const struct conf_instrumentation *conf, size_t n, struct configured **ret_configured);

/* Makes and keeps them from now on; the catalog is loaded.  After configured_end() nothing is made or changed until the
 * next begin: another heatscoped may do it. */
void configured_begin(struct configured *a);
void configured_end(struct configured *a);
void configured_free(struct configured *a);	/* NULL is fine; before the catalog */

/* [{"name", "line", "state": "on" | "waiting" | "wrong", "instrumentation": "1", "reason"}] */
json_t *configured_json(const struct configured *a);

#endif
