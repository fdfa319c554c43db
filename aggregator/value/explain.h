/* explain.h - makes the value `explain`: the differences between a rectangle of time and value and the rest.
 *
 *      interval, ymin, ymax, baseline --> which slots of which tier, in blocks --> region.h --> JSON and one sentence
 *
 * Tiers   The blocks show how much counts vary by themselves, so there must be several.  Whole hours are read as hours,
 *         and whole minutes as minutes, only if the time contains at least EXPLAIN_BLOCKS of them.
 * Source  The cube has only slots.  If minutes are read, or with a baseline, all is read from the store.
 * Thread  as value.h says.
 */
#ifndef HEATSCOPE_VALUE_EXPLAIN_H
#define HEATSCOPE_VALUE_EXPLAIN_H

#include "aggregator/query/region.h"
#include "aggregator/value/composition.h"
#include "aggregator/value/in_flight.h"

#define EXPLAIN_BLOCKS 12
#define EXPLAIN_PIECES 3		/* the time, the baseline before it, and after it */

struct explain {
	struct value v;
	struct query query;		/* of the time */
	struct region *region;
	struct plan piece[EXPLAIN_PIECES];
	size_t n_pieces;
	bool has_baseline;
	struct interval_ns baseline;
	struct query baseline_query;
	int baseline_kept;		/* the finest tier that still has its beginning */
	struct fold *baseline_fold;	/* takes its coverage and losses */
	struct in_flight *running;	/* the running events, by key; NULL: not measured */
	struct composed_folds composed;
};

/* Returns the first error of its takers, and sets v->reason if the error needs a sentence. */
int explain_error(struct explain *e);

/* Fills the value's data, in explain_reply.c. */
int explain_make(struct value *v);

#endif
