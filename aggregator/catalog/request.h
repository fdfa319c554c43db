/* request.h - what somebody asks to be measured -> an instrumentation, or a sentence why not.
 *
 *      {"module", "stat", "decomposition", ...}  as in doc/api.md  ->  struct instrumentation, bound
 *
 * Shape   from a query string all values are texts, so numbers may be texts, and lists comma-separated texts, or arrays
 *         of such texts.  Whole numbers with decimals are cut.  What is not settable (id, crtime, ...) is ignored, what
 *         an instrumentation does not have is refused.
 * Errors  -EINVAL with the reason (REASON_MAX bytes), in Cloud Analytics' words.
 * Pure    no store, loop or clock.
 */
#ifndef HEATSCOPE_REQUEST_H
#define HEATSCOPE_REQUEST_H

#include "collector/core/instrumentation.h"

/* The fields that are lists: a query string or a form may name them more than once.  Ends with NULL. */
extern const char *const request_lists[];

int request_metric(const json_t *request, const char **ret_module, const char **ret_stat, char *reason);

/* numeric: the numeric field of the decomposition, "" if none.  Id and crtime stay 0. */
int request_parse(const json_t *request, const struct metric *m, struct instrumentation *ret_in,
		  char ret_numeric[NAME_MAX_LEN], char *reason);

/* The request that would make such a one: a clone is this, updated by what shall be different. */
json_t *request_of(const struct instrumentation *in, const char *numeric);	/* NULL: no memory */

/* `where` is another way to say `predicate`.  Not 0: no object. */
int request_update(json_t *request, const json_t *changes);

/* An instrumentation as it becomes by a request that names properties: retention-time, idle-max and
 * enabled may change, the others may be named as they are. */
int request_change(const json_t *changes, const struct instrumentation *in, const char *numeric,
		   const struct metric *m, struct instrumentation *ret_in, char *reason);

#endif
