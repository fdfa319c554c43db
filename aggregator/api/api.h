/* api.h - serves the resources under /ca (doc/api.md), /metrics and /api/v1 (promql.h): it turns requests into queries, and results into replies.
 *
 *      path, parameters --params.h--> query --fold--> grid, totals --json | picture--> reply
 *               the cube answers on the loop; the store, and pictures, on a worker
 *
 * Errors  every refusal is {"error": {"code", "message"}}, with a sentence that says what is wrong.
 * Thread  the loop thread only; workers make the values.
 */
#ifndef HEATSCOPE_API_H
#define HEATSCOPE_API_H

#include "aggregator/export/metrics.h"
#include "aggregator/http/http.h"

#include <jansson.h>

struct alerts;
struct services;
struct worksheets;

struct api;				/* its fields are in api.c */

struct api_parts {			/* the parts it works with; all outlive it */
	struct services *services;
	struct alerts *alerts;
	struct worksheets *worksheets;
	struct http_held *held;		/* bytes that wait for the clients of all servers */
	json_t *(*status)(const void *arg);	/* makes /ca/admin/status: a new reference; NULL: no memory */
	const void *status_arg;
	struct metrics_parts metrics;
	/* Another heatscoped of our group may lead.  Takes the requests that only the leader can answer, and replies;
	 * false: we lead, and answer it.  NULL: no group. */
	bool (*forward)(void *arg, struct http_request *r);
	void *forward_arg;
};

/* The routes; doc/openapi.json names exactly these. */
struct api_route {
	const char *method;
	const char *path;		/* after /ca/; ":id" is an instrumentation's id, ":annotation" an
					 * annotation's, ":alert" an alert's */
	bool is_value;			/* it takes the parameters of params.h, */
	int kind;			/* and is of this enum value_kind_id */
};
const struct api_route *api_route(size_t index);	/* NULL: past the last */

int api_new(const struct api_parts *parts, struct api **ret_api);
void api_close(struct api *api);	/* answers at once the requests that wait for sources; NULL is fine */
void api_free(struct api *api);		/* NULL is fine; the loop has run out */

size_t api_active_bytes(const struct api *api);	/* bytes that streams of active events keep */

/* An http_handler; its argument is the api. */
void api_handle(void *api, struct http_request *r);

#endif
