#include "aggregator/export/otlp_push.h"

#include "aggregator/base/clock.h"
#include "aggregator/base/http_client.h"
#include "aggregator/export/otlp_answer.h"
#include "aggregator/export/otlp_headers.h"
#include "aggregator/export/otlp_points.h"
#include "collector/core/log.h"
#include "render/encode/deflate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

struct otlp_push {
	uv_loop_t *loop;
	const struct otlp_conf *conf;
	struct metrics_parts parts;
	char host[256];
	unsigned pause_ms;
	struct http_client *client;
	struct http_client_call *call;	/* NULL: no request is on its way */
	uv_timer_t timer, pause, limit;	/* of the interval; until the next try; of the last push */
	unsigned n_handles;
	struct otlp_points *sent;	/* delta: all that the receiver has; NULL: nothing */
	struct otlp_points *now;	/* delta: all that it has if it takes this push */
	struct bytes body;
	size_t n_points;		/* of this push; 0: none is on its way */
	unsigned n_tries;
	__s64 began_ns, hold_ns;	/* boot clock: the first try; no request before that */
	struct otlp_headers headers;
	struct otlp_counters counters;
	void (*done)(void *arg);	/* we finish; NULL: we do not */
	void *arg;
	bool is_last, is_closing;	/* the last push has begun */
};

/* ---- a push ends ---- */

static void note_failure(struct otlp_push *p, const char *what, const char *reason)
{
	if (strcmp(p->counters.reason, reason))		/* not again and again */
		log_warning("otlp: %s: %s", what, reason);
	snprintf(p->counters.reason, sizeof(p->counters.reason), "%s", reason);
	p->counters.failed_ns = now_ns();
}

/* The receiver has the points of this push, or must never get them again. */
static void keep_sent(struct otlp_push *p)
{
	if (!p->conf->is_delta)
		return;
	otlp_points_free(p->sent);
	p->sent = p->now;
	p->now = NULL;
}

static void push_end(struct otlp_push *p)
{
	otlp_points_free(p->now);
	p->now = NULL;
	bytes_fini(&p->body);
	p->body = (struct bytes){ 0 };
	p->n_points = 0;
	if (!p->done)
		return;
	if (p->is_last)
		otlp_push_close(p);
	else
		otlp_push_begin(p);
}

static void push_give_up(struct otlp_push *p, const char *reason)
{
	p->counters.n_dropped += p->n_points;
	note_failure(p, "a push was given up", reason);
	push_end(p);
}

/* ---- answers ---- */

static void on_accepted(struct otlp_push *p, const struct otlp_answer *a)
{
	__u64 n_rejected = a->n_rejected < p->n_points ? a->n_rejected : p->n_points;
	char reason[OTLP_REASON_MAX];

	p->counters.n_rejected += n_rejected;
	p->counters.n_sent += p->n_points - n_rejected;
	p->counters.sent_ns = now_ns();
	if (!a->is_readable)
		note_failure(p, "sent", "the answer was no message of OTLP: is it the URL of a receiver?");
	else if (n_rejected) {
		snprintf(reason, sizeof(reason), "the receiver rejected %llu of %zu points: %s", (unsigned long long)n_rejected, p->n_points,
			 *a->message ? a->message : "it does not say why");
		note_failure(p, "partly sent", reason);
	} else if (*a->message) {
		snprintf(reason, sizeof(reason), "the receiver warns: %s", a->message);
		note_failure(p, "sent", reason);
	}
	keep_sent(p);
	push_end(p);
}

static bool may_change(const struct http_client_answer *a)
{
	return a->status ? a->status == 429 || (a->status >= 502 && a->status <= 504) : a->may_change;
}

/* ms until the next try. */
static __s64 pause_of(const struct otlp_push *p, const struct http_client_answer *a)
{
	__s64 ms = (__s64)p->pause_ms << (p->n_tries - 1);
	unsigned chance = 0;

	if (a->retry_after_s > 0)
		return (__s64)a->retry_after_s * 1000;
	if (ms > OTLP_PAUSE_MAX_S * 1000)
		ms = OTLP_PAUSE_MAX_S * 1000;
	if (getrandom(&chance, sizeof(chance), GRND_NONBLOCK) < 0)
		chance = 0;
	return ms * 3 / 4 + ms / 2 * (chance & 1023) / 1024;
}

static void say_reason(const struct otlp_push *p, const struct http_client_answer *a, const struct otlp_answer *o, char reason[OTLP_REASON_MAX])
{
	char tries[32] = "";

	if (p->n_tries > 1)
		snprintf(tries, sizeof(tries), ", tried %u times", p->n_tries);
	if (a->status)
		snprintf(reason, OTLP_REASON_MAX, "the answer was %ld%s%s%s", a->status, tries, *o->message ? ": " : "", o->message);
	else
		snprintf(reason, OTLP_REASON_MAX, "%s%s", a->reason, tries);
}

static void on_pause(uv_timer_t *pause);

static void on_failed(struct otlp_push *p, const struct http_client_answer *a, const struct otlp_answer *o)
{
	char reason[OTLP_REASON_MAX];
	__s64 ms = pause_of(p, a), next_ns = boot_ns() + ms * 1000000;

	p->counters.n_failed++;
	say_reason(p, a, o, reason);
	if (!may_change(a)) {
		keep_sent(p);
		push_give_up(p, reason);
		return;
	}
	if (a->retry_after_s > 0)
		p->hold_ns = next_ns;
	if (p->n_tries >= OTLP_TRIES || next_ns > p->began_ns + OTLP_RETRY_S * 1000000000ll || p->done)
		push_give_up(p, reason);
	else
		uv_timer_start(&p->pause, on_pause, (uint64_t)ms, 0);
}

static void on_answer(void *arg, const struct http_client_answer *a)
{
	struct otlp_push *p = arg;
	struct otlp_answer o;

	p->call = NULL;
	p->n_tries++;
	otlp_answer_read(a->status, a->type, a->body, a->len, &o);
	if (a->status / 100 == 2)
		on_accepted(p, &o);
	else
		on_failed(p, a, &o);
}

/* ---- requests ---- */

static void send_request(struct otlp_push *p)
{
	const char *header[OTLP_HEADERS_MAX + 3];
	struct http_client_post post = { .url = p->conf->endpoint, .header = header, .body = p->body.data, .len = p->body.len,
					 .timeout_ms = p->done ? OTLP_FINISH_MS : p->conf->timeout_s * 1000, .answer_max = OTLP_ANSWER_MAX };
	size_t n = 0;

	header[n++] = p->conf->is_json ? "Content-Type: application/json" : "Content-Type: application/x-protobuf";
	if (!p->conf->is_plain)
		header[n++] = "Content-Encoding: gzip";
	for (size_t i = 0; i < p->headers.n; i++)
		header[n++] = p->headers.line[i];
	header[n] = NULL;
	p->counters.n_requests++;
	if (http_client_post(p->client, &post, on_answer, p, &p->call))
		push_give_up(p, "no memory");
}

static void on_pause(uv_timer_t *pause) { send_request(pause->data); }

/* ---- a push begins ---- */

static int collect(const struct otlp_push *p, __s64 time_ns, struct otlp_points **ret_points)
{
	const struct otlp_resource resource = { p->host, *p->conf->instance ? p->conf->instance : p->host };
	struct otlp_points *points;
	struct exposition e;
	size_t unused;
	int err = otlp_points_new(&resource, time_ns, &points);

	if (err)
		return err;
	exposition_begin(&e, &otlp_points_format, points);
	metrics_write(&p->parts, &e);
	free(exposition_end(&e, &unused));
	err = otlp_points_error(points);
	if (err)
		otlp_points_free(points);
	else
		*ret_points = points;
	return err;
}

static int pack_body(struct bytes *body)
{
	struct bytes packed = { 0 };
	int err = deflate_gzip(body->data, body->len, &packed.data, &packed.len);

	if (err)
		return err;
	bytes_fini(body);
	*body = packed;
	return 0;
}

static int encode(struct otlp_push *p, const struct otlp_points *points)
{
	struct bytes body = { .most = OTLP_BYTES };

	p->n_points = otlp_points_count(points);
	if (p->conf->is_json)
		otlp_points_json(points, &body);
	else
		otlp_points_protobuf(points, &body);
	if (!body.err && !p->conf->is_plain)
		body.err = pack_body(&body);
	p->body = body;
	return body.err;
}

/* The points of this push, as a body.  They are collected twice for deltas: one is kept, from the other one it is subtracted. */
static int make_body(struct otlp_push *p)
{
	struct otlp_points *points = NULL;
	__s64 time_ns = now_ns();
	int err = collect(p, time_ns, &points);

	if (!err && p->conf->is_delta) {
		err = collect(p, time_ns, &p->now);
		if (!err)
			err = otlp_points_subtract(points, p->sent);
	}
	if (!err)
		err = encode(p, points);
	otlp_points_free(points);
	return err;
}

void otlp_push_begin(struct otlp_push *p)
{
	int err;

	if (p->n_points || p->is_closing)
		return;
	p->is_last = p->done;
	if (boot_ns() < p->hold_ns) {		/* the receiver asked for a pause */
		push_end(p);
		return;
	}
	p->n_tries = 0;
	p->began_ns = boot_ns();
	p->counters.n_pushes++;
	err = make_body(p);
	if (err)
		push_give_up(p, err == -EFBIG ? "it is larger than 20 MiB, the most that receivers take: export fewer keys, or a smaller schema"
					      : "no memory");
	else if (!p->n_points)
		push_end(p);
	else
		send_request(p);
}

static void on_interval(uv_timer_t *timer) { otlp_push_begin(timer->data); }

void otlp_push_start(struct otlp_push *p)
{
	if (p)
		uv_timer_start(&p->timer, on_interval, p->conf->interval_s * 1000ull, p->conf->interval_s * 1000ull);
}

/* ---- its state ---- */

const struct otlp_counters *otlp_push_counters(const struct otlp_push *p) { return p ? &p->counters : NULL; }

json_t *otlp_push_json(const struct otlp_push *p)
{
	const struct otlp_counters *c = otlp_push_counters(p);

	if (!c)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:s}", "sent", (json_int_t)c->n_sent, "rejected", (json_int_t)c->n_rejected,
			 "dropped", (json_int_t)c->n_dropped, "pushes", (json_int_t)c->n_pushes, "requests", (json_int_t)c->n_requests, "failed",
			 (json_int_t)c->n_failed, "sent_at", (double)c->sent_ns / 1e9, "failed_at", (double)c->failed_ns / 1e9, "reason", c->reason);
}

/* ---- begin and end ---- */

int otlp_push_reload(struct otlp_push *p, char *reason)
{
	struct otlp_headers *next;
	int err;

	if (!p || !*p->conf->headers_file)
		return 0;
	next = calloc(1, sizeof(*next));
	if (!next)
		return -ENOMEM;
	err = otlp_headers_read(p->conf->headers_file, next, reason, CONF_REASON_MAX);
	if (!err) {
		p->headers = *next;
		for (size_t i = 0; i < next->n; i++)
			p->headers.line[i] = p->headers.text + (next->line[i] - next->text);
	}
	otlp_headers_clear(next);
	free(next);
	return err;
}

static void on_closed(uv_handle_t *handle)
{
	struct otlp_push *p = handle->data;

	if (--p->n_handles)
		return;
	http_client_close(p->client);		/* not before: we may have come from one of its calls */
	otlp_headers_clear(&p->headers);
	free(p);
}

void otlp_push_close(struct otlp_push *p)
{
	uv_timer_t *timers[3];

	if (!p || p->is_closing)
		return;
	timers[0] = &p->timer;
	timers[1] = &p->pause;
	timers[2] = &p->limit;
	p->is_closing = true;
	http_client_cancel(p->call);
	p->call = NULL;
	otlp_points_free(p->sent);
	otlp_points_free(p->now);
	bytes_fini(&p->body);
	for (int i = 0; i < 3; i++)
		uv_close((uv_handle_t *)timers[i], on_closed);
	if (p->done)
		p->done(p->arg);
}

static void on_limit(uv_timer_t *limit)
{
	struct otlp_push *p = limit->data;

	http_client_cancel(p->call);
	p->call = NULL;
	p->is_last = true;
	if (p->n_points)
		push_give_up(p, "heatscoped was stopped");
	else
		otlp_push_close(p);
}

void otlp_push_finish(struct otlp_push *p, void (*done)(void *arg), void *arg)
{
	if (!p) {
		done(arg);
		return;
	}
	p->done = done;
	p->arg = arg;
	uv_timer_stop(&p->timer);
	uv_timer_start(&p->limit, on_limit, OTLP_FINISH_MS, 0);
	if (p->call)			/* the last push begins when the answer has come */
		return;
	uv_timer_stop(&p->pause);
	if (p->n_points)
		push_end(p);		/* it waited for another try: the last push has the same and more */
	else
		otlp_push_begin(p);
}

static void begin_timers(struct otlp_push *p)
{
	uv_timer_t *timers[] = { &p->timer, &p->pause, &p->limit };

	for (int i = 0; i < 3; i++) {
		uv_timer_init(p->loop, timers[i]);
		timers[i]->data = p;
		p->n_handles++;
	}
}

int otlp_push_new(uv_loop_t *loop, const struct otlp_conf *conf, const struct metrics_parts *parts, unsigned pause_ms,
		  struct otlp_push **ret_push, char *reason)
{
	struct otlp_push *p;
	size_t len = sizeof(p->host);
	int err;

	if (!*conf->endpoint)
		return 0;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->loop = loop;
	p->conf = conf;
	p->parts = *parts;
	p->pause_ms = pause_ms;
	if (uv_os_gethostname(p->host, &len))
		snprintf(p->host, sizeof(p->host), "localhost");
	err = otlp_push_reload(p, reason);
	if (!err)
		err = http_client_new(loop, &p->client);
	if (err) {
		otlp_headers_clear(&p->headers);
		free(p);
		return err;
	}
	begin_timers(p);
	*ret_push = p;
	return 0;
}
