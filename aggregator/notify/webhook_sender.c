#include "aggregator/notify/webhook_sender.h"

#include "aggregator/base/endpoint.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MAX (64u << 10)		/* the answer is not used */

struct transfer {
	struct transfer *next, **link;
	struct webhook_sender *sender;
	CURL *easy;
	struct curl_slist *headers;
	void *body;
	size_t len, n_answered;
	unsigned n_tries;
	bool link_local, is_refused;	/* may connect to link-local addresses; was refused because of one */
	uv_timer_t pause;		/* until the next try */
	webhook_sender_done done;
	void *arg;
};

struct webhook_sender {
	uv_loop_t *loop;
	CURLM *multi;
	uv_timer_t timer;		/* libcurl's */
	struct transfer *transfers;
	size_t n, n_bytes, n_handles;
	unsigned pause_ms;
	bool closing;
};

struct socket_watch {			/* a socket of libcurl's */
	uv_poll_t poll;
	struct webhook_sender *sender;
	curl_socket_t fd;
};

/* ---- the end of a delivery ---- */

static void handle_closed(struct webhook_sender *s)
{
	if (--s->n_handles || !s->closing)
		return;
	free(s);
	curl_global_cleanup();
}

static void transfer_free(struct transfer *t)
{
	curl_easy_cleanup(t->easy);
	curl_slist_free_all(t->headers);
	free(t->body);
	free(t);
}

static void on_pause_closed(uv_handle_t *pause)
{
	struct transfer *t = pause->data;
	struct webhook_sender *s = t->sender;

	transfer_free(t);
	handle_closed(s);
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

static bool may_change(CURLcode code, long status)
{
	switch (code) {
	case CURLE_OK: return status >= 500 || status == 408 || status == 429;
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_PEER_FAILED_VERIFICATION:	/* the server's certificate; */
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_INVALIDCERTSTATUS:
	case CURLE_SSL_CACERT_BADFILE:		/* the system's certificates */
		return false;
	default: return true;
	}
}

/* libcurl's own message for the try names the host. */
static void say_curl_error(const struct transfer *t, CURLcode code, const char *tries, char reason[WEBHOOK_SENDER_REASON_MAX])
{
	long number = 0;

	curl_easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &number);
	snprintf(reason, WEBHOOK_SENDER_REASON_MAX, "%s%s%s%s", curl_easy_strerror(code), number ? ": " : "", number ? strerror((int)number) : "", tries);
}

static void say_reason(const struct transfer *t, CURLcode code, long status, char reason[WEBHOOK_SENDER_REASON_MAX])
{
	char tries[32] = "";

	if (t->n_tries > 1)
		snprintf(tries, sizeof(tries), ", tried %u times", t->n_tries);
	if (code == CURLE_OK && status / 100 == 3)
		snprintf(reason, WEBHOOK_SENDER_REASON_MAX, "the answer was %ld: redirects are not followed%s", status, tries);
	else if (code == CURLE_OK)
		snprintf(reason, WEBHOOK_SENDER_REASON_MAX, "the answer was %ld%s", status, tries);
	else if (t->is_refused)
		snprintf(reason, WEBHOOK_SENDER_REASON_MAX, "it leads to a link-local address: only a host that webhook-hosts lists may");
	else
		say_curl_error(t, code, tries, reason);
}

static void on_pause(uv_timer_t *pause)
{
	struct transfer *t = pause->data;

	t->n_answered = 0;
	t->is_refused = false;
	if (curl_multi_add_handle(t->sender->multi, t->easy))
		transfer_end(t, -ENOMEM, "out of memory");
}

static void on_tried(struct transfer *t, CURLcode code)
{
	char reason[WEBHOOK_SENDER_REASON_MAX];
	long status = 0;

	curl_multi_remove_handle(t->sender->multi, t->easy);
	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	t->n_tries++;
	if (code == CURLE_WRITE_ERROR && t->n_answered > ANSWER_MAX)	/* the server answered, but too much */
		code = CURLE_OK;
	if (code == CURLE_OK && status / 100 == 2) {
		transfer_end(t, 0, "");
	} else if (t->n_tries < WEBHOOK_SENDER_TRIES && !t->is_refused && may_change(code, status)) {
		uv_timer_start(&t->pause, on_pause, (uint64_t)t->sender->pause_ms << 2 * (t->n_tries - 1), 0);
	} else {
		say_reason(t, code, status, reason);
		transfer_end(t, -EIO, reason);
	}
}

/* ---- libcurl on the loop ---- */

static void check_finished(struct webhook_sender *s)
{
	CURLMsg *message;
	struct transfer *t;
	int n;

	while ((message = curl_multi_info_read(s->multi, &n)))
		if (message->msg == CURLMSG_DONE) {
			CURLcode code = message->data.result;	/* the message is freed with the handle */

			curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &t);
			on_tried(t, code);
		}
}

static void on_socket_ready(uv_poll_t *poll, int status, int events)
{
	struct socket_watch *w = poll->data;
	struct webhook_sender *s = w->sender;	/* this call may free the socket_watch */
	int what = (events & UV_READABLE ? CURL_CSELECT_IN : 0) | (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0), n;

	curl_multi_socket_action(s->multi, w->fd, status < 0 ? CURL_CSELECT_ERR : what, &n);
	check_finished(s);
}

static void on_watch_closed(uv_handle_t *poll)
{
	struct socket_watch *w = poll->data;
	struct webhook_sender *s = w->sender;

	free(w);
	handle_closed(s);
}

static struct socket_watch *watch_new(struct webhook_sender *s, curl_socket_t fd)
{
	struct socket_watch *w = malloc(sizeof(*w));

	if (!w || uv_poll_init_socket(s->loop, &w->poll, fd)) {
		free(w);
		return NULL;
	}
	w->poll.data = w;
	w->sender = s;
	w->fd = fd;
	s->n_handles++;
	curl_multi_assign(s->multi, fd, w);
	return w;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *its)
{
	struct socket_watch *w = its;

	if (what == CURL_POLL_REMOVE) {
		if (w)
			uv_close((uv_handle_t *)&w->poll, on_watch_closed);
		curl_multi_assign(((struct webhook_sender *)arg)->multi, fd, NULL);
		return 0;
	}
	w = w ? w : watch_new(arg, fd);
	if (!w)
		return -1;
	return uv_poll_start(&w->poll, (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0), on_socket_ready) ? -1 : 0;
}

static void on_timer(uv_timer_t *timer)
{
	struct webhook_sender *s = timer->data;
	int n;

	curl_multi_socket_action(s->multi, CURL_SOCKET_TIMEOUT, 0, &n);
	check_finished(s);
}

static int on_timeout(CURLM *multi, long ms, void *arg)
{
	struct webhook_sender *s = arg;

	if (s->closing)
		return 0;
	return (ms < 0 ? uv_timer_stop(&s->timer) : uv_timer_start(&s->timer, on_timer, (uint64_t)ms, 0)) ? -1 : 0;
}

/* ---- posting ---- */

static size_t on_answer(char *data, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;

	t->n_answered += n;
	return t->n_answered > ANSWER_MAX ? 0 : n;
}

/* Checks the address itself, so that no name, number or redirected name leads elsewhere. */
static curl_socket_t on_open(void *arg, curlsocktype purpose, struct curl_sockaddr *a)
{
	struct transfer *t = arg;

	if (!t->link_local && endpoint_is_link_local(&a->addr)) {
		t->is_refused = true;
		return CURL_SOCKET_BAD;
	}
	return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

static int add_header(struct transfer *t, const char *name, const char *value)
{
	struct curl_slist *more;
	char *line;
	int len = asprintf(&line, "%s%s", name, value);

	if (len < 0)
		return -ENOMEM;
	more = curl_slist_append(t->headers, line);
	free(line);
	if (!more)
		return -ENOMEM;
	t->headers = more;
	return 0;
}

static int set_request(struct transfer *t, const struct webhook_post *post)
{
	int err = add_header(t, "Content-Type: ", post->type);

	if (!err)
		err = add_header(t, "Expect:", "");	/* send bodies at once */
	if (!err && post->token && *post->token)
		err = add_header(t, "Authorization: Bearer ", post->token);
	if (err || curl_easy_setopt(t->easy, CURLOPT_URL, post->url))
		return -ENOMEM;
	curl_easy_setopt(t->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(t->easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(t->easy, CURLOPT_PROXY, "");
	curl_easy_setopt(t->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(t->easy, CURLOPT_QUICK_EXIT, 1L);	/* do not wait for a name lookup at the end */
	curl_easy_setopt(t->easy, CURLOPT_TIMEOUT_MS, (long)post->timeout_ms);
	curl_easy_setopt(t->easy, CURLOPT_USERAGENT, "heatscoped/" PACKAGE_VERSION);
	curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
	curl_easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->len);
	curl_easy_setopt(t->easy, CURLOPT_POSTFIELDS, t->body ? t->body : "");
	curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, on_answer);
	curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(t->easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
	curl_easy_setopt(t->easy, CURLOPT_OPENSOCKETDATA, t);
	curl_easy_setopt(t->easy, CURLOPT_PRIVATE, t);
	return 0;
}

static void queue_transfer(struct webhook_sender *s, struct transfer *t)
{
	uv_timer_init(s->loop, &t->pause);
	t->pause.data = t;
	s->n_handles++;
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
	*t = (struct transfer){ .sender = s, .body = post->body, .len = post->len, .done = done, .arg = arg, .easy = curl_easy_init(),
			      .link_local = post->link_local };
	err = t->easy ? set_request(t, post) : -ENOMEM;
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

	if (!s)
		return -ENOMEM;
	*s = (struct webhook_sender){ .loop = loop, .pause_ms = pause_ms, .multi = curl_global_init(CURL_GLOBAL_DEFAULT) ? NULL : curl_multi_init() };
	if (!s->multi) {
		free(s);
		return -ENOMEM;
	}
	curl_multi_setopt(s->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(s->multi, CURLMOPT_SOCKETDATA, s);
	curl_multi_setopt(s->multi, CURLMOPT_TIMERFUNCTION, on_timeout);
	curl_multi_setopt(s->multi, CURLMOPT_TIMERDATA, s);
	uv_timer_init(loop, &s->timer);
	s->timer.data = s;
	s->n_handles = 1;
	*ret_sender = s;
	return 0;
}

static void on_timer_closed(uv_handle_t *timer)
{
	handle_closed(timer->data);
}

void webhook_sender_close(struct webhook_sender *s)
{
	if (!s)
		return;
	s->closing = true;
	while (s->transfers) {
		curl_multi_remove_handle(s->multi, s->transfers->easy);
		transfer_end(s->transfers, -ECANCELED, "heatscoped was stopped");
	}
	curl_multi_cleanup(s->multi);		/* closes its sockets, and calls on_socket() for each */
	uv_close((uv_handle_t *)&s->timer, on_timer_closed);
}
