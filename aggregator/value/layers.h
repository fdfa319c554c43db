/* layers.h - which keys of a picture are told apart, and in which hues.
 *
 *      selected, isolate, exclude, decompose_all, hues, palette -> layer folds -> layers of the grids
 *
 * The bare image has Cloud Analytics' hues and its total as the rest; figures and reports have hues
 * of their own and a grey rest.  What they leave out (isolate, exclude) their folds leave out, too,
 * so that lines and totals are those of what is drawn.
 */
#ifndef HEATSCOPE_VALUE_LAYERS_H
#define HEATSCOPE_VALUE_LAYERS_H

#include "aggregator/value/value.h"

/* Sets the query's selection for what is drawn. */
void value_layers_select(const struct value *v, struct query *q);

/* A layer fold for each of the value's folds, if its picture has layers. */
int value_layers_add(struct value *v);

/* Gives grid i its layers.  -EINVAL: too few hues, with the value's reason. */
int value_layers_put(struct value *v, size_t i);

#endif
