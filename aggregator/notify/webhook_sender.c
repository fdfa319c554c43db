#include "aggregator/notify/webhook_sender.h"

#include "aggregator/base/http_client.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MAX (64u << 10)		/* the answer is not used */

struct transfer {
	struct transfer *next, **link;
	struct webhook_sender *sender;
	char *url, *header[2];		/* Content-Type; Authorization, NULL: none */
	void *body;
	size_t len;
	unsigned timeout_ms, n_tries;
	bool link_local;
	struct http_client_call *call;	/* NULL: between two tries */
	uv_timer_t pause;		/* until the next try */
	webhook_sender_done done;
	void *arg;
};

struct webhook_sender {
	uv_loop_t *loop;
	struct http_client *client;
	struct transfer *transfers;
	size_t n, n_bytes, n_pauses;	/* pauses: handles that are not closed */
	unsigned pause_ms;
	bool closing;
};

/* ---- the end of a delivery ---- */

static void transfer_free(struct transfer *t)
{
	free(t->url);
	free(t->header[0]);
	free(t->header[1]);
	free(t->body);
	free(t);
}

static void on_pause_closed(uv_handle_t *pause)
{
	struct transfer *t = pause->data;
	struct webhook_sender *s = t->sender;

	transfer_free(t);
	if (!--s->n_pauses && s->closing)
		free(s);
}

static void transfer_end(struct transfer *t, int err, const char *reason)
{
	struct webhook_sender *s = t->sender;

	*t->link = t->next;
	if (t->next)
		t->next->link = t->link;
	s->n--;
	s->n_bytes -= t->len;
	uv_close((uv_handle_t *)&t->pause, on_pause_closed);
	t->done(t->arg, err, reason);
}

/* ---- tries ---- */

static bool may_change(const struct http_client_answer *a)
{
	return a->status ? a->status >= 500 || a->status == 408 || a->status == 429 : a->may_change;
}

static void say_reason(const struct transfer *t, const struct http_client_answer *a, char reason[WEBHOOK_SENDER_REASON_MAX])
{
	char tries[32] = "";

	if (t->n_tries > 1)
		snprintf(tries, sizeof(tries), ", tried %u times", t->n_tries);
	if (a->status / 100 == 3)
		snprintf(reason, WEBHOOK_SENDER_REASON_MAX, "the answer was %ld: redirects are not followed%s", a->status, tries);
	else if (a->status)
		snprintf(reason, WEBHOOK_SENDER_REASON_MAX, "the answer was %ld%s", a->status, tries);
	else if (a->is_refused)
		snprintf(reason, WEBHOOK_SENDER_REASON_MAX, "%.80s: only a host that webhook-hosts lists may", a->reason);
	else
		snprintf(reason, WEBHOOK_SENDER_REASON_MAX, "%s%s", a->reason, tries);
}

static void on_pause(uv_timer_t *pause);

static void on_tried(void *arg, const struct http_client_answer *a)
{
	struct transfer *t = arg;
	char reason[WEBHOOK_SENDER_REASON_MAX];

	t->call = NULL;
	t->n_tries++;
	if (a->status / 100 == 2) {
		transfer_end(t, 0, "");
	} else if (t->n_tries < WEBHOOK_SENDER_TRIES && may_change(a)) {
		uv_timer_start(&t->pause, on_pause, (uint64_t)t->sender->pause_ms << 2 * (t->n_tries - 1), 0);
	} else {
		say_reason(t, a, reason);
		transfer_end(t, -EIO, reason);
	}
}

static void on_pause(uv_timer_t *pause)
{
	struct transfer *t = pause->data;
	const char *const header[] = { t->header[0], t->header[1], NULL };
	const struct http_client_post post = { .url = t->url, .header = header, .body = t->body, .len = t->len, .timeout_ms = t->timeout_ms,
					       .link_local = t->link_local, .answer_max = ANSWER_MAX };

	if (http_client_post(t->sender->client, &post, on_tried, t, &t->call))
		transfer_end(t, -ENOMEM, "out of memory");
}

/* ---- posting ---- */

static char *make_header(const char *name, const char *value)
{
	char *line;

	return asprintf(&line, "%s%s", name, value) < 0 ? NULL : line;
}

static int fill_transfer(struct transfer *t, const struct webhook_post *post)
{
	bool has_token = post->token && *post->token;

	t->url = strdup(post->url);
	t->header[0] = make_header("Content-Type: ", post->type);
	t->header[1] = has_token ? make_header("Authorization: Bearer ", post->token) : NULL;
	return t->url && t->header[0] && !t->header[1] == !has_token ? 0 : -ENOMEM;
}

static void queue_transfer(struct webhook_sender *s, struct transfer *t)
{
	uv_timer_init(s->loop, &t->pause);
	t->pause.data = t;
	s->n_pauses++;
	t->next = s->transfers;
	t->link = &s->transfers;
	if (t->next)
		t->next->link = &t->next;
	s->transfers = t;
	s->n++;
	s->n_bytes += t->len;
	uv_timer_start(&t->pause, on_pause, 0, 0);
}

static int check_bounds(const struct webhook_sender *s, size_t len)
{
	if (s->closing)
		return -ECANCELED;
	if (len > WEBHOOK_SENDER_BYTES)
		return -E2BIG;
	return s->n >= WEBHOOK_SENDER_WAITING || len > WEBHOOK_SENDER_BYTES - s->n_bytes ? -ENOSPC : 0;
}

int webhook_sender_post(struct webhook_sender *s, const struct webhook_post *post, webhook_sender_done done, void *arg)
{
	struct transfer *t = NULL;
	int err = check_bounds(s, post->len);

	if (!err) {
		t = calloc(1, sizeof(*t));
		err = t ? 0 : -ENOMEM;
	}
	if (err) {
		free(post->body);
		return err;
	}
	*t = (struct transfer){ .sender = s, .body = post->body, .len = post->len, .timeout_ms = post->timeout_ms, .link_local = post->link_local,
			      .done = done, .arg = arg };
	err = fill_transfer(t, post);
	if (err)
		transfer_free(t);
	else
		queue_transfer(s, t);
	return err;
}

/* ---- begin and end ---- */

int webhook_sender_new(uv_loop_t *loop, unsigned pause_ms, struct webhook_sender **ret_sender)
{
	struct webhook_sender *s = calloc(1, sizeof(*s));
	int err = s ? http_client_new(loop, &s->client) : -ENOMEM;

	if (err) {
		free(s);
		return err;
	}
	s->loop = loop;
	s->pause_ms = pause_ms;
	*ret_sender = s;
	return 0;
}

void webhook_sender_close(struct webhook_sender *s)
{
	if (!s)
		return;
	s->closing = true;
	while (s->transfers) {
		http_client_cancel(s->transfers->call);
		transfer_end(s->transfers, -ECANCELED, "heatscoped was stopped");
	}
	http_client_close(s->client);
	if (!s->n_pauses)
		free(s);
}
