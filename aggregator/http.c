#include "http.h"
#include "aggregator.h"
#include "api.h"
#include "endpoint.h"
#include "page.h"
#include "writer.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* A body that is too long is read up to here before the 413: who is still sending does not read, and a connection that is
 * closed under it takes the reply along.  Beyond it the connection is cut. */
#define DISCARD_MAX (1u << 20)

/* TLS 1.2 and 1.3 without ciphers that are known to be weak. */
#define HTTP_TLS_PRIORITIES "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

static const char page_policy[] =
	"default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; object-src 'none'; "
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

#define HTTP_HUNG_UP 499		/* the status of a request that nobody waits for: it is never sent */

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
	struct api *api;		/* of http_open(); NULL: someone else's handler */
};

struct http_request {
	struct http *http;
	struct MHD_Connection *connection;
	char *path;
	const char *method;
	struct http_param param[HTTP_PARAMS_MAX];
	size_t n_params, body_len, body_seen;
	char *body;
	const char *framing_error;		/* why its end or its host is ambiguous; NULL: neither is */
	bool asked;			/* the handler has been called */
	bool asleep;			/* suspended until the reply */
	unsigned status;
	struct MHD_Response *response;	/* waiting to be queued */
	size_t held;			/* bytes of the answer, until it is taken */
};

struct http_stream {
	struct http_stream *next, **link;
	struct http *http;
	struct MHD_Connection *connection;
	char *data;			/* data[head..head + len) waits */
	size_t head, len, room;
	char last;			/* the last byte that was taken */
	bool amid;			/* and it was not the end of an event */
	__u64 taken_ms;			/* by the loop's clock: when its reader last took something, or had nothing to take */
	bool asleep, ended;
	void (*gone)(void *arg);
	void *arg;
};

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
	const char *value = MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, name);

	return value ? value : "";
}

const char *http_body(const struct http_request *r, size_t *ret_len)
{
	*ret_len = r->body_len;
	return r->body ? r->body : "";
}

/* Let libmicrohttpd look at its connections soon, but not from within itself. */
static void pump(struct http *h);

static void on_timer(uv_timer_t *timer)
{
	pump(timer->data);
}

static void kick(struct http *h)
{
	if (!h->stopped)
		uv_timer_start(&h->timer, on_timer, 0, 0);
}

/* ---- replies ---- */

/* What libmicrohttpd is given when it asks again; response NULL: the connection is closed. */
static void request_settle(struct http_request *r, unsigned status, struct MHD_Response *response)
{
	r->status = status;
	r->response = response;
	r->http->n_pending--;
	if (r->asleep) {
		r->asleep = false;
		MHD_resume_connection(r->connection);
		kick(r->http);
	}
}

static void reply_take(struct http_request *r, unsigned status, struct MHD_Response *response)
{
	struct http_counters *c = &r->http->counters;

	c->by_class[status / 100 < 6 ? status / 100 : 5]++;
	c->by_status[status < HTTP_STATUSES ? status : 0]++;
	request_settle(r, status, response);
}

static void response_head(struct MHD_Response *response, const char *type, const char *cache)
{
	if (type)
		MHD_add_response_header(response, "Content-Type", type);
	MHD_add_response_header(response, "Cache-Control", cache);
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
}

/* name: a header, value NULL: none. */
static void reply_with(struct http_request *r, unsigned status, const char *type, void *data, size_t len,
		       const char *name, const char *value)
{
	struct MHD_Response *response;

	if (len > HTTP_ALWAYS && !http_held_fits(r->http->held, len)) {
		free(data);
		http_busy(r, HTTP_IDLE_S, "answers that their readers do not take fill the memory for answers; try again in half a minute");
		return;
	}
	r->held = len;
	r->http->held->bytes += len;
	response =
		MHD_create_response_from_buffer(data ? len : 0, data, data ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);

	if (!response)
		free(data);		/* the connection is closed without a reply */
	else
		response_head(response, data ? type : NULL, "no-store");
	if (response && r->framing_error)
		MHD_add_response_header(response, "Connection", "close");
	if (response && value)
		MHD_add_response_header(response, name, value);
	if (response && status == 401)
		MHD_add_response_header(response, "WWW-Authenticate", "Bearer realm=\"heatscope\"");
	reply_take(r, status, response);
}

void http_reply(struct http_request *r, unsigned status, const char *type, void *data, size_t len,
		const char *location)
{
	reply_with(r, status, type, data, len, "Location", location);
}

static void reply_error_with(struct http_request *r, unsigned status, const char *code, const char *message,
			     const char *name, const char *value)
{
	struct bytes out = { 0 };
	size_t len = 0;
	char *line;

	writer_raw(&out, "{\"error\": {\"code\": ");
	writer_text(&out, code);
	writer_raw(&out, ", \"message\": ");
	writer_text(&out, message);	/* may quote a parameter, which may be any bytes */
	writer_raw(&out, "}}\n");
	line = writer_take(&out, &len);
	reply_with(r, status, "application/json", line, len, name, value);
}

void http_error(struct http_request *r, unsigned status, const char *code, const char *message)
{
	reply_error_with(r, status, code, message, NULL, NULL);
}

void http_busy(struct http_request *r, unsigned retry_s, const char *message)
{
	char seconds[16];

	snprintf(seconds, sizeof(seconds), "%u", retry_s);
	r->http->counters.busy++;
	reply_error_with(r, 503, "ECA_NORESOURCE", message, "Retry-After", seconds);
}

static int request_socket(const struct http_request *r)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

bool http_is_gone(const struct http_request *r)
{
	struct pollfd p = { .fd = request_socket(r), .events = POLLRDHUP };

	return p.fd >= 0 && poll(&p, 1, 0) == 1;
}

void http_drop(struct http_request *r)
{
	r->http->counters.hung_up++;
	request_settle(r, HTTP_HUNG_UP, NULL);
}

static void reply_page(struct http_request *r)
{
	struct page_file file;
	int err = page_get(r->http->page, r->path, &file);
	const char *known = MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "If-None-Match");
	struct MHD_Response *response;
	bool same = !err && known && strstr(known, file.etag);

	if (err) {
		char reason[PAGE_REASON_MAX];

		page_refusal(r->http->page, r->path, err, reason);
		http_error(r, err == -ENOENT ? 404 : 500, err == -ENOENT ? "ECA_NOENT" : "ECA_IO", reason);
		return;
	}
	if (same)
		free(file.data);
	response = same ? MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT)
			: MHD_create_response_from_buffer(file.len, file.data, MHD_RESPMEM_MUST_FREE);
	if (response) {
		response_head(response, file.type, "no-cache");
		MHD_add_response_header(response, "ETag", file.etag);
		MHD_add_response_header(response, "Content-Security-Policy", page_policy);
		MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
	}
	reply_take(r, same ? 304 : 200, response);
}

/* ---- streams ---- */

/* The waiting bytes get so much room; what was taken before them is forgotten. */
static int stream_resize(struct http_stream *s, size_t room)
{
	char *data = NULL;

	if (s->head)
		memmove(s->data, s->data + s->head, s->len);
	s->head = 0;
	if (room)
		data = realloc(s->data, room);
	else
		free(s->data);
	if (room && !data)
		return -ENOMEM;
	s->http->held->bytes += room - s->room;
	s->data = data;
	s->room = room;
	return 0;
}

static ssize_t stream_read(void *arg, uint64_t at, char *out, size_t room)
{
	struct http_stream *s = arg;
	size_t n = s->len < room ? s->len : room;

	if (!n && s->ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (!n) {
		s->asleep = true;
		MHD_suspend_connection(s->connection);
		return 0;
	}
	memcpy(out, s->data + s->head, n);
	s->amid = out[n - 1] != '\n' || (n > 1 ? out[n - 2] : s->last) != '\n';
	s->last = out[n - 1];
	s->head += n;
	s->len -= n;
	s->taken_ms = uv_now(s->http->loop);
	if (!s->len)
		stream_resize(s, 0);
	return (ssize_t)n;
}

static void stream_free(void *arg)
{
	struct http_stream *s = arg;

	*s->link = s->next;
	if (s->next)
		s->next->link = s->link;
	s->http->counters.streams--;
	s->gone(s->arg);
	stream_resize(s, 0);
	free(s);
}

static void stream_wake(struct http_stream *s)
{
	if (!s->asleep)
		return;
	s->asleep = false;
	MHD_resume_connection(s->connection);
	kick(s->http);
}

struct http_stream *http_stream(struct http_request *r, void (*gone)(void *arg), void *arg)
{
	struct http *h = r->http;
	struct http_stream *s = calloc(1, sizeof(*s));
	struct MHD_Response *response =
		s ? MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 64 << 10, stream_read, s, stream_free) : NULL;

	if (!response) {
		free(s);
		http_error(r, 503, "ECA_NORESOURCE", "out of memory");
		return NULL;
	}
	*s = (struct http_stream){ .http = h, .connection = r->connection, .gone = gone, .arg = arg,
				   .next = h->held->streams, .link = &h->held->streams, .ended = h->closing };
	if (s->next)
		s->next->link = &s->next;
	h->held->streams = s;
	h->counters.streams++;
	response_head(response, "text/event-stream; charset=utf-8", "no-store");
	reply_take(r, 200, response);
	return s;
}

static int stream_append(struct http_stream *s, const char *text, size_t len)
{
	if (s->head + s->len + len > s->room && stream_resize(s, s->len + len > s->room ? 2 * (s->len + len) : s->room))
		return -ENOMEM;
	if (!s->len)
		s->taken_ms = uv_now(s->http->loop);
	memcpy(s->data + s->head + s->len, text, len);
	s->len += len;
	return 0;
}

/* Bytes until the end of the event that its reader has half. */
static size_t stream_rest(const struct http_stream *s)
{
	const char *data = s->data + s->head;
	size_t n = 0;

	while (s->amid && n < s->len) {
		bool end = data[n] == '\n' && (n ? data[n - 1] : s->last) == '\n';

		n++;
		if (end)
			break;
	}
	return n;
}

/* Its reader gets the rest of the event that it has half, and then why there is no more. */
static void stream_drop(struct http_stream *s)
{
	static const char why[] =
		"retry: 5000\nevent: dropped\ndata: {\"code\": \"ECA_NORESOURCE\", \"message\": \"this stream was read too slowly, and its memory "
		"is needed; ask again, with Last-Event-ID\"}\n\n";

	s->len = stream_rest(s);
	if (!stream_resize(s, s->len + sizeof(why)))
		stream_append(s, why, sizeof(why) - 1);
	s->http->counters.dropped++;
	http_stream_end(s);
}

static struct http_stream *slowest(const struct http_held *held)
{
	struct http_stream *found = NULL;

	for (struct http_stream *s = held->streams; s; s = s->next)
		if (s->len && !s->ended && (!found || s->taken_ms < found->taken_ms))
			found = s;
	return found;
}

bool http_held_fits(struct http_held *held, size_t more)
{
	struct http_stream *s;

	while (held->bytes + more > HTTP_HELD_MAX && (s = slowest(held)))
		stream_drop(s);
	return held->bytes + more <= HTTP_HELD_MAX;
}

void http_stream_put(struct http_stream *s, const char *text, size_t len)
{
	bool fits = s->ended || http_held_fits(s->http->held, 2 * (s->len + len));

	if (s->ended)			/* perhaps to make room */
		return;
	if (!fits)
		stream_drop(s);
	else if (stream_append(s, text, len))
		http_stream_end(s);
	else
		stream_wake(s);
}

size_t http_stream_waiting(const struct http_stream *s)
{
	return s->len;
}

void http_stream_end(struct http_stream *s)
{
	s->ended = true;
	stream_wake(s);
}

/* ---- requests ---- */

static unsigned refusal(const struct http_request *r, const char **ret_why)
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
	unsigned refused = refusal(r, &why);

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
		reply_page(r);
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
	r->method = method;		/* the connection's, as long as the request */
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

/* Why a proxy in front of us may find another end of this request, or another host, than libmicrohttpd does: what follows on the
 * connection would then be another request to each (request smuggling; RFC 9112, 3.2 and 6).  NULL: neither is ambiguous. */
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

/* Is so much announced that nothing of it is read?  Who asks first ("Expect: 100-continue") is told before it sends. */
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

/* libmicrohttpd calls this when the headers are there, for each piece of a body, at the end, and
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
	api_free(h->api);
	free(h->page);
	free(h);
}

static void handles_close(struct http *h)
{
	h->stopped = true;
	uv_close((uv_handle_t *)&h->poll, on_handle_closed);
	uv_close((uv_handle_t *)&h->timer, on_handle_closed);
}

static void stop(struct http *h)
{
	for (int i = 0; i < 8; i++)	/* the last replies on their way */
		MHD_run(h->daemon);
	uv_poll_stop(&h->poll);
	MHD_stop_daemon(h->daemon);
	h->daemon = NULL;
	handles_close(h);
}

static void pump(struct http *h)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (h->stopped)
		return;
	MHD_run(h->daemon);
	if (h->closing && !h->n_pending)
		stop(h);
	else if (MHD_get_timeout(h->daemon, &ms) == MHD_YES)
		uv_timer_start(&h->timer, on_timer, ms, 0);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	pump(poll->data);
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
		kick(h);
	return err;
}

/* Who can reach it: what it is bound to says so. */
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

int http_open(struct aggregator *a, int fd, const struct http_conf *conf, struct http **ret_http, char *reason)
{
	struct api *api = NULL;
	struct http *h = NULL;
	int err = api_new(a, &api);

	if (!err)
		err = http_new(a->loop, fd, conf, api_handle, api, &h);
	if (err) {
		api_free(api);
		snprintf(reason, CONF_REASON_MAX, "the HTTP server does not start: %s", strerror(-err));
		return err;
	}
	h->api = api;
	*ret_http = h;
	return 0;
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
	for (struct http_stream *s = h->held->streams; s; s = s->next)
		if (s->http == h)
			http_stream_end(s);
	if (h->api)
		api_close(h->api);
	kick(h);
}
