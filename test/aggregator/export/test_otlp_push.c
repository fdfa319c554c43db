#include "aggregator/export/otlp_push.h"
#include "test/kit/receiver_kit.h"
#include "test/kit/wire_kit.h"

#include <stdio.h>

/* A push of one counter, which grows by one each time. */
struct push_case {
	struct rig rig;			/* for the catalog; it has a loop of its own */
	struct export *export;
	struct otlp_conf conf;
	struct otlp_push *push;
	double value;
};

static struct push_case it;

static void put_own(const void *arg, struct exposition *e)
{
	static const struct exposition_family own = { EXPOSITION_COUNTER, "heatscope.own", "", "own", NULL };

	it.value++;
	metrics_put(e, &own, 1, it.value);
}

static int start(void **state)
{
	memset(&it, 0, sizeof(it));
	receiver_begin();
	rig_begin(&it.rig, NULL);
	return export_new(it.rig.store_queue, it.rig.catalog, NULL, 0, &it.export);
}

static int stop(void **state)
{
	otlp_push_close(it.push);
	export_free(it.export);
	rig_end(&it.rig);
	return receiver_end();
}

static void begin(const char *const *script, bool is_delta)
{
	const struct metrics_parts parts = { it.export, it.rig.catalog, put_own, NULL };
	char reason[CONF_REASON_MAX];

	receiver.script = script;
	it.conf = (struct otlp_conf){ .is_json = true, .is_plain = true, .is_delta = is_delta, .interval_s = 3600, .timeout_s = 5, .instance = "i" };
	snprintf(it.conf.endpoint, sizeof(it.conf.endpoint), "http://127.0.0.1:%d/v1/metrics", receiver.port);
	assert_int_equal(otlp_push_new(&receiver.loop, &it.conf, &parts, 1, &it.push, reason), 0);
	otlp_push_start(it.push);
}

static const struct otlp_counters *counters(void) { return otlp_push_counters(it.push); }

static __u64 n_ended(void) { return counters()->n_sent + counters()->n_rejected + counters()->n_dropped; }

/* A push of one point, to its end. */
static void push_once(void)
{
	__u64 before = n_ended();

	otlp_push_begin(it.push);
	while (n_ended() == before)
		uv_run(&receiver.loop, UV_RUN_ONCE);
}

/* The value that the newest request has. */
static double last_value(void)
{
	json_t *all = json_loads(strstr(receiver.last, "\r\n\r\n") + 4, 0, NULL);
	json_t *metric = json_array_get(json_object_get(json_array_get(json_object_get(json_array_get(json_object_get(all, "resourceMetrics"), 0),
			 "scopeMetrics"), 0), "metrics"), 0);
	json_t *point = json_array_get(json_object_get(json_object_get(metric, "sum"), "dataPoints"), 0);
	double value = json_number_value(json_object_get(point, "asDouble"));

	json_decref(all);
	return value;
}

#define ANSWER(status, more, body) "HTTP/1.1 " status " X\r\nConnection: close\r\n" more "\r\n" body
#define OK ANSWER("200", "Content-Length: 0\r\n", "")

TEST_WITH(a_push_that_is_taken_is_sent_once, start, stop)
{
	static const char *const script[] = { OK, NULL };

	begin(script, false);
	push_once();
	assert_int_equal(receiver.n_requests, 1);
	assert_non_null(strstr(receiver.last, "POST /v1/metrics HTTP/1.1\r\n"));
	assert_non_null(strstr(receiver.last, "\r\nContent-Type: application/json\r\n"));
	assert_null(strstr(receiver.last, "Content-Encoding"));
	assert_true(last_value() == 1);
	assert_int_equal(counters()->n_sent, 1);
	assert_string_equal(counters()->reason, "");
	assert_true(counters()->sent_ns > 0);
}

TEST_WITH(answers_that_may_change_are_waited_for_and_others_are_the_end, start, stop)
{
	static const struct { const char *status; int n_requests; } cases[] = {
		{ "429", 5 }, { "502", 5 }, { "503", 5 }, { "504", 5 }, { "400", 1 }, { "404", 1 }, { "413", 1 }, { "500", 1 }, { "302", 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[200];
		const char *script[] = { text, NULL };

		snprintf(text, sizeof(text), "HTTP/1.1 %s X\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nnot now", cases[i].status);
		if (i)
			receiver.script = script;
		else
			begin(script, false);
		receiver.n_requests = 0;
		push_once();
		assert_int_equal(receiver.n_requests, cases[i].n_requests);
		assert_int_equal(counters()->n_dropped, i + 1);
		assert_int_equal(counters()->n_sent, 0);
		snprintf(text, sizeof(text), "the answer was %s%s: not now", cases[i].status, cases[i].n_requests > 1 ? ", tried 5 times" : "");
		assert_string_equal(counters()->reason, text);
	}
}

TEST_WITH(a_push_that_is_sent_again_is_the_same, start, stop)
{
	static const char *const script[] = { ANSWER("503", "Content-Length: 0\r\n", ""), ANSWER("429", "Content-Length: 0\r\n", ""), OK, NULL };

	begin(script, false);
	push_once();
	assert_int_equal(receiver.n_requests, 3);
	assert_true(last_value() == 1);
	assert_int_equal(counters()->n_sent, 1);
	assert_int_equal(counters()->n_failed, 2);
}

TEST_WITH(a_long_retry_after_is_kept_by_the_pushes_that_follow, start, stop)
{
	static const char *const script[] = { ANSWER("503", "Retry-After: 100\r\nContent-Length: 0\r\n", ""), OK, NULL };

	begin(script, false);
	push_once();
	assert_int_equal(receiver.n_requests, 1);
	assert_int_equal(counters()->n_dropped, 1);
	otlp_push_begin(it.push);
	assert_int_equal(counters()->n_pushes, 1);
}

TEST_WITH(a_partial_success_is_counted_and_not_sent_again, start, stop)
{
	static const char *const script[] = {
		ANSWER("200", "Content-Type: application/json\r\n", "{\"partialSuccess\":{\"rejectedDataPoints\":\"1\",\"errorMessage\":\"too old\"}}"),
		ANSWER("200", "Content-Type: application/json\r\n", "{\"partialSuccess\":{\"rejectedDataPoints\":\"99\"}}"),
		ANSWER("200", "Content-Type: application/json\r\n", "{\"partialSuccess\":{\"errorMessage\":\"soon too old\"}}"),
		ANSWER("200", "Content-Type: text/html\r\n", "<html>hello"),
		NULL,
	};

	begin(script, false);
	push_once();
	assert_int_equal(counters()->n_rejected, 1);
	assert_int_equal(counters()->n_sent, 0);
	assert_string_equal(counters()->reason, "the receiver rejected 1 of 1 points: too old");
	push_once();			/* not more than there were */
	assert_int_equal(counters()->n_rejected, 2);
	push_once();
	assert_int_equal(counters()->n_sent, 1);
	assert_string_equal(counters()->reason, "the receiver warns: soon too old");
	push_once();
	assert_int_equal(counters()->n_sent, 2);
	assert_string_equal(counters()->reason, "the answer was no message of OTLP: is it the URL of a receiver?");
	assert_int_equal(receiver.n_requests, 4);
}

/* The counter is read twice per push: it grows by two. */
TEST_WITH(deltas_that_were_given_up_are_in_the_next_push_but_not_refused_ones, start, stop)
{
	static const char *const script[] = {
		OK,
		ANSWER("503", "", ""), ANSWER("503", "", ""), ANSWER("503", "", ""), ANSWER("503", "", ""), ANSWER("503", "", ""),
		OK, ANSWER("400", "", ""), OK, NULL,
	};

	begin(script, true);
	push_once();
	assert_true(last_value() == 1);		/* 2 are kept as sent */
	push_once();
	assert_true(last_value() == 1);		/* 3, less 2; 4 are not kept */
	assert_int_equal(counters()->n_dropped, 1);
	push_once();
	assert_true(last_value() == 3);		/* 5, less 2; 6 are kept */
	push_once();
	assert_true(last_value() == 1);		/* 7, refused; 8 are kept all the same */
	push_once();
	assert_true(last_value() == 1);		/* 9 */
	assert_int_equal(counters()->n_sent, 3);
	assert_int_equal(counters()->n_dropped, 2);
}

static void on_finished(void *arg) { (*(int *)arg)++; }

TEST_WITH(at_the_end_it_pushes_once_more, start, stop)
{
	static const char *const script[] = { OK, NULL };
	int n = 0;

	begin(script, false);
	push_once();
	otlp_push_finish(it.push, on_finished, &n);
	it.push = NULL;
	while (!n)
		uv_run(&receiver.loop, UV_RUN_ONCE);
	assert_int_equal(n, 1);
	assert_int_equal(receiver.n_requests, 2);
	assert_true(last_value() == 2);
}

TEST_WITH(at_the_end_it_ends_a_pause_and_waits_for_an_answer_only_for_a_while, start, stop)
{
	static const char *const script[] = { ANSWER("503", "Retry-After: 50\r\n", ""), OK, NULL }, *const hang[] = { "", NULL };
	int n = 0;

	begin(script, false);
	otlp_push_begin(it.push);
	while (!counters()->n_failed)
		uv_run(&receiver.loop, UV_RUN_ONCE);
	receiver.script = hang;
	otlp_push_finish(it.push, on_finished, &n);
	it.push = NULL;
	while (!n)
		uv_run(&receiver.loop, UV_RUN_ONCE);
	assert_int_equal(receiver.n_requests, 1);	/* the receiver had asked for the pause */
}

TEST_WITH(a_receiver_that_hangs_does_not_hold_up_the_end, start, stop)
{
	static const char *const hang[] = { "", NULL };
	int n = 0;

	begin(hang, false);
	otlp_push_begin(it.push);
	while (!receiver.n_requests)
		uv_run(&receiver.loop, UV_RUN_ONCE);
	otlp_push_finish(it.push, on_finished, &n);
	it.push = NULL;
	while (!n)
		uv_run(&receiver.loop, UV_RUN_ONCE);
	assert_int_equal(receiver.n_requests, 1);
}

TEST_WITH(without_an_endpoint_there_is_no_push, start, stop)
{
	const struct metrics_parts parts = { it.export, it.rig.catalog, put_own, NULL };
	char reason[CONF_REASON_MAX];
	json_t *json;
	int n = 0;

	assert_int_equal(otlp_push_new(&receiver.loop, &it.conf, &parts, 1, &it.push, reason), 0);
	assert_null(it.push);
	otlp_push_start(it.push);
	json = otlp_push_json(it.push);
	assert_true(json_is_null(json));
	json_decref(json);
	otlp_push_finish(it.push, on_finished, &n);
	assert_int_equal(n, 1);
}

TEST_MAIN()
