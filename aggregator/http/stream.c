/* Sends server-sent events, and limits the memory that slow clients cost. */
#include "aggregator/http/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct http_stream {
	struct http_stream *next, **link;
	struct http *http;
	struct MHD_Connection *connection;
	char *data;			/* data[head..head + len) waits */
	size_t head, len, room;
	char last;			/* the last byte that the client took */
	bool amid;			/* that byte was not the end of an event */
	__u64 taken_ms;			/* the loop's clock: when its client last took something, or there was nothing
					 * to take */
	bool asleep, ended;
	void (*gone)(void *arg);
	void *arg;
};

/* Resizes the buffer of waiting bytes; drops the bytes before them, which were taken. */
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
	http_kick(s->http);
}

struct http_stream *http_stream(struct http_request *r, void (*gone)(void *arg), void *arg)
{
	struct http *h = r->http;
	struct http_stream *s = r->inner ? NULL : calloc(1, sizeof(*s));
	struct MHD_Response *response =
		s ? MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 64 << 10, stream_read, s, stream_free) : NULL;

	if (!response) {
		free(s);
		http_error(r, r->inner ? 409 : 503, r->inner ? "ECA_INVAL" : "ECA_NORESOURCE", r->inner ? "a stream needs a connection" :
			   "out of memory");
		return NULL;
	}
	*s = (struct http_stream){ .http = h, .connection = r->connection, .gone = gone, .arg = arg,
				   .next = h->held->streams, .link = &h->held->streams, .ended = h->closing };
	if (s->next)
		s->next->link = &s->next;
	h->held->streams = s;
	h->counters.streams++;
	http_head(response, "text/event-stream; charset=utf-8", "no-store");
	http_take(r, 200, response);
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

/* Returns the bytes up to the end of the event that its client has taken in part. */
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

/* Its client gets the rest of the event that it has taken in part, and then an event that says why the stream ends. */
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

static struct http_stream *slowest_stream(const struct http_held *held)
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

	while (held->bytes + more > HTTP_HELD_MAX && (s = slowest_stream(held)))
		stream_drop(s);
	return held->bytes + more <= HTTP_HELD_MAX;
}

void http_stream_put(struct http_stream *s, const char *text, size_t len)
{
	bool fits = s->ended || http_held_fits(s->http->held, 2 * (s->len + len));

	if (s->ended)			/* perhaps by making space */
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

void http_streams_end(struct http *h)
{
	for (struct http_stream *s = h->held->streams; s; s = s->next)
		if (s->http == h)
			http_stream_end(s);
}
