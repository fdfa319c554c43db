/* grid.h - declares the values `grid` and `stream`, whose shade and active events a view keeps.
 *
 * Thread  as value.h says.
 */
#ifndef HEATSCOPE_VALUE_GRID_H
#define HEATSCOPE_VALUE_GRID_H

#include "aggregator/value/active.h"

struct grid_value {
	struct value v;			/* whose grid 0 it is */
	struct shade shade;		/* of grid 0, when it is made */
	struct value_active active;
};

/* v: of VALUE_GRID or VALUE_STREAM. */
struct grid_value *grid_value_of(struct value *v);

#endif
