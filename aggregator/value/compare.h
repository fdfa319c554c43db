/* compare.h - compare: two values of one shape beside each other, from request to reply.
 *
 *      A: the request's parameters      B: the same, but for those that begin with b_
 *      B is made first --rows--> A --difference.h--> JSON and one sentence, or a page (compare.h)
 *
 * B       b_measure, b_selected and b_exclude take the place of A's; b_instrumentation: another one, of any metric whose measure has
 *         the same unit; b_start_time: another time, as long as A's.  Columns are aligned by their offset from the start.
 * Tiers   Both are read in columns of one length, so in those of the coarser tier where A is kept finer than B.
 * Thread  as value.h says: value_compare_reach() and make_compare() (reply.h) are the worker's, the rest the loop's.
 */
#ifndef HEATSCOPE_VALUE_COMPARE_H
#define HEATSCOPE_VALUE_COMPARE_H

#include "aggregator/value/value.h"

bool value_is_compared(const struct value *v);	/* A or B */
size_t value_compare_columns(const struct value *v);

/* B's parameters, out of A's; returns how many.  Names and values are borrowed. */
size_t value_compare_params(const struct http_param *param, size_t n, struct http_param *ret_own);

/* B's interval, from A's.  ci NULL: there is no such instrumentation.  -EINVAL with the reason. */
int value_compare_interval(const struct value *v, const struct catalog_inst *ci, struct payload_head *ret_at, char *reason);

/* Are both planned alike?  If not, it asks for a common granularity and aligned intervals: plan again. */
bool value_compare_settle(struct value *v);

/* Can A's and B's measures be compared?  -EINVAL with the reason. */
int value_compare_check(const struct value *v, char *reason);

/* A's rows are to hold B's. */
void value_compare_reach(struct value *v);

#endif
