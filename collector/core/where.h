/* where.h - turns a predicate as people write it into the JSON of the interface.
 *
 *      statement = select and (latency > 10ms or blocked >= 1.5 ms)
 *      -> {"and": [{"eq": ["statement", "select"]}, {"or": [{"gt": ["latency", 10000000]}, ...]}]}
 *
 * Grammar field op value, joined by `and`, `or` and parentheses; `and` binds closer.  op is one of = != < <= > >=. A
 *         value is a word or a quoted text.  Quote it if it contains blanks or any of ()=!<>"', or if it is `and` or
 *         `or`.  '...' is taken literally, "..." as in JSON.
 * Units   those of amount.h: a time or a size needs one, unless it is 0.  Decimals are exact.
 * Title   the output of predicate_title() gives the same predicate again, except {} inside it ("anything").
 * Errors  -EINVAL with one sentence in `reason` that says where, counted in characters from 1.
 */
#ifndef HEATSCOPE_WHERE_H
#define HEATSCOPE_WHERE_H

#include <jansson.h>

#define WHERE_REASON 256

struct where_fields {
	/* Returns the type of a field as in /ca: "string", "time", "size", ...; NULL: there is no such field. */
	const char *(*type)(void *arg, const char *field);
	void *arg;
};

int where_parse(const char *text, const struct where_fields *fields, json_t **ret_predicate, char reason[WHERE_REASON]);

#endif
