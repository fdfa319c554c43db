/* reply.h - reads requests and sends replies for all resources under /ca: JSON, or an error with a sentence.
 *
 * Errors  -EINVAL, and -ENOSPC with a reason: 409; -ENOENT: 404; -EPROTONOSUPPORT: 415; -ESHUTDOWN, -ENOMEM, -ENOSPC:
 *         503; any other: 500.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_API_REPLY_H
#define HEATSCOPE_API_REPLY_H

#include "aggregator/http/input.h"

/* Takes the reference.  location: a header; NULL: none. */
void reply_json(struct http_request *r, unsigned status, json_t *json, const char *location);

/* reason: a better sentence than the code's; NULL or "": none. */
void reply_error(struct http_request *r, int err, const char *reason);

/* Is a store_queue_done: replies 204, or the error. */
void reply_gone(void *request, int err);

/* The first returns the input of the request, borrowed; the second returns it as an object (input_object()). */
struct raw_input reply_input(const struct http_request *r);
int reply_object(const struct http_request *r, json_t **ret_object, char *reason);

#endif
