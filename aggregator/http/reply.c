/* Sends the replies of the HTTP server: bodies, errors, and the page's files. */
#include "aggregator/http/private.h"
#include "aggregator/http/page.h"
#include "aggregator/base/writer.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char page_policy[] =
	"default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; object-src 'none'; "
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

#define HTTP_HUNG_UP 499		/* for a request whose client has left: it is never sent */

/* Keeps the reply until libmicrohttpd asks again; response NULL: the connection is closed. */
static void request_settle(struct http_request *r, unsigned status, struct MHD_Response *response)
{
	r->status = status;
	r->response = response;
	r->http->n_pending--;
	if (r->asleep) {
		r->asleep = false;
		MHD_resume_connection(r->connection);
		http_kick(r->http);
	}
}

void http_take(struct http_request *r, unsigned status, struct MHD_Response *response)
{
	struct http_counters *c = &r->http->counters;

	c->by_class[status / 100 < 6 ? status / 100 : 5]++;
	c->by_status[status < HTTP_STATUSES ? status : 0]++;
	request_settle(r, status, response);
}

void http_head(struct MHD_Response *response, const char *type, const char *cache)
{
	if (type)
		MHD_add_response_header(response, "Content-Type", type);
	MHD_add_response_header(response, "Cache-Control", cache);
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
}

/* name: a header; value NULL: none. */
static void reply_with(struct http_request *r, unsigned status, const char *type, void *data, size_t len,
		       const char *name, const char *value)
{
	struct MHD_Response *response;

	if (r->inner) {
		const struct http_answer answer = { status, type, strcmp(name ? name : "", "Location") ? NULL : value, data, len };

		http_inner_reply(r, &answer);
		free(data);
		return;
	}
	if (len > HTTP_ALWAYS && !http_held_fits(r->http->held, len)) {
		free(data);
		http_busy(r, HTTP_IDLE_S, "answers that readers have not received fill the memory for answers; try "
			"again in half a minute");
		return;
	}
	r->held = len;
	r->http->held->bytes += len;
	response =
		MHD_create_response_from_buffer(data ? len : 0, data, data ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);

	if (!response)
		free(data);		/* the connection is closed without a reply */
	else
		http_head(response, data ? type : NULL, "no-store");
	if (response && r->framing_error)
		MHD_add_response_header(response, "Connection", "close");
	if (response && value)
		MHD_add_response_header(response, name, value);
	if (response && status == 401)
		MHD_add_response_header(response, "WWW-Authenticate", "Bearer realm=\"heatscope\"");
	http_take(r, status, response);
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
	writer_text(&out, message);	/* it may quote a parameter, which may contain any bytes */
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
	const union MHD_ConnectionInfo *info = r->inner ? NULL : MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

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
	if (r->inner) {
		http_inner_reply(r, &(struct http_answer){ .status = 503 });
		return;
	}
	request_settle(r, HTTP_HUNG_UP, NULL);
}

void http_reply_page(struct http_request *r)
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
		http_head(response, file.type, "no-cache");
		MHD_add_response_header(response, "ETag", file.etag);
		MHD_add_response_header(response, "Content-Security-Policy", page_policy);
		MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
	}
	http_take(r, same ? 304 : 200, response);
}
