/* receiver_kit.h - an HTTP server on the test's own loop, for tests of what sends requests.
 *
 *      /STATUS answers with that status, /long with a long body, /hang not at all; or the texts of `script` are the answers, one
 *      after the other
 *
 * It has one, `receiver`; receiver_begin() and receiver_end() are for each test.
 */
#ifndef HEATSCOPE_RECEIVER_KIT_H
#define HEATSCOPE_RECEIVER_KIT_H

#include "test/kit/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

struct receiver {
	uv_loop_t loop;
	uv_tcp_t listener;
	int port, n_requests;
	char last[8192];		/* the newest request */
	const char *const *script;	/* NULL: the path says the answer; the last text repeats */
};

struct talk {
	uv_tcp_t tcp;
	uv_write_t write;
	struct receiver *receiver;
	char in[8192], *out;
	size_t len;
};

static inline void on_talk_closed(uv_handle_t *h)
{
	struct talk *t = h->data;

	free(t->out);
	free(t);
}

static inline void talk_end(struct talk *t)
{
	if (!uv_is_closing((uv_handle_t *)&t->tcp))
		uv_close((uv_handle_t *)&t->tcp, on_talk_closed);
}

static inline void on_alloc(uv_handle_t *h, size_t suggested, uv_buf_t *buf)
{
	struct talk *t = h->data;

	*buf = uv_buf_init(t->in + t->len, (unsigned)(sizeof(t->in) - 1 - t->len));
}

static inline void on_written(uv_write_t *write, int status)
{
	talk_end(write->data);
}

static inline void answer(struct talk *t, const char *path)
{
	size_t room = 300000, body = !strncmp(path, "long", 4) ? 200000 : 0;
	int status = body ? 200 : atoi(path), n;
	uv_buf_t buf;

	t->out = calloc(1, room);
	n = snprintf(t->out, room, "HTTP/1.1 %d X\r\nLocation: /200\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", status, body);
	memset(t->out + n, 'x', body);
	buf = uv_buf_init(t->out, (unsigned)((size_t)n + body));
	t->write.data = t;
	uv_write(&t->write, (uv_stream_t *)&t->tcp, &buf, 1, on_written);
}

/* "": no answer. */
static inline void answer_script(struct talk *t)
{
	const char *text = *t->receiver->script;
	uv_buf_t buf;

	if (t->receiver->script[1])
		t->receiver->script++;
	if (!*text)
		return;
	t->out = strdup(text);
	buf = uv_buf_init(t->out, (unsigned)strlen(text));
	t->write.data = t;
	uv_write(&t->write, (uv_stream_t *)&t->tcp, &buf, 1, on_written);
}

static inline void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct talk *t = stream->data;
	const char *end, *length;

	if (n < 0) {
		talk_end(t);
		return;
	}
	t->len += (size_t)n;
	t->in[t->len] = 0;
	end = strstr(t->in, "\r\n\r\n");
	length = strstr(t->in, "Content-Length: ");
	if (!end || !length || strlen(end + 4) < strtoul(length + 16, NULL, 10))
		return;
	t->receiver->n_requests++;
	memcpy(t->receiver->last, t->in, t->len + 1);
	if (t->receiver->script)
		answer_script(t);
	else if (strncmp(t->in, "POST /hang", 10))
		answer(t, t->in + strlen("POST /"));
}

static inline void on_connection(uv_stream_t *listener, int status)
{
	struct receiver *r = listener->data;
	struct talk *t = calloc(1, sizeof(*t));

	uv_tcp_init(&r->loop, &t->tcp);
	t->tcp.data = t;
	t->receiver = r;
	assert_int_equal(uv_accept(listener, (uv_stream_t *)&t->tcp), 0);
	uv_read_start((uv_stream_t *)&t->tcp, on_alloc, on_read);
}

static struct receiver receiver;

static inline void receiver_begin(void)
{
	struct sockaddr_in at;
	int len = sizeof(at);

	memset(&receiver, 0, sizeof(receiver));
	uv_loop_init(&receiver.loop);
	uv_tcp_init(&receiver.loop, &receiver.listener);
	receiver.listener.data = &receiver;
	uv_ip4_addr("127.0.0.1", 0, &at);
	assert_int_equal(uv_tcp_bind(&receiver.listener, (struct sockaddr *)&at, 0), 0);
	assert_int_equal(uv_listen((uv_stream_t *)&receiver.listener, 16, on_connection), 0);
	assert_int_equal(uv_tcp_getsockname(&receiver.listener, (struct sockaddr *)&at, &len), 0);
	receiver.port = ntohs(at.sin_port);
}

/* If the loop runs out, no handle is left. */
static inline int receiver_end(void)
{
	uv_close((uv_handle_t *)&receiver.listener, NULL);
	uv_run(&receiver.loop, UV_RUN_DEFAULT);
	return uv_loop_close(&receiver.loop);
}

#endif
