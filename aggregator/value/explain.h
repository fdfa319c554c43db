/* explain.h - explain: what sets a rectangle of time and value apart from the rest, from request to reply.
 *
 *      interval, ymin, ymax, baseline --> which slots of which tier, in blocks --> region.h --> JSON and one sentence
 *
 * Tiers   The blocks are what tells how much counts vary by themselves, so there must be some: whole hours are
 *         read as hours, and whole minutes as minutes, only where at least EXPLAIN_BLOCKS of them are in the time.
 * Source  The cube has slots only: where minutes are read, and with a baseline, it is the store.
 * Errors  0 or -errno; with -EINVAL `reason` (PARAMS_REASON_MAX bytes) is the message for /ca.
 * Thread  as value.h says.
 */
#ifndef HEATSCOPE_VALUE_EXPLAIN_H
#define HEATSCOPE_VALUE_EXPLAIN_H

#include "aggregator/query/region.h"
#include "aggregator/value/value.h"

#define EXPLAIN_BLOCKS 12
#define EXPLAIN_PIECES 3		/* the time, the baseline before it, and after it */

struct explain {
	struct query query;		/* of the time */
	struct region *region;
	struct plan piece[EXPLAIN_PIECES];
	size_t n_pieces;
	bool has_baseline;
	struct interval_ns baseline;
	struct query baseline_query;
	int baseline_kept;		/* the finest tier that still has its beginning */
	struct fold *baseline_fold;	/* its coverage and losses */
};

/* To a value of that kind; does nothing to others.  -EINVAL with the reason, -ENOMEM. */
int value_explain_add(struct value *v, const struct catalog_inst *ci, int axis, char *reason);
void value_explain_free(struct explain *e);	/* NULL is fine */

void value_explain_slice(struct value *v, __s64 slot, const struct slice *s);
void value_explain_lose(struct value *v, const struct loss *loss);	/* of the baseline: what is damaged */
int value_explain_error(struct value *v);	/* the first while slices came in; says more in v->reason */

/* Long times are read as minutes, which the cube does not have; a baseline may be older than it. */
bool value_explain_wants_store(const struct value *v);

/* The baseline's coverage, losses and marks. */
int value_explain_read(struct value *v, struct store *store);

#endif
