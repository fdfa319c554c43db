/* composition.h - composition: what the time of events in a rectangle of time and value was, from request to reply.
 *
 *      value_composition_add() -> a fold of counts, of the first measure and of each weight -> query/composition.h -> JSON, or a report's bar
 *
 * Errors  0 or -errno; with -EINVAL `reason` (PARAMS_REASON_MAX bytes) is the message for /ca.
 * Thread  as value.h says.
 */
#ifndef HEATSCOPE_VALUE_COMPOSITION_H
#define HEATSCOPE_VALUE_COMPOSITION_H

#include "render/draw/bar.h"
#include "aggregator/value/value.h"

/* To a composition, and to a report and an explain of the first measure where there are weights; does nothing to others.  -EINVAL with the reason, -ENOMEM. */
int value_composition_add(struct value *v, const struct catalog_inst *ci, int axis, char *reason);

/* As a bar of parts; its strings are the value's. */
struct composed {
	struct bar bar;
	struct bar_part part[MEASURES_MAX];
	char title[2 * NAME_MAX_LEN + 96];
};
int value_composition_bar(struct value *v, struct composed *ret_composed);

/* "composition" of what was asked, where there is one. */
int value_composition_put(struct value *v, struct bytes *out);

int make_composition(struct value *v);

#endif
