/* configured.h - makes and keeps the instrumentations that the configuration file lists.  Their idle-max is 0:
 * heatscoped does not delete them when no one requests their values.
 *
 *      entries, stored instrumentations --configured_new()--> kept, changed, released, or made
 *                                                         (when a source offers the metric: at its hello)
 *
 * Match      by name; else an instrumentation that no entry has taken and that measures the same (fields, measures,
 *            weights, numeric field, granularity, ruler-bits, keys, exemplars, predicate).  It keeps its data.
 *            Retention and tiers may change in place.
 * Released   an instrumentation that is no longer in the file, or whose entry now measures something else, becomes an
 *            ordinary one: suspended, with its data.  The file never deletes anything.
 * Errors     if no source can measure an entry as it is, we log it once and report it in configured_json().
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

/* After catalog_load(); the n entries of the configuration file outlive it.  -ENOMEM. */
int configured_new(struct catalog *c, const char *file, const struct conf_instrumentation *conf, size_t n, struct configured **ret_configured);
void configured_free(struct configured *a);	/* NULL is fine; before the catalog */

/* [{"name", "line", "state": "on" | "waiting" | "wrong", "instrumentation": "1", "reason"}] */
json_t *configured_json(const struct configured *a);

#endif
