/* http_client.h - makes HTTP requests by libcurl on the loop: one try each, and never blocks.
 *
 *      http_client_post(url, headers, body) --> call --done()--> answer: its status, or why none came
 *
 * Redirects  are not followed: they may lead to a place that the user did not choose.
 * Links      It connects to no link-local address (endpoint_is_link_local()), even if a name leads there, unless the
 *            post allows it.
 * Proxies    are not used, not even those of the environment.
 * Names      A thread of libcurl's looks them up.
 * Reasons    are ASCII, and contain neither the URL nor its host, which may be secrets.
 * Thread     the loop thread only.
 */
#ifndef HEATSCOPE_HTTP_CLIENT_H
#define HEATSCOPE_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#define HTTP_CLIENT_REASON_MAX 160

struct http_client;			/* both are in http_client.c */
struct http_client_call;

struct http_client_post {
	const char *url;		/* http or https */
	const char *const *header;	/* "Name: value", a list that ends with NULL; copied */
	const void *body;		/* borrowed until done() or http_client_cancel() */
	size_t len;
	unsigned timeout_ms;
	bool link_local;		/* may connect to link-local addresses */
	size_t answer_max;		/* so many bytes of the answer's body are kept */
};

struct http_client_answer {
	long status;			/* of the answer; 0: none came, and `reason` says why */
	bool may_change, is_refused;	/* status 0: another try may have another result; it leads to a link-local address */
	char reason[HTTP_CLIENT_REASON_MAX];
	long retry_after_s;		/* the server asks for this pause; 0: it does not */
	const char *type;		/* Content-Type; "": none */
	const void *body;
	size_t len;
};

/* The answer and what it points to are valid during this call, which must not close the client. */
typedef void (*http_client_done)(void *arg, const struct http_client_answer *answer);

int http_client_new(uv_loop_t *loop, struct http_client **ret_client);

/* Calls done() once, later; not after an error (-ENOMEM), nor after http_client_cancel(). */
int http_client_post(struct http_client *c, const struct http_client_post *post, http_client_done done, void *arg,
		     struct http_client_call **ret_call);
void http_client_cancel(struct http_client_call *call);		/* NULL is fine */

/* Call it when no call is left.  Its memory is freed when its handles are closed.  NULL is fine. */
void http_client_close(struct http_client *c);

#endif
