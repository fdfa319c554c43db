#include "aggregator/store/store_wait.h"

#include "collector/core/log.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define AGAIN_MS 1000

struct store_wait {
	uv_timer_t timer;
	uv_work_t work;
	struct store_wait_ops ops;
	void *arg;
	__s64 since_ns;
	char reason[STORE_WAIT_REASON_MAX];	/* of the latest attempt; the loop's */
	char why[STORE_WAIT_REASON_MAX];	/* of the running one; the worker's */
	bool is_trying, is_over, is_stopped;
	int err;
};

static void wait_gone(uv_handle_t *timer)
{
	free(timer->data);
}

static void wait_end(struct store_wait *w)
{
	uv_close((uv_handle_t *)&w->timer, wait_gone);
}

static void on_work(uv_work_t *work)
{
	struct store_wait *w = work->data;

	w->why[0] = 0;
	w->err = w->ops.try(w->arg, w->why);
}

static void say_why(struct store_wait *w)
{
	if (strcmp(w->reason, w->why))
		log_warning("%s; heatscoped waits", w->why);
	snprintf(w->reason, sizeof(w->reason), "%s", w->why);
}

static void on_timer(uv_timer_t *timer);

static void on_tried(uv_work_t *work, int status)
{
	struct store_wait *w = work->data;

	w->is_trying = false;
	if (w->is_stopped) {
		wait_end(w);
	} else if (w->err == -EAGAIN) {
		say_why(w);
		uv_timer_start(&w->timer, on_timer, AGAIN_MS, 0);
	} else {
		w->is_over = true;
		w->ops.done(w->arg, w->err, w->why);
		wait_end(w);
	}
}

static void on_timer(uv_timer_t *timer)
{
	struct store_wait *w = timer->data;

	w->is_trying = !uv_queue_work(timer->loop, &w->work, on_work, on_tried);
	if (!w->is_trying)
		uv_timer_start(timer, on_timer, AGAIN_MS, 0);
}

int store_wait_new(uv_loop_t *loop, const struct store_wait_ops *ops, void *arg, __s64 since_ns, struct store_wait **ret_wait)
{
	struct store_wait *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->ops = *ops;
	w->arg = arg;
	w->since_ns = since_ns;
	w->work.data = w->timer.data = w;
	uv_timer_init(loop, &w->timer);
	uv_timer_start(&w->timer, on_timer, 0, 0);
	*ret_wait = w;
	return 0;
}

void store_wait_stop(struct store_wait *w)
{
	if (!w || w->is_stopped || w->is_over)
		return;
	w->is_stopped = true;
	uv_timer_stop(&w->timer);
	if (!w->is_trying)
		wait_end(w);
}

void store_wait_text(const struct store_wait *w, char *ret_text, size_t room)
{
	time_t since = (time_t)(w->since_ns / 1000000000);
	char at[40] = "";
	struct tm tm;

	strftime(at, sizeof(at), "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&since, &tm));
	if (w->reason[0])
		snprintf(ret_text, room, "heatscoped waits for its store since %s: %s", at, w->reason);
	else
		snprintf(ret_text, room, "heatscoped opens its store since %s", at);
}
