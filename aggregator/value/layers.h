/* layers.h - which keys of a picture are told apart, and in which hues.
 *
 *      selected, isolate, exclude, decompose_all, hues, palette -> layer folds -> layers of the grids
 *
 * The bare image has Cloud Analytics' hues and its total as the rest; figures and reports have hues
 * of their own and a grey rest.  What they leave out (isolate, exclude) their folds leave out, too,
 * so that lines and totals are those of what is drawn.
 *
 * Thread  as value.h says.
 */
#ifndef HEATSCOPE_VALUE_LAYERS_H
#define HEATSCOPE_VALUE_LAYERS_H

#include "aggregator/query/layer_fold.h"
#include "aggregator/value/value.h"

struct value_layers {
	bool total_is_rest;		/* the bare image: set it before value_layers_add() */
	bool added;			/* the grids get layers */
	struct layer_fold *fold[REPORT_PANELS_MAX];	/* NULL: that grid has a rest alone */
};

/* Leaves out of the query what is not drawn. */
void value_layers_narrow(const struct value *v, struct query *q);

/* Does a figure or a report have layers?  It draws one in the ramp, unless asked for its hue. */
bool value_layers_wanted(const struct value *v);

/* A layer fold for each of the value's folds. */
int value_layers_add(struct value *v, struct value_layers *l);

/* Gives the grids their layers, if they were added.  -EINVAL: too few hues, with v->reason; what the folds met. */
int value_layers_put(struct value *v, struct value_layers *l);
void value_layers_fini(struct value_layers *l);

#endif
