/* layers.h - decides which keys of a picture get layers of their own, and in which hues.
 *
 *      selected, isolate, exclude, decompose_all, hues, palette -> layer folds -> layers of the grids
 *
 * Hues    The bare image has Cloud Analytics' hues, and its rest is the total.  Figures and reports have their own hues
 *         and a grey rest.
 * Folds   Figures and reports exclude the keys that they do not show (isolate, exclude) from their folds, too, so lines
 *         and totals match the drawing.
 * Thread  as value.h says.
 */
#ifndef HEATSCOPE_VALUE_LAYERS_H
#define HEATSCOPE_VALUE_LAYERS_H

#include "aggregator/query/layer_fold.h"
#include "aggregator/value/value.h"

struct value_layers {
	bool total_is_rest;		/* the bare image: set it before value_layers_add() */
	bool added;			/* the grids get layers */
	struct layer_fold *fold[REPORT_PANELS_MAX];	/* NULL: that grid has only a rest */
};

/* Excludes from the query the keys that are not drawn. */
void value_layers_narrow(const struct value *v, struct query *q);

/* Does the figure or report have layers?  A single isolated key has none: it is drawn in the ramp, unless a hue was
 * requested. */
bool value_layers_wanted(const struct value *v);

/* Makes a layer fold for each of the value's folds. */
int value_layers_add(struct value *v, struct value_layers *l);

/* Gives the grids their layers, if they were added.  -EINVAL: too few hues, with v->reason; or the first error of the
 * folds. */
int value_layers_put(struct value *v, struct value_layers *l);
void value_layers_fini(struct value_layers *l);

#endif
