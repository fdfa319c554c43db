#include "aggregator/notify/webhook_sender.h"

#include "aggregator/base/endpoint.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MAX (64u << 10)		/* nobody reads it */

struct letter {
	struct letter *next, **link;
	struct courier *courier;
	CURL *easy;
	struct curl_slist *headers;
	void *body;
	size_t len, n_answered;
	unsigned n_tries;
	bool link_local, is_refused;	/* it may go to addresses of the link; it would have gone there */
	uv_timer_t pause;		/* until the next try */
	courier_done done;
	void *arg;
};

struct courier {
	uv_loop_t *loop;
	CURLM *multi;
	uv_timer_t timer;		/* libcurl's */
	struct letter *letters;
	size_t n, n_bytes, n_handles;
	unsigned pause_ms;
	bool closing;
};

struct wire {				/* a socket of libcurl's */
	uv_poll_t poll;
	struct courier *courier;
	curl_socket_t fd;
};

/* ---- ends ---- */

static void handle_closed(struct courier *c)
{
	if (--c->n_handles || !c->closing)
		return;
	free(c);
	curl_global_cleanup();
}

static void letter_free(struct letter *l)
{
	curl_easy_cleanup(l->easy);
	curl_slist_free_all(l->headers);
	free(l->body);
	free(l);
}

static void on_pause_closed(uv_handle_t *pause)
{
	struct letter *l = pause->data;
	struct courier *c = l->courier;

	letter_free(l);
	handle_closed(c);
}

static void letter_end(struct letter *l, int err, const char *reason)
{
	struct courier *c = l->courier;

	*l->link = l->next;
	if (l->next)
		l->next->link = l->link;
	c->n--;
	c->n_bytes -= l->len;
	uv_close((uv_handle_t *)&l->pause, on_pause_closed);
	l->done(l->arg, err, reason);
}

/* ---- tries ---- */

static bool may_change(CURLcode code, long status)
{
	switch (code) {
	case CURLE_OK:
		return status >= 500 || status == 408 || status == 429;
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_PEER_FAILED_VERIFICATION:	/* its certificate; */
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_INVALIDCERTSTATUS:
	case CURLE_SSL_CACERT_BADFILE:		/* those of the system */
		return false;
	default:
		return true;
	}
}

/* libcurl's own words for the try name the host. */
static void say_trouble(const struct letter *l, CURLcode code, const char *tries, char reason[COURIER_REASON_MAX])
{
	long number = 0;

	curl_easy_getinfo(l->easy, CURLINFO_OS_ERRNO, &number);
	snprintf(reason, COURIER_REASON_MAX, "%s%s%s%s", curl_easy_strerror(code), number ? ": " : "", number ? strerror((int)number) : "", tries);
}

static void say_why(const struct letter *l, CURLcode code, long status, char reason[COURIER_REASON_MAX])
{
	char tries[32] = "";

	if (l->n_tries > 1)
		snprintf(tries, sizeof(tries), ", tried %u times", l->n_tries);
	if (code == CURLE_OK && status / 100 == 3)
		snprintf(reason, COURIER_REASON_MAX, "the answer was %ld: redirects are not followed%s", status, tries);
	else if (code == CURLE_OK)
		snprintf(reason, COURIER_REASON_MAX, "the answer was %ld%s", status, tries);
	else if (l->is_refused)
		snprintf(reason, COURIER_REASON_MAX, "it leads to a link-local address: only a host that webhook-hosts lists may");
	else
		say_trouble(l, code, tries, reason);
}

static void on_pause(uv_timer_t *pause)
{
	struct letter *l = pause->data;

	l->n_answered = 0;
	l->is_refused = false;
	if (curl_multi_add_handle(l->courier->multi, l->easy))
		letter_end(l, -ENOMEM, "out of memory");
}

static void on_tried(struct letter *l, CURLcode code)
{
	char reason[COURIER_REASON_MAX];
	long status = 0;

	curl_multi_remove_handle(l->courier->multi, l->easy);
	curl_easy_getinfo(l->easy, CURLINFO_RESPONSE_CODE, &status);
	l->n_tries++;
	if (code == CURLE_WRITE_ERROR && l->n_answered > ANSWER_MAX)	/* it was answered, at length */
		code = CURLE_OK;
	if (code == CURLE_OK && status / 100 == 2) {
		letter_end(l, 0, "");
	} else if (l->n_tries < COURIER_TRIES && !l->is_refused && may_change(code, status)) {
		uv_timer_start(&l->pause, on_pause, (uint64_t)l->courier->pause_ms << 2 * (l->n_tries - 1), 0);
	} else {
		say_why(l, code, status, reason);
		letter_end(l, -EIO, reason);
	}
}

/* ---- libcurl on the loop ---- */

static void look(struct courier *c)
{
	CURLMsg *message;
	struct letter *l;
	int n;

	while ((message = curl_multi_info_read(c->multi, &n)))
		if (message->msg == CURLMSG_DONE) {
			CURLcode code = message->data.result;	/* the message goes with the handle */

			curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &l);
			on_tried(l, code);
		}
}

static void on_wire(uv_poll_t *poll, int status, int events)
{
	struct wire *w = poll->data;
	struct courier *c = w->courier;		/* the wire may be gone in a moment */
	int what = (events & UV_READABLE ? CURL_CSELECT_IN : 0) | (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0), n;

	curl_multi_socket_action(c->multi, w->fd, status < 0 ? CURL_CSELECT_ERR : what, &n);
	look(c);
}

static void on_wire_closed(uv_handle_t *poll)
{
	struct wire *w = poll->data;
	struct courier *c = w->courier;

	free(w);
	handle_closed(c);
}

static struct wire *wire_new(struct courier *c, curl_socket_t fd)
{
	struct wire *w = malloc(sizeof(*w));

	if (!w || uv_poll_init_socket(c->loop, &w->poll, fd)) {
		free(w);
		return NULL;
	}
	w->poll.data = w;
	w->courier = c;
	w->fd = fd;
	c->n_handles++;
	curl_multi_assign(c->multi, fd, w);
	return w;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *its)
{
	struct wire *w = its;

	if (what == CURL_POLL_REMOVE) {
		if (w)
			uv_close((uv_handle_t *)&w->poll, on_wire_closed);
		curl_multi_assign(((struct courier *)arg)->multi, fd, NULL);
		return 0;
	}
	w = w ? w : wire_new(arg, fd);
	if (!w)
		return -1;
	return uv_poll_start(&w->poll, (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0), on_wire) ? -1 : 0;
}

static void on_timer(uv_timer_t *timer)
{
	struct courier *c = timer->data;
	int n;

	curl_multi_socket_action(c->multi, CURL_SOCKET_TIMEOUT, 0, &n);
	look(c);
}

static int on_timeout(CURLM *multi, long ms, void *arg)
{
	struct courier *c = arg;

	if (c->closing)
		return 0;
	return (ms < 0 ? uv_timer_stop(&c->timer) : uv_timer_start(&c->timer, on_timer, (uint64_t)ms, 0)) ? -1 : 0;
}

/* ---- posting ---- */

static size_t on_answer(char *data, size_t size, size_t n, void *arg)
{
	struct letter *l = arg;

	l->n_answered += n;
	return l->n_answered > ANSWER_MAX ? 0 : n;
}

/* By the address, so that no name, number or redirection of names leads elsewhere. */
static curl_socket_t on_open(void *arg, curlsocktype purpose, struct curl_sockaddr *a)
{
	struct letter *l = arg;

	if (!l->link_local && endpoint_is_link_local(&a->addr)) {
		l->is_refused = true;
		return CURL_SOCKET_BAD;
	}
	return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

static int add_header(struct letter *l, const char *name, const char *value)
{
	struct curl_slist *more;
	char *line;
	int len = asprintf(&line, "%s%s", name, value);

	if (len < 0)
		return -ENOMEM;
	more = curl_slist_append(l->headers, line);
	free(line);
	if (!more)
		return -ENOMEM;
	l->headers = more;
	return 0;
}

static int address(struct letter *l, const struct courier_post *post)
{
	int err = add_header(l, "Content-Type: ", post->type);

	if (!err)
		err = add_header(l, "Expect:", "");	/* bodies are sent at once */
	if (!err && post->token && *post->token)
		err = add_header(l, "Authorization: Bearer ", post->token);
	if (err || curl_easy_setopt(l->easy, CURLOPT_URL, post->url))
		return -ENOMEM;
	curl_easy_setopt(l->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(l->easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(l->easy, CURLOPT_PROXY, "");
	curl_easy_setopt(l->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(l->easy, CURLOPT_QUICK_EXIT, 1L);	/* a name that is looked up keeps nobody from ending */
	curl_easy_setopt(l->easy, CURLOPT_TIMEOUT_MS, (long)post->timeout_ms);
	curl_easy_setopt(l->easy, CURLOPT_USERAGENT, "heatscoped/" PACKAGE_VERSION);
	curl_easy_setopt(l->easy, CURLOPT_HTTPHEADER, l->headers);
	curl_easy_setopt(l->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)l->len);
	curl_easy_setopt(l->easy, CURLOPT_POSTFIELDS, l->body ? l->body : "");
	curl_easy_setopt(l->easy, CURLOPT_WRITEFUNCTION, on_answer);
	curl_easy_setopt(l->easy, CURLOPT_WRITEDATA, l);
	curl_easy_setopt(l->easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
	curl_easy_setopt(l->easy, CURLOPT_OPENSOCKETDATA, l);
	curl_easy_setopt(l->easy, CURLOPT_PRIVATE, l);
	return 0;
}

static void hand_over(struct courier *c, struct letter *l)
{
	uv_timer_init(c->loop, &l->pause);
	l->pause.data = l;
	c->n_handles++;
	l->next = c->letters;
	l->link = &c->letters;
	if (l->next)
		l->next->link = &l->next;
	c->letters = l;
	c->n++;
	c->n_bytes += l->len;
	uv_timer_start(&l->pause, on_pause, 0, 0);
}

static int check_room(const struct courier *c, size_t len)
{
	if (c->closing)
		return -ECANCELED;
	if (len > COURIER_BYTES)
		return -E2BIG;
	return c->n >= COURIER_WAITING || len > COURIER_BYTES - c->n_bytes ? -ENOSPC : 0;
}

int courier_post(struct courier *c, const struct courier_post *post, courier_done done, void *arg)
{
	struct letter *l = NULL;
	int err = check_room(c, post->len);

	if (!err) {
		l = calloc(1, sizeof(*l));
		err = l ? 0 : -ENOMEM;
	}
	if (err) {
		free(post->body);
		return err;
	}
	*l = (struct letter){ .courier = c, .body = post->body, .len = post->len, .done = done, .arg = arg, .easy = curl_easy_init(),
			      .link_local = post->link_local };
	err = l->easy ? address(l, post) : -ENOMEM;
	if (err)
		letter_free(l);
	else
		hand_over(c, l);
	return err;
}

size_t courier_waiting(const struct courier *c)
{
	return c->n;
}

/* ---- begin and end ---- */

int courier_new(uv_loop_t *loop, unsigned pause_ms, struct courier **ret_courier)
{
	struct courier *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	*c = (struct courier){ .loop = loop, .pause_ms = pause_ms, .multi = curl_global_init(CURL_GLOBAL_DEFAULT) ? NULL : curl_multi_init() };
	if (!c->multi) {
		free(c);
		return -ENOMEM;
	}
	curl_multi_setopt(c->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(c->multi, CURLMOPT_SOCKETDATA, c);
	curl_multi_setopt(c->multi, CURLMOPT_TIMERFUNCTION, on_timeout);
	curl_multi_setopt(c->multi, CURLMOPT_TIMERDATA, c);
	uv_timer_init(loop, &c->timer);
	c->timer.data = c;
	c->n_handles = 1;
	*ret_courier = c;
	return 0;
}

static void on_timer_closed(uv_handle_t *timer)
{
	handle_closed(timer->data);
}

void courier_close(struct courier *c)
{
	if (!c)
		return;
	c->closing = true;
	while (c->letters) {
		curl_multi_remove_handle(c->multi, c->letters->easy);
		letter_end(c->letters, -ECANCELED, "heatscoped was stopped");
	}
	curl_multi_cleanup(c->multi);		/* closes its sockets, and says so to on_socket() */
	uv_close((uv_handle_t *)&c->timer, on_timer_closed);
}
