/* predicate.h - puts the predicate that the user has typed into a request.
 *
 *      --where 'latency > 1ms and database = shop' -> {"and": [{"gt": ["latency", 1000000]}, ...]}
 *      --predicate '{"eq": ["command", "query"]}'  -> as it is
 *
 * The fields and their types come from the daemon's catalogue.
 */
#ifndef HEATSCOPE_CLI_PREDICATE_H
#define HEATSCOPE_CLI_PREDICATE_H

#include "ui/cli/base/client.h"

/* Adds a member "predicate" to body, the caller's request.  where, predicate: at most one; NULL, NULL: adds none.  metric:
 * "mysql.queries".  Errors: those of client_json(), and -EINVAL for a wrong text; c->reason says why. */
int predicate_put(struct client *c, const char *metric, const char *where, const char *predicate, json_t *body);

#endif
