#include <curl/curl.h>

#if LIBCURL_VERSION_NUM >> 8 == 0x080e		/* 8.14 forgets 15 bytes when a name is not found */
#define LEAKS_KNOWN "leak:libcurl\n"
#endif

#include "aggregator/notify/webhook_sender.h"
#include "test/kit/receiver_kit.h"

#include <errno.h>
#include <stdio.h>

static struct webhook_sender *sender;

static int start(void **state)
{
	receiver_begin();
	return webhook_sender_new(&receiver.loop, 1, &sender);
}

static int stop(void **state)
{
	webhook_sender_close(sender);
	return receiver_end();
}

struct outcome {
	int n, err;
	char reason[WEBHOOK_SENDER_REASON_MAX];
};

static void on_done(void *arg, int err, const char *reason)
{
	struct outcome *o = arg;

	o->n++;
	o->err = err;
	snprintf(o->reason, sizeof(o->reason), "%s", reason);
}

static int post(const char *path, unsigned timeout_ms, struct outcome *o)
{
	char url[128];
	struct webhook_post p = { .url = url, .token = "0123456789abcdef", .type = "application/json", .body = strdup("{\"a\": 1}"), .len = 8,
				  .timeout_ms = timeout_ms };

	snprintf(url, sizeof(url), "http://127.0.0.1:%d/%s", receiver.port, path);
	*o = (struct outcome){ 0 };
	return webhook_sender_post(sender, &p, on_done, o);
}

static void deliver(const char *path, unsigned timeout_ms, struct outcome *o)
{
	assert_int_equal(post(path, timeout_ms, o), 0);
	assert_int_equal(o->n, 0);		/* never from within */
	while (!o->n)
		uv_run(&receiver.loop, UV_RUN_ONCE);
	assert_int_equal(o->n, 1);
}

TEST_WITH(a_post_answered_with_2xx_is_delivered_once, start, stop)
{
	struct outcome o;

	deliver("204?x=1", 5000, &o);
	assert_int_equal(o.err, 0);
	assert_int_equal(receiver.n_requests, 1);
	assert_non_null(strstr(receiver.last, "POST /204?x=1 HTTP/1.1\r\n"));
	assert_non_null(strstr(receiver.last, "\r\nContent-Type: application/json\r\n"));
	assert_non_null(strstr(receiver.last, "\r\nAuthorization: Bearer 0123456789abcdef\r\n"));
	assert_non_null(strstr(receiver.last, "\r\n\r\n{\"a\": 1}"));
	assert_null(strstr(receiver.last, "Expect"));
}

TEST_WITH(temporary_errors_are_tried_again_and_others_given_up, start, stop)
{
	static const struct { const char *path; int err, n; const char *reason; } cases[] = {
		{ "200", 0, 1, "" },
		{ "500", -EIO, 3, "the answer was 500, tried 3 times" },
		{ "503", -EIO, 3, "the answer was 503, tried 3 times" },
		{ "429", -EIO, 3, "the answer was 429, tried 3 times" },
		{ "408", -EIO, 3, "the answer was 408, tried 3 times" },
		{ "400", -EIO, 1, "the answer was 400" },
		{ "401", -EIO, 1, "the answer was 401" },
		{ "302", -EIO, 1, "the answer was 302: redirects are not followed" },
		{ "307", -EIO, 1, "the answer was 307: redirects are not followed" },
		{ "long", 0, 1, "" },
	};
	struct outcome o;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		receiver.n_requests = 0;
		deliver(cases[i].path, 5000, &o);
		assert_int_equal(o.err, cases[i].err);
		assert_int_equal(receiver.n_requests, cases[i].n);
		assert_string_equal(o.reason, cases[i].reason);
	}
}

TEST_WITH(a_receiver_that_hangs_does_not_delay_others, start, stop)
{
	struct outcome hangs, o;

	assert_int_equal(post("hang", 300, &hangs), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(post("200", 5000, &o), 0);
		while (!o.n)
			uv_run(&receiver.loop, UV_RUN_ONCE);
		assert_int_equal(o.err, 0);
	}
	while (!hangs.n)
		uv_run(&receiver.loop, UV_RUN_ONCE);
	assert_int_equal(hangs.err, -EIO);
	assert_non_null(strstr(hangs.reason, "tried 3 times"));
}

static void send_to(const char *url, struct outcome *o)
{
	struct webhook_post p = { .url = url, .type = "text/plain", .timeout_ms = 5000 };

	*o = (struct outcome){ 0 };
	assert_int_equal(webhook_sender_post(sender, &p, on_done, o), 0);
	while (!o->n)
		uv_run(&receiver.loop, UV_RUN_ONCE);
	assert_int_equal(o->err, -EIO);
}

TEST_WITH(without_a_server_it_is_tried_three_times, start, stop)
{
	struct outcome o;

	send_to("http://127.0.0.1:1/", &o);
	assert_non_null(strstr(o.reason, ": Connection refused, tried 3 times"));
}

TEST_WITH(reasons_contain_neither_the_url_nor_its_host, start, stop)
{
	static const char *const urls[] = { "http://localhost:1/secret", "http://secret.invalid/", "gopher://secret/", "http://secret:x/", "http://secret host/",
					    "http://secret:pass@127.0.0.1:1/" };
	struct outcome o;

	for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
		send_to(urls[i], &o);
		assert_true(*o.reason);
		if (strstr(o.reason, "secret") || strstr(o.reason, "localhost") || strstr(o.reason, "127.0.0.1"))
			fail_msg("it says \"%s\"", o.reason);
	}
}

TEST_WITH(only_http_and_https_are_spoken, start, stop)
{
	static const char *const urls[] = { "file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x", "http://" };
	struct outcome o;

	for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
		send_to(urls[i], &o);
		assert_null(strstr(o.reason, "tried"));
	}
}

/* In every form of the address; no connection is tried. */
TEST_WITH(nothing_is_sent_to_a_link_local_address, start, stop)
{
	static const char *const urls[] = { "http://169.254.169.254/latest", "http://2852039166/", "http://0xa9fea9fe/", "http://169.254.43518/",
					    "http://[::ffff:169.254.169.254]/", "http://[fe80::1]/", "http://u:p@169.254.1.1:8080/" };
	struct outcome o;

	for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
		send_to(urls[i], &o);
		assert_string_equal(o.reason, "it leads to a link-local address: only a host that webhook-hosts lists may");
	}
}

TEST_WITH(the_environments_proxy_is_not_used, start, stop)
{
	struct outcome o;

	setenv("http_proxy", "http://127.0.0.1:1", 1);
	setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
	deliver("200", 5000, &o);
	assert_int_equal(o.err, 0);
	unsetenv("http_proxy");
	unsetenv("ALL_PROXY");
}

TEST_WITH(beyond_its_bounds_it_refuses_and_goes_on_later, start, stop)
{
	static struct outcome o[WEBHOOK_SENDER_WAITING + 1];
	struct webhook_post large = { .url = "http://127.0.0.1:1/", .type = "text/plain", .len = WEBHOOK_SENDER_BYTES + 1 };

	assert_int_equal(webhook_sender_post(sender, &large, on_done, o), -E2BIG);
	for (int i = 0; i < WEBHOOK_SENDER_WAITING; i++)
		assert_int_equal(post("200", 5000, &o[i]), 0);
	assert_int_equal(post("200", 5000, &o[WEBHOOK_SENDER_WAITING]), -ENOSPC);
	for (int i = 0; i < WEBHOOK_SENDER_WAITING; i++) {
		while (!o[i].n)
			uv_run(&receiver.loop, UV_RUN_ONCE);
		assert_true(o[i].n == 1 && !o[i].err);
	}
	assert_int_equal(o[WEBHOOK_SENDER_WAITING].n, 0);
	deliver("200", 5000, &o[0]);
}

TEST_WITH(posts_in_flight_at_the_end_are_canceled, start, stop)
{
	struct outcome hangs, fails, fresh;

	assert_int_equal(post("hang", 60000, &hangs), 0);
	assert_int_equal(post("500", 60000, &fails), 0);
	while (receiver.n_requests < 3)
		uv_run(&receiver.loop, UV_RUN_ONCE);
	assert_int_equal(post("200", 60000, &fresh), 0);
	webhook_sender_close(sender);
	sender = NULL;
	assert_true(hangs.n == 1 && hangs.err == -ECANCELED);
	assert_true(fails.n == 1 && fresh.n == 1 && fresh.err == -ECANCELED);
}

TEST_MAIN()
