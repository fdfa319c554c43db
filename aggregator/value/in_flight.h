/* in_flight.h - what still runs, in values of a metric that has such a measure (value_running_axis()).
 *
 *      a map            its last fold is of what runs, drawn above what has ended
 *      keys, explain    a struct running: which keys run in one slot
 *
 * Errors  0 or -errno.
 * Thread  as value.h says.
 */
#ifndef HEATSCOPE_VALUE_RUNNING_H
#define HEATSCOPE_VALUE_RUNNING_H

#include "aggregator/query/in_flight.h"
#include "aggregator/value/value.h"

/* A map's last fold, where there is such a measure. */
int value_running_fold(struct value *v);

/* n_slots, min and max as for running_new().  *ret_running stays as it is where there is no such measure.  It takes coverage. */
int value_running_add(struct value *v, __s64 n_slots, __u64 min, __u64 max, struct running **ret_running);

/* Reads its slots from the store, each by itself: of sums of several, one query would be there several times. */
int value_running_read(struct value *v, struct running *r, struct store *store);

/* It takes slices of the tape, too: the cube's are of one slot each. */
void value_running_take(struct value *v, struct running *r);

/* Records its slots.  The tape has none of this measure so far. */
int value_running_record(struct value *v, struct running *r);

#endif
