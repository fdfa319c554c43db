#include "aggregator/base/http_client.h"

#include "aggregator/base/endpoint.h"
#include "collector/core/bytes.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct http_client {
	uv_loop_t *loop;
	CURLM *multi;
	uv_timer_t timer;		/* libcurl's */
	size_t n_handles;
	bool is_closing;
};

struct http_client_call {
	struct http_client *client;
	CURL *easy;
	struct curl_slist *headers;
	struct bytes body;		/* of the answer */
	size_t answer_max;
	bool link_local, is_refused, is_cut;	/* refused: it leads to a link-local address; cut: the answer is longer than answer_max */
	http_client_done done;
	void *arg;
};

struct socket_watch {			/* a socket of libcurl's */
	uv_poll_t poll;
	struct http_client *client;
	curl_socket_t fd;
};

static void handle_closed(struct http_client *c)
{
	if (--c->n_handles)
		return;
	free(c);
	curl_global_cleanup();
}

static void call_free(struct http_client_call *call)
{
	curl_easy_cleanup(call->easy);
	curl_slist_free_all(call->headers);
	bytes_fini(&call->body);
	free(call);
}

/* ---- the answer ---- */

static bool may_change(const struct http_client_call *call, CURLcode code)
{
	switch (code) {
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_PEER_FAILED_VERIFICATION:	/* the server's certificate; */
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_INVALIDCERTSTATUS:
	case CURLE_SSL_CACERT_BADFILE:		/* the system's certificates */
		return false;
	default: return !call->is_refused;
	}
}

/* libcurl's own message for the try names the host. */
static void say_reason(const struct http_client_call *call, CURLcode code, char reason[HTTP_CLIENT_REASON_MAX])
{
	long number = 0;

	curl_easy_getinfo(call->easy, CURLINFO_OS_ERRNO, &number);
	if (call->is_refused)
		snprintf(reason, HTTP_CLIENT_REASON_MAX, "it leads to a link-local address");
	else
		snprintf(reason, HTTP_CLIENT_REASON_MAX, "%s%s%s", curl_easy_strerror(code), number ? ": " : "",
			 number ? strerror((int)number) : "");
}

static void call_end(struct http_client_call *call, CURLcode code)
{
	struct http_client_answer a = { .is_refused = call->is_refused, .body = call->body.data, .len = call->body.len };
	curl_off_t pause_s = 0;
	const char *type = NULL;

	curl_multi_remove_handle(call->client->multi, call->easy);
	if (code == CURLE_WRITE_ERROR && call->is_cut)
		code = CURLE_OK;
	if (code == CURLE_OK)
		curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &a.status);
	if (!a.status) {
		a.may_change = may_change(call, code);
		say_reason(call, code, a.reason);
	}
	curl_easy_getinfo(call->easy, CURLINFO_CONTENT_TYPE, &type);
	curl_easy_getinfo(call->easy, CURLINFO_RETRY_AFTER, &pause_s);
	a.type = type ? type : "";
	a.retry_after_s = (long)pause_s;
	call->done(call->arg, &a);
	call_free(call);
}

/* ---- libcurl on the loop ---- */

static void check_finished(struct http_client *c)
{
	CURLMsg *message;
	struct http_client_call *call;
	int n;

	while ((message = curl_multi_info_read(c->multi, &n)))
		if (message->msg == CURLMSG_DONE) {
			CURLcode code = message->data.result;	/* the message is freed with the handle */

			curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &call);
			call_end(call, code);
		}
}

static void on_socket_ready(uv_poll_t *poll, int status, int events)
{
	struct socket_watch *w = poll->data;
	struct http_client *c = w->client;	/* this call may free the socket_watch */
	int what = (events & UV_READABLE ? CURL_CSELECT_IN : 0) | (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0), n;

	curl_multi_socket_action(c->multi, w->fd, status < 0 ? CURL_CSELECT_ERR : what, &n);
	check_finished(c);
}

static void on_watch_closed(uv_handle_t *poll)
{
	struct socket_watch *w = poll->data;
	struct http_client *c = w->client;

	free(w);
	handle_closed(c);
}

static struct socket_watch *watch_new(struct http_client *c, curl_socket_t fd)
{
	struct socket_watch *w = malloc(sizeof(*w));

	if (!w || uv_poll_init_socket(c->loop, &w->poll, fd)) {
		free(w);
		return NULL;
	}
	w->poll.data = w;
	w->client = c;
	w->fd = fd;
	c->n_handles++;
	curl_multi_assign(c->multi, fd, w);
	return w;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *its)
{
	struct socket_watch *w = its;

	if (what == CURL_POLL_REMOVE) {
		if (w)
			uv_close((uv_handle_t *)&w->poll, on_watch_closed);
		curl_multi_assign(((struct http_client *)arg)->multi, fd, NULL);
		return 0;
	}
	w = w ? w : watch_new(arg, fd);
	if (!w)
		return -1;
	return uv_poll_start(&w->poll, (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0), on_socket_ready) ? -1 : 0;
}

static void on_timer(uv_timer_t *timer)
{
	struct http_client *c = timer->data;
	int n;

	curl_multi_socket_action(c->multi, CURL_SOCKET_TIMEOUT, 0, &n);
	check_finished(c);
}

static int on_timeout(CURLM *multi, long ms, void *arg)
{
	struct http_client *c = arg;

	if (c->is_closing)
		return 0;
	return (ms < 0 ? uv_timer_stop(&c->timer) : uv_timer_start(&c->timer, on_timer, (uint64_t)ms, 0)) ? -1 : 0;
}

/* ---- posting ---- */

static size_t on_answer(char *data, size_t size, size_t n, void *arg)
{
	struct http_client_call *call = arg;

	call->is_cut = n > call->answer_max - call->body.len;
	bytes_put(&call->body, data, call->is_cut ? call->answer_max - call->body.len : n);
	return call->is_cut || call->body.err ? 0 : n;
}

/* Checks the address itself, so that no name, number or redirected name leads elsewhere. */
static curl_socket_t on_open(void *arg, curlsocktype purpose, struct curl_sockaddr *a)
{
	struct http_client_call *call = arg;

	if (!call->link_local && endpoint_is_link_local(&a->addr)) {
		call->is_refused = true;
		return CURL_SOCKET_BAD;
	}
	return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

static int add_header(struct http_client_call *call, const char *line)
{
	struct curl_slist *more = curl_slist_append(call->headers, line);

	if (!more)
		return -ENOMEM;
	call->headers = more;
	return 0;
}

static int set_request(struct http_client_call *call, const struct http_client_post *post)
{
	int err = add_header(call, "Expect:");	/* send bodies at once */

	for (const char *const *line = post->header; !err && line && *line; line++)
		err = add_header(call, *line);
	if (err || curl_easy_setopt(call->easy, CURLOPT_URL, post->url))
		return -ENOMEM;
	curl_easy_setopt(call->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(call->easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(call->easy, CURLOPT_PROXY, "");
	curl_easy_setopt(call->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(call->easy, CURLOPT_QUICK_EXIT, 1L);	/* do not wait for a name lookup at the end */
	curl_easy_setopt(call->easy, CURLOPT_TIMEOUT_MS, (long)post->timeout_ms);
	curl_easy_setopt(call->easy, CURLOPT_USERAGENT, "heatscoped/" PACKAGE_VERSION);
	curl_easy_setopt(call->easy, CURLOPT_HTTPHEADER, call->headers);
	curl_easy_setopt(call->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)post->len);
	curl_easy_setopt(call->easy, CURLOPT_POSTFIELDS, post->body ? post->body : "");
	curl_easy_setopt(call->easy, CURLOPT_WRITEFUNCTION, on_answer);
	curl_easy_setopt(call->easy, CURLOPT_WRITEDATA, call);
	curl_easy_setopt(call->easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
	curl_easy_setopt(call->easy, CURLOPT_OPENSOCKETDATA, call);
	curl_easy_setopt(call->easy, CURLOPT_PRIVATE, call);
	return 0;
}

int http_client_post(struct http_client *c, const struct http_client_post *post, http_client_done done, void *arg,
		     struct http_client_call **ret_call)
{
	struct http_client_call *call = calloc(1, sizeof(*call));
	int err;

	if (!call)
		return -ENOMEM;
	*call = (struct http_client_call){ .client = c, .easy = curl_easy_init(), .answer_max = post->answer_max, .link_local = post->link_local,
					   .done = done, .arg = arg };
	err = call->easy ? set_request(call, post) : -ENOMEM;
	if (!err && curl_multi_add_handle(c->multi, call->easy))
		err = -ENOMEM;
	if (err)
		call_free(call);
	else
		*ret_call = call;
	return err;
}

void http_client_cancel(struct http_client_call *call)
{
	if (!call)
		return;
	curl_multi_remove_handle(call->client->multi, call->easy);
	call_free(call);
}

/* ---- begin and end ---- */

int http_client_new(uv_loop_t *loop, struct http_client **ret_client)
{
	struct http_client *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	*c = (struct http_client){ .loop = loop, .multi = curl_global_init(CURL_GLOBAL_DEFAULT) ? NULL : curl_multi_init() };
	if (!c->multi) {
		free(c);
		return -ENOMEM;
	}
	curl_multi_setopt(c->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(c->multi, CURLMOPT_SOCKETDATA, c);
	curl_multi_setopt(c->multi, CURLMOPT_TIMERFUNCTION, on_timeout);
	curl_multi_setopt(c->multi, CURLMOPT_TIMERDATA, c);
	uv_timer_init(loop, &c->timer);
	c->timer.data = c;
	c->n_handles = 1;
	*ret_client = c;
	return 0;
}

static void on_timer_closed(uv_handle_t *timer) { handle_closed(timer->data); }

void http_client_close(struct http_client *c)
{
	if (!c)
		return;
	c->is_closing = true;
	curl_multi_cleanup(c->multi);		/* closes its sockets, and calls on_socket() for each */
	uv_close((uv_handle_t *)&c->timer, on_timer_closed);
}
