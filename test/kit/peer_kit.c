#include "test/kit/peer_kit.h"
#include "collector/core/batch.h"

#include <stdlib.h>
#include <string.h>

static int peer_listens(const struct peer *p)
{
	return p->open && !uv_is_closing((const uv_handle_t *)&p->client);
}

static void on_alloc(uv_handle_t *h, size_t size, uv_buf_t *ret_buf)
{
	struct peer *p = h->data;

	*ret_buf = uv_buf_init(p->chunk, sizeof(p->chunk));
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct peer *p = stream->data;
	struct frame f;
	size_t at = 0;
	long len;

	if (n < 0) {
		peer_hang_up(p);
		return;
	}
	bytes_put(&p->in, buf->base, (size_t)n);
	while (peer_listens(p) && p->in.len > at && (len = frame_get(p->in.data + at, p->in.len - at, &f)) > 0) {
		p->frame(p, &f);
		at += (size_t)len;
	}
	if (!peer_listens(p))
		return;
	p->in.len -= at;
	memmove(p->in.data, p->in.data + at, p->in.len);
}

static void on_connection(uv_stream_t *server, int status)
{
	struct peer *p = server->data;

	if (status || p->open)
		return;
	uv_pipe_init(p->loop, &p->client, 0);
	p->client.data = p;
	p->open = 1;
	p->n_connections++;
	bytes_clear(&p->in);
	uv_accept(server, (uv_stream_t *)&p->client);
	uv_read_start((uv_stream_t *)&p->client, on_alloc, on_read);
}

int peer_listen(struct peer *p, uv_loop_t *loop, const char *path)
{
	int err;

	p->loop = loop;
	uv_pipe_init(loop, &p->server, 0);
	p->server.data = p;
	err = uv_pipe_bind(&p->server, path);
	return err ? err : uv_listen((uv_stream_t *)&p->server, 4, on_connection);
}

void peer_send_raw(struct peer *p, const void *data, size_t len)
{
	uv_buf_t buf = uv_buf_init((char *)data, (unsigned)len);

	int n = peer_listens(p) ? uv_try_write((uv_stream_t *)&p->client, &buf, 1) : (int)len;

	if (n != (int)len && n != UV_EPIPE && n != UV_ECONNRESET)
		abort();	/* the tests send little, so it fits; only a collector that was killed may refuse */
}

void peer_send(struct peer *p, enum frame_type type, const void *data, size_t len)
{
	struct bytes out = { 0 };

	frame_put(&out, type, data, len);
	peer_send_raw(p, out.data, out.len);
	bytes_fini(&out);
}

void peer_send_text(struct peer *p, enum frame_type type, const char *text)
{
	peer_send(p, type, text, strlen(text));
}

void peer_ack(struct peer *p, const struct frame *frame)
{
	struct bytes out = { 0 };
	struct batch b;
	struct ack a;

	if (batch_decode(frame->data, frame->len, &b))
		abort();
	a = (struct ack){ .inst = b.inst, .slot = b.slot, .seq = b.seq, .incarnation = b.incarnation };
	memcpy(a.source, b.source, sizeof(a.source));
	batch_fini(&b);
	ack_put(&out, &a);
	peer_send(p, FRAME_ACK, out.data, out.len);
	bytes_fini(&out);
}

static void on_client_closed(uv_handle_t *h)
{
	struct peer *p = h->data;

	p->open = 0;
	bytes_fini(&p->in);
}

void peer_hang_up(struct peer *p)
{
	if (peer_listens(p))
		uv_close((uv_handle_t *)&p->client, on_client_closed);
}

void peer_close(struct peer *p)
{
	peer_hang_up(p);
	if (!uv_is_closing((uv_handle_t *)&p->server))
		uv_close((uv_handle_t *)&p->server, NULL);
}
