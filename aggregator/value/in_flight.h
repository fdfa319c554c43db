/* in_flight.h - what still runs, in values of a metric that has such a measure (value_in_flight_axis()).
 *
 *      a map            its last fold is of what runs, drawn above what has ended
 *      keys, explain    a struct in_flight: which keys run in one slot
 *
 * Errors  0 or -errno.
 * Thread  as value.h says.
 */
#ifndef HEATSCOPE_VALUE_IN_FLIGHT_H
#define HEATSCOPE_VALUE_IN_FLIGHT_H

#include "aggregator/query/in_flight.h"
#include "aggregator/value/value.h"

/* A map's last fold, where there is such a measure. */
int value_in_flight_fold(struct value *v);

/* n_slots, min and max as for in_flight_new().  *ret_in_flight stays as it is where there is no such measure.  It takes coverage. */
int value_in_flight_add(struct value *v, __s64 n_slots, __u64 min, __u64 max, struct in_flight **ret_in_flight);

/* Reads its slots from the store, each by itself: of sums of several, one query would be there several times. */
int value_in_flight_read(struct value *v, struct in_flight *r, struct store *store);

/* It takes slices of the tape, too: the cube's are of one slot each. */
void value_in_flight_take(struct value *v, struct in_flight *r);

/* Records its slots.  The tape has none of this measure so far. */
int value_in_flight_record(struct value *v, struct in_flight *r);

#endif
