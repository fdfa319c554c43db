/* in_flight.h - adds running exchanges to a value, if its metric has a measure of them (value_in_flight_axis()).
 *
 *      a map            its last fold is of the running exchanges, drawn above those that have ended
 *      keys, explain    a struct in_flight: which keys run in one slot
 *
 * Errors  0 or -errno.
 * Thread  as value.h says.
 */
#ifndef HEATSCOPE_VALUE_IN_FLIGHT_H
#define HEATSCOPE_VALUE_IN_FLIGHT_H

#include "aggregator/query/in_flight.h"
#include "aggregator/value/value.h"

/* Adds a map's last fold, if there is such a measure. */
int value_in_flight_fold(struct value *v);

/* n_slots, min and max as for in_flight_new().  *ret_in_flight does not change if there is no such measure.  It takes
 * coverage. */
int value_in_flight_add(struct value *v, __s64 n_slots, __u64 min, __u64 max, struct in_flight **ret_in_flight);

/* Reads its slots from the store, each by itself: a sum of several would count an exchange several times. */
int value_in_flight_read(struct value *v, struct in_flight *r, struct store *store);

/* Lets it take slices of the slice buffer, too: each of the cube's slices is of one slot. */
void value_in_flight_take(struct value *v, struct in_flight *r);

/* Records its slots.  The slice buffer must not have any of this measure yet. */
int value_in_flight_record(struct value *v, struct in_flight *r);

#endif
