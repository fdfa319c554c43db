/* active.h - what was under way at once: which slots are read for it, and what comes out.
 *
 * Read    the range, and up to ACTIVE_AFTER_S after it, up to the present: what ended there may have run in the range.
 * Cube    another value is read from it if it holds the whole range, what is after it included.
 * Thread  as value.h says.
 */
#ifndef HEATSCOPE_VALUE_ACTIVE_H
#define HEATSCOPE_VALUE_ACTIVE_H

#include "aggregator/query/active.h"
#include "aggregator/value/value.h"

struct value_active {
	struct active *active;		/* NULL: the value is not of that */
	struct plan after;		/* what is read after the interval; no parts: nothing */
};

/* Prepares it; `axis` is the chosen measure.  apart: it takes no slices of the value's own.  -EINVAL with the reason, -ENOMEM. */
int value_active_add(struct value *v, struct value_active *a, const struct catalog_inst *ci, int axis, bool apart, char *reason);

/* The last slot that is read: of other values the range's. */
__s64 value_active_last(const struct value *v, const struct value_active *a);

/* Reads the store; `slices` gives to the value's folds.  On a worker. */
int value_active_read(struct value *v, const struct value_active *a, struct store *store, const struct store_reader *slices);

/* Records the cube's slices, and what runs, on the tape, from slot `first` on.  On the loop's thread. */
int value_active_record(struct value *v, const struct value_active *a, __s64 first);

/* The grid of what was under way, with the coverage of grid 0.  -ENOMEM; what active met while slices came in. */
int value_active_grid(const struct value *v, const struct value_active *a, struct grid **ret_grid);

/* The same in the place of grid 0. */
int value_active_put(struct value *v, const struct value_active *a);

#endif
