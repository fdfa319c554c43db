/* predicate.h - puts the predicate that the user typed into the body of a request.
 *
 *      --where 'latency > 1ms and database = shop' -> "predicate": {"and": [{"gt": ["latency", 1000000]}, ...]}
 *      --predicate '{"eq": ["command", "query"]}'  -> "predicate": "{\"eq\": [\"command\", \"query\"]}"
 *
 * The text of --predicate goes into the body as a JSON string, and heatscoped reads it.  For --where, the catalogue of
 * heatscoped says which type a field has.
 */
#ifndef HEATSCOPE_BASE_PREDICATE_H
#define HEATSCOPE_BASE_PREDICATE_H

#include "ui/cli/base/client.h"

/* Adds the member "predicate" to body.  At most one of where and predicate is not NULL; if both are NULL, body stays as
 * it is.  metric: such as "mysql.queries".  Errors: those of client_json(), and -EINVAL for a wrong text; c->reason
 * says why. */
int predicate_put(struct client *c, const char *metric, const char *where, const char *predicate, json_t *body);

#endif
