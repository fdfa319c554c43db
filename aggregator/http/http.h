/* http.h - serves HTTP/1.1 on the loop: requests, replies (at once or later), streams, the page's files.
 *
 *      socket -> libmicrohttpd (epoll, no thread) -> checks -> files | handler -> reply, stream
 *                      ^--- uv_poll, uv_timer                       (connection sleeps meanwhile)
 *
 * Memory  at most HTTP_HELD_MAX bytes wait for clients (stream.c).  Beyond it the slowest stream is ended with
 *         `event: dropped`, and a long reply becomes 503.  A client that takes nothing for HTTP_IDLE_S is cut off.
 * Checks  guard.h's: 403 for a foreign Host or Origin, 401 for a missing or wrong token.  413 for a body over
 *         HTTP_BODY_MAX.  400, and the connection is closed, if the end of a request or its host is ambiguous.
 * Replies exactly one per request: http_reply(), http_drop() or http_stream(), in the handler or later.  After it the
 *         request is gone.
 * Close   http_close() stops listening and ends all streams.  When the last request has got its reply, the handles
 *         close, and their callbacks free the memory.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_HTTP_H
#define HEATSCOPE_HTTP_H

#include "aggregator/http/guard.h"

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#define HTTP_BODY_MAX (64u << 10)
#define HTTP_PARAMS_MAX 64
#define HTTP_STATUSES 600
#define HTTP_IDLE_S 30			/* a silent connection is closed */
#define HTTP_HELD_MAX (128u << 20)	/* bytes that clients have not taken, of all servers that share a struct
					 * http_held */
#define HTTP_ALWAYS (64u << 10)		/* an answer of at most so many bytes is always sent */
#define HTTP_CONNECTIONS_MAX 512	/* at a time: half of the usual 1024 files; ingest and store need the rest */

struct http;
struct http_request;
struct http_stream;

struct http_param {			/* of the query string, decoded */
	const char *name, *value;	/* value "" if it is absent */
};

typedef void (*http_handler)(void *arg, struct http_request *r);

/* Counts the bytes that clients have not taken yet.  Each part that makes data for clients adds their bytes, and
 * subtracts them when the client has taken them. */
struct http_held {			/* zeroed: none */
	size_t bytes;
	struct http_stream *streams;
};

/* Returns true if so many more bytes may wait for clients.  To make space, it ends streams, with an event that says so:
 * first the stream whose client has taken nothing for the longest time. */
bool http_held_fits(struct http_held *held, size_t more);

struct http_conf {
	const char *page;		/* directory of the page's files; NULL: none */
	const struct token *token;	/* NULL: none; may change while it serves */
	const struct tls *tls;		/* NULL: plain HTTP */
	struct http_held *held;		/* shared by servers; NULL: its own */
};

/* Listens on fd (the server owns it from then on).  The handler gets every request under /ca and /api/v1, and of /metrics, that the guard allows;
 * the others read the page's files.  conf is copied, but not what it points to. */
int http_new(uv_loop_t *loop, int fd, const struct http_conf *conf, http_handler handler, void *arg,
	     struct http **ret_http);

void http_close(struct http *h);	/* NULL is fine */

struct http_counters {
	unsigned long long requests, refused, streams, by_class[6];	/* by_class[4]: 4xx */
	unsigned long long busy, hung_up, dropped;	/* http_busy(); http_drop(); streams that were too slow */
	unsigned long long by_status[HTTP_STATUSES];
};
const struct http_counters *http_counters(const struct http *h);

/* A request that another heatscoped got, and has checked: the handler gets it as any other.  A reply that is a stream
 * becomes 409. */
struct http_call {			/* copied */
	const char *method, *path;	/* under /ca or /api/v1 */
	const struct http_param *param, *header;
	size_t n_params, n_headers;
	const void *body;
	size_t len;
};
struct http_answer {			/* valid during done() */
	unsigned status;
	const char *type, *location;	/* NULL: none */
	const void *data;
	size_t len;
};
typedef void (*http_called)(void *arg, const struct http_answer *answer);

/* Returns 0 and calls done() once, now or later; -EINVAL: no such path, or it is too long; -ESHUTDOWN, -ENOMEM. */
int http_call(struct http *h, const struct http_call *call, http_called done, void *arg);

/* The parts of a request; valid until the reply. */
const char *http_method(const struct http_request *r);		/* HEAD reads as GET */
const char *http_path(const struct http_request *r);
const struct http_param *http_params(const struct http_request *r, size_t *ret_n);
const char *http_header(const struct http_request *r, const char *name);	/* "": none */
const char *http_body(const struct http_request *r, size_t *ret_len);

/* Takes data (malloc'ed; NULL: no body).  Sends 503 with Retry-After instead if too many bytes wait for clients.
 * location: a header; NULL: none. */
void http_reply(struct http_request *r, unsigned status, const char *type, void *data, size_t len,
		const char *location);

/* Replies {"error": {"code", "message"}}. */
void http_error(struct http_request *r, unsigned status, const char *code, const char *message);

/* Replies 503 with Retry-After: too much is being done already. */
void http_busy(struct http_request *r, unsigned retry_s, const char *message);

/* Has the client hung up?  A client that only shuts down its sending side counts, too. */
bool http_is_gone(const struct http_request *r);
void http_drop(struct http_request *r);		/* closes the connection of a request without a reply, and counts
						 * it */

/* Server-sent events.  gone() is called once, when the client has left or http_close() was called, or after
 * http_stream_end(); do not touch the stream after that. */
/* NULL: no memory; replied 503 */
struct http_stream *http_stream(struct http_request *r, void (*gone)(void *arg), void *arg);
void http_stream_put(struct http_stream *s, const char *text, size_t len);	/* whole events and comments */
size_t http_stream_waiting(const struct http_stream *s);	/* bytes that the client has not taken yet */
void http_stream_end(struct http_stream *s);			/* ends it after the waiting bytes have been taken */

#endif
