/* query_kit.h - makes an instrumentation, a query of it, and events as slices, for tests of folds.
 *
 *      events --kit_give()--> a fold's store_reader
 *
 * Errors  fail the test.
 */
#ifndef HEATSCOPE_QUERY_KIT_H
#define HEATSCOPE_QUERY_KIT_H

#include "aggregator/query/query.h"

#define SLOT 1000000000ll
#define T0 1700000000ll

/* Returns an instrumentation with two fields and two measures, slots of 1 s. */
struct instrumentation kit_instrumentation(void);

/* Returns a query of the slots T0 to T0 + n_slots, half-open, long after them; `in` is borrowed. */
struct query kit_query(const struct instrumentation *in, __s64 n_slots, size_t n_cols);

struct event {
	__s64 slot;
	unsigned key, axis;
	__u64 value;
};

/* Makes n events of eight keys, of axis 0, in so many slots from T0 on. */
void kit_events(struct event *e, size_t n, __s64 n_slots);

/* Appends the labels of that key to `out`. */
void kit_key(unsigned key, struct bytes *out);

/* Gives n events with the same slot, key and axis as one slice. */
void kit_give(const struct store_reader *r, const struct event *e, size_t n, __u64 ruler);

/* Gives one event, with its weight. */
void kit_give_weight(const struct store_reader *r, const struct event *e, unsigned weight, __u64 heavy, __u64 ruler);

#endif
