/* Asks the handler without a connection: for requests that another heatscoped got and has checked. */
#include "aggregator/http/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct http_inner {			/* of a request without a connection */
	http_called done;
	void *arg;
	size_t n_headers;
	struct http_param *header;
};

static void free_params(struct http_param *param, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free((char *)param[i].name);
		free((char *)param[i].value);
	}
}

static void call_free(struct http_request *r)
{
	struct http_inner *inner = r->inner;

	free_params(inner->header, inner->n_headers);
	free_params(r->param, r->n_params);
	free(inner->header);
	free(inner);
	free((char *)r->method);
	free(r->path);
	free(r->body);
	free(r);
}

const char *http_inner_header(const struct http_inner *inner, const char *name)
{
	for (size_t i = 0; i < inner->n_headers; i++)
		if (!strcasecmp(inner->header[i].name, name))
			return inner->header[i].value;
	return "";
}

void http_inner_reply(struct http_request *r, const struct http_answer *answer)
{
	struct http *h = r->http;

	h->n_pending--;
	r->inner->done(r->inner->arg, answer);
	call_free(r);
	http_kick(h);			/* it may be closing, and waits for this */
}

/* Returns how many could be copied. */
static size_t copy_params(struct http_param *to, const struct http_param *from, size_t n)
{
	size_t i = 0;

	for (; i < n; i++) {
		to[i] = (struct http_param){ strdup(from[i].name), strdup(from[i].value) };
		if (to[i].name && to[i].value)
			continue;
		free_params(&to[i], 1);
		break;
	}
	return i;
}

static int fill(struct http_request *r, const struct http_call *call)
{
	r->method = strdup(call->method);
	r->path = strdup(call->path);
	r->body = malloc(call->len + 1);
	r->inner->header = calloc(call->n_headers + 1, sizeof(*r->inner->header));
	if (!r->method || !r->path || !r->body || !r->inner->header)
		return -ENOMEM;
	memcpy(r->body, call->body, call->len);
	r->body[call->len] = 0;
	r->body_len = call->len;
	r->n_params = copy_params(r->param, call->param, call->n_params);
	r->inner->n_headers = copy_params(r->inner->header, call->header, call->n_headers);
	return r->n_params == call->n_params && r->inner->n_headers == call->n_headers ? 0 : -ENOMEM;
}

int http_call(struct http *h, const struct http_call *call, http_called done, void *arg)
{
	struct http_request *r;

	if (h->closing)
		return -ESHUTDOWN;
	if (call->n_params > HTTP_PARAMS_MAX || call->len > HTTP_BODY_MAX || !guard_is_api(call->path))
		return -EINVAL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->http = h;
	r->inner = calloc(1, sizeof(*r->inner));
	if (!r->inner) {
		free(r);
		return -ENOMEM;
	}
	r->inner->done = done;
	r->inner->arg = arg;
	if (fill(r, call)) {
		call_free(r);
		return -ENOMEM;
	}
	h->n_pending++;
	h->counters.requests++;
	h->handler(h->arg, r);
	return 0;
}
