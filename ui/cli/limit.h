/* limit.h - options that are values of a measure: "--ymin 10ms".
 *
 * The instrumentation says what their unit is, so they are kept as texts until it has been asked.  A number of what has a unit needs one
 * (amount.h): `--ymin 10` would be 10 ns.
 */
#ifndef HEATSCOPE_LIMIT_H
#define HEATSCOPE_LIMIT_H

#include "ui/cli/client.h"
#include "collector/core/amount.h"

struct limit {
	const char *option, *parameter, *text;	/* "ymin", "ymin", "10ms"; text NULL: not given */
};

/* As a whole number.  -EINVAL and why not, in `reason`; name: of the measure. */
int limit_read(const struct limit *l, enum ruler_unit unit, const char *name, char out[32], char reason[256]);

/* Adds what is given to a request for values of this measure; NULL is the first.  Asks for the instrumentation only if any is.
 * Errors, with c->reason: as client_json(); -EINVAL: as limit_read(); -EBADMSG: it does not say the unit. */
int limits_put(struct client *c, const char *id, const char *measure, const struct limit *limit, size_t n,
	       struct query_string *p);

#endif
