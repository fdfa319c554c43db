/* active.h - prepares, reads and makes the grid of how much was under way at once (query/active.h).
 *
 * Read    the range, and up to ACTIVE_AFTER_S after it, up to the present: events that ended there may have run in the
 *         range.
 * Cube    the value is read from the cube only if it holds all of that.
 * Thread  as value.h says.
 */
#ifndef HEATSCOPE_VALUE_ACTIVE_H
#define HEATSCOPE_VALUE_ACTIVE_H

#include "aggregator/query/active.h"
#include "aggregator/value/value.h"

struct value_active {
	struct active *active;		/* NULL: the value does not show it */
	struct plan after;		/* what to read after the interval; no parts: nothing */
};

/* Prepares it; `axis` is the chosen measure.  apart: the value's own slices do not go to it.  -EINVAL with the reason,
 * -ENOMEM. */
int value_active_add(struct value *v, struct value_active *a, const struct catalog_inst *ci, int axis, bool apart, char *reason);

/* Returns the last slot to read: for other values the last of the range. */
__s64 value_active_last(const struct value *v, const struct value_active *a);

/* Reads the store and gives `slices` to the value's folds; without active events as value_read_slices().  On a worker. */
int value_active_read(struct value *v, const struct value_active *a, struct store *store, const struct store_reader *slices);

/* Records the cube's slices, and the running events, in the slice buffer, from slot `first` on; without active events
 * as value_record_slices().  On the loop's thread. */
int value_active_record(struct value *v, const struct value_active *a, __s64 first, __s64 last);

/* Makes the grid of active events, with the coverage of grid 0.  -ENOMEM; or the first error while slices came in. */
int value_active_grid(const struct value *v, const struct value_active *a, struct grid **ret_grid);

/* Does the same and replaces grid 0. */
int value_active_put(struct value *v, const struct value_active *a);

#endif
