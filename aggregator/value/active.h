/* active.h - a grid of what was under way at once: which slots are read for it, and what comes out.
 *
 * Read    the range, and up to ACTIVE_AFTER_S after it, up to the present: what ended there may have run in the range.
 * Report  the chart alone is of it: its slices are read once more, from the store.
 * Cube    another value is read from it if it holds the whole range, what is after it included.
 */
#ifndef HEATSCOPE_VALUE_ACTIVE_H
#define HEATSCOPE_VALUE_ACTIVE_H

#include "aggregator/value/value.h"

/* Prepares it where the request has active=true; `axis` is the chosen measure.  -EINVAL with the reason, -ENOMEM. */
int value_active_add(struct value *v, const struct catalog_inst *ci, int axis, char *reason);

/* The last slot that is read: of other values the range's. */
__s64 value_active_last(const struct value *v);

/* Reads the store; `slices` gives to the value's folds.  On a worker. */
int value_active_read(struct value *v, struct store *store, const struct store_reader *slices);

/* Reads the cube's coverage, and records what runs on the tape.  On the loop's thread. */
int value_active_record(struct value *v);

/* Grid 0 becomes the one of what was under way, of a report v->at_once.  -ENOMEM. */
int value_active_put(struct value *v);

#endif
