#include "aggregator/ingest/ingest.h"

#include "aggregator/base/clock.h"
#include "aggregator/ingest/refusals.h"
#include "collector/core/ack.h"
#include "collector/core/frame.h"
#include "collector/core/log.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_ROOM (256u << 10)
#define OUT_MAX (16u << 20)		/* a peer that does not read its acknowledgements is closed */
#define GOODBYE_MS 1000			/* how long acknowledgements may take to be written at the end */

struct peer {				/* one connection */
	struct sender sender;		/* first */
	struct peer *next;
	struct ingest *ingest;
	uv_pipe_t pipe;
	uv_write_t write;
	char name[SOURCE_MAX];		/* "" before the hello */
	char incarnation[24];		/* as the hello has it */
	long pid;
	__u8 *in;			/* bytes read, not yet parsed */
	size_t in_len, in_room;
	struct bytes out, writing;	/* to be written next; being written */
	bool is_writing, paused, ending, closed;
};

struct ingest {
	uv_loop_t *loop;
	uv_pipe_t listener;
	uv_timer_t goodbye;
	struct catalog *catalog;
	struct intake *intake;
	struct catalog_observer observer;
	struct peer *peers;
	struct refusals refusals;
	bool verbose, stopped, closing;
	unsigned n_handles;		/* the memory is freed with the last handle */
};

static void peer_consume(struct peer *p);

static void handle_gone(struct ingest *in)
{
	if (--in->n_handles)
		return;
	free(in);
}

static void one_gone(uv_handle_t *h)
{
	handle_gone(h->data);
}

/* --- ending a connection --- */

static void peer_free(uv_handle_t *h)
{
	struct peer *p = h->data;
	struct ingest *in = p->ingest;

	free(p->in);
	bytes_fini(&p->out);
	bytes_fini(&p->writing);
	free(p);
	handle_gone(in);
}

static void peer_close(struct peer *p)
{
	struct peer **at = &p->ingest->peers;

	if (p->closed)
		return;
	p->closed = true;
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	intake_disown(p->ingest->intake, &p->sender);
	uv_close((uv_handle_t *)&p->pipe, peer_free);
	if (p->name[0]) {
		if (p->ingest->verbose)
			log_info("source %s (pid %ld) is gone", p->name, p->pid);
		catalog_bye(p->ingest->catalog, p->name, now_ns());
	}
	if (p->ingest->closing && !p->ingest->peers && !uv_is_closing((uv_handle_t *)&p->ingest->goodbye))
		uv_close((uv_handle_t *)&p->ingest->goodbye, one_gone);
}

/* --- writing --- */

static void peer_write(struct peer *p);

static void peer_written(uv_write_t *req, int status)
{
	struct peer *p = req->data;

	p->is_writing = false;
	if (p->closed)
		return;
	if (status || (p->ending && !p->out.len))
		peer_close(p);
	else
		peer_write(p);
}

/* Data that are added while a write is in flight go out with the next: acknowledgements of a burst
 * of batches become few writes. */
static void peer_write(struct peer *p)
{
	struct bytes swap = p->writing;
	uv_buf_t buf;

	if (p->is_writing || p->closed || !p->out.len)
		return;
	p->writing = p->out;
	p->out = swap;
	bytes_clear(&p->out);
	buf = uv_buf_init((char *)p->writing.data, (unsigned)p->writing.len);
	p->write.data = p;
	p->is_writing = !uv_write(&p->write, (uv_stream_t *)&p->pipe, &buf, 1, peer_written);
	if (!p->is_writing)
		peer_close(p);
}

static void peer_send(struct peer *p, enum frame_type type, const void *data, size_t len)
{
	if (p->closed)
		return;
	frame_put(&p->out, type, data, len);
	if (p->out.err || p->out.len > OUT_MAX) {
		log_warning("source %s does not read its answers: closed", p->name);
		peer_close(p);
		return;
	}
	peer_write(p);
}

static void peer_send_json(struct peer *p, enum frame_type type, json_t *json)
{
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	if (text)
		peer_send(p, type, text, strlen(text));
	free(text);
	json_decref(json);
}

/* A collector that is refused tries again every few seconds, or is started again and has another pid. */
static void log_refusal(struct peer *p, const char *text)
{
	const char *name = p->name[0] ? p->name : "a connection";
	char line[REASON_MAX + 256];
	unsigned long before;

	snprintf(line, sizeof(line), "%s is refused: %s", name, text);
	if (!refusals_logs(&p->ingest->refusals, line, uv_now(p->ingest->loop), &before))
		return;
	if (before)
		log_warning("%s (pid %ld) is refused: %s (%lu times more in the last minutes)", name, p->pid, text, before);
	else
		log_warning("%s (pid %ld) is refused: %s", name, p->pid, text);
}

/* Sends the reason, and closes when it is written. */
static void peer_refuse(struct peer *p, const char *format, ...)
{
	char text[REASON_MAX + 128];
	va_list args;

	if (p->closed || p->ending)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	log_refusal(p, text);
	intake_counters(p->ingest->intake)->errors++;
	uv_read_stop((uv_stream_t *)&p->pipe);
	peer_send_json(p, FRAME_ERROR, json_pack("{s:s}", "error", text));
	p->ending = true;
	if (!p->is_writing)
		peer_close(p);
}

static void peer_want(struct peer *p)
{
	peer_send_json(p, FRAME_WANT, catalog_want(p->ingest->catalog));
}

static void peer_ack(struct peer *p, const struct batch *b)
{
	const struct ack a = ack_of(b);
	struct bytes payload = { 0 };

	ack_put(&payload, &a);
	if (!payload.err)
		peer_send(p, FRAME_ACK, payload.data, payload.len);
	bytes_fini(&payload);
}

/* --- what comes in --- */

/* Has the peer's process closed the connection, or ended?  We may not have read that yet. */
static bool peer_has_left(const struct peer *p)
{
	struct pollfd poll_fd = { .events = POLLRDHUP };

	return uv_fileno((const uv_handle_t *)&p->pipe, &poll_fd.fd) || poll(&poll_fd, 1, 0) > 0;
}

/* Returns another start of a collector that sends under this name now; NULL: there is none. */
static const struct peer *peer_of_name(const struct peer *p, const char *name, const char *incarnation)
{
	for (const struct peer *other = p->ingest->peers; other; other = other->next)
		if (other != p && !other->ending && !strcmp(other->name, name) && strcmp(other->incarnation, incarnation) && !peer_has_left(other))
			return other;
	return NULL;
}

/* Both would count each event, and nothing could tell the second from new ones. */
static bool is_second(struct peer *p, const json_t *hello)
{
	const char *name = json_string_value(json_object_get(hello, "source"));
	const char *incarnation = json_string_value(json_object_get(hello, "incarnation"));
	const struct peer *other = name && incarnation ? peer_of_name(p, name, incarnation) : NULL;

	if (other)
		peer_refuse(p, "another collector, pid %ld, sends as %s: end it, or give one of them another --source", other->pid, name);
	return other;
}

static void take_hello(struct peer *p, const json_t *json)
{
	const char *name;
	char reason[REASON_MAX] = "no memory";

	if (p->name[0]) {
		peer_refuse(p, "a second hello on one connection");
		return;
	}
	if (is_second(p, json))
		return;
	if (catalog_hello(p->ingest->catalog, json, now_ns(), &name, reason)) {
		peer_refuse(p, "%s", reason);
		return;
	}
	snprintf(p->name, sizeof(p->name), "%s", name);
	snprintf(p->incarnation, sizeof(p->incarnation), "%s", json_string_value(json_object_get(json, "incarnation")));
	if (p->ingest->verbose)
		log_info("source %s (pid %ld) says hello", p->name, p->pid);
	peer_want(p);
}

static void take_state(struct peer *p, const json_t *json)
{
	char reason[REASON_MAX] = "no memory";

	if (catalog_state(p->ingest->catalog, p->name, json, reason))
		peer_refuse(p, "%s", reason);
}

static void take_json(struct peer *p, const struct frame *f)
{
	json_error_t error;
	json_t *json = json_loadb((const char *)f->data, f->len, JSON_REJECT_DUPLICATES, &error);
	const char *text = json_string_value(json_object_get(json, "error"));

	if (!json)
		peer_refuse(p, "a message is not JSON: %s", error.text);
	else if (f->type == FRAME_HELLO)
		take_hello(p, json);
	else if (f->type == FRAME_STATE)
		take_state(p, json);
	else {
		log_warning("source %s closes: %.400s", p->name, text ? text : "it does not say why");
		peer_close(p);
	}
	json_decref(json);
}

static void peer_settled(struct sender *sender, const struct batch *b, int err, const char *reason);

static void take_batch(struct peer *p, const struct frame *f)
{
	int err = intake_batch(p->ingest->intake, f->data, f->len, NULL, NULL, &p->sender);

	if (err == -EBADMSG)
		peer_refuse(p, "a batch cannot be read: it is damaged");
	else if (err)
		peer_refuse(p, "a batch cannot be accepted now: %s", strerror(-err));
}

static void take_frame(struct peer *p, const struct frame *f)
{
	if (f->type == FRAME_HELLO || f->type == FRAME_ERROR)
		take_json(p, f);
	else if (!p->name[0])
		peer_refuse(p, "there was no hello before it");
	else if (f->type == FRAME_BATCH)
		take_batch(p, f);
	else if (f->type == FRAME_STATE)
		take_json(p, f);
	else
		peer_refuse(p, "a frame of type %d is not for an aggregator", (int)f->type);
}

/* --- reading --- */

static bool peer_listens(const struct peer *p)
{
	return !p->closed && !p->ending && !p->paused && !p->ingest->stopped;
}

static void pause_if_full(struct peer *p)
{
	if (!peer_listens(p) || !intake_is_full(p->ingest->intake))
		return;
	p->paused = true;
	uv_read_stop((uv_stream_t *)&p->pipe);
}

/* Handles all whole frames that have been read. */
static void peer_consume(struct peer *p)
{
	struct frame f;
	size_t at = 0;
	long len = 0;

	while (peer_listens(p)) {
		len = frame_get(p->in + at, p->in_len - at, &f);
		if (len <= 0)
			break;
		at += (size_t)len;
		take_frame(p, &f);
		pause_if_full(p);
	}
	if (len < 0)
		peer_refuse(p, "the message is %s", frame_error((int)len));
	if (at) {
		memmove(p->in, p->in + at, p->in_len - at);
		p->in_len -= at;
	}
}

static void give_room(uv_handle_t *h, size_t suggested, uv_buf_t *buf)
{
	struct peer *p = h->data;
	size_t room = p->in_len + READ_ROOM;
	__u8 *grown;

	if (room > p->in_room) {
		room = room > 2 * p->in_room ? room : 2 * p->in_room;
		grown = realloc(p->in, room);
		if (!grown) {
			*buf = uv_buf_init(NULL, 0);
			return;
		}
		p->in = grown;
		p->in_room = room;
	}
	*buf = uv_buf_init((char *)p->in + p->in_len, (unsigned)(p->in_room - p->in_len));
}

static void got_bytes(uv_stream_t *s, ssize_t n, const uv_buf_t *buf)
{
	struct peer *p = s->data;

	if (n > 0) {
		p->in_len += (size_t)n;
		peer_consume(p);
	} else if (n == UV_EOF && p->in_len) {
		log_warning("%s (pid %ld) left in the middle of a frame", p->name[0] ? p->name : "a connection", p->pid);
		intake_counters(p->ingest->intake)->errors++;
		peer_close(p);
	} else if (n < 0) {
		peer_close(p);
	}
}

static void resume_peers(void *arg)
{
	struct ingest *in = arg;
	struct peer *p, *after;

	if (!intake_has_room(in->intake))
		return;
	for (p = in->peers; p; p = after) {
		after = p->next;
		if (!p->paused || p->ending || in->stopped)
			continue;
		p->paused = false;
		if (uv_read_start((uv_stream_t *)&p->pipe, give_room, got_bytes))
			peer_close(p);
		else
			peer_consume(p);
	}
}

static void peer_settled(struct sender *sender, const struct batch *b, int err, const char *reason)
{
	struct peer *p = (struct peer *)sender;

	if (err)
		peer_refuse(p, "the store could not accept it: %s; keep it and send it again", reason);
	else
		peer_ack(p, b);
}

/* --- connections --- */

/* Allows root, our own user, and our own group, either as the peer's first group or as one of its others. */
static bool is_allowed(int fd, struct ucred *ret_cred)
{
	socklen_t len = sizeof(*ret_cred);
	gid_t group[256];
	socklen_t groups_len = sizeof(group);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, ret_cred, &len))
		return false;
	if (!ret_cred->uid || ret_cred->uid == geteuid() || ret_cred->gid == getegid())
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, group, &groups_len))
		return false;
	for (size_t i = 0; i < groups_len / sizeof(*group); i++)
		if (group[i] == getegid())
			return true;
	return false;
}

static void peer_greet(struct peer *p)
{
	struct ucred cred = { 0 };
	uv_os_fd_t fd;
	bool allowed = !uv_fileno((uv_handle_t *)&p->pipe, &fd) && is_allowed(fd, &cred);

	p->pid = cred.pid;
	if (!allowed) {
		intake_counters(p->ingest->intake)->refused_peers++;
		peer_refuse(p, "user %u, group %u may not send data here: only root, user %u and group %u may",
			cred.uid,
			    cred.gid, geteuid(), getegid());
		return;
	}
	if (p->ingest->verbose)
		log_info("a connection from pid %d, user %u, group %u", cred.pid, cred.uid, cred.gid);
	if (uv_read_start((uv_stream_t *)&p->pipe, give_room, got_bytes))
		peer_close(p);
}

static void peer_connected(uv_stream_t *listener, int status)
{
	struct ingest *in = listener->data;
	struct peer *p = status ? NULL : calloc(1, sizeof(*p));

	if (!p)
		return;
	p->ingest = in;
	p->sender.settled = peer_settled;
	uv_pipe_init(in->loop, &p->pipe, 0);
	p->pipe.data = p;
	p->next = in->peers;
	in->peers = p;
	in->n_handles++;
	intake_counters(in->intake)->connections++;
	if (uv_accept(listener, (uv_stream_t *)&p->pipe))
		peer_close(p);
	else
		peer_greet(p);
}

/* At each change, every collector gets the wanted set. */
static void wanted_changed(void *arg, bool wanted)
{
	struct ingest *in = arg;
	struct peer *p, *after;

	for (p = wanted ? in->peers : NULL; p; p = after) {
		after = p->next;
		if (p->name[0] && !p->ending)
			peer_want(p);
	}
}

int ingest_new(uv_loop_t *loop, int fd, struct catalog *catalog, struct intake *intake, bool verbose, struct ingest **ret_ingest)
{
	struct ingest *in = calloc(1, sizeof(*in));
	int err;

	if (!in) {
		close(fd);
		return -ENOMEM;
	}
	*in = (struct ingest){ .loop = loop, .catalog = catalog, .intake = intake, .verbose = verbose, .n_handles = 2,
			       .observer = { .changed = wanted_changed, .arg = in } };
	uv_pipe_init(loop, &in->listener, 0);
	uv_timer_init(loop, &in->goodbye);
	in->listener.data = in->goodbye.data = in;
	catalog_observe(catalog, &in->observer);
	intake_on_ready(intake, resume_peers, in);
	err = uv_pipe_open(&in->listener, fd);
	if (err)
		close(fd);
	else
		err = uv_listen((uv_stream_t *)&in->listener, 128, peer_connected);
	if (err) {
		ingest_close(in);
		return err;
	}
	*ret_ingest = in;
	return 0;
}

void ingest_stop(struct ingest *in)
{
	if (in->stopped)
		return;
	in->stopped = true;
	uv_close((uv_handle_t *)&in->listener, one_gone);
	for (struct peer *p = in->peers; p; p = p->next)
		uv_read_stop((uv_stream_t *)&p->pipe);
}

static void close_peers(uv_timer_t *t)
{
	struct ingest *in = t->data;

	while (in->peers)
		peer_close(in->peers);
}

void ingest_close(struct ingest *in)
{
	struct peer *p, *after;

	if (!in || in->closing)
		return;
	ingest_stop(in);
	catalog_unobserve(in->catalog, &in->observer);
	intake_off_ready(in->intake, in);
	in->closing = true;
	if (!in->peers) {
		uv_close((uv_handle_t *)&in->goodbye, one_gone);
		return;
	}
	/* a peer that does not read must not delay our end */
	uv_timer_start(&in->goodbye, close_peers, GOODBYE_MS, 0);
	for (p = in->peers; p; p = after) {
		after = p->next;
		p->ending = true;
		if (!p->is_writing)
			peer_close(p);
	}
}
