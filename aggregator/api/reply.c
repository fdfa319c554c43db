#include "aggregator/api/reply.h"

#include "aggregator/store/store_queue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void reply_json(struct http_request *r, unsigned status, json_t *json, const char *location)
{
	char *text = json ? json_dumps(json, JSON_ENSURE_ASCII) : NULL, *line = NULL;
	int len = text ? asprintf(&line, "%s\n", text) : -1;

	free(text);
	json_decref(json);
	if (len < 0)
		http_error(r, 503, "ECA_NORESOURCE", "out of memory");
	else
		http_reply(r, status, "application/json", line, (size_t)len, location);
}

#define AGAIN_S 6			/* then another one leads */

/* A limit of ours is the request's fault and has a reason; otherwise the store is full. */
static void reply_no_room(struct http_request *r, const char *reason)
{
	if (reason && *reason)
		http_error(r, 409, "ECA_INVAL", reason);
	else
		http_error(r, 503, "ECA_NORESOURCE", "it could not be stored: the disk, or the store's limit, is full");
}

void reply_error(struct http_request *r, int err, const char *reason)
{
	switch (err) {
	case -EINVAL: http_error(r, 409, "ECA_INVAL", reason && *reason ? reason : "not valid"); break;
	case -ENOSPC: reply_no_room(r, reason); break;
	case -EPROTONOSUPPORT: http_error(r, 415, "ECA_INVAL", reason); break;
	case -ENOENT: http_error(r, 404, "ECA_NOENT", reason && *reason ? reason : "there is no such instrumentation"); break;
	case -ESHUTDOWN: http_error(r, 503, "ECA_NORESOURCE", "shutting down"); break;
	case -EREMOTE:
		http_busy(r, AGAIN_S, STORE_QUEUE_REFUSED ", and has changed nothing: try again in some seconds");
		break;
	case -EAGAIN: http_error(r, 503, "ECA_NORESOURCE", STORE_AWAY); break;
	case -ENOMEM: http_error(r, 503, "ECA_NORESOURCE", "out of memory"); break;
	default: http_error(r, 500, "ECA_IO", reason && *reason ? reason : strerror(-err));
	}
}

struct raw_input reply_input(const struct http_request *r)
{
	struct raw_input raw = { .type = http_header(r, "Content-Type") };

	raw.query = http_params(r, &raw.n_query);
	raw.body = http_body(r, &raw.body_len);
	return raw;
}

int reply_object(const struct http_request *r, json_t **ret_object, char *reason)
{
	const struct raw_input raw = reply_input(r);

	return input_object(&raw, NULL, ret_object, reason);
}

void reply_gone(void *request, int err)
{
	if (err)
		reply_error(request, err, NULL);
	else
		http_reply(request, 204, NULL, NULL, 0, NULL);
}
