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

#include "http.h"

struct aggregator;
struct api;				/* its fields are in api.c */

/* What there is: doc/openapi.json names exactly these. */
struct api_route {
	const char *method;
	const char *path;		/* after /ca/; ":id" is an instrumentation's, ":annotation" and ":alert" those' ids */
	bool is_value;			/* it has the parameters of params.h, */
	int kind;			/* of this enum value_kind */
};
const struct api_route *api_route(size_t index);	/* NULL: past the last */

int api_new(struct aggregator *a, struct api **ret_api);
void api_close(struct api *api);	/* requests that wait for sources are answered now; NULL is fine */
void api_free(struct api *api);		/* NULL is fine; the loop has run out */

/* An http_handler, with the api as its argument. */
void api_handle(void *api, struct http_request *r);

#endif
