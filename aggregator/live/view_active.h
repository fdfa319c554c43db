/* view_active.h - what was under way at once, live: it reads the slots that changed and spreads all slots again.
 *
 *      value of a stream (its struct active), changed slots --view_active_grid()--> the grid as it is now
 *      that grid, the one before --view_active_differs()--> which columns are to be sent
 *
 * An event that ends changes all columns in which it ran, so the changed slots do not say which columns to send.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_VIEW_ACTIVE_H
#define HEATSCOPE_VIEW_ACTIVE_H

#include "aggregator/value/value.h"

struct view_span {			/* slots, inclusive */
	__s64 first, last;
};

/* As many columns as the value's grid has, up to the present one.  Changed slots after it need not be told again: all slots
 * are read when the present column reaches them.  -ESTALE: the cube does not hold all of them; -ENOENT:
 * no such instrumentation; -ENOMEM.  After an error make a new value. */
int view_active_grid(struct value *v, const struct view_span *changed, size_t n, __s64 now_ns, struct grid **ret_grid);

/* Does a column of g differ from what the reader has of the same time?  `has` is of the same rows and column length. */
bool view_active_differs(const struct grid *has, const struct grid *g, size_t col);

#endif
