/* parse.h - reads an expression of PromQL, or a selector.
 *
 *      "sum by (le) (rate(x_bucket[1m]))"  --expression_parse()-->  a tree (expression.h)
 *
 * Errors  -EINVAL with a sentence in `reason` (REASON_MAX bytes) that begins with the place, as LINE:CHARACTER, and names what
 *         is not supported; -ENOMEM.
 * Bounds  PARSE_TEXT_MAX bytes; PARSE_PARTS_MAX numbers, functions and signs before them, among which PARSE_LEAVES_MAX
 *         selectors; PARSE_DEPTH_MAX levels of parentheses, which is more than the text of such a tree has.
 * Pure    no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_PROMQL_PARSE_H
#define HEATSCOPE_PROMQL_PARSE_H

#include "aggregator/promql/expression.h"

#define PARSE_TEXT_MAX 16384
#define PARSE_PARTS_MAX 50
#define PARSE_DEPTH_MAX 250
#define PARSE_LEAVES_MAX 16

int expression_parse(const char *text, struct expression **ret_expression, char *reason);

/* Reads a selector without a range, as in match[]. */
int selector_parse(const char *text, struct selector *ret_selector, char *reason);

#endif
