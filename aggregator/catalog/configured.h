/* configured.h - instrumentations of the configuration file: there from the start, and never idle out.
 *
 *      entries, stored instrumentations --configured_new()--> kept, changed, released, or made
 *                                                         (when a source offers the metric: at its hello)
 *
 * Match      by name; else one that measures the same (fields, measures, granularity, ruler-bits, keys,
 *            predicate) and is nobody's.  Its data go on.  Retention and tiers may change in place.
 * Released   what is no longer in the file, or measures another thing there: an ordinary
 *            instrumentation from then on, suspended, with its data.  Nothing is deleted by the file.
 * Errors     of entries that no source can measure as they are: logged once, and in configured_json().
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
