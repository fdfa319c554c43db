#include "test/kit/check.h"
#include "test/kit/server_kit.h"
#include "aggregator/http/http.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static struct server server;

static int start(void **state)
{
	server_start(&server, true);
	return 0;
}

static int stop(void **state)
{
	server_stop(&server);
	return 0;
}

static int status_of(const char *method, const char *path, const char *headers, const char *body)
{
	struct answer a = ask(&server, method, path, headers, body);
	int status = a.status;

	answer_fini(&a);
	return status;
}

TEST(the_page_comes_with_type_tag_and_policy)
{
	struct answer a = ask(&server, "GET", "/", NULL, NULL);
	char header[256], again[300];

	assert_int_equal(a.status, 200);
	assert_string_equal(a.body, "<!doctype html><title>page</title>\n");
	assert_string_equal(answer_header(&a, "Content-Type", header), "text/html; charset=utf-8");
	assert_string_equal(answer_header(&a, "X-Content-Type-Options", header), "nosniff");
	assert_string_equal(answer_header(&a, "Cache-Control", header), "no-cache");
	assert_non_null(strstr(answer_header(&a, "Content-Security-Policy", header), "default-src 'self'"));
	assert_string_equal(answer_header(&a, "Access-Control-Allow-Origin", header), "");
	snprintf(again, sizeof(again), "If-None-Match: %s\r\n", answer_header(&a, "ETag", header));
	answer_fini(&a);
	assert_int_equal(status_of("GET", "/", again, NULL), 304);
	a = ask(&server, "GET", "/app.js", NULL, NULL);
	assert_int_equal(a.status, 200);
	assert_string_equal(answer_header(&a, "Content-Type", header), "text/javascript; charset=utf-8");
	answer_fini(&a);
}

TEST(nothing_outside_of_the_page_is_served)
{
	static const char *const paths[] = {
		"/../ingest.sock", "/..%2fingest.sock", "/%2e%2e/ingest.sock", "/.secret", "//app.js", "/./app.js", "/app.js/",
		"/nothing", "/app.js%00.html", "/page", "/%ff", "/a\\b", "/....//app.js",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		int status = status_of("GET", paths[i], NULL, NULL);

		/* the path ends at a zero byte */
		if (status != 404 && !(status == 200 && strstr(paths[i], "%00")))
			fail_msg("%s: %d", paths[i], status);
	}
	assert_int_equal(status_of("POST", "/app.js", NULL, "x"), 405);
	assert_int_equal(status_of("DELETE", "/", NULL, NULL), 405);
}

TEST(head_is_get_without_a_body)
{
	struct answer a = ask(&server, "HEAD", "/ca", NULL, NULL);

	assert_int_equal(a.status, 200);
	assert_int_equal(a.body_len, 0);
	answer_fini(&a);
}

TEST(a_foreign_host_or_origin_is_refused)
{
	static const struct { const char *headers; int status; } cases[] = {
		{ "Host: localhost\r\n", 200 },
		{ "Host: LOCALHOST:1\r\n", 200 },
		{ "Host: 127.0.0.1:8080\r\n", 200 },
		{ "Host: [::1]:23181\r\n", 200 },
		{ "Host: [::1]\r\nOrigin: http://[::1]\r\n", 200 },
		{ "Host: localhost:5\r\nOrigin: http://localhost:5\r\n", 200 },
		{ "Host: evil.example\r\n", 403 },
		{ "Host: localhost.evil.example\r\n", 403 },
		{ "Host: 127.0.0.1.evil.example:80\r\n", 403 },
		{ "Host: localhost:\r\n", 403 },
		{ "Host: localhost:80x\r\n", 403 },
		{ "Host: 127.0.0.2\r\n", 403 },
		{ "Host: \r\n", 403 },
		{ "Host: localhost:5\r\nOrigin: http://localhost:6\r\n", 403 },
		{ "Host: localhost:5\r\nOrigin: https://localhost:5\r\n", 403 },
		{ "Host: localhost:5\r\nOrigin: http://evil.example\r\n", 403 },
		{ "Host: localhost:5\r\nOrigin: null\r\n", 403 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (status_of("GET", "/ca", cases[i].headers, NULL) != cases[i].status)
			fail_msg("%s is not %d", cases[i].headers, cases[i].status);
	assert_int_equal(status_of("GET", "/", "Host: evil.example\r\n", NULL), 403);
	assert_int_equal(status_of("POST", "/ca/instrumentations", "Host: localhost\r\nOrigin: http://evil.example\r\n", "{}"),
			 403);
}

TEST(a_body_that_is_too_long_is_refused)
{
	char *body = malloc(1 << 20);
	struct answer a;
	int len;

	assert_non_null(body);
	memset(body, ' ', 70000);
	body[65536] = 0;
	/* the body was read, and is not JSON */
	assert_int_equal(status_of("POST", "/ca/instrumentations", NULL, body), 409);
	body[65536] = ' ';
	body[65537] = 0;
	assert_int_equal(status_of("POST", "/ca/instrumentations", NULL, body), 413);
	len = snprintf(body, 1024, "POST /ca/instrumentations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n");
	a = ask_raw(&server, body, (size_t)len);
	assert_int_equal(a.status, 413);
	answer_fini(&a);
	len = snprintf(body, 1024, "POST /ca/instrumentations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65537\r\n"
		       "Connection: close\r\nExpect: 100-continue\r\n\r\n");
	a = ask_raw(&server, body, (size_t)len);		/* the answer comes before the body is sent */
	assert_int_equal(a.status, 413);
	answer_fini(&a);
	/* Chunks do not announce their total length. */
	len = snprintf(body, 1024, "POST /ca/instrumentations HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
		      "Transfer-Encoding: chunked\r\n\r\n11170\r\n");
	memset(body + len, ' ', 70000);
	len += 70000;
	len += sprintf(body + len, "\r\n0\r\n\r\n");
	a = ask_raw(&server, body, (size_t)len);
	assert_int_equal(a.status, 413);
	answer_fini(&a);
	free(body);
}

/* Each of these would hide a second request from a proxy, or from us. */
TEST(an_ambiguous_request_is_refused_and_ends_the_connection)
{
	static const char *const unsure[] = {
		"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
		"Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: 5\r\ncontent-length: 5\r\n", "Content-Length: 5, 5\r\n",
		"Content-Length: +5\r\n", "Content-Length: 0x5\r\n", "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: identity\r\n",
		"Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
		"Content-Length : 5\r\n", "Transfer-Encoding : chunked\r\n", "Host: evil.example\r\n",
	};

	for (size_t i = 0; i < sizeof(unsure) / sizeof(*unsure); i++) {
		char text[1024];
		int len = snprintf(text, sizeof(text), "POST /ca/instrumentations HTTP/1.1\r\nHost: localhost\r\n%s\r\n0\r\n\r\n"
				   "GET /ca HTTP/1.1\r\nHost: localhost\r\n\r\n", unsure[i]);
		struct answer a = ask_raw(&server, text, (size_t)len);	/* reads up to the end: one answer */

		if (a.status != 400)
			fail_msg("%s is %d", unsure[i], a.status);
		if (a.body && strstr(a.body, "HTTP/1.1 200"))
			fail_msg("%s: the second request is answered", unsure[i]);
		answer_fini(&a);
	}
	assert_int_equal(status_of("GET", "/ca", NULL, NULL), 200);
}

TEST(rubbish_is_survived)
{
	static const char *const rubbish[] = {
		"", "\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", "\x16\x03\x01\x02", "GET / HTTP/1.1\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", "GET /%zz?%=%&&=&a HTTP/1.0\r\nHost: localhost\r\n\r\n",
		"GET /ca HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
	};

	for (size_t i = 0; i < sizeof(rubbish) / sizeof(*rubbish); i++) {
		int fd = server_connect(&server);

		assert_true(send(fd, rubbish[i], strlen(rubbish[i]), MSG_NOSIGNAL) >= 0);
		close(fd);
	}
	for (int i = 0; i < 50; i++) {
		char noise[300];
		int fd = server_connect(&server);

		for (size_t j = 0; j < sizeof(noise); j++)
			noise[j] = (char)check_random();
		assert_true(send(fd, noise, check_below(sizeof(noise)), MSG_NOSIGNAL) >= 0);
		close(fd);
	}
	assert_int_equal(status_of("GET", "/ca", NULL, NULL), 200);
}

TEST(too_many_parameters_are_refused)
{
	char path[1024] = "/ca/instrumentations?";

	for (int i = 0; i < 65; i++)
		strcat(path, "a=1&");
	assert_int_equal(status_of("POST", path, NULL, NULL), 409);
}

TEST(requests_on_one_connection_follow_each_other)
{
	static const char three[] = "GET /ca HTTP/1.1\r\nHost: localhost\r\n\r\n"
				    "GET /ca/instrumentations HTTP/1.1\r\nHost: localhost\r\n\r\n"
				    "GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
	struct answer a = ask_raw(&server, three, sizeof(three) - 1);
	int replies = 1;

	assert_int_equal(a.status, 200);
	for (char *at = a.body; (at = strstr(at, "HTTP/1.1 ")); at++)
		replies++;
	assert_int_equal(replies, 3);
	answer_fini(&a);
}

TEST(a_unix_socket_needs_no_host)
{
	struct server local;
	struct answer a;

	server_start(&local, false);
	a = ask(&local, "GET", "/ca", "Host: whatever\r\n", NULL);
	assert_int_equal(a.status, 200);
	answer_fini(&a);
	server_stop(&local);
}

/* The body is far larger than a socket's buffer: the client still sends when the reply is ready, and closing must not
 * lose it. */
TEST(a_reply_reaches_a_client_that_still_sends)
{
	struct server local;
	char *body = malloc(1 << 20);

	assert_non_null(body);
	memset(body, ' ', 1 << 20);
	body[(1 << 20) - 1] = 0;
	server_start(&local, false);
	for (int i = 0; i < 20; i++) {
		struct answer a = ask(&local, "POST", "/ca/instrumentations", NULL, body);

		assert_false(a.cut);		/* a client may give up at a broken pipe, without reading */
		assert_int_equal(a.status, 413);
		answer_fini(&a);
	}
	server_stop(&local);
	free(body);
}

/* Replies later, and closes a server while requests wait and streams are open. */
struct late {
	uv_loop_t loop;
	struct http *http;
	uv_timer_t timer;
	uv_async_t stop;
	struct http_request *waiting[8];
	size_t n_waiting;
	int gone;
};

static void reply_to_all(uv_timer_t *timer)
{
	struct late *l = timer->data;

	for (size_t i = 0; i < l->n_waiting; i++)
		http_reply(l->waiting[i], 200, "text/plain", strdup("late"), 4, NULL);
	l->n_waiting = 0;
}

static void on_gone(void *arg)
{
	((struct late *)arg)->gone++;
}

static void keep(void *arg, struct http_request *r)
{
	struct late *l = arg;
	struct http_stream *s;

	if (!strcmp(http_path(r), "/ca/stream")) {
		s = http_stream(r, on_gone, l);
		http_stream_put(s, ": hello\n\n", 9);
		return;
	}
	l->waiting[l->n_waiting++] = r;
	uv_timer_start(&l->timer, reply_to_all, 50, 0);
}

static void on_late_stop(uv_async_t *async)
{
	struct late *l = async->data;

	http_close(l->http);
	uv_timer_start(&l->timer, reply_to_all, 50, 0);
	uv_close((uv_handle_t *)async, NULL);
	uv_unref((uv_handle_t *)&l->timer);
}

static void *serve_late(void *arg)
{
	struct late *l = arg;

	uv_run(&l->loop, UV_RUN_DEFAULT);
	return NULL;
}

TEST(replies_may_come_later_and_none_is_lost_at_the_end)
{
	static const char get[] = "GET /ca/wait HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
	static const char stream[] = "GET /ca/stream HTTP/1.1\r\nHost: localhost\r\n\r\n";
	struct http_conf conf = { 0 };
	struct late l = { 0 };
	struct server at = { 0 };
	struct endpoint e;
	struct answer a;
	char reason[128], listen[128], chunk[1024];
	pthread_t thread;
	int fd, streaming, n;

	strcpy(at.folder, "/tmp/heatscope-test-XXXXXX");
	assert_non_null(mkdtemp(at.folder));
	snprintf(listen, sizeof(listen), "unix:%s/http.sock", at.folder);
	assert_int_equal(endpoint_parse(listen, &e, reason, sizeof(reason)), 0);
	assert_int_equal(endpoint_listen(&e, 0600, &fd, reason, sizeof(reason)), 0);
	assert_int_equal(uv_loop_init(&l.loop), 0);
	uv_timer_init(&l.loop, &l.timer);
	uv_async_init(&l.loop, &l.stop, on_late_stop);
	l.timer.data = l.stop.data = &l;
	assert_int_equal(http_new(&l.loop, fd, &conf, keep, &l, &l.http), 0);
	assert_int_equal(pthread_create(&thread, NULL, serve_late, &l), 0);

	a = ask_raw(&at, get, sizeof(get) - 1);
	assert_int_equal(a.status, 200);
	assert_string_equal(a.body, "late");
	answer_fini(&a);

	streaming = server_connect(&at);
	assert_int_equal(send(streaming, stream, sizeof(stream) - 1, 0), sizeof(stream) - 1);
	assert_true(read(streaming, chunk, sizeof(chunk)) > 0);
	fd = server_connect(&at);
	assert_int_equal(send(fd, get, sizeof(get) - 1, 0), sizeof(get) - 1);
	usleep(10000);			/* the request probably waits now; in any case it must be answered */
	uv_async_send(&l.stop);
	n = (int)read(fd, chunk, sizeof(chunk) - 1);
	assert_true(n > 12);
	assert_memory_equal(chunk, "HTTP/1.1 200", 12);
	while ((n = (int)read(streaming, chunk, sizeof(chunk))) > 0)
		;
	assert_int_equal(n, 0);
	close(fd);
	close(streaming);
	pthread_join(thread, NULL);
	assert_int_equal(l.gone, 1);
	uv_close((uv_handle_t *)&l.timer, NULL);
	uv_run(&l.loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&l.loop), 0);
	endpoint_remove(&e);
	assert_int_equal(rmdir(at.folder), 0);
}

/* ---- requests without a connection ---- */

static void echo(void *arg, struct http_request *r)
{
	size_t n_params, len;
	const struct http_param *param = http_params(r, &n_params);
	const char *body = http_body(r, &len);
	char text[200];

	if (!strcmp(http_path(r), "/ca/none"))
		http_drop(r);
	else if (!strcmp(http_path(r), "/ca/stream"))
		assert_null(http_stream(r, NULL, NULL));
	else if (!strcmp(http_path(r), "/ca/error"))
		http_busy(r, 5, "not now");
	else {
		snprintf(text, sizeof(text), "%s %s %s=%s %s %.*s", http_method(r), http_path(r), param[0].name, param[0].value,
			 http_header(r, "accept"), (int)len, body);
		assert_false(http_is_gone(r));
		http_reply(r, 201, "text/plain", strdup(text), strlen(text), "/ca/made");
	}
}

struct called {
	unsigned n, status;
	char body[300], location[50];
};

static void on_called(void *arg, const struct http_answer *answer)
{
	struct called *c = arg;

	c->n++;
	c->status = answer->status;
	snprintf(c->body, sizeof(c->body), "%.*s", (int)answer->len, answer->data ? (const char *)answer->data : "");
	snprintf(c->location, sizeof(c->location), "%s", answer->location ? answer->location : "");
}

TEST(the_handler_can_be_asked_without_a_connection)
{
	const struct http_param param = { "limit", "5" }, header = { "Accept", "text/plain" };
	struct http_call call = { "POST", "/ca/x", &param, &header, 1, 1, "name=a", 6 };
	struct http_conf conf = { 0 };
	struct called c = { 0 };
	struct endpoint e;
	char reason[128], listen[128], folder[] = "/tmp/heatscope-test-XXXXXX";
	uv_loop_t loop;
	struct http *h;
	int fd;

	assert_non_null(mkdtemp(folder));
	snprintf(listen, sizeof(listen), "unix:%s/http.sock", folder);
	assert_int_equal(endpoint_parse(listen, &e, reason, sizeof(reason)), 0);
	assert_int_equal(endpoint_listen(&e, 0600, &fd, reason, sizeof(reason)), 0);
	assert_int_equal(uv_loop_init(&loop), 0);
	assert_int_equal(http_new(&loop, fd, &conf, echo, NULL, &h), 0);
	assert_int_equal(http_call(h, &call, on_called, &c), 0);
	assert_int_equal(c.status, 201);
	assert_string_equal(c.body, "POST /ca/x limit=5 text/plain name=a");
	assert_string_equal(c.location, "/ca/made");
	call.path = "/ca/stream";
	assert_int_equal(http_call(h, &call, on_called, &c), 0);
	assert_int_equal(c.status, 409);
	call.path = "/ca/error";
	assert_int_equal(http_call(h, &call, on_called, &c), 0);
	assert_int_equal(c.status, 503);
	assert_non_null(strstr(c.body, "not now"));
	assert_string_equal(c.location, "");
	call.path = "/ca/none";
	assert_int_equal(http_call(h, &call, on_called, &c), 0);
	assert_int_equal(c.status, 503);
	call.path = "/page.html";
	assert_int_equal(http_call(h, &call, on_called, &c), -EINVAL);
	call.path = "/ca/x";
	call.len = HTTP_BODY_MAX + 1;
	assert_int_equal(http_call(h, &call, on_called, &c), -EINVAL);
	assert_int_equal(c.n, 4);
	http_close(h);
	call.len = 6;
	assert_int_equal(http_call(h, &call, on_called, &c), -ESHUTDOWN);
	uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&loop), 0);
	endpoint_remove(&e);
	assert_int_equal(rmdir(folder), 0);
}

TEST_MAIN_WITH(start, stop)
