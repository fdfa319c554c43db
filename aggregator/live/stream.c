#include "aggregator/live/stream.h"
#include "aggregator/base/clock.h"
#include "aggregator/params/params.h"
#include "aggregator/live/views.h"
#include "aggregator/base/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_MS 100			/* checks due columns and clients that left, even if nothing changed */
#define GAP_MS 50			/* from an event to the next check for changes */
#define HEARTBEAT_MS 10000

struct part {				/* of a stream */
	struct stream *stream;
	struct view *view;		/* NULL: gone */
	__u64 inst;
};

struct stream {
	struct stream *next, **link;	/* link NULL: no longer among the streams */
	struct streams *all;
	struct http_request *request;	/* until the first event is sent */
	struct http_stream *http;	/* from then on; NULL: the client has left */
	uv_timer_t timer;
	__u64 put_ms;			/* the loop's clock, which cannot be set */
	__u64 n_events;			/* number of the last event, including those before a resume */
	size_t at;			/* the view whose turn is next */
	bool one;			/* requested alone: if it fails, that is the reply */
	size_t n;
	struct part part[];
};

static void on_timer_closed(uv_handle_t *timer)
{
	free(timer->data);
}

static void stream_close(struct stream *s)
{
	if (!s->link)
		return;
	*s->link = s->next;
	if (s->next)
		s->next->link = s->link;
	s->link = NULL;
	s->http = NULL;
	s->all->n_views -= s->n;
	for (size_t i = 0; i < s->n; i++) {
		view_close(s->part[i].view);
		s->part[i].view = NULL;
	}
	uv_close((uv_handle_t *)&s->timer, on_timer_closed);
}

static void on_gone(void *arg)
{
	stream_close(arg);
}

/* ---- sending ---- */

static void put(struct stream *s, const char *text, size_t len)
{
	struct http_request *r = s->request;

	if (r) {
		s->request = NULL;
		s->http = http_stream(r, on_gone, s);
		if (!s->http)
			stream_close(s);
	}
	if (s->http)
		http_stream_put(s->http, text, len);
	s->put_ms = uv_now(s->all->services->loop);
}

static void put_event(struct part *p, const char *text, size_t len)
{
	struct stream *s = p->stream;
	char id[48];
	int n = snprintf(id, sizeof(id), "id: %llu-%zu\n", (unsigned long long)++s->n_events, (size_t)(p - s->part));
	char *event = malloc((size_t)n + len);

	if (!event)
		return;
	memcpy(event, id, (size_t)n);
	memcpy(event + n, text, len);
	put(s, event, (size_t)n + len);
	free(event);
}

static bool is_full(const struct stream *s)
{
	return s->request ? http_is_gone(s->request) : s->http && http_stream_waiting(s->http) > STREAM_AHEAD;
}

static bool is_empty(const struct stream *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->part[i].view)
			return false;
	return true;
}

static void part_gone(struct part *p, const char *code, const char *reason)
{
	struct stream *s = p->stream;
	struct bytes out = { 0 };

	view_close(p->view);
	p->view = NULL;
	if (!s->one) {
		writer_raw(&out, "event: gone\ndata: {");
		writer_name_number(&out, "view", (__u64)(p - s->part));
		writer_name_text(&out, "code", code);
		writer_name_text(&out, "message", reason);
		writer_raw(&out, "}\n\n");
		if (!out.err)
			put_event(p, (const char *)out.data, out.len);
		bytes_fini(&out);
	}
	if (is_empty(s) && s->http)
		http_stream_end(s->http);
}

static void part_deleted(struct part *p)
{
	part_gone(p, "ECA_NOENT", "there is no such instrumentation");
}

/* ---- calls from views ---- */

static void on_event(void *arg, const char *text, size_t len)
{
	put_event(arg, text, len);
}

static bool on_full(void *arg)
{
	return is_full(((struct part *)arg)->stream);
}

static void on_failed(void *arg, unsigned status, const char *code, const char *reason)
{
	struct part *p = arg;
	struct stream *s = p->stream;
	struct http_request *r = s->request;

	if (!s->one) {
		part_gone(p, code, reason);
		return;
	}
	s->request = NULL;
	http_error(r, status, code, reason);
	stream_close(s);
}

static void on_tick(uv_timer_t *timer);

/* Sends changes at once, if no event was sent just before: a tick that found nothing delays no event. */
static void hurry(struct stream *s)
{
	__u64 now_ms = uv_now(s->all->services->loop), due_ms = s->put_ms + GAP_MS;

	if (s->link)
		uv_timer_start(&s->timer, on_tick, due_ms > now_ms ? due_ms - now_ms : 0, TICK_MS);
}

static void on_view_changed(void *arg)
{
	struct part *p = arg;

	if (!catalog_find(p->stream->all->services->catalog, p->inst))
		part_deleted(p);	/* deleted meanwhile: there is no other notification */
	else
		hurry(p->stream);
}

static const struct view_owner owner = { on_event, on_failed, on_full, on_view_changed };

/* If the client is full during the round, the next round begins with the views that are left. */
static void tick_views(struct stream *s)
{
	for (size_t i = 0; i < s->n && s->http && !is_full(s); i++) {
		struct view *v = s->part[s->at].view;

		s->at = (s->at + 1) % s->n;
		if (v)
			view_tick(v);
	}
}

static void on_tick(uv_timer_t *timer)
{
	struct stream *s = timer->data;

	for (size_t i = 0; i < s->n; i++)
		if (s->http && s->part[i].view)		/* an open stream counts as a request for it */
			catalog_touch(s->all->services->catalog, s->part[i].inst, boot_ns());
	if (s->request && http_is_gone(s->request)) {
		http_drop(s->request);
		s->request = NULL;
		stream_close(s);
		return;
	}
	if (!s->http || http_stream_waiting(s->http))
		return;
	tick_views(s);
	if (s->http && uv_now(s->all->services->loop) - s->put_ms >= HEARTBEAT_MS)
		put(s, ":\n\n", 3);
}

/* ---- all streams ---- */

static void on_amended(void *arg, __u64 inst, __s64 first, __s64 last)
{
	struct streams *all = arg;

	for (struct stream *s = all->first; s; s = s->next)
		for (size_t i = 0; i < s->n; i++)
			if (s->part[i].view && s->part[i].inst == inst) {
				view_mark(s->part[i].view, first, last);
				hurry(s);
			}
}

static void on_changed(void *arg, bool wanted)
{
	struct streams *all = arg;

	for (struct stream *s = all->first; s; s = s->next)
		for (size_t i = 0; i < s->n && s->http; i++)
			if (s->part[i].view && !catalog_find(all->services->catalog, s->part[i].inst))
				part_deleted(&s->part[i]);
}

void streams_init(struct streams *all, struct services *services)
{
	*all = (struct streams){ .services = services, .amended = { .amended = on_amended, .arg = all },
				 .changed = { .changed = on_changed, .arg = all } };
	store_queue_observe(services->store_queue, &all->amended);
	catalog_observe(services->catalog, &all->changed);
}

void streams_fini(struct streams *all)
{
	store_queue_unobserve(all->services->store_queue, &all->amended);
	catalog_unobserve(all->services->catalog, &all->changed);
	while (all->first)
		stream_close(all->first);
}

/* An id that is not ours begins from the start. */
static void resume(struct stream *s, const char *last)
{
	unsigned long long n;
	size_t view;
	int end = 0;

	if (*last < '0' || *last > '9' || sscanf(last, "%18llu-%9zu%n", &n, &view, &end) != 2 || last[end] || view >= s->n)
		return;
	s->n_events = n;
	s->at = (view + 1) % s->n;
}

static bool streams_refuse(struct streams *all, struct http_request *r, size_t n)
{
	if (all->n_views + n <= STREAM_VIEWS_MAX)
		return false;
	http_busy(r, 30, "too many grids are streamed already; try again in half a minute");
	return true;
}

static struct stream *stream_new(struct streams *all, struct http_request *r, size_t n, bool one)
{
	struct stream *s = calloc(1, sizeof(*s) + n * sizeof(*s->part));

	if (!s)
		return NULL;
	s->all = all;
	s->request = r;
	s->one = one;
	s->n = n;
	s->all->n_views += n;
	resume(s, http_header(r, "Last-Event-ID"));
	uv_timer_init(all->services->loop, &s->timer);
	s->timer.data = s;
	s->next = all->first;
	s->link = &all->first;
	if (s->next)
		s->next->link = &s->next;
	all->first = s;
	return s;
}

static int add_view(struct stream *s, size_t i, __u64 inst, const struct http_param *param, size_t n, char *reason)
{
	struct view_asked asked = { .inst = inst, .number = s->one ? -1 : (long)i, .param = param, .n_params = n };
	struct part *p = &s->part[i];

	*p = (struct part){ .stream = s, .inst = inst };
	return view_new(s->all->services, &s->all->memory, &asked, &owner, p, &p->view, reason);
}

int stream_open(struct streams *all, struct http_request *r, const struct catalog_inst *ci, char *reason)
{
	struct http_param param[HTTP_PARAMS_MAX];
	const struct http_param *query;
	struct stream *s;
	size_t n;
	int err;

	if (streams_refuse(all, r, 1))
		return 0;
	s = stream_new(all, r, 1, true);
	if (!s)
		return -ENOMEM;
	query = http_params(r, &n);
	n = params_known(query, n, param);
	err = add_view(s, 0, ci->in.id, param, n, reason);
	if (!err)
		err = uv_timer_start(&s->timer, on_tick, TICK_MS, TICK_MS);
	if (err)
		stream_close(s);
	return err;
}

/* Reports a requested view that does not exist (any more), and goes on with the others. */
static int add_views(struct stream *s, struct views *asked, char *reason)
{
	char why[PARAMS_REASON_MAX] = "";
	int err = 0;

	for (size_t n = 0; n < asked->n && !err; n++) {
		size_t i = (s->at + n) % asked->n;

		err = add_view(s, i, asked->view[i].inst, asked->view[i].in.param, asked->view[i].in.n, why);
		if (err == -EINVAL)
			snprintf(reason, PARAMS_REASON_MAX, "view %zu: %.*s", i, PARAMS_REASON_MAX - 32, why);
		if (err == -ENOENT)
			err = 0;
	}
	for (size_t i = 0; i < asked->n && !err; i++)
		if (!s->part[i].view)
			part_deleted(&s->part[i]);
	return err;
}

int stream_open_views(struct streams *all, struct http_request *r, char *reason)
{
	size_t n;
	const struct http_param *param = http_params(r, &n);
	struct views asked;
	struct stream *s;
	int err = views_read(param, n, &asked, reason);

	if (err)
		return err;
	if (streams_refuse(all, r, asked.n)) {
		views_fini(&asked);
		return 0;
	}
	s = stream_new(all, r, asked.n, false);
	err = s ? add_views(s, &asked, reason) : -ENOMEM;
	views_fini(&asked);
	if (!err && s->link)
		err = uv_timer_start(&s->timer, on_tick, TICK_MS, TICK_MS);
	if (err && s)
		stream_close(s);
	return err;
}
