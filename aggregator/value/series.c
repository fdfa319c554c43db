#include "aggregator/value/series.h"
#include "aggregator/base/clock.h"
#include "aggregator/value/value.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

struct series {
	struct series *next, **link;	/* in the list of those that wait for sources; link NULL: in no list */
	struct waiter waiter;		/* its turn in the queue for a place */
	struct all_series *all;
	struct http_request *request;
	struct input in;
	__u64 inst;
	enum value_kind_id kind;
	enum admission_class class;
	struct payload_head head;	/* of the next point */
	size_t n_points, n_made;
	bool is_array;
	__s64 last;			/* slot of the last point */
	__s64 since_ns;			/* when it began to wait */
	uv_timer_t timer;		/* while it waits */
	struct bytes out;
	size_t held;			/* bytes of `out` that are counted in http_held */
};

static void series_free(struct series *s)
{
	s->all->held->bytes -= s->held;
	input_fini(&s->in);
	bytes_fini(&s->out);
	free(s);
}

/* Ends a series that had a place. */
static void series_end(struct series *s)
{
	struct services *services = s->all->services;
	enum admission_class class = s->class;

	catalog_touch(services->catalog, s->inst, boot_ns());
	series_free(s);
	admission_leave(&services->admission, class);
}

static void series_drop(struct series *s)
{
	http_drop(s->request);
	series_free(s);
}

/* ---- points ---- */

static void fail(struct series *s, unsigned status, const char *code, const char *reason)
{
	http_error(s->request, status, code, reason);
	series_end(s);
}

static void fail_with(struct series *s, int err, const char *reason)
{
	if (err == -ENOENT)
		fail(s, 404, "ECA_NOENT", "the instrumentation was deleted meanwhile");
	else if (err == -EINVAL)
		fail(s, 409, "ECA_INVAL", reason);
	else
		fail(s, 503, "ECA_NORESOURCE", err == -ESHUTDOWN ? "shutting down" : "out of memory");
}

static void on_point(struct value *v, void *arg);

static void run_next(struct series *s)
{
	const struct catalog_inst *ci = catalog_find(s->all->services->catalog, s->inst);
	char reason[PARAMS_REASON_MAX] = "";
	struct value *v;
	int err = s->all->closing ? -ESHUTDOWN : ci ? 0 : -ENOENT;

	if (!err)
		err = value_new_at(s->all->services, ci, s->kind, s->in.param, s->in.n, &s->head, &v, reason);
	if (err)
		fail_with(s, err, reason);
	else
		value_run(v, on_point, s);
}

/* Counts the bytes added to the array among those that clients have not taken.  False: there is no space for them. */
static bool hold(struct series *s)
{
	struct http_held *held = s->all->held;
	size_t more = s->out.room - s->held;

	if (!http_held_fits(held, more))
		return false;
	s->held += more;
	held->bytes += more;
	return true;
}

static void reply_array(struct series *s)
{
	size_t len = s->out.len + 2;
	void *data;

	bytes_put(&s->out, "]\n", 2);
	if (s->out.err) {
		fail(s, 503, "ECA_NORESOURCE", "out of memory");
		return;
	}
	data = realloc(s->out.data, len);
	data = data ? data : s->out.data;
	s->out = (struct bytes){ 0 };
	s->all->held->bytes -= s->held;
	s->held = 0;
	http_reply(s->request, 200, "application/json", data, len, NULL);
	series_end(s);
}

/* Adds v's text to the array. */
static void add_point(struct series *s, struct value *v)
{
	__s64 duration_ns = s->head.rounded.to - s->head.rounded.from;
	char reason[PARAMS_REASON_MAX];

	bytes_put(&s->out, s->n_made ? "," : "[", 1);
	bytes_put(&s->out, v->data, v->len - 1);		/* without its newline */
	value_free(v);
	s->n_made++;
	s->head.rounded.from += duration_ns;
	s->head.rounded.to += duration_ns;
	s->head.asked.from += duration_ns;
	s->head.asked.to += duration_ns;
	if (s->out.len > SERIES_REPLY_MAX) {
		snprintf(reason, sizeof(reason), "value \"%zu\" for parameter \"ndatapoints\" is invalid: %zu of them fill the %u MiB "
			 "that a reply may have", s->n_points, s->n_made, SERIES_REPLY_MAX >> 20);
		fail(s, 409, "ECA_INVAL", reason);
	} else if (!hold(s)) {
		http_busy(s->request, HTTP_IDLE_S, "answers that readers have not received fill the memory for "
			"answers; try again in half a minute");
		series_end(s);
	} else if (s->n_made == s->n_points) {
		reply_array(s);
	} else if (http_is_gone(s->request)) {
		http_drop(s->request);
		series_end(s);
	} else {
		run_next(s);
	}
}

static void on_point(struct value *v, void *arg)
{
	struct series *s = arg;

	if (v->status == 200 && s->is_array) {
		add_point(s, v);
		return;
	}
	if (v->status == 200) {
		http_reply(s->request, 200, v->type, v->data, v->len, NULL);
		v->data = NULL;
	} else {
		http_error(s->request, v->status, v->code, v->reason);
	}
	value_free(v);
	series_end(s);
}

/* ---- waiting for a place ---- */

static struct series *of_waiter(struct waiter *t)
{
	return (struct series *)((char *)t - offsetof(struct series, waiter));
}

static bool waiter_wanted(struct waiter *t)
{
	return !http_is_gone(of_waiter(t)->request);
}

static void waiter_start(struct waiter *t)
{
	run_next(of_waiter(t));
}

static void waiter_drop(struct waiter *t)
{
	series_drop(of_waiter(t));
}

static void series_refuse(struct series *s)
{
	if (s->class == ADMISSION_LARGE)
		http_busy(s->request, 5, "too many pictures and series are asked for at a time; try again in a few seconds");
	else if (s->class == ADMISSION_MEDIUM)
		http_busy(s->request, 5, "too many grids, explanations, exemplars and compositions are asked for at a time; try again in a few seconds");
	else
		http_busy(s->request, 1, "too many values are asked for at a time; try again in a second");
	series_free(s);
}

static void make_ready(struct series *s)
{
	struct admission *admission = &s->all->services->admission;

	if (http_is_gone(s->request))
		series_drop(s);
	else if (admission_take(admission, s->class))
		run_next(s);
	else if (admission_wait(admission, s->class, &s->waiter))
		series_refuse(s);
}

/* ---- waiting ---- */

static void on_timer_closed(uv_handle_t *timer)
{
	struct series *s = timer->data;
	const struct catalog *c = s->all->services->catalog;
	const struct catalog_inst *ci = catalog_find(c, s->inst);
	__s64 waited_ns = now_ns() - s->since_ns;

	if (ci)
		s->head.n_sources = catalog_n_sources(c, ci, now_ns());
	s->head.delay_ms = waited_ns > 1000000 ? (__u64)waited_ns / 1000000 : 1;
	make_ready(s);
}

static void wake(struct series *s)
{
	*s->link = s->next;
	if (s->next)
		s->next->link = s->link;
	s->link = NULL;
	uv_close((uv_handle_t *)&s->timer, on_timer_closed);
}

static void on_timeout(uv_timer_t *timer)
{
	wake(timer->data);
}

static bool must_wait(const struct series *s)
{
	const struct catalog *c = s->all->services->catalog;
	const struct catalog_inst *ci = catalog_find(c, s->inst);

	return !s->all->closing && ci && !catalog_reported(c, ci, s->last, now_ns());
}

static void wait_for_sources(struct series *s, __u64 timeout_ms)
{
	struct all_series *all = s->all;

	s->since_ns = now_ns();
	uv_timer_init(all->services->loop, &s->timer);
	s->timer.data = s;
	uv_timer_start(&s->timer, on_timeout, timeout_ms, 0);
	s->next = all->waiting;
	s->link = &all->waiting;
	if (s->next)
		s->next->link = &s->next;
	all->waiting = s;
}

static void waiting_check(struct all_series *all, __u64 inst)
{
	struct series *s, *after;

	for (s = all->waiting; s; s = after) {
		after = s->next;
		if ((!inst || s->inst == inst) && !must_wait(s))
			wake(s);
	}
}

static void on_seen(void *arg, __u64 inst)
{
	waiting_check(arg, inst);
}

static void on_changed(void *arg, bool wanted)
{
	waiting_check(arg, 0);
}

void all_series_init(struct all_series *all, struct services *services, struct http_held *held)
{
	*all = (struct all_series){ .services = services, .held = held, .observer = { .changed = on_changed, .seen = on_seen, .arg = all } };
	catalog_observe(services->catalog, &all->observer);
}

void all_series_hurry(struct all_series *all)
{
	all->closing = true;
	waiting_check(all, 0);
}

void all_series_fini(struct all_series *all)
{
	catalog_unobserve(all->services->catalog, &all->observer);
}

/* ---- opening ---- */

static enum admission_class class_of(enum value_kind_id kind, size_t n_points)
{
	return n_points > SERIES_SMALL_MAX ? ADMISSION_LARGE : value_class(kind);
}

int series_open(struct all_series *all, struct http_request *r, const struct catalog_inst *ci, enum value_kind_id kind,
		struct input *in, char *reason)
{
	struct series *s = calloc(1, sizeof(*s));
	struct value *v;
	int err = s ? value_new_at(all->services, ci, kind, in->param, in->n, NULL, &v, reason) : -ENOMEM;
	__s64 duration_ns;

	if (err) {
		input_fini(in);
		free(s);
		return err;
	}
	duration_ns = v->head.rounded.to - v->head.rounded.from;
	*s = (struct series){ .all = all, .request = r, .in = *in, .inst = ci->in.id, .kind = kind, .head = v->head,
			      .n_points = (size_t)v->p.n_points, .is_array = v->p.has_points };
	s->class = class_of(kind, s->n_points);
	s->waiter = (struct waiter){ .wanted = waiter_wanted, .start = waiter_start, .drop = waiter_drop };
	s->last = (v->head.rounded.from + v->p.n_points * duration_ns) / (__s64)ci->in.slot_ns - 1;
	if (v->p.timeout_ms && must_wait(s)) {
		wait_for_sources(s, (__u64)v->p.timeout_ms);
		value_free(v);
	} else if (admission_take(&all->services->admission, s->class)) {
		value_run(v, on_point, s);
	} else {
		value_free(v);
		make_ready(s);
	}
	return 0;
}
