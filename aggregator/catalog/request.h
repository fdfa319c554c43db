/* request.h - turns a request to measure something into an instrumentation, or refuses it with a sentence.
 *
 *      {"module", "stat", "decomposition", ...}  as in doc/api.md  ->  struct instrumentation, bound
 *
 * Shape   A query string has only texts.  So a number may be a text, and a list may be a text with commas, or an array
 *         of such texts.  Decimals of whole numbers are cut off.  Read-only properties (id, crtime, ...) are ignored;
 *         unknown properties are refused.
 * Errors  -EINVAL with a sentence in `reason` (REASON_MAX bytes), in Cloud Analytics' words.
 * Pure    no store, loop or clock.
 */
#ifndef HEATSCOPE_REQUEST_H
#define HEATSCOPE_REQUEST_H

#include "collector/core/instrumentation.h"

/* The fields that are lists: a query string or a form may name them more than once.  Ends with NULL. */
extern const char *const request_lists[];

int request_metric(const json_t *request, const char **ret_module, const char **ret_stat, char *reason);

/* numeric: the numeric field of the decomposition; "": none.  Id and crtime stay 0. */
int request_parse(const json_t *request, const struct metric *m, struct instrumentation *ret_in,
		  char ret_numeric[NAME_MAX_LEN], char *reason);

/* Returns the request that would make this instrumentation.  A clone is this request, updated with the properties that
 * differ. */
json_t *request_of(const struct instrumentation *in, const char *numeric);	/* NULL: no memory */

/* Updates a request; `where` is another way to say `predicate`.  Not 0: not an object. */
int request_update(json_t *request, const json_t *changes);

/* Applies a request that names properties to an instrumentation: retention-time, idle-max and
 * enabled may change; the others may only have their present value. */
int request_change(const json_t *changes, const struct instrumentation *in, const char *numeric,
		   const struct metric *m, struct instrumentation *ret_in, char *reason);

#endif
