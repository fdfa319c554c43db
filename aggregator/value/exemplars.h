/* exemplars.h - exemplars: the single events that were kept of an interval, from request to reply.
 *
 * Source  the store: the cube has none.  Slots only: they go with tier 0.
 * Errors  0 or -errno; with -EINVAL `reason` (PARAMS_REASON_MAX bytes) is the message for /ca.
 * Thread  as value.h says.
 */
#ifndef HEATSCOPE_VALUE_EXEMPLARS_H
#define HEATSCOPE_VALUE_EXEMPLARS_H

#include "aggregator/query/exemplar_fold.h"
#include "aggregator/value/value.h"

/* To a value of that kind; does nothing to others.  -EINVAL with the reason, -ENOMEM. */
int value_exemplars_add(struct value *v, char *reason);

int value_exemplars_read(struct value *v, struct store *store);

#endif
