/* view_active.h - keeps a live grid of how much was under way at once (query/active.h).
 *
 *      value of a stream (its struct active), changed slots --view_active_grid()--> the grid as it is now
 *      that grid, the one before --view_active_differs()--> which columns are to be sent
 *
 * Reads   of ended events only the slots that changed or are new; of running events and coverage all.  From these it
 *         computes all columns again.
 * Columns An ended event changes every column in which it ran, so the changed slots do not say which columns to send.
 *         view_active_differs() does.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_VIEW_ACTIVE_H
#define HEATSCOPE_VIEW_ACTIVE_H

#include "aggregator/value/value.h"

struct view_span {			/* slots, inclusive */
	__s64 first, last;
};

/* Makes a grid of as many columns as the value's grid, up to the present one.  It ignores slots of `changed` after the
 * present column, and the caller may forget them: a later call reads all slots that the present column has reached
 * since.  -ESTALE: the cube does not hold all slots; -ENOENT: no such instrumentation; -ENOMEM.  After an error make a
 * new value. */
int view_active_grid(struct value *v, const struct view_span *changed, size_t n, __s64 now_ns, struct grid **ret_grid);

/* Does a column of g differ from the client's column of the same time?  `has` has the same rows and column length. */
bool view_active_differs(const struct grid *has, const struct grid *g, size_t col);

#endif
