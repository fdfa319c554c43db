/* api.h - the resources under /ca, as in doc/api.md: requests become queries, and those replies.
 *
 *      path, parameters --params.h--> query --fold--> grid, totals --json | picture--> reply
 *               the cube answers on the loop; the store, and pictures, on a worker
 *
 * Errors  every refusal is {"error": {"code", "message"}} with a sentence that says what is wrong.
 * Thread  the loop thread only; workers get values and give values.
 */
#ifndef HEATSCOPE_API_H
#define HEATSCOPE_API_H

#include "aggregator/http/http.h"

#include <jansson.h>

struct alerts;
struct services;
struct worksheets;

struct api;				/* its fields are in api.c */

struct api_parts {			/* what it serves; all outlive it */
	struct services *services;
	struct alerts *alerts;
	struct worksheets *worksheets;
	struct http_held *held;		/* what readers of all servers hold */
	json_t *(*status)(const void *arg);	/* of /ca/admin/status: a new reference; NULL: no memory */
	const void *status_arg;
};

/* What there is: doc/openapi.json names exactly these. */
struct api_route {
	const char *method;
	const char *path;		/* after /ca/; ":id" is an instrumentation's, ":annotation" and ":alert" those' ids */
	bool is_value;			/* it has the parameters of params.h, */
	int kind;			/* of this enum value_kind_id */
};
const struct api_route *api_route(size_t index);	/* NULL: past the last */

int api_new(const struct api_parts *parts, struct api **ret_api);
void api_close(struct api *api);	/* requests that wait for sources are answered now; NULL is fine */
void api_free(struct api *api);		/* NULL is fine; the loop has run out */

size_t api_active_bytes(const struct api *api);	/* what streams keep of what was under way at once */

/* An http_handler, with the api as its argument. */
void api_handle(void *api, struct http_request *r);

#endif
