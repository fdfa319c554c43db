#include "aggregator/http/private.h"
#include "aggregator/base/endpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* We read a body that is too long up to this limit before we send the 413: a client that still sends does not read, and
 * if we close the connection meanwhile, it loses the reply.  Beyond this limit we cut the connection. */
#define DISCARD_MAX (1u << 20)

/* TLS 1.2 and 1.3 without ciphers that are known to be weak. */
#define HTTP_TLS_PRIORITIES "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

const struct http_counters *http_counters(const struct http *h) { return &h->counters; }
const char *http_path(const struct http_request *r) { return r->path; }

const char *http_method(const struct http_request *r)
{
	return strcmp(r->method, "HEAD") ? r->method : "GET";
}

const struct http_param *http_params(const struct http_request *r, size_t *ret_n)
{
	*ret_n = r->n_params;
	return r->param;
}

const char *http_header(const struct http_request *r, const char *name)
{
	const char *value = r->inner ? http_inner_header(r->inner, name)
				     : MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, name);

	return value ? value : "";
}

const char *http_body(const struct http_request *r, size_t *ret_len)
{
	*ret_len = r->body_len;
	return r->body ? r->body : "";
}

static void run_daemon(struct http *h);

static void on_timer(uv_timer_t *timer)
{
	run_daemon(timer->data);
}

void http_kick(struct http *h)
{
	if (!h->stopped)
		uv_timer_start(&h->timer, on_timer, 0, 0);
}

/* ---- framing ---- */

struct framing {
	size_t n_lengths, n_encodings, n_hosts;
	bool blank, length_bad, encoding_bad;
};

static enum MHD_Result count_framing(void *arg, enum MHD_ValueKind kind, const char *name, size_t name_len, const char *value,
				     size_t value_len)
{
	struct framing *f = arg;
	size_t digits = value ? strspn(value, "0123456789") : 0;

	if (name[strcspn(name, " \t")])
		f->blank = true;
	if (!strcasecmp(name, "Host"))
		f->n_hosts++;
	if (!strcasecmp(name, "Content-Length")) {
		f->n_lengths++;
		f->length_bad = f->length_bad || !digits || value[digits];
	}
	if (!strcasecmp(name, "Transfer-Encoding")) {
		f->n_encodings++;
		f->encoding_bad = f->encoding_bad || !value || strcasecmp(value, "chunked");
	}
	return MHD_YES;
}

/* Returns a sentence that says what is ambiguous about the request's end or its host; NULL: nothing.  A proxy in front
 * of us may read an ambiguous request in another way than libmicrohttpd.  Then the bytes that follow on the connection
 * are one request to the proxy and another one to us (request smuggling; RFC 9112, 3.2 and 6). */
static const char *framing_error(struct MHD_Connection *connection, const char *version)
{
	struct framing f = { 0 };

	MHD_get_connection_values_n(connection, MHD_HEADER_KIND, count_framing, &f);
	if (f.blank)
		return "the name of a header has a blank in it";
	if (f.n_hosts > 1)
		return "there is more than one Host";
	if (f.n_lengths && f.n_encodings)
		return "Content-Length and Transfer-Encoding contradict each other: send one of them";
	if (f.n_lengths > 1 || f.length_bad)
		return "Content-Length must be one whole number";
	if (f.n_encodings > 1 || f.encoding_bad)
		return "Transfer-Encoding must be chunked";
	if (f.n_encodings && strcasecmp(version, "HTTP/1.1"))
		return "Transfer-Encoding needs HTTP/1.1";
	return NULL;
}

/* ---- requests ---- */

static unsigned check_guard(const struct http_request *r, const char **ret_why)
{
	struct guard_request q = { .method = r->method, .path = r->path };

	q.host = MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "Host");
	q.origin = MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "Origin");
	q.fetch_site = MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "Sec-Fetch-Site");
	q.fetch_mode = MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "Sec-Fetch-Mode");
	q.fetch_dest = MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "Sec-Fetch-Dest");
	q.authorization = MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "Authorization");
	return guard_check(&r->http->guard, &q, ret_why);
}

static enum MHD_Result add_param(void *arg, enum MHD_ValueKind kind, const char *name, size_t name_len,
				 const char *value, size_t value_len)
{
	struct http_request *r = arg;

	if (r->n_params == HTTP_PARAMS_MAX)
		return MHD_NO;
	r->param[r->n_params++] = (struct http_param){ name, value ? value : "" };
	return MHD_YES;
}

static void request_ask(struct http_request *r)
{
	struct http *h = r->http;
	const char *why = NULL;
	unsigned refused = check_guard(r, &why);

	r->asked = true;
	h->n_pending++;
	h->counters.requests++;
	if (MHD_get_connection_values_n(r->connection, MHD_GET_ARGUMENT_KIND, NULL, NULL) > HTTP_PARAMS_MAX && !refused) {
		http_error(r, 409, "ECA_INVAL", "too many parameters: at most 64");
		return;
	}
	MHD_get_connection_values_n(r->connection, MHD_GET_ARGUMENT_KIND, add_param, r);
	if (r->framing_error) {
		http_error(r, 400, "ECA_INVAL", r->framing_error);
	} else if (refused) {
		h->counters.refused++;
		http_error(r, refused, "ECA_PERM", why);
	} else if (r->body_seen > HTTP_BODY_MAX) {
		http_error(r, 413, "ECA_INVAL", "the body is too long: at most 65536 bytes");
	} else if (h->closing) {
		http_error(r, 503, "ECA_NORESOURCE", "shutting down");
	} else if (guard_is_api(r->path)) {
		h->handler(h->arg, r);
	} else if (strcmp(http_method(r), "GET")) {
		http_error(r, 405, "ECA_INVAL", "only GET is possible here");
	} else {
		http_reply_page(r);
	}
}

static struct http_request *request_new(struct http *h, struct MHD_Connection *connection, const char *path,
					const char *method)
{
	struct http_request *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->http = h;
	r->connection = connection;
	r->method = method;		/* borrowed from the connection, as long as the request */
	r->path = strdup(path);
	if (!r->path) {
		free(r);
		return NULL;
	}
	return r;
}

static enum MHD_Result request_upload(struct http_request *r, const char *data, size_t *len)
{
	size_t n = *len;

	*len = 0;
	r->body_seen += n;
	if (r->body_seen > HTTP_BODY_MAX)
		return r->body_seen > DISCARD_MAX ? MHD_NO : MHD_YES;
	if (!r->body)
		r->body = malloc(HTTP_BODY_MAX + 1);
	if (!r->body)
		return MHD_NO;
	memcpy(r->body + r->body_len, data, n);
	r->body_len += n;
	r->body[r->body_len] = 0;
	return MHD_YES;
}

/* Does it announce so large a body that we read nothing of it?  A client that asks first ("Expect: 100-continue") gets
 * the answer before it sends. */
static bool announces_too_much(struct MHD_Connection *connection)
{
	const char *length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
	bool asks = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Expect");

	return length && strtoull(length, NULL, 10) > (asks ? HTTP_BODY_MAX : DISCARD_MAX);
}

static enum MHD_Result request_queue(struct http_request *r)
{
	struct MHD_Response *response = r->response;
	enum MHD_Result ok;

	if (!response)
		return MHD_NO;
	r->response = NULL;
	ok = MHD_queue_response(r->connection, r->status, response);
	MHD_destroy_response(response);
	return ok;
}

/* libmicrohttpd calls this when the headers have arrived, for each piece of a body, at the end, and
 * again when a sleeping connection was woken. */
static enum MHD_Result on_access(void *arg, struct MHD_Connection *connection, const char *path, const char *method,
				 const char *version, const char *data, size_t *len, void **request)
{
	struct http_request *r = *request;

	if (!r) {
		r = *request = request_new(arg, connection, path, method);
		if (!r)
			return MHD_NO;
		r->framing_error = framing_error(connection, version);
		if (!r->framing_error && !announces_too_much(connection))
			return MHD_YES;
		r->body_seen = HTTP_BODY_MAX + 1;
		request_ask(r);
		return request_queue(r);
	}
	if (*len)
		return request_upload(r, data, len);
	if (!r->asked)
		request_ask(r);
	if (!r->asked || r->status)
		return request_queue(r);
	r->asleep = true;
	MHD_suspend_connection(connection);
	return MHD_YES;
}

static void on_completed(void *arg, struct MHD_Connection *connection, void **request,
			 enum MHD_RequestTerminationCode how)
{
	struct http_request *r = *request;

	if (!r)
		return;
	if (r->response)
		MHD_destroy_response(r->response);
	r->http->held->bytes -= r->held;
	free(r->body);
	free(r->path);
	free(r);
	*request = NULL;
}

/* ---- the server ---- */

static void on_handle_closed(uv_handle_t *handle)
{
	struct http *h = handle->data;

	if (--h->n_handles)
		return;
	free(h->page);
	free(h);
}

static void handles_close(struct http *h)
{
	h->stopped = true;
	uv_close((uv_handle_t *)&h->poll, on_handle_closed);
	uv_close((uv_handle_t *)&h->timer, on_handle_closed);
}

static void stop_daemon(struct http *h)
{
	for (int i = 0; i < 8; i++)	/* sends the last replies */
		MHD_run(h->daemon);
	uv_poll_stop(&h->poll);
	MHD_stop_daemon(h->daemon);
	h->daemon = NULL;
	handles_close(h);
}

static void run_daemon(struct http *h)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (h->stopped)
		return;
	MHD_run(h->daemon);
	if (h->closing && !h->n_pending)
		stop_daemon(h);
	else if (MHD_get_timeout(h->daemon, &ms) == MHD_YES)
		uv_timer_start(&h->timer, on_timer, ms, 0);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	run_daemon(poll->data);
}

static int start_handles(struct http *h)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	int err = info ? uv_poll_init(h->loop, &h->poll, info->epoll_fd) : -EIO;

	if (err)
		return err;
	uv_timer_init(h->loop, &h->timer);
	h->poll.data = h->timer.data = h;
	h->n_handles = 2;
	err = uv_poll_start(&h->poll, UV_READABLE, on_poll);
	if (!err)
		http_kick(h);
	return err;
}

/* The address it is bound to says who can reach the server. */
static enum guard_reach reach_of(int fd)
{
	struct endpoint e = { .len = sizeof(e.addr) };

	if (getsockname(fd, (struct sockaddr *)&e.addr, &e.len))
		return GUARD_BEYOND;
	if (e.addr.ss_family == AF_UNIX)
		return GUARD_UNIX;
	return endpoint_is_beyond(&e) ? GUARD_BEYOND : GUARD_LOOPBACK;
}

static struct MHD_Daemon *start_daemon(struct http *h, int fd)
{
	const struct tls *tls = h->guard.tls;
	struct MHD_OptionItem secure[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, tls ? (char *)tls_certificate(tls) : NULL },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, tls ? (char *)tls_key(tls) : NULL },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, HTTP_TLS_PRIORITIES },
		{ MHD_OPTION_END, 0, NULL },
	};

	return MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (tls ? MHD_USE_TLS : 0), 0, NULL, NULL,
				on_access, h, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_COMPLETED, on_completed, h,
				MHD_OPTION_CONNECTION_TIMEOUT, HTTP_IDLE_S, MHD_OPTION_CONNECTION_LIMIT,
				HTTP_CONNECTIONS_MAX, MHD_OPTION_ARRAY, tls ? secure : secure + 3, MHD_OPTION_END);
}

int http_new(uv_loop_t *loop, int fd, const struct http_conf *conf, http_handler handler, void *arg,
	     struct http **ret_http)
{
	struct http *h = calloc(1, sizeof(*h));
	int err;

	if (!h || (conf->page && *conf->page && !(h->page = strdup(conf->page)))) {
		free(h);
		return -ENOMEM;
	}
	h->loop = loop;
	h->handler = handler;
	h->arg = arg;
	h->held = conf->held ? conf->held : &h->own_held;
	h->guard = (struct guard){ reach_of(fd), conf->token, conf->tls };
	h->daemon = start_daemon(h, fd);
	err = h->daemon ? start_handles(h) : -EIO;
	if (err && h->daemon)
		MHD_stop_daemon(h->daemon);
	if (err && h->n_handles) {
		handles_close(h);
	} else if (err) {
		free(h->page);
		free(h);
	}
	if (!err)
		*ret_http = h;
	return err;
}

void http_close(struct http *h)
{
	int fd;

	if (!h || h->closing)
		return;
	h->closing = true;
	fd = MHD_quiesce_daemon(h->daemon);
	if (fd >= 0)
		close(fd);
	http_streams_end(h);
	http_kick(h);
}
