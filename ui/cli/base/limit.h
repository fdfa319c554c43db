/* limit.h - turns options that are values of a measure ("--ymin 10ms") into request parameters.
 *
 * Their unit depends on the instrumentation, so they stay texts until heatscoped has returned it.  A value of a measure
 * with a unit needs that unit (amount.h).
 */
#ifndef HEATSCOPE_LIMIT_H
#define HEATSCOPE_LIMIT_H

#include "ui/cli/base/client.h"
#include "collector/core/amount.h"

#include <argp.h>

/* The options of a rectangle's values. */
#define LIMIT_OPTIONS(ymin, ymax)                                                                                        \
	{ "ymin", ymin, "VALUE", 0, "Lowest value of the rectangle, with the measure's unit: 10ms, 1.5s (default 0)", 0 }, \
	{ "over", ymin, "VALUE", OPTION_ALIAS, NULL, 0 },                                                                  \
	{ "ymax", ymax, "VALUE", 0, "Upper end of the rectangle, exclusive (default: none)", 0 },                          \
	{ "under", ymax, "VALUE", OPTION_ALIAS, NULL, 0 }

struct limit {
	const char *option, *parameter, *text;	/* "ymin", "ymin", "10ms"; text NULL: not given */
};

/* Writes the limit as a whole number.  -EINVAL with a sentence in `reason`; name: the measure's. */
int limit_read(const struct limit *l, enum ruler_unit unit, const char *name, char out[32], char reason[256]);

/* Adds the given limits to a request for values of this measure; NULL: the first measure.  Requests the instrumentation
 * only if a limit is given.
 * Errors, with c->reason: as client_json(); -EINVAL: as limit_read(); -EBADMSG: the reply does not say the unit. */
int limits_put(struct client *c, const char *id, const char *measure, const struct limit *limit, size_t n,
	       struct query_string *p);

#endif
