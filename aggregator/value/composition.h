/* composition.h - makes the value `composition`: how the events in a rectangle of time and value spent their time.
 *
 *      value_composition_folds() -> a fold of counts, of the first measure and of each weight
 *         -> composition.h -> JSON, or a report's bar
 *
 * Errors  0 or -errno; with -EINVAL `reason` (PARAMS_REASON_MAX bytes) is the message for /ca.
 * Thread  as value.h says.
 */
#ifndef HEATSCOPE_VALUE_COMPOSITION_H
#define HEATSCOPE_VALUE_COMPOSITION_H

#include "render/draw/bar.h"
#include "aggregator/value/value.h"

struct composed_folds {
	bool added;
	size_t first;			/* index of the first of the value's key folds: one of the events, and one of
					 * each weight */
};

/* Adds the folds for a composition, and for a report and an explain of the first measure if there are weights: of all
 * keys together.  -ENOMEM. */
int value_composition_folds(struct value *v, struct composed_folds *ret_folds);

/* The result as a bar of parts; its strings are the value's. */
struct composed {
	struct bar bar;
	struct bar_part part[MEASURES_MAX];
	char title[2 * NAME_MAX_LEN + 96];
};
int value_composition_bar(struct value *v, const struct composed_folds *folds, struct composed *ret_composed);

/* Writes the member "composition", if there are such folds. */
int value_composition_put(struct value *v, const struct composed_folds *folds, struct bytes *out);

#endif
