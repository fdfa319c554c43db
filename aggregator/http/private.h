/* private.h - declares what the files of http/ share: http.c (the server and its requests), reply.c and stream.c. */
#ifndef HEATSCOPE_HTTP_PRIVATE_H
#define HEATSCOPE_HTTP_PRIVATE_H

#include "aggregator/http/http.h"

#include <microhttpd.h>

struct http {
	uv_loop_t *loop;
	uv_poll_t poll;
	uv_timer_t timer;
	int n_handles;
	struct MHD_Daemon *daemon;
	char *page;
	struct guard guard;
	bool closing, stopped;
	size_t n_pending;		/* requests without a reply yet */
	struct http_held *held, own_held;
	struct http_counters counters;
	http_handler handler;
	void *arg;
};

struct http_inner;			/* in call.c */

struct http_request {
	struct http *http;
	struct MHD_Connection *connection;	/* NULL: `inner` has it, */
	struct http_inner *inner;		/* from http_call(); NULL: it came by a connection */
	char *path;
	const char *method;
	struct http_param param[HTTP_PARAMS_MAX];
	size_t n_params, body_len, body_seen;
	char *body;
	const char *framing_error;		/* why its end or its host is ambiguous; NULL: it is not */
	bool asked;			/* the handler has been called */
	bool asleep;			/* suspended until the reply */
	unsigned status;
	struct MHD_Response *response;	/* waiting to be queued */
	size_t held;			/* bytes of the answer, until the client has taken them */
};

void http_kick(struct http *h);		/* libmicrohttpd will look at its connections soon, but not from within
					 * itself */

/* Gives the reply to libmicrohttpd, which frees it, and counts it.  response NULL: closes the connection. */
void http_take(struct http_request *r, unsigned status, struct MHD_Response *response);

/* Of a request from http_call(): gives the answer, and frees the request. */
void http_inner_reply(struct http_request *r, const struct http_answer *answer);
const char *http_inner_header(const struct http_inner *inner, const char *name);	/* "": none */

/* Adds the headers of every reply.  type NULL: no body. */
void http_head(struct MHD_Response *response, const char *type, const char *cache);

/* Ends all streams of the server. */
void http_streams_end(struct http *h);

/* Replies with a file of the page. */
void http_reply_page(struct http_request *r);

#endif
