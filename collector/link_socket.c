#include "collector/link_kind.h"
#include "collector/core/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <uv.h>

#define LEAVE_MS 1000			/* a peer that does not read has this long to take the rest */

enum link_state {
	LINK_WAITING,			/* the timer will connect */
	LINK_CONNECTING,
	LINK_OPEN,
	LINK_LEAVING,			/* writing the rest; the timer limits that */
	LINK_SHUT,			/* the pipe is being closed */
};

struct socket_link {
	struct link link;		/* first */
	uv_loop_t *loop;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	enum link_state state;
	int closing;			/* link_close() was called */
	int complained;			/* one log line per outage is enough */
	char refusal[300];		/* the last one, which is logged once, however often we try again; "": none */
	int welcome;			/* this connection has had a WANT */
	bool refused_after_want;	/* and so had the one that was refused: only an ACK shows that it is over */
	unsigned delay_ms;
	__u64 opened_ms;		/* in the loop's time; 0: not open */
	uv_timer_t timer;
	uv_pipe_t pipe;			/* initialised except in LINK_WAITING */
	uv_connect_t connect;
	uv_shutdown_t shutdown;
	struct bytes in;
	char chunk[65536];
};

static void link_connect(struct socket_link *l);
static void on_timer(uv_timer_t *timer);

/* --- leaving --- */

static void on_timer_closed(uv_handle_t *timer)
{
	struct socket_link *l = timer->data;
	struct link_ops ops = l->link.ops;
	void *arg = l->link.arg;

	bytes_fini(&l->in);
	free(l);
	if (ops.closed)
		ops.closed(arg);
}

/* A connection that lasted, or an ACK, makes the delay short again; a batch that is refused every time does not. */
static void on_pipe_closed(uv_handle_t *pipe)
{
	struct socket_link *l = pipe->data;

	if (l->opened_ms && uv_now(l->loop) - l->opened_ms > LINK_DELAY_MOST_MS)
		l->delay_ms = LINK_DELAY_FIRST_MS;
	l->opened_ms = 0;
	l->state = LINK_WAITING;
	if (l->closing) {
		uv_close((uv_handle_t *)&l->timer, on_timer_closed);
		return;
	}
	uv_timer_start(&l->timer, on_timer, l->delay_ms, 0);
	l->delay_ms = l->delay_ms * 2 < LINK_DELAY_MOST_MS ? l->delay_ms * 2 : LINK_DELAY_MOST_MS;
}

static void link_shut(struct socket_link *l)
{
	if (l->state == LINK_SHUT || l->state == LINK_WAITING)
		return;
	l->state = LINK_SHUT;
	uv_timer_stop(&l->timer);
	uv_close((uv_handle_t *)&l->pipe, on_pipe_closed);
}

static void on_shutdown(uv_shutdown_t *request, int status)
{
	link_shut(request->data);
}

/* Lets the sent frames go out, then closes. */
static void link_leave(struct socket_link *l)
{
	l->state = LINK_LEAVING;
	uv_read_stop((uv_stream_t *)&l->pipe);
	uv_timer_start(&l->timer, on_timer, LEAVE_MS, 0);
	l->shutdown.data = l;
	if (uv_shutdown(&l->shutdown, (uv_stream_t *)&l->pipe, on_shutdown))
		link_shut(l);
}

static void link_lost(struct socket_link *l, const char *why)
{
	int was_open = l->state == LINK_OPEN;

	if (was_open && !l->closing && !l->refusal[0])
		log_warning("aggregator at %s: %s; connecting again", l->path, why);
	link_shut(l);
	if (was_open && !l->closing)
		l->link.ops.lost(l->link.arg);
}

/* Sends an ERROR that says what was wrong, and closes. */
static void link_refuse(struct socket_link *l, const char *why)
{
	json_t *json = json_pack("{s:s}", "error", why);

	log_error("aggregator at %s sent a message that cannot be used: %s; connecting again", l->path, why);
	link_send_json(&l->link, FRAME_ERROR, json);
	json_decref(json);
	link_leave(l);
	l->link.ops.lost(l->link.arg);
}

/* --- reading --- */

static void refusal_is_over(struct socket_link *l)
{
	if (l->refusal[0])
		log_info("aggregator at %s: it accepts us now", l->path);
	l->refusal[0] = '\0';
}

static void read_want(struct socket_link *l, const struct frame *frame)
{
	json_t *want = NULL;
	const char *why = link_read_want(frame->data, frame->len, &want);

	l->welcome = 1;
	if (!why && !l->refused_after_want)
		refusal_is_over(l);
	if (why)
		link_refuse(l, why);
	else
		l->link.ops.want(l->link.arg, want);
	json_decref(want);
}

static void read_ack(struct socket_link *l, const struct frame *frame)
{
	struct ack ack;

	if (ack_get(frame->data, frame->len, &ack)) {
		link_refuse(l, "ACK has a wrong length");
		return;
	}
	l->delay_ms = LINK_DELAY_FIRST_MS;
	refusal_is_over(l);
	l->link.ops.acks(l->link.arg, &ack, 1);
}

static void read_error(struct socket_link *l, const struct frame *frame)
{
	json_t *json = json_loadb((const char *)frame->data, frame->len, 0, NULL);
	const char *text = json_string_value(json_object_get(json, "error"));
	char why[sizeof(l->refusal)];
	bool ends = !l->welcome && l->link.ops.refused && l->link.ops.refused(l->link.arg, text ? text : "(no reason given)");

	snprintf(why, sizeof(why), "it refused us: %s", text ? text : "(no reason given)");
	if (!ends && strcmp(why, l->refusal)) {
		log_warning("aggregator at %s: %s; trying again", l->path, why);
		memcpy(l->refusal, why, sizeof(why));
		l->refused_after_want = l->welcome;
	}
	link_lost(l, why);
	json_decref(json);
}

static void read_frame(struct socket_link *l, const struct frame *frame)
{
	char why[64];

	switch (frame->type) {
	case FRAME_WANT: read_want(l, frame); break;
	case FRAME_ACK: read_ack(l, frame); break;
	case FRAME_ERROR: read_error(l, frame); break;
	default:
		snprintf(why, sizeof(why), "a collector gets no frame of type %d", (int)frame->type);
		link_refuse(l, why);
	}
}

static void read_frames(struct socket_link *l)
{
	struct frame frame;
	size_t at = 0;
	long len = 0;

	while (l->state == LINK_OPEN && (len = frame_get(l->in.data + at, l->in.len - at, &frame)) > 0) {
		read_frame(l, &frame);
		at += (size_t)len;
	}
	if (l->state == LINK_OPEN && len < 0)
		link_refuse(l, frame_error((int)len));
	l->in.len -= at;
	memmove(l->in.data, l->in.data + at, l->in.len);
}

static void on_alloc(uv_handle_t *pipe, size_t size, uv_buf_t *ret_buf)
{
	struct socket_link *l = pipe->data;

	*ret_buf = uv_buf_init(l->chunk, sizeof(l->chunk));
}

static void on_read(uv_stream_t *pipe, ssize_t n, const uv_buf_t *buf)
{
	struct socket_link *l = pipe->data;

	if (n < 0) {
		link_lost(l, n == UV_EOF ? "it closed the connection" : uv_strerror((int)n));
		return;
	}
	if (!n)
		return;
	bytes_put(&l->in, buf->base, (size_t)n);
	if (l->in.err)
		link_lost(l, "no memory for its message");
	else
		read_frames(l);
}

/* --- connecting --- */

static void on_connect(uv_connect_t *request, int status)
{
	struct socket_link *l = request->data;

	if (l->state != LINK_CONNECTING)
		return;
	if (status < 0) {
		if (!l->complained)
			log_warning("aggregator at %s: %s; trying again", l->path, uv_strerror(status));
		l->complained = 1;
		link_shut(l);
		return;
	}
	if (!l->refusal[0])
		log_info("aggregator at %s: connected", l->path);
	l->complained = l->welcome = 0;
	l->state = LINK_OPEN;
	l->opened_ms = uv_now(l->loop);
	bytes_clear(&l->in);
	uv_read_start((uv_stream_t *)&l->pipe, on_alloc, on_read);
	l->link.ops.connected(l->link.arg);
}

static void link_connect(struct socket_link *l)
{
	l->state = LINK_CONNECTING;
	uv_pipe_init(l->loop, &l->pipe, 0);
	l->pipe.data = l;
	l->connect.data = l;
	uv_pipe_connect(&l->connect, &l->pipe, l->path, on_connect);
}

static void on_timer(uv_timer_t *timer)
{
	struct socket_link *l = timer->data;

	if (l->state == LINK_LEAVING)
		link_shut(l);
	else
		link_connect(l);
}

static void socket_close(struct link *link)
{
	struct socket_link *l = (struct socket_link *)link;

	if (l->closing)
		return;
	l->closing = 1;
	if (l->state == LINK_OPEN)
		link_leave(l);
	else if (l->state == LINK_CONNECTING)
		link_shut(l);
	else if (l->state == LINK_WAITING)
		uv_close((uv_handle_t *)&l->timer, on_timer_closed);
}

/* --- writing --- */

struct outgoing {
	uv_write_t request;
	struct bytes frame;
};

static void on_written(uv_write_t *request, int status)
{
	struct outgoing *out = request->data;
	struct socket_link *l = request->handle->data;

	bytes_fini(&out->frame);
	free(out);
	if (status < 0 && l->state == LINK_OPEN)
		link_lost(l, uv_strerror(status));
}

/* Takes ownership of the frame's memory. */
static int link_write(struct socket_link *l, struct bytes *frame)
{
	struct outgoing *out = frame->err ? NULL : calloc(1, sizeof(*out));
	uv_buf_t buf = uv_buf_init((char *)frame->data, (unsigned)frame->len);
	int err = frame->err ? frame->err : out ? 0 : -ENOMEM;

	if (!err) {
		out->frame = *frame;
		out->request.data = out;
		err = uv_write(&out->request, (uv_stream_t *)&l->pipe, &buf, 1, on_written);
	}
	if (err) {
		bytes_fini(frame);
		free(out);
	}
	return err;
}

static int send_frame(struct socket_link *l, enum frame_type type, const void *data, size_t len)
{
	struct bytes frame = { 0 };

	if (l->state != LINK_OPEN)
		return -ENOTCONN;
	frame_put(&frame, type, data, len);
	return link_write(l, &frame);
}

static int socket_send_batch(struct link *link, const struct bytes *frame)
{
	struct socket_link *l = (struct socket_link *)link;
	struct bytes copy = { 0 };

	if (l->state != LINK_OPEN)
		return -ENOTCONN;
	bytes_put(&copy, frame->data, frame->len);
	return link_write(l, &copy);
}

static int socket_send_json(struct link *link, enum frame_type type, const json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT);
	int err = text ? send_frame((struct socket_link *)link, type, text, strlen(text)) : -ENOMEM;

	free(text);
	return err;
}

int link_socket_new(uv_loop_t *loop, const char *path, const struct link_ops *ops, void *arg, struct link **ret_link)
{
	static const struct link_kind kind = { socket_close, socket_send_json, socket_send_batch, NULL, NULL };
	struct socket_link *l;

	if (strlen(path) >= sizeof(l->path))
		return -ENAMETOOLONG;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->link = (struct link){ &kind, *ops, arg };
	l->loop = loop;
	strcpy(l->path, path);
	l->delay_ms = LINK_DELAY_FIRST_MS;
	uv_timer_init(loop, &l->timer);
	l->timer.data = l;
	link_connect(l);
	*ret_link = &l->link;
	return 0;
}
